#!/usr/bin/env python3
"""How our server's work grows: with subscribers, with nodes, with client pipelines, with the size
of messages.

    scripts/bench.sh scaling [--quick] [--rounds N] [--only NAME] [--write FOLDER]

Server on one processor, load on the other, a new server for every point. A round makes every point
of a series once, in turning order; the report has medians over the rounds that count
(bench/rounds.py). Figures are processor time of the server. The exponent is that of the power law
nearest to the medians; the exponent of the last step is that between the two last points, where
fixed costs weigh least. With `--write` each series becomes a plot beside the report.
"""

import argparse
import datetime
import functools
import http.client
import json
import os
import pathlib
import statistics
import sys
import tempfile

from bench.contestant import prepare, sluice
from bench.machine import Machine
from bench.plot import count, duration, fit, signed, svg
from bench.rounds import measure

GRAPH = 'graph: house\nnodes:\n  note: { set: any, initial: "" }\n  item.{id}: { set: any }\n'
# What the largest points need.
LIMITS = ["limits.members=1000000", "limits.body=1MiB", "limits.pipelines=1000000000", "limits.held=1024MiB"]


def grow(contestant, nodes):
    """Creates that many nodes, members of a family."""
    connection = http.client.HTTPConnection(contestant.url.removeprefix("http://"), timeout=60)
    for first in range(0, nodes, 10_000):
        values = {f"item.{number}": 0 for number in range(first, min(nodes, first + 10_000))}
        connection.request(
            "POST", "/v1/graphs/house/batch", json.dumps({"set": values}),
            {"Content-Type": "application/json"},
        )
        response = connection.getresponse()
        if response.status != 200:
            sys.exit(f"{nodes} nodes: {response.status} {response.read()[:300]}")
        response.read()
    connection.close()


class Series:
    """Loads of growing size. `arguments` makes the load of a size; its figure is a POST's time, or
    with `each` a delivery's."""

    def __init__(
        self, name, title, subtitle, across, sizes, arguments, share=None, each=False, nodes=False,
        label=count,
    ):
        self.name, self.title, self.subtitle, self.across = name, title, subtitle, across
        self.sizes, self.arguments, self.each, self.nodes, self.label = sizes, arguments, each, nodes, label
        self.share = share  # what a POST's time is divided by in a further column

    def run(self, machine, folder, size, seconds):
        """One point: the server's processor time for one operation, in microseconds."""
        contestant = sluice(machine, folder, *LIMITS)
        try:
            if self.nodes:
                grow(contestant, size)
            report = contestant.load(self.arguments(size), seconds)
            return report["server_cpu_s"] * 1e6 / report["deliveries" if self.each else "posts"]
        finally:
            contestant.stop()


def powers(base, least, most):
    return [base ** exponent for exponent in range(least, most + 1)]


def binary(size):
    return f"{size} B" if size < 1024 else f"{size // 1024} KiB"


SERIES = [
    Series(
        "fan-out", "One POST and its deliveries",
        "64 bytes to every subscriber, mode latest, one POST in flight", "subscribers", powers(10, 0, 4),
        lambda size: ["fanout", "--latest", "--size", 64, "--subscribers", size], share="subscriber",
    ),
    Series(
        "nodes", "One POST in a growing graph",
        "64 bytes, 50 connections, 16 pipelined on each, no subscriber",
        "nodes of the graph (members of a family)", powers(10, 1, 6),
        lambda size: ["post", "--node", "house/item.0", "--size", 64, "--pipeline", 16], nodes=True,
    ),
    Series(
        "pipelines", "One POST and the pipelines of its clients",
        "A different filter for each client, which lets nothing through", "client pipelines on the node",
        powers(10, 0, 4), lambda size: ["fanout", "--latest", "--pipelines", "--subscribers", size],
        share="pipeline",
    ),
    Series(
        "messages", "One delivery of a growing message",
        "Fan-out to 100 subscribers, mode latest, one POST in flight", "bytes posted", powers(4, 2, 8),
        # The load's smallest message is the time in microseconds, which has 16 digits.
        lambda size: ["fanout", "--latest", "--subscribers", 100, "--size", size if size > 16 else 0],
        each=True, label=binary,
    ),
]


def points(series, result):
    """What the plot shows: size, median, least and most."""
    columns = [(size, result.column(size)) for size in series.sizes]
    return [(size, statistics.median(column), min(column), max(column)) for size, column in columns]


def table(series, found, result):
    """The series as lines of Markdown."""
    exponent, last = (signed(fit([point[:2] for point in part])[0]) for part in (found, found[-2:]))
    lines = [
        f"| {series.across} | median | least–most |" + (f" per {series.share} |" if series.share else ""),
        "|---|---|---|" + ("---|" if series.share else ""),
    ]
    for size, middle, low, high in found:
        each = f" {duration(middle / size)} |" if series.share else ""
        lines.append(
            f"| {series.label(size)} | {duration(middle)} | {duration(low)}–{duration(high)} |{each}"
        )
    counted, distances = result.note().split(" | ")
    return [
        *lines, "",
        f"Exponent {exponent}; of the last step {last}. Rounds counted: {counted}; cache line: "
        f"{distances} ns.", "",
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--quick", action="store_true", help="one short round of the small sizes: does the harness work?"
    )
    parser.add_argument("--only", help="only series whose name contains it")
    parser.add_argument(
        "--write", type=pathlib.Path, help="also writes the report and its plots here, under the date"
    )
    options = parser.parse_args()
    rounds, seconds = (1, 0.3) if options.quick else (options.rounds, 1)
    today, lines, plots = datetime.date.today(), [], {}

    def say(*more):
        lines.extend(more)
        print("\n".join(more), flush=True)

    with tempfile.TemporaryDirectory(prefix="sluice-bench-") as name:
        folder = pathlib.Path(name)
        prepare(folder, GRAPH)
        machine = Machine(folder)
        say(
            f"# How the server scales, {today}", "", machine.description(),
            f"Server on processor {machine.processors[0]}, load on {machine.processors[-1]}; processor "
            "time of the server, medians of at "
            f"least {rounds} rounds in which the processors stayed as near to each other. The exponent is "
            "that of the power law nearest "
            "to the medians; that of the last step is between the two last points, where fixed costs weigh "
            "least.", "",
        )
        for series in SERIES:
            if options.only and options.only not in series.name:
                continue
            if options.quick:
                series.sizes = series.sizes[:4]
            runs = {
                size: functools.partial(series.run, machine, folder, size, seconds) for size in series.sizes
            }
            result = measure(runs, rounds, machine)
            for size, reason in result.failures.items():
                sys.exit(f"{series.name}, {size}: {reason}")
            found = points(series, result)
            plot = f"{today}-scaling-{series.name}.svg"
            upward = f"processor time per {'delivery' if series.each else 'POST'}"
            plots[plot] = svg(series.title, series.subtitle, series.across, upward, found, series.label)
            say(
                f"## {series.title}", "", f"{series.subtitle}.", "",
                f"![{series.title}: processor time over {series.across}]({plot})", "",
                *table(series, found, result),
            )
        say(f"Load of the machine at the end: {os.getloadavg()[0]:.1f}.")
    if options.write:
        options.write.mkdir(exist_ok=True)
        (options.write / f"{today}-scaling.md").write_text("\n".join(lines) + "\n")
        for plot, text in plots.items():
            (options.write / plot).write_text(text)


if __name__ == "__main__":
    main()
