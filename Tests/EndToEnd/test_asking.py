"""Questions that leave nothing behind: `eval` and `explain`."""

import json

from conftest import Client
from rawsocket import RawSocket
from sluice import Server


def evaluate(server, body, **headers):
    return server.request(
        "POST", "/v1/graphs/g/eval", json.dumps(body), {"Content-Type": "application/json", **headers}
    )


def test_eval_is_a_subscription_without_the_subscription(server):
    start = server.counts("g")
    answer = evaluate(
        server, {"node": "x", "pipe": [{"map": "value * 9 / 5 + 32"}, {"map": "round(value, 1)"}]}
    )
    assert answer.status == 200 and answer.json()["v"] == 33.8
    with Client(server) as client:
        snap = client.ask(
            op="sub", graph="g", combine={"a": "x", "b": "deep"}, pipe=[{"map": "value.a + value.b"}]
        )
        answer = evaluate(
            server, {"combine": {"a": "x", "b": "deep"}, "pipe": [{"map": "value.a + value.b"}]}
        )
        assert answer.json() == {key: snap[key] for key in ("epoch", "rev", "t", "v")}
    assert server.counts("g") == start
    assert evaluate(server, {"node": "y"}).json()["empty"] is True
    assert evaluate(server, {"node": "any", "pipe": [{"ifEmpty": 5}]}).json()["v"] == 5


def test_long_questions_of_one_connection_get_answers_of_their_own(server):
    raw = RawSocket(server)
    for number in (100, 200, 300):
        body = json.dumps(
            {"node": "x", "pipe": [{"map": "value" + " + 0" * 30}, {"map": f"value * 0 + {number}"}]}
        )
        raw.send(f"POST /v1/graphs/g/eval HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    assert [json.loads(raw.response()[2])["v"] for _ in range(3)] == [100, 200, 300]


def test_eval_says_what_is_wrong_and_where(server):
    answer = evaluate(server, {"node": "x", "pipe": [{"map": "value +"}]})
    assert answer.status == 422 and answer.json()["code"] == "expr_syntax"
    problem, = answer.json()["problems"]
    assert problem["line"] == 1 and 32 <= problem["column"] <= 41 and problem["message"]
    two = evaluate(server, {"node": "x", "pipe": [{"map": "nope"}, {"filter": "value >"}]}).json()["problems"]
    assert [p["code"] for p in two] == ["expr_type", "expr_syntax"]
    assert evaluate(server, {"node": "none"}).status == 404
    assert evaluate(server, {}).json()["code"] == "bad_field"
    assert server.request("POST", "/v1/graphs/g/eval", "{").json()["code"] == "bad_json"
    assert server.request("POST", "/v1/graphs/g/eval", "{}", {"Content-Type": "image/png"}).status == 415
    assert evaluate(server, {"node": "x", "pipe": ["distinct"] * 17}).json()["code"] == "bad_field"
    text = "value + '" + "x" * (16_384 - 100) + "'"
    assert evaluate(server, {"node": "any", "pipe": [{"map": text}]}).status == 200
    longer = evaluate(server, {"node": "any", "pipe": [{"map": text + "+ '" + "x" * 100 + "'"}]})
    assert (
        longer.status == 400
        and longer.json()["detail"]
        == "a pipeline and its source, or the expressions of a commit, may have at most 16384 bytes"
    )
    assert server.request("POST", "/v1/graphs/g/eval", "{}", {"Origin": "http://evil.example"}).status == 403


def test_explain(server):
    server.set("g", "x", 4, **{"Sluice-Context": '{"src":"meter"}'})
    start = server.counts("g")
    answer = server.get("/v1/graphs/g/nodes/deep/explain")
    assert answer.status == 200
    deep, double, x = answer.json()["nodes"]
    assert deep["v"] == 90 and deep["inputs"] == ["double"]
    assert [(s["op"], s["label"], s["v"]) for s in deep["stages"]] == [
        ("map", "value + 1", 9),
        ("map", "value * 10", 90),
    ]
    assert double["v"] == 8 and x["v"] == 4 and x["ctx"] == {"src": "meter"} and x["c"] == deep["c"]
    assert server.counts("g") == start
    assert server.get("/v1/graphs/g/nodes/none/explain").status == 404


def test_regular_expressions(tmp_path):
    graph = """
nodes:
  name: { set: string, pattern: "^[a-z]+$", maxLength: 20 }
  short: { from: name, pipe: [ { filter: "value.matches('^.{1,3}$')" } ] }
"""
    with Server({"g": graph}) as server:
        refused = server.request("POST", "/v1/graphs/g/nodes/name", '"Anna"')
        assert refused.status == 422 and refused.json()["code"] == "type_mismatch"
        assert "^[a-z]+$" in refused.json()["detail"], refused.json()
        for name in ("anna", "bob"):
            server.set("g", "name", name)
        assert server.get("/v1/graphs/g/nodes/short").json() == "bob"
        picture = server.get("/v1/graphs/g/graph?live=1").json()
        (name,) = (
            node for node in picture["nodes"] if node.get("name") == "name" and node["kind"] == "mutable"
        )
        assert name["type"] == "string" and name["maxLength"] == 20 and name["pattern"] == "^[a-z]+$"
        answer = evaluate(
            server, {"node": "name", "pipe": [{"map": "value.matches('o') && value.matches(value)"}]}
        )
        assert answer.json()["v"] is True
        (problem,) = evaluate(server, {"node": "name", "pipe": [{"map": "value.matches('a(')"}]}).json()[
            "problems"
        ]
        assert (
            problem["code"] == "expr_syntax"
            and "a ')' is missing" in problem["message"]
            and problem["column"] >= 30
        )
        # Searching is linear, and is paid for: the worst pattern ends in a failure at once.
        answer = evaluate(server, {"node": "name", "pipe": [
            {"map": "cel.bind(a, lists.range(3000).map(i, 'x').join(), a.matches('(a?){500}b'))"}]})
        assert answer.status == 422 and answer.json()["code"] == "expr_cost", answer.json()
        zone = evaluate(
            server, {"node": "name", "pipe": [{"map": "time.getHours('Asia/Tokyo') - time.getHours()"}]}
        ).json()
        assert zone["v"] in (9, -15)


def test_patterns_are_bounded():
    config = "# fixed: limits.patterns=2"
    with Server({"g": "nodes: { name: { set: string, pattern: '^a', initial: abc } }"}, config) as server:
        large = evaluate(server, {"node": "name", "pipe": [{"map": "value.matches('(abcdef|ghijkl){900}')"}]})
        assert large.status == 429 and large.json()["code"] == "pattern_limit", large.json()
        problem, = large.json()["problems"]
        assert problem["column"] == 51 and "500000 units together" in problem["message"] and problem["hint"]
        two = evaluate(
            server, {"node": "name", "pipe": [{"map": "value.matches('b') && value.matches('^a')"}]}
        )
        assert two.json()["v"] is True
        three = evaluate(server, {"node": "name", "pipe": [
            {"map": "value.matches('b') && value.matches('c')"}, {"map": "string(value).matches('d')"}]})
        assert three.json()["code"] == "pattern_limit" and "at most 2" in three.json()["detail"], three.json()
        # Everything that was held for a question is released with it.
        assert (
            evaluate(server, {"node": "name", "pipe": [{"map": "value.matches('d')"}]}).json()["v"] is False
        )
