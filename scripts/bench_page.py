#!/usr/bin/env python3
"""The page: first paint, frames under load, and how long a chart takes to draw.

    scripts/bench_page.py [--rounds N] [--seconds N] [--only TEXT] [--write FOLDER]

Headless Chromium on this machine. `SLUICE_BINARY` names the server; without it, the one of
`make release`.
"""

import argparse
import datetime
import http.client
import json
import os
import pathlib
import platform
import statistics
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("SLUICE_BINARY", str(ROOT / ".build/release/sluice"))
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from browser import Pages, launch  # noqa: E402
from dashboards import address  # noqa: E402
from playwright.sync_api import expect  # noqa: E402
from sluice import Server, eventually  # noqa: E402
from tracing import tasks_of  # noqa: E402

# Addresses, and what is there as soon as the view shows what it is about.
VIEWS = {
    "home": ("/#/graphs", ".graph-values dd"),
    "dashboard": ("/#/g/house/dash", ".figure"),
    "values": ("/#/g/house/values", "[data-node=indoor_f]"),
    "graph": ("/#/g/house", ".node .value"),
}
# When something is in the document is noticed in the frame that shows it.
WATCH = """(selector) => {
    (function look() {
        if (document.querySelector(selector)?.textContent) globalThis.there = performance.now();
        else requestAnimationFrame(look);
    })();
}"""
# Forty tiles of the kinds that a home has.
KINDS = 18 * ["number"] + 8 * ["lamp"] + 6 * ["sparkline"] + 4 * ["gauge"] + 2 * ["editor"] + 2 * ["series"]
VALUES, FRAME = 60, 1000 / 60
FRAMES = """(seconds) => new Promise((done) => {
    const times = [];
    requestAnimationFrame(function frame(now) {
        times.push(now);
        if (now < times[0] + seconds * 1000) requestAnimationFrame(frame);
        else done(times);
    });
})"""
CHART = """async (count) => {
    const { TimeChart } = await import("/chart/chart.js"), { Ring } = await import("/dash/feeds.js");
    const now = Date.now(), rings = [0, 1].map(() => new Ring(count));
    rings.forEach((ring, k) => {
        for (let i = 0; i < count; i++) ring.push(now - (count - i) * 1000, Math.sin(i / 900 + k) * 20 + Math.random());
    });
    let draw;
    const page = { frame: { item: (_, act) => (draw = act, { mark() {}, close() {} }), tick() {} },
        store: { listen() {}, get() {} } };
    const series = rings.map((ring, i) => ({ name: `s${i}`, unit: "", ring }));
    const chart = new TimeChart({ series, span: count * 1000, cursor: new EventTarget(), page, now: () => now });
    const box = document.createElement("div");
    box.style.cssText = "width:1200px;height:400px;display:flex;flex-direction:column";
    chart.element.style.flex = 1;
    box.append(chart.element);
    document.querySelector(".in-dash").prepend(box);
    // Its size is known after the first layout.
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    const times = [];
    for (let i = 0; i < 50; i++) {
        const start = performance.now();
        draw();
        times.push(performance.now() - start);
    }
    chart.close();
    box.remove();
    return times;
}"""


def paints(pages, rounds):
    """For each view the times of its first paint, and of its first values, each in a new profile."""
    found = {name: ([], []) for name in VIEWS}
    graphs = {file.stem: file.read_text() for file in (ROOT / "config/graphs").glob("*.yaml")
              if file.stem in ("house", "host")}
    with Server(graphs, f"dashboards: {ROOT}/config/dashboards\n") as server:
        for _ in range(rounds):
            for name, (path, selector) in VIEWS.items():
                script = f"({WATCH})({json.dumps(selector)})"
                page = pages(server, path, before=lambda page, script=script: page.add_init_script(script))
                page.wait_for_selector(selector)
                eventually(lambda page=page: page.evaluate("globalThis.there"))
                found[name][0].append(page.evaluate(
                    "performance.getEntriesByName('first-contentful-paint')[0].startTime"
                ))
                found[name][1].append(page.evaluate("globalThis.there"))
                page.context.close()
    for name, (painted, there) in found.items():
        yield (f"first paint, {name}", "150 ms", statistics.median(painted), max(painted), "ms")
        yield (f"first values, {name}", "", statistics.median(there), max(there), "ms")


