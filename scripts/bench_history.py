#!/usr/bin/env python3
"""Histories by time: what a week of minutes of many nodes costs in bytes, and how soon a range is
answered.

    scripts/bench_history.py [--nodes N] [--days N] [--sets N] [--speed N] [--memory]

The server's wall clock runs `--speed` times as fast (a library of ten lines that is loaded before
the C library), so that a week of minutes passes in some minutes. `SLUICE_BINARY` names the server;
without it, the one of `make release`.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("SLUICE_BINARY", str(ROOT / ".build/release/sluice"))
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from sluice import Server  # noqa: E402

CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static int (*real)(clockid_t, struct timespec *);
int clock_gettime(clockid_t id, struct timespec *t) {
    static long long begin;
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, t);
    if (result || id != CLOCK_REALTIME) return result;
    long long now = t->tv_sec * 1000000LL + t->tv_nsec / 1000, speed = atoll(getenv("BENCH_SPEED"));
    if (!begin) begin = atoll(getenv("BENCH_BEGIN"));
    now = begin + (now - begin) * speed;
    t->tv_sec = now / 1000000;
    t->tv_nsec = now % 1000000 * 1000;
    return 0;
}
int gettimeofday(struct timeval *v, void *zone) {
    struct timespec t;
    int result = clock_gettime(CLOCK_REALTIME, &t);
    v->tv_sec = t.tv_sec;
    v->tv_usec = t.tv_nsec / 1000;
    return result;
}
"""
GRAPH = "graph: g\nnodes:\n  s.{id}: { set: number, history: { for: 366d, every: 1m } }\n"


def fast_clock(folder, speed):
    """The environment of a process whose wall clock is fast from now on."""
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library), "BENCH_SPEED": str(speed), "BENCH_BEGIN": str(time.time_ns() // 1000)}


def play(server, nodes, days, sets, speed, begin):
    """Sets every node so often in each minute of these days; how many sets fell behind their time."""
    dice, late = random.Random(1), 0
    values = [20.0] * nodes
    for turn in range(days * 1440 * sets):
        due = begin + turn * 60 / sets / speed
        if time.time() < due:
            time.sleep(due - time.time())
        late += time.time() > due + 30 / sets / speed
        values = [round(value + dice.uniform(-0.2, 0.2), 2) for value in values]
        body = {f"s.{number}": value for number, value in enumerate(values)}
        assert server.batch("g", set=body).status == 200
    return late


def ask(server, number, query):
    """The milliseconds until a range is answered, and its steps."""
    start = time.perf_counter()
    answer = server.get(f"/v1/graphs/g/nodes/s.{number}/history?{query}")
    taken = (time.perf_counter() - start) * 1000
    assert answer.status == 200, answer
    return taken, answer.json()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--sets", type=int, default=3, help="in each minute")
    parser.add_argument("--speed", type=int, default=1200)
    parser.add_argument("--memory", action="store_true", help="without a database")
    given = parser.parse_args()
    limits = "limits: { sets: 0, body: 4MiB }\n"
    with tempfile.TemporaryDirectory() as folder:
        clock = fast_clock(pathlib.Path(folder), given.speed)
        begin = int(clock["BENCH_BEGIN"]) / 1e6
        with Server({"g": GRAPH}, limits, environment=clock, keeps=not given.memory) as server:
            empty = server.resident()
            late = play(server, given.nodes, given.days, given.sets, given.speed, begin)
            resident = server.resident() - empty
            if not given.memory:
                server.stop()
                server.start()
            week = "begin=0&points=500"
            times = [ask(server, number % given.nodes, week) for number in range(200)]
            steps = ask(server, 0, "begin=0&points=2000")[1]["d"]
            emissions = sum(step["n"] for step in steps)
            kept = given.nodes * given.days * 1440
            size = sum(file.stat().st_size for file in server.data.glob("sluice.db*"))
            result = {
                "nodes": given.nodes, "days": given.days, "setsPerMinute": given.sets,
                "emissionsOfOneNode": emissions, "setsThatWereLate": late,
                "residentBytesPerStep": round(resident / kept, 1),
                "databaseBytesPerStepWithItsCommits": round(size / kept, 1),
                "answerMilliseconds": {
                    "median": round(statistics.median(each for each, _ in times), 2),
                    "most": round(max(each for each, _ in times), 2),
                },
            }
            if not given.memory:
                with contextlib.closing(sqlite3.connect(server.data / "sluice.db")) as database:
                    [output] = database.execute("SELECT sum(length(steps)), count(*) FROM history")
                result["storedBytesPerStep"] = round(output[0] / kept, 2)
                result["storedRows"] = output[1]
            print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
