"""Source nodes that are nodes of another Sluice, and trees of servers (S-9)."""

import contextlib
import json
import re
import subprocess

import nginx
import pytest

from access import Guarded
from rawsocket import RawWebSocket
from redis_server import Instance, Redis
from sluice import BINARY, ROOT, Server, eventually
from sources import held, listening, open_upstreams, state
from test_socket_sources import Service

HOUSE = """
nodes:
  temp: { set: number, initial: 20, unit: °C }
  note: { set: any }
  fahrenheit: { from: temp, pipe: [ { map: "value * 9 / 5 + 32" } ] }
  half: { from: temp, pipe: [ { map: "10 / (value - 20)" } ] }
  "s.{id}.v": { set: number }
"""
FAR = """
  x: { source: { node: "cabin:temp" }, unit: °C }
  note: { source: { node: "cabin:note" } }
  f: { source: { node: "cabin:fahrenheit", pick: math.round(value) } }
  half: { source: { node: "cabin:half" } }
  "far.{n}": { source: { node: "cabin:s.{n}.v" } }
  twice: { from: x, pipe: [ { map: value * 2 } ] }
"""
TEMP = '  temp: { source: { node: "cabin:temp" } }\n'
X = '  x: { source: { node: "cabin:temp" } }\n'


def failure(server, node):
    """The code of the node's error, if it has one."""
    return state(server, node).get("error", {}).get("code")


def graph(origin, nodes, at="house", more=""):
    return f'upstreams: {{ cabin: {{ sluice: "{origin.url}/v1/graphs/{at}"{more} }} }}\nnodes:\n{nodes}'


def hosts(*origins):
    return "sourceHosts: [" + ", ".join(f'"127.0.0.1:{each.port}"' for each in origins) + "]\n"


@contextlib.contextmanager
def tree(nodes=FAR, house=HOUSE, **options):
    """An origin and a server in front of it."""
    with Server({"house": house}) as origin:
        with Server({"g": graph(origin, nodes)}, hosts(origin), **options) as edge:
            yield origin, edge


def disconnect(server):
    """Ends the connections of the servers in front of it."""
    for each in connections(server):
        assert server.request("DELETE", f"/v1/connections/{each['c']}").status == 204


def connections(server):
    """Those of servers in front of it."""
    answer = server.get("/v1/connections").json()
    return [each for each in answer["connections"] if each.get("client") == "sluice"]


def test_s_9_one_chain_from_the_last_listener_to_the_origin():
    """S-1, S-2, S-3, S-9."""
    with tree() as (origin, edge):
        assert "fahrenheit" not in origin.alive("house") and held(edge, "f") == 0
        with listening(edge, "twice") as (peer, _), listening(edge, "f"):
            eventually(lambda: held(edge, "twice") == 40 and held(edge, "f") == 68)
            assert "fahrenheit" in origin.alive("house")
            rev = origin.set("house", "temp", 25)["rev"]
            eventually(lambda: held(edge, "f") == 77)
            # One message of the origin is one commit, which says where it is from.
            update = peer.message()
            while update["d"][0].get("v") != 50:
                update = peer.message()
            assert update["by"] == "source" and update["ctx"]["origin"]["rev"] == rev
            assert update["ctx"]["origin"]["graph"] == "house"
            assert len(connections(origin)) == 1
            (shown,) = open_upstreams(edge)
            assert shown == {"u": shown["u"], "from": origin.url, "nodes": 2, "state": "open"}
        eventually(lambda: connections(origin) == [] and "fahrenheit" not in origin.alive("house"))
        assert held(edge, "x") == 25


