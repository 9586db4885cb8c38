"""Chains that are kept across a reconnect, over real sockets (docs/protocol.md, Keeping a chain
across a reconnect)."""

import json
import signal
import time

import pytest
from conftest import CHAIN, Client
from rawsocket import RawWebSocket
from sluice import PATIENCE, Server, eventually

AVERAGE = {"graph": "g", "node": "x", "pipe": [{"window": {"last": "10m", "of": "avg"}}]}


def kept(server):
    return server.count("kept_chains", "g")


def back(snap):
    return {"epoch": snap["epoch"], "rev": snap["rev"], "ticket": snap["ticket"]}


def test_facets_are_asked_for_anew(server):
    """K-2: with a ticket, a client gets the node's state if this `sub` asks for it, whatever the
    former one did."""
    for before, now in ({}, {"facets": True}), ({"facets": True}, {}):
        with Client(server) as client:
            snap = client.ask(op="sub", graph="g", node="x", keep="30s", **before)
        with Client(server) as client:
            again = client.ask(op="sub", graph="g", node="x", keep="30s", since=back(snap), **now)
            assert again["resumed"] is True and ("state" in again) == bool(now)
            client.send(op="load", graph="g", node="x", **({"loading": True} if now else {"cancelled": True}))
            if now:
                assert client.receive()["d"][0]["state"]["loading"] is True
            client.quiet(0.2)
            client.send(op="unsub", id=1)
            assert client.receive()["op"] == "end"
        # Nothing of the subscription is left that could receive the next report.
        for loading in (True, False):
            answer = server.request("POST", "/v1/graphs/g/nodes/x/load", json.dumps({"loading": loading}))
            assert answer.status == 200, answer


def test_an_average_goes_on_after_a_reset(server):
    """K-1, K-2: the connection is reset; within the time of keep another one goes on with the window."""
    raw = RawWebSocket(server)
    raw.text({"op": "sub", "id": 1, **AVERAGE, "keep": "30s"})
    snap = raw.message()
    assert snap["v"] == 1 and snap["keep"] == "30s" and len(snap["ticket"]) == 24
    server.set("g", "x", 2)
    assert raw.message()["d"] == [{"id": 1, "v": 1.5}]
    nodes = server.counts("g")["nodes"]
    raw.reset()
    eventually(lambda: kept(server) == 1, what="a chain that is kept")
    assert server.counts("g")["nodes"] == nodes and server.count("subscriptions", "g") == 0
    server.set("g", "x", 6)
    with Client(server) as client:
        again = client.ask(op="sub", **AVERAGE, keep="30s", since=back(snap))
        assert again["resumed"] is True and again["v"] == 3
        assert again["ticket"] != snap["ticket"] and kept(server) == 0
        server.set("g", "x", 3)
        assert client.receive()["d"] == [{"id": 1, "v": 3}]
        spent = client.ask(op="sub", **AVERAGE, since=back(snap))
        assert spent["resumed"] is False and spent["v"] == 3


def test_after_its_time_it_starts_anew(server):
    """K-1: the chain is released when its time is over."""
    before = server.counts("g")["nodes"]
    with Client(server) as client:
        snap = client.ask(op="sub", **AVERAGE, keep="300ms")
        server.set("g", "x", 5)
        client.receive()
    eventually(lambda: server.counts("g")["nodes"] == before and kept(server) == 0, what="release in time")
    with Client(server) as client:
        again = client.ask(op="sub", **AVERAGE, since=back(snap))
        assert again["resumed"] is False and again["v"] == 5 and "ticket" not in again


def test_a_client_that_is_back_before_the_server_knows(server):
    """K-2: the former connection is still open, and only its subscription ends."""
    with Client(server) as former, Client(server) as client:
        snap = former.ask(op="sub", **AVERAGE, keep="30s")
        assert client.ask(op="sub", **AVERAGE, since=back(snap))["resumed"] is True
        assert former.receive() == {"op": "end", "id": 1, "code": "done", "released": 0}
        assert former.ask(op="ping")["op"] == "ok"


