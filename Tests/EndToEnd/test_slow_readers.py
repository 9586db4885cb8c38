"""Clients that are slow get all of what they asked for; those that do not read, or do not send to
the end, cost little and are let go of."""

import hashlib
import json
import os
import select
import signal
import socket
import time

import pytest
from access import Guarded
from conftest import CHAIN
from rawsocket import RawSocket, RawWebSocket, frame
from redis_server import Redis
from sluice import PATIENCE, Server, eventually
from test_tls import Secure

pytestmark = pytest.mark.long

MEBIBYTE = 1 << 20
# More than the kernel keeps for both ends of a connection.
VALUES = "graph: g\nnodes:\n" + "".join(f"  n{i}: {{ set: string }}\n" for i in range(24))
IMPATIENT = (
    "limits: { body: 2MiB }\ntimes: { idle: 1500ms } # fixed: times.close=1500ms limits.answer=32MiB\n"
)


def ask(server, path, fields="", **options):
    peer = RawSocket(server, receive_buffer=65536, **options)
    peer.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n")
    return peer


def read_slowly(peer, seconds):
    """Takes the body that the head announces, for at least so long."""
    head = peer.until(b"\r\n\r\n").decode().lower()
    size = int(head.split("content-length: ")[1].split("\r\n")[0])
    begun, got = time.monotonic(), len(peer.buffer)
    while got < size:
        while got > size * (time.monotonic() - begun) / seconds:
            time.sleep(0.01)
        data = peer.socket.recv(256 * 1024)
        assert data, f"{got} of {size} bytes came"
        got += len(data)
    assert got == size
    return size


def test_long_answers_of_one_turn_do_not_make_a_client_slow():
    """They are not sent yet when the turn's values are: the client reads all of them, and must get
    values afterwards."""
    graph = "nodes:\n  x: { set: number }\n" + "".join(f"  n{i}: {{ set: string }}\n" for i in range(10))
    with Server({"g": graph}) as server, RawWebSocket(server) as peer:
        for i in range(10):
            server.set("g", f"n{i}", "x" * 9000)
        peer.subscribe("g", "x")
        # More pipelines than one turn builds, so that the rest is performed by later turns.
        pipelines = [
            {
                "op": "sub", "id": 10 + i, "graph": "g", "node": "n1",
                "pipe": [{"map": f"size(value) + {i}"}], "initial": False,
            }
            for i in range(120)
        ]
        peer.text(
            [
                *pipelines, {"op": "get", "id": 2, "graph": "g"},
                {"op": "set", "graph": "g", "set": {"x": 1}}, {"op": "ping", "id": 3},
            ]
        )
        messages = iter(peer.message, None)
        updates = (message["d"] for message in messages if message["op"] == "upd")
        assert next(updates) == [{"id": 1, "v": 1}]
        server.set("g", "x", 2)
        assert next(updates) == [{"id": 1, "v": 2}]


@pytest.mark.parametrize("how", ["keep-alive", "close", "half-closed"])
def test_a_slow_reader_gets_all_of_a_long_answer(how):
    """Longer than a connection may be idle, and longer than a close may take."""
    with Server({"g": VALUES}, IMPATIENT) as server:
        for i in range(24):
            server.set("g", f"n{i}", "x" * MEBIBYTE)
        with ask(server, "/v1/graphs/g/values", "Connection: close\r\n" if how == "close" else "") as peer:
            if how == "half-closed":
                peer.socket.shutdown(socket.SHUT_WR)
            assert read_slowly(peer, 5) > 24 * MEBIBYTE
            if how != "keep-alive":
                assert peer.closed()


@pytest.mark.parametrize("how", ["keep-alive", "close"])
def test_a_client_that_reads_nothing_of_a_long_answer_is_released(how):
    with Server({"g": VALUES}, IMPATIENT) as server:
        for i in range(24):
            server.set("g", f"n{i}", "x" * MEBIBYTE)
        with ask(server, "/v1/graphs/g/values", "Connection: close\r\n" if how == "close" else ""):
            eventually(
                lambda: server.metrics()['sluice_connections{transport="http"}'] == 2,
                what="the answer under way",
            )
            eventually(
                lambda: server.metrics()['sluice_connections{transport="http"}'] == 1, what="the end of it"
            )


@pytest.fixture
def content():
    return os.urandom(MEBIBYTE) * 16


