"""Clients whose regular expressions take long to compile are refused with `pattern_limit`, and all
others are served."""

import os
import pathlib
import threading
import time

import pytest
from conftest import Client
from hostile import patterns
from sluice import Server
from tracing import QUIET

GRAPH = "nodes: { name: { set: string, initial: abc }, x: { set: number, initial: 1 } }"


class Bystander:
    """Sends a ping every five milliseconds, and knows the longest wait for an answer."""

    def __init__(self, server):
        self.longest, self.count = 0.0, 0
        self.client, self.ends = Client(server), threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ends.wait(0.005):
            began = time.monotonic()
            assert self.client.ask(op="ping")["op"] == "ok"
            self.longest, self.count = max(self.longest, time.monotonic() - began), self.count + 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
        self.client.close()


def processor(server):
    """Seconds of processor time that the server has used."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def server():
    with Server({"g": GRAPH}) as running:
        yield running


@pytest.mark.parametrize(
    "attack", [patterns.subscription, patterns.question, patterns.definition], ids=lambda a: a.__name__
)
def test_patterns_delay_no_client(server, attack):
    bound, rounds = 0.1 if attack is patterns.definition else 0.05, 3
    before = processor(server)
    with Client(server) as client, Bystander(server) as bystander:
        for round in range(rounds):
            answer = attack(client if attack is patterns.subscription else server, round)
            assert answer["code"] == "pattern_limit", answer
            assert bystander.thread.is_alive()
    assert bystander.count > 0
    used = (processor(server) - before) / rounds
    print(
        f"{attack.__name__}: others waited {bystander.longest * 1000:.1f} ms, the server worked for "
        f"{used * 1000:.0f} ms"
    )
    # Beside other work a wait says little; the server's own time says how long it cannot have
    # served others.
    if QUIET:
        assert used < 2 * bound, used


@pytest.mark.parametrize("name", patterns.SLOW_TO_REFUSE)
def test_what_is_slow_to_refuse_is_refused_by_its_text(server, name):
    answer = patterns.evaluate(server, [{"map": f"value.matches(r'{patterns.SLOW_TO_REFUSE[name]}')"}])
    assert answer.status == 429 and answer.json()["code"] == "pattern_limit", answer.json()
    problem, = answer.json()["problems"]
    assert "units together" in problem["message"] and problem["hint"] and problem["column"] > 30
    assert int(answer.headers["Retry-After"]) > 0
    # Put together at run time, it costs what it takes.
    half = patterns.SLOW_TO_REFUSE[name]
    server.set("g", "name", half)
    answer = patterns.evaluate(server, [{"map": "'abc'.matches(value)"}])
    assert answer.status == 422 and answer.json()["code"] == "expr_cost", answer.json()


def test_one_token_leaves_room_for_all(server):
    with Client(server) as greedy, Client(server) as other:
        refused = []
        # Not more: refusals in ten quarters of a second end a connection.
        for number in range(20):
            search = " || ".join(f"value.matches('k{number}x{n}')" for n in range(16))
            refused.append(
                greedy.ask(op="sub", graph="g", node="name", pipe=[{"filter": search}]).get("code")
            )
        assert refused[:15] == [None] * 15 and set(refused[15:]) == {"pattern_limit"}
        assert (
            other.ask(op="sub", graph="g", node="name", pipe=[{"filter": "value.matches('mine')"}])["op"]
            == "snap"
        )
        assert patterns.evaluate(server, [{"map": "value.matches('mine')"}]).json()["v"] is False
        file = pathlib.Path(server.folder.name) / "graphs" / "g.yaml"
        file.write_text(GRAPH.replace("string", "string, pattern: '^a'"))
        assert server.request("POST", "/v1/reload").status == 200
        assert server.request("POST", "/v1/graphs/g/nodes/name", '"b"').status == 422
