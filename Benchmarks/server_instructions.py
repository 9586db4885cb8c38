#!/usr/bin/env python3
"""Counts the user instructions that the whole server, sockets included, takes for one of each operation.

    Benchmarks/server_instructions.py BINARY [OTHER_BINARY ...] [--only TEXT]

Runs each server under callgrind with few operations and again with many; the difference is what one
of them costs. Needs valgrind and strip: callgrind does not read the debug information of Swift 6.3.
Counts repeat to about one percent; seconds do not.
"""

import argparse
import base64
import json
import os
import re
import socket
import struct
import subprocess
import tempfile
import time

GRAPH = """graph: g
nodes:
  x: { set: number, initial: 0 }
  y: { set: number, initial: 0 }
  note: { set: any, initial: "" }
  other: { set: any, initial: "" }
  a: { from: x, pipe: [ { map: "value + 1" } ], retain: always }
  b: { combine: { a: a, y: y }, map: "a + y", retain: always }
  c: { combine: { a: a, b: b }, map: "a * b", retain: always }
"""
PIPE = [{"map": "value + 1"}, {"filter": "value > 0"}]


class Peer:
    """A blocking HTTP or WebSocket connection that reads no more than it has to."""

    def __init__(self, port, upgrade=False):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.held = b""
        if upgrade:
            key = base64.b64encode(b"0123456789abcdef").decode()
            self.socket.sendall(
                f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: "
                "Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: "
                "sluice.v1.json\r\n\r\n".encode()
            )
            self.until(b"\r\n\r\n")

    def until(self, mark, count=1):
        """Reads until `mark` has come `count` times, and forgets all of it."""
        while self.held.count(mark) < count:
            part = self.socket.recv(1 << 20)
            if not part:
                raise EOFError(self.held)
            self.held += part
        self.held = b""

    def send(self, message):
        payload = json.dumps(message).encode()
        length = len(payload)
        head = (
            struct.pack("!BB", 0x81, 0x80 | length)
            if length < 126
            else struct.pack("!BBH", 0x81, 0x80 | 126, length)
        )
        self.socket.sendall(head + b"\0\0\0\0" + payload)

    def close(self):
        self.socket.close()


def request(port, node, value):
    body = str(value)
    return (
        f"POST /v1/graphs/g/nodes/{node} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: "
        "application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


def posts(node):
    def run(port, times):
        peer = Peer(port)
        for number in range(times):
            peer.socket.sendall(request(port, node, 1000 + number))
            peer.until(b'{"epoch"')
    return run


def pipelined(*nodes):
    def run(port, times):
        peer = Peer(port)
        for first in range(0, times, 16):
            count = min(16, times - first)
            peer.socket.sendall(
                b"".join(
                    request(port, nodes[each % len(nodes)], 1000 + first + each) for each in range(count)
                )
            )
            peer.until(b'{"epoch"', count)
    return run


def delivered(subscribers):
    def run(port, times):
        peers = [Peer(port, upgrade=True) for _ in range(subscribers)]
        for peer in peers:
            peer.send({"op": "sub", "id": 1, "graph": "g", "node": "note"})
            peer.until(b'"snap"')
        sender = Peer(port)
        for number in range(times):
            sender.socket.sendall(request(port, "note", 1000 + number))
            sender.until(b'{"epoch"')
            for peer in peers:
                peer.until(b'"upd"')
    return run


def subscribing(what):
    def run(port, times):
        keeper, peer = Peer(port, upgrade=True), Peer(port, upgrade=True)
        keeper.send({"op": "sub", "id": 1, "graph": "g", **what})
        keeper.until(b'"snap"')
        for number in range(times):
            peer.send({"op": "sub", "id": number + 1, "graph": "g", **what})
            peer.until(b'"snap"')
    return run


def cycles(port, times):
    for _ in range(times):
        peer = Peer(port, upgrade=True)
        peer.send({"op": "sub", "id": 1, "graph": "g", "node": "x"})
        peer.until(b'"snap"')
        peer.close()


# Name, load, operations counted as few and as many.
CASES = [
    ("POST, alone", posts("note"), 500, 2500),
    ("POST, 16 pipelined", pipelined("note"), 1600, 8000),
    ("POST, 16 pipelined, no head like the one before", pipelined("note", "other"), 1600, 8000),
    ("POST to map and two combines", posts("x"), 300, 1300),
    ("POST with one subscriber", delivered(1), 300, 1300),
    ("POST with 100 subscribers", delivered(100), 20, 120),
    ("sub of a node", subscribing({"node": "x"}), 100, 600),
    ("sub with a pipeline that others have", subscribing({"node": "x", "pipe": PIPE}), 100, 600),
    ("connect, subscribe, close", cycles, 100, 500),
]


def count(binary, folder, load, times):
    command = [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, "serve", "--config",
        f"{folder}/sluice.yaml", "--listen", "127.0.0.1:0",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})
    try:
        port = int(re.search(r":(\d+)", process.stdout.readline().replace("http://", "")).group(1))
        load(port, times)
        time.sleep(0.3)
    finally:
        process.terminate()
    _, errors = process.communicate(timeout=60)
    return int(re.search(r"Collected : (\d+)", errors).group(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", nargs="+")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/graphs")
        with open(f"{folder}/graphs/g.yaml", "w") as file:
            file.write(GRAPH)
        with open(f"{folder}/sluice.yaml", "w") as file:
            file.write(f"graphs: {folder}/graphs\npublic: \"\"\n")
        stripped = []
        for binary in options.binaries:
            stripped.append(f"{folder}/sluice{len(stripped)}")
            subprocess.run(["strip", "-g", binary, "-o", stripped[-1]], check=True)
        print(
            "| user instructions of one | "
            + " | ".join(options.binaries)
            + " |\n|---|"
            + "---|" * len(stripped), flush=True,
        )
        for name, load, few, many in CASES:
            if options.only in name:
                counts = [
                    (count(b, folder, load, many) - count(b, folder, load, few)) // (many - few)
                    for b in stripped
                ]
                print(f"| {name} | " + " | ".join(f"{each:,}" for each in counts) + " |", flush=True)


if __name__ == "__main__":
    main()
