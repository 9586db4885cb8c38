#!/usr/bin/env python3
"""What a transaction costs beside a plain batch: transfers between many accounts, kept in SQLite.

    scripts/bench_transfers.py [--rounds N] [--seconds N] [--accounts N] [--write FILE]

Each round sends both kinds from eight connections, with as many requests on their way on each, in
turning order. A transfer computes two values by expressions, under a condition; a batch sets the
same two nodes. The ratio is taken within a round; what is told is the median over the rounds. After
each round the sum of all accounts must be what it was.
"""

import argparse
import json
import os
import pathlib
import random
import re
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
SLUICE = pathlib.Path(os.environ.get("SLUICE_BINARY", ROOT / ".build/release/sluice"))
CONNECTIONS = 8
IN_FLIGHT = 16
BALANCE = 1000
GRAPH = "graph: g\nnodes:\n  account.{id}: { set: number, min: 0 }\n  other.{id}: { set: number, min: 0 }\n"


class Server:
    def __init__(self, folder, durability, accounts):
        (folder / "graphs").mkdir()
        (folder / "graphs/g.yaml").write_text(GRAPH)
        (folder / "sluice.yaml").write_text(
            f"graphs: {folder}/graphs\ndataDir: {folder}/data\ndurability: {durability}\npublic: ''\n"
            f"limits:\n  members: {3 * accounts}\n"
        )
        self.process = subprocess.Popen(
            [SLUICE, "serve", "--config", folder / "sluice.yaml", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        url = next(m.group(1) for line in self.process.stdout if (m := re.match(r"listening on (\S+)", line)))
        self.url, self.port = url, int(url.rsplit(":", 1)[1])

    def post(self, body):
        request = urllib.request.Request(f"{self.url}/v1/graphs/g/batch", json.dumps(body).encode())
        return json.load(urllib.request.urlopen(request))

    def fill(self, accounts):
        for kind in ("account", "other"):
            for first in range(0, accounts, 1000):
                names = range(first, min(first + 1000, accounts))
                self.post({"set": {f"{kind}.{n}": BALANCE for n in names}})

    def total(self):
        url, total = f"{self.url}/v1/graphs/g/values?nodes=account.*&limit=1000", 0
        page = {"next": ""}
        while "next" in page:
            more = f"&next={page['next']}" if page["next"] else ""
            page = json.load(urllib.request.urlopen(url + more))
            total += sum(entry["v"] for entry in page["m"].values())
        return total

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def transfer(dice, accounts):
    a, b = dice.sample(range(accounts), 2)
    return {
        "update": {f"account.{a}": "value - 10", f"account.{b}": "value + 10"},
        "with": {"a": f"account.{a}"}, "if": "a >= 10",
    }


def plain(dice, accounts):
    a, b = dice.sample(range(accounts), 2)
    return {"set": {f"other.{a}": dice.randrange(1000), f"other.{b}": dice.randrange(1000)}}


class Sender(threading.Thread):
    """Sends requests that were made before, some at a time, and counts the answers."""

    def __init__(self, port, bodies):
        super().__init__()
        self.texts = [
            (f"POST /v1/graphs/g/batch HTTP/1.1\r\nHost: 127.0.0.1\r\n"
             f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
            for body in map(json.dumps, bodies)
        ]
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.done, self.refused, self.ends = 0, 0, False

    def run(self):
        sent, place = 0, 0
        while not self.ends or sent > self.done:
            if not self.ends and (free := IN_FLIGHT - (sent - self.done)) > 0:
                texts = [self.texts[(place + n) % len(self.texts)] for n in range(free)]
                self.socket.sendall(b"".join(texts))
                sent, place = sent + free, place + free
            received = self.socket.recv(1 << 16)
            assert received, "the server has closed the connection"
            self.done += received.count(b"HTTP/1.1 ")
            self.refused += received.count(b"HTTP/1.1 4")


def rate(server, make, seconds, accounts, seed):
    dice = random.Random(seed)
    senders = [Sender(server.port, [make(dice, accounts) for _ in range(2000)]) for _ in range(CONNECTIONS)]
    begin = time.monotonic()
    for sender in senders:
        sender.start()
    time.sleep(seconds)
    done = sum(sender.done for sender in senders)
    passed = time.monotonic() - begin
    for sender in senders:
        sender.ends = True
    for sender in senders:
        sender.join(60)
        sender.socket.close()
    refused = sum(sender.refused for sender in senders)
    assert refused < done / 100, f"{refused} of {done} were refused"
    return done / passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--accounts", type=int, default=100_000)
    parser.add_argument("--durability", default="written")
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory(prefix="sluice-transfers-") as folder:
        server = Server(pathlib.Path(folder), options.durability, options.accounts)
        try:
            server.fill(options.accounts)
            whole = server.total()
            for round in range(options.rounds):
                kinds = [("transfers", transfer), ("batches", plain)]
                found = {
                    name: rate(server, make, options.seconds, options.accounts, round)
                    for name, make in (kinds if round % 2 else kinds[::-1])
                }
                assert server.total() == whole, "the sum has changed"
                rounds.append(found)
                shown = ", ".join(f"{name} {value:,.0f}/s" for name, value in found.items())
                print(f"round {round + 1}: {shown}", flush=True)
        finally:
            server.stop()
    ratio = statistics.median(found["transfers"] / found["batches"] for found in rounds)
    print(f"transfers beside batches: {ratio:.2f} (at least 0.7)")
    if options.write:
        options.write.write_text(json.dumps({"rounds": rounds, "ratio": ratio}, indent=1) + "\n")


if __name__ == "__main__":
    main()