def test_s_9_emptiness_failures_and_states_pass():
    """S-4, S-9."""
    with tree() as (origin, edge), listening(edge, "note"), listening(edge, "half"):
        eventually(lambda: failure(edge, "half") == "node_failed")
        eventually(lambda: state(edge, "note") == {})
        origin.set("house", "temp", 25)
        eventually(lambda: held(edge, "half") == 2 and "error" not in state(edge, "half"))
        origin.set("house", "note", {"a": [1]})
        eventually(lambda: held(edge, "note") == {"a": [1]})

        def report(body):
            path = "/v1/graphs/house/nodes/note/load"
            answer = origin.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            assert answer.status == 200, answer

        report({"loading": True, "progress": 0.5})
        eventually(lambda: state(edge, "note").get("progress") == 0.5)
        report({"error": {"code": "sensor_offline", "msg": "asleep"}})
        eventually(lambda: failure(edge, "note") == "sensor_offline")
        assert "loading" not in state(edge, "note") and held(edge, "note") == {"a": [1]}
        report({"notModified": True})
        eventually(lambda: state(edge, "note").keys() == {"t"})
        report({"invalidate": True})
        eventually(lambda: state(edge, "note").get("stale"))
        origin.set("house", "note", 1)
        eventually(lambda: held(edge, "note") == 1 and "stale" not in state(edge, "note"))
        assert origin.batch("house", clear=["note"]).status == 200
        eventually(lambda: edge.get("/v1/graphs/g/nodes/note").status == 204)


def test_s_9_members_and_demand_pass():
    """S-7, S-9: a producer at the origin learns of a listener at the edge, and of its load."""
    with tree() as (origin, edge), RawWebSocket(origin) as producer:
        producer.text({"op": "demand", "id": 1, "graph": "house", "nodes": ["s.*.v"]})
        assert producer.message()["m"] == {}
        with listening(edge, "far.7", load=True):
            wanted = producer.message()["m"]["s.7.v"]
            assert wanted["wanted"] and (wanted.get("load") or producer.message()["m"]["s.7.v"]["load"])
            origin.set("house", "s.7.v", 4)
            eventually(lambda: held(edge, "far.7") == 4)
        while producer.message()["m"]["s.7.v"]["wanted"]:
            pass


def test_s_9_it_goes_on_after_a_break_from_its_cursor():
    """S-5, S-9: what did not change is not sent again, and the origin may be killed."""
    with Server({"house": HOUSE}, keeps=True) as origin:
        with Server({"g": graph(origin, FAR)}, hosts(origin)) as edge, listening(edge, "x") as (peer, _):
            eventually(lambda: held(edge, "x") == 20)
            revs = edge.get("/v1/graphs/g").json()["rev"]
            disconnect(origin)
            eventually(lambda: failure(edge, "x") == "unreachable")
            assert state(edge, "x")["error"]["retryAt"] and held(edge, "x") == 20
            eventually(lambda: "error" not in state(edge, "x"))
            assert edge.get("/v1/graphs/g").json()["rev"] == revs + 2
            origin.kill()
            eventually(lambda: state(edge, "x").get("error"))
            origin.start()
            origin.set("house", "temp", 31)
            eventually(lambda: held(edge, "x") == 31 and "error" not in state(edge, "x"))


def test_s_9_a_stage_with_a_memory_is_kept_over_a_break():
    """S-9, K-1."""
    house = HOUSE + "  sum: { from: temp, pipe: [ { scan: { start: 0, with: acc + value } } ] }\n"
    with tree('  x: { source: { node: "cabin:sum" } }\n', house) as (origin, edge), listening(edge, "x"):
        eventually(lambda: held(edge, "x") == 20)
        for value in (1, 2):
            origin.set("house", "temp", value)
        eventually(lambda: held(edge, "x") == 23)
        disconnect(origin)
        origin.set("house", "temp", 5)
        eventually(lambda: held(edge, "x") == 28)


