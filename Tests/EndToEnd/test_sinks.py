"""Sinks send the values of nodes to a receiver, whatever that does."""

import email.utils
import hashlib
import hmac
import http.server
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
import types

import pytest

from redis_server import Instance, Redis
from sluice import BINARY, PATIENCE, ROOT, Server, eventually
from test_tls import certificate


class Receiver:
    """An HTTP server that notes what comes and answers as the test says."""

    def __init__(self, port=0, tls=None):
        self.requests = []
        self.answer = lambda handler: handler.reply(204)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.requests.append(types.SimpleNamespace(path=self.path, headers=self.headers, body=body))
                outer.answer(self)

            def reply(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_):
                pass

        self.server = Quiet(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    @property
    def bodies(self):
        return [json.loads(request.body) for request in self.requests]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    running = Receiver()
    yield running
    running.close()


def serve(receiver, sinks, config="", nodes="", **options):
    graph = f"""
nodes:
  x: {{ set: number, initial: 1 }}
  twice: {{ from: x, pipe: [ {{ map: "10 / value" }} ] }}
{nodes}
sinks:
{sinks.replace("HOST", f"http://127.0.0.1:{receiver.port}")}
"""
    return Server({"g": graph}, config=f'sinkHosts: ["127.0.0.1:{receiver.port}"]\n{config}', **options)


def sinks(server):
    return {sink["name"]: sink for sink in server.get("/v1/graphs/g").json()["sinks"]}


def test_each_value_is_a_signed_post(receiver):
    with serve(receiver, "  s: { from: twice, url: HOST/hook?a=b, secret: HOOK }",
               environment={"SLUICE_SECRET_HOOK": "s3cret"}) as server:
        eventually(lambda: receiver.bodies == [10])
        server.set("g", "x", 4)
        eventually(lambda: receiver.bodies == [10, 2.5])
        first, second = receiver.requests
        assert second.path == "/hook?a=b"
        assert second.headers["Content-Type"] == "application/json"
        assert [second.headers[f"Sluice-{name}"] for name in ("Graph", "Node", "Sink")] == ["g", "twice", "s"]
        rev = server.get("/v1/graphs/g").json()["rev"]
        assert second.headers["Sluice-Rev"] == str(rev)
        assert first.headers["Idempotency-Key"] != second.headers["Idempotency-Key"]
        digest = hmac.new(b"s3cret", second.body, hashlib.sha256).hexdigest()
        assert second.headers["Sluice-Signature"] == f"sha256={digest}"
        # A failure says nothing.
        server.set("g", "x", 0)
        server.set("g", "x", 5)
        eventually(lambda: receiver.bodies == [10, 2.5, 2])
        for path in ("/v1/graphs/g", "/v1/graphs/g/definition", "/v1/graphs/g/graph?live=1"):
            assert b"s3cret" not in server.get(path).body
        assert server.metrics()['sluice_sink_sent_total{graph="g",sink="s"}'] == 3


def test_a_node_lives_as_long_as_its_sink_and_pictures_show_that(receiver):
    with serve(receiver, "  s: { from: twice, url: HOST/ }") as server:
        eventually(lambda: receiver.bodies == [10])
        listeners = server.get("/v1/graphs/g/listeners").json()["listeners"]
        assert [(each["client"], each["transport"]) for each in listeners] == [("sink s", "sink")]
        why = server.get("/v1/graphs/g/nodes/twice/why").json()
        assert why["exists"] and [way["by"] for way in why["ways"]] == ["listener"]
        definition = {
            "nodes": {"x": {"set": "number"}, "twice": {"from": "x", "pipe": [{"map": "10 / value"}]}}
        }
        (server.config.parent / "graphs" / "g.yaml").write_text(json.dumps(definition))
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: not server.get("/v1/graphs/g/nodes/twice/why").json()["exists"])
        assert "sinks" not in server.get("/v1/graphs/g").json()


