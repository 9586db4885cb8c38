"""Peers that take their time: a head, a body, a frame, a handshake in drips, or nothing at all; and
peers that never read.

All of these run at the same time on servers with short times; what each of them met is looked at afterwards.
"""

import json
import socket
import ssl
import time

from hostile.case import Case, Exchange, close_of, fill
from rawsocket import RawSocket, RawWebSocket, frame

TIMES = """
times: { idle: 1500ms } # fixed: times.handshake=1500ms times.headers=1500ms times.body=7s times.frame=1500ms times.hello=1s times.close=1s times.wait=1s
heartbeat: 1s
"""
LINE = "POST /v1/graphs/g/nodes/any HTTP/1.1\r\n{H}"


def drip(peer, pieces, pause):
    """Sends piece by piece until the peer has had enough; returns the seconds that took."""
    began = time.monotonic()
    peer.socket.settimeout(pause)
    for piece in pieces:
        try:
            peer.send(piece)
            if data := peer.socket.recv(65536):
                peer.buffer += data
                break
            return time.monotonic() - began
        except TimeoutError:
            continue
        except OSError:
            break
    peer.socket.settimeout(10)
    return time.monotonic() - began


def http(name, first, pieces=(), pause=0.05, status=408, least=0.0, most=7.0):
    """Sends `first` and then drips `pieces`: an answer of that status, or none, and the end, after
    so many seconds."""

    def run(server):
        began = time.monotonic()
        with Exchange(server) as peer:
            peer.send(fill(first, server))
            drip(peer, pieces, pause)
            if b"100-continue" in first.encode():
                assert peer.answer()[0] == 100
            if status:
                got, headers, body = peer.answer()
                assert got == status and "close" in headers["connection"], (got, body)
                assert json.loads(body)["code"] == "timeout"
            assert peer.closed() and not peer.buffer, peer.buffer
        took = time.monotonic() - began
        assert least <= took <= most, f"ended after {took:.2f} s"

    return Case(name, run)


def letters(count):
    return [b"a"] * count


HTTP = [
    http("a silent connection", "", status=None, least=1.2),
    http("half a method", "GE", least=1.2),
    http("half a request line", "GET /healthz HT", least=1.2),
    http("half a field", "GET /healthz HTTP/1.1\r\nHos", least=1.2),
    http("no end of the head", "GET /healthz HTTP/1.1\r\n{H}", least=1.2),
    http("half of the last line end", "GET /healthz HTTP/1.1\r\n{H}\r", least=1.2),
    http("a head in drips", "GET /healthz HTTP/1.1\r\nX: ", letters(100), least=1.2),
    http("fields in drips", "GET /healthz HTTP/1.1\r\n{H}", [b"X: 1\r\n"] * 80, least=1.2),
    http("a request line in drips", "GET /", letters(100), least=1.2),
    http("half an upgrade", "GET /v1/ws HTTP/1.1\r\n{H}Connection: Upgrade\r\nUpgrade: webs", least=1.2),
    http("one empty line and silence", "\r\n", status=None, least=1.2),
    http("no body", LINE + "Content-Length: 10\r\n\r\n", least=4, most=10),
    http("no body after 100", LINE + "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n", least=4, most=10),
    http("a body in drips", LINE + "Content-Length: 1000\r\n\r\n", [b"1"] * 100, pause=0.1, least=4, most=10),
    http("no chunks", LINE + "Transfer-Encoding: chunked\r\n\r\n", least=4, most=10),
    http("half a chunk size", LINE + "Transfer-Encoding: chunked\r\n\r\n1", least=4, most=10),
    http(
        "a chunk size of zeros in drips", LINE + "Transfer-Encoding: chunked\r\n\r\n", [b"0" * 100] * 100,
        pause=0.1, least=4, most=10,
    ),
    http(
        "chunks in drips", LINE + "Transfer-Encoding: chunked\r\n\r\n", [b"1\r\n1\r\n"] * 100, pause=0.1,
        least=4, most=10,
    ),
    http("no last chunk", LINE + "Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n", least=4, most=10),
    http(
        "a body fast enough that never ends", LINE + "Content-Length: 60000\r\n\r\n", [b"1" * 300] * 100,
        pause=0.1, least=6, most=12,
    ),
]


def answered_in_time(server):
    """A body of 2 KiB/s is not too slow."""
    with Exchange(server) as peer:
        peer.send(fill(LINE + "Content-Length: 12002\r\n\r\n\"", server))
        for _ in range(60):
            peer.send(b"x" * 200)
            time.sleep(0.09)
        peer.send(b'"')
        assert peer.answer()[0] == 200


def idle(server):
    with Exchange(server) as peer:
        peer.send(fill("GET /healthz HTTP/1.1\r\n{H}\r\n", server))
        assert peer.answer()[0] == 200
        began = time.monotonic()
        assert peer.closed() and not peer.buffer
        assert 1.2 < time.monotonic() - began < 7


