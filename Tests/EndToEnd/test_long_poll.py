"""Reads that wait: `If-None-Match` with `Prefer: wait`."""

import http.client
import threading
import time

import pytest
from conftest import CHAIN
from rawsocket import RawSocket
from sluice import PATIENCE, Answer, Server, eventually

NODE = "/v1/graphs/g/nodes/"


class Poll:
    """A read in the background."""

    def __init__(self, server, node, tag, seconds):
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
        self.connection.request(
            "GET", NODE + node, headers={"If-None-Match": tag, "Prefer": f"wait={seconds}"}
        )
        self.answer = None
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        self.answer = Answer(self.connection.getresponse())

    def join(self):
        self.thread.join(PATIENCE)
        assert self.answer is not None
        self.connection.close()
        return self.answer


def tag(server, node):
    return server.get(NODE + node).headers["ETag"]


def test_a_read_waits_for_the_next_value_and_holds_the_chain_meanwhile(server):
    start = server.counts("g")
    poll = Poll(server, "deep", tag(server, "deep"), 15)
    eventually(lambda: server.counts("g")["listeners"] == start["listeners"] + 1)
    assert server.alive("g") >= {"double", "deep"}
    listener, = server.picture("g")["listeners"]
    assert listener["transport"] == "poll"
    assert listener["l"] in [c["c"] for c in server.get("/v1/connections").json()["connections"]]
    server.set("g", "any", 1)
    assert poll.answer is None, "another node changed"
    server.set("g", "x", 5)
    answer = poll.join()
    assert answer.status == 200 and answer.json() == 110
    assert answer.headers["ETag"] == tag(server, "deep")
    assert server.counts("g") == start


def test_the_time_is_over(server):
    start, known = server.counts("g"), tag(server, "x")
    begun = time.monotonic()
    answer = Poll(server, "x", known, 1).join()
    assert answer.status == 304 and answer.headers["ETag"] == known and answer.body == b""
    assert 0.9 < time.monotonic() - begun
    assert server.counts("g") == start


def test_nothing_to_wait_for(server):
    known = tag(server, "x")
    assert server.get(NODE + "x", Prefer="wait=10").json() == 1, "no condition"
    assert server.get(NODE + "x", Prefer="wait=10", If_None_Match='"old:1"').json() == 1, (
        "another state already"
    )
    assert server.get(NODE + "x", If_None_Match=known).status == 304
    assert server.get(NODE + "x", If_None_Match=known, Prefer="wait=0").status == 304
    assert server.get(NODE + "x", If_None_Match="nonsense", Prefer="wait=10").status == 400
    assert server.get(NODE + "x", If_None_Match='W/' + known).status == 304


def test_empty_and_failed_are_states_that_can_be_waited_on(server):
    known = tag(server, "y")
    assert server.get(NODE + "y", If_None_Match=known).status == 304
    assert server.get(NODE + "y", If_None_Match="*").status == 204, "* asks for a value"
    poll = Poll(server, "y", known, 15)
    eventually(lambda: server.counts("g")["listeners"] == 1)
    server.set("g", "y", 3)
    answer = poll.join()
    assert answer.json() == 3
    poll = Poll(server, "y", answer.headers["ETag"], 15)
    eventually(lambda: server.counts("g")["listeners"] == 1)
    server.request("DELETE", NODE + "y/value")
    assert poll.join().status == 204


def test_a_failed_node_has_a_tag_too():
    graph = (
        "graph: g\nnodes:\n  a: { set: any, initial: text }\n  b: { from: a, pipe: [ { map: value + "
        "1.0 } ] }\n"
    )
    with Server({"g": graph}) as server:
        failed = server.get(NODE + "b")
        assert failed.status == 424
        assert server.get(NODE + "b", If_None_Match=failed.headers["ETag"]).status == 304
        poll = Poll(server, "b", failed.headers["ETag"], 15)
        eventually(lambda: server.counts("g")["listeners"] == 1)
        server.set("g", "a", 1)
        assert poll.join().json() == 2


@pytest.mark.parametrize("way", ["close", "half", "operator"])
def test_a_client_that_goes_while_it_waits_is_released(server, way):
    start = server.counts("g")
    raw = RawSocket(server)
    raw.send(
        f"GET {NODE}deep HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag(server, 'deep')}\r\nPrefer: "
        "wait=30\r\n\r\n"
    )
    eventually(lambda: server.counts("g")["listeners"] == 1)
    if way == "close":
        raw.close()
    elif way == "half":
        raw.socket.shutdown(1)
    else:
        listener, = server.picture("g")["listeners"]
        server.request("DELETE", "/v1/connections/" + listener["l"])
    eventually(lambda: server.counts("g") == start, what="release")


def test_requests_after_a_waiting_one_wait_too(server):
    raw = RawSocket(server)
    raw.send(
        f"GET {NODE}x HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag(server, 'x')}\r\nPrefer: "
        "wait=30\r\n\r\n"
        f"GET {NODE}small HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
    eventually(lambda: server.counts("g")["listeners"] == 1)
    raw.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.set("g", "x", 42)
    assert [raw.response()[2] for _ in range(3)] == [b"42", b"3", b"ok\n"]


def test_a_draining_server_answers_at_once():
    with Server({"g": CHAIN}) as server:
        poll = Poll(server, "x", tag(server, "x"), 30)
        eventually(lambda: server.counts("g")["listeners"] == 1)
        server.process.terminate()
        answer = poll.join()
        assert answer.status == 304 and answer.headers["Connection"] == "close"
        assert server.process.wait(PATIENCE) == 0


def test_a_read_that_waits_for_a_member_of_a_family_gets_its_first_value():
    """The member has no entry of its own until it has a value: the reader waits for its name."""
    with Server(
        {"g": "graph: g\nnodes:\n  s.{id}: { set: number }\n  d.{id}: { from: 's.{id}' }\n"}
    ) as server:
        for name in ["s.a", "d.b"]:
            poll = Poll(server, name, tag(server, name), 15)
            eventually(lambda: server.counts("g")["listeners"] > 0)
            server.set("g", "s" + name[1:], 12)
            answer = poll.join()
            assert answer.status == 200 and answer.json() == 12, (name, answer.status)
            eventually(lambda: server.counts("g")["listeners"] == 0)
