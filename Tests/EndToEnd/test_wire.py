"""The protocol as it is written: sentences of the wire protocol that no other test shows on a real socket.

Here are those about the WebSocket, in test_wire_http.py those about HTTP. The numbers in the doc strings
are those of the sentences in scripts/wire.txt.
"""

import json
import time

import pytest
from access import Guarded
from conftest import CHAIN, Client
from rawsocket import RawWebSocket
from sluice import PATIENCE, Server

GRAPH = CHAIN + """  ring: { set: any, history: 4 }
  other: { set: any }
  failing: { from: any, pipe: [ { map: "value + 1" } ] }
  word: { set: string }
  choice: { set: any, enum: [ 1, two ] }
"""
NODE = "/v1/graphs/g/nodes/"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server():
    with Server({"g": GRAPH}) as running:
        yield running


@pytest.fixture
def peer(server):
    with Client(server) as client:
        yield client


def post(server, node, body, **headers):
    return server.request(
        "POST", NODE + node, body, {**JSON, **{k.replace("_", "-"): v for k, v in headers.items()}}
    )


def tag(server, node):
    return server.get(NODE + node).headers["ETag"]


# The WebSocket

def test_requests_and_messages_take_effect_in_order(server, peer):
    """W-4, W-5, W-13, W-17"""
    peer.socket.send(json.dumps([{"op": "set", "id": 1, "graph": "g", "set": {"any": 1}},
                                 {"op": "get", "id": 2, "graph": "g", "nodes": ["any"]},
                                 {"op": "set", "id": 3, "graph": "g", "set": {"any": 2}},
                                 {"op": "sub", "id": 4, "graph": "g", "node": "any"},
                                 {"op": "unsub", "id": 4}, {"op": "ping", "id": 4}]))
    heard = [peer.receive() for _ in range(6)]
    assert [(m["op"], m["id"]) for m in heard] == [
        ("ok", 1),
        ("ok", 2),
        ("ok", 3),
        ("snap", 4),
        ("end", 4),
        ("ok", 4),
    ]
    assert heard[1]["m"] == {"any": {"v": 1}} and heard[3]["v"] == 2


def test_unknown_fields_are_ignored(server, peer):
    """W-1"""
    assert peer.ask(op="get", graph="g", nodes=["x"], colour="red", deep={"a": [1]})["op"] == "ok"
    assert peer.ask(op="sub", graph="g", node="x", later=True)["op"] == "snap"
    assert peer.ask(op="set", graph="g", set={"any": 1}, why="because")["op"] == "ok"


def test_ids_up_to_the_largest_and_used_again(server, peer):
    """W-14, W-17"""
    for _ in range(2):
        peer.send(op="ping", id=2 ** 53 - 1)
        assert peer.receive() == {"op": "ok", "id": 2 ** 53 - 1}


def test_an_epoch_is_short_and_rev_grows_by_one(server, peer):
    """W-2, W-3"""
    first = peer.ask(op="set", graph="g", set={"any": 1, "other": 2})
    second = peer.ask(op="set", graph="g", set={"any": 1}, clear=["other"])
    assert (
        first["epoch"] == second["epoch"] and len(first["epoch"]) <= 32 and second["rev"] == first["rev"] + 1
    )
    t = peer.ask(op="get", graph="g", nodes=["any"])["t"]
    assert abs(t - time.time() * 1000) < 10_000


def test_hello_says_what_holds(server):
    """W-20, W-22"""
    with Client(server) as peer:
        peer.send(op="hello", client="wall-tablet/2.1")
        hello = peer.receive()
        assert (
            hello["op"] == "hello"
            and hello["session"]
            and hello["server"] == f"sluice/{server.get('/version').json()['version']}"
            and hello["hb"] == 25
        )
        assert hello["limits"] == {**hello["limits"], "subs": 1000, "msg": 65536, "pipe": 16}
        assert "expires" not in hello, "nobody's access ends"
        peer.ask(op="sub", graph="g", node="x")
        assert "wall-tablet/2.1" in [listener.get("client") for listener in server.picture("g")["listeners"]]


