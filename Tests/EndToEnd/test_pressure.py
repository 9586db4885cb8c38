"""Nodes kept until memory is short (G-129 … G-131)."""

import os
import signal
import subprocess
import sys

import pytest
from conftest import Client
from sluice import Server, eventually

GRAPH = """
graph: g
nodes:
  x: { set: number, initial: 1 }
  sum: { from: x, pipe: [ { map: "value + 1" }, { scan: { start: 0, with: "acc + value" } } ], retain: untilPressure }
  fixed: { from: x, pipe: [ { map: "value" } ], retain: always }
"""


def pressure(server):
    figures = server.metrics()
    return figures["sluice_memory_pressure_total"], figures["sluice_memory_pressure_released_nodes_total"]


def test_sigusr1_releases_unused_nodes():
    with Server({"g": GRAPH}) as server:
        assert server.alive("g") == {"x", "fixed"}, "it comes with the first look-up"
        start = server.counts("g")["nodes"]
        assert server.value("g", "sum") == 2
        server.set("g", "x", 2)
        assert server.value("g", "sum") == 5, "it has gone on although nobody listens"
        kept = server.counts("g")["nodes"]
        assert server.alive("g") == {"x", "sum", "fixed"} and kept > start

        server.process.send_signal(signal.SIGUSR1)
        eventually(lambda: pressure(server) == (1, kept - start), what="a flush that is counted")
        assert server.alive("g") == {"x", "fixed"} and server.counts("g")["nodes"] == start
        assert server.value("g", "sum") == 3, "it begins anew"


def test_nodes_with_listeners_survive():
    with Server({"g": GRAPH}) as server:
        client = Client(server)
        client.ask(op="sub", graph="g", node="sum")
        server.set("g", "x", 2)
        server.process.send_signal(signal.SIGUSR1)
        eventually(lambda: pressure(server)[0] == 1)
        assert server.alive("g") == {"x", "sum", "fixed"}
        client.close()
        eventually(lambda: server.alive("g") == {"x", "fixed"}, what="release with the last listener")


def test_a_pressure_file_that_cannot_be_asked_is_no_obstacle():
    with Server({"g": GRAPH}, config="# fixed: memory.pressure=/no/such/file\n") as server:
        assert server.value("g", "sum") == 2
        assert "nothing says when memory is short" in server.log_text()


@pytest.mark.skipif(not os.access("/proc/pressure/cpu", os.W_OK), reason="this kernel takes no triggers")
def test_the_kernel_says_when():
    # The processor's file tells in the same way as that of memory, and its pressure is easy to
    # make.
    with Server({"g": GRAPH}, config="# fixed: memory.pressure=/proc/pressure/cpu\n") as server:
        assert server.value("g", "sum") == 2
        burners = [
            subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * os.cpu_count())
        ]
        try:
            eventually(lambda: pressure(server)[0] > 0, what="the kernel's signal")
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()
        assert pressure(server)[1] > 0 and server.alive("g") == {"x", "fixed"}
