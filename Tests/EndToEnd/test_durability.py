"""What was answered is there after any end of the process: kill -9 under load, ordered ends, faults
of the disk."""

import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
from socket import SHUT_WR

import pytest
from websockets.exceptions import ConnectionClosed

from conftest import Client
from rawsocket import RawSocket
from sluice import BINARY, PATIENCE, ROOT, SHIPPED, Server, eventually

WRITERS = 8
GRAPH = (
    "graph: g\nnodes:\n"
    + "".join(f"  w{n}: {{ set: any, history: 100000 }}\n" for n in range(WRITERS))
    + """  sum: { from: w0, retain: always, pipe: [ { map: "value" }, { scan: { start: 0, with: "acc + 1" } } ] }
"""
)
ROUNDS = 200 if os.environ.get("SLUICE_NIGHTLY") else 8


class Writer(threading.Thread):
    """Sets its node to 1, 2, 3 … and notes what was acknowledged, until the server is gone."""

    def __init__(self, server, number, first, key):
        super().__init__()
        self.server, self.node, self.next, self.key = server, f"w{number}", first, key
        self.acknowledged = {}

    def run(self):
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=PATIENCE)
        path = f"/v1/graphs/g/nodes/{self.node}"
        try:
            while True:
                headers = {
                    "Content-Type": "application/json",
                    "Idempotency-Key": f"{self.key}-{self.node}-{self.next}",
                }
                connection.request("POST", path, str(self.next), headers)
                response = connection.getresponse()
                answer = json.loads(response.read())
                assert response.status == 200, answer
                self.acknowledged[answer["rev"]] = self.next
                self.next += 1
        except (http.client.HTTPException, OSError):
            connection.close()


class Subscriber(threading.Thread):
    """Follows a node in mode all, and notes every rev it saw."""

    def __init__(self, server, since=None):
        super().__init__()
        self.client = Client(server)
        self.snap = self.client.ask(
            op="sub", graph="g", node="w0", mode="all", **({"since": since} if since else {})
        )
        self.epoch, self.rev = self.snap["epoch"], self.snap["rev"]
        self.values = {d["rev"]: d["v"] for d in self.snap.get("d", [])}

    def run(self):
        try:
            while True:
                message = self.client.receive(None)
                if message["op"] == "upd":
                    self.rev = message["rev"]
                    self.values[self.rev] = message["d"][0]["v"]
        except ConnectionClosed:
            self.client.close()


def stored(server):
    """All values of all nodes by rev, as the histories have them."""
    values = {}
    for number in range(WRITERS):
        answer = server.get(f"/v1/graphs/g/nodes/w{number}/history?since=0&limit=100000").json()
        assert answer["from"] == 0
        for entry in answer["d"]:
            assert entry["rev"] not in values
            values[entry["rev"]] = (f"w{number}", entry["v"])
    return values


@pytest.mark.timeout(1800)
def test_kill_9_under_load_loses_nothing_that_was_answered():
    dice = random.Random(int(os.environ.get("SLUICE_SEED", "1")))
    with Server({"g": GRAPH}, keeps=True) as server:
        epochs = [server.get("/v1/graphs/g").json()["epoch"]]
        acknowledged, written, since = {}, {f"w{n}": 0 for n in range(WRITERS)}, None
        for round in range(ROUNDS):
            subscriber = Subscriber(server, since)
            assert subscriber.epoch == epochs[-1] and subscriber.snap.get("resumed", True)
            seen = subscriber.values
            writers = [Writer(server, n, written[f"w{n}"] + 1, f"r{round}") for n in range(WRITERS)]
            for thread in [subscriber, *writers]:
                thread.start()
            time.sleep(dice.uniform(0.02, 0.4))
            server.kill()
            for thread in [subscriber, *writers]:
                thread.join(PATIENCE)
            server.start()
            for writer in writers:
                acknowledged |= {rev: (writer.node, value) for rev, value in writer.acknowledged.items()}
            values = stored(server)
            lost = {rev: value for rev, value in acknowledged.items() if values.get(rev) != value}
            assert not lost, f"round {round}: {lost}"
            now = server.get("/v1/graphs/g").json()
            assert now["epoch"] not in epochs, "each start begins an epoch"
            epochs.append(now["epoch"])
            assert sorted(values) == list(range(2, now["rev"] + 1)), "revs without a gap"
            for number in range(WRITERS):
                own = [value for node, value in values.values() if node == f"w{number}"]
                assert own == list(range(1, len(own) + 1)), "in order, none twice"
                # One that was not acknowledged may be there; another is not.
                assert len(own) - writers[number].next in (-1, 0)
                written[f"w{number}"] = len(own)
            assert subscriber.rev <= now["rev"], "no subscriber saw a rev that is gone"
            for rev, value in seen.items():
                assert values[rev] == ("w0", value)
            since = {"epoch": subscriber.epoch, "rev": subscriber.rev}
            assert server.value("g", "sum") == written["w0"], "the state of operators goes on"
        assert len(acknowledged) > ROUNDS * 5


