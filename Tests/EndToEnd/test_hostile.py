"""Whatever arrives: the documented answer, everybody else is served, and what it used is given back.

The cases are in hostile/: each says its bytes and what must come back. Behind every one of them a
normal request on a new connection is answered within a second, a subscriber hears of it and of
nothing else, and the server's counters (connections, sessions, subscriptions, listeners, nodes,
edges, descriptors) are back where they were (hostile/standing.py).
"""

import concurrent.futures
from dataclasses import replace

import pytest
from access import Guarded
from conftest import Client
from hostile import floods, framing, paths, requests, resets, slow, sockets
from hostile.case import fill
from hostile.standing import folder, standing
from rawsocket import RawSocket, RawWebSocket
from sluice import eventually
from test_tls import Secure

TABLES = {"request": requests.CASES, "framing": framing.CASES, "path": paths.CASES, "socket": sockets.CASES}
QUICK = [replace(case, name=f"{kind}: {case.name}") for kind, table in TABLES.items() for case in table]
SLOW = {"plain": slow.PLAIN, "tls": slow.TLS, "guarded": slow.GUARDED}
ALL = [QUICK, *SLOW.values(), floods.CASES, floods.CROWDED, resets.CASES, resets.TLS]
DOUBTFUL = [case for case in QUICK if case.doubt]


def cases(table, weighed=()):
    marks = {name: pytest.mark.weighed for name in weighed}
    return pytest.mark.parametrize(
        "case", [pytest.param(case, id=case.name, marks=marks.get(case.name, ())) for case in table])


def test_there_are_several_hundred_cases():
    assert sum(len(table) for table in ALL) >= 700
    for table in ALL:
        names = [case.name for case in table]
        assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)


@pytest.fixture(scope="module")
def stands(tmp_path_factory):
    public = folder(tmp_path_factory.mktemp("files"))
    with standing(arguments=["--set", f"public={public}"]) as running:
        yield running


@cases(QUICK)
def test_a_quick_case(stands, case):
    stands.run(case)


@cases(resets.CASES)
def test_clients_that_break_off(stands, case):
    stands.run(case)


@cases(floods.CASES, weighed=["pipelines with timers"])
def test_a_flood(stands, case):
    case.run(stands)
    stands.check()


@cases(floods.CROWDED)
def test_where_there_is_room_for_few(case):
    with standing("limits: { connections: 20 }\n") as crowded:
        case.run(crowded)
        crowded.check()


# Slow peers take their time: all of them at once, on three servers with short times.

def held(server):
    """Connections and descriptors, those of the request that asks among them."""
    samples = server.metrics()
    return sum(value for name, value in samples.items() if name.startswith("sluice_connections{")), samples[
        "process_open_fds"
    ]


@pytest.fixture(scope="module")
def slow_outcomes(tmp_path_factory):
    """By case, what became of it: nothing, or the exception."""
    outcomes = {}
    with (standing(slow.TIMES) as plain, Secure(tmp_path_factory.mktemp("tls"), slow.TIMES) as secure,
          Guarded(tmp_path_factory.mktemp("guarded"), config=slow.TIMES) as guarded):
        # Its own timeouts would end the subscriber, which answers no pings while nothing reads from
        # it.
        plain.subscriber.close()
        servers = {"plain": plain.server, "tls": secure, "guarded": guarded}
        for server in servers.values():
            eventually(lambda: held(server)[0] == 1)
        before = {kind: held(server) for kind, server in servers.items()}
        with concurrent.futures.ThreadPoolExecutor(sum(map(len, SLOW.values()))) as pool:
            running = {
                (kind, case.name): pool.submit(case.run, servers[kind])
                for kind in SLOW
                for case in SLOW[kind]
            }
            for number in range(100):
                # Everybody else is served meanwhile.
                plain.server.set("g", "pulse", number)
                if not concurrent.futures.wait(running.values(), timeout=0.1).not_done:
                    break
        for place, future in running.items():
            outcomes[place] = future.exception()
        for kind, server in servers.items():
            try:
                eventually(
                    lambda: held(server) == before[kind],
                    what=f"{kind}: {before[kind]} connections and descriptors",
                )
            except AssertionError as failure:
                outcomes[kind, "afterwards"] = failure
    return outcomes