def test_mode_latest_leaves_out_what_is_overtaken_and_mode_all_nothing(receiver):
    gate = threading.Event()

    def slow(handler):
        gate.wait(PATIENCE)
        handler.reply(200)

    receiver.answer = slow
    with serve(
        receiver, "  l: { from: x, url: HOST/latest }\n  a: { from: x, url: HOST/all, mode: all }"
    ) as server:
        eventually(lambda: len(receiver.requests) == 1)
        # Commits wait for no receiver: they are answered while the gate is closed.
        for value in range(2, 50):
            server.set("g", "x", value)
        assert not gate.is_set() and len(receiver.requests) <= 2
        eventually(lambda: len(receiver.requests) == 2)
        gate.set()
        eventually(lambda: len(receiver.requests) >= 2 + 48)
        by_path = {path: [json.loads(each.body) for each in receiver.requests if each.path == path]
                   for path in ("/latest", "/all")}
        assert by_path == {"/latest": [1, 49], "/all": list(range(2, 50))}


def test_mode_latest_sends_changes_and_mode_all_everything(receiver):
    lines = (
        "  l: { from: x, url: HOST/l }\n  r: { from: x, url: HOST/r, repeats: true }\n  a: { from: x, "
        "url: HOST/a, mode: all }"
    )
    with serve(receiver, lines) as server:
        bodies = lambda: {
            path: [json.loads(each.body) for each in receiver.requests if each.path == path]  # noqa: E731
            for path in ("/l", "/r", "/a")
        }
        eventually(lambda: bodies() == {"/l": [1], "/r": [1], "/a": []})
        for number, value in enumerate([2, 2, 2.0, 3, 3, 2], 1):
            server.set("g", "x", value)
            eventually(lambda: len(bodies()["/r"]) == 1 + number and len(bodies()["/a"]) == number)
        # An empty node in between makes the next value a change.
        server.request("DELETE", "/v1/graphs/g/nodes/x/value")
        server.set("g", "x", 2)
        eventually(lambda: len(bodies()["/a"]) == 7)
        eventually(lambda: bodies()["/l"] == [1, 2, 3, 2, 2])
        assert sinks(server)["l"]["dropped"] == 0


@pytest.mark.parametrize("status", [401, 404, 307])
@pytest.mark.parametrize("cause", ["time", "reload"])
def test_a_refused_value_is_tried_again_in_mode_latest(receiver, status, cause):
    receiver.answer = lambda handler: handler.reply(status)
    wait = "300ms" if cause == "time" else "1h"
    # The node has no first value: what is refused is the value that the test sets.
    lines = "  l: { from: y, url: HOST/l }\n  a: { from: y, url: HOST/a, mode: all }"
    config = f"# fixed: times.refusedSink={wait}\n"
    with serve(receiver, lines, config, nodes="  y: { set: number }") as server:
        server.set("g", "y", 2)
        eventually(lambda: all(sinks(server)[name]["dropped"] == 1 for name in "al"))
        receiver.answer = lambda handler: handler.reply(204)
        if cause == "reload":
            assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: sinks(server)["l"]["sent"] == 1)
        ours = [each for each in receiver.requests if each.path == "/l" and each.body == b"2"]
        assert len({each.headers["Idempotency-Key"] for each in ours}) == 1 and len(ours) >= 2
        assert "failure" not in sinks(server)["l"] and sinks(server)["a"]["sent"] == 0
        assert "a sink sends again" in server.log_text()


def test_a_full_queue_drops_the_oldest_and_says_so_once(receiver):
    gate = threading.Event()
    receiver.answer = lambda handler: (gate.wait(PATIENCE), handler.reply(200))
    with serve(receiver, "  a: { from: x, url: HOST/, mode: all, queue: 3 }") as server:
        for value in range(10, 20):
            server.set("g", "x", value)
            if value == 10:
                eventually(lambda: len(receiver.requests) == 1)
        assert sinks(server)["a"]["dropped"] == 6
        gate.set()
        eventually(lambda: receiver.bodies == [10, 17, 18, 19])
        assert server.log_text().count("a sink drops values") == 1


@pytest.mark.parametrize("kind", ["error", "reset"])
def test_what_fails_is_tried_again_under_the_same_key(receiver, kind):
    def fails(handler):
        receiver.answer = lambda handler: handler.reply(200)
        if kind == "error":
            return handler.reply(500)
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        handler.connection.close()
        handler.close_connection = True

    receiver.answer = fails
    with serve(receiver, "  s: { from: x, url: HOST/ }") as server:
        eventually(lambda: len(receiver.requests) == 2, what="the second try")
        assert len({each.headers["Idempotency-Key"] for each in receiver.requests}) == 1
        eventually(lambda: sinks(server)["s"]["sent"] == 1)
        state = sinks(server)["s"]
        assert (state["failed"], state["retried"], state["dropped"]) == (1, 1, 0) and "failure" not in state
        log = server.log_text()
        assert log.count("a sink cannot send") == 1 and log.count("a sink sends again") == 1


