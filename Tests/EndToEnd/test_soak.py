"""A page that is left open: its heap, its elements and its listeners stay as they are, however long clients come and go."""

import os
import threading
import time

import pytest
from conftest import Client
from playwright.sync_api import expect
from sluice import Server
from test_dashboards import address, layout, widget

pytestmark = pytest.mark.browser
GRAPH = "graph: g\nnodes:\n" + "".join(f"  n{i}: {{ set: number, initial: 0, history: 600 }}\n" for i in range(20)) + "".join(
    f"  d{i}: {{ from: n{i}, pipe: [ {{ map: \"value * 2\" }} ] }}\n" for i in range(10)
)


class Busy:
    """Two hundred values a second, and clients that come for a moment with a pipeline of their own."""

    def __init__(self, server):
        self.server, self.running = server, True
        self.threads = [threading.Thread(target=self.set), threading.Thread(target=self.visit)]
        for thread in self.threads:
            thread.start()

    def set(self):
        value = 0
        while self.running:
            value += 1
            self.server.batch("g", set={f"n{(value + i) % 20}": value + i for i in range(10)})
            time.sleep(0.05)

    def visit(self):
        number = 0
        while self.running:
            number += 1
            with Client(self.server) as client:
                client.ask(op="hello", client=f"guest/{number % 7}")
                client.ask(op="sub", graph="g", node=f"d{number % 10}", pipe=[{"map": f"value + {number % 50}"}])
                time.sleep(0.4)

    def stop(self):
        self.running = False
        for thread in self.threads:
            thread.join(20)


@pytest.mark.parametrize("view", ["graph", "dashboard"])
@pytest.mark.timeout(3600)
def test_hours_leave_nothing_behind(open_page, view):
    minutes = float(os.environ.get("SLUICE_SOAK_MINUTES", 15 if os.environ.get("SLUICE_NIGHTLY") else 0.4))
    charts = [{"kind": "series", "nodes": [f"n{i}", f"d{i}"], "title": f"Chart {i}", "x": 6 * i, "y": 0, "w": 6, "h": 4} for i in range(2)]
    numbers = [{"kind": "number", "node": f"n{i}", "x": i % 4 * 3, "y": 4 + i // 4 * 2, "w": 3} for i in range(8)]
    with Server({"g": GRAPH}) as server:
        path = "/#/g/g" if view == "graph" else address(layout(*charts, *numbers, {"kind": "log", "node": "n3", "y": 8, "w": 6, "h": 4, "title": "Log"}))
        page = open_page(server, path, viewport={"width": 1280, "height": 1100})
        expect(page.locator(".conn-text")).to_have_text("Live")
        session = page.context.new_cdp_session(page)
        busy = Busy(server)

        def weigh():
            """Heap after a collection, elements and event listeners of the page, with the guests held off."""
            for _ in range(3):
                session.send("HeapProfiler.collectGarbage")
            figures = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
            return figures["JSHeapUsedSize"] / 1e6, int(figures["Nodes"]), int(figures["JSEventListeners"])

        try:
            session.send("Performance.enable")
            # Charts, logs and the tray of what was released have a size that they reach first.
            time.sleep(max(8, min(120, minutes * 60 / 4)))
            first, last = weigh(), None
            end, samples = time.monotonic() + minutes * 60, [first]
            while time.monotonic() < end:
                time.sleep(min(30, minutes * 15))
                samples.append(last := weigh())
        finally:
            busy.stop()
        print(f"\nsoak of {minutes} min, {view}: heap MB / elements / listeners " + ", ".join(f"{a:.1f}/{b}/{c}" for a, b, c in samples[:: max(1, len(samples) // 8)]))
        half = samples[len(samples) // 2:]
        assert min(each[0] for each in half) < first[0] + 2, "the heap does not grow"
        assert min(each[1] for each in half) < first[1] * 1.25 + 200, "nor does the document"
        assert min(each[2] for each in half) < first[2] * 1.25 + 50, "nor do listeners"
