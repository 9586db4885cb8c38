"""The JSON Schemas say what the server says, and the examples of the documentation are right by both."""

import json
import re
import subprocess

import jsonschema
import pytest
import yaml

from sluice import BINARY, ROOT


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2's core schema, as the server reads it: `off` and `12:30` are strings."""

    yaml_implicit_resolvers = {}


for kind, pattern, first in (
    ("null", r"^(?:~|null|Null|NULL|)$", "~nN\0"),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^(?:[-+]?[0-9]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
):
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(pattern), list(first))


def validator(name):
    schema = json.loads((ROOT / f"docs/schema/{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


GRAPH = validator("graph")
CONFIGURATION = validator("sluice")


def complaints(validator, text):
    return [
        f"{error.json_path}: {error.message}" for error in validator.iter_errors(yaml.load(text, CoreLoader))
    ]


def check(tmp_path, text):
    """Whether `sluice check` passes the text, and what it says besides warnings, which a schema
    does not know."""
    file = tmp_path / "g.yaml"
    file.write_text(text)
    result = subprocess.run([BINARY, "check", file], capture_output=True, text=True)
    assert result.returncode in (0, 1), result.stderr
    return result.returncode == 0, re.sub("^warning: .*\n", "", result.stderr, flags=re.M)


@pytest.mark.parametrize("file", sorted((ROOT / "config/graphs").glob("*.yaml")), ids=lambda file: file.name)
def test_the_shipped_graphs_are_right(file):
    assert complaints(GRAPH, file.read_text()) == []
    subprocess.run([BINARY, "check", file], check=True)


def test_the_shipped_configuration_is_right_and_names_every_key():
    text = (ROOT / "config/sluice.yaml").read_text()
    assert complaints(CONFIGURATION, text) == []
    assert names(yaml.load(text, CoreLoader)) == printed_keys()


def test_the_example_of_two_servers_is_right():
    assert complaints(CONFIGURATION, (ROOT / "config/redis.yaml").read_text()) == []


def test_the_schema_has_the_keys_of_the_configuration():
    def keys(schema, prefix=""):
        for key, inner in schema["properties"].items():
            if "properties" in inner:
                yield from keys(inner, f"{prefix}{key}.")
            else:
                yield prefix + key

    assert set(keys(CONFIGURATION.schema)) == printed_keys()


def names(tree, prefix=""):
    found = set()
    for key, value in tree.items():
        found |= names(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key}
    return found


def printed_keys():
    shown = subprocess.run([BINARY, "serve", "--print-config", "--config", ROOT / "config/sluice.yaml"],
                           check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in shown.splitlines() if line}


def test_the_schema_has_the_operators_of_the_server(server):
    rows = [row for row in server.get("/v1/operators").json()["operators"]]
    stages = {word: row["summary"] for row in rows if row["stage"]
              for word in (row["name"], row.get("alias")) if word}
    words, mapping = GRAPH.schema["$defs"]["stage"]["oneOf"]
    assert {name: stage["description"] for name, stage in mapping["properties"].items()} == stages
    assert set(words["enum"]) <= set(stages)
    sources = {kind["required"][0] for kind in GRAPH.schema["$defs"]["node"]["oneOf"]}
    sections = {"sync", "links"}
    assert sections <= set(GRAPH.schema["properties"])
    assert sources == {row["name"] for row in rows if not row["stage"]} - sections | {"set", "source"}


UPSTREAMS = "upstreams: { met: { url: 'https://met.example/v2', headers: { A: { secret: B } } } }\n"
GOOD = [
    "{ source: { get: 'met:/now', every: 10s, pick: value.temp, as: text, headers: { A: b } }, fresh: 1m }",
    "{ source: { get: 'met:', method: POST, body: '1' }, retain: always, history: 5, unit: °C }",
    "{ source: { events: 'met:/prices', event: quote, pick: value.price }, severity: alarm, ok: 1 }",
    "{ set: number, min: -1, max: 1, initial: 0, unit: °C, title: 7, history: 10, retain: always }",
    "{ set: { type: string, enum: [on, off] }, initial: off, requireIfMatch: true, ttl: 30s, fresh: 5s }",
    "{ set: any, confirm: true }", "{ set: boolean, confirm: false }",
    "{ set: array, minLength: 1, maxLength: 2 }",
    "{ set: string, pattern: '^[a-z]+$', enum: [a, b], initial: a }",
    "{ from: x, pipe: [distinct, { distinct: value.id }, { distinct: }, delta, ignoreNull, { map: 1 }] }",
    "{ from: x, pipe: [{ replace: { a: [1] } }, { ifEmpty: null }, { ignore: 1 }, { select: a }, { filter: "
    "'true' }] }",
    "{ from: x, pipe: [{ skip: 0 }, { take: 1 }, { prefix: 2 }, { scan: { start: null, with: value } }] }",
    "{ from: x, pipe: [{ window: { last: 1m, of: avg } }, { window: { count: 5, of: list } }] }",
    "{ from: x, pipe: [{ debounce: 5s }, { throttle: { for: 250, edge: both } }, { sample: 1h }, { delay: "
    "5ms }] }",
    "{ combine: { a: x, b: x }, map: a + b, pipe: [distinct] }",
    "{ combine: [x, x], map: 'value[0]', retain: whileInUse }",
    "{ merge: [x] }",
    "{ flatten: { from: x, to: { a: x }, otherwise: x } }",
    "{ zip: [x, x], map: 'value[0]', buffer: 5 }",
    "{ set: any, schema: true }",
    "{ set: object, schema: { title: An order, required: [id], properties: { id: { type: [string, integer] "
    "} }, additionalProperties: false } }",
    "{ set: array, schema: { prefixItems: [{ const: 1 }], items: { anyOf: [{ enum: [a] }, { not: { "
    "minLength: 2 } }] }, minItems: 1 } }",
    "{ switch: { from: x, by: value.who, value: value.text } }",
    "{ case: { of: x, key: { a: [1] } } }",
    "{ default: { of: x }, history: 5 }",
    "{ otherwise: { of: x, excluding: [alice, { a: [1] }, null] }, pipe: [distinct] }",
    "{ if: { from: x, when: 'true', then: b, else: c } }",
    "{ if: { from: x, when: 'true', else: c } }",
]


@pytest.mark.parametrize("node", GOOD)
def test_both_accept(node, tmp_path):
    text = f"nodes:\n  x: {{ set: any }}\n  a: {node}\n{UPSTREAMS}"
    assert complaints(GRAPH, text) == []
    assert check(tmp_path, text) == (True, "")


BAD = [
    "{ source: met }", "{ source: { get: now } }", "{ source: { get: 'met:/a', events: 'met:/b' } }",
    "{ source: { get: 'met:/a', every: soon } }", "{ source: { events: 'met:/a', every: 1s } }",
    "{ source: { get: 'met:/a' }, set: any }", "{ source: { get: 'met:/a' }, pipe: [] }",
    "7", "{}", "{ title: x }", "{ set: numbr }", "{ set: {} }", "{ set: { typ: any } }",
    "{ set: any, colour: red }", "{ set: any, from: x }", "{ set: any, pipe: [] }", "{ from: x, initial: 1 }",
    "{ from: x, map: value }", "{ set: string, pattern: [a] }", "{ set: number, min: low }",
    "{ set: string, minLength: -1 }", "{ set: any, enum: [] }", "{ set: any, enum: [1, 1.0] }",
    "{ set: any, ttl: 0 }", "{ set: any, ttl: 5D }", "{ set: any, ttl: 1.5s }",
    "{ set: any, history: 100001 }", "{ set: any, requireIfMatch: 1 }", "{ set: any, fresh: soon }",
    "{ set: any, confirm: 1 }",
    "{ set: any, retain: whileInUse }", "{ from: x, retain: never }", "{ from: [x] }", "{ from: '-x' }",
    "{ merge: x }", "{ merge: [] }", "{ combine: {} }", "{ combine: { in: x } }", "{ combine: { a.b: x } }",
    "{ flatten: { from: x } }", "{ flatten: { from: x, to: {} } }",
    "{ flatten: { from: x, to: { a: x }, else: x } }", "{ zip: x }", "{ zip: [] }", "{ zip: [x], buffer: 0 }",
    "{ merge: [x], buffer: 1 }", "{ set: any, schema: 7 }", "{ set: any, schema: { $ref: '#/a' } }",
    "{ set: any, schema: { type: int } }", "{ set: any, schema: { properties: { a: 1 } } }",
    "{ set: any, schema: { items: { patern: a } } }", "{ from: x, schema: {} }",
    "{ set: any, schema: { minItems: -1 } }", "{ set: any, schema: { allOf: {} } }",
    "{ set: any, schema: { required: a } }", "{ merge: [x], map: value }", "{ switch: { from: x } }",
    "{ switch: { from: x, by: [1] } }", "{ switch: { from: x, by: value, values: value } }",
    "{ case: { of: x } }", "{ case: x }", "{ default: x }", "{ default: { of: x, key: 1 } }",
    "{ otherwise: { of: x } }", "{ otherwise: { of: x, excluding: [] } }",
    "{ otherwise: { of: x, excluding: alice } }", "{ if: { from: x, when: 'true' } }",
    "{ if: { from: x, then: b } }", "{ if: { from: x, when: 'true', then: -b } }",
    "{ from: x, pipe: distinct }", "{ from: x, pipe: [mapp] }", "{ from: x, pipe: [map] }",
    "{ from: x, pipe: [{ map: [1] }] }", "{ from: x, pipe: [{ skip: 1, take: 2 }] }",
    "{ from: x, pipe: [{ delta: 1 }] }", "{ from: x, pipe: [{ take: -1 }] }",
    "{ from: x, pipe: [{ scan: { start: 0 } }] }", "{ from: x, pipe: [{ window: { of: avg } }] }",
    "{ from: x, pipe: [{ window: { of: avg, last: 5s, count: 5 } }] }",
    "{ from: x, pipe: [{ window: { of: mean, count: 5 } }] }",
    "{ from: x, pipe: [{ window: { of: avg, count: 0 } }] }",
    "{ from: x, pipe: [{ debounce: { for: 5s, edge: up } }] }",
    "{ from: x, pipe: [{ sample: soon }] }",
]


@pytest.mark.parametrize("node", BAD)
def test_both_refuse(node, tmp_path):
    text = f"nodes:\n  x: {{ set: any }}\n  a: {node}\n{UPSTREAMS}"
    assert complaints(GRAPH, text) != []
    passes, said = check(tmp_path, text)
    assert not passes
    assert re.match(r"error: \S+/g\.yaml:3:\d+: ", said), said


GOOD_TIES = [
    "sync: [{ a: x, b: y }]", "sync: [{ a: x, b: y, to_b: value + 1, to_a: value - 1 }]",
    "links: [{ from: x, to: y }]", "links: [{ from: x, to: z, pipe: [distinct] }]", "{ sync: [], links: [] }",
]
BAD_TIES = [
    "sync: { a: x, b: y }", "sync: [{ a: x }]", "sync: [{ a: x, b: y, to_b: value }]",
    "sync: [{ a: x, b: y, to: z }]", "links: [x]", "links: [{ from: x }]",
    "links: [{ from: x, to: y, pipe: distinct }]", "links: [{ from: [x], to: y }]",
]
TIED = "{ x: { set: any }, y: { set: any }, z: { from: y } }"


@pytest.mark.parametrize("ties", GOOD_TIES)
def test_both_accept_ties(ties, tmp_path):
    text = f"nodes: {TIED}\n{ties}\n" if ties[0] != "{" else f"{ties[:-1]}, nodes: {TIED} }}\n"
    assert complaints(GRAPH, text) == []
    assert check(tmp_path, text) == (True, "")


@pytest.mark.parametrize("ties", BAD_TIES)
def test_both_refuse_ties(ties, tmp_path):
    text = f"nodes: {TIED}\n{ties}\n"
    assert complaints(GRAPH, text) != []
    passes, said = check(tmp_path, text)
    assert not passes
    assert re.match(r"error: \S+/g\.yaml:2:\d+: ", said), said


EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "docs/definitions.md").read_text(), flags=re.S | re.M)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_of_the_documentation_are_right(number, tmp_path):
    assert complaints(GRAPH, EXAMPLES[number]) == []
    assert check(tmp_path, EXAMPLES[number]) == (True, "")


