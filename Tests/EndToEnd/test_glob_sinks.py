"""A sink over a glob sends lists of what became of all nodes that match."""

import json
import subprocess
import threading

import pytest

from redis_server import Instance, Redis
from sluice import BINARY, PATIENCE, Server, eventually
from test_sinks import Receiver, receiver, sinks  # noqa: F401

pytestmark = pytest.mark.long

NODES = """
nodes:
  s.{id}: { set: number }
  d.{id}: { from: "s.{id}", pipe: [ { map: "10 / value" } ] }
  other: { set: number, initial: 1 }
"""


def definition(receiver, lines, nodes=NODES):  # noqa: F811
    return f"{nodes}\nsinks:\n" + lines.replace("HOST", f"http://127.0.0.1:{receiver.port}")


def serve(receiver, lines, config="", nodes=NODES, **options):  # noqa: F811
    hosts = f'sinkHosts: ["127.0.0.1:{receiver.port}"]\n'
    return Server({"g": definition(receiver, lines, nodes)}, config=hosts + config, **options)


def entries(receiver, path="/"):  # noqa: F811
    """What the receiver was told, in order: (node, what)."""
    told = []
    for request in list(receiver.requests):
        if request.path != path:
            continue
        for entry in json.loads(request.body)["d"]:
            what = {key: value for key, value in entry.items() if key not in ("node", "rev", "t", "epoch")}
            told.append((entry["node"], what))
    return told


def mirror(receiver, path="/"):  # noqa: F811
    """What a receiver has that keeps the newest of each node."""
    kept = {}
    for node, what in entries(receiver, path):
        if "gone" in what:
            kept.pop(node, None)
        else:
            kept[node] = what.get("v", "empty" if "empty" in what else "fail")
    return kept


def test_a_list_says_what_became_of_each_member(receiver):  # noqa: F811
    with serve(receiver, '  s: { from: "s.*", url: HOST/ }\n  d: { from: "d.*", url: HOST/d, secret: HOOK }',
               environment={"SLUICE_SECRET_HOOK": "s3cret"}) as server:
        assert server.batch("g", set={"s.a": 1, "s.b": 2}).status == 200
        eventually(lambda: mirror(receiver) == {"s.a": 1, "s.b": 2})
        eventually(lambda: mirror(receiver, "/d") == {"d.a": 10, "d.b": 5})
        rev = server.get("/v1/graphs/g").json()["rev"]
        epoch = server.get("/v1/graphs/g").json()["epoch"]
        first = next(each for each in receiver.requests if each.path == "/")
        body = json.loads(first.body)
        assert (body["graph"], body["epoch"]) == ("g", epoch) and body["d"][0].keys() == {
            "node", "rev", "t", "v",
        }
        assert first.headers["Content-Type"] == "application/json" and first.headers["Sluice-Node"] == "s.*"
        assert first.headers["Sluice-Rev"] == str(rev) == str(body["d"][0]["rev"])
        assert next(each for each in receiver.requests if each.path == "/d").headers["Sluice-Signature"]
        # A failure, an equal value, a member that joins, one that is dropped.
        server.set("g", "s.a", 0)
        server.set("g", "s.b", 2)
        server.set("g", "s.c", 3)
        eventually(lambda: mirror(receiver) == {"s.a": 0, "s.b": 2, "s.c": 3})
        eventually(lambda: mirror(receiver, "/d")["d.a"] == "fail")
        assert [entry for entry in entries(receiver) if entry[0] == "s.b"] == [("s.b", {"v": 2})]
        assert server.request("DELETE", "/v1/graphs/g/nodes/s.b").status in (200, 204)
        eventually(lambda: mirror(receiver) == {"s.a": 0, "s.c": 3})
        eventually(lambda: "d.b" not in mirror(receiver, "/d"))
        assert entries(receiver)[-1] == ("s.b", {"gone": True})
        state = sinks(server)["s"]
        assert (state["from"], state["sent"], state["dropped"]) == ("s.*", len(entries(receiver)), 0)
        assert server.metrics()['sluice_sink_sent_total{graph="g",sink="s"}'] == len(entries(receiver))
        # It is a listener, of the derived members too.
        listeners = server.get("/v1/graphs/g/listeners").json()["listeners"]
        assert {each["client"] for each in listeners} == {"sink s", "sink d"}
        ways = server.get("/v1/graphs/g/nodes/d.c/why").json()["ways"]
        assert [way["client"] for way in ways if way["by"] == "listener"] == ["sink d"]


