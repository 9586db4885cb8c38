#!/usr/bin/env python3
"""Servers that share a Redis: how long a set at one takes to reach a subscriber of the other, and how much both take.

    scripts/bench_redis.py [--seconds N] [--json FILE]

Everything runs on this machine: a redis-server (appendonly everysec), two servers, and the load.
"""

import argparse
import asyncio
import http.client
import json
import pathlib
import platform
import statistics
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

import os  # noqa: E402

os.environ.setdefault("SLUICE_BINARY", str(ROOT / ".build/release/sluice"))

from redis_server import Instance, Redis  # noqa: E402
from websockets.asyncio.client import connect  # noqa: E402

GRAPH = """graph: g
nodes:
  x: { set: any }
""" + "".join(f"  w{n}: {{ set: any }}\n" for n in range(50))
JSON = {"Content-Type": "application/json"}


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def latency(one, other, rate, seconds):
    """Milliseconds from a set at one server to its delivery at the other, at so many sets a second."""
    times = []
    async with connect(f"ws://{other.host}:{other.port}/v1/ws", subprotocols=["sluice.v1.json"]) as listener, \
            connect(f"ws://{one.host}:{one.port}/v1/ws", subprotocols=["sluice.v1.json"]) as writer:
        await listener.send(json.dumps({"op": "sub", "id": 1, "graph": "g", "node": "x", "mode": "all"}))
        await listener.recv()

        async def listen():
            async for message in listener:
                now = time.perf_counter()
                for entry in json.loads(message).get("d", []):
                    times.append(1000 * (now - entry["v"]))

        async def drain():
            async for _ in writer:
                pass

        tasks = [asyncio.create_task(listen()), asyncio.create_task(drain())]
        begin = time.perf_counter()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0, begin + number / rate - time.perf_counter()))
            await writer.send(json.dumps({"op": "set", "graph": "g", "set": {"x": time.perf_counter()}}))
        await asyncio.sleep(1)
        for task in tasks:
            task.cancel()
    return {"sets": len(times), "p50": round(statistics.median(times), 2), "p99": round(percentile(times, 0.99), 2),
            "max": round(max(times), 2)}


def writers(servers, count, seconds):
    """Sets a second from so many writers, each of which waits for its answer."""
    done = [0] * count
    stop = time.monotonic() + seconds

    def write(number):
        server = servers[number % len(servers)]
        connection = http.client.HTTPConnection(server.host, server.port)
        while time.monotonic() < stop:
            connection.request("POST", f"/v1/graphs/g/nodes/w{number}", str(done[number]), JSON)
            connection.getresponse().read()
            done[number] += 1

    threads = [threading.Thread(target=write, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return round(sum(done) / seconds)


async def pipelined(one, other, total):
    """Commits a second that one server is given without waiting, until both have applied them."""
    revs = [server.get("/v1/graphs/g/values").json()["rev"] for server in (one, other)]
    message = json.dumps([{"op": "set", "graph": "g", "set": {"w0": number}} for number in range(100)])
    async with connect(f"ws://{one.host}:{one.port}/v1/ws", subprotocols=["sluice.v1.json"]) as writer:
        async def drain():
            async for _ in writer:
                pass

        task = asyncio.create_task(drain())
        begin = time.perf_counter()
        for _ in range(total // 100):
            await writer.send(message)
        wanted = max(revs) + total
        while any(server.get("/v1/graphs/g/values?nodes=w0").json()["rev"] < wanted for server in (one, other)):
            await asyncio.sleep(0.01)
        seconds = time.perf_counter() - begin
        task.cancel()
    return round(total / seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--json")
    options = parser.parse_args()
    with Redis("--appendonly", "yes", "--appendfsync", "everysec", keeps=False) as redis, \
            Instance(redis, {"g": GRAPH}, "limits: { messages: 1000000 }\n") as one, Instance(redis, {"g": GRAPH}) as other:
        results = {
            "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
            "date": time.strftime("%Y-%m-%d"),
            "set to delivery at the other server, ms, 1,000 sets/s": asyncio.run(latency(one, other, 1000, options.seconds)),
            "sets/s, 50 writers at both that wait": writers([one, other], 50, options.seconds),
            "commits/s, one client that does not wait, applied by both": asyncio.run(pipelined(one, other, 100_000)),
        }
    print(json.dumps(results, indent=2))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