@pytest.mark.weighed
def test_slow_peers_leave_nothing(slow_outcomes):
    for kind in SLOW:
        if outcome := slow_outcomes.get((kind, "afterwards")):
            raise outcome


@pytest.mark.weighed
@pytest.mark.parametrize("kind, case", [(kind, case) for kind in SLOW for case in SLOW[kind]],
                         ids=[case.name for table in SLOW.values() for case in table])
def test_a_slow_peer(slow_outcomes, kind, case):
    if outcome := slow_outcomes[kind, case.name]:
        raise outcome


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    with Secure(tmp_path_factory.mktemp("tls")) as running:
        eventually(lambda: held(running)[0] == 1)
        yield running


@cases(resets.TLS)
def test_clients_that_break_off_over_tls(secure, case):
    before = held(secure)
    case.run(secure)
    eventually(lambda: held(secure) == before)
    assert secure.count("subscriptions", "g") == 0


@pytest.mark.parametrize(
    "text, status", [case.doubt for case in DOUBTFUL], ids=[case.name for case in DOUBTFUL]
)
def test_after_a_doubt_come_the_answers_owed_then_one_error_then_the_end(stands, text, status):
    server = stands.server
    good = fill("GET /healthz HTTP/1.1\r\n{H}\r\n", server)
    body = fill("POST /v1/graphs/g/nodes/y HTTP/1.1\r\n{H}Content-Length: 1\r\n\r\n4", server)
    with RawSocket(server) as peer:
        try:
            peer.send(good + body + fill(text, server) + good * 2)
        except OSError:
            pass
        assert [peer.response()[0] for _ in range(2)] == [200, 200]
        answered, headers, _ = peer.response()
        assert (answered, headers["connection"]) == (status, "close")
        # The rest is not parsed, because its beginning is unknown.
        assert peer.closed() and not peer.buffer
    assert server.value("g", "y") == 4


@pytest.fixture
def bystander(server):
    """A subscriber that must notice nothing but what concerns it; and a value must still get
    through afterwards."""
    with Client(server) as client:
        client.ask(op="sub", graph="g", node="deep")
        yield client
        server.set("g", "x", 7)
        assert client.receive()["d"] == [{"id": 1, "v": 150}]
        assert server.process.poll() is None


def test_a_live_id_is_not_used_twice(server, bystander):
    with Client(server) as client:
        assert client.ask(op="sub", graph="g", node="x")["op"] == "snap"
        client.send(op="sub", id=1, graph="g", node="y")
        assert client.receive()["code"] == "id_in_use"
        client.send(op="unsub", id=1)
        assert client.receive()["op"] == "end"
        client.send(op="sub", id=1, graph="g", node="y")
        assert client.receive()["op"] == "snap"


def test_a_request_in_single_bytes_is_a_request(server, bystander):
    with RawSocket(server) as socket:
        for byte in (
            "GET /v1/graphs/g/nodes/x HTTP/1.1\r\n" + f"Host: 127.0.0.1:{server.port}\r\n" + "\r\n"
        ).encode():
            socket.send(bytes([byte]))
        assert socket.response()[0] == 200


@pytest.mark.weighed
def test_a_stalled_reader_costs_the_others_nothing(server, bystander):
    with RawWebSocket(server) as stalled:
        stalled.subscribe("g", "any")
        big = "x" * 20_000
        before = server.resident()
        for _ in range(500):  # 10 MB for a peer that does not read
            server.set("g", "any", big)
        server.set("g", "any", "last")
        assert server.resident() - before < 4 << 20
        folded = 0
        while True:
            entry = stalled.message()["d"][0]
            folded += entry.get("n", 1)
            if entry["v"] == "last":
                break
        assert folded == 501, "nothing is dropped silently: every emission is counted"
