"""Peers that vanish: at every stage, by a reset (RST) and by an end (FIN) without goodbye."""

import socket
import struct

from hostile.case import Case, Exchange, fill
from rawsocket import RawWebSocket, frame
from sluice import eventually

NODE = "/v1/graphs/g/nodes/"
UPGRADE = (
    "GET /v1/ws HTTP/1.1\r\n{H}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
SUB = '{"op":"sub","id":1,"graph":"g","node":"%s"}'


def sent(text):
    """A connection on which that was sent, and nothing read."""

    def make(server):
        peer = Exchange(server)
        peer.send(fill(text, server))
        return peer

    return make


def answered(text):
    """The same, and the first byte of the answer was read."""

    def make(server):
        peer = sent(text)(server)
        assert peer.socket.recv(1)
        return peer

    return make


def open_socket(*data, path="/v1/ws", protocol="sluice.v1.json", reads=0):
    """A WebSocket on which that was sent, and so many messages read."""

    def make(server):
        peer = RawWebSocket(server, path, protocol)
        for piece in data:
            peer.send(piece if isinstance(piece, bytes) else frame(1, piece))
        for _ in range(reads):
            peer.message()
        return peer

    return make


def under_delivery(mode):
    """A subscriber that has not read what it was sent."""

    def make(server):
        peer = open_socket('{"op":"sub","id":1,"graph":"g","node":"any","mode":"%s"}' % mode, reads=1)(server)
        for number in range(20):
            server.set("g", "any", [number, "x" * 5000])
        return peer

    return make


def waiting(server):
    tag = server.get(NODE + "small").headers["ETag"]
    before = server.count("subscriptions", "g")
    peer = sent(f"GET {NODE}small HTTP/1.1\r\n" + "{H}" + f"If-None-Match: {tag}\r\nPrefer: wait=30\r\n\r\n")(
        server
    )
    eventually(lambda: server.count("subscriptions", "g") == before + 1)
    return peer


LINE = f"POST {NODE}any HTTP/1.1\r\n" + "{H}"
STAGES = [
    ("as soon as it is connected", sent("")),
    ("in the method", sent("GE")),
    ("in the target", sent("GET /v1/gra")),
    ("in the version", sent("GET /healthz HTTP/1.")),
    ("in a field's name", sent("GET /healthz HTTP/1.1\r\nHos")),
    ("in a field's value", sent("GET /healthz HTTP/1.1\r\nHost: 127.")),
    ("before the head's end", sent("GET /healthz HTTP/1.1\r\n{H}")),
    ("before the body", sent(LINE + "Content-Length: 10\r\n\r\n")),
    ("in the body", sent(LINE + "Content-Length: 10\r\n\r\n12345")),
    ("in a chunk's size", sent(LINE + "Transfer-Encoding: chunked\r\n\r\n1")),
    ("in a chunk", sent(LINE + "Transfer-Encoding: chunked\r\n\r\n5\r\n12")),
    ("between chunks", sent(LINE + "Transfer-Encoding: chunked\r\n\r\n2\r\n12\r\n")),
    ("in the last chunk", sent(LINE + "Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n")),
    ("before 100", sent(LINE + "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n")),
    ("behind 100", answered(LINE + "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n")),
    ("before the answer", sent("GET /healthz HTTP/1.1\r\n{H}\r\n")),
    ("in the answer", answered("GET /openapi.json HTTP/1.1\r\n{H}\r\n")),
    ("in many answers", answered("GET /openapi.json HTTP/1.1\r\n{H}\r\n" * 50)),
    ("in a file", answered("GET /index.html HTTP/1.1\r\n{H}\r\n")),
    ("behind a set, before its answer", sent(LINE + "Content-Length: 1\r\n\r\n1")),
    ("behind a hundred sets", sent((LINE + "Content-Length: 1\r\n\r\n1") * 100)),
    ("behind an error", answered("BREW / HTTP/1.1\r\n\r\n")),
    ("while a read waits", waiting),
    ("in the opening of an event stream", sent("GET /v1/graphs/g/events?node=deep HTTP/1.1\r\n{H}\r\n")),
    ("in an event stream", answered("GET /v1/graphs/g/events?node=deep HTTP/1.1\r\n{H}\r\n")),
    ("in the handshake", sent(UPGRADE[:60])),
    ("before the handshake's last line", sent(UPGRADE[:-2])),
    ("behind the handshake, before its answer", sent(UPGRADE)),
    ("in the handshake's answer", answered(UPGRADE)),
    ("behind the handshake", open_socket()),
    ("behind one byte of a frame", open_socket(b"\x81")),
    ("in a frame's length", open_socket(b"\x81\xfe\x00")),
    ("in a frame's mask", open_socket(b"\x81\x85ma")),
    ("in a frame's payload", open_socket(b"\x81\x85mask12")),
    ("between pieces", open_socket(frame(1, "{", fin=False))),
    ("in a ping", open_socket(b"\x89\x85mask1")),
    ("behind a ping, before its pong", open_socket(frame(9, "x"))),
    ("behind a close, before its answer", open_socket(frame(8, b"\x03\xe8"))),
    ("behind a broken frame", open_socket(frame(3))),
    ("behind a subscription, before its snapshot", open_socket(SUB % "deep")),
    ("behind a snapshot", open_socket(SUB % "deep", reads=1)),
    (
        "behind a hundred subscriptions",
        open_socket(*[(SUB % "deep").replace(":1,", f":{i},") for i in range(1, 101)]),
    ),
    (
        "with a pipeline",
        open_socket('{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"value+1"}]}', reads=1),
    ),
    (
        "with a timer",
        open_socket('{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"delay":50}],"every":50}', reads=1),
    ),
    ("with all nodes", open_socket('{"op":"sub","id":1,"graph":"g","nodes":["*"]}', reads=1)),
    ("while it looks on", open_socket('{"op":"observe","id":1,"graph":"g"}', reads=1)),
    ("while it is told the newest", under_delivery("latest")),
    ("while it is told everything", under_delivery("all")),
    ("behind a set on a socket", open_socket('{"op":"set","id":1,"graph":"g","set":{"any":1}}')),
    ("on a plain stream", open_socket(path=NODE + "deep", protocol=None)),
    ("on a plain stream, behind a value", open_socket("7", path=NODE + "any", protocol=None)),
]


def end_of(make, how):
    def run(server):
        peer = make(server)
        peer.reset() if how == "RST" else peer.close()

    return run


def presence(how):
    """What was set for as long as its setter is there goes with it."""

    def run(server):
        server.set("g", "any", 0)
        peer = open_socket('{"op":"set","id":1,"graph":"g","set":{"any":7},"presence":true}', reads=1)(server)
        assert server.value("g", "any") == 7
        peer.reset() if how == "RST" else peer.close()
        eventually(lambda: server.get(NODE + "any").status == 204)

    return run


def tls(stage, how):
    """At stages of TLS; the server is a `Secure` one."""

    def run(server):
        raw = socket.create_connection((server.host, server.port), timeout=5)
        if stage == "in the hello":
            raw.sendall(b"\x16\x03\x01\x02\x00\x01\x00")
        elif stage != "before the hello":
            wire = server.trust.wrap_socket(raw, server_hostname="localhost")
            if stage == "in a head":
                wire.sendall(b"GET / HTTP/1.1\r\nHos")
            elif stage == "before the answer":
                wire.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            elif stage == "on a socket":
                wire.sendall(fill(UPGRADE.replace("/v1/ws", NODE + "deep"), server))
                assert b"101" in wire.recv(4096)
            raw = socket.socket(fileno=wire.detach())
            if stage == "in a record":
                raw.sendall(b"\x17\x03\x03\x40\x00" + b"x" * 100)
        if how == "RST":
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.close()

    return run


WAYS = ("RST", "FIN")
CASES = [Case(f"{how} {name}", end_of(make, how)) for name, make in STAGES for how in WAYS]
CASES += [Case(f"{how} of who was present", presence(how)) for how in WAYS]
TLS = [
    Case(f"{how} over TLS, {stage}", tls(stage, how))
    for how in WAYS
    for stage in (
        "before the hello", "in the hello", "behind the handshake", "in a head", "in a record",
        "before the answer", "on a socket",
    )
]
