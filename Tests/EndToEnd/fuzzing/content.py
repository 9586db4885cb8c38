"""Shapes of content: names, values, expressions, stages and sources, each drawn from a `random.Random`.

Names come from a small vocabulary, so that requests meet: a name is a node that is set in one
definition, derived in the next, and missing in a third.
"""

SET = [f"n{i}" for i in range(6)]
DERIVED = [f"d{i}" for i in range(8)]
FAMILIES = ["s.{id}.v", "t.{a}.{b}", "s.{id}.hot", "s.{id}.w", "u.{a}", "u.of.{b}"]
MEMBERS = [f"s.{i}.v" for i in range(12)] + [f"t.{a}.{b}" for a in "xyz" for b in "pq"]
DERIVED_MEMBERS = [f"s.{i}.{end}" for i in range(12) for end in ("hot", "w")]
DERIVED_MEMBERS += [f"u.{a}" for a in "xyz"] + [f"u.of.{b}" for b in "pq"]
GLOBS = ["*", "n*", "d*", "s.*", "s.*.v", "s.*.hot", "t.*", "n?", "s.1*", "t.x.*", "q*", "u.*"]
OWNERS = ["panel", "sidebar", "dialog", "a.b-c"]


def node(rng):
    """A name that is probably there."""
    drawn = rng.random()
    if drawn < 0.4:
        return rng.choice(SET)
    if drawn < 0.6:
        return rng.choice(DERIVED)
    if drawn < 0.85:
        return rng.choice(MEMBERS)
    return rng.choice(DERIVED_MEMBERS) if drawn < 0.99 else "nowhere"


def settable(rng):
    return rng.choice(SET) if rng.random() < 0.6 else rng.choice(MEMBERS)


def names(rng, most=4):
    return [node(rng) for _ in range(rng.randint(1, most))]


def number(rng):
    drawn = rng.random()
    if drawn < 0.6:
        return rng.randint(-5, 40)
    if drawn < 0.9:
        return round(rng.uniform(-50, 100), 2)
    return rng.choice([0, -0.0, 1e308, -1e308, 5e-324, 2**53, -(2**53), 1e15, 0.1, 4294967296])


def text(rng):
    drawn = rng.random()
    if drawn < 0.7:
        return rng.choice(
            [
                "", "a", "eco", "auto", "in", "out", "x1", "abcx", "true", "null", "ä€𝄞", "\u0000\u001f\"\\",
                "a/b~c",
            ]
        )
    return rng.choice("abz€") * rng.choice([3, 40, 300, 300, 5000])


