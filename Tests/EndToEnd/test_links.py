"""Links that clients make, over real sockets (docs/protocol.md, Links; X-10)."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from access import can, tell
from conftest import Client
from rawsocket import RawWebSocket
from redis_server import Instance, Redis
from several import same
from sluice import PATIENCE, Server, eventually

GRAPH = """
graph: g
nodes:
  a: { set: number }
  b: { set: number, max: 1000 }
  c: { set: number }
  d: { set: number }
  strict: { set: number, requireIfMatch: true }
  room.{r}: { set: number }
  twice: { from: a, pipe: [ { map: "value * 2" } ] }
  late: { from: b, pipe: [ { debounce: 50 } ], retain: whileInUse }
"""
RING = (("a", "b"), ("b", "c"), ("c", "a"))


@pytest.fixture
def linked():
    with Server({"g": GRAPH}, "limits: { subs: 40 }") as server:
        yield server


@pytest.fixture
def links(linked):
    with Client(linked) as client:
        yield client


def link(client, id, source, target, **given):
    client.send(op="link", id=id, graph="g", **{"from": source}, to=target, **given)
    return client.receive()


def sync(client, id, a, b, **given):
    client.send(op="sync", id=id, graph="g", a=a, b=b, **given)
    return client.receive()


def has(server, nodes, wanted):
    """Waits until the nodes hold these values; None: a node is empty."""
    def held(node):
        answer = server.get(f"/v1/graphs/g/nodes/{node}")
        return answer.json() if answer.status == 200 else None

    eventually(lambda: [held(node) for node in nodes] == wanted, what=f"{nodes} are {wanted}")


def rev(server):
    return server.get("/v1/graphs/g").json()["rev"]


def links_of(picture):
    """The links of clients in a picture, by names."""
    names = {node["n"]: node.get("name") for node in picture["nodes"] if "n" in node}
    return sorted(
        (names[edge["from"]], names[edge["to"]], *edge["owners"])
        for edge in picture["edges"] if "owners" in edge
    )


def test_a_ring_of_links_stops_where_the_value_began_and_one_release_cuts_it(linked, links):
    """X-10: A → B → C → A, made, observed and cut by clients alone."""
    session = links.ask(op="hello")["session"]
    for id, (source, target) in enumerate(RING, 10):
        answer = link(links, id, source, target, owner="ring")
        assert (answer["op"], answer["id"], answer["rev"]) == ("linked", id, 1)
    with Client(linked) as watcher:
        watcher.send(op="observe", id=1, graph="g", every=50)
        assert links_of(watcher.receive()) == [(*ends, f"{session}/ring") for ends in RING]
        linked.set("g", "a", 5)
        has(linked, "abc", [5, 5, 5])
        # One commit by the client, and one for each link that does not lead back.
        assert rev(linked) == 4
        linked.set("g", "b", 6)
        has(linked, "abc", [6, 6, 6])
        assert rev(linked) == 7
        links.send(op="release", id=20, owner="ring")
        ends = [links.receive() for _ in range(4)]
        assert [(each["op"], each["id"]) for each in ends] == [
            ("end", 10), ("end", 11), ("end", 12), ("ok", 20),
        ]
        assert ends[3]["ended"] == [10, 11, 12]
        gone = set()
        eventually(lambda: gone.update(watcher.receive()["del"]["edges"]) or len(gone) == 3)
    linked.set("g", "a", 7)
    has(linked, "abc", [7, 6, 6])
    assert linked.counts("g")["listeners"] == 0


def test_a_sync_keeps_two_nodes_in_step_through_expressions_until_it_is_ended(linked, links):
    """X-10: `sync` with a transform and its opposite; the value of `b` wins."""
    linked.set("g", "c", 1)
    linked.set("g", "d", 212)
    made = sync(links, 2, "c", "d", to_b="value * 9 / 5 + 32", to_a="(value - 32) * 5 / 9")
    assert (made["op"], made["id"], made["rev"]) == ("linked", 2, 4)
    has(linked, "cd", [100, 212])
    linked.set("g", "c", 0)
    has(linked, "cd", [0, 32])
    linked.set("g", "d", 50)
    has(linked, "cd", [10, 50])
    links.send(op="unsub", id=2)
    assert links.receive()["code"] == "done"
    last = linked.set("g", "c", 20)["rev"]
    has(linked, "cd", [20, 50])
    assert rev(linked) == last
    assert linked.counts("g")["listeners"] == 0


def test_what_is_read_is_held_and_shown_with_its_owner(linked, links):
    """X-10: the link holds what it reads; pictures, `why`, `explain` and connections show it."""
    session = links.ask(op="hello")["session"]
    linked.set("g", "a", 1)
    assert "twice" not in linked.alive("g")
    assert link(links, 5, "twice", "d", pipe=[{"map": "value + 1"}], owner="panel")["op"] == "linked"
    has(linked, "d", [3])
    assert "twice" in linked.alive("g")
    way = linked.get("/v1/graphs/g/nodes/twice/why").json()["ways"][0]
    assert (way["l"], way["subs"], way["links"], way["owners"]) == (session, [5], ["d"], [f"{session}/panel"])
    nodes = linked.get("/v1/graphs/g/nodes/d/explain").json()["nodes"]
    assert nodes[0]["links"] == [{"op": "link", "from": "twice", "label": "value + 1"}]
    picture = linked.picture("g")
    edges = [edge for edge in picture["edges"] if "owners" in edge]
    assert [edge["owners"] for edge in edges] == [[f"{session}/panel"]]
    for form in ("mermaid", "dot"):
        assert f"{session}/panel" in linked.get(f"/v1/graphs/g/graph?live=1&format={form}").body.decode()
    rows = linked.get("/v1/connections").json()["connections"]
    assert [row["links"] for row in rows if "links" in row] == [1]
    links.send(op="mod", id=6, sub=5, removeOwner="panel")
    assert links.receive()["code"] == "done"
    assert links.receive()["op"] == "ok"
    assert "twice" not in linked.alive("g")


def test_members_of_families_are_read_and_set(linked, links):
    """X-10, F-3: a link leads to a member that does not exist yet."""
    assert link(links, 1, "room.hall", "room.attic", initial=False)["op"] == "linked"
    linked.set("g", "room.hall", 4)
    has(linked, ["room.attic"], [4])
    assert linked.request("DELETE", "/v1/graphs/g/nodes/room.hall/value").status == 204
    has(linked, ["room.attic"], [None])


PROGRAM = """
import json, sys
from websockets.sync.client import connect
socket = connect(sys.argv[1], subprotocols=["sluice.v1.json"])
for message in json.loads(sys.argv[2]):
    socket.send(json.dumps(message))
    print(socket.recv(), flush=True)
