#!/usr/bin/env python3
"""Tokens of issuers (JWT): what a POST costs beside one with a token of the file, and what a new
token costs at connect.

    scripts/bench_tokens.py [--rounds N] [--write FOLDER]

`SLUICE_BINARY` names the server; without it, the one of `make release`.
"""

import argparse
import datetime
import hashlib
import http.client
import os
import pathlib
import platform
import socket
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("SLUICE_BINARY", str(ROOT / ".build/release/sluice"))
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from issuer import Issuer  # noqa: E402
from sluice import Server  # noqa: E402

ALGORITHMS = ("RS256", "ES256", "EdDSA")
PLAIN = "slc_the_token_of_alice_0123456789abcdefghijkl"
NODE = "/v1/graphs/g/nodes/x"
BATCH = 50


def posts(server, token):
    """How long the loop's thread runs for one POST, in µs: of many batches, the shortest."""
    def nanoseconds():
        return int(pathlib.Path(f"/proc/{server.process.pid}/schedstat").read_text().split()[0])

    with socket.create_connection((server.host, server.port)) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = (
            f"POST {NODE} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nContent-Length: 1\r\n\r\n7"
        ).encode()

        def send(count):
            for _ in range(count):
                client.sendall(request)
                assert b" 200 " in client.recv(65536)[:20]

        send(300)
        shortest = float("inf")
        for _ in range(60):
            began = nanoseconds()
            send(BATCH)
            shortest = min(shortest, (nanoseconds() - began) / BATCH / 1000)
        return shortest


def connects(server, tokens):
    """What the first GET with a token takes longer than the second, in µs: the median."""
    client = http.client.HTTPConnection(server.host, server.port)
    more = []
    for token in tokens:
        took = []
        for _ in range(2):
            began = time.perf_counter()
            client.request("GET", NODE, headers={"Authorization": f"Bearer {token}"})
            answer = client.getresponse()
            answer.read()
            took.append(time.perf_counter() - began)
            assert answer.status == 200
        more.append((took[0] - took[1]) * 1e6)
    return statistics.median(more)


def measure(folder, rounds):
    issuer = Issuer()
    for algorithm in ALGORITHMS:
        issuer.add(algorithm)
    digest = hashlib.sha256(PLAIN.encode()).hexdigest()
    (folder / "tokens.yaml").write_text(f"- {{ name: alice, hash: 'sha256:{digest}', can: [read, set] }}\n")
    (folder / "issuers.yaml").write_text(
        f"issuers:\n  - issuer: {issuer.id}\n    audience: sluice\n    name: plant\n    rights:\n"
        "      - { can: [read, set], graphs: ['{claims.tenant}'] }\n"
    )
    config = f"auth: {folder}/tokens.yaml\nissuers: {folder}/issuers.yaml\n"
    with issuer, Server({"g": "graph: g\nnodes:\n  x: { set: number, initial: 1 }\n"}, config) as server:
        kids = dict(zip(ALGORITHMS, issuer.published, strict=True))
        seen = {"file": PLAIN} | {
            name: issuer.token(kid=kid, tenant="g", lifetime=7200) for name, kid in kids.items()
        }
        best = {name: min(posts(server, token) for _ in range(rounds)) for name, token in seen.items()}
        first = {
            name: connects(server, [issuer.token(kid=kid, tenant="g", sub=f"u{i}") for i in range(300)])
            for name, kid in kids.items()
        }
    rows = [
        (f"POST with a {name} token of {len(seen[name])} bytes, seen before", best[name] / best["file"])
        for name in ALGORITHMS
    ]
    return best["file"], rows, first


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", type=pathlib.Path)
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        plain, rows, first = measure(pathlib.Path(folder), arguments.rounds)
    today = datetime.date.today().isoformat()
    lines = [
        "# Tokens of issuers", "",
        f"{today}, {platform.machine()}, {os.cpu_count()} processors. "
        f"The machine's load was {load:.1f} at the beginning.", "",
        f"A POST with a token of the file costs the loop's thread {plain:.1f} µs.", "",
        "| what | budget | found |", "|---|---|---|",
        *(f"| {what}: times that | 1.05 | {found:.2f} |" for what, found in rows),
        *(
            f"| a new {name} token at connect: time more than the same again | {budget} | {found:.0f} µs |"
            for (name, found), budget in zip(first.items(), ("", "150 µs", "200 µs"), strict=True)
        ),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.write:
        (arguments.write / f"{today}-tokens.md").write_text(text)


if __name__ == "__main__":
    main()
