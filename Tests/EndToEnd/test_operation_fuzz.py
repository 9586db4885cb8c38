"""Random operations of valid form over HTTP and WebSockets, many at once: nothing corrupts, stops,
hangs or leaks.

fuzzing/ has the parts. `SLUICE_SEED=n` repeats a run's choices. Nightly it takes
`SLUICE_FUZZ_SECONDS` (an hour).
"""

import asyncio
import json
import os
import random
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fuzzing import content, definitions, messages, routes, world
from fuzzing.rounds import Run
from hostile.standing import SANITIZED
from sluice import BINARY, ROOT, Server

pytestmark = pytest.mark.long

NIGHTLY = os.environ.get("SLUICE_NIGHTLY")
SECONDS = float(os.environ.get("SLUICE_FUZZ_SECONDS", 3600 if NIGHTLY else 0))
SEED = int(os.environ.get("SLUICE_SEED") or random.SystemRandom().randrange(1_000_000))
# In a round, and rounds of one server.
OPERATIONS, ROUNDS = (20_000, 20) if SECONDS else (3_000, 2)
# By how much memory may grow from round to round, once it has settled.
SLOPE = 1 << 20


@pytest.fixture(scope="module")
def server():
    with Server({}) as running:
        yield running


def table(heading, column=0):
    """The words in code font in a column of a table of docs/protocol.md."""
    rows = re.search(
        rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", (ROOT / "docs/protocol.md").read_text(), re.M
    )[1]
    return {
        word for row in rows.splitlines() for word in re.findall(r"`([^`]+)`", row.split("|")[column + 1])
    }


def test_every_operation_of_the_socket_is_tried():
    assert table("`op`") == set(messages.MESSAGES)


def test_every_option_of_a_subscription_is_tried():
    assert table("option") == set(messages.OPTIONS) | set(messages.SUBJECTS)


def test_every_report_of_a_load_is_tried():
    assert {re.match(r'"(\w+)"', word)[1] for word in table("report")} >= set(world.REPORTS)


def test_every_route_is_tried(server):
    paths = server.get("/openapi.json").json()["paths"]
    names = {
        operation["operationId"]
        for path in paths.values()
        for verb, operation in path.items()
        if verb != "parameters"
    }
    assert names == set(routes.ROUTES) | routes.STREAMS


def test_every_operator_is_tried(server):
    operators = server.get("/v1/operators").json()["operators"]
    words = {row[word] for row in operators for word in ("name", "alias") if word in row}
    assert words == {*definitions.SOURCES, *definitions.TIES, *content.STAGES}
    assert {row["name"] for row in operators if row["stage"]} <= set(content.STAGES)


def test_every_key_of_a_node_is_tried():
    schema = json.loads(subprocess.run([BINARY, "schema"], check=True, capture_output=True, text=True).stdout)
    keys = {key for form in schema["$defs"]["node"]["oneOf"] for key in form["properties"]}
    assert keys - set(definitions.SOURCES) == set(definitions.KEYS) | {
        "set", "source", "pipe", "map", "reduce", "buffer", "zone", "days",
    }


async def rounds(seed, number, until):
    """The rounds of one server: with and without a log, with and without tokens. One at least,
    others as long as there is time."""
    async with Run(seed, number, keeps=number % 2 == 1, asks=number // 2 % 2 == 1) as run:
        for done in range(ROUNDS):
            if done and SECONDS and time.monotonic() > until:
                break
            await run.round(OPERATIONS)
        # A sanitizer keeps memory that was given back.
        if not run.keeps and len(run.resident) > 10 and not SANITIZED:
            assert run.slope() < SLOPE, f"{run.report()}\nresident memory after each round: {run.resident}"
        return run


@pytest.mark.first
@pytest.mark.timeout(SECONDS + 600)
def test_random_operations():
    worker = ThreadPoolExecutor(1)
    began, number, tally = time.monotonic(), 0, {}
    print(f"\nSLUICE_SEED={SEED}")
    while number < 4 or time.monotonic() - began < SECONDS:
        # Each of the four kinds of server gets its share of the time.
        until = began + SECONDS * min(number + 1, 4) / 4
        # In a thread of its own: the main one may already run the loop of the browsers' tests.
        run = worker.submit(asyncio.run, rounds(SEED + number // 4, number, until)).result()
        for operation, outcomes in run.tally().items():
            all_ = tally.setdefault(operation, {})
            for outcome, count in outcomes.items():
                all_[outcome] = all_.get(outcome, 0) + count
        number += 1
        print(f"server {number}: {run.world.operations} operations, {time.monotonic() - began:.0f} s")
    # Most of what is sent makes sense. A short run may miss what is rarely sent.
    if not SECONDS:
        return
    for kind, table_ in ("ws", messages.MESSAGES), ("http", {**routes.ROUTES, "streamEvents": None}):
        never = [name for name in table_ if not tally.get((kind, name), {}).get("ok")]
        never = [name for name in never if name not in routes.VAIN]
        assert not never, f"SLUICE_SEED={SEED}: never with success: {never}"
