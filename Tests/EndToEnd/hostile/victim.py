"""A client with a hundred ordinary pipelines, in a process of its own: it sets a node every five
milliseconds and waits for all values.

`python victim.py HOST PORT SECONDS SERVER` prints for each set how long that took, and how long the
kernel kept the process SERVER or this one waiting for a processor meanwhile, in milliseconds.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

GRAPH = "nodes:\n  x: { set: number, initial: 0 }\n"
COUNT = 100
# Waiting for a processor for longer than this is the machine's doing, and such a set says nothing
# about the server.
LONGEST_STOLEN = 0.05


class Waits:
    """How long each set took until the victim had its hundred values, in milliseconds, without
    those that the machine held up."""

    def __init__(self, sets):
        self.all = sorted(wait for wait, _ in sets)
        self.fair = sorted(wait for wait, stolen in sets if stolen <= LONGEST_STOLEN)

    @staticmethod
    def late(waits, share=0.99):
        return waits[min(len(waits) - 1, int(len(waits) * share))] if waits else float("inf")

    def __str__(self):
        def line(waits):
            shares = ", ".join(
                f"p{100 * share:g} {self.late(waits, share):.2f}" for share in (0.5, 0.9, 0.99, 0.999)
            )
            return f"{shares} ms, {len(waits)} sets"

        return f"{line(self.fair)}; with those that the machine held up: {line(self.all)}"


def waits(server, seconds, prefix=()):
    """Lets a victim run; `prefix` starts its command."""
    arguments = [
        *prefix, sys.executable, str(pathlib.Path(__file__).resolve()), server.host, str(server.port),
        str(seconds), str(server.process.pid),
    ]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=seconds + 60)
    return Waits(json.loads(ended.stdout))


def stolen(pid):
    """How long the first thread of a process has waited for a processor, in milliseconds."""
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e6


def main():
    from websockets.sync.client import connect

    sets = []
    processes = (os.getpid(), int(sys.argv[4]))
    with connect(f"ws://{sys.argv[1]}:{sys.argv[2]}/v1/ws", subprotocols=["sluice.v1.json"]) as socket:
        for id in range(1, COUNT + 1):
            socket.send(
                json.dumps(
                    {"op": "sub", "id": id, "graph": "v", "node": "x", "pipe": [{"map": f"value + {id}"}]}
                )
            )
            socket.recv(30)
        end = time.monotonic() + float(sys.argv[3])
        while time.monotonic() < end:
            before = sum(map(stolen, processes))
            began = time.monotonic()
            socket.send(json.dumps({"op": "set", "graph": "v", "set": {"x": len(sets) + 1}}))
            left = COUNT
            while left > 0:
                left -= socket.recv(30).count('"v":')
            wait = (time.monotonic() - began) * 1000
            sets.append((wait, sum(map(stolen, processes)) - before))
            time.sleep(0.005)
    print(json.dumps(sets))


if __name__ == "__main__":
    main()
