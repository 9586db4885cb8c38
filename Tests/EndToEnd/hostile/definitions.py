"""Definitions that are as large as may be, and dear to read, to apply or to change.

Each has two forms, of which the second changes everything that the first says. What is in `REFUSED`
is refused with that code.
"""

import json

BYTES = 64 * 1024
X = {"x": {"set": "number", "initial": 1}}
LOOP = "lists.range(60).all(i, lists.range(60).all(j, i + j >= 0))"


def text(document):
    return json.dumps(document, separators=(",", ":"))


def filled(nodes, node, most=100_000):
    """As many nodes as there is room for, besides `nodes`."""
    nodes, size = dict(nodes), len(text({"nodes": nodes}))
    for number in range(most):
        name, value = node(number)
        size += len(text({name: value})) - 1
        if size > BYTES - 16:
            break
        nodes[name] = value
    return text({"nodes": nodes})


def plain(form):
    return filled({}, lambda n: (f"n{n}", {"set": "number", "unit": "ab"[form]}))


def always(form):
    return filled(
        X, lambda n: (f"n{n}", {"from": "x", "retain": "always", "pipe": [{"map": f"value+{form}"}]})
    )


def chain(form):
    """Each node is made from the one before."""
    return filled(
        X,
        lambda n: (
            f"n{n}",
            {"from": f"n{n - 1}" if n else "x", "retain": "always", "pipe": [{"map": f"value+{form}"}]},
        ),
    )


def stages(form):
    return filled(X, lambda n: (f"n{n}", {"from": "x", "retain": "always", "pipe": [{"skip": form}] * 200}))


def literals(form):
    """Expressions as long as they may be."""
    return filled(
        X, lambda n: (f"n{n}", {"from": "x", "pipe": [{"map": f"[{','.join([str(form)] * 2000)}]"}]})
    )


def conditions(form):
    """Each node is one side of the `if` before."""
    return filled(
        X,
        lambda n: (
            f"n{n}",
            {
                "if": {
                    "from": f"t{n - 1}" if n else "x", "when": f"value>{form}", "then": f"t{n}",
                    "else": f"e{n}",
                }
            },
        ),
    )


def cases(form):
    switches = {f"s{n}": {"switch": {"from": "x", "by": f"value+{form}"}} for n in range(9)}
    return filled(X | switches, lambda n: (f"c{n}", {"case": {"of": f"s{n // 1000}", "key": n}}))


def combines(form):
    """Each node is made from a thousand."""
    inputs = {f"n{n}": {"set": "number", "initial": 1} for n in range(1000)}
    return filled(
        inputs, lambda n: (f"c{n}", {"combine": list(inputs), "retain": "always", "map": f"value[{form}]"})
    )


def schemas(form):
    return filled(
        {},
        lambda n: (
            f"n{n}",
            {"set": "any", "schema": {"properties": {f"p{k}": {"minimum": form} for k in range(50)}}},
        ),
    )


def links(form):
    ends = {"from": "ab"[form], "to": "ba"[form]}
    return text({"nodes": {"a": {"set": "any"}, "b": {"set": "any"}}, "links": [ends] * 2300})


def syncs(form):
    ends = [{"a": f"a{n + form}", "b": f"a{n + 1 - form}"} for n in range(1150)]
    return text({"nodes": {f"a{n}": {"set": "any"} for n in range(1151)}, "sync": ends})


def loops(form, most=1200):
    """First values near the limit of an expression, 1,200 of them."""
    return filled(
        X, lambda n: (f"n{n}", {"from": "x", "retain": "always", "pipe": [{"map": f"{LOOP} ? {form} : 0"}]}),
        most=most,
    )


def searches(form):
    """The same without loops, on a long text."""
    long = {"x": {"set": "string", "initial": "a" * 30_000}}
    return filled(
        long,
        lambda n: (
            f"n{n}", {"from": "x", "retain": "always", "pipe": [{"map": f"value.matches('b{form}$')"}]},
        ),
    )


def unknown(form):
    return filled(X, lambda n: (f"n{n}", {"from": f"q{n}"}))


def wrong(form):
    """Two problems a node."""
    return filled(X, lambda n: (f"n{n}", {"froom": f"q{n}"}))


ALLOWED = [plain, always, chain, stages, literals, conditions, cases, combines, schemas, links, syncs]
REFUSED = {loops: "expr_cost", searches: "expr_cost", unknown: "unknown_node", wrong: "bad_field"}