class Load:
    """Sets one node after the other, 60 values a second, over one connection."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
        self.sent, self.late, self.is_over = 0, 0, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        begin = time.monotonic()
        while not self.is_over.is_set():
            node, value = self.sent % len(KINDS), self.sent % 97
            body = json.dumps(value % 2 == 1 if KINDS[node] == "lamp" else value)
            self.connection.request("POST", f"/v1/graphs/g/nodes/n{node}", body,
                                    {"Content-Type": "application/json"})
            self.connection.getresponse().read()
            self.sent += 1
            wait = begin + self.sent / VALUES - time.monotonic()
            self.late += wait < -1 / VALUES
            time.sleep(max(0, wait))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


def dropped(times):
    """How many frames are missing between those that came, and the longest gap in ms."""
    gaps = [after - before for before, after in zip(times, times[1:], strict=False)]
    return sum(max(0, round(gap / FRAME) - 1) for gap in gaps), max(gaps)


def frames(browser, pages, seconds):
    """Frames of a dashboard of forty tiles that all fit on the screen, with and without values."""
    types = {"lamp": "boolean, initial: false"}
    nodes = "".join(
        f"  n{i}: {{ set: {types.get(kind, 'number, initial: 0, min: 0, max: 100')}, title: Node {i}, "
        "icon: gauge, role: sensor, history: 600 }\n" for i, kind in enumerate(KINDS)
    )
    widgets = [
        {"kind": kind, "x": i % 6 * 2, "y": i // 6 * 2, "w": 2, "h": 2,
         **({"nodes": [f"n{i}"]} if kind == "series" else {"node": f"n{i}"})}
        for i, kind in enumerate(KINDS)
    ]
    with Server({"g": f"graph: g\ntitle: Forty tiles\nnodes:\n{nodes}"}) as server:
        page = pages(server, address({"v": 1, "widgets": widgets}, edit=False),
                     viewport={"width": 1600, "height": 1100})
        expect(page.locator(".widget")).to_have_count(len(KINDS))
        expect(page.locator(".widget .skeleton")).to_have_count(0)
        # What a view fetches after three seconds is no part of this.
        page.wait_for_timeout(5000)
        without = dropped(page.evaluate(FRAMES, seconds))
        with Load(server) as load:
            page.wait_for_timeout(1000)
            before, began = load.sent, time.monotonic()
            times = page.evaluate(FRAMES, seconds)
            rate = (load.sent - before) / (time.monotonic() - began)
            with tasks_of(browser, page, server.url) as traced:
                page.wait_for_timeout(5000)
    work = sum(work for _, work in traced.tasks) / 50
    missing, longest = dropped(times)
    name = f"frames dropped of {len(times):,}, 40 tiles, {rate:.0f} values a second"
    yield (name, "0", missing, missing, "")
    yield ("longest time between two of them", "", longest, longest, "ms")
    yield ("frames dropped without values, on the same page", "", without[0], without[0], "")
    task = traced.longest_work
    yield ("longest task of the page under that load: work", "", task, task, "ms")
    yield ("share of a processor for the page's thread", "", work, work, "%")
    yield ("values that were sent late", "", load.late, load.late, "")


def charts(pages):
    """How long one draw of a chart of two lines takes."""
    with Server({"g": "graph: g\nnodes:\n  x: { set: number, initial: 1 }\n"}) as server:
        page = pages(server, address({"v": 1, "widgets": []}, edit=False))
        page.wait_for_selector(".in-dash .dash")
        for count, budget in ((5_000, ""), (100_000, "30 ms")):
            times = page.evaluate(CHART, count)
            name = f"chart of {2 * count:,} points"
            yield (name, budget, statistics.median(times), max(times), "ms")
            yield (f"{name}, the first time", "", times[0], times[0], "ms")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7, help="of the first paint")
    parser.add_argument("--seconds", type=int, default=20, help="for which frames are counted")
    parser.add_argument("--only", default="", help="of: paint, frames, chart")
    parser.add_argument(
        "--write", type=pathlib.Path, metavar="FOLDER",
        help="also writes the report into FOLDER, under the date",
    )
    given = parser.parse_args()
    playwright, browser = launch()
    pages = Pages(browser)
    parts = {
        "paint": lambda: paints(pages, given.rounds),
        "frames": lambda: frames(browser, pages, given.seconds),
        "chart": lambda: charts(pages),
    }
    load = os.getloadavg()[0]
    lines = [
        "# The page", "",
        f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} processors, headless Chromium "
        f"{browser.version} without a GPU. The machine's load was {load:.1f} at the beginning.", "",
        "| what | budget | median | most |", "|---|---|---|---|",
    ]
    try:
        for name, part in parts.items():
            if given.only in name:
                for what, budget, median, most, unit in part():
                    shown = [f"{each:.0f}" if not unit else f"{each:.1f} {unit}" for each in (median, most)]
                    lines.append(f"| {what} | {budget} | {shown[0]} | {shown[1]} |")
                    print(lines[-1], flush=True)
        pages.close()
    finally:
        browser.close()
        playwright.stop()
    if given.write:
        (given.write / f"{datetime.date.today()}-page.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
