#!/usr/bin/env python3
"""Sources: how soon upstreams open and close, what many clients cost an upstream, what happens when a
server is lost, and what a relay costs.

    scripts/bench.sh sources [--only NAME] [--write FILE]

Each case prints what must be reached beside what was measured. Everything runs on 127.0.0.1.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import selectors
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("SLUICE_BINARY", str(ROOT / ".build/release/sluice"))
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from rawsocket import RawWebSocket  # noqa: E402
from redis_server import Instance, Redis  # noqa: E402
from sluice import Server, eventually  # noqa: E402
from upstream import Upstream  # noqa: E402
from websockets.exceptions import ConnectionClosed  # noqa: E402
from websockets.sync.server import serve as serve_socket  # noqa: E402


def members(upstream):
    """Answers a request for members with a number for each."""
    def answer(call):
        call.reply({name: len(upstream.requests) for name in asked_for(call.path)})

    upstream.answer = answer


def asked_for(path):
    """The members in a request's path."""
    return urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)["ids"][0].split(",")


def hosts(place):
    return f'sourceHosts: ["127.0.0.1:{place.port}"]\n'


MANY = "limits: { connections: 15000, sets: 0, messages: 0 }\n"


def wait_quietly(claim):
    while not claim():
        time.sleep(0.01)


def opening():
    """A listener comes, and its connection is reset: when does the upstream notice?"""
    # A loop of its own: what it notices must not wait for the thread of the client.
    listener = socket.create_server(("127.0.0.1", 0))
    seen = []

    def run():
        selector = selectors.DefaultSelector()
        selector.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is listener:
                    connection, _ = listener.accept()
                    selector.register(connection, selectors.EVENT_READ)
                    continue
                data = key.fileobj.recv(4096)
                seen.append(time.perf_counter())
                if not data:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()

    threading.Thread(target=run, daemon=True).start()
    port = listener.getsockname()[1]
    graph = f'upstreams: {{ u: {{ url: "http://127.0.0.1:{port}" }} }}\nnodes:\n'
    graph += '  "n.{i}": { source: { get: "u:/{i}" } }\n'
    opened, closed = [], []
    with Server({"g": graph}, f'sourceHosts: ["127.0.0.1:{port}"]\n') as server:
        for i in range(300):
            with RawWebSocket(server) as peer:
                seen.clear()
                begun = time.perf_counter()
                peer.text({"op": "sub", "id": 1, "graph": "g", "node": f"n.{i}"})
                wait_quietly(lambda: seen)
                opened.append(seen[0] - begun)
                seen.clear()
                begun = time.perf_counter()
                peer.reset()
                wait_quietly(lambda: seen)
                closed.append(seen[0] - begun)

    def text(times):
        times = sorted(each * 1000 for each in times)
        return f"{statistics.median(times):.2f} ms (p99 {times[int(len(times) * 0.99)]:.2f})"

    yield "a listener comes: its request is at the upstream after", "≤ 1 ms", text(opened)
    yield "it is reset: the upstream's connection is closed after", "≤ 1 ms", text(closed)


def batch():
    """10,000 clients that watch 200 members of a batched source."""
    upstream = Upstream()
    members(upstream)
    graph = f'upstreams: {{ u: {{ url: "{upstream.url}" }} }}\nnodes:\n'
    graph += '  "m.{i}": { source: { get: "u:/m?ids={i*}", every: 2s, pick: "value[key.i]" } }\n'
    clients = 10_000
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server({"g": graph}, hosts(upstream) + MANY))
        for i in range(clients):
            peer = stack.enter_context(RawWebSocket(server))
            peer.text({"op": "sub", "id": 1, "graph": "g", "node": f"m.{i % 200}"})
        eventually(lambda: server.count("listeners", "g") == clients)
        time.sleep(3)
        before, begun = len(upstream.requests), time.monotonic()
        time.sleep(20)
        # A cycle begins with the answer of the one before, spread by a tenth.
        cycles = (time.monotonic() - begun) / 2
        requests = upstream.requests[before:]
        items = sum(len(asked_for(each.path)) for each in requests)
        yield (f"{clients} clients watch 200 members: requests and items in a cycle", "≤ 2 and ≤ 200",
               f"{len(requests) / cycles:.2f} and {items / cycles:.0f}")
    upstream.close()