sys.stdin.read()
"""


def ended(server, how):
    """Ends a client with a ring and a sync in the given way."""
    messages = [
        {"op": "link", "id": id, "graph": "g", "from": source, "to": target}
        for id, (source, target) in enumerate((*RING, ("twice", "room.x")), 1)
    ]
    both = {"to_b": "value + 1", "to_a": "value - 1"}
    messages.append({"op": "sync", "id": 9, "graph": "g", "a": "c", "b": "d", **both})
    if how == "kill":
        address = f"ws://{server.host}:{server.port}/v1/ws"
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, address, json.dumps(messages)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for _ in messages:
            assert json.loads(program.stdout.readline())["op"] == "linked"
        assert server.counts("g")["listeners"] == 6
        os.kill(program.pid, signal.SIGKILL)
        program.communicate()
        return
    raw = RawWebSocket(server)
    for message in messages:
        raw.text(message)
        assert raw.message()["op"] == "linked"
    assert server.counts("g")["listeners"] == 6
    if how == "frame":
        raw.send(bytes([0x88, 0x80, 0, 0, 0, 0]))
    elif how == "reset":
        raw.reset()
    else:
        raw.close()


@pytest.mark.parametrize("how", ["frame", "close", "reset", "kill"])
def test_links_end_with_their_connection_however_that_ends(linked, how):
    """X-10: a close frame, FIN, RST and kill -9 leave nothing behind."""
    before = linked.alive("g")
    ended(linked, how)
    eventually(lambda: linked.counts("g")["listeners"] == 0 and linked.alive("g") == before)
    last = linked.set("g", "a", 3)["rev"]
    assert linked.get("/v1/graphs/g/nodes/b").status == 204
    assert rev(linked) == last
    assert linked.count("unreachable_nodes", "g") == 0


def test_a_value_that_is_refused_is_reported_once_and_the_link_goes_on(linked, links):
    """X-10: the reason comes as `fail`, and the next value that is set shows that it is over."""
    assert link(links, 1, "a", "b", pipe=[{"map": "10 / value"}])["op"] == "linked"
    for value in (0, 0.001, 0.002):
        linked.set("g", "a", value)
    codes = [links.receive()["d"][0]["fail"]["code"] for _ in range(2)]
    assert codes == ["expr_bad_value", "type_mismatch"]
    linked.set("g", "a", 5)
    assert links.receive()["d"] == [{"id": 1, "v": 2}]
    has(linked, "b", [2])
    linked.set("g", "a", 2)
    has(linked, "b", [5])
    links.quiet(0.1)


def test_a_ring_with_a_stage_that_waits_is_refused(linked, links):
    """X-10: over the definition, the link itself, and other links."""
    wait = [{"delay": 50}]
    for id, (source, target, given) in enumerate([
        ("late", "b", {}), ("late", "b", {"pipe": [{"map": "value"}]}), ("b", "b", {}),
    ], 1):
        answer = link(links, id, source, target, **given)
        assert (answer["op"], answer["code"]) == ("err", "cycle_limit" if source != target else "bad_field")
    assert link(links, 10, "late", "c")["op"] == "linked"
    answer = link(links, 11, "c", "b")
    assert (answer["code"], "stage" in answer["hint"]) == ("cycle_limit", True)
    links.send(op="unsub", id=10)
    links.receive()
    assert link(links, 12, "c", "b")["op"] == "linked"
    assert link(links, 13, "b", "d", pipe=wait)["op"] == "linked"
    assert link(links, 14, "d", "c")["code"] == "cycle_limit"
    assert sync(links, 15, "d", "c")["code"] == "cycle_limit"
    # Without a stage that waits, the same ring is allowed.
    assert link(links, 16, "c", "a")["op"] == "linked"
    assert link(links, 17, "a", "c")["op"] == "linked"


def test_what_cannot_be_linked_is_refused_with_its_reason(linked, links):
    """X-10: the ends, and fields that belong to subscriptions."""
    def code(**message):
        links.send(id=1, graph="g", **message)
        return links.receive()["code"]

    assert code(op="link", **{"from": "a"}, to="twice") == "not_mutable"
    assert code(op="link", **{"from": "a"}, to="strict") == "precondition_required"
    assert code(op="link", **{"from": "a"}, to="none") == "unknown_node"
    assert code(op="link", **{"from": "none"}, to="a") == "unknown_node"
    assert code(op="link", to="a") == "bad_field"
    assert code(op="link", **{"from": "a"}, to="b", mode="all") == "bad_field"
    assert code(op="sync", a="a", b="a") == "bad_field"
    assert code(op="sync", a="a", b="b", to_b=1) == "bad_field"
    assert code(op="sync", a="a", b="b", to_b="value + 1") == "bad_field"
    links.send(op="sync", id=1, graph="g", a="a", b="b", to_b="value +", to_a="value")
    wrong = links.receive()
    assert (wrong["code"], wrong["msg"].startswith("to_b: ")) == ("expr_syntax", True)
    place = wrong["problems"][0]
    assert (place["pointer"], place["line"], place["column"]) == ("/to_b", 1, 8)
    assert code(op="sync", a="a", b="twice") == "not_mutable"
    assert linked.counts("g")["listeners"] == 0
    for id in range(1, 41):
        assert link(links, id, "a", "b")["op"] == "linked"
    assert link(links, 41, "a", "b")["code"] == "sub_limit"


def test_many_linked_nodes_settle_within_a_limit(linked, links):
    """X-10: every pair of six nodes is linked; values take every path once, and then it is over."""
    names = ["a", "b", "c", "d", "room.x", "room.y"]
    for id, (source, target) in enumerate(((s, t) for s in names for t in names if s != t), 1):
        assert link(links, id, source, target)["op"] == "linked"
    linked.set("g", "a", 8)
    has(linked, names, [8] * len(names))
    last = eventually(lambda: (now := rev(linked), time.sleep(0.3), rev(linked) == now)[2] and now)
    assert last <= 2_000


def test_effects_keep_the_rate_of_their_client_and_lose_nothing():
    """X-10: a link above the rate waits; too much that waits ends it with `slow`."""
    with Server({"g": GRAPH}, "limits: { sets: 50 }") as server, Client(server) as client:
        assert link(client, 1, "a", "b", queue=20)["op"] == "linked"
        assert link(client, 2, "twice", "c", queue=1000)["op"] == "linked"
        with Client(server) as setter:
            # In one turn, so that the queue of the first link is too short.
            setter.socket.send(json.dumps([{"op": "set", "graph": "g", "set": {"a": n}} for n in range(45)]))
        end = eventually(lambda: (message := client.receive())["op"] == "end" and message)
        assert (end["id"], end["code"]) == (1, "slow")
        has(server, "c", [88])


PIPES = """
nodes:
  x: { set: number, initial: 1 }
  y: { set: number }
  z: { set: number }