def value(rng, depth=0):
    drawn = rng.random()
    if drawn < 0.55:
        return number(rng)
    if drawn < 0.7:
        return text(rng)
    if drawn < 0.78:
        return rng.random() < 0.5
    if drawn < 0.82:
        return None
    if drawn < 0.88:
        return {"who": rng.choice(["alice", "bob", None, 1]), "text": text(rng)}
    if drawn < 0.91:
        return {"key": rng.choice(["a", 1, None, True]), "value": number(rng)}
    if depth > 3:
        return []
    if drawn < 0.96:
        return [value(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    return {rng.choice("abcde"): value(rng, depth + 1) for _ in range(rng.randint(0, 4))}


# Expressions of `value` that pass the check for any type, and some that fail for certain values.
EXPRESSIONS = [
    "value", "value * 2", "value + 1", "value / 3", "value % 7", "-value", "value > 10", "value == 3",
    "value != null", "string(value)", "double(value)", "int(value)", "value == null ? 0 : value",
    "[value, value]", "size(value)", "{'key': string(value), 'value': value}", "{'who': value, 'text': 'x'}",
    "value.who", "has(value.a) ? value.a : 0", "[1, 2, 3].exists(i, i == value)",
    "lists.range(40).map(i, i * 2).filter(i, i != value)", "value.matches('^[a-z]+x')", "value.text.size()",
    "1 / (value - 1)", "round(value, 1)", "clamp(value, 0, 10)", "time", "string(time)", "timestamp(value)",
    "value[0]", "value.value", "type(value) == type(1.0)", "'%s'.format([value])", "math.abs(value)",
    "lists.range(int(value) % 200).map(i, [i, i])", "sum(lists.range(100)) + avg([1, 2])", "value.map(x, x)",
    "'x' + value", "optional.of(value).orValue(1)", "cel.bind(a, value, a == a)",
    "base64.encode(bytes(string(value)))",
]
CONDITIONS = ["value > 10", "value == null", "value != 3", "true", "value % 2 == 0", "has(value.a)", "value"]
JOINED = [
    "a", "a + b", "a > b", "[a, b]", "{'a': a, 'b': b}", "string(a) + string(b)", "a == b ? a : b", "a / b",
]
LISTED = [
    "value", "size(value)", "avg(value)", "sum(value)", "value[0]", "value.map(x, x)", "value[1] == value[0]",
]
# Nothing listens there.
UPSTREAMS = {
    "u": {"url": "http://127.0.0.1:9/fuzz"},
    "broker": {"mqtt": "mqtt://127.0.0.1:9"},
    "far": {"sluice": "http://127.0.0.1:9/v1/graphs/a"},
}
KEYS = ["value.who", "string(value)", "value", "value > 10", "value.key"]


def duration(rng):
    return rng.choice([1, 5, 20, "1ms", "10ms", "50ms", "200ms", "1s", "1m", "1h"])


def constant(rng):
    return rng.choice([0, 1, 3, "a", None, True, [], {}, 21.5])


# A stage for each operator that may stand in a `pipe`.
STAGES = {
    "map": lambda rng: {"map": rng.choice(EXPRESSIONS)},
    "replace": lambda rng: {"replace": constant(rng)},
    "ifEmpty": lambda rng: {"ifEmpty": constant(rng)},
    "filter": lambda rng: {"filter": rng.choice(CONDITIONS)},
    "ignore": lambda rng: {"ignore": constant(rng)},
    "select": lambda rng: {"select": constant(rng)},
    "ignoreNull": lambda rng: "ignoreNull",
    "distinct": lambda rng: rng.choice(["distinct", {"distinct": None}, {"distinct": rng.choice(KEYS)}]),
    "delta": lambda rng: "delta",
    "skip": lambda rng: {"skip": rng.randint(0, 4)},
    "take": lambda rng: {"take": rng.randint(0, 6)},
    "prefix": lambda rng: {"prefix": rng.randint(0, 6)},
    "scan": lambda rng: {
        "scan": {
            "start": rng.choice([0, None, "", []]),
            "with": rng.choice(
                [
                    "acc + value", "acc == null || value > acc ? value : acc", "index", "[acc, value]", "acc",
                    "string(acc) + 'x'",
                ]
            ),
        }
    },
    "window": lambda rng: {
        "window": {
            **rng.choice([{"last": duration(rng)}, {"count": rng.randint(1, 20)}]),
            "of": rng.choice(
                ["avg", "sum", "min", "max", "count", "first", "last", "rate", "p50", "p95", "p99", "list"]
            ),
        }
    },
    "debounce": lambda rng: {"debounce": _edge(rng)},
    "throttle": lambda rng: {"throttle": _edge(rng)},
    "sample": lambda rng: {"sample": duration(rng)},
    "delay": lambda rng: {"delay": duration(rng)},
}
WAITING = {"debounce", "throttle", "sample", "delay", "window"}


def _edge(rng):
    return rng.choice(
        [duration(rng), {"for": duration(rng), "edge": rng.choice(["trailing", "leading", "both"])}]
    )


def pipe(rng, most=3, without=()):
    """A few stages."""
    stages = [name for name in STAGES if name not in without]
    return [STAGES[rng.choice(stages)](rng) for _ in range(rng.randint(1, most))]


def _named(rng, choose):
    return {
        "combine": {"a": choose(rng), "b": choose(rng)},
        **({"map": rng.choice(JOINED)} if rng.random() < 0.7 else {}),
    }


def _combine(rng, choose):
    if rng.random() < 0.6:
        return _named(rng, choose)
    listed = {"combine": [choose(rng) for _ in range(rng.randint(1, 4))]}
    return {**listed, "map": rng.choice(LISTED)} if rng.random() < 0.7 else listed


def reduction(rng):
    top = {"top": rng.choice([1, 3, 1000]), "by": rng.choice(["value", "-value", "value.a", "null"])}
    return rng.choice(["sum", "avg", "min", "max", "count", "count", "any", "all", "list", "object", top])


def _all(rng, choose):
    return {
        "all": rng.choice(["s.*.v", "t.*", "n*", "s.1*", "s.*.hot", "u.*", "t.x.*"]),
        "reduce": reduction(rng),
    }


def _zip(rng, choose):
    zipped = {"zip": [choose(rng) for _ in range(rng.randint(1, 3))]}
    return {**zipped, **rng.choice([{}, {"map": rng.choice(LISTED)}])}


# What a value can be made from: of definitions and of clients, with `choose` for the names.
SOURCES = {
    "combine": _combine,
    "all": _all,
    "merge": lambda rng, choose: {"merge": [choose(rng) for _ in range(rng.randint(1, 4))]},
    "flatten": lambda rng, choose: {
        "flatten": {
            "from": choose(rng),
            "to": {key: choose(rng) for key in rng.sample(["in", "out", "1", "true", "3"], 2)},
            **rng.choice([{}, {"otherwise": choose(rng)}]),
        }
    },
    "zip": _zip,
    "switch": lambda rng, choose: {
        "switch": {"from": choose(rng), "by": rng.choice(KEYS), **rng.choice([{}, {"value": "value"}])}
    },
    "case": lambda rng, choose: {
        "case": {"of": choose(rng), "key": rng.choice(["alice", "a", 1, True, "3"])}
    },
    "default": lambda rng, choose: {"default": {"of": choose(rng)}},
    "otherwise": lambda rng, choose: {
        "otherwise": {"of": choose(rng), "excluding": rng.sample(["alice", "a", None, 1], rng.randint(1, 3))}
    },
}


def subject(rng):
    """What a subscription or an evaluation is of: a node or another source, perhaps with a pipe."""
    made = {"node": node(rng)} if rng.random() < 0.7 else SOURCES[rng.choice(list(SOURCES))](rng, node)
    drawn = rng.random()
    if drawn < 0.5:
        made["pipe"] = pipe(rng)
    elif drawn < 0.51:
        made["pipe"] = [{"map": rng.choice(["valeu", "(", "value +", "nothing(1)"])}]
    return made