def lost():
    """Two servers on a Redis, and the one that asks is killed."""
    upstream = Upstream()
    members(upstream)
    asked, answer = [], upstream.answer

    def note(call):
        asked.append((time.monotonic(), asked_for(call.path)))
        answer(call)

    upstream.answer = note
    graph = f'upstreams: {{ u: {{ url: "{upstream.url}" }} }}\nnodes:\n'
    graph += '  "m.{i}": { source: { get: "u:/m?ids={i*}", every: 1s, pick: "value[key.i]" } }\n'
    with Redis() as redis, contextlib.ExitStack() as stack:
        servers = [Instance(redis, {"g": graph}, hosts(upstream)) for _ in range(2)]
        for server in servers:
            stack.callback(server.stop)
        peers = [RawWebSocket(server) for server in servers]
        for peer in peers:
            peer.text([{"op": "sub", "id": i + 1, "graph": "g", "node": f"m.{i}"} for i in range(100)])
        time.sleep(6)
        twice = max_in_a_cycle(asked, 0.8)
        asking = next(server for server in servers if server.get("/v1/graphs/g").json().get("upstreams"))
        killed = time.monotonic()
        asking.kill()
        wait_quietly(lambda: asked[-1][0] > killed + 0.5)
        gap = asked[-1][0] - max(when for when, _ in asked if when <= killed)
        time.sleep(5)
        yield "100 members at two servers: asked for in a cycle", "once", f"{twice} time(s)"
        yield "the server that asks is killed: longest time without a request", "≤ 10 s + 1 s", f"{gap:.1f} s"
        yield "afterwards asked for in a cycle", "once", f"{max_in_a_cycle(asked[-4:], 0.8)} time(s)"
    upstream.close()


def max_in_a_cycle(asked, seconds):
    """How often a member was asked for within so many seconds, at most."""
    most = 0
    for start, _ in asked:
        counts = {}
        for when, ids in asked:
            if start <= when < start + seconds:
                for each in ids:
                    counts[each] = counts.get(each, 0) + 1
        most = max(most, *counts.values())
    return most


ORIGIN = "nodes:\n  x: { set: number, initial: 1 }\n  y: { from: x, pipe: [ { map: value * 2 } ] }\n"


def edge_of(origin):
    graph = f'upstreams: {{ o: {{ sluice: "{origin.url}/v1/graphs/g" }} }}\n'
    graph += 'nodes:\n  y: { source: { node: "o:y" } }\n  own: { set: number }\n'
    return Server({"g": graph}, hosts(origin) + MANY)


def connections(server):
    """Those of servers in front of it."""
    answer = server.get("/v1/connections").json()
    return sum(each.get("client") == "sluice" for each in answer["connections"])


def tree():
    """An origin, 4 edges and 4,000 subscribers; an edge is killed."""
    with Server({"g": ORIGIN}) as origin, contextlib.ExitStack() as stack:
        edges = [stack.enter_context(edge_of(origin)) for _ in range(4)]
        peers = {edge: [RawWebSocket(edge) for _ in range(1_000)] for edge in edges}
        for edge in edges:
            for peer in peers[edge]:
                peer.text({"op": "sub", "id": 1, "graph": "g", "node": "y"})
        eventually(lambda: all(edge.count("listeners", "g") == 1_000 for edge in edges))
        eventually(lambda: all(edge.value("g", "y") == 2 for edge in edges))
        yield "4 edges, 4,000 subscribers: connections at the origin", "4", str(connections(origin))
        origin.set("g", "x", 5)
        begun = time.monotonic()
        edges[0].kill()
        moved = []
        for peer in peers[edges[0]]:
            peer.reset()
            fresh = RawWebSocket(edges[1])
            snap = fresh.subscribe("g", "y", since={"epoch": "of the lost one", "rev": 3})
            assert snap["resumed"] is False and snap["v"] == 10, snap
            moved.append(fresh)
        yield ("an edge is killed: its 1,000 clients have the present value at another one after", "–",
               f"{time.monotonic() - begun:.1f} s")
        eventually(lambda: connections(origin) == 3)
        for peer in moved + [peer for edge in edges[1:] for peer in peers[edge]]:
            peer.reset()
        eventually(lambda: connections(origin) == 0)
        eventually(lambda: "y" not in origin.alive("g"))
        yield "the last client goes: connections at the origin, and its chain", "0, gone", "0, gone"


