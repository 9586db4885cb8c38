"""X-5: a node's history by time: against a naive downsampling, over kill -9, in the database."""

import json
import random
import statistics
import time

import pytest
from conftest import Client
from redis_server import Instance, Redis
from sluice import Server, eventually

GRAPH = """
graph: g
nodes:
  raw:    { set: any, history: 100000 }
  steps:  { set: any, history: { for: 7d, every: 1s } }
  double: { from: steps, pipe: [ { map: "double(value) * 2.0" } ], history: { for: 1h, every: 1s } }
  large:  { set: string, history: { for: 1h, every: 1s } }
  none:   { set: any }
  m.{i}:  { set: number, history: { for: 1h, every: 1s } }
"""


def ask(server, node, query):
    return server.get(f"/v1/graphs/g/nodes/{node}/history?{query}")


def naive(raw, length, begin):
    """The steps of emissions that have their times, as the answer must have them."""
    steps = {}
    for entry in raw:
        if entry["t"] // 1000 >= begin // 1000:
            steps.setdefault(entry["t"] // length, []).append(entry["v"])
    return [
        {
            "t": key * length,
            "n": len(values),
            "min": min(values),
            "mean": pytest.approx(statistics.fmean(values)),
            "max": max(values),
            "v": values[-1],
        }
        for key, values in sorted(steps.items())
    ]


def check(server):
    raw = server.get("/v1/graphs/g/nodes/raw/history?limit=100000").json()["d"]
    for begin, points in [(raw[0]["t"], 2000), (raw[len(raw) // 2]["t"], 500), (0, 3), (0, 1)]:
        answer = ask(server, "steps", f"begin={begin}&points={points}").json()
        assert answer["step"] % 1000 == 0 and len(answer["d"]) <= points
        assert answer["d"] == naive(raw, answer["step"], begin)
    doubled = ask(server, "double", "begin=0&points=2000").json()["d"]
    assert [step["max"] for step in doubled] == [step["max"] * 2 for step in naive(raw, 1000, 0)]


@pytest.mark.parametrize("keeps", [False, True])
def test_steps_are_what_a_naive_downsampling_gives(keeps):
    """X-5: any range, in memory and with a database, over kill -9 and ordered restarts."""
    dice = random.Random(5)
    with Server({"g": GRAPH}, "durability: written\n" if keeps else "", keeps=keeps) as server:
        for turn in range(4):
            end = time.monotonic() + 1.2
            while time.monotonic() < end:
                value = dice.choice([dice.randint(-99, 99), dice.uniform(-9, 9)])
                assert server.batch("g", set={"raw": value, "steps": value}).status == 200
            check(server)
            if keeps:
                server.kill() if turn % 2 else server.stop()
                server.start()
                check(server)


def test_complete_steps_are_in_the_database():
    """X-5: what has left memory is answered from the database, and goes with the node's history."""
    with Server({"g": GRAPH}, keeps=True) as server:
        values = {}
        while len(values) < 5:
            # Large values complete a chunk sooner than time does.
            text = f"{len(values)}" * 40_000
            server.batch("g", set={"raw": 1, "large": text})
            last = server.get("/v1/graphs/g/nodes/raw/history?limit=1").json()["d"][0]["t"] // 1000
            values[last] = text
        for end in (server.stop, server.kill):
            end()
            server.start()
            found = ask(server, "large", "begin=0&points=2000").json()["d"]
            assert {step["t"] // 1000: step["v"] for step in found} == values


def steps(server, node, rev):
    """All steps of a node, at a rev that the server has or is about to have."""
    def reached():
        answer = ask(server, node, "begin=0&points=2000").json()
        return answer["rev"] == rev and answer

    answer = eventually(reached)
    return answer["since"], answer["d"]


def test_servers_with_one_redis_have_the_same_steps():
    """X-5: both, a new one, and one that was killed have what the commits of all of them give."""
    dice = random.Random(7)
    with Redis() as redis, Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
        def commit(*servers):
            end = time.monotonic() + 1.5
            while time.monotonic() < end:
                value = dice.randint(-99, 99)
                server = dice.choice(servers)
                answer = server.batch("g", set={"raw": value, "steps": value, "m.1": value}).json()
            return answer["rev"]

        def agree(rev, *servers):
            for node in ("steps", "double", "m.1"):
                found = [steps(server, node, rev)[1] for server in servers]
                assert len(found[0]) > 1 and all(each == found[0] for each in found), node

        last = commit(one, other)
        agree(last, one, other)
        check(one)
        with Instance(redis, {"g": GRAPH}) as new:
            agree(last, one, new)
        other.kill()
        last = commit(one)
        other.start()
        agree(last, one, other)
        check(other)


def test_a_new_server_says_since_when_it_has_steps():
    """X-5: beginning with those of the newest snapshot in Redis, and complete from there on."""
    config = "limits: { sets: 1000000, messages: 1000000 }\n"
    with Redis(keeps=False) as redis, Instance(redis, {"g": GRAPH}, config) as one:
        with Client(one) as client:
            for _ in range(21):
                many = [{"op": "set", "graph": "g", "set": {"steps": n}} for n in range(500)]
                many[-1]["id"] = 1
                client.socket.send(json.dumps(many))
                last = client.receive()["rev"]
        eventually(lambda: redis.ask("XLEN", "sluice:{g}:snapshots") > ":0")
        with Instance(redis, {"g": GRAPH}, config) as new:
            for node in ("steps", "double"):
                (_, old), (since, found) = steps(one, node, last), steps(new, node, last)
                assert found and found == [step for step in old if step["t"] >= since], node


def test_what_cannot_be_answered():
    """X-5: bad ranges, mixed questions, and nodes without a history have clear errors."""
    with Server({"g": GRAPH}) as server:
        server.set("g", "steps", 1)
        for query in ("points=0", "points=2001", "begin=x", "end=-1", "begin=2&end=1", "points=5&since=1",
                      "end=5&facets=1"):
            answer = ask(server, "steps", query)
            assert answer.status == 400 and answer.json()["code"] == "bad_field", query
        gone = ask(server, "none", "points=5")
        assert gone.status == 410 and "history: {" in gone.json()["detail"]
        assert ask(server, "steps", "begin=2020-01-01T00:00:00Z&end=2020-01-02T00:00:00Z").json()["d"] == []
        for query in ("end=1", "begin=9999999999999", "begin=9999999999999&end=9999999999999"):
            answer = ask(server, "steps", query)
            assert answer.status == 200 and answer.json()["begin"] <= answer.json()["end"], query
        assert ask(server, "steps", "end=1").json()["d"] == []
        one = ask(server, "steps", "points=1").json()
        assert one["d"][0]["v"] == 1 and one["since"] <= one["end"]


def test_definitions_with_mistakes():
    """X-5: what is wrong with a history is said, with its place and a hint."""
    with Server({"g": GRAPH}) as server:
        for history, words in [
            ("{ every: 1m }", "needs 'for'"),
            ("{ for: 30s }", "at least as long as 'every'"),
            ("{ for: 1h, every: 10ms }", "at least 1s"),
            ("{ for: 366d, every: 1s }", "more than 1100000 steps"),
            ("{ fro: 1h }", "unknown key 'fro'"),
            ("week", "or write history: {"),
        ]:
            text = f"graph: h\nnodes:\n  x: {{ set: number, history: {history} }}\n"
            answer = server.request("PUT", "/v1/graphs/h", text, {"Content-Type": "application/yaml"})
            assert answer.status == 400 and words in answer.body.decode(), (history, answer.body)
