"""A graph file with everything in it: each of its nodes, its sync, its link and its rules, over the wire."""

import json
import pathlib
import re
import subprocess

import pytest
from conftest import Client
from sluice import BINARY, Server, eventually

FULL = (pathlib.Path(__file__).parent / "graphs/house-full.yaml").read_text()
# The same without rules, so that tests need no tokens; and with a short `ttl`.
OPEN = FULL[:FULL.index("access:")].replace("ttl: 30s", "ttl: 300ms")


@pytest.fixture
def house():
    with Server({"house": OPEN}) as running:
        yield running


@pytest.fixture
def watcher(house):
    with Client(house) as connected:
        yield connected


def read(server, node):
    """The value of a node; `None` for JSON null too, "empty" or the code of a failure in brackets."""
    answer = server.get(f"/v1/graphs/house/values?nodes={node}").json()["m"][node]
    if answer.get("empty"):
        return "empty"
    return [answer["fail"]["code"]] if "fail" in answer else answer["v"]


def watch(client, node):
    """Subscribes to every value of a node; the snapshot's value."""
    snap = client.ask(op="sub", graph="house", node=node, mode="all")
    return snap.get("v", "empty" if snap.get("empty") else snap.get("fail"))


def updates(client):
    """The values of the next message, in order."""
    return [
        entry.get("v", "empty" if entry.get("empty") else entry.get("fail"))
        for entry in client.receive()["d"]
    ]


def test_definitions_at_a_log_are_counted_once():
    """Each waits for the thread that reads it, and then for the log; a turn's count of requests was
    negative."""
    with Server({}, keeps=True) as server:
        for number in range(3):
            answer = server.request(
                "PUT", "/v1/graphs/p", json.dumps({"nodes": {"x": {"set": "number", "initial": number}}})
            )
            assert answer.status in (200, 201), answer
        assert server.metrics()["sluice_http_request_seconds_count"] == 3


def test_the_file_is_right():
    file = pathlib.Path(__file__).parent / "graphs/house-full.yaml"
    subprocess.run([BINARY, "check", file], check=True)


def test_outdoor_c_has_bounds(house):
    assert read(house, "outdoor_c") == "empty"
    house.set("house", "outdoor_c", -60)
    answer = house.request("POST", "/v1/graphs/house/nodes/outdoor_c", "60.5")
    assert answer.status == 422 and answer.json()["code"] == "type_mismatch"
    assert read(house, "outdoor_c") == -60


def test_indoor_c_has_a_history(house):
    for value in (20.5, 21):
        house.set("house", "indoor_c", value)
    entries = house.get("/v1/graphs/house/nodes/indoor_c/history").json()["d"]
    assert [entry["v"] for entry in entries] == [20, 20.5, 21]


def test_humidity_is_empty_when_not_renewed(house, watcher):
    assert watch(watcher, "humidity") == "empty"
    rev = house.set("house", "humidity", 40)["rev"]
    assert updates(watcher) == [40]
    message = watcher.receive()
    assert message["d"] == [{"id": 1, "empty": True}]
    assert message["rev"] == rev + 1, "the end of a value is a commit of its own"


def test_mode_is_set_with_a_condition(house):
    address = "/v1/graphs/house/nodes/mode"
    assert house.request("POST", address, '"eco"').status == 428
    etag = house.get(address).headers["ETag"]
    assert house.request("POST", address, '"eco"', {"If-Match": etag}).status == 200
    assert house.request("POST", address, '"off"', {"If-Match": etag}).status == 412
    etag = house.get(address).headers["ETag"]
    assert house.request("POST", address, '"on"', {"If-Match": etag}).status == 422
    assert read(house, "mode") == "eco"


def test_indoor_f_is_computed(house):
    assert read(house, "indoor_f") == 68
    house.set("house", "indoor_c", 21.4)
    assert read(house, "indoor_f") == 71


def test_warm_only_lets_through_what_is_warm_and_new(house, watcher):
    assert watch(watcher, "warm_only") == "empty"
    seen = []
    for value in (-3, 5, 5.0, -1, 7):
        house.set("house", "outdoor_c", value)
    seen += updates(watcher) + updates(watcher)
    assert seen == [5, 7]
    assert read(house, "warm_only") == 7


def test_climate_waits_for_all_of_its_inputs(house):
    assert read(house, "climate") == "empty"
    house.set("house", "outdoor_c", 5)
    assert read(house, "climate") == "empty"
    house.batch("house", set={"humidity": 80, "indoor_c": 17})
    assert read(house, "climate") == {"delta": 12, "alarm": True}
    eventually(lambda: read(house, "climate") == "empty", what="emptiness with humidity's end")