def half_closed(text, *statuses):
    """The peer has said that it sends nothing more; what it asked for it gets."""

    def run(server):
        with Exchange(server) as peer:
            peer.send(fill(text, server))
            peer.socket.shutdown(socket.SHUT_WR)
            for status in statuses:
                assert peer.answer()[0] == status
            assert peer.closed() and not peer.buffer

    return run


def long_poll(server):
    """Waits no longer than `times.wait`, and is answered."""
    with Exchange(server) as peer:
        node = "/v1/graphs/g/nodes/small"
        peer.send(fill(f"GET {node} HTTP/1.1\r\n" + "{H}\r\n", server))
        tag = peer.answer()[1]["etag"]
        began = time.monotonic()
        peer.send(
            fill(
                f"GET {node} HTTP/1.1\r\n" + "{H}" + f"If-None-Match: {tag}\r\nPrefer: wait=3600\r\n\r\n",
                server,
            )
        )
        assert peer.answer()[0] == 304
        assert 0.8 < time.monotonic() - began < 5


def takes_no_answers(path):
    """Pipelines requests for a large answer and reads nothing: it is not read from, and ended after
    the idle time."""

    def run(server):
        with RawSocket(server, timeout=4) as peer:
            peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one = fill(f"GET {path} HTTP/1.1\r\n" + "{H}\r\n", server)
            until = time.monotonic() + 8
            try:
                # How much the kernels take between them is not known; the server has to end it.
                while time.monotonic() < until:
                    peer.send(one * 20)
                    time.sleep(0.001)
            except (ConnectionResetError, BrokenPipeError):
                return
            raise AssertionError("the connection was not ended")

    return run


CONNECTIONS = [
    Case("a body that is not too slow", answered_in_time),
    Case("a connection without a further request", idle),
    Case("a request, then the end", half_closed("GET /healthz HTTP/1.1\r\n{H}\r\n", 200)),
    Case("three requests, then the end", half_closed("GET /healthz HTTP/1.1\r\n{H}\r\n" * 3, 200, 200, 200)),
    Case("half a head, then the end", half_closed("GET /healthz HTTP/1.1\r\n{H}")),
    Case("half a body, then the end", half_closed(LINE + "Content-Length: 10\r\n\r\n123")),
    Case("nothing, then the end", half_closed("")),
    Case("a read that waits an hour", long_poll),
    Case("requests whose answers nobody takes", takes_no_answers("/openapi.json")),
    Case("files that nobody takes", takes_no_answers("/index.html")),
]


def websocket(
    name, first, pieces=(), pause=0.05, code=4508, least=1.2, most=9, path="/v1/ws", protocol="sluice.v1.json"
):
    def run(server):
        began = time.monotonic()
        with RawWebSocket(server, path, protocol) as peer:
            peer.send(first)
            drip(peer, pieces, pause)
            closed = close_of(peer)
            assert closed and closed[0] == code, closed
            assert peer.closed()
        took = time.monotonic() - began
        assert least <= took <= most, f"ended after {took:.2f} s"

    return Case(name, run)


def answers_pings(server):
    """Who answers pings stays, however little it says."""
    with RawWebSocket(server) as peer:
        peer.text({"op": "sub", "id": 1, "graph": "g", "node": "small"})
        until = time.monotonic() + 4.5
        pings = 0
        while time.monotonic() < until:
            opcode, payload = peer.next_frame()
            if opcode == 9:
                pings += 1
                peer.send(frame(10, payload))
            else:
                assert opcode == 1 and json.loads(payload)["op"] in ("snap", "hb")
        assert pings >= 3


def does_not_end(server):
    """A peer that was told goodbye and stays is ended all the same."""
    with RawWebSocket(server) as peer:
        peer.send(frame(3))
        assert close_of(peer) == (1002, "unknown opcode")
        began = time.monotonic()
        while time.monotonic() < began + 6:
            try:
                peer.send(frame(1, '{"op":"ping","id":1}'))
            except OSError:
                return
            time.sleep(0.05)
        raise AssertionError("the connection was not ended")


def silent_stream(path):
    """A stream whose client reads nothing is ended by the kernel's word or ours, not kept for ever."""

    def run(server):
        with Exchange(server) as peer:
            peer.send(fill(f"GET {path} HTTP/1.1\r\n" + "{H}\r\n", server))
            assert b"200" in peer.until(b"\r\n\r\n")
            time.sleep(1)

    return run


