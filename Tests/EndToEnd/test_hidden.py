"""A page in a tab behind another, hidden for real: it asks for less, does next to nothing, keeps
what it owns, and is current when it is back."""

import json
import os
import time

import pytest
from devtools import Chromium
from sluice import Server, eventually
from dashboards import address, layout
from test_soak import GRAPH, Busy

pytestmark = pytest.mark.browser
NIGHTLY = bool(os.environ.get("SLUICE_NIGHTLY"))
SECONDS = 25 if NIGHTLY else 4
CHARTS = [
    {"kind": "series", "nodes": [f"n{i}", f"d{i}"], "title": f"Chart {i}", "x": 6 * i, "y": 0, "w": 6, "h": 4}
    for i in range(2)
]
NUMBERS = [
    {"kind": "number", "node": f"n{i}", "x": i % 4 * 3, "y": 4 + i // 4 * 2, "w": 3} for i in range(12)
]
TEXT = "document.querySelector('[aria-label=\"n5, Number\"] output')?.textContent"


@pytest.fixture
def chromium():
    with Chromium() as running:
        yield running


def updates(frames):
    """How many updates of one subscription came at most."""
    counts = {}
    for frame in frames:
        for each in json.loads(frame).get("d", []):
            counts[each["id"]] = counts.get(each["id"], 0) + 1
    return max(counts.values(), default=0)


def test_a_hidden_dashboard_rests_and_keeps_what_it_owns(chromium):
    with Server({"g": GRAPH}) as server:
        tab = chromium.tab(server.url + address(layout(*CHARTS, *NUMBERS)))
        tab.send("Network.enable")
        busy = Busy(server, guests=False)
        try:
            eventually(lambda: tab.evaluate(TEXT), what="the first value")
            owned = len(NUMBERS) + len(CHARTS)
            eventually(
                lambda: server.counts("g")["listeners"] == owned,
                what="a listener of each node: a chart begins with the past of its nodes",
            )
            chromium.tab("about:blank").to_front()
            eventually(lambda: tab.evaluate("document.visibilityState") == "hidden", what="to be hidden")
            eventually(
                lambda: any(
                    json.loads(each).get("op") == "mod" and json.loads(each)["every"] == 1000
                    for each in tab.frames("Sent")
                ),
                what="the wish for one a second",
            )
            time.sleep(1.5)
            tab.frames("Received")
            shown, work, start, values = tab.evaluate(TEXT), tab.work(), time.monotonic(), busy.values
            time.sleep(SECONDS)
            seconds, (thread, process) = (
                time.monotonic() - start, (after - before for before, after in zip(work, tab.work())),
            )
            heard = updates(tab.frames("Received"))
            print(
                f"\nhidden dashboard: main thread {thread / seconds:.2%}, process {process / seconds:.2%} "
                "of a processor "
                f"at {(busy.values - values) / seconds:.0f} values/s on the server, {heard / seconds:.1f} "
                "updates/s of a node"
            )
            assert 1 <= heard <= seconds + 2, f"{heard} updates in {seconds:.1f} s"
            assert tab.evaluate(TEXT) == shown, "nothing is drawn"
            assert server.counts("g")["listeners"] == owned
            # The budget is 1 %; the machine of the tests is shared, and what waits is not what
            # works, but caches are cold.
            assert not NIGHTLY or thread / seconds < 0.05
        finally:
            busy.stop()
        time.sleep(0.2)
        server.set("g", "n5", 777)
        tab.to_front()
        eventually(
            lambda: tab.evaluate(TEXT) == "777",
            what=f"the newest value at once instead of {tab.evaluate(TEXT)}",
        )


@pytest.mark.nightly
def test_a_hidden_picture_of_a_graph_rests(chromium):
    with Server({"g": GRAPH}) as server:
        tab = chromium.tab(f"{server.url}/#/g/g")
        eventually(lambda: tab.evaluate("document.querySelectorAll('.node').length") > 20, what="the picture")
        busy = Busy(server)
        try:
            chromium.tab("about:blank").to_front()
            eventually(lambda: tab.evaluate("document.visibilityState") == "hidden", what="to be hidden")
            time.sleep(2)
            work, start = tab.work(), time.monotonic()
            time.sleep(SECONDS)
            seconds, (thread, process) = (
                time.monotonic() - start, (after - before for before, after in zip(work, tab.work())),
            )
            print(
                f"\nhidden graph: main thread {thread / seconds:.2%}, process {process / seconds:.2%} of a "
                "processor"
            )
            assert thread / seconds < 0.05
        finally:
            busy.stop()