def tagged(server, tag, path="nodes/w0"):
    """The status of a read by a client that has the state with this tag."""
    return server.request("GET", f"/v1/graphs/g/{path}", headers={"If-None-Match": tag}).status


def test_cursors_hold_over_a_restart_and_not_over_an_older_copy(tmp_path):
    """A folder is put back to an older copy while the server is down; the server cannot see that."""
    with Server({"g": GRAPH}, keeps=True) as server:
        server.set("g", "w0", "old")
        tag = server.get("/v1/graphs/g/nodes/w0").headers["ETag"]
        epoch, rev = (server.get("/v1/graphs/g").json()[name] for name in ("epoch", "rev"))
        known = {"epoch": epoch, "rev": rev}
        server.kill()
        shutil.copytree(server.data, tmp_path / "copy")
        server.start()
        assert server.get("/v1/graphs/g/nodes/w0").headers["ETag"] == tag, "a tag outlives the start"
        for number in range(3):
            lost = server.set("g", "w0", f"lost {number}")
        lost_tag = server.get("/v1/graphs/g/nodes/w0").headers["ETag"]

        def expect(now, held):
            assert now["epoch"] != epoch and now["rev"] >= lost["rev"]
            with Client(server) as client:
                for cursor, isHeld in ((known, True), ({"epoch": lost["epoch"], "rev": lost["rev"]}, held)):
                    snap = client.ask(op="sub", graph="g", node="w0", since=cursor)
                    assert snap["resumed"] is isHeld and (isHeld or snap["v"] == "new"), snap
            assert tagged(server, lost_tag) == (304 if held else 200)
            past = server.get(f"/v1/graphs/g/nodes/w0?at={lost['rev']}&epoch={lost['epoch']}")
            assert past.status == (200 if held else 410), past.json()
            assert server.get(f"/v1/graphs/g/nodes/w0?at={rev}&epoch={epoch}").json() == "old"
            headers = {"Content-Type": "application/json", "If-Match": lost_tag}
            answer = server.request("POST", "/v1/graphs/g/nodes/w0", '"over"', headers)
            assert answer.status == (200 if held else 412), answer
            batch = {"set": {"w0": "over"}, "if": {"epoch": lost["epoch"], "w0": {"rev": lost["rev"]}}}
            if not held:
                answer = server.request(
                    "POST", "/v1/graphs/g/batch", json.dumps(batch),
                    headers={"Content-Type": "application/json"},
                )
                assert answer.status == 412, answer

        # A restart, and nothing is lost.
        server.kill()
        server.start()
        expect(server.get("/v1/graphs/g").json(), held=True)
        server.kill()
        # The older copy takes the place, and comes as far as the lost history had.
        shutil.rmtree(server.data)
        shutil.copytree(tmp_path / "copy", server.data)
        server.start()
        assert tagged(server, tag) == 304
        for _ in range(5):
            server.set("g", "w0", "new")
        expect(server.get("/v1/graphs/g").json(), held=False)
        with Client(server) as client:
            stream = client.ask(op="sub", graph="g", node="w0", since=known, mode="all")
            assert stream["resumed"] and [entry["v"] for entry in stream["d"]] == ["new"] * 5


def test_a_retry_after_kill_9_is_applied_once():
    with Server({"g": GRAPH}, keeps=True) as server:
        first = server.set("g", "w0", 7, **{"Idempotency-Key": "k"})
        server.kill()
        server.start()
        headers = {"Content-Type": "application/json", "Idempotency-Key": "k"}
        again = server.request("POST", "/v1/graphs/g/nodes/w0", "7", headers)
        assert again.json() == first and again.headers["Idempotent-Replayed"] == "true"
        other = server.request("POST", "/v1/graphs/g/nodes/w0", "8", headers)
        assert other.json()["code"] == "key_reused"


