#!/usr/bin/env python3
"""The server beside a minimal one in C, on the same libraries, under the same load: targets P1 to
P7, and what TLS costs.

    scripts/bench.sh server [--quick] [--rounds N] [--only NAME] [--write FOLDER]
    scripts/bench.sh peers [the same]

With `--peers` (`peers`) it stands beside servers that a user would take, and C, in the cases that
all of them do.

Server on one processor, load on the other. A round runs every contestant of a case once, in turning
order, and probes before and after how near the two processors are to each other; a round that began
and ended in different states, or in another state than most rounds, is not counted. Ratios are
taken within a round; the report has the median over the rounds. Figures are processor time of the
server per operation unless said.
"""

import argparse
import datetime
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from bench import peers
from bench.cases import CASES, CHURN, PEER_CASES
from bench.contestant import SECURE, minimal, prepare, sluice
from bench.machine import ROOT, Machine, compiled, package_flags
from bench.rounds import measure, run


def slope(machine, folder, seconds):
    """How fast resident memory grows while clients come and vanish, bytes per second, after a warm-up."""
    contestant = sluice(machine, folder)
    try:
        contestant.load(CHURN.arguments, 3)
        load = subprocess.Popen(
            contestant.command(CHURN.arguments, seconds), stdout=subprocess.PIPE, text=True
        )
        times, sizes = [], []
        while load.poll() is None:
            times.append(time.monotonic())
            sizes.append(contestant.resident())
            time.sleep(0.5)
        cycles = json.loads(load.stdout.read())["cycles"]
    finally:
        contestant.stop()
    return statistics.linear_regression(times, sizes).slope, cycles, max(sizes) - sizes[0]


def beginning(machine, folder):
    """Start to listening, in milliseconds, and resident memory of a quiet server of the `host`
    graph, in MiB."""
    (folder / "host").mkdir()
    (folder / "host/host.yaml").write_text((ROOT / "config/graphs/host.yaml").read_text())
    times, sizes = [], []
    for _ in range(11):
        contestant = sluice(machine, folder, f"graphs={folder}/host")
        times.append(contestant.start * 1000)
        time.sleep(0.2)
        sizes.append(contestant.resident() / (1 << 20))
        contestant.stop()
    return statistics.median(times), statistics.median(sizes)


def number(values, digits):
    return f"{statistics.median(values):,.{digits}f}" if values else "–"


def verdict(case, ours, ratio):
    """What is wanted, and whether it is met."""
    wanted, met = [], True
    if ratio is not None and case.at_most:
        wanted.append(f"≤ {case.at_most} × C")
        met &= ratio <= case.at_most
    if ratio is not None and case.at_least:
        wanted.append(f"≥ {case.at_least} × C")
        met &= ratio >= case.at_least
    if case.bound:
        # Either of the two forms of a target that has both.
        wanted.append(f"≤ {case.bound} {case.unit}")
        met = (met and ratio is not None and bool(case.at_most)) or ours <= case.bound
    return (", ".join(wanted), "met" if met else "MISSED") if wanted else ("", "")


def compare(case, starts, rounds, machine, scale):
    """The rounds of one case; `starts` has a function for each contestant that starts its server."""
    return measure(
        {name: functools.partial(run, case, start, scale) for name, start in starts.items()}, rounds, machine
    )


