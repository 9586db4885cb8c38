"""Regular expressions that take long to compile: in subscriptions, in questions, in definitions.

Each attack returns what the server answered. How much it may compile for them is counted in
PatternLimitTests; here they must be refused with `pattern_limit`, and others must be answered. With
SLUICE_QUIET the time that the server works for them is bounded, too.
"""

import json

DEAR = r"\pL{9}"
QUADRATIC = "a{0,100}" * 60
SLOW_TO_REFUSE = {
    "many repetitions": "a{1000}" * 200,
    "many choices": QUADRATIC,
    "categories, and a bracket missing": r"\pL" * 300 + "[",
    "negated categories regardless of case": "(?i)[" + r"\PL" * 300,
    "one category, repeated": r"(?:\pL{100}){10}",
}


def searches(count, salt):
    return " || ".join(f"value.matches(r'{DEAR}{salt}{number}')" for number in range(count))


def pipe(count, salt):
    """So many different patterns, in sixteen stages."""
    return [{"map": searches(count // 16, f"{salt}s{stage}n")} for stage in range(16)]


def evaluate(server, stages):
    body = json.dumps({"node": "name", "pipe": stages})
    return server.request("POST", "/v1/graphs/g/eval", body, {"Content-Type": "application/json"})


def subscription(client, round):
    """One `sub` with 400 patterns, about as many as 16 KiB have room for."""
    return client.ask(op="sub", graph="g", node="name", pipe=pipe(400, f"r{round}"))


def question(server, round):
    """One `eval` with 300 patterns, the same each time."""
    return evaluate(server, pipe(300, "q")).json()


def definition(server, round):
    """990 patterns that are refused, in a definition."""
    nodes = {
        f"n{number}": {"set": "string", "pattern": rf"\pL{{1000}}{round}x{number}"} for number in range(990)
    }
    return server.request(
        "PUT", "/v1/graphs/h", json.dumps({"nodes": nodes}), {"Content-Type": "application/json"}
    ).json()