def test_declared_nodes_come_and_go_with_the_definition(receiver):  # noqa: F811
    nodes = 'nodes: { x.a: { set: number, initial: 1 }, x.b: { set: number }, y: { set: number } }'
    with serve(receiver, '  s: { from: "x.*", url: HOST/ }', nodes=nodes) as server:
        eventually(lambda: mirror(receiver) == {"x.a": 1, "x.b": "empty"})
        changed = 'nodes: { x.b: { set: number }, x.c: { set: number, initial: 3 }, y: { set: number } }'
        (server.config.parent / "graphs" / "g.yaml").write_text(
            definition(receiver, '  s: { from: "x.*", url: HOST/ }', changed))
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: mirror(receiver) == {"x.b": "empty", "x.c": 3})
        server.set("g", "x.b", 2)
        server.request("DELETE", "/v1/graphs/g/nodes/x.c/value")
        eventually(lambda: mirror(receiver) == {"x.b": 2, "x.c": "empty"})
        assert entries(receiver)[:2] == [("x.a", {"v": 1}), ("x.b", {"empty": True})]


def test_latest_leaves_out_what_is_overtaken_and_all_sends_everything_in_order(receiver):  # noqa: F811
    gate = threading.Event()
    receiver.answer = lambda handler: (gate.wait(PATIENCE), handler.reply(200))
    lines = """
  l: { from: "s.*", url: HOST/l }
  r: { from: "s.*", url: HOST/r, repeats: true }
  a: { from: "s.*", url: HOST/a, mode: all }
"""
    with serve(receiver, lines) as server:
        server.set("g", "s.first", 0)
        eventually(lambda: len(receiver.requests) == 3)
        for value in range(20):
            for name in "ab":
                server.set("g", f"s.{name}", value)
        server.request("DELETE", "/v1/graphs/g/nodes/s.a")
        server.set("g", "s.first", 0)
        # A member that has come and gone meanwhile: only mode all has it.
        server.set("g", "s.brief", 1)
        server.request("DELETE", "/v1/graphs/g/nodes/s.brief")
        assert len(receiver.requests) == 3, "one request of each sink is on its way"
        gate.set()
        expected = [(f"s.{name}", {"v": value}) for value in range(20) for name in "ab"]
        everything = [("s.first", {"v": 0}), *expected, ("s.a", {"gone": True}), ("s.first", {"v": 0}),
                      ("s.brief", {"v": 1}), ("s.brief", {"gone": True})]
        eventually(lambda: entries(receiver, "/a") == everything)
        eventually(lambda: sorted(entries(receiver, "/l")) == [("s.b", {"v": 19}), ("s.first", {"v": 0})])
        eventually(
            lambda: (
                [each for each in entries(receiver, "/r") if each[0] == "s.first"]
                == 2 * [("s.first", {"v": 0})]
            )
        )
        revs = [
            entry["rev"]
            for each in receiver.requests
            if each.path == "/a"
            for entry in json.loads(each.body)["d"]
        ]
        assert revs == sorted(revs)


@pytest.mark.parametrize("mode", ["latest", "all"])
def test_lists_are_short_and_bounded(receiver, mode):  # noqa: F811
    gate = threading.Event()
    receiver.answer = lambda handler: (gate.wait(PATIENCE), handler.reply(200))
    limits = (
        "# fixed: limits.sinkEntries=10\n# fixed: limits.sinkBytes=2KiB\n# fixed: limits.sinkQueue=20KiB\n"
    )
    nodes = NODES.replace("set: number }", "set: any }", 1)
    with serve(receiver, f'  s: {{ from: "s.*", url: HOST/, mode: {mode} }}', limits, nodes) as server:
        server.set("g", "s.a", 0)
        eventually(lambda: len(receiver.requests) == 1)
        for number in range(100):
            server.set("g", f"s.n{number:02}", number if number < 50 else "x" * 600)
        gate.set()
        eventually(lambda: sinks(server)["s"]["waiting"] == 0)
        sizes = [(len(json.loads(each.body)["d"]), len(each.body)) for each in receiver.requests]
        assert max(count for count, _ in sizes) <= 10 and max(size for _, size in sizes) <= 2048
        dropped = sinks(server)["s"]["dropped"]
        assert len(entries(receiver)) == 101 - dropped
        if mode == "latest":
            assert dropped == 0 and len(mirror(receiver)) == 101
        else:
            assert 60 < dropped < 75 and server.log_text().count("a sink drops values") == 1


