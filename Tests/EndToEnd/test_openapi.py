"""The description of the API is valid, and the server does what it says."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import urllib.parse

import pytest
from conftest import CHAIN
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from sluice import ROOT, Server

GRAPH = CHAIN.replace("any: { set: any }", "any: { set: any, history: 3 }")


@pytest.fixture(scope="module")
def server():
    with Server({"g": GRAPH}) as running:
        yield running


@pytest.fixture(scope="module")
def description(server):
    answer = server.get("/openapi.json")
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/json"
    return answer.json()


def test_it_is_valid_and_complete(server, description):
    validate(description)
    names = [operation["operationId"] for path in description["paths"].values()
             for verb, operation in path.items() if verb != "parameters"]
    assert len(names) == len(set(names)) and len(names) >= 24
    codes = description["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    assert "conflict" in codes and "slow" not in codes


def test_it_names_how_clients_show_who_they_are(description):
    schemes = description["components"]["securitySchemes"]
    assert schemes["token"]["scheme"] == "bearer" and schemes["session"]["name"] == "sluice_session"
    assert description["security"] == [{"token": []}, {"session": []}, {}]
    assert description["paths"]["/healthz"]["get"]["security"] == []
    assert "security" not in description["paths"]["/v1/graphs"]["get"]


def operations(description):
    for path, item in description["paths"].items():
        for verb, operation in item.items():
            if verb != "parameters":
                yield path, verb.upper(), item.get("parameters", []), operation


def test_the_pages_for_people_name_every_operation(description):
    pages = [(ROOT / "docs" / name).read_text() for name in ("protocol.md", "protocol-http.md")]
    rows = [row.replace("?", " ").replace("`", " ") for row in "\n".join(pages).splitlines() if "/" in row]
    for path, verb, *_ in operations(description):
        assert any(f"{path} " in row and (verb in row) for row in rows), (verb, path)


def test_every_known_path_answers_options_and_refuses_other_verbs(server, description):
    for path, item in description["paths"].items():
        concrete = path.replace("{g}", "g").replace("{n}", "x").replace("{c}", "c:999").replace("{d}", "one")
        concrete = concrete.replace("{id}", "one")
        verbs = {verb.upper() for verb in item if verb != "parameters"}
        answer = server.request("OPTIONS", concrete)
        assert answer.status == 204, path
        allow = set(answer.headers["Allow"].split(", "))
        assert allow == verbs | {"OPTIONS"} | ({"HEAD"} if "GET" in verbs else set()), path
        for verb in {"GET", "POST", "PUT", "PATCH", "DELETE"} - verbs:
            answer = server.request(verb, concrete)
            assert answer.status == 405 and answer.headers["Allow"], (verb, path)
            assert answer.json()["code"] == "method_not_allowed"


def test_head_is_get_without_the_body(server, description):
    for path, verb, _, _ in operations(description):
        if verb != "GET" or path in ("/metrics", "/v1/connections") or path.endswith("/events"):
            continue
        concrete = path.replace("{g}", "g").replace("{n}", "x")
        get, head = server.request("GET", concrete), server.request("HEAD", concrete)
        assert head.status == get.status and head.body == b"", path
        assert head.headers.get("Content-Length") == get.headers.get("Content-Length"), path
        assert head.headers.get("ETag") == get.headers.get("ETag")


WORDS = [
    "g", "x", "any", "double", "nobody", "ä", "a b", "..", "0", "-1", "1e9", "x" * 200, "%00", "null", "[]",
    "{", "*", '[{"map":"value + 1"}]', '["distinct"]', '[{"map":"value +"}]', "json", "dot", "mermaid", "1",
    "5",
]
BODIES = [
    "", "1", '"text"', "null", "{", '{"a":1,"a":2}', '{"set":{"x":1}}', '{"set":{"double":1}}',
    '{"clear":["y"]}', '{"node":"x"}', '{"combine":{"a":"x"},"pipe":[{"map":"value.a + 1"}]}',
    '{"node":"x","pipe":[{"map":"("}]}', "[" * 100, "1e999",
    '{"set":{"x":1},"if":{"x":{"rev":0},"epoch":"none"}}', "\x00", '"\\ud800"',
]
FIELDS = [
    "If-Match", "If-None-Match", "Prefer", "Idempotency-Key", "Sluice-Context", "Sluice-Path",
    "Last-Event-ID", "Accept", "Origin",
]
VALUES = [
    "*", '"x:1"', "nonsense", "return=minimal", "wait=0", "k1", '{"a":1}', "text/html", "http://evil.example",
    "a:b:c", '["s/g/x"]',
]


def random_request(rng, path, verb, shared, operation):
    def word():
        return rng.choice(WORDS)

    concrete = path
    for name in ("g", "n", "c"):
        concrete = concrete.replace(
            "{" + name + "}", urllib.parse.quote(rng.choice(["g", "x", "any", word()]), safe="")
        )
    query = [
        (p["name"], word())
        for p in operation.get("parameters", [])
        if p["in"] == "query" and rng.random() < 0.6
    ]
    if query:
        concrete += "?" + urllib.parse.urlencode(query)
    headers = {rng.choice(FIELDS): rng.choice(VALUES) for _ in range(rng.randrange(3))}
    body = None
    if "requestBody" in operation or rng.random() < 0.1:
        body = rng.choice(BODIES)
        types = list(operation.get("requestBody", {}).get("content", {})) or ["application/json"]
        headers["Content-Type"] = rng.choice([*types, "image/png"])
    return concrete, body, headers


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_asked_the_answer_is_one_that_the_description_names(server, description, seed):
    rng = random.Random(seed)
    every = [entry for entry in operations(description) if not entry[0].endswith("/events")]
    for _ in range(150):
        path, verb, shared, operation = rng.choice(every)
        target, body, headers = random_request(rng, path, verb, shared, operation)
        answer = server.request(verb, target, body, headers)
        said = (verb, target, body, headers, answer)
        documented = operation["responses"].get(str(answer.status))
        if answer.status in (404, 405) and json.loads(answer.body or b"{}").get("code") in (
            "not_found", "method_not_allowed",
        ):
            continue  # the random words made another path
        assert documented is not None, said
        assert answer.status < 500, said
        if answer.status >= 400 and verb != "HEAD":
            problem = answer.json()
            assert answer.headers["Content-Type"] == "application/problem+json", said
            assert problem["status"] == answer.status and problem["code"] in documented["description"], said
        elif answer.body:
            kind = answer.headers["Content-Type"].split(";")[0]
            assert kind in documented["content"], said


def test_defaults_that_programs_send_are_accepted(server, description):
    for path, verb, _, operation in operations(description):
        usual = {p["name"]: p["schema"]["default"] for p in operation.get("parameters", [])
                 if p["in"] == "query" and "default" in p["schema"]}
        if verb != "GET" or not usual or path.endswith("/events"):
            continue
        concrete = path.replace("{g}", "g").replace("{n}", "any")
        assert server.get(f"{concrete}?{urllib.parse.urlencode(usual)}").status < 400, (path, usual)


PIPELINES = [
    {"node": "x"},
    {"node": "x", "pipe": ["distinct", {"map": "value + 1"}]},
    {"combine": {"a": "x"}, "map": "a + 1"},
    {"combine": ["x", "y"]},
    {"all": "*", "reduce": "count"},
    {"merge": ["x", "y"]},
    {"zip": ["x", "y"], "map": "value[0]"},
    {"flatten": {"from": "x", "to": {"1": "y"}}},
    {"switch": {"from": "x", "by": "value"}},
    {"all": None},
    {"all": "*"},
    {"all": {}},
    {"all": "*", "reduce": "product"},
    {"all": "x", "reduce": "sum"},
    {"combine": None},
    {"combine": []},
    {"combine": ["x"], "reduce": "sum"},
    {"merge": "x"},
    {"merge": ["x"], "map": "value"},
    {"node": "x", "all": None},
    {"node": "x", "merge": ["x"]},
    {"node": "x", "map": "value"},
    {"node": "x", "map": None},
    {"node": "x", "pipe": None},
    {"node": "x", "pipe": [1]},
    {"node": None},
    {"pipe": []},
    {},
    [],
    {"flatten": {"from": "x"}},
    {"flatten": {"from": "x", "to": {}}},
    {"switch": {"from": "x"}},
    {"zip": ["x"], "map": None},
]


@pytest.mark.parametrize("pipeline", PIPELINES, ids=json.dumps)
def test_its_schema_of_pipelines_and_the_server_agree(server, description, pipeline):
    schema = {"$ref": "#/components/schemas/Pipeline", "components": description["components"]}
    is_valid = Draft202012Validator(schema).is_valid(pipeline)
    answer = server.request(
        "POST", "/v1/graphs/g/eval", json.dumps(pipeline), {"Content-Type": "application/json"}
    )
    assert (answer.status == 200) == is_valid, (is_valid, answer.body)


@pytest.fixture(scope="module")
def generated(description, tmp_path_factory):
    """A client that openapi-python-client has made from the description."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(json.dumps(description))
    program = pathlib.Path(sys.executable).with_name("openapi-python-client")
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        [program, "generate", "--path", folder / "openapi.json", "--output-path", folder / "made"],
        capture_output=True, text=True, cwd=folder, env={**os.environ, "PATH": path},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    # What it cannot send or read is left out: a definition as YAML, and the file of a backup.
    said = ran.stdout + ran.stderr
    left = re.findall(r"^WARNING parsing (.*) within", said, re.MULTILINE)
    assert left == ["PUT /v1/graphs/{g}", "GET /v1/backup"] and "Unable to process" not in said, said
    return folder / "made"


