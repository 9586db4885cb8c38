"""Server-sent events: the same deliveries, the same release, the same flow control as on a WebSocket."""

import json
import socket
import struct
import time
import urllib.parse

import pytest
from conftest import CHAIN
from events import EventSource
from rawsocket import RawSocket
from sluice import PATIENCE, Server, eventually

EVENTS = "/v1/graphs/g/events"


def pipe(*stages):
    return "&pipe=" + urllib.parse.quote(json.dumps(stages))


def test_snap_upd_and_what_the_head_says(server):
    with EventSource(server, EVENTS + "?node=x&node=sum") as source:
        assert source.status == 200
        assert source.headers["Content-Type"] == "text/event-stream"
        assert source.headers["X-Accel-Buffering"] == "no"
        assert source.headers["Cache-Control"] == "no-cache"
        first, second = source.event(), source.event()
        assert (first.name, second.name) == ("snap", "snap")
        assert first.json()["id"] == 1 and first.json()["v"] == 1 and first.id is None
        assert second.json()["id"] == 2 and second.json()["v"] == 3
        epoch, rev = second.json()["epoch"], second.json()["rev"]
        assert second.id == f"{epoch}:{rev}"

        server.set("g", "x", 4, **{"Sluice-Context": '{"src":"test"}'})
        update = source.event()
        assert update.name == "upd" and update.id == f"{epoch}:{rev + 1}"
        assert update.json()["d"] == [{"id": 1, "v": 4}, {"id": 2, "v": 12}]
        assert update.json()["ctx"] == {"src": "test"}

        listener, = server.picture("g")["listeners"]
        assert listener["transport"] == "sse"
        assert server.metrics()['sluice_connections{transport="sse"}'] == 1
        assert server.request("DELETE", f"/v1/connections/{listener['l']}").status == 204
        assert source.event() is None


def test_a_value_with_line_ends_arrives_as_it_was_set(server):
    with EventSource(server, EVENTS + "?node=any") as source:
        source.event()
        server.request("POST", "/v1/graphs/g/nodes/any", '{"a":\r\n[1,\n2]}')
        assert source.event().json()["d"][0]["v"] == {"a": [1, 2]}


def test_a_broken_stream_resumes_where_it_was(server):
    with EventSource(server, EVENTS + "?node=x&node=double") as source:
        source.event(), source.event()
        cursor = source.last_id
    with EventSource(server, EVENTS + "?node=x&node=double", Last_Event_ID=cursor) as source:
        for _ in range(2):
            snap = source.event().json()
            assert snap["resumed"] is True and "v" not in snap
    server.set("g", "x", 9)
    with EventSource(server, EVENTS + "?node=x&node=double", Last_Event_ID=cursor) as source:
        assert [source.event().json()["v"] for _ in range(2)] == [9, 18]
        assert source.last_id != cursor
    with EventSource(server, EVENTS + "?node=x", Last_Event_ID="other:1") as source:
        assert source.event().json()["resumed"] is False


def test_pipelines_and_intervals(server):
    with EventSource(server, EVENTS + "?node=x" + pipe({"map": "value * 100"}, "distinct")) as source:
        snap = source.event().json()
        assert snap["v"] == 100 and snap["shared"] == 1
        server.set("g", "x", 1)
        server.set("g", "x", 2)
        assert source.event().json()["d"] == [{"id": 1, "v": 200}]
    with EventSource(server, EVENTS + "?node=x&every=300") as source:
        source.event()
        for value in range(1, 50):
            server.set("g", "x", value)
        assert source.event().json()["d"][0]["v"] == 1
        folded = 0
        while (last := source.event().json()["d"][0])["v"] < 49:
            folded += last.get("n", 1)
        assert folded + last.get("n", 1) == 48
    with EventSource(server, EVENTS + "?node=x" + pipe({"prefix": 2})) as source:
        source.event()
        server.set("g", "x", 7)
        assert source.event().name == "upd"
        end = source.event()
        assert end.name == "end" and end.json()["code"] == "complete"
        assert source.event() is None, "nothing is left to say"


def test_what_is_refused(server):
    def code(query):
        answer = server.get(EVENTS + query)
        return answer.status, answer.json()["code"]

    assert code("") == (400, "bad_field")
    assert code("?node=nobody") == (404, "unknown_node")
    assert code("?node=x&every=-1") == (400, "bad_field")
    assert code("?node=x&mode=some") == (400, "bad_field")
    assert code("?node=x&pipe=" + urllib.parse.quote('[{"map":"value +"}]')) == (422, "expr_syntax")
    assert server.get("/v1/graphs/none/events?node=x").json()["code"] == "unknown_graph"
    assert server.request("POST", EVENTS + "?node=x").headers["Allow"] == "GET, HEAD, OPTIONS"
    head = server.request("HEAD", EVENTS + "?node=x")
    assert head.status == 200 and head.headers["Content-Type"] == "text/event-stream" and head.body == b""
    assert server.request("OPTIONS", EVENTS).headers["Allow"] == "GET, HEAD, OPTIONS"
    assert server.counts("g")["listeners"] == 0