def beside_c(options, cases, starts, machine, folder, say):
    """The table of targets, and what is measured without C."""
    say(
        "| target | case | Sluice | C | Sluice : C | wanted | | Sluice with TLS | rounds counted | cache "
        "line, ns |", "|---|---|---|---|---|---|---|---|---|---|",
    )
    for case in cases:
        taking = {name: start for name, start in starts.items() if name != SECURE or case.tls}
        result = compare(case, taking, options.rounds, machine, options.scale)
        for name, reason in result.failures.items():
            sys.exit(f"{name}, {case.name}: {reason}")
        ours, ratios = result.column("Sluice"), result.ratios("Sluice", "C")
        wanted, met = verdict(case, statistics.median(ours), statistics.median(ratios) if ratios else None)
        say(f"| {case.number} | {case.name} | {number(ours, case.digits)} {case.unit} | "
            f"{number(result.column('C'), case.digits)} | {number(ratios, 2)} | {wanted} | {met} | "
            f"{number(result.column(SECURE), case.digits)} | {result.note()} |")
    if not options.only:
        grown, cycles, most = slope(machine, folder, 5 if options.quick else 60)
        begun, size = beginning(machine, folder)
        say(
            "",
            f"P7, memory while {cycles:,} clients come and vanish: {grown:,.0f} bytes a second, at most "
            f"{most / 1024:,.0f} KiB above the beginning (target: 0).",
            f"P12, the `host` graph: {begun:.1f} ms from start to listening (target ≤ 20), {size:.1f} MiB "
            "resident "
            "(target ≤ 15).",
        )


def beside_peers(options, cases, starts, machine, say):
    """The table of peers: the figure of each, and how many times ours it is."""
    say(
        "In brackets: how many times Sluice's figure. Less is better in every line.", "",
        f"| case | {' | '.join(starts)} | rounds counted | cache line, ns |",
        "|---|" + "---|" * (len(starts) + 2),
    )
    failures = []
    for case in cases:
        result = compare(case, starts, options.rounds, machine, options.scale)
        cells = []
        for name in starts:
            figure = number(result.column(name), case.digits)
            ratios = result.ratios(name, "Sluice")
            if name == "Sluice":
                figure += f" {case.unit}"
            elif ratios:
                figure += f" ({number(ratios, 2)})"
            cells.append(figure)
        say(f"| {case.name} | {' | '.join(cells)} | {result.note()} |")
        failures += [
            f"- {name}, {case.name}: {reason.splitlines()[0]}" for name, reason in result.failures.items()
        ]
    say("", *([*failures, ""] if failures else []))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", action="store_true", help="beside servers that a user would take")
    parser.add_argument("--rounds", type=int, help="5 if not given; 3 with --peers")
    parser.add_argument(
        "--quick", action="store_true", help="one short round of each: does the harness work?"
    )
    parser.add_argument("--only", help="only cases whose name or number contains it")
    parser.add_argument("--write", type=pathlib.Path, help="also writes the report here, under the date")
    options = parser.parse_args()
    options.rounds = 1 if options.quick else options.rounds or (3 if options.peers else 5)
    options.scale = 0.5 if options.quick else 1
    cases = [case for case in (PEER_CASES if options.peers else CASES)
             if not options.only or options.only == case.number or options.only in case.name]

    lines = []

    def say(*more):
        lines.extend(more)
        print("\n".join(more), flush=True)

    with tempfile.TemporaryDirectory(prefix="sluice-bench-") as name:
        folder = pathlib.Path(name)
        prepare(folder)
        machine = Machine(folder)
        binary = compiled("minimal", folder, package_flags("libllhttp", "libuv", "libcrypto"))
        starts = {"Sluice": lambda: sluice(machine, folder), "C": lambda: minimal(machine, binary)}
        say(
            f"# The server beside {'its peers' if options.peers else 'C'}, {datetime.date.today()}", "",
            machine.description(),
            f"Server on processor {machine.processors[0]}, load on {machine.processors[-1]}; medians of at "
            f"least {options.rounds} "
            "rounds in which the processors stayed as near to each other; ratios are taken within a round.",
            "",
        )
        if options.peers:
            found, about = peers.installed(machine, folder)
            beside_peers(options, cases, {**starts, **found}, machine, say)
            say(*about)
        else:
            starts[SECURE] = lambda: sluice(machine, folder, name=SECURE)
            beside_c(options, cases, starts, machine, folder, say)
        say(f"Load of the machine at the end: {os.getloadavg()[0]:.1f}.")
    if options.write:
        options.write.mkdir(exist_ok=True)
        (options.write / f"{datetime.date.today()}-{'peers' if options.peers else 'server'}.md").write_text(
            "\n".join(lines) + "\n"
        )


if __name__ == "__main__":
    main()