def configured(tmp_path, text):
    """Whether the server takes the text as its configuration, and what it says."""
    file = tmp_path / "sluice.yaml"
    file.write_text(text)
    result = subprocess.run(
        [BINARY, "serve", "--print-config", "--config", file], capture_output=True, text=True
    )
    return result.returncode == 0, result.stderr


GOOD_KEYS = [
    "listen: '[::1]:0'", "listen: unix:/run/sluice", "public: ''", "hosts: [example.org]",
    "origins: ['https://a.b:1']", "log: { level: warning, format: json }", "drain: 0", "heartbeat: 1m",
    "times: { idle: 250 }", "limits: { body: 1MiB, sets: 300, subs: 5 }", "diagnostics: { echo: true }",
    "compression: on", "compression: 'off'", "admin: { listen: '' }", "admin: { listen: '127.0.0.1:9090' }",
    "admin: { listen: 'unix:/run/a' }",
    "{ compression: full, limits: { unsentHard: 1MiB } }",
]
BAD_KEYS = [
    "port: 80", "listen: 80", "hosts: [a/b]", "origins: [example.org]", "origins: ['https://a.b/']",
    "origins: ['https://a.b?c']",
    "log: { level: loud }",
    "log: debug", "log: { levl: debug }", "drain: soon", "drain: 1.5s", "times: { idle: -5 }",
    "limits: { subs: 0 }", "limits: { body: 1 MB }", "limits: { sets: many }", "limits: { work: 5 }",
    "diagnostics: { echo: 1 }", "graphs: [a]", "- listen", "compression: true", "compression: fast",
    "admin: { listen: 9090 }", "admin: { lisen: '' }", "admin: 127.0.0.1:9090",
]


@pytest.mark.parametrize("text", GOOD_KEYS)
def test_both_accept_the_configuration(text, tmp_path):
    assert complaints(CONFIGURATION, text) == []
    passes, said = configured(tmp_path, text)
    assert passes, said


@pytest.mark.parametrize("text", BAD_KEYS)
def test_both_refuse_the_configuration(text, tmp_path):
    assert complaints(CONFIGURATION, text) != []
    passes, said = configured(tmp_path, text)
    assert not passes
    assert "sluice.yaml:1:" in said, said
