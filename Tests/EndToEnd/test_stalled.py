"""A client that does not read, beside one that does: the server keeps a mark for it and no values,
the other one notices nothing, and when it reads again it hears the newest value and how many were
folded into it.

Five thousand commits, and with SLUICE_NIGHTLY a hundred thousand. The figures are printed (`pytest -s`).
"""

import collections
import json
import os
import statistics
import time

import pytest
from rawsocket import RawSocket, RawWebSocket
from sluice import Server
from test_tls import Secure

COMMITS = 100_000 if os.environ.get("SLUICE_NIGHTLY") else 5_000
MEBIBYTE = 1 << 20
SOFT_LIMIT = 64 * 1024  # limits.unsent
GRAPH = "graph: g\nnodes:\n  any: { set: any }\n"
# Kernel and server would otherwise end the stalled connection as lost, after two heartbeats.
PATIENT = "heartbeat: 30m\n"

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800), pytest.mark.weighed]


Run = collections.namedtuple("Run", "times used most")


class Traffic:
    """One client that sets and one that hears every value, a commit at a time."""

    def __init__(self, server, size):
        secure = server.trust is not None
        self.server, self.padding, self.number = server, "x" * size, 0
        self.poster = RawSocket(server, secure=secure)
        self.fast = RawWebSocket(server, secure=secure)
        self.rev = self.fast.subscribe("g", "any", mode="all")["rev"]
        self.head = (f"POST /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n"
                     f"Content-Type: application/json\r\nContent-Length: {size + 9}\r\n\r\n")

    @property
    def newest(self):
        return f"{self.number:07}{self.padding}"

    def run(self, commits):
        """Sets `commits` times; returns the times from sending to the subscriber's having it and
        the processor time of the server for each, in µs, and the most memory that the server
        held."""
        times, most = [], self.server.resident()
        used = self.processor_time()
        for count in range(commits):
            self.number += 1
            request = f'{self.head}"{self.newest}"'.encode()
            begun = time.perf_counter_ns()
            self.poster.send(request)
            _, frame = self.fast.next_frame()
            times.append((time.perf_counter_ns() - begun) / 1000)
            update = json.loads(frame)
            self.rev += 1
            assert (update["rev"], update["d"]) == (self.rev, [{"id": 1, "v": self.newest}]), (
                "every rev, once"
            )
            assert self.poster.response()[0] == 200
            if count % 100 == 0:
                most = max(most, self.server.resident())
        used = self.processor_time() - used
        return Run(times, used / commits, max(most, self.server.resident()))

    def processor_time(self):
        """That of the server's loop, in µs."""
        with open(f"/proc/{self.server.process.pid}/schedstat") as times:
            return int(times.read().split()[0]) / 1000

    def fill(self):
        """Sets until the kernel takes no more for somebody, and the server holds back what it may
        hold back."""
        while max(c["queued"] for c in self.server.get("/v1/connections").json()["connections"]) < SOFT_LIMIT:
            self.run(100)


class Latest:
    """A WebSocket with subscriptions in mode `latest`, which may be folded."""

    size = 1000
    subscriptions = 1

    def __init__(self, server):
        # No more than the smallest receive buffer: what the kernels hold is neither read nor in the
        # server's memory.
        self.socket = RawWebSocket(server, receive_buffer=4096, secure=server.trust is not None)
        for number in range(self.subscriptions):
            self.socket.subscribe("g", "any", id=number + 1)

    def read_on(self, newest, commits):
        """Reads until it knows the newest value; returns how many were folded at most into one."""
        folded, seen = dict.fromkeys(range(1, self.subscriptions + 1), 0), set()
        most = 0
        while len(seen) < self.subscriptions:
            for entry in self.socket.message()["d"]:
                folded[entry["id"]] += entry.get("n", 1)
                most = max(most, entry.get("n", 1))
                if entry["v"] == newest:
                    seen.add(entry["id"])
        assert set(folded.values()) == {commits}, "every emission is in the counts"
        return most

    def read_one_more(self, newest):
        entries = self.socket.message()["d"]
        assert [entry["v"] for entry in entries] == [newest] * self.subscriptions
        assert all("n" not in entry for entry in entries)


class ManyLatest(Latest):
    size = 40
    subscriptions = 200