def test_pairs_are_the_first_values_then_the_second(house, watcher):
    assert watch(watcher, "pairs") == "empty"
    house.set("house", "indoor_c", 21)
    house.set("house", "humidity", 40)
    assert updates(watcher) == [[20, 40]]
    house.set("house", "humidity", 41)
    assert updates(watcher) == [[21, 41]]
    eventually(lambda: read(house, "humidity") == "empty")
    assert read(house, "pairs") == [21, 41], "emptiness takes nothing back"


def test_any_temp_has_what_came_last_and_what_comes_over_the_link(house, watcher):
    assert watch(watcher, "any_temp") == 20.1
    house.set("house", "indoor_c", 22)
    house.set("house", "outdoor_c", 3)
    seen = []
    while 3 not in seen:
        seen += updates(watcher)
    assert seen == [22, 22.1, 3]


def test_daily_max_keeps_the_largest(house, watcher):
    assert watch(watcher, "daily_max") == 20
    for value in (18, 23, 22):
        house.set("house", "indoor_c", value)
    assert read(house, "daily_max") == 23


def test_minute_avg_is_the_mean_of_what_came(house):
    for value in (22, 24):
        house.set("house", "indoor_c", value)
    assert read(house, "minute_avg") == 22


def test_display_shows_what_the_mode_chooses(house, watcher):
    assert watch(watcher, "display") == "empty"
    house.batch("house", set={"outdoor_c": 10, "humidity": 30})
    assert updates(watcher) == [{"delta": 10, "alarm": False}]

    def choose(mode):
        address = "/v1/graphs/house/nodes/mode"
        etag = house.get(address).headers["ETag"]
        assert house.request("POST", address, json.dumps(mode), {"If-Match": etag}).status == 200

    choose("eco")
    assert read(house, "display") == 20
    choose("off")
    assert read(house, "display") == 68


def test_speech_alice_and_unsigned_sort_notes_by_who(house):
    assert [read(house, node) for node in ("speech", "alice", "unsigned")] == ["empty"] * 3
    house.set("house", "note", {"who": "alice", "text": "hello"})
    assert read(house, "speech") == {"key": "alice", "value": "hello"}
    assert [read(house, node) for node in ("alice", "unsigned")] == ["hello", "empty"]
    house.set("house", "note", {"text": "whoever"})
    assert [read(house, node) for node in ("alice", "unsigned")] == ["hello", "whoever"]
    house.set("house", "note", {"who": "bob", "text": "hi"})
    assert [read(house, node) for node in ("alice", "unsigned")] == ["hello", "whoever"]
    house.set("house", "note", 7)
    assert [read(house, node) for node in ("speech", "alice", "unsigned")] == [["expr_type"]] * 3
    assert house.batch("house", clear=["note"]).status == 200
    assert [read(house, node) for node in ("speech", "alice", "unsigned")] == ["empty"] * 3


def test_others_has_the_keys_that_are_not_excluded(house, watcher):
    assert watch(watcher, "others") == "empty"
    for value in ({"who": "alice", "text": "hello"}, {"text": "unsigned"}, {"who": "bob", "text": "hi"}):
        house.set("house", "note", value)
    assert updates(watcher) == ["hi"]
    assert read(house, "others") == "hi"
    house.set("house", "note", 7)
    assert [fail["code"] for fail in updates(watcher)] == ["expr_type"]
    assert house.batch("house", clear=["note"]).status == 200
    assert updates(watcher) == ["empty"]


def test_otherwise_is_a_source_of_subscriptions_and_of_eval(house, watcher):
    rest = {"of": "speech", "excluding": ["alice"]}
    snap = watcher.ask(op="sub", graph="house", otherwise=rest, pipe=[{"map": "value + '!'"}])
    assert snap["empty"]
    house.set("house", "note", {"who": "alice", "text": "hello"})
    house.set("house", "note", {"who": "bob", "text": "hi"})
    assert updates(watcher) == ["hi!"]
    # A value without a key is not excluded.
    house.set("house", "note", {"text": "unsigned"})
    assert updates(watcher) == ["unsigned!"]
    answer = house.request("POST", "/v1/graphs/house/eval", json.dumps({"otherwise": rest}))
    assert answer.status == 200 and answer.json()["v"] == "unsigned"
    answer = watcher.ask(op="sub", graph="house", otherwise={"of": "speech", "excluding": "alice"})
    assert answer["code"] == "bad_field" and "a list of 1 to 1000 keys" in answer["msg"], answer