class Script:
    """A receiver that reads a request and writes what the test says: bytes, and whether it then closes."""

    def __init__(self, answers):
        self.answers, self.bodies, self.keys, self.connections = answers, [], [], 0
        # Nothing is answered before: values wait then, and the connection is kept for them.
        self.begins = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            self.connections += 1
            with connection, connection.makefile("rb") as stream:
                for number in range(1, 1000):
                    fields = {}
                    while (line := stream.readline().decode().strip()):
                        name, _, value = line.partition(": ")
                        fields[name] = value
                    if not fields:
                        break
                    self.bodies.append(json.loads(stream.read(int(fields["Content-Length"]))))
                    self.keys.append(fields["Idempotency-Key"])
                    self.begins.wait(PATIENCE)
                    answer, closes = self.answers(number, self.connections)
                    connection.sendall(answer)
                    if closes:
                        break


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@pytest.mark.parametrize("answers, arrivals, failed", [
    # The end of the connection is the end of the answer.
    (lambda number, _: (b"HTTP/1.0 200 OK\r\n\r\nok", True), 20, 0),
    (lambda number, _: (b"HTTP/1.1 200 OK\r\n\r\nok", True), 20, 0),
    (lambda number, _: (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", True), 20, 0),
    (lambda number, _: (OK.replace(b"\r\n\r", b"\r\nConnection: close\r\n\r"), True), 20, 0),
    # It closes after each answer, without having said so.
    (lambda number, _: (OK, True), 20, 0),
    # It reads the second request of a connection, and closes without an answer.
    (lambda number, _: (OK, False) if number == 1 else (b"", True), 39, 0),
    # Bytes after an answer belong to no request.
    (lambda number, _: (OK + b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", False), 20, 0),
    # The first byte of an answer has come, or the connection is new: tried again after a pause.
    (lambda number, connection: (b"H", True) if (number, connection) == (2, 1) else (OK, False), 21, 1),
    (lambda number, connection: (b"", True) if connection == 1 else (OK, False), 21, 1),
], ids=["1.0", "1.1", "1.0-length", "close", "closes", "unheard", "surplus", "begun", "new"])
def test_a_connection_that_ends_costs_no_pause(answers, arrivals, failed):
    receiver = Script(answers)
    with serve(receiver, "  s: { from: x, url: HOST/, mode: all }") as server:
        for value in range(20):
            server.set("g", "x", value)
        receiver.begins.set()
        eventually(lambda: sinks(server)["s"]["sent"] == 20, 20)
        state = sinks(server)["s"]
        assert (state["failed"], state["retried"], state["dropped"]) == (failed, failed, 0), state
        assert list(dict.fromkeys(receiver.bodies)) == list(range(20)) and len(set(receiver.keys)) == 20
        assert len(receiver.bodies) == arrivals, receiver.bodies


def test_a_redirect_says_where_it_leads(receiver):
    receiver.answer = lambda handler: handler.reply(
        307, Location="https://elsewhere.example/hook/T0K3N?moved=1"
    )
    with serve(receiver, "  s: { from: x, url: HOST/hook/T0K3N }") as server:
        said = "status 307, Location: https://elsewhere.example/...?moved=1"
        eventually(lambda: sinks(server)["s"].get("failure") == said)
        assert said in server.log_text() and "T0K3N" not in server.log_text()


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_receiver_that_asks_for_time_gets_it(receiver, form):
    times = []

    def busy(handler):
        times.append(time.monotonic())
        if len(times) > 1:
            return handler.reply(200)
        date = email.utils.formatdate(time.time() + 4, usegmt=True)
        handler.reply(503, **{"Retry-After": "3" if form == "seconds" else date})

    receiver.answer = busy
    with serve(receiver, "  s: { from: x, url: HOST/ }") as server:
        eventually(lambda: sinks(server)["s"].get("failure") == "status 503")
        since = sinks(server)["s"]["failingSince"]
        assert abs(since - time.time() * 1000) < 60_000
        eventually(lambda: sinks(server)["s"]["sent"] == 1)
        # By itself it would have come back after a second.
        assert times[1] - times[0] > 2.5
        state = sinks(server)["s"]
        assert state["arrivedAt"] > since and "failingSince" not in state


def test_https_with_an_authority_of_ones_own(tmp_path):
    paths = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*paths)
    receiver = Receiver(tls=context)
    where = {"s": f"https://127.0.0.1:{receiver.port}/"}
    sink = f"  s: {{ from: x, url: '{where['s']}' }}"
    with serve(receiver, sink, environment={"SSL_CERT_FILE": str(paths[0])}) as server:
        eventually(lambda: receiver.bodies == [1])
        server.set("g", "x", 2)
        eventually(lambda: receiver.bodies == [1, 2])
    # Without it the certificate is not trusted, and nothing is sent.
    with serve(receiver, sink) as server:
        eventually(lambda: "no secure connection" in sinks(server)["s"].get("failure", ""))
        assert receiver.bodies == [1, 2]
    receiver.close()


@pytest.mark.parametrize("kind", ["redirect", "gone", "huge"])
def test_what_is_refused_is_given_up(receiver, kind):
    def refuse(handler):
        if kind == "redirect":
            return handler.reply(307, Location=f"http://127.0.0.1:{receiver.port}/elsewhere")
        if kind == "gone":
            return handler.reply(410)
        handler.send_response(200)
        handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(b"x" * 65536)

    receiver.answer = refuse
    with serve(receiver, "  s: { from: x, url: HOST/ }") as server:
        eventually(lambda: sinks(server)["s"]["dropped"] == 1)
        server.set("g", "x", 2)
        eventually(lambda: sinks(server)["s"]["dropped"] == 2)
        state = sinks(server)["s"]
        assert (state["sent"], state["failed"], state["retried"], state["waiting"]) == (0, 2, 0, 0), state
        assert all(each.path == "/" for each in receiver.requests)


def test_a_receiver_that_comes_back_gets_the_newest_value(receiver):
    port = receiver.port
    receiver.close()
    with serve(receiver, "  s: { from: x, url: HOST/ }") as server:
        eventually(lambda: sinks(server)["s"]["failed"] >= 1)
        server.set("g", "x", 7)
        again = Receiver(port)
        eventually(lambda: again.bodies == [7])
        again.close()


def test_a_slow_answer_is_given_up_after_the_timeout(receiver):
    receiver.answer = lambda handler: time.sleep(2)
    with serve(receiver, "  s: { from: x, url: HOST/, timeout: 100ms }") as server:
        eventually(lambda: "no answer in time" in sinks(server)["s"].get("failure", ""))


def test_sigterm_sends_what_waits(receiver):
    receiver.answer = lambda handler: (time.sleep(0.3), handler.reply(200))
    with serve(receiver, "  a: { from: x, url: HOST/, mode: all }") as server:
        for value in range(2, 6):
            server.set("g", "x", value)
        assert server.stop() == 0
        assert receiver.bodies == [2, 3, 4, 5]


def test_sigterm_waits_for_a_stalled_receiver_no_longer_than_drain(receiver):
    gate = threading.Event()
    receiver.answer = lambda handler: gate.wait(2 * PATIENCE)
    with serve(receiver, "  s: { from: x, url: HOST/, timeout: 1m }", config="drain: 500ms\n") as server:
        eventually(lambda: receiver.requests)
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began > 0.3
        gate.set()


def test_sigterm_does_not_wait_for_a_receiver_that_is_down(receiver):
    receiver.close()
    with serve(receiver, "  s: { from: x, url: HOST/ }", config="drain: 1h\n") as server:
        eventually(lambda: sinks(server)["s"]["failed"] >= 1)
        assert server.stop() == 0


def test_a_change_leaves_other_sinks_alone(receiver):
    with serve(receiver, "  s: { from: x, url: HOST/s }\n  t: { from: x, url: HOST/t }") as server:
        eventually(lambda: len(receiver.requests) == 2)
        file = server.config.parent / "graphs" / "g.yaml"
        file.write_text(file.read_text().replace("/t }", "/new }"))
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: len(receiver.requests) == 3)
        assert receiver.requests[2].path == "/new"
        assert sinks(server)["s"]["sent"] == 1
        server.set("g", "x", 2)
        eventually(lambda: sorted(each.path for each in receiver.requests[3:]) == ["/new", "/s"])


def test_a_thousand_sinks(receiver):
    lines = "\n".join(f"  s{number}: {{ from: x, url: HOST/{number} }}" for number in range(1000))
    with serve(receiver, lines) as server:
        eventually(lambda: len({each.path for each in receiver.requests}) == 1000)
        server.set("g", "x", 2)
        eventually(lambda: sum(each.body == b"2" for each in receiver.requests) == 1000)
        eventually(lambda: all(not sink["waiting"] for sink in sinks(server).values()))


def test_of_several_servers_one_sends_and_another_takes_over(receiver):
    graph = f"""
nodes:
  x: {{ set: number, initial: 1 }}
sinks:
  s: {{ from: x, url: "http://127.0.0.1:{receiver.port}/" }}
"""
    config = f'sinkHosts: ["127.0.0.1:{receiver.port}"]\n'
    with Redis() as redis, Instance(redis, {"g": graph}, config=config) as one:
        with Instance(redis, {"g": graph}, config=config) as other:
            eventually(lambda: receiver.bodies == [1])
            for number in range(2, 6):
                (one if number % 2 else other).set("g", "x", number)
                eventually(lambda: receiver.bodies[-1] == number)
            time.sleep(0.3)
            assert receiver.bodies == [1, 2, 3, 4, 5]
            leads = [server.metrics()["sluice_log_leading"] == 1 for server in (one, other)]
            assert [("sinks" in server.get("/v1/graphs/g").json()) for server in (one, other)] == leads
            leader, follower = (one, other) if leads[0] else (other, one)
            leader.kill()
            follower.set("g", "x", 6)
            eventually(lambda: receiver.bodies[-1] == 6, what="the other server")


def test_a_host_that_is_not_listed_is_refused(receiver, tmp_path):
    with serve(receiver, "  s: { from: x, url: HOST/ }") as server:
        for url in (
            f"http://localhost:{receiver.port}/", f"http://127.0.0.1:{receiver.port + 1}/",
            "https://127.0.0.1/",
        ):
            body = json.dumps({"nodes": {"x": {"set": "any"}}, "sinks": {"s": {"from": "x", "url": url}}})
            answer = server.request("PUT", "/v1/graphs/other", body, {"Content-Type": "application/json"})
            assert answer.status == 400, answer
            problem = answer.json()["problems"][0]
            assert problem["pointer"] == "/sinks/s/url" and "sinkHosts" in problem["hint"], problem
        body = json.dumps({"nodes": {"x": {"set": "any"}}, "sinks": {
            "s": {"from": "x", "url": f"http://127.0.0.1:{receiver.port}/", "secret": "NONE"}}})
        answer = server.request("PUT", "/v1/graphs/other", body, {"Content-Type": "application/json"})
        assert "SLUICE_SECRET_NONE" in answer.json()["problems"][0]["hint"]


@pytest.mark.parametrize("network, reason", [
    ("", "localhost leads to "), ("=10.0.0.0/8", "localhost leads to "), ("=127.0.0.0/8", None),
])
def test_a_name_reaches_private_addresses_only_where_a_network_says_so(receiver, network, reason):
    host = f"localhost:{receiver.port}"
    graph = f"""
nodes:
  x: {{ set: number, initial: 1 }}
sinks:
  s: {{ from: x, url: "http://{host}/" }}
"""
    with Server({"g": graph}, config=f'sinkHosts: ["{host}{network}"]\n') as server:
        if reason is None:
            eventually(lambda: receiver.bodies == [1])
            return
        eventually(lambda: sinks(server)["s"].get("failure"))
        failure = sinks(server)["s"]["failure"]
        assert failure.startswith(reason) and f"'{host}=" in failure, failure
        assert not receiver.bodies


@pytest.mark.parametrize("secrets, allowed", [
    ("", False), ("secrets: { HOOK: [town, 'test-*'] }", True), ("secrets: [HOOK=other, HOOK=test-1]", True),
    ("secrets: { HOOK: test-2 }", False), ("secrets: { OTHER: ['*'] }", False),
])
def test_a_graph_over_http_may_use_the_secrets_that_name_it(receiver, secrets, allowed):
    definition = {"nodes": {"x": {"set": "any"}}, "sinks": {
        "s": {"from": "x", "url": f"http://127.0.0.1:{receiver.port}/", "secret": "HOOK"}}}
    with serve(receiver, "  own: { from: x, url: HOST/, secret: HOOK }", config=secrets,
               environment={"SLUICE_SECRET_HOOK": "s3cret"}) as server:
        assert "own" in sinks(server), "graphs of files may use all"
        answer = server.request(
            "PUT", "/v1/graphs/test-1", json.dumps(definition), {"Content-Type": "application/json"}
        )
        if not allowed:
            assert answer.status == 400, answer
            problem = answer.json()["problems"][0]
            assert problem["pointer"] == "/sinks/s/secret" and "configuration key secrets" in problem["hint"]
            return
        assert answer.status == 201, answer
        server.set("test-1", "x", 7)
        eventually(lambda: any(r.headers["Sluice-Graph"] == "test-1" and "Sluice-Signature" in r.headers
                               for r in receiver.requests))


def test_a_stored_graph_loses_a_secret_that_the_configuration_takes_away(receiver, tmp_path):
    definition = {"nodes": {"x": {"set": "any"}}, "sinks": {
        "s": {"from": "x", "url": f"http://127.0.0.1:{receiver.port}/", "secret": "HOOK"}}}
    start = lambda secrets: serve(
        receiver, "  own: { from: x, url: HOST/ }",
        environment={"SLUICE_SECRET_HOOK": "s3cret"},  # noqa: E731
        config=f"dataDir: {tmp_path}/data\n{secrets}",
    )
    with start("secrets: { HOOK: ['*'] }") as server:
        assert (
            server.request(
                "PUT", "/v1/graphs/other", json.dumps(definition), {"Content-Type": "application/json"}
            ).status
            == 201
        )
    with start("") as server:
        eventually(lambda: "does not let the graph use HOOK" in server.log_text())
        server.set("other", "x", 7)
        server.set("g", "x", 8)
        eventually(lambda: 8 in receiver.bodies)
        assert not any(r.headers["Sluice-Graph"] == "other" for r in receiver.requests)


@pytest.mark.parametrize("sink, place, message", [
    ('{ from: y, url: "http://a/" }', "5:14", "there is no node 'y'"),
    ('{ from: x, url: "ftp://a/" }', "5:22", "url must be an address"),
    ('{ from: x, url: "http://me@a/" }', "5:22", "url must be an address"),
    ('{ from: x, url: "http://a:99999/" }', "5:22", "url must be an address"),
    ('{ from: x, url: "http://a/#b" }', "5:22", "url must be an address"),
    ('{ from: x, url: "http://a/", queue: 3 }', "5:42", "'queue' is for mode all"),
    ('{ from: x, url: "http://a/", mode: all, repeats: true }', "5:55", "'repeats' is for mode latest"),
    ('{ from: x, url: "http://a/", mode: al }', "5:41", "mode must be one of latest, all"),
    ('{ from: x, url: "http://a/", timeout: 2m }', "5:44", "timeout must be at most 1m"),
    ('{ from: x, url: "http://a/", secret: lower }', "5:43", "secret must be the name of a secret"),
    ('{ from: x }', "5:6", "a sink needs one of url and topic"),
])
def test_check_says_what_is_wrong_with_a_sink(tmp_path, sink, place, message):
    file = tmp_path / "g.yaml"
    file.write_text(f"graph: g\nnodes:\n  x: {{ set: number }}\nsinks:\n  s: {sink}\n")
    result = subprocess.run([BINARY, "check", file], capture_output=True, text=True)
    assert result.returncode == 1
    assert f"g.yaml:{place}: {message}" in result.stderr, result.stderr


def test_the_receiver_of_the_documentation(tmp_path):
    text = (ROOT / "docs/sinks.md").read_text()
    program = re.search(r"```python\n(.*?)```", text, re.S)[1]
    graph = re.search(r"```yaml\n(graph: cellar.*?)```", text, re.S)[1]
    expected = re.search(r"\$ sluice set cellar/level 7\n(.*?)```", text, re.S)[1].splitlines()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", program.replace("9000", str(port))], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PAGER": "s3cret"},
    )
    try:
        eventually(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        with Server({"cellar": graph.replace("9000", str(port))}, config=f'sinkHosts: ["127.0.0.1:{port}"]\n',
                    environment={"SLUICE_SECRET_PAGER": "s3cret"}) as server:
            assert process.stdout.readline().strip() == '/alarm 1 "none" signed'
            server.set("cellar", "level", 7)
            assert sorted(process.stdout.readline().strip() for _ in range(2)) == sorted(expected[-2:])
    finally:
        process.kill()
