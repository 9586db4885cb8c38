"""Source nodes that take server-sent events."""

import threading
import time

import pytest

from sluice import eventually
from sources import BOUNDS, held, listening, open_upstreams, serve, state

EVENTS = (
    '  price: { source: { events: "met:/prices", event: quote, pick: value.price } }\n'
    '  plain: { source: { events: "met:/prices", as: text } }\n'
)


def stream(events, ends=None):
    """An answer that sends events, and then more as they come to the list, until `ends`."""

    def answer(call):
        call.send_response(200)
        call.send_header("Content-Type", "text/event-stream; charset=utf-8")
        call.send_header("Transfer-Encoding", "chunked")
        call.end_headers()
        sent = 0
        while not (ends and ends.is_set()):
            for event in events[sent:]:
                data = event.encode()
                call.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                sent += 1
            call.wfile.flush()
            time.sleep(0.01)
            if not sent and call.connection.fileno() < 0:
                return
        call.close_connection = True

    return answer


def test_s_5_events_are_taken_by_their_type_from_one_stream(upstream):
    """S-2, S-5."""
    events = ["id: 1\nevent: quote\ndata: {\"price\": 5}\n\n", "data: hello\n\n"]
    ends = threading.Event()
    upstream.answer = stream(events, ends)
    with serve(upstream, EVENTS) as server, listening(server, "price") as (peer, _):
        assert peer.message()["d"] == [{"id": 1, "v": 5}]
        assert upstream.requests[0].headers["Accept"] == "text/event-stream"
        assert peer.subscribe("g", "plain", id=2)["empty"]
        events.append("data: again\n\nevent: other\ndata: no\n\n")
        eventually(lambda: held(server, "plain") == "again")
        (shown,) = open_upstreams(server)
        assert shown == {"u": shown["u"], "from": upstream.url, "nodes": 2, "state": "open"}
        # It ends and is connected again, from the last event on.
        ends.set()
        eventually(lambda: len(upstream.requests) == 2)
        assert upstream.requests[1].headers["Last-Event-ID"] == "1"
        assert held(server, "price") == 5


def test_s_1_a_stream_closes_with_its_last_listener(upstream):
    """S-1."""
    gone = threading.Event()

    def answer(call):
        try:
            stream(["event: quote\ndata: {\"price\": 1}\n\n"] + [":\n\n"] * 100_000)(call)
        except OSError:
            gone.set()

    upstream.answer = answer
    with serve(upstream, EVENTS) as server:
        with listening(server, "price") as (peer, _):
            assert peer.message()["d"] == [{"id": 1, "v": 1}]
        assert gone.wait(10)
        assert open_upstreams(server) == []
        assert held(server, "price") == 1


def test_a_stream_that_floods_waits_and_holds_up_nobody(upstream):
    """Nothing is folded: what the server has no time for stays with the upstream."""
    burst = b"".join(b"event: quote\ndata: {\"price\": %d}\n\n" % i for i in range(2_000))
    ends = threading.Event()

    def answer(call):
        call.send_response(200)
        call.send_header("Content-Type", "text/event-stream")
        call.end_headers()
        try:
            while not ends.is_set():
                call.wfile.write(burst)
            call.wfile.write(b"event: quote\ndata: {\"price\": \"last\"}\n\n")
            call.wfile.flush()
            time.sleep(20)
        except OSError:
            pass

    upstream.answer = answer
    with serve(upstream, EVENTS + "  z: { set: any }\n") as server, listening(server, "price"):
        eventually(lambda: held(server, "price"))
        before = server.resident()
        for i in range(50):
            server.set("g", "z", i)
        assert server.resident() - before < 32 << 20
        ends.set()
        eventually(lambda: held(server, "price") == "last")


@pytest.mark.parametrize(
    "answer, code",
    [
        (lambda call: call.reply({"no": "stream"}), "bad_answer"),
        (lambda call: call.reply({}, status=401), "status"),
        (stream(["data: " + "x" * (200 << 10)]), "bad_answer"),
        (stream(["event: quote\ndata: {\n\n"]), "bad_answer"),
        (stream(["event: quote\ndata: {}\n\n"]), "not_found"),
        (lambda call: call.hang(), "timeout"),
    ],
)
def test_hostile_streams_are_named(upstream, answer, code):
    upstream.answer = answer
    with serve(upstream, EVENTS, BOUNDS) as server:
        with listening(server, "price"):
            eventually(lambda: state(server, "price").get("error", {}).get("code") == code)
