#!/usr/bin/env python3
"""What durability costs, how long a start after a long log takes, and Redis beside it.

    scripts/bench_durability.py [--rounds N] [--entries N] [--write FILE]

A round runs every contestant under the same load, 50 keep-alive connections that set one node, in
turning order. Ratios are taken within a round; what is told is the median over the rounds. Redis,
where there is one, sets one key from 50 connections with its own load generator.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import time
import urllib.request
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
SLUICE = pathlib.Path(os.environ.get("SLUICE_BINARY", ROOT / ".build/release/sluice"))
# What puts the load on it.
LOAD = SLUICE.with_name("sluice-dev")
NODES = 20
GRAPH = "graph: g\nnodes:\n" + "".join(f"  n{n}: {{ set: any }}\n" for n in range(NODES // 2)) + "".join(
    f"  d{n}: {{ from: n{n}, retain: always, pipe: [ {{ map: 'value * 2' }} ] }}\n" for n in range(NODES // 2)
)


class Server:
    """A server process with the graph, and where it keeps it."""

    def __init__(self, folder, *settings):
        (folder / "graphs").mkdir(exist_ok=True)
        (folder / "graphs/g.yaml").write_text(GRAPH)
        arguments = ["--set", f"graphs={folder}/graphs", "--set", "public=", "--listen", "127.0.0.1:0"]
        for setting in settings:
            arguments += ["--set", setting]
        (folder / "empty.yaml").write_text("{}\n")
        begin = time.monotonic()
        self.process = subprocess.Popen(
            [SLUICE, "serve", "--config", folder / "empty.yaml", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        self.url = next(
            m.group(1) for line in self.process.stdout if (m := re.match(r"listening on (\S+)", line))
        )
        self.seconds = time.monotonic() - begin

    def bench(self, *arguments):
        done = subprocess.run(
            [LOAD, "bench", *map(str, arguments), "--url", self.url, "--json"], capture_output=True,
            text=True, check=True, timeout=120,
        )
        return json.loads(done.stdout.splitlines()[-1])

    def metric(self, name):
        text = urllib.request.urlopen(f"{self.url}/metrics").read().decode()
        return float(re.search(rf"^{name} (\S+)$", text, re.M).group(1))

    def resident(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)


def ours(kind, folder, seconds):
    settings = [] if kind == "memory" else [f"dataDir={folder}/data", f"durability={kind}"]
    with Server(folder, *settings) as server:
        report = server.bench(
            "post", "--node", "g/n0", "--connections", 50, "--duration", f"{seconds}s", "--process",
            server.process.pid,
        )
        writes = server.metric("sluice_log_writes_total") if settings else 0
    shutil.rmtree(folder / "data", ignore_errors=True)
    return {"rate": report["posts_per_s"], "p99": report["p99_us"], "cpu": report["server_cpu_us_per_post"],
            "per write": report["posts"] / writes if writes else None}


def redis(mode, folder, seconds):
    port = 16379
    process = subprocess.Popen(
        [
            "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--appendonly",
            "yes", "--appendfsync", mode, "--save", "",
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        time.sleep(0.5)
        def run(count):
            out = subprocess.run(
                [
                    "redis-benchmark", "-p", str(port), "-c", "50", "-n", str(count), "-t", "set", "-d", "8",
                    "--csv",
                ],
                capture_output=True, text=True, check=True, timeout=120,
            ).stdout
            return [field.strip('"') for field in out.splitlines()[-1].split(",")]
        probe = float(run(10_000)[1])
        row = run(max(10_000, int(probe * seconds)))
        return {"rate": float(row[1]), "p99": float(row[6]) * 1000, "cpu": None, "per write": None}
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(folder / "appendonlydir", ignore_errors=True)


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def words(*numbers):
    return b"".join(n.to_bytes(8, "little") for n in numbers)


def lengthen(path, entries):
    """Puts so many commits after the last snapshot, as if they had been made since, and seals that
    (Seal.swift)."""
    database = sqlite3.connect(path)
    graph, checksum = database.execute("SELECT id, checksum FROM graphs WHERE name = 'g'").fetchone()
    first, last, moment = database.execute(
        "SELECT min(first), max(last), time FROM log WHERE graph = ?", [graph]
    ).fetchone()
    sequence, total = database.execute("SELECT sequence, total FROM seal").fetchone()
    former = last
    with database:
        for begin in range(last + 1, last + 1 + entries, 50):
            rows, before = b"", 0
            for rev in range(begin, begin + 50):
                at = moment + (rev - former) // 1000
                name, value = b"n%d" % (rev % (NODES // 2)), b"%d" % rev
                rows += (
                    varint(at - before)
                    + b"\x01\x00\x01"
                    + varint(len(name))
                    + name
                    + varint(len(value))
                    + value
                )
                before = at
            sequence += 1
            last = begin + 49
            database.execute(
                "INSERT INTO log(graph, last, first, time, checksum, entries) VALUES(?,?,?,?,?,?)",
                (graph, last, begin, at, zlib.crc32(rows, zlib.crc32(words(graph, begin, last, at))), rows),
            )
        total += zlib.crc32(words(0, graph, checksum, first, last, at)) - zlib.crc32(
            words(0, graph, checksum, first, former, moment)
        )
        database.execute("UPDATE seal SET sequence = ?, total = ?, checksum = ?",
                         (sequence, total, zlib.crc32(words(3, sequence, total))))
    database.close()


def start(folder, entries):
    data = f"dataDir={folder}/data"
    with Server(folder, data) as server:
        urllib.request.urlopen(
            urllib.request.Request(
                f"{server.url}/v1/graphs/g/nodes/n0", b"1", {"Content-Type": "application/json"}
            )
        )
    with Server(folder, data) as server:
        empty = server.seconds, server.resident()
    lengthen(folder / "data/sluice.db", entries)
    with Server(folder, data) as server:
        full = server.seconds, server.resident()
        server.process.kill()
    begin = time.monotonic()
    out = subprocess.run(
        [SLUICE, "replay", "--data", folder / "data", "g", "--json"], capture_output=True, text=True,
        check=True,
    ).stdout
    seconds = time.monotonic() - begin
    played = json.loads(out)
    size = (folder / "data/sluice.db").stat().st_size
    return empty, full, played, seconds, size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    contestants = {
        kind: (lambda folder, kind=kind: ours(kind, folder, given.seconds))
        for kind in ("memory", "written", "fsync")
    }
    if shutil.which("redis-server"):
        for mode in ("everysec", "always"):
            contestants[f"redis {mode}"] = lambda folder, mode=mode: redis(mode, folder, given.seconds)
    results = {name: [] for name in contestants}
    # Beside the build, on a real disk: /tmp may be in memory.
    with tempfile.TemporaryDirectory(prefix="bench-", dir=ROOT / ".build") as folder:
        folder = pathlib.Path(folder)
        names = list(contestants)
        for round in range(given.rounds):
            for name in names[round % len(names):] + names[:round % len(names)]:
                results[name].append(contestants[name](folder))
        lines = [
            f"# Durability, {datetime.date.today()}", "",
            f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, "
            f"{platform.system()} {platform.release()}; "
            f"`scripts/bench_durability.py --rounds {given.rounds}`. Load generator and server share the "
            "processors.", "",
            "| 50 keep-alive writers | commits/s | ratio to memory | p99 ms | server CPU µs per commit | "
            "commits per write |", "|---|---|---|---|---|---|",
        ]
        def middle(values):
            values = [value for value in values if value is not None]
            return statistics.median(values) if values else None
        for name in names:
            rows = results[name]
            ratio = middle([row["rate"] / memory["rate"] for row, memory in zip(rows, results["memory"])])
            figure = lambda key, digits=1: (
                "–"
                if middle([row[key] for row in rows]) is None
                else f"{middle([row[key] for row in rows]):.{digits}f}"
            )
            lines.append(
                f"| {name} | {middle([row['rate'] for row in rows]):,.0f} | {ratio:.2f} | "
                f"{middle([row['p99'] for row in rows]) / 1000:.2f} | "
                f"{figure('cpu')} | {figure('per write', 0)} |"
            )
        empty, full, played, seconds, size = start(folder, given.entries)
        rate = played["commits"] / seconds
        lines += ["", f"| a start with {given.entries:,} commits behind the last snapshot | |", "|---|---|",
                  f"| ready after | {full[0]:.2f} s (with none {empty[0]:.2f} s) |",
                  f"| resident then | {full[1] / 1048576:.1f} MiB (with none {empty[1] / 1048576:.1f} MiB) |",
                  f"| database | {size / 1048576:.0f} MiB |",
                  f"| `sluice replay` of them, {NODES} nodes | {rate:,.0f} commits/s |"]
    text = "\n".join(lines) + "\n"
    print(text)
    if given.write:
        given.write.write_text(text)


if __name__ == "__main__":
    main()
