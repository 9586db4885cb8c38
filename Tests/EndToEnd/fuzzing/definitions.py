"""Random definitions of graphs, most of them valid, and random changes of one."""

from fuzzing import content

# What a node may say besides where its values come from; `None` leaves the key out.
KEYS = {
    "min": lambda rng, node: -1e6 if _is_number(node) else None,
    "max": lambda rng, node: rng.choice([1e6, 100]) if _is_number(node) else None,
    "minLength": lambda rng, node: 0 if node.get("set") == "string" else None,
    "maxLength": lambda rng, node: rng.choice([10, 5000]) if node.get("set") in ("string", "array") else None,
    "pattern": lambda rng, node: rng.choice(["^[a-z]*", "x"]) if node.get("set") == "string" else None,
    "enum": lambda rng, node: ["eco", "auto", "in", "out"] if node.get("set") == "string" else None,
    "schema": lambda rng, node: (
        rng.choice([{"not": {"const": 7}}, {"anyOf": [{"type": "number"}, True]}, {"maxItems": 3}])
        if "set" in node
        else None
    ),
    "initial": lambda rng, node: _initial(rng, node) if "set" in node and not _is_family(node) else None,
    "ttl": lambda rng, node: content.duration(rng) if "set" in node and not _is_family(node) else None,
    "expire": lambda rng, node: content.duration(rng) if "set" in node and _is_family(node) else None,
    "fresh": lambda rng, node: content.duration(rng) if "set" in node else None,
    "role": lambda rng, node: rng.choice(["sensor", "setting"]) if "set" in node else None,
    "requireIfMatch": lambda rng, node: True if "set" in node and rng.random() < 0.1 else None,
    "confirm": lambda rng, node: True if "set" in node and rng.random() < 0.1 else None,
    "title": lambda rng, node: rng.choice(["A title", "Ä"]),
    "unit": lambda rng, node: "°C",
    "description": lambda rng, node: "What it is for",
    "severity": lambda rng, node: None if _is_family(node) else rng.choice(["info", "warning", "alarm"]),
    "ok": lambda rng, node: content.constant(rng) if "severity" in node else None,
    "words": lambda rng, node: {"true": "on", "1": "one", "eco": "saving"},
    "icon": lambda rng, node: rng.choice(["door", "drop", "none"]),
    "history": lambda rng, node: rng.choice(
        [0, 1, 3, 20, 1000, {"for": "1h"}, {"count": 3, "for": "10s", "every": "1s"}]
    ),
    "retain": lambda rng, node: (
        rng.choice(["always", "untilPressure"] if _is_family(node) and "set" in node else ["always"])
        if "set" in node or "source" in node
        else rng.choice(["whileInUse", "untilPressure", "always"])
    ),
}
GLOBS = {
    "s.{id}.v": "s.*.v", "t.{a}.{b}": "t.*", "s.{id}.hot": "s.*.hot", "s.{id}.w": "s.1*.w", "u.{a}": "u.?",
    "u.of.{b}": "u.of.*",
}
# How often a key stands in a node where it may.
SHARES = {
    "initial": 0.5, "history": 0.25, "retain": 0.25, "ttl": 0.06, "expire": 0.3, "fresh": 0.15,
    "severity": 0.15, "ok": 0.5,
}
OTHERS = 0.05

# Operators that are no source of a client's.
DEFINED_ONLY = {
    "from": lambda rng, choose: {"from": choose(rng)},
    "if": lambda rng, choose: {
        "if": {"from": choose(rng), "when": rng.choice(content.CONDITIONS), "then": "yes", "else": "no"}
    },
    "schedule": lambda rng, choose: {
        "schedule": rng.choice(["* * * * *", "*/15 8-17 * * mon-fri", "@hourly", "0 0 29 2 *"]),
        **rng.choice([{}, {"zone": "Europe/Berlin"}, {"zone": "+02:00"}]),
    },
    "between": lambda rng, choose: {
        "between": rng.choice([["22:00", "06:00"], ["00:00", "12:00"]]),
        **rng.choice([{}, {"days": "mon-fri"}]),
    },
}
# Of two different nodes.
TIES = {
    "sync": lambda rng, two: {
        "a": two[0], "b": two[1], **rng.choice([{}, {"to_b": "value * 2", "to_a": "value / 2"}]),
    },
    "links": lambda rng, two: {
        "from": two[0], "to": two[1],
        **rng.choice([{}, {"pipe": content.pipe(rng, 2, without=content.WAITING)}]),
    },
}
SOURCES = {**DEFINED_ONLY, **content.SOURCES}


def _is_number(node):
    return node.get("set") in ("number", "integer")


def _is_family(node):
    return node.get("family", False)


def _initial(rng, node):
    return {
        "any": content.value(rng), "number": 1, "integer": 3, "string": "auto", "boolean": True,
        "object": {"a": 1}, "array": [1],
    }[node["set"]]


def _with_keys(rng, node, is_family):
    """Adds keys that may stand in a node; `family` stands in it only meanwhile."""
    node["family"] = is_family
    for key, make in KEYS.items():
        if rng.random() < SHARES.get(key, OTHERS):
            made = make(rng, node)
            if made is not None:
                node[key] = made
    del node["family"]
    return node


def _kind(rng):
    return rng.choice(["any"] * 6 + ["number"] * 4 + ["integer", "string", "boolean", "object", "array"])