@pytest.mark.parametrize("way", ["close", "reset", "half"])
def test_a_stream_that_ends_releases_all_it_held(server, way):
    start = server.counts("g")
    raw = RawSocket(server)
    raw.send(f"GET {EVENTS}?node=deep HTTP/1.1\r\nHost: localhost\r\n\r\n")
    raw.until(b"event: snap")
    assert server.counts("g")["nodes"] > start["nodes"]
    if way == "reset":
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if way == "half":
        raw.socket.shutdown(socket.SHUT_WR)
    else:
        raw.close()
    eventually(lambda: server.counts("g") == start, what="release")


def test_an_old_client_gets_the_stream_without_chunks(server):
    raw = RawSocket(server)
    raw.send(f"GET {EVENTS}?node=x HTTP/1.0\r\nHost: localhost\r\n\r\n")
    head = raw.until(b"\r\n\r\n")
    assert b"Transfer-Encoding" not in head and b"Connection: close" in head
    assert raw.until(b"\n\n").startswith(b"event: snap\n")


def test_requests_before_a_stream_are_answered_first(server):
    raw = RawSocket(server)
    raw.send(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        f"GET {EVENTS}?node=x HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: "
        "localhost\r\n\r\n"
    )
    assert raw.response()[2] == b"ok\n"
    raw.until(b"text/event-stream")
    raw.until(b"event: snap")
    server.set("g", "x", 8)
    raw.until(b'"v":8')


def test_heartbeats():
    with Server({"g": CHAIN}, "heartbeat: 300ms\n") as server:
        with EventSource(server, EVENTS + "?node=x") as source:
            snap = source.event()
            rev = server.set("g", "any", 1)["rev"]
            beat = source.event()
            assert beat.name == "hb" and beat.json() == {"op": "hb", "revs": {"g": rev}}
            assert beat.id == f"{snap.json()['epoch']}:{rev}", "the cursor moves with it"


@pytest.mark.first
def test_a_comment_after_fifteen_seconds_of_silence():
    with Server({"g": CHAIN}) as server, EventSource(server, EVENTS + "?node=x", timeout=PATIENCE) as source:
        source.event()
        began = time.monotonic()
        assert source.response.readline().startswith(b":")
        assert time.monotonic() - began > 14
        # It says nothing: the next event is the node's.
        server.set("g", "x", 5)
        assert source.event().name == "upd"


@pytest.mark.weighed
def test_a_stalled_reader_is_bounded_and_gets_the_newest():
    with Server({"g": CHAIN}) as server:
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect((server.host, server.port))
        slow.sendall(f"GET {EVENTS}?node=any HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        text = "x" * 20_000
        before = server.resident()
        for number in range(600):
            server.set("g", "any", [number, text])
        listener, = server.picture("g")["listeners"]
        assert server.resident() - before < 20 << 20
        connection = next(
            c for c in server.get("/v1/connections").json()["connections"] if c["c"] == listener["l"]
        )
        assert connection["queued"] < 256 * 1024
        slow.settimeout(PATIENCE)
        seen = b""
        while b'"v":[599,' not in seen or not seen.endswith(b"\n\n\r\n"):
            seen += slow.recv(1 << 20)
        assert seen.count(b"event: upd") < 600, "values were folded"
        assert b'"n":' in seen[-200:]
        slow.close()


def test_a_draining_server_says_when_to_come_back():
    with Server({"g": CHAIN}) as server:
        with EventSource(server, EVENTS + "?node=x") as source:
            source.event()
            server.process.terminate()
            end = source.event()
            assert end.name == "end" and end.json()["code"] == "shutdown"
            assert 200 <= source.retry <= 3000
            assert source.event() is None


@pytest.mark.browser
def test_a_browsers_own_event_source_reconnects_and_resumes(server, browser):
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(server.url)
        page.evaluate("""() => {
            window.seen = [];
            window.source = new EventSource('/v1/graphs/g/events?node=x');
            for (const name of ['snap', 'upd', 'end'])
                source.addEventListener(name, e => seen.push([name, e.lastEventId, JSON.parse(e.data)]));
        }""")
        eventually(lambda: page.evaluate("seen.length") == 1)
        server.set("g", "x", 5)
        eventually(lambda: page.evaluate("seen.length") == 2)
        streams = [
            c["c"] for c in server.get("/v1/connections").json()["connections"] if c["transport"] == "sse"
        ]
        # The page itself may listen as well.
        for name in streams:
            server.request("DELETE", f"/v1/connections/{name}")
        eventually(lambda: page.evaluate("seen.length") >= 3)
        name, cursor, snap = page.evaluate("seen[2]")
        assert name == "snap" and snap["resumed"] is True and "v" not in snap
        assert cursor == f"{snap['epoch']}:{snap['rev']}"
    finally:
        context.close()
