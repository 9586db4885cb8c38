"""Several servers that share a Redis: their graph, and what tests ask of them."""

import json
import signal
import time

from conftest import Client
from sluice import PATIENCE, eventually

GRAPH = """graph: g
nodes:
  x: { set: any, initial: 0 }
  y: { set: any }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  sum: { from: x, retain: always, pipe: [ { scan: { start: 0, with: "acc + value" } } ] }
"""
# With ticks.
TIMED = GRAPH + """  late: { from: x, retain: always, pipe: [ { delay: 200 } ] }
"""
JSON = {"Content-Type": "application/json"}


def same(servers, graph="g", nodes=("x", "y", "double", "sum")):
    """Waits until all servers have the same values at the same rev, and returns them."""
    def values(server):
        answer = server.get(f"/v1/graphs/{graph}/values?nodes={','.join(nodes)}").json()
        return answer["epoch"], answer["rev"], json.dumps(answer, sort_keys=True)

    def agree():
        found = [values(server) for server in servers]
        return found[0] if len({text for *_, text in found}) == 1 else None

    return eventually(agree, what="the same everywhere")


def post(server, node, value, **headers):
    return server.request("POST", f"/v1/graphs/g/nodes/{node}", json.dumps(value), {**JSON, **headers})


def found(server, graph, node):
    """What a node holds, once there is one."""
    def answer():
        answer = server.get(f"/v1/graphs/{graph}/nodes/{node}")
        return answer if answer.status == 200 else None

    return eventually(answer).json()


def until(client, wanted, seconds=PATIENCE):
    """The first message that is wanted."""
    deadline = time.monotonic() + seconds
    while not wanted(message := client.receive(max(0.1, deadline - time.monotonic()))):
        pass
    return message


def is_ready(server):
    return server.metrics()["sluice_log_ready"] == 1


def fill(server, count):
    """Makes so many commits."""
    with Client(server) as client:
        for number in range(count):
            client.send(op="set", id=number + 1, graph="g", set={"x": number})
            # Some are on their way at a time.
            if number >= 200:
                assert client.receive()["op"] == "ok"
        for _ in range(min(count, 200)):
            assert client.receive()["op"] == "ok"


def stopped(server):
    server.process.send_signal(signal.SIGSTOP)


def resumed(server):
    server.process.send_signal(signal.SIGCONT)