PROGRAM = """
import sys
from sluice_client import Client
from sluice_client.api.default import batch, define_graph, draw_graph, evaluate, list_graphs, list_nodes, put_node
from sluice_client.api.default import read_node, read_values, set_node
from sluice_client.models import Applied, BatchType0, Definition, Picture, Problem

client = Client(base_url=sys.argv[1])
value = {"a": [1, None, "é"]}
applied = set_node.sync("g", "any", client=client, body=value)
assert isinstance(applied, Applied) and applied.rev > 0, applied
assert read_node.sync("g", "any", client=client) == value
for number in (41.5, 7):
    assert isinstance(put_node.sync("g", "x", client=client, body=number), Applied)
    assert read_node.sync("g", "x", client=client) == number
found = {node.name: node.v for node in list_nodes.sync("g", client=client).nodes}
assert found["x"] == 7 and found["double"] == 14, found
assert [graph.graph for graph in list_graphs.sync(client=client).graphs] == ["g"]
assert batch.sync("g", client=client, body=BatchType0.from_dict({"set": {"x": 5}})).changed == 1
assert read_values.sync("g", client=client).m["x"]["v"] == 5
assert evaluate.sync("g", client=client, body={"node": "x", "pipe": [{"map": "value + 1"}]}).v == 6
assert isinstance(draw_graph.sync("g", client=client), Picture)
definition = Definition.from_dict({"nodes": {"a": {"set": "number"}}})
made = define_graph.sync("made", client=client, body=definition)
assert made.graph == "made" and made.diff.added == ["a"], made
missing = read_node.sync("g", "nothing", client=client)
assert isinstance(missing, Problem) and missing.code == "unknown_node", missing
"""


def test_a_generated_client_gets_sets_and_lists(generated):
    with Server({"g": GRAPH}) as server:
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, server.url], cwd=generated, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