def test_a_failed_list_is_tried_again_with_the_newest_values(receiver):  # noqa: F811
    statuses = [500]
    receiver.answer = lambda handler: handler.reply(statuses.pop() if statuses else 204)
    with serve(receiver, '  l: { from: "s.*", url: HOST/ }') as server:
        server.set("g", "s.a", 1)
        eventually(lambda: sinks(server)["l"]["failed"] == 1)
        server.set("g", "s.a", 2)
        server.set("g", "s.b", 3)
        eventually(lambda: mirror(receiver) == {"s.a": 2, "s.b": 3})
        state = sinks(server)["l"]
        assert (state["failed"], state["retried"], state["dropped"], state["sent"]) == (1, 1, 0, 2), state


def test_mode_all_repeats_a_failed_list_under_its_key(receiver):  # noqa: F811
    statuses = [500]
    receiver.answer = lambda handler: handler.reply(statuses.pop() if statuses else 204)
    with serve(receiver, '  a: { from: "s.*", url: HOST/, mode: all }') as server:
        server.set("g", "s.a", 1)
        eventually(lambda: sinks(server)["a"]["failed"] == 1)
        server.set("g", "s.a", 2)
        eventually(lambda: entries(receiver) == [("s.a", {"v": 1}), ("s.a", {"v": 1}), ("s.a", {"v": 2})])
        keys = [each.headers["Idempotency-Key"] for each in receiver.requests]
        assert keys[0] == keys[1] != keys[2]


def test_a_refused_list_is_tried_again_in_mode_latest(receiver):  # noqa: F811
    receiver.answer = lambda handler: handler.reply(401)
    lines = '  l: { from: "s.*", url: HOST/l }\n  a: { from: "s.*", url: HOST/a, mode: all }'
    with serve(receiver, lines) as server:
        assert server.batch("g", set={"s.a": 1, "s.b": 2}).status == 200
        eventually(lambda: sinks(server)["a"]["dropped"] == 2 and sinks(server)["l"]["dropped"] == 2)
        # The receiver never had it: nothing is said about its end.
        server.request("DELETE", "/v1/graphs/g/nodes/s.b")
        receiver.answer = lambda handler: handler.reply(204)
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: sinks(server)["l"]["sent"] == 1)
        assert entries(receiver, "/l")[-1] == ("s.a", {"v": 1})
        assert ("s.b", {"gone": True}) not in entries(receiver, "/l")


def test_a_restart_sends_everything_again(receiver, tmp_path):  # noqa: F811
    lines = '  l: { from: "s.*", url: HOST/l }\n  a: { from: "s.*", url: HOST/a, mode: all }'
    data = f"dataDir: {tmp_path}/data\n"
    with serve(receiver, lines, data) as server:
        for number in range(3):
            server.set("g", f"s.{number}", number)
        eventually(lambda: len(entries(receiver, "/a")) == 3)
        eventually(lambda: mirror(receiver, "/l") == {f"s.{number}": number for number in range(3)})
        first = {
            (entry["node"], entry["rev"], entry["t"])
            for each in receiver.requests
            for entry in json.loads(each.body)["d"]
        }
        epoch = json.loads(receiver.requests[0].body)["epoch"]
        server.stop()
    receiver.requests.clear()
    with serve(receiver, lines, data) as server:
        eventually(lambda: mirror(receiver, "/l") == {f"s.{number}": number for number in range(3)})
        again = [entry for each in receiver.requests for entry in json.loads(each.body)["d"]]
        assert {(entry["node"], entry["rev"], entry["t"]) for entry in again} == first
        assert {entry["epoch"] for entry in again} == {epoch}, "the epoch in which it was set"
        server.set("g", "s.1", 7)
        eventually(lambda: entries(receiver, "/a") == [("s.1", {"v": 7})])
        # What the earlier run may have sent is said to be gone.
        server.request("DELETE", "/v1/graphs/g/nodes/s.2")
        eventually(lambda: "s.2" not in mirror(receiver, "/l"))


