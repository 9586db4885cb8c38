"""One client cannot hold the loop: its requests go on turn by turn, and others are served in between."""

import json
import threading

import pytest
from conftest import Client
from rawsocket import RawSocket
from sluice import PATIENCE, Server

DEPTH = 150
GRAPH = "graph: g\nnodes:\n  n0: { set: number, initial: 1 }\n" + "".join(
    f"  n{place}: {{ from: n{place - 1}, pipe: [ {{ map: value + 1.0 }} ] }}\n" for place in range(1, DEPTH)
)


@pytest.fixture
def server():
    # Each of the costly requests takes a turn of its own.
    with Server({"g": GRAPH}, "# fixed: limits.work=100\n") as running:
        yield running


def test_a_message_of_costly_gets_lets_others_through(server):
    gets = [{"op": "get", "id": number, "graph": "g"} for number in range(1, 101)]
    with Client(server, max_size=None, ping_interval=None) as greedy, Client(server) as bystander:
        answered = []
        reader = threading.Thread(target=lambda: [answered.append(greedy.receive(60)["id"]) for _ in gets])
        reader.start()
        greedy.socket.send(json.dumps(gets))
        between = 0
        while reader.is_alive():
            assert bystander.ask(op="ping")["op"] == "ok"
            between += 0 < len(answered) < len(gets)
        reader.join()
        assert answered == list(range(1, 101)), "in order"
        assert between >= 10, "the bystander was answered again and again meanwhile"


def test_pipelined_reads_let_others_through(server):
    raw = RawSocket(server, timeout=PATIENCE)
    raw.send("GET /v1/graphs/g/values HTTP/1.1\r\nHost: localhost\r\n\r\n" * 60)
    between = 0
    for _ in range(60):
        status, _, body = raw.response()
        assert status == 200 and len(json.loads(body)["m"]) == DEPTH
        if not raw.buffer:
            between += server.get("/healthz").status == 200
    assert between >= 3