def test_s_9_what_cannot_be_had_is_named_and_comes_when_it_can():
    """S-4, S-9."""
    nodes = '  x: { source: { node: "cabin:temp" } }\n  gone: { source: { node: "cabin:later" } }\n'
    with tree(nodes) as (origin, edge), listening(edge, "x"), listening(edge, "gone"):
        eventually(lambda: held(edge, "x") == 20)
        eventually(lambda: failure(edge, "gone") == "not_found")
        path = origin.config.parent / "graphs" / "house.yaml"
        path.write_text(path.read_text() + "  later: { set: number, initial: 6 }\n")
        origin.process.send_signal(1)
        eventually(lambda: held(edge, "gone") == 6 and "error" not in state(edge, "gone"))


def test_s_9_a_token_is_shown_and_rights_are_those_of_the_token(tmp_path):
    """S-9, S-10."""
    with Guarded(tmp_path) as origin:
        nodes = '  x: { source: { node: "cabin:doubled" } }\n  no: { source: { node: "cabin:secret" } }\n'
        house = graph(origin, nodes, more=", token: { secret: CABIN }")
        secret = {"SLUICE_SECRET_CABIN": origin.tokens["bob"]}
        with Server({"g": house}, hosts(origin), environment=secret) as edge:
            with listening(edge, "x"), listening(edge, "no"):
                eventually(lambda: held(edge, "x") == 40)
                eventually(lambda: failure(edge, "no") == "not_found")
            assert origin.tokens["bob"] not in edge.log_text() + edge.get("/v1/graphs/g").body.decode()
        wrong = {"SLUICE_SECRET_CABIN": "slu_wrong"}
        with Server({"g": house}, hosts(origin), environment=wrong) as edge, listening(edge, "x"):
            eventually(lambda: failure(edge, "x") in ("forbidden", "status"))


def test_s_9_a_tree_of_servers_has_one_connection_for_each_branch():
    """S-9: an origin, two servers in front of it, and one before each of these."""
    with contextlib.ExitStack() as stack:
        origin = stack.enter_context(Server({"house": HOUSE}))
        middle = [
            stack.enter_context(Server({"house": graph(origin, TEMP)}, hosts(origin))) for _ in range(2)
        ]
        edges = [stack.enter_context(Server({"g": graph(each, X)}, hosts(each))) for each in middle]
        with contextlib.ExitStack() as clients:
            for edge in edges:
                for _ in range(3):
                    clients.enter_context(listening(edge, "x"))
            eventually(lambda: all(held(edge, "x") == 20 for edge in edges))
            assert len(connections(origin)) == 2
            origin.set("house", "temp", 3)
            eventually(lambda: all(held(edge, "x") == 3 for edge in edges))
        eventually(lambda: connections(origin) == [] and all(connections(each) == [] for each in middle))


def test_s_9_a_ring_of_servers_is_refused_and_nothing_is_held():
    """S-9: a ring of three that closes by a new definition while its other parts are open."""
    plain = "nodes: { x: { set: any, initial: 1 } }\n"
    with contextlib.ExitStack() as stack:
        ring = [stack.enter_context(Server({"g": plain})) for _ in range(3)]

        def define(server, text):
            (server.config.parent / "graphs" / "g.yaml").write_text(text)
            server.process.send_signal(1)

        for server in ring:
            server.config.write_text(server.config.read_text() + hosts(*ring))
            server.stop()
            server.start()
        source = '  x: { source: { node: "cabin:x" } }\n'
        define(ring[1], graph(ring[2], source, at="g"))
        with listening(ring[1], "x"):
            eventually(lambda: held(ring[1], "x") == 1)
            define(ring[0], graph(ring[1], source, at="g"))
            with listening(ring[0], "x"):
                eventually(lambda: connections(ring[1]))
                define(ring[2], graph(ring[0], source, at="g"))
                eventually(
                    lambda: any(failure(each, "x") == "cycle" for each in ring)
                )
        eventually(lambda: [len(connections(each)) for each in ring] == [0, 0, 0])


