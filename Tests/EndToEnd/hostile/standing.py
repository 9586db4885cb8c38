"""The server that stands the cases, and what is looked at behind each of them.

Behind every case a value is set by a request on a new connection, which has to be answered within a
second, and a subscriber that was there all the time has to be told that value and nothing else.
Then the counters must come back to where they were: connections by kind, sessions, subscriptions,
listeners, nodes, edges, and the process's descriptors.
"""

import contextlib
import os
import pathlib
import time

from conftest import CHAIN, Client
from sluice import Server, eventually

GRAPH = CHAIN + """  pulse: { set: number, initial: 0 }
  beat: { from: pulse, pipe: [ { map: "value + 0.5" } ] }
  past: { set: number, initial: 1, history: 4 }
  guarded: { set: number, initial: 1, requireIfMatch: true }
"""
GAUGES = (
    "sluice_connections{", "sluice_sessions", "sluice_subscriptions{", "sluice_listeners{", "sluice_nodes{",
    "sluice_edges{", "sluice_commits_pending{", "sluice_compression_context_bytes", "process_open_fds",
)
# How long a normal request may take: a second; on a machine that others keep busy longer, as long
# as it is not the server that used the time.
LIMIT, PATIENCE = 1.0, 8.0
# The sanitizers cost ten times the time, and keep memory that was given back.
SANITIZED = "ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ
if SANITIZED:
    LIMIT, PATIENCE = 10.0, 30.0


class Standing:
    """A running server, a subscriber, and the counters as they were before the first case."""

    def __init__(self, server):
        self.server = server
        self.subscriber = Client(server)
        self.subscriber.ask(op="sub", graph="g", node="beat")
        self.pulse = 0
        self.ask()
        eventually(lambda: self.counters()['sluice_connections{transport="http"}'] == 1)
        self.before = self.counters()

    def ask(self):
        """A normal request on a new connection is answered within a second, and the subscriber
        hears of it."""
        self.pulse += 1
        began, used = time.monotonic(), self.processor()
        self.server.set("g", "pulse", self.pulse)
        took, used = time.monotonic() - began, self.processor() - used
        if took >= LIMIT:
            assert used < LIMIT / 2 and took < PATIENCE, (
                f"a normal request took {took:.2f} s; the server worked for {used:.2f}"
            )
        while True:
            told = self.subscriber.receive()
            if told["op"] != "hb":
                assert [entry["id"] for entry in told["d"]] == [1], told
                if told["d"][0]["v"] == self.pulse + 0.5:
                    return

    def processor(self):
        """Seconds of processor time that the server has used."""
        fields = pathlib.Path(f"/proc/{self.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def counters(self):
        """What is alive, the connection that asks among it."""
        return {name: value for name, value in self.server.metrics().items() if name.startswith(GAUGES)}

    def check(self):
        """What holds behind every case."""
        assert self.server.process.poll() is None, self.server.log_text()[-4000:]
        self.ask()
        if self.counters() != self.before:
            eventually(
                lambda: self.counters() == self.before, f"the counters {self.before}, not {self.counters()},"
            )

    def run(self, case):
        case.run(self.server)
        self.check()

    def close(self):
        self.subscriber.close()


@contextlib.contextmanager
def standing(config="", graph=GRAPH, **options):
    """A server for many cases."""
    with Server({"g": graph}, config, **options) as server:
        stands = Standing(server)
        yield stands
        stands.close()


def folder(path):
    """A public folder with everything in it that must not be served, beside a few files that are."""
    public, outside = path / "public", path / "outside"
    for made in (public / "sub", public / "empty", public / ".well-known", outside):
        made.mkdir(parents=True)
    (outside / "secret.txt").write_text("secret")
    (path / "public-too").mkdir()
    (path / "public-too" / "secret.txt").write_text("secret")
    for name in (
        "index.html", "page.js", "style.css", "sub/index.html", "a b.txt", "ä.txt", "dotted..txt", "%41.txt",
    ):
        (public / name).write_text(f"<p>{name}</p>" + " " * 600)
    for name in (".hidden", ".env", ".well-known/x", "sub/.htaccess"):
        (public / name).write_text("secret")
    (public / "locked.txt").write_text("secret")
    os.chmod(public / "locked.txt", 0)
    os.symlink(outside / "secret.txt", public / "out.txt")
    os.symlink(outside, public / "outdoor")
    os.symlink("/etc/passwd", public / "passwd.txt")
    os.symlink(path / "public-too" / "secret.txt", public / "neighbour.txt")
    os.symlink(public / "page.js", public / "in.js")
    os.symlink("loop.txt", public / "loop.txt")
    os.symlink("nowhere.txt", public / "dangling.txt")
    os.symlink("/dev/zero", public / "zero.txt")
    os.mkfifo(public / "pipe.txt")
    return public
