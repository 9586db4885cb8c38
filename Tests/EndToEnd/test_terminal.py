"""What somebody at a terminal meets first: mistakes that say what to do, and a server named once."""

import contextlib
import json
import os
import pty
import socket
import subprocess
import threading

import pytest
from access import Guarded
from sluice import BINARY, PATIENCE, Server
from websockets.sync.client import connect

HOUSE = """
graph: house
nodes:
  mode: { set: string }
  indoor_c: { set: number, initial: 20 }
  indoor_f: { from: indoor_c, pipe: [ { map: "value * 9 / 5 + 32" } ] }
  warm: { from: mode, pipe: [ { map: "int(value) + 1" } ] }
  secret_code: { set: number, initial: 1 }
"""


@pytest.fixture(scope="module")
def server():
    with Server({"house": HOUSE}, "limits: { body: 1024 }\n") as server:
        yield server


def sluice(server, *arguments, **environment):
    return subprocess.run(
        [BINARY, *arguments], capture_output=True, text=True, timeout=PATIENCE,
        env={**os.environ, "SLUICE_URL": server.url, **environment},
    )


def test_a_text_that_is_no_json_is_refused_with_the_option_that_takes_it(server):
    refused = sluice(server, "set", "house/mode", "eco")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "the value is not JSON" in refused.stderr and "add --string" in refused.stderr, refused.stderr
    assert sluice(server, "set", "house/mode", "eco", "--string").returncode == 0
    assert sluice(server, "get", "house/mode").stdout == '"eco"\n'


def test_a_failed_node_is_printed_with_its_cause(server):
    server.set("house", "mode", "eco")
    failed = sluice(server, "get", "house/warm")
    assert (failed.returncode, failed.stdout) == (1, "")
    cause = server.request("GET", "/v1/graphs/house/nodes/warm").json()["fail"]
    assert f"{cause['code']} at {cause['at']}: {cause['msg']}" in failed.stderr, failed.stderr


def test_a_wrong_name_of_a_node_is_guessed(server):
    assert "did you mean 'indoor_c'?" in sluice(server, "get", "house/indor_c").stderr
    assert "did you mean 'mode'?" in sluice(server, "set", "house/moed", "1").stderr
    assert "did you mean" not in sluice(server, "get", "house/something_else").stderr


def test_names_that_the_caller_may_not_read_are_never_guessed(tmp_path):
    # The file of the graph lets viewers read room.* and two more; the device may only set one.
    with Guarded(tmp_path) as closed:
        def ask(name, caller):
            return closed.ask(caller, "GET", f"/v1/graphs/house/nodes/{name}").json()

        assert ask("room.tmp", "bob")["hint"] == "did you mean 'room.temp'?"
        assert ask("secrt", "alice")["hint"] == "did you mean 'secret'?"
        assert "hint" not in ask("secrt", "bob")
        assert "hint" not in ask("room.tmp", "device:7")


def test_a_body_that_is_too_large_is_named_with_size_limit_and_key(server):
    refused = server.request("PUT", "/v1/graphs/house/nodes/mode", b'"' + b"x" * 2000 + b'"')
    assert refused.status == 413
    assert refused.json()["detail"] == "the body has 2002 bytes; at most 1024 are allowed (limits.body)"
    refused = server.request(
        "PUT", "/v1/graphs/new", b"#" * 3000, headers={"Content-Type": "application/yaml"}
    )
    assert refused.json()["detail"] == "the body has 3000 bytes; at most 1024 are allowed (limits.body)"


def test_the_server_is_named_once_for_all_commands(server):
    for command in (
        ["get", "house/indoor_c"],
        ["set", "house/indoor_c", "21"],
        ["why", "house/indoor_c"],
        ["graph", "house"],
        ["reload"],
        ["flush", "house"],
    ):
        assert sluice(server, *command).returncode == 0, command
    # The option takes precedence over the variable, and an invalid address in the variable is
    # named.
    assert (
        sluice(
            server, "get", "house/indoor_c", "--url", server.url, SLUICE_URL="http://127.0.0.1:1"
        ).returncode
        == 0
    )
    wrong = sluice(server, "get", "house/indoor_c", SLUICE_URL="ftp://x")
    assert wrong.returncode == 2 and "SLUICE_URL 'ftp://x' is not an address" in wrong.stderr


def test_a_server_does_not_take_the_variable_for_a_key(server):
    shown = sluice(server, "serve", "--print-config")
    assert shown.returncode == 0 and "SLUICE_URL" not in shown.stderr


def test_a_value_ends_with_a_newline_on_a_terminal_and_in_a_pipe(server):
    server.set("house", "indoor_c", 20)
    assert sluice(server, "get", "house/indoor_c").stdout == "20\n"
    ours, theirs = pty.openpty()
    subprocess.run([BINARY, "get", "house/indoor_c", "--url", server.url], stdout=theirs, timeout=PATIENCE)
    os.close(theirs)
    assert os.read(ours, 100) == b"20\r\n"
    os.close(ours)
    # Over HTTP the body is the value, byte by byte.
    assert server.request("GET", "/v1/graphs/house/nodes/indoor_c").body == b"20"


