"""The audit: who changed what, and who was refused a right; in the log or in a file of its own."""

import json
import signal

import pytest
from access import Guarded, tell
from sluice import Server, eventually

BOARD = json.dumps({"v": 1, "graph": "open", "widgets": []})
JSON = {"Content_Type": "application/json"}


class Audited(Guarded):
    """A server whose audit goes to a file, as JSON unless `form` says otherwise."""

    def __init__(self, folder, also="[]", form="json"):
        self.audit = folder / "audit.log"
        super().__init__(
            folder, config=f"audit: {self.audit}\nauditAlso: {also}\nlog: {{ format: {form} }}\n", keeps=True
        )

    def lines(self, count=0):
        def read():
            lines = [json.loads(line) for line in self.audit.read_text().splitlines()]
            return lines if len(lines) >= count else None
        return eventually(read, what=f"{count} lines")

    def last(self, count):
        """The newest of so many lines, without what differs from run to run."""
        line = self.lines(count)[-1]
        assert len(self.lines()) == count and line.pop("level") == "notice" and line.pop("message") == "audit"
        assert line.pop("time").endswith("Z") and line.pop("address") == "127.0.0.1"
        return {name: value for name, value in line.items() if name not in ("rev", "ms")}


@pytest.fixture
def audited(tmp_path):
    with Audited(tmp_path) as server:
        yield server


def test_each_change_of_the_server_has_a_line(audited):
    with audited.socket("bob") as client:
        session = tell(client, op="hello", id=1)["session"]
        changes = [
            (
                "PUT", "/v1/graphs/made", '{"nodes":{"x":{"set":"any","initial":"a-secret"}}}', JSON,
                {"action": "defineGraph", "graph": "made"},
            ),
            (
                "PUT", "/v1/graphs/made?dry_run=1", '{"nodes":{}}', JSON,
                {"action": "defineGraph", "graph": "made", "dryRun": "true"},
            ),
            ("POST", "/v1/graphs/made/flush", None, {}, {"action": "flushGraph", "graph": "made"}),
            ("DELETE", "/v1/graphs/made", None, {}, {"action": "removeGraph", "graph": "made"}),
            (
                "DELETE", "/v1/graphs/house", None, {},
                {"action": "removeGraph", "graph": "house", "result": "in_use"},
            ),
            ("PUT", "/v1/dashboards/one", BOARD, JSON, {"action": "saveDashboard", "dashboard": "one"}),
            ("DELETE", "/v1/dashboards/one", None, {}, {"action": "removeDashboard", "dashboard": "one"}),
            (
                "DELETE", f"/v1/connections/{session}", None, {},
                {"action": "endConnection", "connection": session},
            ),
            ("GET", "/v1/backup", None, {}, {"action": "backup"}),
            ("POST", "/v1/reload", None, {}, {"action": "reload", "changes": "0", "problems": "0"}),
        ]
        for count, (method, path, body, headers, line) in enumerate(changes, 1):
            audited.ask("alice", method, path, body, **headers)
            seen = audited.last(count)
            assert {
                name: str(value).lower() if value in (0, True) else value for name, value in seen.items()
            } == {"by": "alice", "result": "ok", **line}, (method, path)
    assert audited.lines()[0]["rev"] in ("0", "1", 0, 1), "a change of a graph has its rev"
    audited.reload()
    line = audited.lines(len(changes) + 1)[-1]
    assert (line["action"], line["because"]) == ("reload", "SIGHUP") and "by" not in line
    # Neither values nor secrets, and neither reads nor sets.
    audited.ask("alice", "POST", "/v1/graphs/house/nodes/secret", "8")
    audited.ask("alice", "GET", "/v1/graphs/house/nodes/secret")
    text = audited.audit.read_text()
    assert len(text.splitlines()) == len(changes) + 1
    assert "a-secret" not in text and not any(token in text for token in audited.tokens.values())


def test_a_right_that_is_missing_has_one_line_and_a_count(audited):
    for _ in range(20):
        assert audited.ask("bob", "POST", "/v1/graphs/house/nodes/room.temp", "21").status == 403
    assert audited.ask("bob", "GET", "/v1/backup").status == 403
    assert audited.ask("bob", "GET", "/v1/graphs/hidden").status == 404, "what is not there is not refused"
    with audited.socket("bob") as client:
        for number in range(5):
            assert (
                tell(client, op="set", id=number + 1, graph="house", set={"room.temp": 1})["code"]
                == "forbidden"
            )
    lines = audited.lines(3)
    assert [(line["action"], line["by"], line.get("graph"), line["result"]) for line in lines] == [
        ("setNode", "bob", "house", "forbidden"),
        ("backup", "bob", None, "forbidden"),
        ("set", "bob", "house", "forbidden"),
    ]
    audited.stop()
    counted = [(line["action"], line["repeated"]) for line in audited.lines(5)[3:]]
    assert [(action, int(times)) for action, times in counted] == [("setNode", 19), ("set", 4)]


