"""The way out of a server whose loop is stuck: SIGTERM ends it within `drain`, a second one at once.

What it is stuck on is the log: standard error is a pipe that is full and that no process reads.
"""

import os
import signal
import time
import urllib.request

import pytest
from sluice import PATIENCE, Server, eventually

GRAPH = "graph: g\nnodes:\n  x: { set: number, initial: 0 }\n"


class StuckServer(Server):
    """A server whose standard error takes nothing."""

    def start(self, *arguments):
        self.unread, self.full = os.pipe()
        # Opened anew, so that only this end does not wait.
        filler = os.open(f"/proc/self/fd/{self.full}", os.O_WRONLY | os.O_NONBLOCK)
        log, self.log = self.log, os.fdopen(self.full, "wb", buffering=0)
        super().start(*arguments)
        self.log = log
        try:
            while os.write(filler, b"x" * 4096):
                pass
        except BlockingIOError:
            pass
        os.close(filler)

    def get_stuck(self):
        """Has it write a line into its log."""
        self.process.send_signal(signal.SIGUSR1)
        eventually(lambda: not self.answers())

    def answers(self):
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2):
                return True
        except OSError:
            return False


@pytest.fixture
def stuck(request):
    drain = getattr(request, "param", "2s")
    server = StuckServer({"g": GRAPH}, f"drain: {drain}\ndurability: fsync\n", keeps=True)
    yield server
    if server.process.poll() is None:
        server.kill()
    server.folder.cleanup()


def test_sigterm_ends_a_stuck_server_after_drain(stuck):
    for value in range(50):
        stuck.set("g", "x", value)
    stuck.get_stuck()
    began = time.monotonic()
    stuck.process.send_signal(signal.SIGTERM)
    assert stuck.process.wait(PATIENCE) == 128 + signal.SIGTERM
    assert time.monotonic() - began > 1.9
    # What was answered is on the disk.
    with Server({"g": GRAPH}, f"dataDir: {stuck.data}\n") as after:
        assert after.value("g", "x") == 49


@pytest.mark.parametrize("stuck", ["1h"], indirect=True)
def test_a_second_sigterm_ends_it_at_once(stuck):
    stuck.get_stuck()
    stuck.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    stuck.process.send_signal(signal.SIGINT)
    assert stuck.process.wait(PATIENCE) == 128 + signal.SIGINT


def test_a_server_that_is_not_stuck_ends_by_itself():
    with Server({"g": GRAPH}, "drain: 1s\n") as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0


@pytest.mark.weighed
def test_an_idle_server_and_its_watchdog_sleep():
    with Server({"g": GRAPH}, "watch: false\n") as server:
        server.get("/healthz")

        def switches():
            return sum(
                int(line.split()[1])
                for task in os.listdir(f"/proc/{server.process.pid}/task")
                for line in open(f"/proc/{server.process.pid}/task/{task}/status")
                if line.startswith("voluntary_ctxt_switches")
            )

        # The connection of the request ends, and the watchdog finds that nothing goes on.
        time.sleep(3)
        before = switches()
        time.sleep(4)
        assert switches() - before <= 2
