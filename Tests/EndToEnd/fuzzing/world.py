"""What all clients of one run know together: names of graphs, cursors, tickets, what was sent last,
what was answered."""

import collections
import json
import pathlib

from fuzzing import content, definitions

GRAPHS = ["a", "b", "c"]
# One that mostly does not exist, because it is named so rarely.
RARE = "nothing"
# The graph that a file owns.
FILED = "f"
ARTEFACTS = pathlib.Path(__file__).resolve().parents[1] / "artefacts"


class World:
    def __init__(self, seed, tokens=(), sink_port=None):
        self.seed, self.tokens, self.sink_port = seed, list(tokens), sink_port
        self.defined = {}
        self.epochs, self.revs = {}, collections.Counter()
        self.tickets = collections.deque(maxlen=40)
        self.connections = collections.deque(["c:1", "h:1"], maxlen=20)
        # (what, its name, outcome): how often.
        self.tally = collections.Counter()
        # The newest that was sent: (time, connection, bytes).
        self.journal = collections.deque(maxlen=4000)
        self.operations = 0
        self.failure = None
        # While the server is killed and started again, connections may break and be refused.
        self.is_away = False

    def fail(self, text):
        """Notes the first failure, which ends the run."""
        self.failure = self.failure or text

    def learn(self, graph, epoch, rev):
        self.epochs[graph] = epoch
        self.revs[graph] = max(int(rev), 0)

    def settings(self, rng, nodes):
        """What stands in a definition beside its nodes and ties."""
        made = {}
        if self.sink_port and rng.random() < 0.3:
            plain = [name for name in nodes if "{" not in name]
            made["sinks"] = {
                name: {
                    "from": rng.choice([*plain, "*"]), "url": f"http://127.0.0.1:{self.sink_port}/{name}",
                    **rng.choice([{}, {"mode": "all"}, {"mode": "all", "queue": 2}]),
                }
                for name in rng.sample("xyz", rng.randint(1, 2))
            }
        if self.tokens and rng.random() < 0.3:
            made["access"] = [
                {
                    "who": rng.choice(["*", "role:viewer", "alice", "bob"]),
                    "nodes": rng.choice(["*", "s.*", ["n*", "d1"]]),
                    "can": rng.choice(["read", "set", ["read", "pipe"], ["read", "pipe", "set", "observe"]]),
                }
                for _ in range(rng.randint(1, 3))
            ]
        return made

    def definition(self, rng, graph):
        """The next definition of a graph: a change of its former one, or another one."""
        former = self.defined.get(graph)
        if former is not None and rng.random() < 0.6:
            made = definitions.changed(rng, former, self.settings)
        else:
            made = definitions.definition(rng, self.settings)
        self.defined[graph] = made
        return made

    def wrote(self, time, connection, data):
        self.journal.append((time, connection, data))

    def save_journal(self):
        """Writes what was sent last into a file, and returns its path."""
        ARTEFACTS.mkdir(exist_ok=True)
        path = ARTEFACTS / f"operation-fuzz-{self.seed}.txt"
        with open(path, "w") as file:
            for time, connection, data in self.journal:
                file.write(f"{time:.4f} {connection} {data!r}\n")
        return path


class Maker:
    """Draws the parts of requests for one client."""

    def __init__(self, rng, world):
        self.rng, self.world = rng, world
        # Most of what one client does is about one graph.
        self.favourite = rng.choice(GRAPHS)
        # Ids of live subscriptions, observers and demands of a WebSocket, and the newest one.
        self.ids, self.last_id = [], 0

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, known):
        """One of what is known, or None; draws once whatever there is, so that a seed repeats."""
        drawn = self.rng.random()
        return known[int(drawn * len(known))] if known else None

    def graph(self):
        drawn = self.rng.random()
        if drawn < 0.75:
            return self.favourite
        return FILED if drawn < 0.8 else RARE if drawn > 0.995 else self.rng.choice(GRAPHS)

    def node(self):
        return content.node(self.rng)

    def settable(self):
        return content.settable(self.rng)

    def rev(self, graph):
        """A rev that is probably known."""
        last = self.world.revs[graph]
        drawn = self.rng.random()
        return last if drawn < 0.4 else max(0, last + 1) if drawn > 0.97 else int(drawn * last)

    def epoch(self, graph):
        drawn = self.rng.random()
        return self.world.epochs.get(graph, "none") if drawn < 0.95 else "other"

    def id(self):
        self.last_id += 1
        return self.last_id

    def condition(self, graph):
        """A condition of a set, by node."""
        node = self.settable()
        drawn = self.rng.random()
        if drawn < 0.4:
            return {node: {"v": content.value(self.rng)}}
        if drawn < 0.6:
            return {node: {"empty": True}}
        return {"epoch": self.epoch(graph), node: {"rev": self.rev(graph)}}

    def change(self, graph):
        """The fields of a set: what is set and cleared, and what goes with it."""
        rng = self.rng
        fields = {}
        if rng.random() < 0.9:
            fields["set"] = {self.settable(): content.value(rng) for _ in range(rng.choice([1, 1, 1, 2, 4]))}
        if rng.random() < 0.15:
            nodes = [self.settable() for _ in range(rng.randint(1, 3))]
            fields["update"] = {node: rng.choice(content.EXPRESSIONS) for node in nodes}
            fields["with"] = {name: self.settable() for name in rng.choice([[], ["x"], ["x", "y"]])}
            if rng.random() < 0.3:
                fields["if"] = rng.choice(["x == null || x != y", "x > 5", "true", "y"])
        if not fields or rng.random() < 0.15:
            clear = [
                name
                for name in (self.settable() for _ in range(rng.randint(1, 3)))
                if name not in fields.get("set", {})
            ]
            if clear or not fields:
                fields["clear"] = clear or ["n0"]
            if rng.random() < 0.1:
                fields.setdefault("clear", []).append(rng.choice(["n*", "*", "m.*", "?0"]))
        return self.marks(graph) | fields

    def marks(self, graph):
        """What any commit may have: conditions, a context, a key."""
        rng, fields = self.rng, {}
        if rng.random() < 0.1:
            fields["if"] = self.condition(graph)
        if rng.random() < 0.1:
            fields["ctx"] = content.value(rng)
        if rng.random() < 0.1:
            fields["key"] = f"k{rng.randint(0, 200)}"
        return fields

    def report(self):
        """One report about a load."""
        return REPORTS[self.rng.choice(list(REPORTS))](self.rng)

    def subject(self):
        return content.subject(self.rng)


# The reports that producers make of a load, by their first field.
REPORTS = {
    "loading": lambda rng: rng.choice(
        [{"loading": True}, {"loading": True, "progress": rng.random()}, {"progress": 0.5}]
    ),
    "error": lambda rng: {
        "error": {
            "code": rng.choice(["offline", "a_b"]), **rng.choice([{}, {"msg": content.text(rng)[:200]}]),
        }
    },
    "notModified": lambda rng: {"notModified": True},
    "cancelled": lambda rng: rng.choice([{"cancelled": True}, {"loading": False}]),
    "invalidate": lambda rng: {"invalidate": True},
}


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
