"""A server that stood still, stopped or busy for longer than its peers have time: what they sent in
time counts."""

import contextlib
import json
import pathlib
import signal
import subprocess
import tempfile
import time

import pytest
from conftest import CHAIN
from rawsocket import RawSocket, RawWebSocket, frame
from sluice import BINARY, Server

pytestmark = [pytest.mark.long, pytest.mark.first]

LIMIT = 2
TIMES = (
    f"heartbeat: {LIMIT}s\ntimes: {{ idle: {LIMIT}s }} # fixed: times.headers={LIMIT}s "
    f"times.body={LIMIT}s times.frame={LIMIT}s times.hello={LIMIT}s\n"
)
NODE = "/v1/graphs/g/nodes/"


class Frozen(contextlib.ExitStack):
    """A server that wants a token, and stands still for longer than `LIMIT` where a test says so."""

    def __enter__(self):
        super().__enter__()
        made = subprocess.run([BINARY, "token", "--name", "bob"], check=True, capture_output=True, text=True)
        self.token = made.stderr.split("(shown once): ")[1].split()[0]
        file = pathlib.Path(self.enter_context(tempfile.TemporaryDirectory())) / "tokens"
        file.write_text("tokens:\n" + made.stdout)
        self.server = self.enter_context(Server({"g": CHAIN}, f"auth: {file}\n{TIMES}"))
        return self

    @contextlib.contextmanager
    def still(self):
        """What is done inside is done while the server stands still."""
        # What was sent before is read before.
        time.sleep(0.1)
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            yield
            time.sleep(LIMIT * 1.5)
        finally:
            self.server.process.send_signal(signal.SIGCONT)

    def head(self, text):
        return f"{text} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"

    def socket(self):
        peer = RawWebSocket(self.server)
        peer.text({"op": "hello", "token": self.token})
        assert peer.message()["op"] == "hello"
        return peer


def test_peers_that_were_in_time_survive_a_server_that_stood_still():
    with Frozen() as frozen:
        head, body, idle = (RawSocket(frozen.server) for _ in range(3))
        idle.send(frozen.head("GET /healthz") + "\r\n")
        assert idle.response()[0] == 200
        message, silent = frozen.socket(), RawWebSocket(frozen.server)
        text = frame(1, json.dumps({"op": "get", "id": 1, "graph": "g", "nodes": ["x"]}))
        request = frozen.head(f"GET {NODE}x") + "\r\n"
        head.send(request[:30])
        body.send(frozen.head(f"POST {NODE}x") + "Content-Length: 2\r\n\r\n1")
        message.send(text[:5])
        with frozen.still():
            head.send(request[30:])
            body.send("2")
            idle.send(request)
            message.send(text[5:])
            silent.text({"op": "hello", "token": frozen.token})
        assert silent.message()["op"] == "hello", "times.hello"
        assert message.message()["id"] == 1, "times.frame"
        for peer, name in [(head, "times.headers"), (body, "times.body"), (idle, "times.idle")]:
            assert peer.response()[0] == 200, name


def test_a_pong_that_lies_on_the_socket_counts():
    with Frozen() as frozen:
        peer = frozen.socket()
        for _ in range(2):
            while peer.next_frame()[0] != 9:
                pass
        # Two are missed: without an answer the next look would be the last.
        with frozen.still():
            peer.send(frame(10))
        peer.text({"op": "ping", "id": 1})
        while (answer := peer.message())["op"] == "hb":
            pass
        assert answer == {"op": "ok", "id": 1}


def test_peers_that_were_not_in_time_are_ended_all_the_same():
    with Frozen() as frozen:
        head, silent = RawSocket(frozen.server), RawWebSocket(frozen.server)
        head.send("GET / HTTP/1.1\r\n")
        with frozen.still():
            pass
        assert head.response()[0] == 408
        assert silent.close_code() == 4408
