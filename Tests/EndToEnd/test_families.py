"""Families of nodes, over real sockets (docs/definitions.md, Families)."""

import json
import re
import subprocess

import pytest
from conftest import Client
from sluice import BINARY, Server, eventually

FLEET = """
graph: fleet
nodes:
  sensor.{id}.celsius: { set: number, min: -60, max: 150, expire: 1s, history: 4 }
  sensor.{id}.hot: { from: "sensor.{id}.celsius", pipe: [ { map: "value > 30" }, distinct ] }
  sensor.{id}.label: { from: "sensor.{id}.celsius", pipe: [ { map: "key.id + '=' + string(value)" } ] }
  note.{room}.{n}: { set: string }
  hall: { from: sensor.hall.celsius }
"""


@pytest.fixture(scope="module")
def fleet():
    with Server({"fleet": FLEET}, "limits: { members: 60 }") as server:
        yield server


@pytest.fixture
def listener(fleet):
    with Client(fleet) as client:
        yield client


def post(server, name, value):
    return server.request("POST", node(name), json.dumps(value), {"Content-Type": "application/json"})


def token(name):
    """A token, and its entry in a file of tokens."""
    made = subprocess.run([BINARY, "token", "--name", name, "--can", "set"], capture_output=True, text=True)
    return re.search(r"token \(shown once\): (\S+)", made.stderr)[1], made.stdout


def names(server, match="*"):
    return [each["name"] for each in server.get(f"/v1/graphs/fleet/nodes?match={match}").json()["nodes"]]


def node(name):
    return f"/v1/graphs/fleet/nodes/{name}"


def test_a_member_is_born_by_its_first_set(fleet):
    """F-1, F-3: looking makes nothing; a set does, and what is made from the member can be read."""
    assert fleet.get(node("sensor.a.hot")).status == 204
    assert fleet.alive("fleet") == set()
    assert post(fleet, "sensor.a.celsius", 31).status == 200
    assert fleet.get(node("sensor.a.hot")).json() is True
    assert fleet.get(node("sensor.a.label")).json() == "a=31"
    assert post(fleet, "sensor.a.celsius", 500).status == 422
    assert post(fleet, "sensor.a.hot", 1).status == 405
    assert post(fleet, "sensor.a", 1).status == 404
    for strange in ("a b", "a*", "a?", "{id}", "%41", "a/b", "é", "a\0", "", "x" * 65):
        assert fleet.batch("fleet", set={f"sensor.{strange}.celsius": 1}).status == 404, strange
    assert names(fleet, "sensor.a.*") == ["sensor.a.celsius", "sensor.a.hot", "sensor.a.label"]
    assert fleet.request("DELETE", node("sensor.a.celsius")).status == 204
    assert fleet.request("DELETE", node("sensor.a.celsius")).status == 404
    answer = fleet.request("DELETE", node("hall"))
    assert (answer.status, answer.json()["code"], answer.headers["Allow"]) == (
        405, "not_mutable", "GET, HEAD, OPTIONS",
    )
    assert names(fleet, "sensor.a.*") == []


def test_dropping_a_declared_mutable_node_says_what_works_instead():
    """F-4: the Allow header has the methods that set the node."""
    with Server({"g": "nodes:\n  x: { set: number }\n"}) as server:
        answer = server.request("DELETE", "/v1/graphs/g/nodes/x")
        assert (answer.status, answer.json()["code"]) == (405, "not_mutable")
        assert answer.headers["Allow"] == "GET, HEAD, POST, PUT, PATCH, OPTIONS"


def test_a_glob_takes_members_as_they_come_and_go(fleet, listener):
    """F-4, F-6: created and released members reach subscriptions to globs; the node's own
    subscription ends."""
    listener.send(op="sub", id=1, graph="fleet", nodes=["note.*"])
    assert listener.receive()["m"] == {}
    listener.send(op="set", graph="fleet", set={"note.hall.1": "x", "note.hall.2": "y"})
    assert listener.receive()["d"] == [{"id": 1, "m": {"note.hall.1": {"v": "x"}, "note.hall.2": {"v": "y"}}}]
    listener.send(op="sub", id=2, graph="fleet", node="note.hall.1")
    assert listener.receive()["v"] == "x"
    listener.send(op="drop", id=3, graph="fleet", nodes=["note.hall.1"])
    messages = [listener.receive() for _ in range(3)]
    assert {"id": 1, "m": {"note.hall.1": {"gone": True}}} in [
        each for message in messages for each in message.get("d", [])
    ]
    assert [(each["op"], each.get("code")) for each in messages if each["op"] != "upd"] == [
        ("end", "node_removed"),
        ("ok", None),
    ]
    listener.send(op="drop", id=4, graph="fleet", nodes=["note.hall.1"])
    assert listener.receive()["code"] == "unknown_node"