def processor_time(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def relay():
    """What one value costs an edge that gets it from its origin, beside one that is set at the edge."""
    count, ratios, costs = 10_000, [], []
    with Server({"g": ORIGIN}, MANY) as origin, edge_of(origin) as edge:

        def drive(server, node, watched):
            """Sets one value after the other, each when the last one has been delivered."""
            with RawWebSocket(server) as writer, RawWebSocket(edge) as reader:
                reader.subscribe("g", watched)
                writer.text({"op": "set", "id": 1, "graph": "g", "set": {node: -1}})
                time.sleep(0.5)
                before = processor_time(edge)
                last = None
                for i in range(count):
                    writer.text({"op": "set", "id": i + 2, "graph": "g", "set": {node: i}})
                    last = i if watched == node else 2 * i
                    while True:
                        message = reader.message()
                        if message["op"] == "upd" and message["d"][-1].get("v") == last:
                            break
                return (processor_time(edge) - before) / count

        for _ in range(3):
            own = drive(edge, "own", "own")
            far = drive(origin, "x", "y")
            ratios.append(far / own)
            costs.append((own, far))
    own, far = (statistics.median(each[place] * 1e6 for each in costs) for place in (0, 1))
    yield ("a value that an edge relays, beside one that is set at it (its processor time)", "≤ 1.5 ×",
           f"{statistics.median(ratios):.2f} × ({far:.0f} µs beside {own:.0f} µs)")


def events(call):
    """Sends events as fast as they are taken."""
    burst = b"".join(b"data: %d\n\n" % i for i in range(2_000))
    call.send_response(200)
    call.send_header("Content-Type", "text/event-stream")
    call.end_headers()
    while True:
        call.wfile.write(burst)


def endless(call):
    call.send_response(200)
    call.end_headers()
    while True:
        call.wfile.write(b"[" * 65_536)


def interim(call):
    while True:
        call.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1_000)


def socket_flood():
    """A WebSocket service that sends as fast as it is read."""
    def perform(connection):
        with contextlib.suppress(ConnectionClosed):
            while True:
                connection.send("[1,2,3]")

    service = serve_socket(perform, "127.0.0.1", 0, ping_interval=None)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    return service.socket.getsockname()[1]


def hostile():
    """How long another client's set takes beside upstreams that mean no good."""
    big = json.dumps(["x" * 60] * 16_000).encode()
    deep = b"[" * 60 + b"1" + b"]" * 60
    answers = {
        "a flood of events": (events, 'events: "u:/", as: json'),
        "endless answers": (endless, 'get: "u:/", every: 100ms'),
        "endless interim answers": (interim, 'get: "u:/", every: 100ms'),
        "answers of 1 MiB": (lambda call: call.reply(body=big), 'get: "u:/", every: 100ms'),
        "answers that are deep": (lambda call: call.reply(body=deep), 'get: "u:/", every: 100ms'),
        "a flood of messages on a WebSocket": (None, 'socket: "u:/"'),
    }
    for name, (answer, source) in answers.items():
        upstream = Upstream()
        upstream.answer = answer
        port = upstream.port if answer else socket_flood()
        graph = f'upstreams: {{ u: {{ url: "http://127.0.0.1:{port}" }} }}\nnodes:\n'
        graph += f"  x: {{ source: {{ {source} }} }}\n  z: {{ set: any }}\n"
        hosts = f'sourceHosts: ["127.0.0.1:{port}"]\n'
        with Server({"g": graph}, hosts + MANY) as server, RawWebSocket(server) as listener:
            listener.text({"op": "sub", "id": 1, "graph": "g", "node": "x", "every": 1000})
            with RawWebSocket(server) as writer:
                times = []
                end = time.monotonic() + 6
                while time.monotonic() < end:
                    begun = time.perf_counter()
                    writer.text({"op": "set", "id": len(times) + 1, "graph": "g", "set": {"z": 1}})
                    writer.message()
                    times.append((time.perf_counter() - begun) * 1000)
                    time.sleep(0.002)
        times.sort()
        yield (f"another client's set beside {name}", "≤ 20 ms",
               f"{times[-1]:.1f} ms (p99 {times[int(len(times) * 0.99)]:.1f})")
        upstream.close()


CASES = {"opening": opening, "batch": batch, "lost": lost, "tree": tree, "relay": relay, "hostile": hostile}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--write", help="a file for the report")
    options = parser.parse_args()
    head = ["git", "rev-parse", "--short=8", "HEAD"]
    commit = subprocess.run(head, cwd=ROOT, capture_output=True, text=True)
    information = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":")[1].strip() for line in information if "model name" in line), "unknown")
    lines = [
        f"# Sources, {datetime.date.today()}", "",
        f"`scripts/bench.sh sources` on {commit.stdout.strip()}, {os.cpu_count()} × {model}, on one machine.",
        "", "| | wanted | measured |", "|---|---|---|",
    ]
    for name, case in CASES.items():
        if options.only in (None, name):
            for row in case():
                lines.append("| " + " | ".join(row) + " |")
                print(lines[-1], flush=True)
    if options.write:
        pathlib.Path(options.write).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
