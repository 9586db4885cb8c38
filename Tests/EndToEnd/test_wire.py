"""The protocol as it is written: sentences of the wire protocol that no other test shows on a real socket.

The numbers in the doc strings are those of the sentences in scripts/wire.txt.
"""

import json
import time
from email.utils import formatdate

import pytest
from access import Guarded
from conftest import CHAIN, Client
from events import EventSource
from rawsocket import RawSocket, RawWebSocket, frame
from sluice import PATIENCE, Server, eventually

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
    assert peer.ask(op="sub", graph="g", node="any", pipe=[{"delay": 10}], since=since)["resumed"] is False
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


# Errors

def test_no_message_says_a_value(server, peer):
    """W-90"""
    secret = "s3cr3t-value"
    for node, body in (
        ("x", f'"{secret}"'),
        ("word", "[\"s3cr3t-value\"]"),
        ("choice", f'"{secret}"'),
        ("any", f'{{"{secret}":1,"{secret}":2}}'),
        ("any", f'"{secret}'),
        ("any", f"{secret}"),
    ):
        answer = post(server, node, body)
        assert answer.status in (400, 422) and secret not in answer.body.decode().lower(), answer
    server.set("g", "any", secret)
    assert secret not in server.get(NODE + "failing").body.decode()
    refused = peer.ask(op="set", graph="g", set={"any": 1}, **{"if": {"any": {"v": "other"}}})
    assert refused["code"] == "conflict" and secret not in json.dumps(refused)


# HTTP

def test_entity_tags_are_compared_weakly_for_a_set(server):
    """W-115"""
    server.set("g", "any", 1)
    server.set("g", "other", 1)
    now = tag(server, "any")
    assert post(server, "any", "2", If_Match="W/" + now).status == 200, (
        "a proxy that compresses makes it weak"
    )
    assert post(server, "any", "2", If_Match='"nope", W/' + tag(server, "any")).status == 200
    assert post(server, "any", "3", If_Match=now).status == 412
    assert post(server, "any", "3", If_Match=tag(server, "any").replace('"', "")).status == 400
    assert post(server, "any", "3", If_Match="*").status == 200
    assert server.request("DELETE", NODE + "any/value", headers={"If-Match": now}).status == 412
    assert (
        server.request("DELETE", NODE + "any/value", headers={"If-Match": tag(server, "any")}).status == 204
    )
    assert post(server, "any", "3", If_Match="*").status == 412, "there is nothing that could match"
    assert post(server, "any", "3", If_None_Match="*").status == 200
    assert post(server, "any", "4", If_None_Match="*").status == 412
    assert server.value("g", "any") == 3


def test_every_state_has_a_tag_that_changes_with_it_and_with_nothing_else(server):
    """W-99, W-114"""
    one = server.set("g", "x", 1)
    assert tag(server, "x") == f'"{one["epoch"]}:{one["rev"]}"' == tag(server, "deep"), (
        "the highest among its ancestors"
    )
    server.set("g", "any", 1)
    assert tag(server, "deep") == f'"{one["epoch"]}:{one["rev"]}"'
    reading = server.get(NODE + "deep")
    assert (
        reading.headers["Last-Modified"].endswith("GMT")
        and abs(int(reading.headers["Sluice-Time"]) - time.time() * 1000) < 60_000
    )
    assert server.get(NODE + "deep", If_None_Match=tag(server, "deep")).status == 304
    assert server.get(NODE + "deep", If_None_Match="W/" + tag(server, "deep")).status == 304, (
        "a read compares weakly"
    )


def test_a_second_is_too_long_to_tell_states_apart(server):
    """`Last-Modified` is for people: two sets within a second differ by their tags alone, so dates
    are no conditions."""
    for value in (1, 2, 3):
        server.set("g", "x", value)
        reading = server.get(NODE + "x", If_Modified_Since=formatdate(time.time() + 10, usegmt=True))
        assert (reading.status, reading.json()) == (200, value)
        assert server.get(NODE + "x", If_Modified_Since=reading.headers["Last-Modified"]).json() == value


def test_idempotency_keys(server):
    """W-116"""
    first = post(server, "any", "1", Idempotency_Key="wire-1")
    again = post(server, "any", "1", Idempotency_Key="wire-1")
    assert first.json() == again.json() and again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers and again.headers["ETag"] == first.headers["ETag"]
    other = post(server, "any", "2", Idempotency_Key="wire-1")
    assert other.status == 422 and other.json()["code"] == "key_reused"
    assert post(server, "other", "1", Idempotency_Key="wire-1").status == 422, (
        "another node is another request"
    )


