"""The paths of values on the wire, and where values come from (X-11, X-12)."""

import json
import threading

from conftest import Client
from events import EventSource
from redis_server import Instance, Redis
from several import until
from sluice import Server, eventually
from sources import held
from test_node_sources import graph, hosts

GRAPH = """graph: g
nodes:
  x: { set: number, initial: 1, history: 9 }
  y: { set: number }
  brief: { set: number, ttl: 50ms, history: 9 }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  shown: { set: number }
links: [ { from: double, to: shown } ]
"""
JSON = {"Content-Type": "application/json"}


def post(server, node, value, path, method="POST", **headers):
    sent = {**JSON, "Sluice-Path": path if isinstance(path, str) else json.dumps(path), **headers}
    body = None if value is None else json.dumps(value)
    return server.request(method, f"/v1/graphs/g/nodes/{node}", body, sent)


def follow(client, node, **options):
    client.send(op="sub", id=7, graph="g", node=node, path=True, **options)
    return client.receive()


def entry(client):
    return until(client, lambda message: message["op"] == "upd")["d"][0]


def explain(server, node, at="g"):
    first = server.get(f"/v1/graphs/{at}/nodes/{node}/explain").json()["nodes"][0]
    return first["origin"], first.get("by")


def history(server, node):
    d = server.get(f"/v1/graphs/g/nodes/{node}/history").json()["d"]
    return [(each.get("v"), each["origin"], each.get("by")) for each in d]


def test_x_11_over_http_a_node_on_the_path_is_left_alone():
    """X-11: in the head of every set, in a batch, and what is wrong is refused."""
    with Server({"g": GRAPH}, "service: home\n") as server, Client(server) as client:
        assert follow(client, "double")["path"] == ["home/g/double"]
        with EventSource(server, "/v1/graphs/g/events?node=double&path=1") as events:
            assert events.event().json()["path"] == ["home/g/double"]
            assert post(server, "x", 3, ["far/h/n"]).status == 200
            sent = entry(client)
            assert sent["path"] == ["far/h/n", "home/g/x", "home/g/double"]
            assert events.event().json()["d"] == [{**sent, "id": 1}]
        rev = server.get("/v1/graphs/g").json()["rev"]
        own = ["home/g/x"]
        for method, node, value in [
            ("POST", "x", 4), ("PUT", "x", 4), ("DELETE", "x/value", None),
            ("POST", "x/load", {"progress": 1}),
        ]:
            answer = post(server, node, value, own, method)
            if node == "x/load":
                assert answer.status == 200 and "skipped" not in answer.json(), "a report sets nothing"
                continue
            assert answer.status == 200 and answer.json() == {"changed": 0, "skipped": ["x"]}, method
            assert "etag" not in {name.lower() for name in answer.headers}
        assert server.value("g", "x") == 3 and server.get("/v1/graphs/g").json()["rev"] == rev + 1
        answer = server.batch("g", set={"x": 5, "y": 6}, path=own).json()
        assert answer["changed"] == 1 and answer["skipped"] == ["x"] and answer["rev"] == rev + 2
        assert post(server, "x", 4, "[").json()["code"] == "bad_json"
        for wrong in ["x", {}, ["a/b"], [1], ["a/b/c"] * 33, ["a/b/" + "c" * 2048]]:
            answer = post(server, "x", 4, wrong if isinstance(wrong, str) else json.dumps(wrong))
            assert answer.status in (400, 422), wrong
            assert server.batch("g", set={"x": 4}, path=wrong).json()["code"] == "bad_field"
        assert server.value("g", "x") == 3


class Bridge(threading.Thread):
    """A program that carries a node's values from one server to another."""

    def __init__(self, source, target, node, to):
        super().__init__(daemon=True)
        self.source, self.target, self.to = Client(source), Client(target), to
        self.answers = []
        follow(self.source, node, initial=False)

    def run(self):
        try:
            while True:
                for each in self.source.receive(60)["d"]:
                    changes = {"set": {self.to: each["v"]}, "path": each["path"]}
                    self.answers.append(self.target.ask(op="set", graph="g", **changes))
        except Exception:  # The test is over.
            pass


