"""Somebody else, in a process of its own: a ping every five milliseconds, and how long the answers took.

`python bystander.py HOST PORT` prints `ready`, goes on until a line comes on its standard input,
and prints the waits in milliseconds.
"""

import json
import pathlib
import subprocess
import sys
import threading
import time


class Bystander:
    """Waits of another client while a `with` runs: `longest` and `waits`, in milliseconds."""

    def __init__(self, server):
        arguments = [sys.executable, str(pathlib.Path(__file__).resolve()), server.host, str(server.port)]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"
        self.waits = []

    @property
    def longest(self):
        return max(self.waits)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        out, _ = self.process.communicate("\n", timeout=120)
        self.waits = json.loads(out)


def main():
    from websockets.sync.client import connect

    waits, ends = [], threading.Event()
    with connect(f"ws://{sys.argv[1]}:{sys.argv[2]}/v1/ws", subprotocols=["sluice.v1.json"]) as socket:
        print("ready", flush=True)
        threading.Thread(target=lambda: (sys.stdin.readline(), ends.set()), daemon=True).start()
        while not ends.wait(0.005):
            began = time.monotonic()
            socket.send('{"op":"ping","id":1}')
            socket.recv(110)
            waits.append((time.monotonic() - began) * 1000)
    print(json.dumps(waits))


if __name__ == "__main__":
    main()