def test_a_session_without_authorisation(tmp_path):
    """W-21, W-68"""
    with Guarded(tmp_path, config="# fixed: times.hello=300ms") as guarded:
        with RawWebSocket(guarded) as peer:
            for message in (
                {"op": "ping", "id": 1},
                {"op": "sub", "id": 2, "graph": "open", "node": "x"},
                {"op": "list", "id": 3},
            ):
                peer.text(message)
                answer = peer.message()
                assert answer["code"] == "unauthenticated" and answer["id"] == message["id"]
            assert peer.close_code() == 4408
        with RawWebSocket(guarded) as peer:
            peer.text({"op": "hello", "token": guarded.tokens["alice"]})
            assert peer.message()["op"] == "hello"
            peer.text({"op": "auth", "id": 1, "token": guarded.tokens["bob"]})
            assert peer.message() == {"op": "ok", "id": 1}
            time.sleep(0.5)
            peer.text({"op": "ping", "id": 1})
            assert peer.message() == {"op": "ok", "id": 1}


def test_snap_and_upd_hold_exactly_one_of_value_empty_and_failure(server, peer):
    """W-24, W-25, W-26, W-27, W-28"""
    server.set("g", "any", None)
    snap = peer.ask(op="sub", graph="g", node="any")
    assert snap["v"] is None and not {"empty", "fail"} & set(snap), "null is a value"
    failing = peer.ask(op="sub", graph="g", node="failing")
    assert {"code", "at", "msg"} <= set(failing["fail"]) and not {"v", "empty"} & set(failing)
    server.request("DELETE", NODE + "any/value")
    told = peer.receive()
    assert sorted(told["d"], key=lambda entry: entry["id"]) == [
        {"id": 1, "empty": True},
        {"id": 2, "empty": True},
    ]
    old = peer.ask(op="sub", graph="g", node="x")
    assert old["rev"] > old["c"], "c is the node's own last change"


def test_groups(server, peer):
    """W-29"""
    server.set("g", "any", 1)
    server.set("g", "x", 1)
    snap = peer.ask(op="sub", graph="g", nodes=["any", "do*", "x"])
    assert snap["m"] == {"any": {"v": 1}, "double": {"v": 2}, "x": {"v": 1}}
    server.set("g", "x", 3)
    assert peer.receive()["d"][0]["m"] == {"double": {"v": 6}, "x": {"v": 3}}
    assert peer.ask(op="sub", graph="g", nodes="s*")["m"] == {"small": {"v": 3}, "sum": {"v": 9}}
    server.set("g", "x", 1)
    assert peer.receive()["op"] == "upd"


def test_combine_with_a_pipeline(server, peer):
    """W-31, W-32, W-38"""
    server.set("g", "x", 1)
    snap = peer.ask(
        op="sub", graph="g", combine={"a": "x", "b": "double"}, pipe=[{"map": "value.a + value.b"}]
    )
    assert snap["v"] == 3 and len(snap["chain"]) >= 4 and snap["shared"] >= 1 and "c" not in snap
    with Client(server) as second:
        assert (
            second.ask(
                op="sub", graph="g", combine={"a": "x", "b": "double"}, pipe=[{"map": "value.a + value.b"}]
            )["shared"]
            == snap["shared"] + 1
        )
    server.set("g", "x", 2)
    assert peer.receive()["d"] == [{"id": 1, "v": 6}]
    server.request("DELETE", NODE + "other/value")
    assert peer.ask(op="sub", graph="g", combine={"a": "x", "b": "other"})["empty"] is True
    server.set("g", "other", 1)
    assert peer.receive()["d"] == [{"id": 2, "v": {"a": 2, "b": 1}}]
    server.set("g", "x", 1)


def test_every_sends_the_leading_and_the_newest_trailing_value(server, peer):
    """W-33"""
    peer.ask(op="sub", graph="g", node="any", every=300)
    began = time.monotonic()
    for number in range(10):
        server.set("g", "any", number)
    first = peer.receive()["d"][0]
    second = peer.receive()["d"][0]
    took = time.monotonic() - began
    assert first.get("n", 1) + second["n"] == 10 and second["v"] == 9 and took >= 0.25


def test_initial_false_and_history(server, peer):
    """W-36, W-37"""
    for number in range(6):
        server.set("g", "ring", number)
    snap = peer.ask(op="sub", graph="g", node="ring", initial=False)
    assert not {"v", "empty", "fail", "d"} & set(snap)
    snap = peer.ask(op="sub", graph="g", node="ring", history=3)
    assert [entry["v"] for entry in snap["d"]] == [3, 4, 5] and snap["v"] == 5
    assert [entry["v"] for entry in peer.ask(op="sub", graph="g", node="ring", history=100)["d"]] == [
        2, 3, 4, 5,
    ]