def _made(rng, name, families, choose):
    source = "from" if rng.random() < 0.5 else rng.choice(list(SOURCES))
    node = SOURCES[source](rng, choose)
    if source == "all":
        # A glob must match something.
        node["all"] = GLOBS[rng.choice(families)] if families else "n0*"
    if source == "if":
        # These are nodes of their own.
        node["if"] |= {"then": f"{name}_yes", "else": f"{name}_no"}
    if rng.random() < 0.5 and source != "if":
        node["pipe"] = content.pipe(rng)
    return node


def _upstream(rng, name):
    """A source of one of the upstreams that every graph has, which cannot be reached."""
    parts = "".join(f"/{{{part}}}" for part in ("id", "a", "b") if f"{{{part}}}" in name)
    place = f"u:/{rng.choice(['a', 'b'])}{parts}"
    pick = rng.choice([{}, {"pick": rng.choice(["value", "value.a", "size(value)", "1 / 0"])}])
    kind = rng.random()
    if kind < 0.3:
        return {"events": place, **rng.choice([{}, {"event": "quote"}, {"as": "text"}]), **pick}
    if kind < 0.4:
        extra = rng.choice([{}, {"send": {"sub": "{id}"}}, {"send": "go"}, {"filter": "value.a > 1"}])
        return {"socket": place, **extra, **pick}
    if kind < 0.45:
        return {"topic": f"broker:a{parts}", **rng.choice([{}, {"as": "text"}]), **pick}
    if kind < 0.5:
        return {"node": f"far:n1{parts.replace('/', '.')}", **pick}
    if kind < 0.6 and "{id}" in name:
        joined = {"get": "u:/a?ids={id*}", "every": "200ms", "pick": "value[key.id]"}
        return {**joined, "batch": rng.choice([1, 3])}
    return {"get": place, **rng.choice([{}, {"every": rng.choice(["100ms", "1s"])}, {"as": "text"}]), **pick}


def _node(rng, name, nodes):
    """One node under this name, made from those before it."""
    plain = [other for other in nodes if "{" not in other]
    if "s.{id}.v" in nodes:
        plain += content.MEMBERS[:3]

    def choose(rng):
        return rng.choice(plain)

    if rng.random() < 0.1:
        return _with_keys(rng, {"source": _upstream(rng, name)}, "{" in name)
    if name in ("s.{id}.v", "t.{a}.{b}") or (name in content.SET and (not plain or rng.random() < 0.85)):
        return _with_keys(rng, {"set": _kind(rng)}, "{" in name)
    if name.startswith("u."):
        if "t.{a}.{b}" not in nodes:
            return _with_keys(rng, {"set": _kind(rng)}, True)
        group = {"all": "t.{a}.{b}", "reduce": content.reduction(rng)}
        return _with_keys(rng, {**group, **rng.choice([{}, {"map": rng.choice(["value", "key"])}])}, True)
    if "{" in name:
        first = "s.{id}.v" if "s.{id}.v" in nodes else choose(rng)
        drawn = rng.random()
        if drawn < 0.6:
            node = {"from": first}
        elif drawn < 0.8:
            node = {"combine": {"a": first, "b": choose(rng)}, "map": rng.choice(content.JOINED + ["key.id"])}
        else:
            node = {"merge": [first, choose(rng)]}
        if rng.random() < 0.6:
            node["pipe"] = content.pipe(rng, 2)
        return _with_keys(rng, node, True)
    return _with_keys(rng, _made(rng, name, [other for other in nodes if "{" in other], choose), False)


def _ties(rng, nodes):
    # Where a link leads is always kept.
    plain = [
        name for name, node in nodes.items() if "{" not in name and "retain" not in node and "if" not in node
    ]
    set_ = [name for name in plain if nodes[name].get("set") in ("any", "number")]
    ties = {}
    if len(set_) > 1 and rng.random() < 0.25:
        ties["sync"] = [TIES["sync"](rng, rng.sample(set_, 2))]
    if len(plain) > 1 and rng.random() < 0.25:
        ties["links"] = [TIES["links"](rng, rng.sample(plain, 2)) for _ in range(rng.randint(1, 2))]
    return ties


ORDER = [*content.SET, *content.FAMILIES, *content.DERIVED]


def definition(rng, settings):
    """A definition; `settings` makes what stands beside the nodes, such as sinks."""
    nodes = {}
    for name in ORDER:
        if name == "n0" or rng.random() < 0.7:
            nodes[name] = _node(rng, name, nodes)
    made = {"upstreams": content.UPSTREAMS, "nodes": nodes, **_ties(rng, nodes), **settings(rng, nodes)}
    if rng.random() < 0.3:
        made["mode"] = rng.choice(["settled", "immediate"])
    if rng.random() < 0.3:
        made["title"] = rng.choice(["One", "Two"])
    return made


def changed(rng, former, settings):
    """The former definition with some of its nodes changed, removed or added."""
    nodes = dict(former["nodes"])
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(ORDER)
        earlier = {other: nodes[other] for other in ORDER[: ORDER.index(name)] if other in nodes}
        if name != "n0" and name in nodes and rng.random() < 0.3:
            del nodes[name]
        else:
            nodes[name] = (
                _node(rng, name, earlier) if earlier else _with_keys(rng, {"set": _kind(rng)}, False)
            )
    made = {**former, "nodes": nodes}
    if rng.random() < 0.3:
        made.pop("sync", None)
        made.pop("links", None)
        made |= _ties(rng, nodes)
    if rng.random() < 0.1:
        made |= settings(rng, nodes)
    return made
