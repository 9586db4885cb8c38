"""Many clients of pipelines over real sockets: equal ones cost what one costs, different ones go
with their clients.

`make test` takes few, `make nightly` 10,000. `python3 Tests/EndToEnd/test_pipelines.py 10000`
prints the figures as a table.
"""

import json
import os
import pathlib
import resource
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from rawsocket import RawWebSocket  # noqa: E402
from sluice import PATIENCE, Server, eventually  # noqa: E402

GRAPH = """
graph: g
nodes:
  x: { set: number, initial: 1 }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
"""
EQUAL = [{"map": "value + 1"}, {"filter": "value > 0"}, {"map": "value * 10"}]
COUNT = 300


def different(place):
    return [{"map": f"value + {place}"}, {"filter": "value > 0"}, {"map": "value * 10"}]


def processor(server):
    """Seconds of processor time that the server has had."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settled(server):
    """Resident memory when it does not change any more."""
    before = server.resident()
    while True:
        time.sleep(0.3)
        now = server.resident()
        if abs(now - before) < 65536:
            return now
        before = now


def emissions(server):
    """How often each stage of a client's pipeline has emitted."""
    return sum(node["count"] for node in server.picture("g")["nodes"] if node["kind"] == "chain")


def life(count, pipe, commits=20):
    """`count` clients connect, subscribe, hear `commits` values and leave; what that took."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, count + 500)), hard))
    figures = {"clients": count}
    with Server({"g": GRAPH}, "heartbeat: 10m\n") as server:
        start = server.counts("g")
        idle = settled(server)
        peers = [RawWebSocket(server, timeout=PATIENCE) for _ in range(count)]
        connected = settled(server)
        shared = []
        for place, peer in enumerate(peers):
            peer.text({"op": "sub", "id": 1, "graph": "g", "node": "double", "pipe": pipe(place)})
            shared.append(peer.message()["shared"])
        figures["shared"] = shared[-1]
        subscribed = settled(server)
        figures["nodes"] = server.counts("g")["nodes"] - start["nodes"]
        figures["bytes per connection"] = (connected - idle) // count
        figures["bytes per subscription"] = (subscribed - connected) // count
        ran = emissions(server)
        spent = processor(server)
        for number in range(commits):
            server.set("g", "x", number + 2)
            for place, peer in enumerate(peers):
                offset = int(pipe(place)[0]["map"].split()[-1])
                assert peer.message()["d"][0]["v"] == ((number + 2) * 2 + offset) * 10
        figures["emissions per commit"] = (emissions(server) - ran) / commits
        figures["processor ms per commit"] = round((processor(server) - spent) * 1000 / commits, 2)
        # All but one leave at once.
        released = server.count("nodes_released_total", "g")
        for peer in peers[1:]:
            peer.socket.close()
        eventually(
            lambda: server.counts("g")["listeners"] == start["listeners"] + 1, what="the end of all but one"
        )
        figures["released by all but the last"] = server.count("nodes_released_total", "g") - released
        peers[0].socket.close()
        eventually(lambda: server.counts("g") == start, what="the end of the last")
        figures["released in all"] = server.count("nodes_released_total", "g") - released
        figures["resident MB idle"] = round(idle / 1e6, 1)
        figures["resident MB with all"] = round(subscribed / 1e6, 1)
        figures["resident MB afterwards"] = round(settled(server) / 1e6, 1)
    return figures


def equal_ones(count):
    figures = life(count, lambda _: EQUAL)
    print(json.dumps(figures))
    assert figures["shared"] == count
    assert figures["nodes"] == 4, "double and three stages"
    assert figures["emissions per commit"] == 3, "of one chain"
    assert figures["released by all but the last"] == 0
    assert figures["released in all"] == 4


def different_ones(count):
    figures = life(count, different, commits=3)
    print(json.dumps(figures))
    assert figures["shared"] == 1
    assert figures["nodes"] == 1 + 3 * count
    assert figures["emissions per commit"] == 3 * count
    assert figures["released by all but the last"] == 3 * (count - 1)
    assert figures["released in all"] == 3 * count + 1


def test_equal_pipelines():
    equal_ones(COUNT)


def test_different_pipelines():
    different_ones(COUNT)


@pytest.mark.nightly
def test_ten_thousand_equal_pipelines():
    equal_ones(10_000)


@pytest.mark.nightly
def test_ten_thousand_different_pipelines():
    different_ones(10_000)


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    one = life(1, lambda _: EQUAL)
    same = life(many, lambda _: EQUAL)
    own = life(many, different, commits=5)
    print(f"| | one client | {many} equal pipelines | {many} different pipelines |\n|---|---|---|---|")
    for key in one:
        print(f"| {key} | {one[key]} | {same[key]} | {own[key]} |")
