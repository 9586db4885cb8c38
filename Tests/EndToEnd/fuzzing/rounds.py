"""A run: a server, rounds of many clients at once, the comparison after each, and what a failure says.

The clients' choices come from the seed; what answers teach them, and when, does not. So a seed repeats the
kind of a history, and its end nearly always; the journal has the bytes.
"""

import asyncio
import collections
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import traceback

from fuzzing import clients, receiver, tokens
from fuzzing.definitions import definition
from fuzzing.standing import FILE, MEMBERS, Standing
from fuzzing.world import FILED, GRAPHS, World
from hostile.standing import PATIENCE, SANITIZED
from sluice import BINARY, ROOT, Server

# How long the server may owe an answer.
LIMIT = PATIENCE * 2
# Reads of the past wait in a line, behind those of others.
LINE = 3 * LIMIT
CROWD = 12
# How long a server that crashes may take to write where.
DYING = 20
# The allocator fills what is freed, so that reading it is noticed; a sanitizer does that itself.
FILLED = {} if SANITIZED else {"MALLOC_PERTURB_": os.environ.get("MALLOC_PERTURB_", "165")}
BRIEF = {"SWIFT_BACKTRACE": "threads=crashed,images=none,registers=none"}
# Small limits, so that they are met; debug builds take them.
SMALL = (
    "# fixed: limits.work=20 limits.kept=6 limits.keptChains=8 limits.zipBuffer=3 limits.windowValues=5 "
    "limits.delayed=3 limits.idempotencyKeys=40 limits.unsent=4KiB limits.switchKeys=3 limits.patterns=20\n"
)


