"""Requests sent without waiting for answers: each is answered, in their order, whatever they are
and however they arrive."""

import contextlib
import random
import socket
import time

import pytest
from rawsocket import RawSocket
from sluice import Server
from test_tls import Secure, say_the_end, together

pytestmark = pytest.mark.long

GRAPHS = {"g": "graph: g\nnodes:\n  x: { set: number, initial: 0 }\n  long: { set: string }\n"}
# A long answer stops a connection; what the kernel leaves of it often does not.
CONFIG = "limits: { body: 8MiB } # fixed: limits.answer=32MiB limits.pendingBytes=5MiB\n"
LENGTH = 6 << 20
NODES = "/v1/graphs/g/nodes"


def is_backup(body):
    return body.startswith(b"SQLite format 3")


# Method, path, body, and what is right for the status and the body that come.
REQUESTS = [
    ("GET", f"{NODES}/x", "", lambda status, body: status == 200 and body.isdigit()),
    ("GET", f"{NODES}/none", "", lambda status, body: status == 404),
    ("GET", f"{NODES}/long", "", lambda status, body: status == 200 and len(body) == LENGTH + 2),
    ("GET", f"{NODES}/x?at=1", "", lambda status, body: status == 200),
    ("POST", f"{NODES}/x", "7", lambda status, body: status == 200 and b'"rev"' in body),
    ("POST", f"{NODES}/x", '"text"', lambda status, body: status == 422),
    ("POST", "/v1/graphs/g/batch", '{"set":{"x":4}}', lambda status, body: status == 200),
    ("GET", "/v1/backup", "", lambda status, body: status == 200 and is_backup(body)),
    ("GET", "/client.js", "", lambda status, body: status == 200 and b"export" in body),
    ("HEAD", "/client.js", "", lambda status, body: status == 200),
]


def text(method, path, body, end):
    fields = "Connection: close\r\n" if end == "close" else ""
    fields += f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
    return (
        f"{method} {path} HTTP/{'1.0' if end == '1.0' else '1.1'}\r\nHost: localhost\r\n{fields}\r\n"
        f"{body}"
    ).encode()


def send(peer, data, choose):
    """In pieces that end anywhere."""
    cuts = sorted(choose.sample(range(1, len(data)), choose.randint(0, 4)))
    for start, end in zip([0, *cuts], [*cuts, len(data)]):
        peer.send(data[start:end])
        time.sleep(choose.choice([0, 0, 0.002]))


def end_side(peer, secure):
    if secure:
        say_the_end(peer.socket)
    else:
        peer.socket.shutdown(socket.SHUT_WR)


def answered(peer, method):
    if method == "HEAD":
        return int(peer.until(b"\r\n\r\n").split()[1]), b""
    status, _, body = peer.response()
    return status, body


def run(server, seed, secure):
    choose = random.Random(seed)
    requests = choose.choices(REQUESTS, k=choose.randint(1, 8))
    end = choose.choice(["keep-alive", "close", "1.0", "half"])
    # The past is not computed for a client that has ended its side: it may have gone.
    if end == "half":
        requests = [each for each in requests if "?at" not in each[1]] or REQUESTS[:1]
    ends = [None] * (len(requests) - 1) + [end]
    with RawSocket(server, receive_buffer=choose.choice([None, 65536]), secure=secure) as peer:
        # OpenSSL's client cannot say the end of its side once an answer has come.
        with (
            together(peer.socket)
            if choose.random() < 0.5 or secure and end == "half"
            else contextlib.nullcontext()
        ):
            send(peer, b"".join(text(*each[:3], last) for each, last in zip(requests, ends)), choose)
            if end == "half":
                end_side(peer, secure)
        time.sleep(choose.choice([0, 0, 0.02]))
        for number, (method, path, _, is_right) in enumerate(requests):
            status, body = answered(peer, method)
            assert is_right(status, body), (
                f"seed {seed}: {method} {path}, number {number} of {len(requests)}: {status} {body[:200]}"
            )
        if end in ("close", "1.0"):
            assert peer.closed() and not peer.buffer


def run_all(tmp_path, secure, seeds):
    server = Secure(tmp_path, CONFIG, GRAPHS, keeps=True) if secure else Server(GRAPHS, CONFIG, keeps=True)
    with server:
        server.set("g", "long", "x" * LENGTH)
        for seed in seeds:
            run(server, seed, secure)


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_every_request_is_answered_in_its_place(tmp_path, secure):
    run_all(tmp_path, secure, range(16))


@pytest.mark.nightly
@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_every_request_is_answered_in_its_place_for_long(tmp_path, secure):
    seed = random.randrange(1 << 32)
    print(f"seeds from {seed}")
    run_all(tmp_path, secure, range(seed, seed + 3_000))
