#!/usr/bin/env python3
"""Servers that share a Redis: what they take, what each commit, delivery and connection costs.
docs/sizing.md uses these figures.

    scripts/bench_redis.py [--seconds N] [--only WORD] [--json FILE]

Everything runs on this machine: a redis-server (appendonly everysec), two servers, and the load.
Processor time is that of all threads of a process, from /proc/PID/task/*/schedstat (Linux): it says
what something costs even where the machine is busy with other things.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))
SLUICE = os.environ.setdefault("SLUICE_BINARY", str(ROOT / ".build/release/sluice"))
# What puts the load on it.
LOAD = pathlib.Path(SLUICE).with_name("sluice-dev")

from redis_server import Instance, Redis  # noqa: E402
from websockets.asyncio.client import connect  # noqa: E402

GRAPH = "graph: g\nnodes:\n  x: { set: any }\n  w0: { set: any }\n"
LIMITS = "limits: { messages: 1000000 }\n"


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


@contextlib.contextmanager
def service(graphs=None, count=2):
    """A Redis and its servers."""
    with contextlib.ExitStack() as stack:
        redis = stack.enter_context(Redis("--appendonly", "yes", "--appendfsync", "everysec", keeps=False))
        yield (
            redis,
            *(stack.enter_context(Instance(redis, graphs or {"g": GRAPH}, LIMITS)) for _ in range(count)),
        )


class Gauge:
    """What all processes use, and what Redis does, between `begin` and `end`."""

    def __init__(self, redis, *servers):
        self.redis = redis
        self.processes = {"redis": redis.process.pid} | {
            f"server {number}": server.process.pid for number, server in enumerate(servers, 1)}
        self.before = self.read()

    def info(self, section):
        return dict(
            line.split(":", 1) for line in self.redis.ask("INFO", section).splitlines() if ":" in line
        )

    def read(self):
        used = {name: sum(int((task / "schedstat").read_text().split()[0])
                          for task in pathlib.Path(f"/proc/{process}/task").iterdir()) / 1000
                for name, process in self.processes.items()}
        stats = self.info("stats")
        calls = re.search(r"calls=(\d+)", self.info("commandstats").get("cmdstat_evalsha", "calls=0"))
        return used | {
            "entries": int(calls.group(1)), "aof": int(self.info("persistence")["aof_current_size"]),
            "in": int(stats["total_net_input_bytes"]), "out": int(stats["total_net_output_bytes"]),
        }

    def costs(self, commits):
        """Per commit."""
        after = self.read()
        used = {name: after[name] - self.before[name] for name in after}
        return {f"{name}, µs": round(used[name] / commits, 2) for name in self.processes} | {
            "commits an entry": round(commits / max(1, used["entries"]), 1),
            "append-only file, bytes": round(used["aof"] / commits, 1),
            "into Redis, bytes": round(used["in"] / commits, 1),
            "out of Redis, bytes": round(used["out"] / commits, 1),
        }


def rev(server):
    return server.get("/v1/graphs/g/values?nodes=w0").json()["rev"]


def websocket(server):
    return connect(f"ws://{server.host}:{server.port}/v1/ws", subprotocols=["sluice.v1.json"])


async def take(socket):
    async for _ in socket:
        pass


async def latency(one, other, rate, seconds):
    """Milliseconds from a set at one server to its delivery at the other, at so many sets a second."""
    times = []
    async with websocket(other) as listener, websocket(one) as writer:
        await listener.send(json.dumps({"op": "sub", "id": 1, "graph": "g", "node": "x", "mode": "all"}))
        await listener.recv()

        async def listen():
            async for message in listener:
                now = time.perf_counter()
                for entry in json.loads(message).get("d", []):
                    times.append(1000 * (now - entry["v"]))

        tasks = [asyncio.create_task(listen()), asyncio.create_task(take(writer))]
        begin = time.perf_counter()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0, begin + number / rate - time.perf_counter()))
            await writer.send(json.dumps({"op": "set", "graph": "g", "set": {"x": time.perf_counter()}}))
        await asyncio.sleep(1)
        for task in tasks:
            task.cancel()
    return {
        "sets": len(times), "p50": round(statistics.median(times), 2),
        "p99": round(percentile(times, 0.99), 2), "max": round(max(times), 2),
    }


def bench(server, *arguments):
    """One run of `sluice-dev bench`."""
    command = [LOAD, "bench", *map(str, arguments), "--url", server.url, "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def waiting(redis, servers, targets, connections, seconds):
    """Commits a second from so many connections, each of which waits for its answer, at some of the
    servers."""
    gauge = Gauge(redis, *servers)
    loads = [
        bench(
            server, "post", "--node", "g/w0", "--connections", connections // len(targets), "--duration",
            f"{seconds}s",
        )
        for server in targets
    ]
    reports = [json.loads(load.communicate()[0]) for load in loads]
    commits = sum(report["posts"] for report in reports)
    return {
        "commits/s": round(commits / seconds), "p99, ms": max(report["p99_us"] for report in reports) / 1000,
        "load, µs": round(sum(report["own_cpu_s"] for report in reports) / commits * 1e6, 2),
    } | gauge.costs(commits)


async def pushing(redis, servers, clients, seconds):
    """Commits a second from clients that do not wait, until all servers have applied them."""
    message = json.dumps([{"op": "set", "graph": "g", "set": {"w0": number}} for number in range(100)])
    gauge, done = Gauge(redis, *servers), asyncio.Event()
    begin, first, sent = time.perf_counter(), rev(servers[0]), [0]

    async def push(server):
        async with websocket(server) as socket:
            taking = asyncio.create_task(take(socket))
            while time.perf_counter() < begin + seconds:
                await socket.send(message)
                sent[0] += 100
            while not done.is_set():
                await asyncio.sleep(0.01)
            taking.cancel()

    tasks = [asyncio.create_task(push(server)) for server in clients]
    while time.perf_counter() < begin + seconds or any(rev(server) < first + sent[0] for server in servers):
        await asyncio.sleep(0.05)
    taken = time.perf_counter() - begin
    done.set()
    await asyncio.gather(*tasks)
    return {"commits/s": round(sent[0] / taken)} | gauge.costs(sent[0])


def stored(redis):
    """What the graph takes in Redis' memory."""
    def ask(*words):
        return redis.ask(*words).strip().split("\r\n")

    entries = int(ask("XLEN", "sluice:{g}:log")[0][1:])
    first, last = (
        int(re.search(r"(\d+)-0", redis.ask(command, "sluice:{g}:log", *ends, "COUNT", "1")).group(1))
        for command, ends in (("XRANGE", "-+"), ("XREVRANGE", "+-"))
    )
    size = int(ask("MEMORY", "USAGE", "sluice:{g}:log", "SAMPLES", "0")[0][1:])
    return {
        "entries": entries, "bytes an entry": round(size / entries),
        "bytes a commit": round(size / (last - first + 1), 1),
    }