class Run:
    """One server. `keeps` gives it a log, in which it is killed as well; `asks` makes it ask for tokens."""

    def __init__(self, seed, number, keeps, asks):
        self.dice = random.Random(f"{seed} server {number}")
        self.world = World(seed)
        self.keeps, self.asks = keeps, asks
        self.began, self.rounds, self.number = time.monotonic(), 0, 0
        self.clients, self.resident = set(), []

    async def __aenter__(self):
        self.receiver, self.world.sink_port = await receiver.start(self.dice)
        is_small = self.dice.random() < 0.5
        limits = f"members: {MEMBERS}, held: 1MiB" + (", matches: 12" if is_small else "")
        config = f"limits: {{ {limits} }}\nlog: {{ level: error }}\ndrain: 2s\n"
        config += f'sinkHosts: ["127.0.0.1:{self.world.sink_port}"]\nsourceHosts: ["127.0.0.1:9"]\n'
        config += SMALL if is_small else ""
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-fuzz-")
        if self.asks:
            config += f"auth: {self.folder.name}/tokens.yaml\n"
            self.world.tokens = tokens.write(f"{self.folder.name}/tokens.yaml")
        self.server = Server(
            {FILED: json.dumps(FILE)}, config, keeps=self.keeps, environment={**FILLED, **BRIEF}
        )
        self.host = f"{self.server.host}:{self.server.port}"
        description = self.server.get("/openapi.json").json()
        self.codes = set(description["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]) | {
            "cycle", "id_in_use", "slow",
        }
        self.documented = {
            operation["operationId"]: {
                int(status): answer["description"] for status, answer in operation["responses"].items()
            }
            for path in description["paths"].values()
            for verb, operation in path.items()
            if verb != "parameters"
        }
        return self

    async def __aexit__(self, kind, *_):
        self.receiver.close()
        self.folder.cleanup()
        if kind:
            self.server.process.kill()
            self.server.process.wait()
        self.server.__exit__(kind, *_)

    # What clients ask

    def count(self, operations):
        self.world.operations += operations
        self.is_over = self.is_over or self.world.operations >= self.quota

    def expects(self, name, status, code):
        """Whether an error is one that the route may answer with."""
        if status >= 500:
            return code == "busy" or code in ("not_ready", "draining") and self.world.is_away
        if code in ("not_found", "method_not_allowed"):
            return True
        return code in self.documented[name].get(status, "")

    def ended(self, client):
        self.clients.discard(client)

    # A round

    async def round(self, operations):
        """Lets clients perform about this many operations, ends everything, and compares."""
        asyncio.get_running_loop().set_exception_handler(self.noticed)
        standing = await asyncio.to_thread(Standing, self.server, self.world.tokens)
        self.rounds += 1
        self.is_over, self.quota, self.clients = False, self.world.operations + operations, set()
        self.dice = random.Random(f"{self.world.seed} {self.rounds}")
        self.world.tickets.clear()
        for graph in GRAPHS:
            body = self.world.definition(self.dice, graph)
            await asyncio.to_thread(
                standing.ask, "PUT", f"/v1/graphs/{graph}", body, expected=range(200, 500)
            )
        killed = self.world.operations + operations * self.dice.uniform(0.2, 0.9) if self.keeps else None
        written = asked = 0
        while not self.is_over or self.clients:
            self.check()
            if killed and self.world.operations >= killed:
                killed = None
                await self.kill()
                standing.restarted()
            if len(self.clients) < CROWD and not self.is_over:
                await self.add()
            now = time.monotonic()
            if now - asked > 0.5:
                asked = now
                await self.pulse()
            if now - written > 0.3 and not self.is_over:
                written = now
                self.write_file(definition(self.dice, lambda rng, nodes: {}))
            await asyncio.sleep(0.005)
        try:
            await asyncio.to_thread(standing.restore)
            await asyncio.to_thread(standing.check)
        except (AssertionError, OSError) as failure:
            self.check()
            self.world.fail(f"after round {self.rounds}: {failure}")
        self.check()
        self.resident.append(self.server.resident())

    def noticed(self, _, context):
        """An exception in a client."""
        self.world.fail(
            "".join(traceback.format_exception(context["exception"]))
            if "exception" in context
            else context["message"]
        )

    async def add(self):
        self.number += 1
        rng = random.Random(f"{self.world.seed} {self.rounds} {self.number}")
        client = rng.choice(clients.KINDS)(self, self.number, rng)
        self.clients.add(client)
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: client, self.server.host, self.server.port
            )
        except OSError as failure:
            self.clients.discard(client)
            if self.server.process.poll() is None:
                self.world.fail(f"no connection: {failure}")

    def write_file(self, made):
        """Changes the file of the graph that a file owns; a reload reads it."""
        path = f"{self.server.folder.name}/graphs/{FILED}.yaml"
        with open(path + ".new", "w") as file:
            json.dump({"graph": FILED, **made}, file)
        # At once: a reload never reads half of it.
        os.replace(path + ".new", path)

    async def pulse(self):
        """A request on a new connection is answered in time, and every client has its answers in time."""
        try:
            async with asyncio.timeout(LIMIT):
                reader, writer = await asyncio.open_connection(self.server.host, self.server.port)
                writer.write(
                    f"GET /healthz HTTP/1.1\r\nHost: {self.host}\r\nConnection: close\r\n\r\n".encode()
                )
                answer = await reader.read()
                writer.close()
            if not answer.startswith(b"HTTP/1.1 200"):
                self.world.fail(f"/healthz answered {answer!r}")
        except TimeoutError:
            self.world.fail(f"the server hangs: no answer from /healthz within {LIMIT:g} s")
        except OSError as failure:
            self.world.fail(f"/healthz: {failure}")
        for client in self.clients:
            if client.is_stuck(LINE):
                self.world.fail(
                    f"{client.kind}{client.number} has waited {LINE:g} s for {list(client.waiting)[:3]}"
                )

    async def kill(self):
        """Ends the server as `kill -9` does, replays what it has kept, and starts it again."""
        self.world.is_away = True
        await asyncio.to_thread(self.server.kill)
        await asyncio.to_thread(self.replay)
        # With a problem in a file a server does not start.
        self.write_file(FILE)
        try:
            await asyncio.to_thread(self.server.start)
        except AssertionError as failure:
            self.world.fail(f"after a kill: {failure}")
            self.check()
        self.world.is_away = False

    def replay(self):
        for graph in [FILED, *GRAPHS]:
            ran = subprocess.run(
                [BINARY, "replay", "--data", self.server.data, graph], capture_output=True, text=True,
                timeout=LIMIT * 4, env={**os.environ, **FILLED},
            )
            if ran.returncode != 0 and "no data is stored" not in ran.stderr:
                self.world.fail(
                    f"after a kill: sluice replay {graph} ended with {ran.returncode}: "
                    f"{ran.stdout[-1500:]} {ran.stderr[-1500:]}"
                )

    # What becomes of it

    def check(self):
        """Fails where something has gone wrong: with the seed, what the server said, and what was
        sent last."""
        if self.world.failure and not self.world.is_away:
            # Whatever a client has noticed may be the beginning of a crash.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.server.process.wait(DYING)
        code = None if self.world.is_away else self.server.process.poll()
        if code is not None:
            word = signal.Signals(-code).name if code < 0 else f"code {code}"
            self.world.failure = f"the server ended by itself with {word}\n{self.last_words()}"
        if self.world.failure:
            if code is None and not self.world.is_away:
                self.world.failure += f"\nThe server's log ends with:\n{self.server.log_text()[-2000:]}"
            raise AssertionError(self.report())

    def last_words(self):
        """What the server's log ends with, of a backtrace the frames of the thread that crashed."""
        text = self.server.log_text()
        found = re.search(r"^.*(?:Fatal error|rogram crashed|Sanitizer:).*$", text, re.M)
        return text[found.start():][:5000] if found else text[-3000:]

    def report(self):
        path = self.world.save_journal().relative_to(ROOT)
        last = "\n".join(
            f"  {time_:.3f} {connection} {data[:300]!r}"
            for time_, connection, data in list(self.world.journal)[-15:]
        )
        return (
            f"SLUICE_SEED={self.world.seed} keeps={self.keeps} asks={self.asks} round {self.rounds}, after "
            f"{self.world.operations} operations: "
            f"{self.world.failure}\nWhat was sent last ({path} has more):\n{last}"
        )

    def tally(self):
        """By operation, how often it was answered how."""
        by = collections.defaultdict(dict)
        for (kind, name, outcome), count in self.world.tally.items():
            by[kind, name][outcome] = count
        return by

    def slope(self):
        """By how many bytes memory has grown from round to round since the first third of them."""
        settled = self.resident[len(self.resident) // 3:]
        return (settled[-1] - settled[0]) / max(1, len(settled) - 1)
