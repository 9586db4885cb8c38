"""A client with a hundred ordinary pipelines, in a process of its own: it sets a node every five milliseconds and waits for all values.

`python victim.py HOST PORT SECONDS` prints the waits in milliseconds.
"""

import json
import pathlib
import subprocess
import sys
import time

GRAPH = "nodes:\n  x: { set: number, initial: 0 }\n"
COUNT = 100


def waits(server, seconds):
    """How long each set took until the victim had its hundred values, sorted, in milliseconds."""
    arguments = [sys.executable, str(pathlib.Path(__file__).resolve()), server.host, str(server.port), str(seconds)]
    return sorted(json.loads(subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=seconds + 60).stdout))


def main():
    from websockets.sync.client import connect

    waits = []
    with connect(f"ws://{sys.argv[1]}:{sys.argv[2]}/v1/ws", subprotocols=["sluice.v1.json"]) as socket:
        for id in range(1, COUNT + 1):
            socket.send(json.dumps({"op": "sub", "id": id, "graph": "v", "node": "x", "pipe": [{"map": f"value + {id}"}]}))
            socket.recv(30)
        end = time.monotonic() + float(sys.argv[3])
        while time.monotonic() < end:
            began = time.monotonic()
            socket.send(json.dumps({"op": "set", "graph": "v", "set": {"x": len(waits) + 1}}))
            left = COUNT
            while left > 0:
                left -= socket.recv(30).count('"v":')
            waits.append((time.monotonic() - began) * 1000)
            time.sleep(0.005)
    print(json.dumps(waits))


if __name__ == "__main__":
    main()
