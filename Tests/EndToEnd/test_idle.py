"""Many quiet WebSockets with a subscription each: what one costs, and that nothing is left when
they are gone.

A thousand of them, and with SLUICE_NIGHTLY ten thousand. The figures are printed (`pytest -s`).
"""

import os
import pathlib
import re
import resource
import time

import pytest
from rawsocket import RawWebSocket
from sluice import Server, eventually

SOCKETS = 10_000 if os.environ.get("SLUICE_NIGHTLY") else 1_000
GRAPH = "graph: g\nnodes:\n  x: { set: any, initial: 1 }\n"

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(autouse=True)
def descriptors():
    """As many descriptors as the system lets this process have."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    if before[1] < SOCKETS + 100:
        pytest.skip(f"the system allows {before[1]} descriptors")
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def subscribe(server, count, round):
    # An address of its own for every round: the kernel keeps ports of ended connections for a
    # while.
    clients = [RawWebSocket(server, source=f"127.0.0.{2 + round}") for _ in range(count)]
    for client in clients:
        client.subscribe("g", "x")
    return clients


@pytest.mark.weighed
def test_a_quiet_subscriber_costs_little_and_leaves_nothing():
    # What is measured is memory, not patience.
    with Server({"g": GRAPH}, "heartbeat: 30m\n") as server:
        # What is made once for all: the first code that runs, tables, buffers.
        for client in subscribe(server, 100, 0):
            client.close()
        eventually(lambda: server.count("subscriptions", "g") == 0)
        counts, open_descriptors = server.counts("g"), server.descriptors()
        sizes = [server.resident()]
        for round in (1, 2, 3):
            clients = subscribe(server, SOCKETS, round)
            assert server.count("subscriptions", "g") == SOCKETS
            sizes.append(server.resident())
            server.set("g", "x", round)
            for client in clients:
                assert client.message()["d"] == [{"id": 1, "v": round}]
            for place, client in enumerate(clients):
                client.reset() if place % 2 else client.close()
            eventually(lambda: server.counts("g") == counts)
            eventually(lambda: server.descriptors() <= open_descriptors)
            sizes.append(server.resident())
        each = (sizes[1] - sizes[0]) / SOCKETS
        print(
            f"\n{SOCKETS} quiet WebSockets: {each:.0f} bytes each; resident memory before, with them, "
            "without, …, in KiB: "
            + ", ".join(f"{size / 1024:.0f}" for size in sizes)
        )
        # 1.5 KiB is the target for optimised builds, with ten thousand; here pages that are touched
        # once count more.
        assert each < 1536 + 512 * 1024 / SOCKETS
        # A round like the one before finds the memory that that one gave back.
        assert max(sizes[3:]) - sizes[2] < 256 * 1024


def wakes(server):
    """How often the threads of the process have gone to sleep since the start."""
    count = 0
    for thread in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir():
        count += int(
            re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (thread / "status").read_text(), re.M)[1]
        )
    return count


@pytest.mark.weighed
def test_quiet_connections_let_the_server_sleep():
    with Server({"g": GRAPH}, "heartbeat: 30m\n") as server:
        clients = subscribe(server, 20, 0)
        time.sleep(2)
        before = wakes(server)
        time.sleep(3)
        assert wakes(server) - before <= 3
        for client in clients:
            client.close()


@pytest.mark.weighed
def test_a_storm_gives_its_memory_back():
    """After the idle connections and a churn the process is as small as it was: within 4 MiB (P6)."""
    with Server({"g": GRAPH}, "heartbeat: 30m\n") as server:
        for client in subscribe(server, 100, 0):
            client.close()
        eventually(lambda: server.count("subscriptions", "g") == 0)
        before = server.resident()
        for client in subscribe(server, SOCKETS, 1):
            client.close()
        end = time.monotonic() + SOCKETS / 500
        while time.monotonic() < end:
            for client in subscribe(server, 100, 2):
                client.reset()
        eventually(lambda: server.count("subscriptions", "g") == 0)
        eventually(lambda: server.resident() - before < 4 << 20, what="the memory of the start")
