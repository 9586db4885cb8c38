"""docs/guarantees.md: what no other test shows, and that each sentence names a test."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sluice import ROOT, Server

GRAPH = (
    "graph: g\nnodes:\n  x: { set: integer, initial: 0 }\n  double: { from: x, pipe: [ { map: value * "
    "2 } ] }\n"
)
CLIENTS, SETS = 8, 25


@pytest.mark.parametrize("keeps", [False, True], ids=["memory", "disk"])
def test_sets_and_reads_are_linearizable(keeps):
    """Clients count up one after the other with conditions: none of them is lost, and no read is
    behind an answer."""
    lock, answered = threading.Lock(), [0]

    def read(server, path):
        """A value, which is at least the newest one that had been answered when the read began."""
        with lock:
            floor = answered[0]
        answer = server.get(f"/v1/graphs/g/nodes/{path}")
        return answer.json(), floor, answer.headers["ETag"]

    def count(server):
        done = 0
        while done < SETS:
            value, floor, tag = read(server, "x")
            assert value >= floor
            double, floor, _ = read(server, "double")
            assert double >= 2 * max(floor, value)
            answer = server.request("POST", "/v1/graphs/g/nodes/x", str(value + 1), {"If-Match": tag})
            assert answer.status in (200, 412)
            if answer.status == 200:
                with lock:
                    answered[0] = max(answered[0], value + 1)
                done += 1

    with Server({"g": GRAPH}, keeps=keeps) as server:
        with ThreadPoolExecutor(CLIENTS) as pool:
            for each in [pool.submit(count, server) for _ in range(CLIENTS)]:
                each.result()
        assert server.get("/v1/graphs/g/nodes/x").json() == CLIENTS * SETS


def test_each_guarantee_names_a_test():
    text = (ROOT / "docs/guarantees.md").read_text()
    tables = re.findall(r"^\| guarantee \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
    assert len(tables) == 6
    for row in "".join(tables).splitlines():
        assert "](../Tests/" in row, f"no test shows this: {row}"