def test_s_9_a_ring_that_opens_everywhere_at_once_is_broken():
    """S-9: then no server has refused a subscription; the news of the ways ends one."""
    with contextlib.ExitStack() as stack:
        ring = [stack.enter_context(Server({"g": "nodes: { x: { set: any } }\n"})) for _ in range(3)]
        for server, above in zip(ring, ring[1:] + ring[:1]):
            server.config.write_text(server.config.read_text() + hosts(*ring))
            text = graph(above, '  x: { source: { node: "cabin:x" } }\n', at="g")
            (server.config.parent / "graphs" / "g.yaml").write_text(text)
            server.stop()
            server.start()
        with contextlib.ExitStack() as clients:
            for server in ring:
                clients.enter_context(listening(server, "x"))
            eventually(lambda: "cycle" in [failure(each, "x") for each in ring])
        eventually(lambda: [len(connections(each)) for each in ring] == [0, 0, 0])


@pytest.mark.parametrize("via, code", [
    ("x", "bad_field"), ([1], "bad_field"), ([{"epoch": "e", "graph": "g"}], "bad_field"),
    ([{"epoch": "e", "graph": "g", "node": "x"}] * 17, "cycle"), ("own", "cycle"),
])
def test_s_9_via_is_checked(via, code):
    """S-9."""
    with Server({"g": "nodes: { x: { set: any, initial: 1 }, y: { from: x } }\n"}) as server:
        with RawWebSocket(server) as peer:
            if via == "own":
                via = [{"epoch": server.get("/v1/graphs/g").json()["epoch"], "graph": "g", "node": "x"}]
            peer.text({"op": "sub", "id": 1, "graph": "g", "node": "y", "via": via})
            assert peer.message()["code"] == code
            good = [{"epoch": "e", "graph": "g", "node": "x"}] * 16
            peer.subscribe("g", "y", id=2, via=good)
            peer.text({"op": "mod", "id": 3, "sub": 2, "via": via})
            assert peer.message()["code"] == code


LIES = [
    {"op": "snap", "id": 2, "epoch": "e", "rev": -5, "v": 1},
    {"op": "upd", "graph": "h", "rev": 2**60, "d": [{"id": 2, "v": 2}, {"id": 99, "v": 3}, {"id": -1}, 7]},
    {"op": "upd", "graph": "h", "rev": 1, "d": [{"id": 2, "v": 4, "state": {"t": -1, "progress": 7}}]},
    {"op": "upd", "rev": "x"}, {"op": "end"}, {"op": 5}, [], [{"op": "hb"}], 7,
    {"op": "upd", "rev": 3, "d": [{"id": 2, "state": {"error": {"code": "No Code", "msg": "m" * 5000}}}]},
]


def test_s_9_another_server_that_lies_harms_nothing():
    """S-9: revs that go back, ids that were never used, fields of other types."""
    service = Service()

    def greet(socket):
        for lie in LIES:
            socket.send(json.dumps(lie))

    service.greet = lambda socket: None
    text = f'upstreams: {{ cabin: {{ sluice: "{service.url}/v1/graphs/h" }} }}\nnodes:\n' + FAR
    with Server({"g": text}, f'sourceHosts: ["127.0.0.1:{service.port}"]\n') as edge, listening(edge, "x"):
        eventually(lambda: any('"sub"' in text for text in service.heard))
        greet(service.sockets[-1])
        eventually(lambda: failure(edge, "x") == "failed")
        assert held(edge, "x") == 4
        assert len(state(edge, "x")["error"]["msg"]) <= 1024
        service.send({"op": "upd", "rev": 9, "d": [{"id": 2, "v": 8}]})
        eventually(lambda: held(edge, "x") == 8 and "error" not in state(edge, "x"))
        # What breaks the protocol ends the connection, and it is made again.
        service.send("{")
        eventually(lambda: failure(edge, "x") == "bad_answer")
        assert held(edge, "x") == 8


