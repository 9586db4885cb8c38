"""Bodies in a content coding: gzip is inflated up to the limit of a body, the rest is refused by name."""

import gzip
import json
import os
import subprocess

import pytest
from rawsocket import RawSocket
from sluice import Server

GRAPH = "nodes:\n  x: { set: any, initial: 0 }\n  y: { set: any }\n"
X = "/v1/graphs/g/nodes/x"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server({"g": GRAPH}, f"dashboards: {tmp_path_factory.mktemp('boards')}\n") as running:
        yield running


def send(server, method, path, body, kind="application/json", coding="gzip", **more):
    fields = {"Content-Encoding": coding, "Content-Type": kind, **more}
    return server.request(
        method, path, gzip.compress(body.encode()) if coding.lower().endswith("gzip") else body, fields
    )


@pytest.mark.parametrize("method, path, body, kind, status", [
    ("POST", X, "[1,2]", "application/json", 200),
    ("PUT", X, "[1,2]", "application/json", 200),
    ("PUT", X, "[1,2]", "application/x-www-form-urlencoded", 200),
    ("PATCH", X, '{"a":1}', "application/merge-patch+json", 200),
    ("POST", X + "/load", '{"loading":true}', "application/json", 200),
    ("POST", "/v1/graphs/g/batch", '{"set":{"x":1,"y":2}}', "application/json", 200),
    ("PUT", "/v1/graphs/h", "nodes:\n  a: { set: any }\n", "application/yaml", 201),
    ("PUT", "/v1/graphs/i", '{"nodes":{"a":{"set":"any"}}}', "application/json", 201),
    ("PUT", "/v1/dashboards/one", '{"v":1,"widgets":[],"graph":"g"}', "application/json", 201),
    ("POST", "/v1/graphs/g/eval", '{"node":"x"}', "application/json", 200),
])
def test_every_body_may_be_gzip(server, method, path, body, kind, status):
    assert send(server, method, path, body, kind).status == status
    other = send(server, method, path, body, kind, coding="br")
    assert other.status == 415 and other.json()["code"] == "unsupported_type"
    assert "Content-Encoding 'br'" in other.json()["detail"] and other.headers["Accept-Encoding"] == "gzip"


def test_what_is_set_is_the_inflated_value(server):
    assert send(server, "POST", X, '{"long":"%s"}' % ("a" * 60_000), coding="X-GZIP").status == 200
    assert server.value("g", "x") == {"long": "a" * 60_000}
    assert send(server, "POST", X, "7", coding="identity").status == 200
    assert server.value("g", "x") == 7


@pytest.mark.parametrize("body, status, words", [
    (gzip.compress(b" " * 65_535 + b"7"), 200, ""),
    (gzip.compress(b" " * 65_536 + b"7"), 413, "limits.body"),
    (gzip.compress(os.urandom(70_000)), 413, "limits.body"),
    (b"21.5", 400, "not gzip"),
    (gzip.compress(b"21.5")[:-3], 400, "cut off"),
    (gzip.compress(b"{"), 400, "JSON"),
], ids=["full", "too long", "random", "plain", "cut off", "no JSON"])
def test_limits_and_damage(server, body, status, words):
    for chunked in (False, True):
        with RawSocket(server) as peer:
            length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
            peer.send(f"POST {X} HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\n{length}\r\n\r\n")
            peer.send(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body)
            answered, _, text = peer.response()
            assert answered == status and words in text.decode(), text
            # The sender's next request is read, unless it had announced too much.
            if len(body) <= 65_536:
                peer.send(f"GET {X} HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert peer.response()[0] == 200


def test_a_long_body_is_inflated_over_several_turns():
    with Server({"g": GRAPH}, "limits: { body: 8388608 }\n") as server:
        size = 8_388_608
        value = json.dumps("a" * (size - 2))
        with RawSocket(server) as peer:
            for text in (value, value + " ", "[1]", value):
                body = gzip.compress(text.encode())
                peer.send(
                    f"PUT {X} HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: "
                    f"{len(body)}\r\n\r\n"
                )
                peer.send(body)
            # The next requests wait for their turn, and none is lost.
            assert [peer.response()[0] for _ in range(4)] == [200, 413, 200, 200]
        assert server.value("g", "x") == "a" * (size - 2)


def test_curl_with_gzip(server, tmp_path):
    (tmp_path / "value.gz").write_bytes(gzip.compress(b'{"from":"curl"}'))
    command = ["curl", "-sS", "-f", "-H", "Content-Encoding: gzip", "-H", "Content-Type: application/json",
               "--data-binary", f"@{tmp_path}/value.gz", server.url + X]
    subprocess.run(command, check=True, capture_output=True)
    assert server.value("g", "x") == {"from": "curl"}
