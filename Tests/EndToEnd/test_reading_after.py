"""Read your writes at another server: `after` makes a read wait for the commit that an answer names."""

import pytest

from conftest import Client
from events import EventSource
from redis_server import Instance, Redis

pytestmark = pytest.mark.long

GRAPH = """graph: g
nodes:
  x: { set: number, initial: 0 }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
"""
ROUNDS = 300


@pytest.fixture(scope="module")
def pair():
    with Redis() as redis, Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
        yield one, other


def turns(pair):
    """Sets at one server and lets the other be read, in turns: the number, the commit and the other
    server."""
    for number in range(1, ROUNDS + 1):
        one, other = pair if number % 2 else pair[::-1]
        answer = one.set("g", "x", number)
        yield number, {"epoch": answer["epoch"], "rev": answer["rev"]}, other


def test_over_http(pair):
    for number, after, other in turns(pair):
        stamp = f"{after['epoch']}:{after['rev']}"
        assert other.get(f"/v1/graphs/g/nodes/double?after={stamp}").json() == 2 * number
        values = other.get(f"/v1/graphs/g/values?nodes=*&after={stamp}").json()
        assert values["m"]["x"]["v"] == number and values["rev"] >= after["rev"]


def test_over_websocket(pair):
    with Client(pair[0]) as first, Client(pair[1]) as second:
        clients = {id(pair[0]): first, id(pair[1]): second}
        for number, after, other in turns(pair):
            client = clients[id(other)]
            found = client.ask(op="get", graph="g", nodes=["double"], after=after)
            assert found["m"]["double"]["v"] == 2 * number and found["rev"] >= after["rev"]
            snap = client.ask(op="sub", graph="g", node="x", after=after)
            assert (snap["op"], snap["v"]) == ("snap", number)
            client.send(op="unsub", id=client.ids)
            assert client.receive()["op"] == "end"


def test_a_stream_of_events_begins_with_it(pair):
    for number in range(20):
        answer = pair[0].set("g", "x", number)
        stream = EventSource(
            pair[1], f"/v1/graphs/g/events?node=double&after={answer['epoch']}:{answer['rev']}"
        )
        assert stream.event().json()["v"] == 2 * number
        stream.close()


def test_what_does_not_come(pair):
    one, other = pair
    answer = one.set("g", "x", 1)
    late = other.get(f"/v1/graphs/g/nodes/x?after={answer['epoch']}:{answer['rev'] + 9}")
    assert (late.status, late.json()["code"], late.headers["retry-after"]) == (503, "not_ready", "1")
    with Client(other) as client:
        late = client.ask(
            op="sub", graph="g", node="x", after={"epoch": answer["epoch"], "rev": answer["rev"] + 9}
        )
        assert (late["code"], late["retry"], late["after"]) == ("not_ready", True, 1000)
        gone = client.ask(op="get", graph="g", nodes=["x"], after={"epoch": "another", "rev": 1})
        assert (gone["code"], gone["retry"]) == ("gone", False)
    assert other.get("/v1/graphs/g/values?after=another:1").status == 410