def test_graphs_defined_by_http_come_back_and_removed_ones_do_not():
    with Server({"g": GRAPH}, keeps=True) as server:
        for name in ("kept", "gone"):
            body = json.dumps({"nodes": {"x": {"set": "number", "initial": 1}}})
            answer = server.request("PUT", f"/v1/graphs/{name}", body, {"Content-Type": "application/json"})
            assert answer.status == 201
        server.set("kept", "x", 5)
        assert server.request("DELETE", "/v1/graphs/gone").status == 204
        server.kill()
        server.start()
        assert server.value("kept", "x") == 5
        assert server.get("/v1/graphs/kept").json()["owner"] == "api"
        assert server.get("/v1/graphs/gone").status == 404


def test_the_shipped_graphs_and_all_recipes_come_back_after_an_ordered_end():
    graphs = {path.stem: path.read_text() for path in (ROOT / "config/graphs").glob("*.yaml")}
    recipes = re.findall(r"```yaml\n(nodes:\n.*?)```", (ROOT / "docs/cookbook.md").read_text(), re.S)
    graphs |= {f"recipe{number}": f"graph: recipe{number}\n{text}" for number, text in enumerate(recipes)}
    assert len(graphs) >= 10
    with Server(graphs, SHIPPED, keeps=True) as server:
        for celsius in (None, 31):
            if celsius:
                server.set("house", "indoor_c", 17)
                server.set("fleet", "sensor.a.celsius", celsius)
            before = {name: server.get(f"/v1/graphs/{name}").json()["rev"] for name in graphs}
            assert server.stop() == 0
            server.start()
            for name, rev in before.items():
                assert server.get(f"/v1/graphs/{name}").json()["rev"] >= rev
        assert server.value("house", "indoor_f") == 62.6
        assert server.value("fleet", "mean") == 31


def test_what_a_graph_holds_waits_for_its_file():
    with Server(
        {"g": GRAPH, "h": "graph: h\nnodes: { x: { set: number, initial: 1 } }\n"}, keeps=True
    ) as server:
        server.set("h", "x", 9)
        server.stop()
        path = server.config.parent / "graphs" / "h.yaml"
        text = path.read_text()
        path.unlink()
        server.start()
        assert server.get("/v1/graphs/h").status == 404
        assert "a graph has no file any more" in server.log_text()
        path.write_text(text.replace("x: {", "y: { set: any }, x: {"))
        assert server.request("POST", "/v1/reload").status == 200
        assert server.value("h", "x") == 9
        server.stop()
        server.start()
        assert server.value("h", "x") == 9


def test_presence_ends_with_the_process():
    with Server({"g": GRAPH}, keeps=True) as server:
        client = Client(server)
        assert client.ask(op="set", graph="g", set={"w1": "here"}, presence=True)["op"] == "ok"
        server.kill()
        server.start()
        assert server.get("/v1/graphs/g/nodes/w1").status == 204


def test_a_folder_belongs_to_one_server():
    with Server({"g": GRAPH}, keeps=True) as server:
        with pytest.raises(AssertionError, match="another process uses the folder .*: process [0-9]+"):
            Server({}, config=f"dataDir: {server.data}")


def test_a_damaged_file_stops_the_start_and_stays_as_it_is():
    with Server({"g": GRAPH}, keeps=True) as server:
        server.set("g", "w0", "x" * 20_000)
        server.stop()
        path = server.data / "sluice.db"
        whole = path.read_bytes()
        # In the snapshot, which is read at the start, and in the log before it, which is not.
        damaged = whole.replace(b"x" * 3_000, b"x" * 1_000 + b"y" + b"x" * 1_999)
        path.write_bytes(damaged)
        with pytest.raises(AssertionError, match="sluice.db.* of graph g.*: the checksum is wrong"):
            server.start()
        assert path.read_bytes() == damaged
        path.write_bytes(whole)
        server.start()
        assert server.value("g", "w0") == "x" * 20_000


def test_a_read_only_folder_is_named(tmp_path):
    if os.geteuid() == 0:
        # Root writes everywhere but below a file.
        (tmp_path / "file").write_text("")
        folder = tmp_path / "file" / "data"
    else:
        folder = tmp_path / "data"
        tmp_path.chmod(0o500)
    with pytest.raises(AssertionError, match=f"cannot make the folder {folder}: "):
        Server({}, config=f"dataDir: {folder}")