def test_x_11_two_bridges_do_not_echo_over_derived_nodes_and_links():
    """X-11: each value goes over once, and the bridge back is told what was skipped."""
    with Server({"g": GRAPH}) as one, Server({"g": GRAPH}) as two:
        there, back = Bridge(one, two, "shown", "x"), Bridge(two, one, "shown", "x")
        there.start()
        back.start()
        for value in (3, 5, 8):
            before = [each.get("/v1/graphs/g").json()["rev"] for each in (one, two)]
            one.set("g", "x", value)
            eventually(lambda: two.value("g", "shown") == 4 * value)
            eventually(lambda: len(back.answers) and back.answers[-1].get("skipped") == ["x"])
            after = [each.get("/v1/graphs/g").json()["rev"] for each in (one, two)]
            assert after == [rev + 1 for rev in before] and one.value("g", "x") == value
            back.answers.clear()
        assert all("skipped" not in answer for answer in there.answers)
        there.source.close()
        back.source.close()


def test_x_11_x_12_a_restart_keeps_keys_and_origins():
    """X-11, X-12: a repeat skips the same, and each value has the origin that it had."""
    with Server({"g": GRAPH}, keeps=True) as server:
        path = [server.get("/v1/graphs/g").json()["epoch"] + "/g/x", "far/h/n"]
        body = {"set": {"x": 7, "y": 8}, "path": path, "key": "k"}
        first = server.batch("g", **body).json()
        assert first["skipped"] == ["x"]
        server.set("g", "x", 9)
        server.set("g", "brief", 1)
        eventually(lambda: [origin for _, origin, _ in history(server, "brief")] == ["set", "expiry"])
        seen = {node: explain(server, node) for node in ("x", "y", "brief", "double", "shown")}
        assert seen == {
            "x": ("set", None), "y": ("set", None), "brief": ("expiry", None), "double": ("set", None),
            "shown": ("link", None),
        }
        past = history(server, "x")
        assert past == [(1, "initial", None), (9, "set", None)]
        server.kill()
        server.start()
        assert {node: explain(server, node) for node in seen} == seen and history(server, "x") == past
        again = server.batch("g", **body)
        assert again.json() == first and server.value("g", "x") == 9
        # The entries of the epoch before the restart are still its own.
        assert post(server, "x", 4, path).json()["skipped"] == ["x"]


def test_x_12_who_and_what_made_a_value(guarded):
    """X-12: `by` is the principal, also of what follows from its set."""
    guarded.ask("device:7", "POST", "/v1/graphs/house/nodes/room.temp", "25", **JSON)

    def by(who, node):
        first = guarded.ask(who, "GET", f"/v1/graphs/house/nodes/{node}/explain").json()["nodes"][0]
        return first["origin"], first.get("by")

    assert by("alice", "leak") == ("set", "device:7") and by("bob", "doubled") == ("set", "device:7")
    guarded.ask("alice", "POST", "/v1/graphs/house/nodes/secret", "8", **JSON)
    assert by("bob", "hint") == ("initial", None), "it does not follow yet, and not whom"
    guarded.ask("alice", "POST", "/v1/graphs/house/nodes/secret", "1", **JSON)
    assert by("bob", "hint") == ("set", None) and by("alice", "hint") == ("set", "alice")


def test_x_11_servers_that_share_a_redis():
    """X-11: the path of a commit is seen at every server, and each knows the nodes of the service."""
    with Redis() as redis, Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as two:
        with Client(two) as client:
            own = follow(client, "double")["path"][0].removesuffix("double")
            assert post(one, "x", 3, ["far/h/n"]).status == 200
            assert entry(client)["path"] == ["far/h/n", own + "x", own + "double"]
            assert post(two, "x", 4, [own + "x"]).json()["skipped"] == ["x"]


def test_x_11_the_source_node_of_another_sluice_continues_the_path():
    """X-11, S-9: it asks for paths while something here does, and what comes back is known there."""
    with Server({"house": GRAPH.replace("graph: g\n", "")}, "service: home\n") as origin:
        far = '  f: { source: { node: "cabin:double" } }\n  g: { from: f, pipe: [ { map: value + 1 } ] }\n'
        with Server({"g": graph(origin, far)}, hosts(origin) + "service: edge\n") as edge:
            with Client(edge) as plain, Client(edge) as client:
                plain.send(op="sub", id=1, graph="g", node="f")
                eventually(lambda: held(edge, "f") == 2)
                follow(client, "g")

                def carried():
                    origin.set("house", "x", origin.value("house", "x") + 1)
                    last = entry(client)
                    return last if len(last["path"]) > 2 else None

                last = eventually(carried)
                path = ["home/house/x", "home/house/double", "edge/g/f", "edge/g/g"]
                assert (last["path"], last["origin"], last["by"]) == (path, "source", "source")
                back = origin.batch("house", set={"x": 50, "y": 1}, path=last["path"]).json()
                assert back["skipped"] == ["x"]
            with Client(edge) as client:
                follow(client, "f")
                assert explain(edge, "g") == ("source", "source")