def test_sets_and_requests_are_there_on_request(tmp_path):
    with Audited(tmp_path, also="[sets]") as server:
        server.ask("alice", "POST", "/v1/graphs/house/nodes/room.temp", "21.125")
        server.ask("alice", "POST", "/v1/graphs/house/nodes/room.temp", "22.125")
        server.ask("alice", "PUT", "/v1/graphs/house/nodes/room.temp", '"wrong"')
        with server.socket("alice") as client:
            assert tell(client, op="set", id=1, graph="house", set={"room.temp": 23.125})["op"] == "ok"
        lines = server.lines(4)
        assert [(line["action"], line["graph"], line["result"], "rev" in line) for line in lines] == [
            ("setNode", "house", "ok", True),
            ("setNode", "house", "ok", True),
            ("putNode", "house", "type_mismatch", False),
            ("set", "house", "ok", True),
        ]
        assert lines[0]["node"] == lines[1]["node"] == "room.temp"
        assert ".125" not in server.audit.read_text()
    (tmp_path / "audit.log").unlink()
    with Audited(tmp_path, also="requests") as server:
        server.ask("alice", "GET", "/v1/graphs/house/values?nodes=a-word")
        server.get("/nothing")
        lines = server.lines(2)
        assert [(line["method"], line["path"], str(line["status"])) for line in lines] == [
            ("GET", "/v1/graphs/house/values", "404"), ("GET", "/nothing", "404")]
        assert "a-word" not in server.audit.read_text(), "a query may have values"


def test_the_file_is_opened_again_for_rotation(audited):
    audited.ask("alice", "GET", "/v1/backup")
    audited.lines(1)
    old = audited.audit.rename(audited.audit.with_suffix(".1"))
    audited.ask("alice", "GET", "/v1/backup")
    eventually(lambda: len(old.read_text().splitlines()) == 2)
    audited.reload()
    audited.ask("alice", "POST", "/v1/graphs/house/flush")
    assert {line["action"] for line in audited.lines(2)} == {"reload", "flushGraph"}
    assert oct(audited.audit.stat().st_mode & 0o777) in ("0o640", "0o600")


def test_names_from_outside_cannot_forge_lines(tmp_path):
    with Audited(tmp_path, form="text") as server:
        server.ask("alice", "DELETE", "/v1/connections/%1b%5d0;x%07%0a2026-01-01T00:00:00Z%20notice%20audit")
        text = eventually(lambda: server.audit.read_text())
        assert len(text.splitlines()) == 1 and "\x1b" not in text and "\x07" not in text
        assert r"connection=" in text and r"\u001b" in text and "result=unknown_id" in text


def test_without_a_file_it_is_in_the_log(tmp_path):
    with Guarded(tmp_path) as server:
        server.ask("alice", "POST", "/v1/graphs/house/flush")
        server.ask("bob", "GET", "/v1/connections")
        eventually(lambda: "result=forbidden" in server.log_text())
        (done,) = [
            line for line in server.log_text().splitlines() if " audit " in line and "flushGraph" in line
        ]
        assert "notice audit" in done and "by=alice" in done and "graph=house" in done and "result=ok" in done
    with Guarded(tmp_path, config="audit: ''\n") as server:
        server.ask("alice", "POST", "/v1/graphs/house/flush")
        assert " audit " not in server.log_text()


def test_a_file_that_cannot_be_written_is_said_at_the_start(tmp_path):
    with pytest.raises(AssertionError, match="audit: cannot be opened"):
        Server({"g": "graph: g\nnodes:\n  x: { set: any }\n"}, f"audit: {tmp_path}/none/audit.log\n")


def test_a_client_that_leaves_before_its_answer_is_in_the_audit(tmp_path):
    """The change is made all the same: leaving early must not hide it."""
    with Audited(tmp_path) as server:
        server.process.send_signal(signal.SIGSTOP)
        from rawsocket import RawSocket
        with RawSocket(server) as wire:
            wire.send("POST /v1/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                      f"Authorization: Bearer {server.tokens['alice']}\r\n\r\n")
        server.process.send_signal(signal.SIGCONT)
        (line,) = server.lines(1)
        assert line["action"] == "reload" and line["by"] == "alice" and line["result"] in ("ok", "unanswered")