class Events:
    """A stream of server-sent events."""

    size = 1000
    subscriptions = 1

    def __init__(self, server):
        self.socket = RawSocket(server, receive_buffer=4096)
        self.socket.send("GET /v1/graphs/g/events?node=any HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " in self.socket.until(b"\r\n\r\n")
        self.text = b""
        assert self.event()["op"] == "snap"

    def event(self):
        while b"\n\n" not in self.text:
            length = int(self.socket.until(b"\r\n"), 16)
            self.text += self.socket.exactly(length + 2)[:-2]
        event, self.text = self.text.split(b"\n\n", 1)
        return json.loads(next(line[5:] for line in event.split(b"\n") if line.startswith(b"data:")))

    def read_on(self, newest, commits):
        folded = most = 0
        while True:
            entry, = self.event()["d"]
            folded += entry.get("n", 1)
            most = max(most, entry.get("n", 1))
            if entry["v"] == newest:
                assert folded == commits, "every emission is in the counts"
                return most

    def read_one_more(self, newest):
        assert self.event()["d"] == [{"id": 1, "v": newest}]


class Plain:
    """A plain stream of bare values, which has no counts."""

    size = 1000
    subscriptions = 1

    def __init__(self, server):
        self.socket = RawWebSocket(server, "/v1/graphs/g/nodes/any", None, receive_buffer=4096)
        assert self.socket.message() is not None

    def read_on(self, newest, commits):
        last, most = None, 0
        while last != newest:
            value = self.socket.message()
            assert last is None or value > last, "in order"
            most = max(most, int(value[:7]) - int(last[:7]) if last else 1)
            last = value
        return most

    def read_one_more(self, newest):
        assert self.socket.message() == newest


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def told(what, run):
    print(
        f"  {what:<18} p50 {statistics.median(run.times):7.0f} µs   p99 {percentile(run.times, 0.99):7.0f} "
        "µs   "
        f"processor {run.used:6.1f} µs"
    )


def check(server, Stalled):
    """The same commits without the stalled client and with it."""
    traffic = Traffic(server, Stalled.size)
    traffic.run(500)
    before = traffic.run(COMMITS)
    stalled = Stalled(server)
    start, fresh = server.resident(), traffic.number
    traffic.fill()
    # Of two halves the less disturbed one counts: what shares a processor costs time there, too.
    halves = [traffic.run(COMMITS // 2) for _ in range(2)]
    beside, most = min(halves, key=lambda run: run.used), max(run.most for run in halves)
    folded = stalled.read_on(traffic.newest, traffic.number - fresh)
    assert folded >= COMMITS, "it was stalled"
    traffic.run(1)
    stalled.read_one_more(traffic.newest)
    stalled.socket.close()
    after = traffic.run(COMMITS)

    print(f"\n{Stalled.__name__}, {COMMITS} commits of {Stalled.size + 9} bytes")
    told("without, before", before)
    told("beside the stalled", beside)
    told("without, after", after)
    print(f"  memory grew by {(most - start) / 1024:.0f} KiB; folded into one: {folded}")
    assert most - start < MEBIBYTE
    # A server that waited for the stalled client would get nothing done, and one that sent or
    # copied something for it would need the time of another reader; a mark costs less than a
    # hundredth of a commit. Processor time, because other work on the machine moves what clients
    # wait.
    assert beside.used < (1.5 + Stalled.subscriptions / 100) * max(before.used, after.used)


@pytest.mark.parametrize("kind", [Latest, ManyLatest, Events, Plain], ids=lambda kind: kind.__name__)
def test_a_stalled_client_costs_a_mark_and_no_other_client_anything(kind):
    with Server({"g": GRAPH}, PATIENT) as server:
        server.set("g", "any", "")
        check(server, kind)


def test_a_stalled_client_over_tls_costs_no_more(tmp_path):
    with Secure(tmp_path, PATIENT, graphs={"g": GRAPH}) as server:
        check(server, Latest)


def test_a_stalled_client_that_wants_every_value_ends_with_slow_and_holds_no_more_than_its_queue():
    with Server({"g": GRAPH}, PATIENT) as server:
        traffic = Traffic(server, 1000)
        traffic.run(500)
        stalled = RawWebSocket(server, receive_buffer=4096)
        rev = stalled.subscribe("g", "any", mode="all")["rev"]
        start = server.resident()
        most = traffic.run(COMMITS).most
        heard = 0
        while (message := stalled.message())["op"] == "upd":
            heard += 1
            assert message["rev"] == rev + heard, "without a gap up to its end"
        assert (message["op"], message["code"]) == ("end", "slow")
        assert heard < COMMITS
        stalled.text({"op": "ping", "id": 2})
        assert stalled.message() == {"op": "ok", "id": 2}, "the connection goes on"
        print(f"\nmode all: {heard} values before its end; memory grew by {(most - start) / 1024:.0f} KiB")
        assert most - start < MEBIBYTE
