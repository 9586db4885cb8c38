"""What a hostile case is, and the forms that most cases have.

A case is a name and a function of a server. It sends its bytes and compares what comes back;
whether everybody else was served meanwhile, and whether everything it used was given back, is
looked at behind every case by the same code (standing.py).
"""

import json
from dataclasses import dataclass, replace
from typing import Callable

from rawsocket import Closed, RawSocket, RawWebSocket

# What is expected of the connection behind the last answer.
OPEN, END = "goes on", "is closed"


@dataclass(frozen=True)
class Case:
    name: str
    run: Callable
    # For a request whose end is ambiguous: its bytes and its status.
    doubt: tuple = None


def fill(text, server):
    """Bytes of a text in which `{host}` stands for the server's own address and `{H}` for a whole
    Host line."""
    if isinstance(text, bytes):
        return text
    own = f"{server.host}:{server.port}"
    return text.replace("{H}", f"Host: {own}\r\n").replace("{host}", own).encode("latin-1")


class Exchange(RawSocket):
    """A connection that reads whole answers, and minds which of them belong to HEAD."""

    def pour(self, data):
        """Sends what the peer still takes: it may have refused before the last byte."""
        try:
            self.send(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def answer(self, to_head=False):
        """(status, headers, body); interim answers are handed out like any other."""
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        assert lines[0].startswith("HTTP/1.1 "), lines
        headers = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            name, value = name.lower(), value.strip()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        status = int(lines[0].split()[1])
        if to_head or status in (100, 204, 304):
            return status, headers, b""
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(self.until(b"\r\n"), 16):
                body += self.exactly(size)
                self.exactly(2)
            self.exactly(2)
            return status, headers, body
        return status, headers, self.exactly(int(headers.get("content-length", 0)))

    def is_in_step(self):
        """Whether a further request on this connection gets its own answer and no other."""
        self.send(fill("GET /v1/graphs/g/nodes/small HTTP/1.1\r\n{H}\r\n", self.server))
        status, _, body = self.answer()
        assert status == 200 and body == b"3", (status, body)
        assert not self.buffer


def judge(status, headers, body):
    """What every refusal has in common."""
    if headers.get("content-type") == "application/problem+json" and body:
        problem = json.loads(body)
        assert problem["status"] == status and problem["code"] and problem["detail"], problem
    if status == 405:
        assert headers["allow"]
    if status in (429, 503):
        assert int(headers["retry-after"]) > 0
    if status == 426:
        assert headers["sec-websocket-version"] == "13" and headers["upgrade"] == "websocket"


def exchange(name, text, *expected, then=OPEN, heads=False, fields=None):
    """Sends `text` at once; `expected` are the statuses of the answers, `then` what becomes of the
    connection (None: whatever).

    `heads`: the answers have no bodies. `fields`: header fields of the last answer; None for one
    that must not stand there.
    """

    def run(server):
        with Exchange(server) as peer:
            peer.pour(fill(text, server))
            headers = {}
            for status in expected:
                got, headers, body = peer.answer(heads)
                assert got == status, (got, status, body)
                judge(got, headers, body)
            for field, value in (fields or {}).items():
                assert headers.get(field) == value, (field, headers)
            if then == END:
                if expected:
                    assert "close" in headers.get("connection", ""), headers
                assert peer.closed() and not peer.buffer, peer.buffer
            elif then == OPEN:
                peer.is_in_step()

    return Case(name, run)


def refused(name, text, status=400):
    """A request whose end nobody can be sure of: one error, and the connection is closed."""
    return replace(exchange(name, text, status, then=END), doubt=(text, status))


def upgrade(name, fields, status, line="GET /v1/ws HTTP/1.1", says=None):
    """A handshake; the connection does not go on as HTTP unless nothing asked for another protocol."""

    def run(server):
        with Exchange(server) as peer:
            peer.pour(fill(line + "\r\n" + fields + "\r\n", server))
            got, headers, body = peer.answer(line.startswith("HEAD "))
            assert got == status, (got, body)
            judge(got, headers, body)
            if says:
                assert says in body.decode(), body
            if status == 101:
                assert headers["upgrade"].lower() == "websocket" and headers["sec-websocket-accept"]
            else:
                assert "sec-websocket-accept" not in headers

    return Case(name, run)


def frames(name, data, code, path="/v1/ws", protocol="sluice.v1.json"):
    """Bytes on an open WebSocket, and the code it is closed with."""

    def run(server):
        with RawWebSocket(server, path, protocol) as peer:
            try:
                peer.send(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            got = peer.close_code()
            assert got == code, got
            assert peer.closed()

    return Case(name, run)


def message(name, text, code, id=None, more=None):
    """One message, and the code of its error; the socket stays open, and the session as it was."""

    def run(server):
        with RawWebSocket(server) as peer:
            for first in more or ():
                peer.text(first)
                peer.message()
            peer.text(text)
            answer = peer.message()
            assert answer["op"] == "err" and answer["code"] == code, answer
            assert answer.get("id") == id and answer["msg"] and answer["retry"] in (True, False), answer
            peer.text({"op": "ping", "id": 99})
            assert peer.message() == {"op": "ok", "id": 99}

    return Case(name, run)


def close_of(peer):
    """The code and reason of the close frame; None where the connection ended without."""
    try:
        while True:
            peer.message()
    except Closed as closed:
        return closed.code, closed.reason
    except (EOFError, ConnectionResetError):
        return None