def fanout(server, *more):
    """What a delivery costs the server."""
    load = bench(
        server, "fanout", "--node", "g/w0", "--subscribers", 1000, "--size", 64, "--process",
        server.process.pid, "--duration", "3s", *more,
    )
    report = json.loads(load.communicate()[0])
    return {
        "deliveries/s": report["deliveries_per_s"],
        "µs a delivery": round(report["server_cpu_us_per_delivery"], 2),
    }


def idle(server):
    """Memory of a WebSocket with one subscription."""
    bench(server, "idle", "--node", "g/w0", "--subscribers", 100, "--duration", "0.2s").communicate()
    load = bench(
        server, "idle", "--node", "g/w0", "--subscribers", 10000, "--process", server.process.pid,
        "--duration", "0.5s",
    )
    return json.loads(load.communicate()[0])["server_bytes_per_connection"]


def many(count, seconds):
    """What one busy graph costs among so many."""
    graphs = {
        f"h{number}": f"graph: h{number}\nnodes:\n  x: {{ set: any }}\n" for number in range(count - 1)
    } | {"g": GRAPH}
    with service(graphs) as (redis, one, other):
        time.sleep(1 + count / 2000)
        idle = Gauge(redis, one, other)
        time.sleep(seconds)
        rest = {
            f"{name}, % of a core": round((now - before) / seconds / 1e4, 1)
            for name, now, before in ((name, idle.read()[name], idle.before[name]) for name in idle.processes)
        }
        gauge = Gauge(redis, one, other)
        load = bench(
            one, "post", "--node", "g/w0", "--connections", 1, "--rate", 500, "--duration", f"{seconds}s"
        )
        report = json.loads(load.communicate()[0])
        return {"p50, ms": round(report["p50_us"] / 1000, 2), "p99, ms": round(report["p99_us"] / 1000, 2),
                "at 500 sets/s, per commit": gauge.costs(report["posts"]), "with no traffic": rest}