def test_the_last_listener_of_an_empty_member_takes_it_along(fleet):
    """F-3: a client that is gone leaves nothing."""
    client = Client(fleet)
    client.send(op="sub", id=1, graph="fleet", node="sensor.z.label")
    assert client.receive()["empty"] is True
    assert fleet.alive("fleet") >= {"sensor.z.label", "sensor.z.celsius"}
    client.close()
    eventually(lambda: fleet.alive("fleet") & {"sensor.z.label", "sensor.z.celsius"} == set())


def test_members_expire(fleet, listener):
    """F-4: what was not set for so long goes, unless somebody reaches it."""
    listener.send(op="sub", id=1, graph="fleet", nodes=["sensor.*.celsius"])
    listener.receive()
    listener.send(op="sub", id=2, graph="fleet", node="sensor.kept.hot")
    listener.receive()
    for name in ("gone", "kept"):
        assert post(fleet, f"sensor.{name}.celsius", 1).status == 200
    eventually(lambda: names(fleet, "sensor.*.celsius") == ["sensor.kept.celsius"])
    seen = []
    while not seen or seen[-1] != {"sensor.gone.celsius": {"gone": True}}:
        seen += [each["m"] for each in listener.receive().get("d", []) if each["id"] == 1]


def test_pages(fleet):
    """F-8: pages in the order of names; each goes on where the one before ended."""
    fleet.batch("fleet", set={f"note.p.{number}": "x" for number in range(20)})
    seen, after = [], ""
    while after is not None:
        page = fleet.get(
            f"/v1/graphs/fleet/nodes?match=note.p.*&limit=7{'&next=' + after if after else ''}"
        ).json()
        seen += [each["name"] for each in page["nodes"]]
        assert all(each["v"] == "x" and each["family"] == "note.{room}.{n}" for each in page["nodes"])
        after = page.get("next")
    assert seen == sorted(f"note.p.{number}" for number in range(20))
    assert fleet.get("/v1/graphs/fleet/nodes?limit=0").status == 400


def test_limits_members(fleet, listener):
    """F-7: one member too many is refused, and nothing is lost."""
    answer = fleet.batch("fleet", set={f"note.q.{number}": "x" for number in range(61)})
    assert (answer.status, answer.json()["code"]) == (413, "too_large")
    assert names(fleet, "note.q.*") == []


def test_one_client_cannot_fill_a_graph(tmp_path):
    """F-7: where clients need tokens, one principal may create half of limits.members; others find room."""
    made = [token(name) for name in ("ann", "bob")]
    (tmp_path / "tokens.yaml").write_text("tokens:\n" + "".join(entry for _, entry in made))
    config = f"auth: {tmp_path / 'tokens.yaml'}\nlimits: {{ members: 9 }}\n"
    with Server({"fleet": FLEET}, config) as server:

        def fill(secret, room, count):
            sets = {f"note.{room}.{number}": "x" for number in range(count)}
            headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
            answer = server.request("POST", "/v1/graphs/fleet/batch", json.dumps({"set": sets}), headers)
            return answer.status, answer.json().get("code")

        (ann, _), (bob, _) = made
        assert fill(ann, "a", 6) == (429, "sub_limit")
        assert fill(ann, "a", 5)[0] == 200
        assert fill(ann, "b", 1) == (429, "sub_limit")
        assert fill(bob, "b", 4)[0] == 200
        assert fill(bob, "c", 1) == (413, "too_large")


def test_a_restart_loses_no_member():
    """F-4: members, and what they hold, come back after kill -9."""
    with Server({"fleet": FLEET.replace("expire: 1s", "expire: 1h")}, keeps=True) as server:
        server.batch("fleet", set={f"sensor.{number}.celsius": number for number in range(30)})
        server.request("DELETE", node("sensor.7.celsius"))
        before = server.get("/v1/graphs/fleet/values?nodes=*").json()["m"]
        server.kill()
        server.start()
        assert server.get("/v1/graphs/fleet/values?nodes=*").json()["m"] == before
        assert "sensor.7.celsius" not in before and len(before) == 29 * 3 + 1


@pytest.mark.parametrize("keeps", [False, True])
def test_the_members_of_a_removed_graph_count_no_longer(keeps):
    """F-7: however often a graph with members is removed and comes back."""
    with Server({"fleet": FLEET}, "limits: { members: 5 }", keeps=keeps) as server:
        text = "graph: y\nnodes: { 'note.{room}.{n}': { set: string } }\n"
        for _ in range(3):
            answer = server.request("PUT", "/v1/graphs/y", text, {"Content-Type": "application/yaml"})
            assert answer.status == 201
            server.batch("y", set={f"note.a.{number}": "x" for number in range(5)})
            assert post(server, "note.a.1", "x").status == 429
            assert server.request("DELETE", "/v1/graphs/y").status == 204
            assert post(server, "note.a.1", "x").status == 200
            assert server.request("DELETE", node("note.a.1")).status == 204
