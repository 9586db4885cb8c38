"""Pages that are left open: their heap, elements and listeners stay as they are, however long
clients come and go.

`SLUICE_SOAK_MINUTES` says for how long; 30 in the nightly form, which is what the bounds are made for.
"""

import os
import threading
import time

import pytest
from conftest import Client
from playwright.sync_api import expect
from sluice import PATIENCE, Server, eventually
from dashboards import address, layout

pytestmark = [pytest.mark.browser, pytest.mark.first]
MINUTES = float(os.environ.get("SLUICE_SOAK_MINUTES", 30 if os.environ.get("SLUICE_NIGHTLY") else 0.4))
# Charts, logs and the tray of what was released have a size that they reach first.
WARM = min(120, MINUTES * 60 / 4)
GRAPH = (
    "graph: g\nnodes:\n"
    + "".join(f"  n{i}: {{ set: number, initial: 0, history: 600 }}\n" for i in range(20))
    + "".join(f"  d{i}: {{ from: n{i}, pipe: [ {{ map: \"value * 2\" }} ] }}\n" for i in range(10))
)


class Busy:
    """Two hundred values a second, and clients that come for a moment with a pipeline of their own;
    held off while `quiet`."""

    def __init__(self, server, guests=True):
        self.server, self.running, self.allowed = server, True, threading.Event()
        self.allowed.set()
        self.values = self.guests = 0
        self.threads = [
            threading.Thread(target=self.set), *([threading.Thread(target=self.visit)] if guests else []),
        ]
        for thread in self.threads:
            thread.start()

    def set(self):
        next_at = time.monotonic()
        while self.running:
            self.allowed.wait()
            self.values += 10
            self.server.batch(
                "g", set={f"n{(self.values // 10 + i) % 20}": self.values + i for i in range(10)}
            )
            # By the clock and not by pauses: it is two hundred a second whatever a request takes.
            next_at = max(next_at + 0.05, time.monotonic() - 1)
            time.sleep(max(0, next_at - time.monotonic()))

    def visit(self):
        while self.running:
            self.allowed.wait()
            self.guests += 1
            with Client(self.server) as client:
                client.ask(op="hello", client=f"guest/{self.guests % 7}")
                client.ask(
                    op="sub", graph="g", node=f"d{self.guests % 10}",
                    pipe=[{"map": f"value + {self.guests % 50}"}],
                )
                time.sleep(0.4)

    def stop(self):
        self.running = False
        self.allowed.set()
        for thread in self.threads:
            thread.join(PATIENCE)


def weigh(page, session):
    """Heap after a collection in MB, nodes of the document and event listeners."""
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    figures = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return figures["JSHeapUsedSize"] / 1e6, int(figures["Nodes"]), int(figures["JSEventListeners"])


@pytest.mark.timeout(3600)
def test_hours_leave_nothing_behind(open_page):
    charts = [
        {
            "kind": "series", "nodes": [f"n{i}", f"d{i}"], "title": f"Chart {i}", "x": 6 * i, "y": 0, "w": 6,
            "h": 4,
        }
        for i in range(2)
    ]
    numbers = [
        {"kind": "number", "node": f"n{i}", "x": i % 4 * 3, "y": 4 + i // 4 * 2, "w": 3} for i in range(8)
    ]
    views = {
        "graph": "/#/g/g",
        "dashboard": address(
            layout(
                *charts, *numbers, {"kind": "log", "node": "n3", "y": 8, "w": 6, "h": 4, "title": "Log"},
                {"kind": "clients", "x": 6, "y": 8, "w": 6, "h": 4, "title": "Who"},
            )
        ),
    }
    with Server({"g": GRAPH}) as server:
        pages, samples = {}, {view: [] for view in views}
        for view, path in views.items():
            page = open_page(server, path, viewport={"width": 1280, "height": 1100})
            expect(page.locator(".conn-text")).to_have_text("Live")
            pages[view] = page, page.context.new_cdp_session(page)
            pages[view][1].send("Performance.enable")
        own = len({*(f"n{i}" for i in range(8)), "d0", "d1", "the log's"})
        eventually(lambda: server.counts("g")["listeners"] == own, what="the dashboard's own listeners")
        busy = Busy(server)

        def look():
            """Weighs every page while nobody else is there and what has left has faded."""
            busy.allowed.clear()
            eventually(lambda: server.counts("g")["listeners"] == own, what="the guests to leave")
            expect(pages["graph"][0].locator('.node[data-kind="listener"]')).to_have_count(1)
            expect(pages["dashboard"][0].locator(".clients li")).to_have_count(1)
            time.sleep(3)
            for view, (page, session) in pages.items():
                samples[view].append(weigh(page, session))
            busy.allowed.set()

        try:
            time.sleep(WARM)
            look()
            end = time.monotonic() + MINUTES * 60 - WARM
            while time.monotonic() < end:
                time.sleep(min(60, MINUTES * 15))
                look()
        finally:
            busy.stop()
        for view, all_ in samples.items():
            shown = ", ".join(f"{heap:.2f}/{nodes}/{listeners}" for heap, nodes, listeners in all_)
            print(
                f"\nsoak of {MINUTES} min, {busy.values} values, {busy.guests} guests, {view}: heap "
                f"MB/nodes/listeners {shown}"
            )
        for view, (first, *rest) in samples.items():
            assert all(abs(heap - first[0]) <= 2 for heap, _, _ in rest), (view, "the heap stays as it was")
            # A word that a widget has said once ("1 of 2 updates") keeps its text node; hundreds of
            # guests would be hundreds of nodes.
            assert all(abs(nodes - first[1]) <= 2 * own for _, nodes, _ in rest), (
                view, "and so does the document",
            )
            assert all(abs(listeners - first[2]) <= 5 for _, _, listeners in rest), (view, "and listeners")