def test_the_setpoints_follow_each_other_both_ways(house, watcher):
    assert watch(watcher, "setpoint_c") == 21
    assert watch(watcher, "setpoint_f") == 69.8
    house.set("house", "setpoint_c", 100)
    assert watcher.receive()["d"] == [{"id": 1, "v": 100}, {"id": 2, "v": 212}]
    house.set("house", "setpoint_f", 32)
    assert sorted((entry["id"], entry["v"]) for entry in watcher.receive()["d"]) == [(1, 0), (2, 32)]
    assert house.batch("house", clear=["setpoint_c"]).status == 200
    assert read(house, "setpoint_f") == "empty"


def test_explain_shows_what_a_sync_did_not_deliver():
    text = (
        "nodes:\n  c: { set: number, initial: 0 }\n  f: { set: number, max: 212 }\nsync: [{ a: c, b: f, "
        "to_b: value * 9 / 5 + 32, to_a: (value - 32) * 5 / 9 }]\n"
    )
    with Server({"house": text}) as server:
        server.set("house", "c", 200)
        assert (read(server, "c"), read(server, "f")) == (200, 32)
        explained = server.get("/v1/graphs/house/nodes/f/explain").json()["nodes"][0]
        [link] = explained["links"]
        assert (link["op"], link["from"], link["label"]) == ("sync", "c", "value * 9 / 5 + 32")
        assert link["fail"] == {"code": "type_mismatch", "at": "sync/0/to_b", "msg": "must be at most 212"}


def test_the_picture_shows_sync_and_link(house):
    picture = house.get("/v1/graphs/house/graph?live=1").json()
    number = {node["name"]: node["n"] for node in picture["nodes"] if "name" in node and "n" in node}
    edges = {(edge["from"], edge["to"]): edge for edge in picture["edges"]}
    there, back = (edges[number[a], number[b]] for a, b in
                   (("setpoint_f", "setpoint_c"), ("setpoint_c", "setpoint_f")))
    assert [edge.get("feedback", False) for edge in (there, back)] == [False, True]
    inner = next(node for node in picture["nodes"] if node.get("label") == "value + 0.1")
    assert (inner["n"], number["any_temp"]) in edges and (number["indoor_c"], inner["n"]) in edges
    for form in ("dot", "mermaid"):
        text = house.get(f"/v1/graphs/house/graph?format={form}&live=1").body.decode()
        assert "setpoint_f" in text and "value + 0.1" in text


def test_a_circle_of_links_is_gone_round_once_and_drawn_as_feedback():
    text = """
nodes:
  x: { set: number }
  double: { from: x, pipe: [ { map: value * 2 } ] }
  y: { set: number }
links:
  - { from: double, to: y }
  - { from: y, to: x, pipe: [ { map: value + 1 } ] }
"""
    with Server({"house": text}) as server:
        server.set("house", "x", 5)
        assert [read(server, node) for node in ("x", "double", "y")] == [5, 10, 10]
        server.set("house", "y", 20)
        assert [read(server, node) for node in ("y", "x", "double")] == [20, 21, 42]
        edges = server.get("/v1/graphs/house/graph?live=1").json()["edges"]
        assert sum(edge.get("feedback", False) for edge in edges) == 1


def test_the_two_roles_may_what_the_file_says(tmp_path):
    tokens, entries = {}, "tokens:\n"
    for name, role, rights in (("olga", "owner", ["read", "pipe", "set", "observe"]),
                               ("victor", "viewer", ["read", "pipe", "set", "observe"]),
                               ("nobody", "guest", ["read", "pipe", "set", "observe"])):
        grants = [part for right in rights for part in ("--can", right)]
        ran = subprocess.run(
            [BINARY, "token", "--name", name, "--role", role, *grants], capture_output=True, text=True
        )
        assert ran.returncode == 0, ran
        tokens[name] = re.search(r"token \(shown once\): (\S+)", ran.stderr)[1]
        entries += ran.stdout
    (tmp_path / "tokens.yaml").write_text(entries)
    with Server({"house": FULL}, f"auth: {tmp_path}/tokens.yaml\n") as server:
        def ask(name, method, path, body=None):
            return server.request(
                method, f"/v1/graphs/house{path}", body, {"Authorization": f"Bearer {tokens[name]}"}
            )

        for node in ("indoor_f", "pairs", "alice", "setpoint_f"):
            # A node that is empty is there all the same.
            assert [ask(name, "GET", f"/values?nodes={node}").status for name in tokens] == [200, 200, 404]
        assert [ask(name, "POST", "/nodes/setpoint_c", "25").status for name in tokens] == [200, 403, 404]
        assert ask("victor", "GET", "/nodes/setpoint_f").json() == 77
        for body in ('{"zip":["indoor_c","indoor_f"]}', '{"case":{"of":"speech","key":"alice"}}',
                     '{"otherwise":{"of":"speech","excluding":["alice"]}}'):
            assert [ask(name, "POST", "/eval", body).status for name in tokens] == [200, 200, 404]
        assert [ask(name, "GET", "/graph?live=1").status for name in tokens] == [200, 403, 404]