def test_preferences(server):
    """W-101"""
    answer = post(server, "any", "1", Prefer="return=minimal")
    assert (
        answer.status == 204
        and not answer.body
        and answer.headers["Preference-Applied"] == "return=minimal"
        and answer.headers["ETag"]
    )
    assert post(server, "any", "1").json().keys() == {"epoch", "rev"}
    assert server.request("PUT", NODE + "any", " 1", JSON).headers["ETag"] is None, (
        "it was not stored as it was sent"
    )
    assert server.request("PUT", NODE + "any", "1", JSON).headers["ETag"]


def test_context_by_header_and_batch(server, peer):
    """W-104, W-117"""
    peer.ask(op="sub", graph="g", node="any")
    post(server, "any", "5", Sluice_Context='{"src":"meter-7"}')
    assert peer.receive()["ctx"] == {"src": "meter-7"}
    answer = server.batch("g", set={"any": 6, "other": 6}, ctx="why")
    assert answer.json().keys() == {"epoch", "rev", "changed"} and answer.json()["changed"] == 2
    assert peer.receive()["ctx"] == "why"
    failed = server.batch("g", set={"any": 7}, **{"if": {"any": {"v": 0}, "other": {"v": 0}}})
    assert failed.status == 412 and [entry["node"] for entry in failed.json()["failed"]] == ["any", "other"]
    assert (
        all(entry["rev"] == answer.json()["rev"] for entry in failed.json()["failed"])
        and server.value("g", "any") == 6
    )


