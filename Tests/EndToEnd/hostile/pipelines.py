"""Pipelines that cost much: of one client or of a crowd, at their making, at each value, and by the
bytes they hold.

Each attack is a function of the server; what it returns is called at the end, and closes its connections.
"""

import contextlib
import http.client
import json
import urllib.parse

from conftest import Client
from websockets.exceptions import ConnectionClosed

GRAPH = """
nodes:
  x: { set: number, initial: 1 }
  y: { set: number, initial: 1 }
  t: { set: string, initial: "" }
  list: { set: array, initial: [] }
"""
JSON = {"Content-Type": "application/json"}


def dear(salt, node="value"):
    """A stage of some 8,000 units."""
    return {"map": f"{node} + 0 * lists.range(500).map(i, i + {node} + {salt}).size()"}


class Crowd:
    """Connections that send without waiting for answers, and are closed together."""

    def __init__(self, server, count=1, **options):
        self.clients = [Client(server, max_size=None, max_queue=None, **options) for _ in range(count)]

    def subscribe(self, place, id, **message):
        # A client that is refused too often (`pipe_limit`) is disconnected.
        with contextlib.suppress(ConnectionClosed):
            self.clients[place].send(op="sub", id=id, graph="g", **message)

    def sets(self, values):
        with contextlib.suppress(ConnectionClosed):
            self.clients[0].socket.send(
                json.dumps([{"op": "set", "graph": "g", "set": {"x": value}} for value in values])
            )

    def __call__(self):
        for client in self.clients:
            client.socket.socket.close()


def one_set_before_a_thousand(server):
    """1,000 pipelines of 16 dear stages, and a set by another client."""
    crowd = Crowd(server)
    for id in range(1000):
        crowd.subscribe(0, id + 1, node="x", pipe=[dear(16 * id + stage) for stage in range(16)])
    for value in range(5):
        server.set("g", "x", value)
    return crowd


def subscriptions_of_a_crowd(server):
    """200 connections with a dear subscription each, at once."""
    crowd = Crowd(server, 200)
    for place in range(200):
        crowd.subscribe(place, 1, node="x", pipe=[dear(16 * place + stage) for stage in range(16)])
    for value in range(5):
        server.set("g", "x", value)
    return crowd


def questions_of_a_crowd(server):
    """200 connections with a dear `eval` each, at once."""
    connections = []
    for place in range(200):
        connection = http.client.HTTPConnection(server.host, server.port)
        body = json.dumps({"node": "x", "pipe": [dear(16 * place + stage) for stage in range(16)]})
        connection.request("POST", "/v1/graphs/g/eval", body, JSON)
        connections.append(connection)
    for connection in connections:
        assert connection.getresponse().status == 200
        connection.close()
    return lambda: None


def streams_of_a_crowd(server):
    """100 streams of events and 100 plain WebSockets with a dear pipeline each."""
    # A short expression, because a URL may not be long.
    pipe = urllib.parse.quote(
        json.dumps(
            [
                {"map": f"value + 0 * lists.range(700).map(i, i + value).size() + {stage}"}
                for stage in range(16)
            ]
        )
    )
    connections = []
    for _ in range(100):
        connection = http.client.HTTPConnection(server.host, server.port)
        connection.request("GET", f"/v1/graphs/g/events?node=x&pipe={pipe}")
        connections.append(connection)
    sockets = Crowd(server, 0)
    for _ in range(100):
        sockets.clients.append(Client(server, f"/v1/graphs/g/nodes/x?pipe={pipe}", protocol=None))
    for value in range(5):
        server.set("g", "x", value)

    def close():
        sockets()
        for connection in connections:
            connection.close()

    return close


def readings_of_a_crowd(server):
    """50 connections with pipelines of almost 16 KiB, which take long to compile, and with some
    that are longer."""
    ranges = " + ".join(["lists.range(900).size()"] * 25)
    numbers = ",".join(["1"] * 400)
    crowd = Crowd(server, 50)
    for place in range(50):
        for id in range(20):
            pipe = [{"map": f"value + {ranges} + [{numbers}].size() * {id}"}] * (12 if id % 5 == 4 else 10)
            crowd.subscribe(place, id + 1, node="x", pipe=pipe)
    return crowd


def windows(server):
    """1,000 windows of 10,000 numbers, of which each value asks for the median."""
    crowd = Crowd(server)
    for id in range(1000):
        crowd.subscribe(
            0, id + 1, node="x", pipe=[{"map": f"value + {id}"}, {"window": {"count": 10000, "of": "p50"}}]
        )
    crowd.sets(range(500))
    return crowd


def timers(server):
    """1,000 debounces that ring together, each before dear stages."""
    crowd = Crowd(server)
    for id in range(1000):
        crowd.subscribe(
            0, id + 1, node="x", pipe=[{"debounce": 50}] + [dear(16 * id + stage) for stage in range(15)]
        )
    for value in range(5):
        server.set("g", "x", value)
    return crowd


def combines(server):
    """1,000 combines with a dear expression."""
    crowd = Crowd(server)
    for id in range(1000):
        crowd.subscribe(0, id + 1, combine={"a": "x", "b": "y"}, map=dear(id, "a")["map"])
    for value in range(5):
        server.batch("g", set={"x": value, "y": value})
    return crowd


def scans(server):
    """1,000 pipelines that need every value, and sets as fast as they are taken."""
    crowd = Crowd(server)
    for id in range(1000):
        stage = {"scan": {"start": 0, "with": f"acc + 0 * lists.range(500).map(i, i + value + {id}).size()"}}
        crowd.subscribe(0, id + 1, node="x", pipe=[stage], mode="all")
    crowd.sets(range(1000))
    return crowd


def long_texts(server):
    """1,000 × 16 stages that each add to a text of 60 KB."""
    crowd = Crowd(server)
    for id in range(1000):
        pipe = [{"map": f"value + '{id},{stage}'"} for stage in range(16)]
        crowd.subscribe(0, id + 1, node="t", pipe=pipe)
    server.set("g", "t", "t" * 60_000)
    return crowd


def long_windows(server):
    """A window of 10,000 values that counts, and one that lists, over values of 60 KB."""
    crowd = Crowd(server)
    crowd.subscribe(0, 1, node="t", pipe=[{"window": {"count": 10000, "of": "count"}}])
    crowd.subscribe(0, 2, node="t", pipe=[{"window": {"count": 10000, "of": "list"}}])
    crowd.subscribe(0, 3, node="t", pipe=[{"delay": "1h"}])
    crowd.subscribe(0, 4, zip=["t", "list"])
    for value in range(2000):
        server.set("g", "t", f"{value:060000}")
    return crowd


def sorts(server):
    """100 pipelines that sort and join a list of 10,000 numbers."""
    crowd = Crowd(server)
    for id in range(100):
        crowd.subscribe(
            0, id + 1, node="list", pipe=[{"map": f"value.sort().map(n, string(n)).join('{id}')"}] * 8
        )
    for _ in range(5):
        server.set("g", "list", list(range(10_000, 0, -1)))
    return crowd


ALL = [
    one_set_before_a_thousand, subscriptions_of_a_crowd, readings_of_a_crowd, questions_of_a_crowd,
    streams_of_a_crowd, windows, timers, combines, scans, sorts, long_texts, long_windows,
]
