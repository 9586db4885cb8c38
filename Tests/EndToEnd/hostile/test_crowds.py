"""Crowds that come or go in one moment: others are served in between, and nothing is left.

The server stands still while the crowd acts, so that all of it lies on the sockets when it goes on.
What is looked at is how much of the crowd's work was done when a bystander, which asked last, was
answered.
"""

import json
import select
import signal
import socket
import ssl

import pytest
from rawsocket import RawSocket, RawWebSocket
from sluice import Server, eventually
from test_tls import Secure

GRAPH = "graph: g\nnodes:\n  x: { set: number, initial: 1 }\n"
METRICS = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


def samples(body):
    """The samples of an answer of /metrics."""
    lines = [line.rsplit(" ", 1) for line in body.decode().splitlines() if line and line[0] != "#"]
    return {name: float(value) for name, value in lines}


@pytest.mark.weighed
def test_clients_with_many_subscriptions_that_are_reset_at_once_are_released_in_slices():
    clients, each = 4, 500
    with Server({"g": GRAPH}, "# fixed: limits.work=200\n") as server:
        before = server.counts("g")
        crowd = []
        for number in range(clients):
            client = RawWebSocket(server)
            crowd.append(client)
            for id in range(1, each + 1):
                pipe = [{"map": f"value + {number * each + id}"}, {"map": "value * 2"}, {"map": "value - 1"}]
                client.text({"op": "sub", "id": id, "graph": "g", "node": "x", "pipe": pipe})
            while client.message().get("id") != each:
                pass
        # Connected only now: a connection that asks nothing is closed after a while.
        bystander = RawSocket(server)
        bystander.send(METRICS)
        bystander.response()
        # Another request comes after it, so that the server no longer looks at the bystander first.
        assert server.count("nodes", "g") == before["nodes"] + 3 * clients * each
        server.process.send_signal(signal.SIGSTOP)
        for client in crowd:
            client.reset()
        bystander.send(METRICS)
        server.process.send_signal(signal.SIGCONT)
        seen = samples(bystander.response()[2])
        # One turn releases 200 nodes and subscriptions, of 8,000.
        assert seen['sluice_subscriptions{graph="g"}'] >= clients * each - 200
        assert seen['sluice_nodes{graph="g"}'] >= 3 * clients * each - 300
        assert seen["sluice_sessions"] == 0, "the clients have gone for everybody to see"
        eventually(lambda: server.counts("g") == before)
        assert server.count("subscriptions", "g") == 0


def test_handshakes_that_begin_at_once_let_others_through(tmp_path):
    crowd = 200
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        pass
    hello = outgoing.read()
    with Secure(tmp_path) as server:
        bystander = RawSocket(server, secure=True)
        bystander.send(METRICS)
        bystander.response()
        waiting = [socket.create_connection((server.host, server.port)) for _ in range(crowd)]
        eventually(lambda: server.metrics()['sluice_connections{transport="http"}'] == crowd + 2)
        server.process.send_signal(signal.SIGSTOP)
        for client in waiting:
            client.sendall(hello)
        bystander.send(METRICS)
        server.process.send_signal(signal.SIGCONT)
        bystander.response()
        answered = len(select.select(waiting, [], [], 0)[0])
        assert answered < crowd / 2, "the bystander did not wait for the crowd"
        for client in waiting:
            client.settimeout(20)
            assert client.recv(1) == b"\x16", "each gets its handshake, in the end"
        for client in waiting:
            client.close()
        eventually(lambda: server.metrics()['sluice_connections{transport="http"}'] == 2)


def test_a_handshake_that_begins_with_a_flood_ends(tmp_path):
    with Secure(tmp_path) as server:
        crowd = [socket.create_connection((server.host, server.port)) for _ in range(20)]
        server.process.send_signal(signal.SIGSTOP)
        for client in crowd:
            # The beginning of a record that never ends.
            client.sendall(b"\x16\x03\x01\x40\x00\x01" + bytes(60_000))
        server.process.send_signal(signal.SIGCONT)
        for client in crowd:
            client.settimeout(10)
            try:
                while client.recv(65536):
                    pass
            except ConnectionResetError:
                pass
        assert json.loads(server.get("/v1/graphs/g/nodes/x").body) == 1