def test_folding_counts_every_emission(server, peer):
    """W-41, W-42, W-45"""
    server.set("g", "any", 0)
    peer.ask(op="sub", graph="g", node="any", every=200)
    peer.ask(op="sub", graph="g", node="other", every=200)
    server.request("DELETE", NODE + "other/value")
    before = server.get("/v1/graphs/g").json()["rev"]
    server.request("DELETE", NODE + "other/value")
    assert server.get("/v1/graphs/g").json()["rev"] == before + 1, "a clear of what is empty takes a rev"
    for number in range(5):
        assert post(server, "any", str(number), Sluice_Context=json.dumps({"n": number})).status == 200
    told = 0
    while told < 5:
        message = peer.receive()
        for entry in message["d"]:
            assert entry["id"] == 1 or entry.get("empty"), entry
            told += entry.get("n", 1) if entry["id"] == 1 else 0
    assert message["ctx"] == {"n": 4} and "by" not in message


def test_mode_all_has_a_frame_for_each_commit_and_its_frames_come_before_the_ok(server, peer):
    """W-34, W-43, W-44, W-64"""
    peer.ask(op="sub", graph="g", node="any", mode="all")
    peer.ask(op="sub", graph="g", node="other")
    peer.socket.send(
        json.dumps(
            [{"op": "set", "id": 10 + i, "graph": "g", "set": {"any": i, "other": i}} for i in range(3)]
        )
    )
    heard = [peer.receive() for _ in range(6)]
    assert [m["op"] for m in heard].count("upd") == 3 and [m["op"] for m in heard].count("ok") == 3
    frames = [m for m in heard if m["op"] == "upd"]
    assert [m["rev"] for m in frames] == sorted(m["rev"] for m in frames)
    assert [[e["v"] for e in m["d"] if e["id"] == 1] for m in frames] == [[0], [1], [2]]
    assert [e for m in frames for e in m["d"] if e["id"] == 2] == [{"id": 2, "v": 2, "n": 3}], (
        "the newest, in the last of them"
    )
    for answer in (m for m in heard if m["op"] == "ok"):
        place = heard.index(answer)
        assert any(m["op"] == "upd" and m["rev"] == answer["rev"] for m in heard[:place])


@pytest.mark.parametrize("since, mode, resumed, values", [
    (lambda epoch, rev: {"epoch": epoch, "rev": rev}, "latest", True, None),
    (lambda epoch, rev: {"epoch": epoch, "rev": rev - 1}, "latest", True, 9),
    (lambda epoch, rev: {"epoch": epoch, "rev": rev + 1}, "latest", False, 9),
    (lambda epoch, rev: {"epoch": "zzzz", "rev": rev}, "latest", False, 9),
    (lambda epoch, rev: {"epoch": epoch, "rev": rev}, "all", True, []),
    (lambda epoch, rev: {"epoch": epoch, "rev": rev - 2}, "all", True, [8, 9]),
    (lambda epoch, rev: {"epoch": epoch, "rev": 0}, "all", False, 9),
    (lambda epoch, rev: {"epoch": epoch, "rev": rev + 1}, "all", False, 9),
])
def test_resume(server, peer, since, mode, resumed, values):
    """W-47, W-48, W-49, W-50, W-51, W-52"""
    for number in range(10):
        last = server.set("g", "ring", number)
    snap = peer.ask(op="sub", graph="g", node="ring", mode=mode, since=since(last["epoch"], last["rev"]))
    assert snap["resumed"] is resumed
    if isinstance(values, list):
        assert [entry["v"] for entry in snap.get("d", [])] == values and "v" not in snap
    else:
        assert snap.get("v") == values and "d" not in snap


def test_a_private_pipeline_does_not_resume(server, peer):
    """W-53"""
    cursor = peer.ask(op="set", graph="g", set={"any": 1})
    since = {"epoch": cursor["epoch"], "rev": cursor["rev"]}
    assert peer.ask(op="sub", graph="g", node="any", pipe=[{"delay": 60000}], since=since)["resumed"] is False
    assert peer.ask(op="sub", graph="g", node="any", pipe=["distinct"], since=since)["resumed"] is True