def snapshot(nodes):
    """How many bytes the snapshot of a graph of numbers has."""
    graph = "graph: g\nnodes:\n" + "".join(
        f"  w{number}: {{ set: any, initial: {number} }}\n" for number in range(nodes)
    )
    with service({"g": graph}) as (redis, one, other):
        message = json.dumps([{"op": "set", "graph": "g", "set": {"w0": number}} for number in range(100)])

        async def push():
            async with websocket(one) as socket:
                taking = asyncio.create_task(take(socket))
                for _ in range(110):
                    await socket.send(message)
                while rev(one) < 11_000:
                    await asyncio.sleep(0.05)
                taking.cancel()
        asyncio.run(push())
        for _ in range(100):
            size = redis.ask("MEMORY", "USAGE", "sluice:{g}:snapshots", "SAMPLES", "0").strip()
            if size.startswith(":"):
                return int(size[1:])
            time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--only", default="", help="only figures whose name has this word")
    parser.add_argument("--json")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    seconds = options.seconds
    results = {
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
        "date": time.strftime("%Y-%m-%d"),
    }

    def note(name, measure):
        if options.only in name:
            results[name] = measure()
            print(
                f"{name}: {json.dumps(results[name], ensure_ascii=False)}  (load {os.getloadavg()[0]:.1f})",
                flush=True,
            )

    with service() as (redis, one, other):
        note(
            "set to delivery at the other server, ms, 1,000 sets/s",
            lambda: asyncio.run(latency(one, other, 1000, seconds)),
        )
        note("the log of single sets", lambda: stored(redis))
        note(
            "50 connections at both that wait",
            lambda: waiting(redis, (one, other), (one, other), 50, seconds),
        )
        note(
            "50 connections at one server that wait",
            lambda: waiting(redis, (one, other), (one,), 50, seconds),
        )
        note("8 clients at one server that do not wait",
             lambda: asyncio.run(pushing(redis, (one, other), [one] * 8, seconds)))
        note("8 clients at both servers that do not wait",
             lambda: asyncio.run(pushing(redis, (one, other), [one, other] * 4, seconds)))
        note("the log of large batches", lambda: stored(redis))
        note("1,000 subscribers, mode latest", lambda: fanout(other, "--latest"))
        note("1,000 subscribers, mode all", lambda: fanout(other))
        note("bytes of an idle WebSocket with a subscription", lambda: idle(other))
    for count in (1, 4, 8):
        with service(count=count) as (redis, *servers):
            note(f"50 connections at one of {count} servers that wait",
                 lambda: waiting(redis, servers, servers[:1], 50, min(seconds, 4)))
            note(f"8 clients at one of {count} servers that do not wait",
                 lambda: asyncio.run(pushing(redis, servers, servers[:1] * 8, min(seconds, 4))))
    for nodes in (100, 1_000, 10_000):
        note(f"bytes of a snapshot, {nodes} nodes with numbers", lambda: snapshot(nodes))
    for count in (1, 100, 1_000, 10_000):
        note(f"{count} graphs", lambda: many(count, min(seconds, 4)))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
