"""Sentences of the wire protocol about HTTP, errors and files (test_wire.py)."""

import json
import time
from email.utils import formatdate

import pytest
from events import EventSource
from rawsocket import RawSocket, RawWebSocket, frame
from sluice import eventually
from test_wire import JSON, NODE, peer, post, server, tag  # noqa: F401

# Errors

def test_no_message_says_a_value(server, peer):
    """W-90"""
    secret = "s3cr3t-value"
    for node, body in (
        ("x", f'"{secret}"'),
        ("word", "[\"s3cr3t-value\"]"),
        ("choice", f'"{secret}"'),
        ("any", f'{{"{secret}":1,"{secret}":2}}'),
        ("any", f'"{secret}'),
        ("any", f"{secret}"),
    ):
        answer = post(server, node, body)
        assert answer.status in (400, 422) and secret not in answer.body.decode().lower(), answer
    server.set("g", "any", secret)
    assert secret not in server.get(NODE + "failing").body.decode()
    refused = peer.ask(op="set", graph="g", set={"any": 1}, **{"if": {"any": {"v": "other"}}})
    assert refused["code"] == "conflict" and secret not in json.dumps(refused)


# HTTP

def test_entity_tags_are_compared_weakly_for_a_set(server):
    """W-115"""
    server.set("g", "any", 1)
    server.set("g", "other", 1)
    now = tag(server, "any")
    assert post(server, "any", "2", If_Match="W/" + now).status == 200, (
        "a proxy that compresses makes it weak"
    )
    assert post(server, "any", "2", If_Match='"nope", W/' + tag(server, "any")).status == 200
    assert post(server, "any", "3", If_Match=now).status == 412
    assert post(server, "any", "3", If_Match=tag(server, "any").replace('"', "")).status == 400
    assert post(server, "any", "3", If_Match="*").status == 200
    assert server.request("DELETE", NODE + "any/value", headers={"If-Match": now}).status == 412
    assert (
        server.request("DELETE", NODE + "any/value", headers={"If-Match": tag(server, "any")}).status == 204
    )
    assert post(server, "any", "3", If_Match="*").status == 412, "there is nothing that could match"
    assert post(server, "any", "3", If_None_Match="*").status == 200
    assert post(server, "any", "4", If_None_Match="*").status == 412
    assert server.value("g", "any") == 3


def test_every_state_has_a_tag_that_changes_with_it_and_with_nothing_else(server):
    """W-99, W-114"""
    one = server.set("g", "x", 1)
    assert tag(server, "x") == f'"{one["epoch"]}:{one["rev"]}"' == tag(server, "deep"), (
        "the highest among its ancestors"
    )
    server.set("g", "any", 1)
    assert tag(server, "deep") == f'"{one["epoch"]}:{one["rev"]}"'
    reading = server.get(NODE + "deep")
    assert (
        reading.headers["Last-Modified"].endswith("GMT")
        and abs(int(reading.headers["Sluice-Time"]) - time.time() * 1000) < 60_000
    )
    assert server.get(NODE + "deep", If_None_Match=tag(server, "deep")).status == 304
    assert server.get(NODE + "deep", If_None_Match="W/" + tag(server, "deep")).status == 304, (
        "a read compares weakly"
    )


def test_a_second_is_too_long_to_tell_states_apart(server):
    """`Last-Modified` is for people: two sets within a second differ by their tags alone, so dates
    are no conditions."""
    for value in (1, 2, 3):
        server.set("g", "x", value)
        reading = server.get(NODE + "x", If_Modified_Since=formatdate(time.time() + 10, usegmt=True))
        assert (reading.status, reading.json()) == (200, value)
        assert server.get(NODE + "x", If_Modified_Since=reading.headers["Last-Modified"]).json() == value


def test_idempotency_keys(server):
    """W-116"""
    first = post(server, "any", "1", Idempotency_Key="wire-1")
    again = post(server, "any", "1", Idempotency_Key="wire-1")
    assert first.json() == again.json() and again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers and again.headers["ETag"] == first.headers["ETag"]
    other = post(server, "any", "2", Idempotency_Key="wire-1")
    assert other.status == 422 and other.json()["code"] == "key_reused"
    assert post(server, "other", "1", Idempotency_Key="wire-1").status == 422, (
        "another node is another request"
    )


def test_preferences(server):
    """W-101"""
    answer = post(server, "any", "1", Prefer="return=minimal")
    assert (
        answer.status == 204
        and not answer.body
        and answer.headers["Preference-Applied"] == "return=minimal"
        and answer.headers["ETag"]
    )
    assert post(server, "any", "1").json().keys() == {"epoch", "rev"}
    assert server.request("PUT", NODE + "any", " 1", JSON).headers["ETag"] is None, (
        "it was not stored as it was sent"
    )
    assert server.request("PUT", NODE + "any", "1", JSON).headers["ETag"]


