"""Random lives of listeners to source nodes: after each turn exactly the wanted ones are open.

Debug builds check that after each turn by themselves, and end if it is not so.
"""

import contextlib
import os
import random

import pytest

from rawsocket import RawWebSocket
from sluice import eventually
from sources import serve

# Most members share one of a few requests, so that openings cost little.
NODES = (
    '  "s.{id}": { source: { get: "met:/s", every: 1h, pick: "[key.id, value.value][1]" } }\n'
    '  "own.{id}": { source: { get: "met:/{id}", every: 1h } }\n'
    '  "d.{id}": { from: "s.{id}", pipe: [ { map: value + 1 } ] }\n'
    "  pair: { combine: { a: d.1, b: own.1 }, map: a }\n"
)
MORE = '  extra: { from: s.2 }\n'


class Listener:
    """A client that begins and ends subscriptions in any manner."""

    def __init__(self, server, rng, names):
        self.server, self.rng, self.names = server, rng, names
        self.peer, self.wanted, self.last = RawWebSocket(server), {}, 0

    def step(self, lives):
        """Some new subscriptions, and ends of others; sometimes the connection ends."""
        batch = []
        for _ in range(lives):
            self.last += 1
            node, owner = self.rng.choice(self.names), self.rng.choice([None, "a", "b"])
            self.wanted[self.last] = (node, owner)
            batch.append({"op": "sub", "id": self.last, "graph": "g", "node": node,
                          **({"owner": owner} if owner else {}), "initial": False})
        if self.rng.random() < 0.3:
            gone = self.rng.choice(["a", "b"])
            self.last += 1
            batch.append({"op": "release", "id": self.last, "owner": gone})
            self.wanted = {key: each for key, each in self.wanted.items() if each[1] != gone}
        for key in self.rng.sample(sorted(self.wanted), min(len(self.wanted), self.rng.randrange(2 * lives))):
            batch.append({"op": "unsub", "id": key})
            del self.wanted[key]
        self.peer.text(batch)
        if self.rng.random() < 0.1:
            self.rng.choice([self.peer.reset, self.peer.close])()
            self.peer, self.wanted, self.last = RawWebSocket(self.server), {}, 0

    def settle(self):
        """Waits until the server has handled what was sent."""
        self.last += 1
        self.peer.text({"op": "ping", "id": self.last})
        while (message := self.peer.message()).get("id") != self.last:
            assert message["op"] != "err", message


def sources(nodes):
    """The source nodes that these need."""
    for node in nodes:
        if node == "pair":
            yield from ("s.1", "own.1")
        elif node == "extra":
            yield "s.2"
        else:
            yield node.replace("d.", "s.")


@pytest.mark.first
@pytest.mark.timeout(3600)
def test_s_1_no_life_of_a_listener_leaves_an_upstream_open(upstream):
    """S-1."""
    nightly = bool(os.environ.get("SLUICE_NIGHTLY"))
    members, lives, each = (5_000, 1_000_000, 50) if nightly else (40, 10_000, 10)
    rng = random.Random(48)
    names = [f"{kind}.{i}" for kind in ("s", "d", "own") for i in range(members)] + ["pair"]
    limits = "limits: { subs: 100000, messages: 0, members: 100000, wanted: 100000 }\n"
    with serve(upstream, NODES, limits) as server, contextlib.ExitStack() as stack:
        listeners = [Listener(server, rng, names) for _ in range(8)]
        stack.callback(lambda: [listener.peer.close() for listener in listeners])
        path = server.config.parent / "graphs" / "g.yaml"
        text, done = path.read_text(), 0
        while done < lives:
            for listener in listeners:
                listener.step(each)
                done += each
            if rng.random() < 0.3:
                # At once: a half of it would be a definition, too, when the server reads it late.
                fresh = path.with_suffix(".new")
                fresh.write_text(text + rng.choice(["", MORE]))
                fresh.replace(path)
                server.process.send_signal(1)
            for listener in listeners:
                listener.settle()
            wanted = {node for listener in listeners for node, _ in listener.wanted.values()}
            eventually(lambda: opened(server) == len(set(sources(wanted))))
        for listener in listeners:
            listener.peer.reset()
        eventually(lambda: opened(server) == 0 and server.counts("g")["listeners"] == 0)


def opened(server):
    """How many source nodes are open."""
    return sum(each["nodes"] for each in server.get("/v1/graphs/g").json().get("upstreams", []))