@pytest.mark.parametrize(
    "line, place, hint",
    [
        ("x: { from: on, pipe: [ { map: \"value > 'on'\" } ] }", "4:40", "value is a boolean"),
        ("x: { from: n, pipe: [ { map: value > 5 ? 'a' : 'b' } ] }", "4:", "needs quotes"),
        ("x: { from: n, pipe: [ { map: mean(value) } ] }", "4:32", "'mean' is written 'avg' here"),
        (
            "x: { from: n, pipe: [ { map: \"1 if value else 2\" } ] }", "4:35",
            "a choice is written: CONDITION ? A : B",
        ),
        ("n: { set: number, unit: % }", "4:27", "needs quotes"),
        ("\tx: { set: number }", "4:", "there is a tab here"),
        ("x: {set:number}", "4:7", "a space is needed after ':', as in set: number"),
        ("x: { all: *.x, reduce: avg }", "4:", "needs quotes: \"*.x\""),
    ],
)
def test_check_names_what_beginners_write(tmp_path, line, place, hint):
    (tmp_path / "g.yaml").write_text(
        f"nodes:\n  on: {{ set: boolean }}\n  {'m' if line.startswith('n:') else 'n'}: {{ set: number }}\n "
        f" {line}\n"
    )
    found = subprocess.run(
        [BINARY, "check", tmp_path / "g.yaml"], capture_output=True, text=True, timeout=PATIENCE
    )
    assert found.returncode == 1 and f"g.yaml:{place}" in found.stderr and hint in found.stderr, found.stderr


def test_a_duration_without_a_unit_in_a_file_is_warned_about(tmp_path):
    graph = "nodes:\n  n: { set: number, ttl: 5s }\n  m: { from: n, pipe: [ { debounce: 30 } ] }\n"
    (tmp_path / "g.yaml").write_text(graph)
    warning = "3:37: debounce has no unit: 30 means milliseconds (write 30ms, or 30s if seconds are meant)"
    found = subprocess.run(
        [BINARY, "check", tmp_path / "g.yaml"], capture_output=True, text=True, timeout=PATIENCE
    )
    assert found.returncode == 0 and found.stderr == f"warning: {tmp_path}/g.yaml:{warning}\n", found.stderr
    with Server({"g": graph}) as running:
        assert running.log_text().count(warning) == 1
        # Programs that send definitions over HTTP mean milliseconds.
        sent = graph.replace("nodes:", "graph: h\nnodes:")
        answer = running.request("PUT", "/v1/graphs/h", sent, {"Content-Type": "application/yaml"})
        assert answer.status == 201 and running.log_text().count("has no unit") == 1


def test_check_opens_the_file_of_the_audit(tmp_path):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "sluice.yaml").write_text("graphs: graphs\naudit: missing/audit.log\n")
    found = subprocess.run(
        [BINARY, "check", "--config", tmp_path / "sluice.yaml"], capture_output=True, text=True, cwd=tmp_path,
        timeout=PATIENCE,
    )
    assert found.returncode == 1 and "audit: cannot be opened" in found.stderr, found.stderr


ESCAPES = "\x1b]0;owned\x07\n2026 notice forged\u202e\u009b2J"


def test_names_from_others_do_nothing_to_a_terminal(server):
    """Another client calls itself by control characters: `why` shows them as text, in one line."""
    with connect(f"ws://{server.host}:{server.port}/v1/ws", subprotocols=["sluice.v1.json"]) as client:
        client.send(json.dumps({"op": "hello", "id": 1, "client": ESCAPES}))
        client.send(json.dumps({"op": "sub", "id": 2, "graph": "house", "node": "indoor_f"}))
        client.recv(PATIENCE), client.recv(PATIENCE)
        for arguments in (
            ["why", "house/indoor_f"],
            ["why", "house/indoor_f", "--json"],
            ["graph", "house", "--live"],
        ):
            shown = sluice(server, *arguments).stdout
            assert not set("\x1b\x07\u202e\u009b") & set(shown), shown
        lines = sluice(server, "why", "house/indoor_f").stdout.splitlines()
        assert not any(line.startswith("2026") for line in lines) and any(
            r"\u001b]0;owned\u0007\u000a2026" in line for line in lines
        ), lines
    # A value stays the JSON that it is, in the same lines.
    for value in ('"\u009b2J\u202e"', '{"a":\n  "\u007f"}', "[1,\r\n2]"):
        server.request(
            "PUT", "/v1/graphs/free", '{"nodes":{"x":{"set":"any"}}}', {"Content-Type": "application/json"}
        )
        assert server.request("PUT", "/v1/graphs/free/nodes/x", value.encode()).status == 200
        shown = sluice(server, "get", "free/x").stdout
        assert json.loads(shown) == json.loads(value) and not set("\u009b\u202e\u007f") & set(shown), shown


@pytest.mark.parametrize(
    "command",
    [
        ["get", "house/mode"],
        ["set", "house/mode", "1"],
        ["why", "house/mode"],
        ["reload"],
        ["watch", "house/mode"],
        ["flush", "house"],
        ["graph", "house"],
    ],
)
@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request"])
def test_a_hostile_server_does_nothing_to_a_terminal(command, status):
    """Whatever it answers, with success or an error; what is no JSON is no value."""
    bodies = [ESCAPES.encode(), json.dumps({"code": ESCAPES, "detail": ESCAPES, "hint": ESCAPES}).encode()]
    for body in bodies:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def answer():
                with contextlib.suppress(OSError):
                    while True:
                        peer, _ = listener.accept()
                        with peer:
                            peer.recv(65536)
                            peer.sendall(
                                f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: "
                                "close\r\n\r\n".encode()
                                + body
                            )

            threading.Thread(target=answer, daemon=True).start()
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            process = subprocess.Popen(
                [BINARY, *command, "--url", url], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            if command[0] == "watch":
                shown = process.stderr.readline()
                process.terminate()
                shown += b"".join(process.communicate(timeout=PATIENCE))
            else:
                shown = b"".join(process.communicate(timeout=PATIENCE))
                assert process.returncode == 1 or status == "200 OK", shown
                assert command[0] != "get" or body != bodies[0] or process.returncode == 1, "this is not JSON"
            assert not set("\x1b\x07\u202e\u009b") & set(shown.decode()), shown
            assert b"\n2026" not in shown or command[0] == "graph" and status == "200 OK", shown