def test_another_server_takes_over(receiver):  # noqa: F811
    graph = definition(receiver, '  s: { from: "s.*", url: HOST/ }')
    config = f'sinkHosts: ["127.0.0.1:{receiver.port}"]\n'
    with Redis() as redis, Instance(redis, {"g": graph}, config=config) as one:
        with Instance(redis, {"g": graph}, config=config) as other:
            for number in range(6):
                (one if number % 2 else other).set("g", f"s.{number % 3}", number)
            eventually(lambda: mirror(receiver) == {"s.0": 3, "s.1": 4, "s.2": 5})
            leader, follower = (one, other) if one.metrics()["sluice_log_leading"] == 1 else (other, one)
            leader.kill()
            follower.set("g", "s.0", 6)
            eventually(lambda: mirror(receiver) == {"s.0": 6, "s.1": 4, "s.2": 5}, what="the other server")


def test_sigterm_sends_what_waits(receiver):  # noqa: F811
    receiver.answer = lambda handler: (threading.Event().wait(0.2), handler.reply(200))
    limits = "# fixed: limits.sinkEntries=2\n"
    with serve(receiver, '  a: { from: "s.*", url: HOST/, mode: all }', limits) as server:
        for value in range(7):
            server.set("g", "s.a", value)
        assert server.stop() == 0
        assert [what["v"] for _, what in entries(receiver)] == list(range(7))


def test_derived_members_without_room_are_left_out(receiver):  # noqa: F811
    config = f'limits:\n  members: 6\nsinkHosts: ["127.0.0.1:{receiver.port}"]\n'
    with Server({"g": NODES}, config=config) as server:
        for name in "abcd":
            server.set("g", f"s.{name}", 1)
        graph = definition(receiver, '  d: { from: "d.*", url: HOST/ }')
        (server.config.parent / "graphs" / "g.yaml").write_text(graph)
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: mirror(receiver) == {"d.a": 10, "d.b": 10})
        assert sinks(server)["d"]["more"] == 2 and "leaves nodes out" in server.log_text()
        server.request("DELETE", "/v1/graphs/g/nodes/s.a")
        eventually(lambda: mirror(receiver) == {"d.b": 10, "d.c": 10})


@pytest.mark.parametrize("sink, place, message", [
    ('{ from: "y.*", url: "http://a/" }', "5:14", "'y.*' matches no node and no family"),
    ('{ from: "x/*", url: "http://a/" }', "5:14", "'x/*' matches no name of a node"),
    ('{ from: "x.{id}", url: "http://a/" }', "5:14", "'x.{id}' names a family"),
    ('{ from: "x.*", url: "http://a/", queue: 3 }', "5:46", "'queue' is for mode all"),
    ('{ from: "x.*", url: "http://a/", mode: all, queue: 100001 }', "5:57", "queue must be"),
    ('{ from: x.a, url: "http://a/", mode: all, queue: 10001 }', "5:55", "queue must be"),
])
def test_check_says_what_is_wrong(tmp_path, sink, place, message):
    file = tmp_path / "g.yaml"
    file.write_text(f"graph: g\nnodes:\n  x.{{id}}: {{ set: number }}\nsinks:\n  s: {sink}\n")
    result = subprocess.run([BINARY, "check", file], capture_output=True, text=True)
    assert result.returncode == 1
    assert f"g.yaml:{place}: {message}" in result.stderr, result.stderr


def test_a_graph_has_at_most_sixteen_of_them(tmp_path):
    file = tmp_path / "g.yaml"
    lines = "".join(f'  s{number}: {{ from: "x*", url: "http://a/" }}\n' for number in range(17))
    file.write_text(f"graph: g\nnodes:\n  x: {{ set: number }}\nsinks:\n{lines}")
    result = subprocess.run([BINARY, "check", file], capture_output=True, text=True)
    assert result.returncode == 1 and "a graph has at most 16 sinks over globs" in result.stderr