def test_an_address_of_no_sluice_is_named(upstream):
    upstream.answer = lambda call: call.reply({}, status=404)
    text = f'upstreams: {{ cabin: {{ sluice: "{upstream.url}/v1/graphs/h" }} }}\nnodes:\n' + FAR
    with Server({"g": text}, f'sourceHosts: ["127.0.0.1:{upstream.port}"]\n') as edge, listening(edge, "x"):
        eventually(lambda: state(edge, "x").get("error", {}).get("status") == 404)


def test_the_servers_of_the_guide():
    """S-9."""
    text = (ROOT / "docs/tree-of-servers.md").read_text()
    cabin, office = re.findall(r"```yaml\n(graph: .*?)```", text, re.S)
    command, answer = re.search(r"(curl .*?)   # (\w+)\n", text).groups()
    with Server({"cabin": cabin}) as origin:
        office = office.replace("127.0.0.1:8080", f"127.0.0.1:{origin.port}")
        with Server({"office": office}, hosts(origin)) as edge:
            run = [BINARY, "set", "cabin/indoor_c", "25", "--url", origin.url]
            assert subprocess.run(run, capture_output=True).returncode == 0
            command = command.replace("127.0.0.1:8081", f"127.0.0.1:{edge.port}")
            assert subprocess.run(["sh", "-c", command], capture_output=True, text=True).stdout == answer
            eventually(lambda: "indoor_f" not in origin.alive("cabin"))


@nginx.needed
def test_sources_work_through_a_real_nginx():
    """S-5, S-9: unchanged answers, a stream of events and a connection to another Sluice."""
    nodes = (
        '  a: { source: { get: "web:/nodes/temp", every: 100ms } }\n'
        '  b: { source: { events: "web:/events?node=temp", event: upd, pick: "value.d[0].v" } }\n'
        '  c: { source: { node: "cabin:fahrenheit" } }\n'
    )
    with Server({"house": HOUSE}) as origin, nginx.Nginx(origin) as proxy:
        text = f'upstreams: {{ web: {{ url: "{proxy.url}/v1/graphs/house" }},\n'
        text += f'  cabin: {{ sluice: "{proxy.url}/v1/graphs/house" }} }}\nnodes:\n{nodes}'
        with Server({"g": text}, hosts(proxy)) as edge, RawWebSocket(edge) as peer:
            for number, node in enumerate("abc", 1):
                peer.text({"op": "sub", "id": number, "graph": "g", "node": node})
            eventually(lambda: held(edge, "a") == 20 and held(edge, "c") == 68)
            eventually(lambda: [each["state"] for each in open_upstreams(edge)].count("open") >= 1)
            eventually(lambda: origin.count("listeners", "house") == 2)
            origin.set("house", "temp", 25)
            eventually(lambda: [held(edge, node) for node in "abc"] == [25, 25, 77])
            unchanged = f'sluice_upstream_unchanged_total{{upstream="{proxy.url}"}}'
            eventually(lambda: edge.metrics()[unchanged] > 2)
            proxy.process.terminate()
            eventually(lambda: [failure(edge, node) for node in "abc"] == ["unreachable"] * 3)
            assert [held(edge, node) for node in "abc"] == [25, 25, 77]


def test_s_9_a_value_for_which_there_is_no_store_comes_when_there_is_one():
    """S-3, S-9: the subscription ends, and another one begins after a pause."""
    with Redis() as redis, Server({"house": HOUSE}) as origin:
        text = graph(origin, X + "  own: { set: any }\n")
        with Instance(redis, {"g": text}, hosts(origin)) as edge, listening(edge, "x"):
            eventually(lambda: held(edge, "x") == 20)
            redis.kill()
            origin.set("house", "temp", 21)
            eventually(lambda: edge.batch("g", set={"own": 1}).status == 503)
            origin.set("house", "temp", 22)
            redis.start()
            eventually(lambda: held(edge, "x") == 22)
            assert len(connections(origin)) == 1
            assert origin.count("listeners", "house") == 1