def sluice(*arguments):
    """Runs a command and returns what it printed."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_drill_a_backup_of_a_running_server_is_restored_elsewhere(tmp_path):
    """The drill of docs/operations.md, step by step."""
    with Server({"g": GRAPH}, keeps=True) as server:
        first = server.set("g", "w0", 1)
        copy = tmp_path / "sluice.db"
        writer = Writer(server, 1, 1, "k")
        writer.start()
        sluice("backup", "--url", server.url, copy)
        server.kill()
        writer.join(PATIENCE)
        assert f"g: at rev" in sluice("restore", "--data", tmp_path / "data", copy)
        refused = subprocess.run(
            [BINARY, "restore", "--data", tmp_path / "data", copy], capture_output=True, text=True
        )
        assert refused.returncode == 1 and "has data already" in refused.stderr
        assert not [name for name in os.listdir(server.data) if name.startswith("backup")]
        with Server({"g": GRAPH}, config=f"dataDir: {tmp_path}/data") as other:
            now = other.get("/v1/graphs/g").json()
            assert now["epoch"] != first["epoch"], "what came after the copy is gone, and cursors show it"
            assert other.value("g", "w0") == 1
            values = stored(other)
            assert {
                rev: value for rev, value in writer.acknowledged.items() if rev <= now["rev"]
            }.items() <= {rev: value for rev, (node, value) in values.items() if node == "w1"}.items()


def test_replay_checks_what_is_stored_and_tries_other_definitions(tmp_path):
    with Server({"g": GRAPH}, keeps=True) as server:
        for value in range(5):
            server.set("g", "w0", value)
        text = sluice("replay", "--data", server.data, "g")
        assert "rev 6 of 20" in text and "6 commits played" in text
        server.stop()
        again = json.loads(sluice("replay", "--data", server.data, "g", "--json"))
        assert again["digest"] in text and again["snapshot"] == {"rev": 6, "agrees": True}
        past = json.loads(sluice("replay", "--data", server.data, "g", "--to", 3, "--json"))
        assert past["rev"] == 3 and past["digest"] != again["digest"]
        other = tmp_path / "g.yaml"
        other.write_text(
            GRAPH.replace("acc + 1", "acc + value").replace("w3: { set: any", "w3: { set: number, initial: 3")
        )
        shown = json.loads(sluice("replay", "--data", server.data, "g", "--with", other, "--json"))
        assert shown["differences"] == [{"node": "sum", "before": 5, "after": 10}, {"node": "w3", "after": 3}]


def fill(server):
    """Makes a backup of the server several pieces of 64 KiB long."""
    for number in range(WRITERS):
        server.set("g", f"w{number}", "x" * 60_000)


def ask_for_a_backup(server, fields="", version="1.1", before="", **options):
    socket = RawSocket(server, **options)
    socket.send(f"{before}GET /v1/backup HTTP/{version}\r\nHost: {server.host}\r\n{fields}\r\n")
    return socket


def expect_whole(answer):
    status, headers, body = answer
    assert status == 200 and body.startswith(b"SQLite format 3\0")
    assert len(body) == int(headers["content-length"]) > 4 * 65536


def test_a_backup_does_not_wait_for_other_traffic():
    with Server({"g": GRAPH}, keeps=True) as server:
        fill(server)
        # A server that has just started has no timers of earlier requests. The next timer would
        # send the second piece after ten seconds.
        server.stop()
        server.start()
        with ask_for_a_backup(server, timeout=4) as socket:
            expect_whole(socket.response())


@pytest.mark.parametrize("fields, version", [("Connection: close\r\n", "1.1"), ("", "1.0")])
def test_a_connection_that_ends_with_a_backup_gets_all_of_it(fields, version):
    with Server({"g": GRAPH}, keeps=True) as server:
        fill(server)
        with ask_for_a_backup(server, fields, version) as socket:
            expect_whole(socket.response())
            assert socket.closed() and not socket.buffer


def test_a_client_that_has_ended_its_side_gets_all_of_a_backup():
    with Server({"g": GRAPH}, keeps=True) as server:
        fill(server)
        with ask_for_a_backup(server) as socket:
            socket.socket.shutdown(SHUT_WR)
            expect_whole(socket.response())
            assert socket.closed() and not socket.buffer


def test_a_stopping_server_sends_all_of_a_backup():
    with Server({"g": GRAPH}, keeps=True) as server:
        fill(server)
        # Both requests come with one read, so the second is known once the first is answered.
        before = f"GET /healthz HTTP/1.1\r\nHost: {server.host}\r\n\r\n"
        with ask_for_a_backup(server, before=before) as socket:
            assert socket.response()[0] == 200
            server.process.send_signal(signal.SIGTERM)
            expect_whole(socket.response())
            assert socket.closed() and not socket.buffer


def test_without_a_data_folder_there_is_nothing_to_back_up():
    with Server({"g": GRAPH}) as server:
        answer = server.get("/v1/backup")
        assert answer.status == 404 and "dataDir" in answer.json()["detail"]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of two megabytes; it takes root."""
    folder = tmp_path / "small"
    folder.mkdir()
    if (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True
        ).returncode
        != 0
    ):
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_refuses_sets_and_is_well_again_by_itself(small_disk):
    with Server({"g": GRAPH}, config=f"dataDir: {small_disk}/data\n") as server:
        server.set("g", "w0", "kept")
        client = Client(server)
        assert client.ask(op="sub", graph="g", node="w0")["v"] == "kept"
        stuffing = small_disk / "stuffing"
        room = os.statvfs(small_disk)
        stuffing.write_bytes(bytes(room.f_bavail * room.f_bsize - 8192))
        refused = eventually(
            lambda: [a for a in [send(server, "x" * 30_000)] if a.status == 503], what="a refusal"
        )[0]
        assert refused.json()["code"] == "no_space" and refused.headers["Retry-After"]
        assert server.value("g", "w0") != ""
        assert client.ask(op="get", graph="g", nodes=["w0"])["op"] == "ok"
        assert (
            server.metrics()["sluice_log_ready"] == 0 and server.metrics()["sluice_log_failures_total"] >= 1
        )
        eventually(lambda: server.get("/readyz?for=writes").status == 503, what="not ready")
        assert server.get("/readyz").status == 200, "reads go on"
        stuffing.unlink()
        eventually(lambda: send(server, "after").status == 200, what="room again")
        assert server.get("/readyz?for=writes").status == 200
        last = server.get("/v1/graphs/g").json()
        server.kill()
        server.start()
        assert server.value("g", "w1") == "after"
        now = server.get("/v1/graphs/g").json()
        assert now["rev"] == last["rev"], "nothing was lost, and nothing refused is there"
        assert "the disk" in server.log_text() or "full" in server.log_text()


