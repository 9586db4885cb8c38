"""A random message for each operation of the WebSocket: a table by the word of its `op`."""

from fuzzing import content


def hello(maker):
    return {"client": maker.rng.choice(["fuzz/1", "tablet", "x" * 200]), **_token(maker)}


def auth(maker):
    return {"token": "any", **_token(maker)}


def _token(maker):
    return {"token": maker.pick(maker.world.tokens)} if maker.world.tokens else {}


# The options of `sub` beside its source, by their names; `None` leaves one out.
OPTIONS = {
    "pipe": lambda maker, graph: None,
    "map": lambda maker, graph: None,
    "reduce": lambda maker, graph: None,
    "every": lambda maker, graph: maker.rng.choice([0, 1, 20, 100, 1000]),
    "mode": lambda maker, graph: maker.rng.choice(["latest", "all", "all"]),
    "queue": lambda maker, graph: maker.rng.choice([1, 2, 10, 1000]),
    "initial": lambda maker, graph: maker.chance(0.3),
    "history": lambda maker, graph: maker.rng.choice([1, 3, 1000]),
    "facets": lambda maker, graph: True,
    "path": lambda maker, graph: True,
    "load": lambda maker, graph: True,
    "owner": lambda maker, graph: maker.rng.choice([*content.OWNERS, content.OWNERS[:2], content.OWNERS]),
    "since": lambda maker, graph: {"epoch": maker.epoch(graph), "rev": maker.rev(graph)},
    "after": lambda maker, graph: {"epoch": maker.epoch(graph), "rev": maker.rev(graph)},
    "via": lambda maker, graph: _way(maker, graph),
    # The end of a round waits longer: a chain over names that come and go stays until its time is
    # over.
    "keep": lambda maker, graph: maker.rng.choice(["10s", "5s", 2000, "1ms", "50ms", "auto"]),
}
# The words that say what a subscription is of.
SUBJECTS = ["node", "nodes", *content.SOURCES]
SHARES = {
    "every": 0.15, "mode": 0.35, "history": 0.08, "facets": 0.2, "path": 0.2, "owner": 0.2, "since": 0.15,
    "keep": 0.2,
}


def sub(maker):
    ticket = maker.pick(maker.world.tickets) if maker.chance(0.08) else None
    if ticket:
        graph, subject, since = ticket
        return {
            **subject, **_options(maker, graph, ("history", "since", "keep")), "graph": graph, "since": since,
            "keep": "10s",
        }
    graph = maker.graph()
    if maker.chance(0.2):
        subject, without = {"nodes": [maker.rng.choice(content.GLOBS) if maker.chance(0.6) else maker.node()
                                      for _ in range(maker.rng.randint(1, 3))]}, ("history", "keep", "via")
    else:
        subject = maker.subject()
        without = ("history",) if "pipe" in subject or "node" not in subject else ()
    return {**subject, **_options(maker, graph, without), "graph": graph}


def _options(maker, graph, without):
    options = {}
    for name, make in OPTIONS.items():
        if name not in without and maker.chance(SHARES.get(name, 0.06)):
            made = make(maker, graph)
            if made is not None:
                options[name] = made
    return options


def _way(maker, graph):
    epoch = maker.rng.choice(["e", "e", maker.epoch(graph)])
    return [{"epoch": epoch, "graph": graph, "node": maker.node()}] * maker.rng.choice([1, 2, 16, 17])


def mod(maker):
    fields = {"sub": maker.pick(maker.ids) or 1}
    drawn = maker.rng.random()
    if drawn < 0.5:
        fields |= {
            "every": maker.rng.choice([0, 50, 300]),
            **maker.rng.choice([{}, {"mode": "all"}, {"mode": "latest", "queue": 3}]),
        }
    if maker.chance(0.1):
        fields["via"] = _way(maker, maker.graph())
    if drawn > 0.4:
        owners = content.OWNERS
        fields |= maker.rng.choice(
            [
                {"addOwner": owners[0]},
                {"removeOwner": owners},
                {"addOwner": owners[:2], "removeOwner": owners[1:3]},
            ]
        )
    return fields


def unsub(maker):
    return {"id": maker.pick(maker.ids) or 1}


def set_(maker):
    graph = maker.graph()
    return {
        "graph": graph, **maker.change(graph), **({"presence": True} if maker.chance(0.15) else {}),
        **({"hand": True} if maker.chance(0.1) else {}),
        **({"path": [maker.rng.choice(["s/g/x", "?1", "a"])] * maker.rng.choice([1, 40])}
           if maker.chance(0.1) else {}),
    }


def drop(maker):
    graph = maker.graph()
    nodes = (
        {"node": maker.rng.choice(content.MEMBERS)}
        if maker.chance(0.7)
        else {"nodes": maker.rng.sample(content.MEMBERS, 3)}
    )
    return {"graph": graph, **nodes, **maker.marks(graph)}


def load(maker):
    graph = maker.graph()
    return {"graph": graph, "node": maker.settable(), **maker.report(), **maker.marks(graph)}


def get(maker):
    asked = maker.rng.choice(
        [{}, {"node": maker.node()}, {"nodes": [maker.rng.choice(content.GLOBS), maker.node()]}]
    )
    graph = maker.graph()
    after = {"after": OPTIONS["after"](maker, graph)} if maker.chance(0.1) else {}
    return {"graph": graph, **asked, **after, **maker.rng.choice([{}, {}, {"facets": True}, {"load": True}])}


def list_(maker):
    return {"changes": True} if maker.chance(0.3) else {}


def demand(maker):
    nodes = (
        {"node": maker.settable()}
        if maker.chance(0.3)
        else {"nodes": [maker.rng.choice(content.GLOBS), maker.settable()]}
    )
    return {"graph": maker.graph(), **nodes}


def observe(maker):
    fields = {"graph": maker.graph(), "every": maker.rng.choice([50, 50, 100, 250])}
    if maker.chance(0.4):
        fields |= {"around": maker.node(), "depth": maker.rng.randint(1, 5)}
    if maker.chance(0.3):
        fields["members"] = maker.rng.sample(content.MEMBERS, maker.rng.randint(0, 4))
    return fields


def release(maker):
    return {"owner": maker.rng.choice(content.OWNERS)}


def ping(maker):
    return {}


# (how often, what makes the fields beside `op` and `id`)
MESSAGES = {
    "hello": (1, hello), "auth": (1, auth), "sub": (30, sub), "mod": (6, mod), "unsub": (10, unsub),
    "release": (4, release), "set": (30, set_), "drop": (4, drop), "load": (5, load), "get": (6, get),
    "list": (2, list_), "demand": (3, demand), "observe": (3, observe), "ping": (2, ping),
}
# Which of them begin something that lasts under their id.
LASTING = {"sub", "demand", "observe"}
# Which of them need no answer, and are sent without an id now and then.
SILENT = {"set", "load", "drop", "ping"}
_WORDS = list(MESSAGES)
_WEIGHTS = [weight for weight, _ in MESSAGES.values()]


def word(maker):
    return maker.rng.choices(_WORDS, _WEIGHTS)[0]


def message(maker, word):
    """A message of this operation with a fresh id, or with a live one where it means that one."""
    fields = MESSAGES[word][1](maker)
    if "id" not in fields and not (word in SILENT and maker.chance(0.15)):
        fields["id"] = maker.last_id if maker.last_id and maker.chance(0.01) else maker.id()
    return {"op": word, **fields}