"""


def pipes(guarded, **rights):
    """Adds principals with these rights in a new graph."""
    for name, words in {"maker": ["admin"], **rights}.items():
        guarded.add(name, *can(*words), "--graphs", "pipes")
    guarded.reload()
    made = guarded.ask("maker", "PUT", "/v1/graphs/pipes", PIPES, Content_Type="application/yaml")
    assert made.status == 201, made


def test_links_need_their_rights_and_end_without_them(guarded):
    """X-10: `link` is granted by name; `read` and `pipe` on the one end, `set` on the other."""
    pipes(guarded, linker=("read", "pipe", "set", "link"), plain=("read", "pipe", "set"),
          reader=("read", "link", "set"))
    message = {"op": "link", "graph": "pipes", "from": "x", "to": "y"}
    for who, missing in (("plain", "link"), ("reader", "pipe")):
        with guarded.socket(who) as client:
            answer = tell(client, id=1, **message)
            assert answer["code"] == "forbidden" and missing in answer["msg"]
    with guarded.socket("linker") as client:
        assert tell(client, id=1, **message)["op"] == "linked"
        assert tell(client, op="sync", id=2, graph="pipes", a="y", b="z")["op"] == "linked"
        step = guarded.ask("plain", "GET", "/v1/graphs/pipes/nodes/y/explain").json()["nodes"][0]
        assert (step["by"], step["v"], step["origin"]) == ("linker", 1, "link")


def end(client):
    """The next message that says that something has ended."""
    while (message := json.loads(client.recv(PATIENCE)))["op"] != "end":
        pass
    return message


def test_links_end_with_forbidden_when_their_principal_loses_the_right(guarded):
    """X-10: the token stays, and its rights become fewer."""
    pipes(guarded, linker=("read", "pipe", "set", "link"))
    with guarded.socket("linker") as client:
        assert tell(client, op="link", id=1, graph="pipes", **{"from": "x"}, to="y")["op"] == "linked"
        assert tell(client, op="sync", id=2, graph="pipes", a="y", b="z")["op"] == "linked"
        guarded.entries = [(name, text.replace(", 'link'", "")) for name, text in guarded.entries]
        guarded.write()
        guarded.reload()
        ends = [end(client) for _ in range(2)]
        assert sorted((each["op"], each["id"], each["code"]) for each in ends) == [
            ("end", 1, "forbidden"), ("end", 2, "forbidden"),
        ]


def test_links_end_with_what_they_lead_over(linked, links):
    """X-10: an end that is removed, and a definition that makes a ring wait."""
    put = {"Content-Type": "application/yaml"}
    assert link(links, 1, "a", "c")["op"] == "linked"
    assert link(links, 2, "c", "d", pipe=[{"map": "value"}])["op"] == "linked"
    assert sync(links, 3, "c", "d")["op"] == "linked"
    assert link(links, 4, "twice", "b")["op"] == "linked"
    without = GRAPH.replace("  d: { set: number }\n", "")
    assert linked.request("PUT", "/v1/graphs/g?adopt=1", without, put).status == 200
    ends = [links.receive() for _ in range(2)]
    assert sorted((each["op"], each["id"], each["code"]) for each in ends) == [
        ("end", 2, "node_removed"), ("end", 3, "node_removed"),
    ]
    closing = without.replace("twice: { from: a", "twice: { from: late").replace("value * 2", "value + 1")
    assert linked.request("PUT", "/v1/graphs/g?adopt=1", closing, put).status == 200
    end = links.receive()
    assert (end["id"], end["code"]) == (4, "cycle")
    linked.set("g", "a", 1)
    has(linked, "c", [1])


@pytest.fixture(scope="module")
def redis():
    with Redis() as redis:
        yield redis


def test_a_link_at_one_server_fires_once_for_commits_of_the_other(redis):
    """X-10: and rings over links of two servers stop, because the path goes with the commits."""
    with Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
        with Client(one) as first, Client(other) as second:
            assert link(first, 1, "a", "b")["op"] == "linked"
            assert link(second, 1, "b", "c", pipe=[{"map": "value + 1"}])["op"] == "linked"
            assert link(first, 2, "c", "a")["op"] == "linked"
            before = rev(one)
            assert other.set("g", "a", 5)
            has(one, "abc", [5, 5, 6])
            has(other, "abc", [5, 5, 6])
            assert same([one, other], nodes=("a", "b", "c"))[1] == before + 3
        eventually(lambda: one.counts("g")["listeners"] == other.counts("g")["listeners"] == 0)
        one.set("g", "a", 9)
        same([one, other], nodes=("a", "b", "c"))
        assert other.value("g", "b") == 5