def test_mode_all_gets_what_it_missed(server):
    """K-2: every value since the cursor is in d, also those that were sent and got lost."""
    wish = {"graph": "g", "node": "x", "pipe": [{"map": "value * 10"}], "mode": "all", "queue": 5}
    with Client(server) as client:
        snap = client.ask(op="sub", **wish, keep="30s")
        server.set("g", "x", 2)
        assert client.receive()["d"] == [{"id": 1, "v": 20}]
    eventually(lambda: kept(server) == 1)
    for value in (3, 4):
        server.set("g", "x", value)
    with Client(server) as client:
        again = client.ask(op="sub", **wish, keep="30s", since=back(snap))
        assert (
            again["resumed"] is True
            and [each["v"] for each in again["d"]] == [20, 30, 40]
            and "v" not in again
        )
        assert [each["rev"] for each in again["d"]] == [snap["rev"] + 1, snap["rev"] + 2, snap["rev"] + 3]
    eventually(lambda: kept(server) == 1)
    for value in range(6):
        server.set("g", "x", value)
    with Client(server) as client:
        late = client.ask(op="sub", **wish, since=back(again))
        assert late["resumed"] is False and late["v"] == 50 and "d" not in late


def test_pictures_show_what_is_kept(server):
    """K-3: who it was, for how long, and never the ticket; observers see it come and go."""
    with Client(server) as watching:
        watching.ask(op="observe", graph="g", every=50)
        with Client(server) as client:
            session = client.ask(op="hello", client="tablet")["session"]
            snap = client.ask(op="sub", **AVERAGE, keep="500ms")
        eventually(lambda: kept(server) == 1)
        picture = server.picture("g")
        shown = next(each for each in picture["listeners"] if each["l"].startswith("k:"))
        now = time.time() * 1000
        assert shown["client"] == "tablet" and shown["transport"] == "kept" and shown["kept"]["of"] == session
        assert 0 <= shown["kept"]["age"] < 5000 and now - 1000 < shown["kept"]["until"] < now + 1000
        assert shown["kept"]["until"] - shown["since"] == 500
        chain = next(node for node in picture["nodes"] if node.get("n") in shown["on"])
        assert chain["owners"] == [shown["l"]]
        assert snap["ticket"] not in json.dumps(picture)
        seen, gone = False, None
        while gone is None:
            message = watching.receive()
            seen = seen or any(each["l"] == shown["l"] for each in message["add"]["listeners"])
            gone = next((each for each in message["del"]["listeners"] if each["l"] == shown["l"]), None)
        assert seen and gone["reason"] == "expired"


def test_kept_chains_go_first_when_memory_is_short(server):
    """K-3: a flush ends what is kept, and nothing of a client that is there."""
    with Client(server) as staying:
        staying.ask(op="sub", graph="g", node="deep")
        with Client(server) as client:
            snap = client.ask(op="sub", **AVERAGE, keep="30s")
        eventually(lambda: kept(server) == 1)
        server.process.send_signal(signal.SIGUSR1)
        eventually(lambda: kept(server) == 0, what="a flush")
        assert server.metrics()["sluice_memory_pressure_released_nodes_total"] == 1
        with Client(server) as client:
            assert client.ask(op="sub", **AVERAGE, since=back(snap))["resumed"] is False
        server.set("g", "x", 9)
        assert staying.receive()["d"] == [{"id": 1, "v": 190}]


def test_the_limits_of_the_configuration():
    """K-1, K-3: times.keep shortens what is asked for, and limits.keptChains is for all clients
    without a token."""
    with Server({"g": CHAIN}, "# fixed: times.keep=90s\n# fixed: limits.keptChains=2\n") as server:
        clients = [Client(server) for _ in range(3)]
        snaps = [client.ask(op="sub", **AVERAGE, keep="1h") for client in clients]
        assert [snap.get("keep") for snap in snaps] == ["90s", "90s", None]
        assert [("ticket" in snap) for snap in snaps] == [True, True, False]
        for client in clients:
            client.close()
        eventually(lambda: kept(server) == 2)


@pytest.mark.parametrize("wrong", ["soon", 0, -3, "1w", True, None])
def test_what_is_no_time_is_refused(client, wrong):
    answer = client.ask(op="sub", **AVERAGE, keep=wrong)
    assert (answer["op"], answer["code"]) == ("err", "bad_field") and answer["msg"].startswith("keep:")


def test_a_server_that_stops_does_not_wait_for_what_it_keeps(server):
    """K-1: nothing is kept beyond the end of the server, and its end is as quick as ever."""
    with Client(server) as client:
        client.ask(op="sub", **AVERAGE, keep="10m")
    eventually(lambda: kept(server) == 1)
    server.process.send_signal(signal.SIGTERM)
    # Sooner than what it keeps would end.
    assert server.process.wait(PATIENCE) == 0