def test_context_by_header_and_batch(server, peer):
    """W-104, W-117"""
    peer.ask(op="sub", graph="g", node="any")
    post(server, "any", "5", Sluice_Context='{"src":"meter-7"}')
    assert peer.receive()["ctx"] == {"src": "meter-7"}
    answer = server.batch("g", set={"any": 6, "other": 6}, ctx="why")
    assert answer.json().keys() == {"epoch", "rev", "changed"} and answer.json()["changed"] == 2
    assert peer.receive()["ctx"] == "why"
    failed = server.batch("g", set={"any": 7}, **{"if": {"any": {"v": 0}, "other": {"v": 0}}})
    assert failed.status == 412 and [entry["node"] for entry in failed.json()["failed"]] == ["any", "other"]
    assert (
        all(entry["rev"] == answer.json()["rev"] for entry in failed.json()["failed"])
        and server.value("g", "any") == 6
    )


def test_limits_of_a_body(server):
    """W-118, W-119, W-120"""
    assert post(server, "any", "[" * 64 + "]" * 64).status == 200
    deep = post(server, "any", "[" * 65 + "]" * 65)
    assert deep.status == 400 and deep.json()["code"] == "bad_json"
    assert post(server, "any", '"' + "x" * 65_534 + '"').status == 200
    assert post(server, "any", '"' + "x" * 65_535 + '"').status == 413
    assert post(server, "any", "1e400").status == 422 and post(server, "any", "-1e400").status == 422
    for kind in (
        "application/json", "text/plain", "application/x-www-form-urlencoded",
        "APPLICATION/JSON; charset=UTF-8", None,
    ):
        answer = server.request("POST", NODE + "any", "21.5", {"Content-Type": kind} if kind else {})
        assert answer.status == 200, kind
    quoted = server.request(
        "POST", NODE + "any", "hello", {"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert quoted.status == 400 and "quote" in quoted.json()["hint"]
    assert (
        server.request(
            "POST", NODE + "any", "%31", {"Content-Type": "application/x-www-form-urlencoded"}
        ).status
        == 400
    ), "verbatim"
    server.set("g", "any", 1)


def test_patch_is_a_merge_patch_of_an_object(server):
    """W-103"""
    kind = {"Content-Type": "application/merge-patch+json"}
    server.set("g", "any", {"a": 1, "b": {"c": 2}})
    assert server.request("PATCH", NODE + "any", '{"a":null,"b":{"d":3}}', kind).status == 200
    assert server.value("g", "any") == {"b": {"c": 2, "d": 3}}
    refused = server.request("PATCH", NODE + "any", "{}", JSON)
    assert (
        refused.status == 415
        and refused.json()["hint"] == "with curl: -H 'Content-Type: application/merge-patch+json'"
    )
    server.set("g", "any", 1)


def test_clients_are_listed_and_ended(server):
    """W-110"""
    with RawWebSocket(server) as peer:
        peer.text({"op": "hello", "client": "lister"})
        peer.message()
        peer.subscribe("g", "deep")
        (listener,) = [
            entry
            for entry in server.get("/v1/graphs/g/listeners").json()["listeners"]
            if entry.get("client") == "lister"
        ]
        assert {"l", "client", "transport", "since", "on", "queued", "folded"} <= set(listener) and listener[
            "transport"
        ] == "ws"
        (entry,) = [
            entry
            for entry in server.get("/v1/connections").json()["connections"]
            if entry["c"] == listener["l"]
        ]
        assert {"transport", "since", "queued", "folded"} <= set(entry), entry
        assert server.request("DELETE", f"/v1/connections/{listener['l']}").status == 204
        assert peer.close_code() == 1001
    eventually(lambda: server.count("subscriptions", "g") == 0)


def test_a_round_trip_is_measured_by_answers_only(server):
    """A pong that nobody asked for says nothing about the way (RFC 6455 §5.5.3)."""
    with RawWebSocket(server) as peer:
        peer.subscribe("g", "deep")
        peer.send(frame(10, b""))
        peer.text({"op": "ping", "id": 2})
        assert peer.message()["op"] == "ok"
        assert all("rtt" not in entry for entry in server.get("/v1/connections").json()["connections"])


def test_a_client_that_ends_its_own_connection_gets_an_answer(server):
    with RawSocket(server) as peer:
        peer.send("GET /v1/connections HTTP/1.1\r\nHost: localhost\r\n\r\n")
        own = [
            entry["c"]
            for entry in json.loads(peer.response()[2])["connections"]
            if entry["transport"] == "http"
        ][-1]
        peer.send(f"DELETE /v1/connections/{own} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        status, fields, _ = peer.response()
        assert status == 204 and fields["connection"] == "close"
        assert peer.closed()


def test_streams_of_events(server):
    """W-128"""
    server.set("g", "any", 1)
    with EventSource(server, "/v1/graphs/g/events?node=any&node=x") as stream:
        assert (
            stream.headers["x-accel-buffering"] == "no"
            and stream.headers["content-type"] == "text/event-stream"
        )
        first, second = stream.event(), stream.event()
        assert [json.loads(event.data)["id"] for event in (first, second)] == [1, 2], (
            "ids are the order of node"
        )
        server.set("g", "any", 2)
        event = stream.event()
        told = json.loads(event.data)
        assert (
            event.name == "upd"
            and event.id == f'{told.get("epoch", json.loads(first.data)["epoch"])}:{told["rev"]}'
        )


@pytest.mark.parametrize("query, sentence", [
    ("values?nodes=x&facets=yes", "facets: 1 or 0 is needed"), ("nodes/x?load=yes", "load: 1 or 0 is needed"),
    ("nodes/x/history?facets=on", "facets: 1 or 0 is needed"), ("graph?live=yes", "live: 1 or 0 is needed"),
    ("nodes?limit=some", "limit: a number from 1 to 1000 is needed"),
    ("events?node=x&every=soon", "every: a number from 0 to 86400000 is needed"),
])
def test_a_parameter_with_a_wrong_value_is_refused(server, query, sentence):
    answer = server.get(f"/v1/graphs/g/{query}")
    assert (answer.status, answer.json()["code"], answer.json()["detail"]) == (400, "bad_field", sentence)


def test_a_flag_is_1_or_0(server):
    for value, has in (("1", True), ("true", True), ("", True), ("0", False), ("false", False)):
        assert (
            "state" in server.get(f"/v1/graphs/g/values?nodes=x&facets={value}").json()["m"]["x"]
        ) is has, value


def test_discovery(server):
    """W-113"""
    for path in ("/v1/operators", "/metrics", "/healthz", "/readyz", "/version", "/openapi.json"):
        assert server.get(path).status == 200, path


def test_known_and_unknown_paths(server):
    """W-125, W-126"""
    assert (
        server.get("/v1/nothing").status == 404
        and server.request("POST", "/v1/nothing", "1", JSON).status == 404
    )
    answer = server.request("DELETE", "/v1/graphs/g/values")
    assert answer.status == 405 and answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert answer.json()["detail"] == "this path allows only GET, HEAD, OPTIONS"
    assert server.get("/v1/ws").json()["detail"] == "this is a WebSocket endpoint: send Upgrade: websocket"
    with RawSocket(server) as peer:
        peer.send(
            f"GET /{'a' * 8191} HTTP/1.1\r\nHost: localhost\r\n\r\nGET /{'a' * 8192} HTTP/1.1\r\nHost: "
            "localhost\r\n\r\n"
        )
        assert [peer.response()[0] for _ in range(2)] == [404, 414], "8 KiB are not too many"


# Serving

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' "
    "ws://{host}; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@pytest.mark.parametrize(
    "path, kind",
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/client.js", "text/javascript; charset=utf-8"),
    ],
)
def test_headers_for_browsers_on_files(server, path, kind):
    """W-158, W-159, W-160"""
    answer = server.get(path)
    assert answer.status == 200 and answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Security-Policy"] == POLICY.replace(
        "{host}", f"{server.host}:{server.port}"
    )
    assert (
        answer.headers["X-Content-Type-Options"] == "nosniff"
        and answer.headers["Referrer-Policy"] == "no-referrer"
    )
    assert (
        answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        and answer.headers["Cache-Control"] == "no-cache"
    )
    assert server.get(path, If_None_Match=answer.headers["ETag"]).status == 304
    coded = server.get(path, Accept_Encoding="gzip")
    assert (
        coded.headers["Content-Encoding"] == "gzip"
        and coded.headers["ETag"] == answer.headers["ETag"][:-1] + '-gz"'
    )
    assert coded.headers["Vary"] == "Accept-Encoding"
    assert server.get(path, If_None_Match=coded.headers["ETag"], Accept_Encoding="gzip").status == 304
    head = server.request("HEAD", path)
    assert head.status == 200 and not head.body and head.headers["Content-Length"] == str(len(answer.body))


@pytest.mark.parametrize(
    "path",
    [
        "/v1/graphs", NODE + "x", "/v1/graphs/g/values", "/v1/operators", "/healthz", "/openapi.json",
        "/v1/graphs/g/graph", "/v1/connections", "/nothing", NODE + "none",
    ],
)
def test_no_answer_of_the_api_is_sniffed(server, path):
    """W-159"""
    assert server.get(path).headers["X-Content-Type-Options"] == "nosniff"