def test_mod_changes_and_end_is_the_last_word(server, peer):
    """W-54, W-55, W-56"""
    peer.ask(op="sub", graph="g", node="any")
    before = server.counts("g")
    assert peer.ask(op="mod", sub=1, every=100, mode="all", queue=5) == {"op": "ok", "id": 2}
    assert server.counts("g") == before, "ownership is untouched"
    peer.send(op="unsub", id=1)
    server.set("g", "any", 99)
    end = peer.receive()
    while end["op"] == "upd":
        end = peer.receive()
    assert end == {"op": "end", "id": 1, "code": "done", "released": 0}
    server.set("g", "any", 100)
    assert peer.ask(op="ping")["op"] == "ok", "nothing in between"


def test_conditions_of_a_set(server, peer):
    """W-58, W-59, W-60, W-61"""
    first = peer.ask(op="set", graph="g", set={"any": 1})
    epoch, rev = first["epoch"], first["rev"]
    peer.ask(op="set", graph="g", set={"other": 1})
    assert (
        peer.ask(op="set", graph="g", set={"any": 2}, **{"if": {"epoch": epoch, "any": {"rev": rev}}})["op"]
        == "ok"
    )
    refused = peer.ask(
        op="set", graph="g", set={"any": 3, "other": 3}, **{"if": {"epoch": epoch, "any": {"rev": rev}}}
    )
    assert (
        refused["code"] == "conflict"
        and refused["node"] == "any"
        and refused["rev"] == rev + 2
        and refused["retry"] is False
    )
    assert server.value("g", "other") == 1, "all or nothing"
    assert peer.ask(op="set", graph="g", set={"any": 3}, **{"if": {"any": {"v": 2.0}}})["op"] == "ok"
    assert (
        peer.ask(op="set", graph="g", set={"any": 3}, **{"if": {"any": {"rev": rev}}})["code"] == "bad_field"
    )
    assert (
        peer.ask(op="set", graph="g", set={"any": 3}, **{"if": {"epoch": "zz", "any": {"rev": rev + 9}}})[
            "code"
        ]
        == "conflict"
    )
    assert (
        peer.ask(op="set", graph="g", set={"any": 3}, **{"if": {"deep": {"v": 30}}})["code"] == "not_mutable"
    )


def test_presence_with_several_nodes_is_one_commit(server):
    """W-62"""
    with Client(server) as watcher:
        with RawWebSocket(server) as present:
            present.text(
                {
                    "op": "set", "id": 1, "graph": "g", "set": {"any": "here", "other": "here"},
                    "presence": True,
                }
            )
            assert present.message()["op"] == "ok"
            watcher.ask(op="sub", graph="g", nodes=["any", "other"])
            present.reset()
        told = watcher.receive()
        assert told["d"][0]["m"] == {"any": {"empty": True}, "other": {"empty": True}}


def test_get_list_and_ping(server, peer):
    """W-66, W-67, W-69"""
    answer = peer.ask(op="get", graph="g", nodes=["x", "word"])
    assert set(answer) == {"op", "id", "epoch", "rev", "t", "m"} and answer["m"] == {
        "x": {"v": 1}, "word": {"empty": True},
    }
    (entry,) = peer.ask(op="list")["graphs"]
    assert entry["graph"] == "g" and entry["title"] == "A test graph" and entry["epoch"] and entry["rev"] >= 1
    assert entry["nodes"] == 14 and entry["listeners"] == 0
    assert peer.ask(op="ping") == {"op": "ok", "id": 3}


def test_the_plain_stream_and_its_options(server):
    """W-86, W-87, W-88"""
    server.set("g", "any", 1)
    with Client(server, NODE + "any", None) as bare:
        assert bare.receive() == 1
        server.request("DELETE", NODE + "any/value")
        server.set("g", "any", 2)
        assert bare.receive() == 2, "empty is not sent"
        bare.socket.send('{"a": 3}')
        assert bare.socket.recv(PATIENCE) == '{"a": 3}', "the bare value and nothing else"
    with Client(
        server, NODE + 'any?pipe=%5B%7B%22map%22%3A%22value%20*%202%22%7D%5D&mode=all', None
    ) as piped:
        server.set("g", "any", "text")
        server.set("g", "any", 4)
        assert piped.receive() == 8, "a failure is not sent"
        server.batch("g", set={"any": 5})
        assert piped.receive() == 10
    with Client(server, NODE + "any?every=300", None) as spaced:
        assert spaced.receive() == 5
        began = time.monotonic()
        for number in range(5):
            server.set("g", "any", number)
        heard = [spaced.receive(), spaced.receive()]
        assert heard[-1] == 4 and time.monotonic() - began >= 0.25
