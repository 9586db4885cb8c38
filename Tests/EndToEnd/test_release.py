"""Provable release: what a client held is gone when the client is, however it went."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest
from conftest import CHAIN, Client
from rawsocket import RawWebSocket, frame
from sluice import PATIENCE, Server, eventually
from websockets.sync.client import connect

STANDING = {"x", "y", "any", "small", "kept", "changes"}  # mutable, or always kept

SUBSCRIBER = """
import json, sys, time
from websockets.sync.client import connect
with connect(sys.argv[1], subprotocols=["sluice.v1.json"]) as ws:
    ws.send(json.dumps({"op": "sub", "id": 1, "graph": "g", "node": "deep"}))
    print(ws.recv(), flush=True)
    time.sleep(60)
"""


def listeners(server):
    return server.counts("g")["listeners"]


def test_three_subscribers_share_one_chain_and_the_last_one_frees_it(server):
    start = server.counts("g")
    assert server.alive("g") == STANDING

    child = subprocess.Popen([sys.executable, "-c", SUBSCRIBER, server.url.replace("http", "ws") + "/v1/ws"],
                             stdout=subprocess.PIPE, text=True)
    assert '"snap"' in child.stdout.readline()
    with_one = server.counts("g")
    second = RawWebSocket(server)
    second.subscribe("g", "deep")
    third = Client(server)
    third.ask(op="sub", graph="g", node="deep")

    with_three = server.counts("g")
    assert with_three["nodes"] == with_one["nodes"] > start["nodes"], "the chain exists once"
    assert with_three["edges"] == with_one["edges"]
    assert with_three["listeners"] == start["listeners"] + 3
    assert server.alive("g") == STANDING | {"double", "deep"}

    child.kill()
    child.wait()
    eventually(lambda: listeners(server) == start["listeners"] + 2, what="release after SIGKILL")
    assert server.counts("g")["nodes"] == with_three["nodes"], "two others still own the chain"

    second.reset()
    eventually(lambda: listeners(server) == start["listeners"] + 1, what="release after a reset")
    assert server.alive("g") == STANDING | {"double", "deep"}

    released = server.count("nodes_released_total", "g")
    third.close()
    eventually(lambda: listeners(server) == start["listeners"], what="release after a clean close")
    assert server.counts("g") == start
    assert server.alive("g") == STANDING
    assert server.count("nodes_released_total", "g") - released == with_three["nodes"] - start["nodes"]


def test_a_protocol_error_releases_like_any_other_end(server):
    start = server.counts("g")
    socket = RawWebSocket(server)
    socket.subscribe("g", "deep")
    assert server.counts("g") != start
    socket.send(frame(3, b"?"))  # a reserved opcode
    assert socket.close_code() == 1002
    eventually(lambda: server.counts("g") == start)


def test_a_peer_that_falls_silent_is_found_by_the_heartbeat():
    with Server({"g": CHAIN}, "heartbeat: 200ms\n") as server:
        start = server.counts("g")
        silent = RawWebSocket(server)
        silent.subscribe("g", "deep")
        assert server.counts("g")["nodes"] > start["nodes"]
        # It reads, but never answers a ping, as after the loss of a network.
        assert silent.close_code() == 4508
        eventually(lambda: server.counts("g") == start)


def test_a_peer_that_neither_reads_nor_answers_is_found_too():
    with Server({"g": CHAIN}, "heartbeat: 200ms\n") as server:
        start = server.counts("g")
        silent = RawWebSocket(server)
        silent.subscribe("g", "deep")
        eventually(lambda: server.counts("g") == start)


def test_looking_owns_nothing(server):
    start = server.counts("g")
    for path in ["nodes/deep", "values?nodes=*", "graph?format=json&live=1", "graph?format=dot&live=1"]:
        assert server.get(f"/v1/graphs/g/{path}").status == 200
        assert server.counts("g") == start, path


def test_a_drained_server_ends_its_subscriptions_and_exits_cleanly():
    with Server({"g": CHAIN}, "drain: 5s\n") as server:
        socket = RawWebSocket(server)
        socket.subscribe("g", "deep")
        server.process.send_signal(signal.SIGTERM)
        end = socket.message()
        assert (end["op"], end["code"]) == ("end", "shutdown")
        assert socket.close_code() == 4503
        socket.close()
        assert server.process.wait(PATIENCE) == 0


def vanish(server, kind, graph="g", node="deep"):
    """One client that subscribes and goes, in one of the ways that clients go."""
    if kind == "half-open request":
        socket = RawWebSocket(server)
        socket.send(frame(1, '{"op":"sub","id":1,"gra')[:-3])
        return socket.close()
    socket = RawWebSocket(server)
    socket.subscribe(graph, node)
    match kind:
        case "close frame":
            socket.send(frame(8, b"\x03\xe8"))
            assert socket.close_code() == 1000
            socket.close()
        case "reset":
            socket.reset()
        case "end of stream":
            socket.close()
        case "protocol error":
            socket.send(frame(1, b"\xff\xfe"))
            assert socket.close_code() == 1007
            socket.close()
        case "unsub":
            socket.text({"op": "unsub", "id": 1})
            assert socket.message()["op"] == "end"
            socket.reset()


KINDS = ["close frame", "reset", "end of stream", "protocol error", "unsub", "half-open request"]


def cycle(server, rounds, seed):
    print(f"seed {seed}")
    chance = random.Random(seed)
    start, descriptors = server.counts("g"), server.descriptors()
    commits = 0
    resident = None
    for round in range(rounds):
        vanish(server, chance.choice(KINDS), node=chance.choice(["deep", "double", "sum", "changes", "x"]))
        if round % 10 == 0:
            server.set("g", "x", round)
            commits += 1
        if round == rounds // 10:
            eventually(lambda: server.counts("g") == start)
            resident = server.resident()
    eventually(lambda: server.counts("g") == start)
    # The baseline may still hold the connection that asked for the counts.
    eventually(lambda: server.descriptors() <= descriptors)
    return resident, server.resident()


@pytest.mark.weighed
def test_a_thousand_clients_come_and_vanish_and_leave_nothing(server):
    early, late = cycle(server, 1000, seed=20)
    assert late - early < 1 << 20, f"resident memory went from {early} to {late}"


@pytest.mark.weighed
@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_a_hundred_thousand_clients_come_and_vanish_and_leave_nothing(server):
    early, late = cycle(server, 100_000, seed=int.from_bytes(os.urandom(4)))
    assert late - early < 1 << 20, f"resident memory went from {early} to {late}"


@pytest.mark.weighed
def test_after_a_storm_the_memory_goes_back():
    graph = json.dumps({"graph": "g", "nodes": {"x": {"set": "string", "initial": "a"}}})
    with Server({"g": graph}, "limits: { held: 1024MiB }") as server:
        calm = server.resident()
        with connect(server.url.replace("http", "ws") + "/v1/ws", subprotocols=["sluice.v1.json"]) as ws:
            for number in range(100):
                pipe = [{"map": f"value + '{number},{stage}'"} for stage in range(15)] + [
                    {"map": "size(value)"}
                ]
                ws.send(json.dumps({"op": "sub", "id": number + 1, "graph": "g", "node": "x", "pipe": pipe}))
                assert '"snap"' in ws.recv()
            server.set("g", "x", "x" * 60_000)
            eventually(
                lambda: server.resident() > calm + 60 * 2**20, what="a text of its own for every stage"
            )
        server.set("g", "x", "a")
        eventually(lambda: server.resident() < calm + 8 * 2**20, what="the memory to be given back")
