"""Compressed messages of the subprotocol, with the customary client, which offers
permessage-deflate by itself."""

import json

import pytest
from conftest import CHAIN, Client
from sluice import Server

LARGE = [f"reading {number} of a list that repeats itself" for number in range(100)]


@pytest.fixture(params=["on", "full"])
def compressing(request):
    with Server({"g": CHAIN}, config=f"compression: {request.param}") as running:
        running.mode = request.param
        yield running


def test_large_values_arrive_as_they_were_set(compressing):
    with Client(compressing) as client:
        assert client.socket.protocol.extensions
        client.ask(op="sub", graph="g", node="any")
        sent = compressing.metrics()["sluice_sent_bytes_total"]
        for number in range(20):
            compressing.set("g", "any", [number, *LARGE])
            assert client.receive()["d"] == [{"id": 1, "v": [number, *LARGE]}]
        # The answers to the requests are in it too.
        assert compressing.metrics()["sluice_sent_bytes_total"] - sent < 20 * len(json.dumps(LARGE)) / 2
        # And the other way round: the client compresses what it sends.
        assert client.ask(op="set", graph="g", set={"any": LARGE})["op"] in ("ok", "upd")


def test_frames_of_the_same_content_are_compressed_once_a_turn():
    with Server({"g": CHAIN}, config="compression: on") as server:
        clients = [Client(server) for _ in range(20)]
        for client in clients:
            client.ask(op="sub", graph="g", node="any")
        before = server.metrics()
        server.set("g", "any", LARGE)
        for client in clients:
            assert client.receive()["d"] == [{"id": 1, "v": LARGE}]
        after = server.metrics()
        assert after["sluice_deflated_messages_total"] - before["sluice_deflated_messages_total"] == 1
        assert after["sluice_deflated_frames_total"] - before["sluice_deflated_frames_total"] == 20
        for client in clients:
            client.close()


def test_small_messages_stay_as_they_are_in_mode_on():
    with Server({"g": CHAIN}, config="compression: on") as server, Client(server) as client:
        client.ask(op="sub", graph="g", node="x")
        server.set("g", "x", 5)
        assert client.receive()["d"] == [{"id": 1, "v": 5}]
        assert server.metrics()["sluice_deflated_messages_total"] == 0
        assert server.metrics()["sluice_compression_context_bytes"] == 0


def test_off_is_the_default(server):
    with Client(server) as client:
        assert not client.socket.protocol.extensions