WEBSOCKETS = [
    websocket("one byte of a frame", b"\x81"),
    websocket("half a header", b"\x81\xfe\x00"),
    websocket("half a mask", b"\x81\x85ma"),
    websocket("half a message", b"\x81\x85mask12"),
    websocket("a message in drips", b"\x81\xfe\x10\x00mask", letters(100)),
    websocket("pieces without end", frame(1, "x", fin=False), [frame(0, "", fin=False)] * 100),
    websocket("pings within a message", frame(1, "x", fin=False), [frame(9, "p")] * 100),
    websocket("no pong", b"", least=2.5),
    websocket(
        "no pong, but a subscription", frame(1, '{"op":"sub","id":1,"graph":"g","node":"x"}'), least=2.5
    ),
    websocket(
        "half a value on a plain stream", b"\x81\x85mask12", path="/v1/graphs/g/nodes/any", protocol=None
    ),
    websocket("no pong on a plain stream", b"", path="/v1/graphs/g/nodes/x", protocol=None, least=2.5),
    Case("pongs and nothing else", answers_pings),
    Case("goodbye, and it stays", does_not_end),
    Case("events, then silence", silent_stream("/v1/graphs/g/events?node=x")),
]
PLAIN = HTTP + CONNECTIONS + WEBSOCKETS


# The same over TLS; the server is a `Secure` one.

def secure(server, data=b""):
    raw = socket.create_connection((server.host, server.port), timeout=10)
    wire = server.trust.wrap_socket(raw, server_hostname="localhost")
    if data:
        wire.sendall(data)
    return wire


def rest(wire):
    """All that still comes."""
    data = b""
    try:
        while piece := wire.recv(65536):
            data += piece
    except (ssl.SSLError, ConnectionResetError):
        pass
    return data


def tls_raw(name, first, pieces=(), most=6):
    def run(server):
        began = time.monotonic()
        with RawSocket(server) as peer:
            peer.send(first)
            drip(peer, pieces, 0.05)
            assert peer.closed()
        assert time.monotonic() - began < most

    return Case(name, run)


def tls(name, data, expect, most=7):
    def run(server):
        began = time.monotonic()
        with secure(server, data) as wire:
            heard = rest(wire)
            assert expect in heard if expect else not heard, heard
        assert time.monotonic() - began < most

    return Case(name, run)


def tls_half_record(server):
    """A record that is begun and not finished."""
    wire = secure(server)
    with socket.socket(fileno=wire.detach()) as raw:
        raw.settimeout(5)
        raw.sendall(b"\x17\x03\x03\x40\x00" + b"x" * 100)
        while raw.recv(4096):
            pass


def tls_bad_record(server):
    """A record that does not decrypt ends this connection."""
    wire = secure(server)
    with socket.socket(fileno=wire.detach()) as raw:
        raw.settimeout(5)
        raw.sendall(b"\x17\x03\x03\x00\x40" + b"x" * 64)
        try:
            while raw.recv(4096):
                pass
        except ConnectionResetError:
            pass


def tls_many_empty_records(server):
    """Ten thousand little records are as good as one."""
    with secure(server) as wire:
        for letter in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n":
            wire.sendall(bytes([letter]))
        assert rest(wire).startswith(b"HTTP/1.1 200")


HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
TLS = [
    tls_raw("TLS: silence", b""),
    tls_raw("TLS: one byte", b"\x16"),
    tls_raw("TLS: half a hello", HELLO + b"\0" * 32),
    tls_raw("TLS: a hello in drips", b"\x16\x03\x01", [b"\0"] * 150),
    tls_raw("TLS: a record of zeros", b"\x16\x03\x01\x40\x00" + b"\0" * 16_384),
    tls_raw("TLS: an alert", b"\x15\x03\x03\x00\x02\x02\x28"),
    tls_raw("TLS: data before the handshake", b"\x17\x03\x03\x00\x05hello"),
    tls_raw("TLS: a record too long", b"\x16\x03\x01\xff\xff" + b"x" * 65_535),
    tls_raw("TLS: another protocol", b"SSH-2.0-x\r\n"),
    tls_raw("TLS: plain HTTP", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    tls("TLS: silence behind the handshake", b"", b""),
    tls("TLS: half a head", b"GET / HTTP/1.1\r\nHos", b"408"),
    tls(
        "TLS: half a body",
        b"POST /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1", b"408", 11,
    ),
    tls(
        "TLS: no JSON",
        b"POST /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n{", b"400",
    ),
    tls(
        "TLS: both lengths",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"400",
    ),
    Case("TLS: half a record", tls_half_record),
    Case("TLS: a record that does not decrypt", tls_bad_record),
    Case("TLS: a record for each byte", tls_many_empty_records),
]


# And where a token is wanted.

GUARDED = [
    websocket("hello: silence", b"", code=4408, least=0.8),
    websocket("hello: pings instead", b"", [frame(9, "p")] * 40, code=4408, least=0.8),
    websocket(
        "hello: other requests instead", b"", [frame(1, '{"op":"list","id":1}')] * 40, code=4408, least=0.8
    ),
    websocket("hello: without a token", frame(1, '{"op":"hello"}'), code=4408, least=0.8),
    websocket("hello: a token that is none", frame(1, '{"op":"hello","token":"x"}'), code=4408, least=0.8),
    websocket("hello: half of it", b"\x81\xfe\x10\x00mask{", code=4408, least=0.8),
]