def test_limits_of_a_body(server):
    """W-118, W-119, W-120"""
    assert post(server, "any", "[" * 64 + "]" * 64).status == 200
    deep = post(server, "any", "[" * 65 + "]" * 65)
    assert deep.status == 400 and deep.json()["code"] == "bad_json"
    assert post(server, "any", '"' + "x" * 65_534 + '"').status == 200
    assert post(server, "any", '"' + "x" * 65_535 + '"').status == 413
    assert post(server, "any", "1e400").status == 422 and post(server, "any", "-1e400").status == 422
    for kind in (
        "application/json", "text/plain", "application/x-www-form-urlencoded",
        "APPLICATION/JSON; charset=UTF-8", None,
    ):
        answer = server.request("POST", NODE + "any", "21.5", {"Content-Type": kind} if kind else {})
        assert answer.status == 200, kind
    quoted = server.request(
        "POST", NODE + "any", "hello", {"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert quoted.status == 400 and "quote" in quoted.json()["hint"]
    assert (
        server.request(
            "POST", NODE + "any", "%31", {"Content-Type": "application/x-www-form-urlencoded"}
        ).status
        == 400
    ), "verbatim"
    server.set("g", "any", 1)


def test_patch_is_a_merge_patch_of_an_object(server):
    """W-103"""
    kind = {"Content-Type": "application/merge-patch+json"}
    server.set("g", "any", {"a": 1, "b": {"c": 2}})
    assert server.request("PATCH", NODE + "any", '{"a":null,"b":{"d":3}}', kind).status == 200
    assert server.value("g", "any") == {"b": {"c": 2, "d": 3}}
    refused = server.request("PATCH", NODE + "any", "{}", JSON)
    assert (
        refused.status == 415
        and refused.json()["hint"] == "with curl: -H 'Content-Type: application/merge-patch+json'"
    )
    server.set("g", "any", 1)


def test_clients_are_listed_and_ended(server):
    """W-110"""
    with RawWebSocket(server) as peer:
        peer.text({"op": "hello", "client": "lister"})
        peer.message()
        peer.subscribe("g", "deep")
        (listener,) = [
            entry
            for entry in server.get("/v1/graphs/g/listeners").json()["listeners"]
            if entry.get("client") == "lister"
        ]
        assert {"l", "client", "transport", "since", "on", "queued", "folded"} <= set(listener) and listener[
            "transport"
        ] == "ws"
        (entry,) = [
            entry
            for entry in server.get("/v1/connections").json()["connections"]
            if entry["c"] == listener["l"]
        ]
        assert {"transport", "since", "queued", "folded"} <= set(entry), entry
        assert server.request("DELETE", f"/v1/connections/{listener['l']}").status == 204
        assert peer.close_code() == 1001
    eventually(lambda: server.count("subscriptions", "g") == 0)


def test_a_round_trip_is_measured_by_answers_only(server):
    """A pong that nobody asked for says nothing about the way (RFC 6455 §5.5.3)."""
    with RawWebSocket(server) as peer:
        peer.subscribe("g", "deep")
        peer.send(frame(10, b""))
        peer.text({"op": "ping", "id": 2})
        assert peer.message()["op"] == "ok"
        assert all("rtt" not in entry for entry in server.get("/v1/connections").json()["connections"])


def test_a_client_that_ends_its_own_connection_gets_an_answer(server):
    with RawSocket(server) as peer:
        peer.send("GET /v1/connections HTTP/1.1\r\nHost: localhost\r\n\r\n")
        own = [
            entry["c"]
            for entry in json.loads(peer.response()[2])["connections"]
            if entry["transport"] == "http"
        ][-1]
        peer.send(f"DELETE /v1/connections/{own} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        status, fields, _ = peer.response()
        assert status == 204 and fields["connection"] == "close"
        assert peer.closed()


def test_streams_of_events(server):
    """W-128"""
    server.set("g", "any", 1)
    with EventSource(server, "/v1/graphs/g/events?node=any&node=x") as stream:
        assert (
            stream.headers["x-accel-buffering"] == "no"
            and stream.headers["content-type"] == "text/event-stream"
        )
        first, second = stream.event(), stream.event()
        assert [json.loads(event.data)["id"] for event in (first, second)] == [1, 2], (
            "ids are the order of node"
        )
        server.set("g", "any", 2)
        event = stream.event()
        told = json.loads(event.data)
        assert (
            event.name == "upd"
            and event.id == f'{told.get("epoch", json.loads(first.data)["epoch"])}:{told["rev"]}'
        )


@pytest.mark.parametrize("query, sentence", [
    ("values?nodes=x&facets=yes", "facets: 1 or 0 is needed"), ("nodes/x?load=yes", "load: 1 or 0 is needed"),
    ("nodes/x/history?facets=on", "facets: 1 or 0 is needed"), ("graph?live=yes", "live: 1 or 0 is needed"),
    ("nodes?limit=some", "limit: a number from 1 to 1000 is needed"),
    ("events?node=x&every=soon", "every: a number from 0 to 86400000 is needed"),
])
def test_a_parameter_with_a_wrong_value_is_refused(server, query, sentence):
    answer = server.get(f"/v1/graphs/g/{query}")
    assert (answer.status, answer.json()["code"], answer.json()["detail"]) == (400, "bad_field", sentence)


def test_a_flag_is_1_or_0(server):
    for value, has in (("1", True), ("true", True), ("", True), ("0", False), ("false", False)):
        assert (
            "state" in server.get(f"/v1/graphs/g/values?nodes=x&facets={value}").json()["m"]["x"]
        ) is has, value


def test_discovery(server):
    """W-113"""
    for path in ("/v1/operators", "/metrics", "/healthz", "/readyz", "/version", "/openapi.json"):
        assert server.get(path).status == 200, path


def test_known_and_unknown_paths(server):
    """W-125, W-126"""
    assert (
        server.get("/v1/nothing").status == 404
        and server.request("POST", "/v1/nothing", "1", JSON).status == 404
    )
    answer = server.request("DELETE", "/v1/graphs/g/values")
    assert answer.status == 405 and answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert answer.json()["detail"] == "this path allows only GET, HEAD, OPTIONS"
    assert server.get("/v1/ws").json()["detail"] == "this is a WebSocket endpoint: send Upgrade: websocket"
    with RawSocket(server) as peer:
        peer.send(
            f"GET /{'a' * 8191} HTTP/1.1\r\nHost: localhost\r\n\r\nGET /{'a' * 8192} HTTP/1.1\r\nHost: "
            "localhost\r\n\r\n"
        )
        assert [peer.response()[0] for _ in range(2)] == [404, 414], "8 KiB are not too many"


# Serving

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' "
    "ws://{host}; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@pytest.mark.parametrize(
    "path, kind",
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/client.js", "text/javascript; charset=utf-8"),
    ],
)
def test_headers_for_browsers_on_files(server, path, kind):
    """W-158, W-159, W-160"""
    answer = server.get(path)
    assert answer.status == 200 and answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Security-Policy"] == POLICY.replace(
        "{host}", f"{server.host}:{server.port}"
    )
    assert (
        answer.headers["X-Content-Type-Options"] == "nosniff"
        and answer.headers["Referrer-Policy"] == "no-referrer"
    )
    assert (
        answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        and answer.headers["Cache-Control"] == "no-cache"
    )
    assert server.get(path, If_None_Match=answer.headers["ETag"]).status == 304
    coded = server.get(path, Accept_Encoding="gzip")
    assert (
        coded.headers["Content-Encoding"] == "gzip"
        and coded.headers["ETag"] == answer.headers["ETag"][:-1] + '-gz"'
    )
    assert coded.headers["Vary"] == "Accept-Encoding"
    assert server.get(path, If_None_Match=coded.headers["ETag"], Accept_Encoding="gzip").status == 304
    head = server.request("HEAD", path)
    assert head.status == 200 and not head.body and head.headers["Content-Length"] == str(len(answer.body))


@pytest.mark.parametrize(
    "path",
    [
        "/v1/graphs", NODE + "x", "/v1/graphs/g/values", "/v1/operators", "/healthz", "/openapi.json",
        "/v1/graphs/g/graph", "/v1/connections", "/nothing", NODE + "none",
    ],
)
def test_no_answer_of_the_api_is_sniffed(server, path):
    """W-159"""
    assert server.get(path).headers["X-Content-Type-Options"] == "nosniff"