def test_limits_of_operators_are_configured():
    text = (
        "nodes:\n  a: { set: number }\n  b: { set: number }\n  late: { from: a, pipe: [ { delay: 1h } ] }\n"
        "  rows: { zip: [a, b] }\n  newest: { from: a, pipe: [ { window: { last: 1h, of: count } } ] }\n"
    )
    limits = "# fixed: limits.zipBuffer=2 limits.delayed=2 limits.windowValues=3 limits.switchKeys=1\n"
    with Server({"house": text}, limits) as server:
        for value in range(5):
            server.set("house", "a", value)
        assert read(server, "late") == 2, "the oldest leave early"
        assert read(server, "rows") == ["overflow"]
        assert read(server, "newest") == 3
        server.set("house", "b", 0)
        assert read(server, "rows") == [3, 0]
        with Client(server) as client:
            answer = client.ask(
                op="sub", graph="house", node="a", pipe=[{"window": {"count": 4, "of": "avg"}}]
            )
            assert answer["code"] == "bad_field" and "1 to 3" in answer["msg"]
    for text, said in (
        ("  a: { zip: [x, x], buffer: 3 }\n", "1 to 2"),
        (
            "  s: { switch: { from: x, by: value } }\n  a: { case: { of: s, key: 1 } }\n  b: { default: { "
            "of: s } }\n", "at most 1 cases",
        ),
        (
            "  s: { switch: { from: x, by: value } }\n  a: { case: { of: s, key: 1 } }\n  b: { otherwise: "
            "{ of: s, excluding: [1] } }\n", "at most 1 cases",
        ),
    ):
        with pytest.raises(AssertionError, match=said):
            Server({"house": "nodes:\n  x: { set: any }\n" + text}, limits, arguments=["--strict"])


def test_a_schema_judges_what_is_set():
    text = """
nodes:
  order:
    set: object
    schema:
      required: [id]
      additionalProperties: false
      properties: { id: { pattern: "^[a-z]+$" }, lines: { type: array, items: { type: integer, minimum: 1 } } }
"""
    with Server({"house": text}) as server:
        server.set("house", "order", {"id": "abc", "lines": [1, 2.0]})
        for value, said in (
            ({}, "must have 'id'"),
            ({"id": "A"}, "must match ^[a-z]+$ at /id"),
            ({"id": "a", "lines": [1, 0]}, "must be at least 1 at /lines/1"),
            ({"id": "a", "secret": 1}, "must not have members other than those of the schema"),
            ([], "must be an object"),
        ):
            answer = server.request("POST", "/v1/graphs/house/nodes/order", json.dumps(value))
            assert answer.status == 422 and answer.json()["code"] == "type_mismatch"
            assert answer.json()["detail"] == said
        assert read(server, "order") == {"id": "abc", "lines": [1, 2.0]}


def test_the_picture_of_a_file_has_an_edge_for_everything_a_node_is_made_from():
    file = pathlib.Path(__file__).parent / "graphs/house-full.yaml"
    drawn = subprocess.run([BINARY, "graph", file, "--format", "json"], capture_output=True, check=True)
    picture = json.loads(drawn.stdout)
    names = {node["n"]: node["name"] for node in picture["nodes"] if "n" in node}
    edges = {(names[edge["from"]], names[edge["to"]]) for edge in picture["edges"]}
    for node in picture["nodes"]:
        if node.get("exists") is False or node.get("op") == "flatten":
            continue
        assert {(source, node["name"]) for source in node.get("inputs", [])} <= edges, node["name"]
    assert {("setpoint_c", "setpoint_f"), ("setpoint_f", "setpoint_c"), ("mode", "display")} <= edges