@pytest.fixture
def files(tmp_path, content):
    """The configuration of a server that has a large file."""
    (tmp_path / "large.bin").write_bytes(content)
    return f"mounts: [ /files={tmp_path} ]\n"


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_a_large_file_arrives_whole_and_the_next_request_is_answered(files, content, tmp_path, secure):
    running = Secure(tmp_path, files) if secure else Server({"g": CHAIN}, files)
    with running as server:
        with RawSocket(server, secure=secure) as peer:
            peer.send("GET /files/large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
                      "HEAD /files/large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
                      "GET /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
            status, _, body = peer.response()
            assert status == 200 and hashlib.sha256(body).digest() == hashlib.sha256(content).digest()
            head = peer.until(b"\r\n\r\n").decode()
            assert f"Content-Length: {len(content)}" in head
            assert peer.response()[2] == b"1"


def test_clients_that_do_not_read_a_large_file_cost_a_piece_of_it_each(files):
    with Server({"g": CHAIN}, files) as server:
        before = server.resident()
        peers = [ask(server, "/files/large.bin") for _ in range(40)]
        eventually(
            lambda: server.metrics()["sluice_sent_bytes_total"] > 40 * MEBIBYTE, what="bytes for each of them"
        )
        eventually(lambda: server.get("/healthz").status == 200)
        assert server.resident() - before < 40 * MEBIBYTE
        for peer in peers:
            peer.close()


def test_a_download_goes_on_while_the_server_drains(files, content):
    with Server({"g": CHAIN}, files) as server:
        with ask(server, "/files/large.bin") as peer:
            peer.until(b"\r\n\r\n")
            server.process.send_signal(signal.SIGTERM)
            eventually(lambda: "draining" in server.log_text())
            body = peer.exactly(len(content))
            assert body == content
            assert peer.closed()
        assert server.process.wait(PATIENCE) == 0


def test_a_file_that_becomes_shorter_breaks_the_connection_and_is_not_padded(files, content, tmp_path):
    with Server({"g": CHAIN}, files) as server:
        with ask(server, "/files/large.bin") as peer:
            peer.until(b"\r\n\r\n")
            os.truncate(tmp_path / "large.bin", 1000)
            with pytest.raises(EOFError):
                peer.exactly(len(content))
        assert server.get("/healthz").status == 200


SHARED = """
limits: { body: 1025KiB, message: 1MiB, held: 2MiB }
# fixed: limits.answer=32MiB
"""


def fill(server):
    """Sets 8 MiB of values; returns what makes the field that names a client."""
    nodes = ",".join(f'"n{i}":{{"set":"string"}}' for i in range(8))
    assert (
        server.ask(
            "alice", "PUT", "/v1/graphs/g", f'{{"graph":"g","nodes":{{"s":{{"set":"string"}},{nodes}}}}}'
        ).status
        == 201
    )
    for i in range(8):
        server.ask("alice", "POST", f"/v1/graphs/g/nodes/n{i}", f'"{"x" * MEBIBYTE}"')
    return lambda who: f"Authorization: Bearer {server.tokens[who]}\r\n"


@pytest.fixture
def shared(tmp_path):
    """A server on which what waits for one principal's clients is bounded, and the fields that name
    a client."""
    with Guarded(tmp_path, config=SHARED) as server:
        yield server, fill(server)


def test_answers_that_one_principal_does_not_read_are_bounded_together(shared):
    server, token = shared
    other = ask(server, "/v1/graphs/g/values", token("bob"))
    peers = [ask(server, "/v1/graphs/g/values", token("alice")) for _ in range(6)]
    eventually(
        lambda: server.metrics()["sluice_slow_peers_reset_total"] == 5, what="the reset of all but one"
    )
    assert server.metrics()['sluice_connections{transport="http"}'] == 3, (
        "one of alice's, bob's, and this one"
    )
    assert sum(peer.closed(1) for peer in peers) == 5
    # A client that is alone has only its own bounds.
    assert read_slowly(other, 0.5) > 8 * MEBIBYTE
    for peer in [other, *peers]:
        peer.close()


def test_clients_that_read_do_not_count_any_more(shared):
    server, token = shared
    peers = []
    for _ in range(4):
        peers.append(ask(server, "/v1/graphs/g/values", token("alice")))
        assert read_slowly(peers[-1], 0.2) > 8 * MEBIBYTE
    assert server.metrics()["sluice_slow_peers_reset_total"] == 0
    for peer in peers:
        peer.close()


@pytest.mark.parametrize("mode", ["all", "latest"])
def test_what_streams_hold_for_one_principal_is_bounded_together(shared, mode):
    server, token = shared
    peers = [RawWebSocket(server, receive_buffer=4096, fields=token("alice")) for _ in range(6)]
    for peer in peers:
        peer.subscribe("g", "s", mode=mode, **({"queue": 10_000} if mode == "all" else {}))
    poster = RawSocket(server)
    body = f'"{"x" * 60_000}"'
    for _ in range(150):
        poster.send(f"POST /v1/graphs/g/nodes/s HTTP/1.1\r\nHost: localhost\r\n{token('alice')}"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        assert poster.response()[0] == 200
    resets = server.metrics()["sluice_slow_peers_reset_total"]
    # A stalled stream of `latest` holds 64 KiB at most, and a message.
    assert 4 <= resets <= 5 if mode == "all" else resets == 0
    for peer in peers:
        peer.close()


def begin_to_set(server, token, size, before=None, whole=MEBIBYTE, **options):
    """A connection that has sent so much of a body; `before`: the fields of a request that came
    over it first."""
    peer = RawSocket(server, **options)
    if before is not None:
        peer.send(f"GET /v1/graphs HTTP/1.1\r\nHost: localhost\r\n{before}\r\n")
        assert peer.response()[0] == 200
    peer.send(f"POST /v1/graphs/g/nodes/n0 HTTP/1.1\r\nHost: localhost\r\n{token}"
              f"Content-Type: application/json\r\nContent-Length: {whole}\r\n\r\n\"" + "x" * size)
    return peer


def begin_message(server, token, size, **options):
    """A connection that has sent so much of a message, in a frame that is not the last."""
    peer = RawWebSocket(server, fields=token, **options)
    peer.send(frame(1, "x" * size, fin=False))
    return peer


def is_ended(peer):
    return bool(select.select([peer], [], [], 0)[0])


@pytest.mark.parametrize("whose", ["a principal's", "an address's"])
@pytest.mark.parametrize("begin", [begin_to_set, begin_message])
def test_what_is_not_sent_to_the_end_is_bounded_together(shared, whose, begin):
    server, token = shared
    if whose == "a principal's":
        others, these = {"token": token("bob")}, {"token": token("alice")}
    else:
        others, these = {"token": "", "source": "127.0.0.2"}, {"token": ""}
    other = begin(server, size=MEBIBYTE * 3 // 4, **others)
    peers = [begin(server, size=MEBIBYTE * 3 // 4, **these) for _ in range(6)]
    eventually(lambda: server.metrics()["sluice_slow_peers_reset_total"] == 4, what="the end of all but two")
    ended = [peer for peer in peers if is_ended(peer.socket)]
    assert len(ended) == 4
    for peer in ended:
        if begin is begin_to_set:
            status, headers, body = peer.response()
            assert status == 429 and json.loads(body)["code"] == "rate_limited", body
            assert headers["connection"] == "close"
        else:
            assert peer.close_code() == 4580
    # Those that are left can go on.
    for peer in [other, *set(peers).difference(ended)]:
        if begin is begin_to_set:
            peer.send("x" * (MEBIBYTE // 4 - 2) + '"')
            assert peer.response()[0] in (200, 401, 403)
        else:
            peer.send(frame(0, "x"))
            assert peer.message()["op"] == "err", "this is not JSON"
        peer.close()


@pytest.mark.parametrize("begin", [begin_to_set, begin_message])
def test_what_is_sent_to_the_end_does_not_count_any_more(shared, begin):
    server, token = shared
    peers = []
    for _ in range(4):
        peer = begin(server, token("alice"), MEBIBYTE * 3 // 4)
        if begin is begin_to_set:
            peer.send("x" * (MEBIBYTE // 4 - 2) + '"')
            assert peer.response()[0] == 200
        else:
            peer.send(frame(0, "x"))
        peers.append(peer)
    assert server.metrics()["sluice_slow_peers_reset_total"] == 0
    for peer in peers:
        peer.close()


@pytest.mark.parametrize("before", [None, "a proxy's", "another client's"])
def test_what_clients_send_through_a_proxy_counts_for_each_of_them(before):
    """Also over connections that served another client before."""
    fields = {None: None, "a proxy's": "", "another client's": "X-Forwarded-For: 10.0.0.1\r\n"}[before]
    with Server({"g": VALUES}, f"trustedProxies: [ 127.0.0.1 ]\n{SHARED}") as server:
        peers = [
            begin_to_set(server, f"X-Forwarded-For: 10.0.0.{i}\r\n", MEBIBYTE * 3 // 4, fields)
            for i in range(2, 6)
        ]
        same = [
            begin_to_set(server, "X-Forwarded-For: 10.0.0.9\r\n", MEBIBYTE * 3 // 4, fields) for _ in range(3)
        ]
        eventually(
            lambda: server.metrics()["sluice_slow_peers_reset_total"] == 1, what="the end of one of three"
        )
        assert not any(is_ended(peer.socket) for peer in peers)
        assert sum(is_ended(peer.socket) for peer in same) == 1
        for peer in peers + same:
            peer.close()


def test_what_is_sent_counts_for_the_one_who_sends_it(shared):
    """Not for the one who used the connection before."""
    server, token = shared
    peers = [
        begin_to_set(server, token(who), MEBIBYTE * 3 // 4, token("alice")) for who in ["bob", "device:7"] * 2
    ]
    eventually(lambda: server.metrics()["sluice_received_bytes_total"] > 3 * MEBIBYTE, what="all of it")
    assert server.metrics()["sluice_slow_peers_reset_total"] == 0
    for peer in peers:
        peer.close()


def test_what_clients_of_a_unix_socket_send_is_bounded_together(tmp_path):
    path = str(tmp_path / "admin")
    with Server({"g": CHAIN}, f"admin: {{ listen: 'unix:{path}' }}\n{SHARED}"):
        peers = [socket.socket(socket.AF_UNIX) for _ in range(6)]
        for peer in peers:
            peer.connect(path)
            peer.sendall(
                f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {MEBIBYTE}\r\n\r\n".encode()
                + b"x" * (MEBIBYTE * 3 // 4)
            )
        eventually(lambda: sum(map(is_ended, peers)) == 4, what="the end of all but two")
        for peer in peers:
            peer.close()


def test_a_small_request_does_not_end_the_only_slow_client(shared):
    server, token = shared
    slow = ask(server, "/v1/graphs/g/values", token("alice"))
    slow.until(b"\r\n\r\n")
    with begin_to_set(server, token("alice"), 2000, whole=4000) as peer:
        assert server.metrics()["sluice_slow_peers_reset_total"] == 0
        peer.send("x" * (4000 - 2002) + '"')
        assert peer.response()[0] == 200
    slow.exactly(8 * MEBIBYTE)
    slow.close()


def test_no_error_is_written_into_the_rest_of_a_file(files, content):
    """A client that has sent more requests behind that for a file is reset, if it must end."""
    request = "GET /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nX: " + "x" * 900 + "\r\n\r\n"
    with Server({"g": CHAIN}, f"{files}limits: {{ body: 1KiB, message: 1KiB, held: 1KiB }}\n") as server:
        peers = [RawSocket(server) for _ in range(4)]
        for peer in peers:
            peer.send("GET /files/large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n" + request * 30)
        whole = 0
        for peer in peers:
            peer.until(b"\r\n\r\n")
            while len(peer.buffer) < len(content) and peer.receive():
                pass
            assert content.startswith(peer.buffer[:len(content)])
            whole += len(peer.buffer) >= len(content)
        assert server.metrics()["sluice_slow_peers_reset_total"] == 4 - whole == 3
        for peer in peers:
            peer.close()


def test_what_ends_with_a_slow_client_is_told_at_once():
    with Server({"g": VALUES}, SHARED) as server:
        watcher, holder = RawWebSocket(server), RawWebSocket(server)
        watcher.subscribe("g", "n0")
        holder.text({"op": "set", "id": 1, "graph": "g", "set": {"n0": "here"}, "presence": True})
        assert watcher.message()["d"] == [{"id": 1, "v": "here"}]
        holder.send(frame(1, "x" * (MEBIBYTE - 1), fin=False))
        # What comes last fits into one read, so that no other turn follows.
        others = [begin_message(server, "", size) for size in (MEBIBYTE - 2, 54 * 1024)]
        watcher.socket.settimeout(3)
        assert watcher.message()["d"] == [{"id": 1, "empty": True}], "within the close timeout"
        for peer in [watcher, holder, *others]:
            peer.close()


def test_what_a_client_does_not_read_counts_after_its_session(shared):
    """A broken frame behind the request: its session ends in the turn that writes the answer."""
    server, token = shared
    peers = [RawWebSocket(server, receive_buffer=4096, fields=token("alice")) for _ in range(6)]
    for peer in peers:
        peer.send(frame(1, json.dumps({"op": "get", "id": 1, "graph": "g", "nodes": ["n*"]})) + frame(3, ""))
    eventually(
        lambda: server.metrics()["sluice_slow_peers_reset_total"] == 5, what="the reset of all but one"
    )
    for peer in peers:
        peer.close()


@pytest.mark.parametrize("behind", ["GET /healthz", "OPTIONS /v1/graphs/g", "GET /v1/ws"])
def test_what_a_client_does_not_read_counts_whoever_sends_the_next_request(tmp_path, behind):
    """All requests are performed before anything is sent."""
    fields = (
        ""
        if behind != "GET /v1/ws"
        else "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
             "AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    )
    with Guarded(tmp_path, config=SHARED.rstrip() + " limits.pendingBytes=64MiB\n") as server:
        token = fill(server)
        peers = [
            ask(
                server, "/v1/graphs/g/values",
                token("alice") + f"\r\n{behind} HTTP/1.1\r\nHost: localhost\r\n{fields}",
            )
            for _ in range(6)
        ]
        eventually(
            lambda: server.metrics()["sluice_slow_peers_reset_total"] == 5, what="the reset of all but one"
        )
        for peer in peers:
            peer.close()


def test_a_file_counts_for_the_one_who_asks_for_it(tmp_path, files):
    """Not for the one whose request came over the proxy's connection before."""
    with Guarded(tmp_path, config=f"\n{files}trustedProxies: [ 127.0.0.1 ]\n{SHARED}") as server:
        peers = [RawSocket(server, receive_buffer=4096) for _ in range(40)]
        for i, peer in enumerate(peers):
            peer.send(
                "GET /v1/graphs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                f"{server.tokens['alice']}\r\n\r\n"
            )
            assert peer.response()[0] == 200
            peer.send(
                f"GET /files/large.bin HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.1.{i}\r\n\r\n"
            )
            peer.until(b"\r\n\r\n")
        queued = lambda: [
            each["queued"] > 0 for each in server.ask("alice", "GET", "/v1/connections").json()["connections"]
        ]
        eventually(lambda: sum(queued()) == 40, what="that the kernel takes no more")
        assert server.metrics()["sluice_slow_peers_reset_total"] == 0
        for peer in peers:
            peer.close()


@pytest.mark.parametrize("pieces", [1, 2])
def test_what_waits_for_the_log_is_bounded_together(pieces):
    limits = "limits: { body: 256KiB, message: 128KiB, held: 1MiB }\n"
    body = f'"{"x" * 60_000}"'
    with (
        Redis(keeps=False) as redis,
        Server({"g": VALUES}, f"redis: {{ url: '{redis.url}' }}\n{limits}") as server,
    ):
        eventually(lambda: server.get("/readyz").status == 200)
        server.set("g", "n0", "a")
        redis.pause()
        peers = [RawSocket(server) for _ in range(60)]
        for peer in peers:
            peer.send(
                "POST /v1/graphs/g/nodes/n0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                f"{len(body)}\r\n\r\n{body[:30_000]}"
                + body[30_000:] * (pieces == 1)
            )
            if pieces == 2:
                time.sleep(0.003)
                peer.send(body[30_000:])
        eventually(
            lambda: server.metrics()["sluice_slow_peers_reset_total"] >= 60 - 17,
            what="the reset of all above 1 MiB",
        )
        redis.go_on()
        for peer in peers:
            if not is_ended(peer.socket):
                assert peer.response()[0] == 200
            peer.close()


def test_two_of_the_largest_requests_always_have_room():
    with Server({"g": CHAIN}, "limits: { body: 3MiB, held: 1MiB }\n") as server, \
            RawSocket(server) as first, RawSocket(server) as second:
        for peer in first, second:
            peer.send(
                "POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                f"{3 * MEBIBYTE}\r\n\r\n"
            )
            peer.send(b"1" + b" " * (3 * MEBIBYTE - 2))
        assert server.metrics()["sluice_slow_peers_reset_total"] == 0
        for peer in first, second:
            peer.send(" ")
            assert peer.response()[0] == 200


def test_a_body_that_is_announced_and_not_sent_takes_no_memory(shared):
    server, token = shared
    before = server.resident()
    peers = [begin_to_set(server, token("alice"), 100) for _ in range(100)]
    eventually(lambda: server.metrics()['sluice_connections{transport="http"}'] == 101, what="all of them")
    assert server.resident() - before < 8 * MEBIBYTE
    assert server.metrics()["sluice_slow_peers_reset_total"] == 0
    for peer in peers:
        peer.close()