@pytest.mark.parametrize("how", ["moved", "replaced", "removed"])
def test_a_folder_that_is_moved_while_the_server_runs(how, tmp_path):
    """What is written into files that the next start does not find must not be answered as kept."""
    with Server({"g": GRAPH}, keeps=True) as server:
        assert send(server, "kept").status == 200
        os.rename(server.data, tmp_path / "away")
        if how == "replaced":
            shutil.copytree(tmp_path / "away", server.data)
        refused = send(server, "lost")
        assert refused.status == 503 and refused.json()["code"] == "engine_down"
        assert server.value("g", "w1") == "kept", "reads go on"
        assert server.get("/readyz").status == 200
        assert server.get("/readyz?for=writes").json()["code"] == "engine_down"
        assert server.metrics()["sluice_log_ready"] == 0
        assert "was moved, removed or replaced while the server runs" in server.log_text()
        if how == "removed":
            shutil.rmtree(tmp_path / "away")
            assert send(server, "lost").json()["code"] == "engine_down", "there is nothing to put back"
            return
        if how == "replaced":
            shutil.rmtree(server.data)
        os.rename(tmp_path / "away", server.data)
        eventually(lambda: send(server, "again").status == 200, what="the folder is back")
        server.kill()
        server.start()
        assert server.value("g", "w1") == "again"


def send(server, value):
    return server.request(
        "POST", "/v1/graphs/g/nodes/w1", json.dumps(value), {"Content-Type": "application/json"}
    )


def test_only_the_servers_user_reads_its_files(tmp_path):
    """Whatever the folder's mode and the umask are; files of former versions get the mode as well."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    (folder / "sluice.db").touch(mode=0o644)
    umask = os.umask(0)
    try:
        server = Server({"g": "graph: g\nnodes:\n  x: { set: any }\n"}, f"dataDir: {folder}\n")
    finally:
        os.umask(umask)
    with server:
        server.set("g", "x", 1)
        modes = {path.name: oct(path.stat().st_mode & 0o777) for path in folder.iterdir()}
        assert {"sluice.db", "sluice.db-wal"} <= set(modes) and set(modes.values()) == {"0o600"}, modes
