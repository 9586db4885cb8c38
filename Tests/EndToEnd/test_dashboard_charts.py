"""Charts of dashboards: their past, the cursor, and what they cost."""

import json
import os
import re
import time

import pytest
from browser import DOWN
from dashboards import GRAPH, address, layout, widget
from playwright.sync_api import expect
from sluice import Server, eventually
from tracing import QUIET, reaction, tasks_of

pytestmark = pytest.mark.browser


def test_a_chart_keeps_its_past_and_marks_what_it_could_not_hear(open_page):
    with Server({"g": GRAPH}) as first:
        for value in range(10, 20):
            first.set("g", "x", value)
        page = open_page(
            first, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})), allow=DOWN
        )
        canvas = widget(page, "Voltage").locator("canvas")
        expect(canvas).to_have_attribute("aria-label", re.compile("Voltage 19\u202fV, between 1"))
        start = page.evaluate("performance.timeOrigin")
        first.process.kill()
        first.process.wait()
        expect(page.locator(".conn-text")).to_contain_text("Reconnecting")
        expect(widget(page, "Voltage").locator("canvas")).to_have_attribute("data-gaps", "1")
        with Server({"g": GRAPH}, listen=f"127.0.0.1:{first.port}") as second:
            expect(page.locator(".conn-text")).to_have_text("Live")
            second.set("g", "x", 77)
            expect(widget(page, "Voltage").locator(".legend output")).to_have_text("77\u202fV")
            expect(canvas).to_have_attribute("data-gaps", "1")
            page.get_by_role("button", name="Menu of Voltage").click()
            page.get_by_role("menuitem", name="Show as table").click()
            rows = widget(page, "Voltage").get_by_role("row")
            assert rows.count() >= 12, "the points from before the restart are still there"
            expect(rows.nth(1)).to_contain_text("77")
            assert page.evaluate("performance.timeOrigin") == start


@pytest.mark.first
def test_a_chart_of_a_derived_node_begins_with_its_past(open_page):
    with Server({"g": GRAPH}) as server:
        for value in range(10, 20):
            server.set("g", "x", value)
        # It has had no listener so far, and its definition keeps nothing.
        page = open_page(server, address(layout({"kind": "series", "nodes": ["double"], "w": 12, "h": 6})))
        canvas = widget(page, "double").locator("canvas")
        expect(canvas).to_have_attribute("aria-label", re.compile("double 38, between 2"))
        server.set("g", "x", 50)
        expect(canvas).to_have_attribute("aria-label", re.compile("double 100, between 2"))
        page.get_by_role("button", name="Menu of double").click()
        page.get_by_role("menuitem", name="Show as table").click()
        expect(widget(page, "double").get_by_role("row").nth(1)).to_contain_text("100")
        assert widget(page, "double").get_by_role("row").count() >= 12


def test_a_chart_goes_on_behind_a_restart_that_lost_nothing(open_page):
    with Server({"g": GRAPH}, keeps=True) as server:
        for value in range(10, 20):
            server.set("g", "x", value)
        page = open_page(
            server, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})), allow=DOWN
        )
        canvas = widget(page, "Voltage").locator("canvas")
        expect(canvas).to_have_attribute("aria-label", re.compile("Voltage 19\u202fV, between 1"))
        server.kill()
        expect(page.locator(".conn-text")).to_contain_text("Reconnecting")
        server.start()
        expect(page.locator(".conn-text")).to_have_text("Live")
        expect(widget(page, "Voltage").locator(".legend output")).to_have_text("19\u202fV")
        server.set("g", "x", 77)
        expect(widget(page, "Voltage").locator(".legend output")).to_have_text("77\u202fV")
        # One that is opened now has the history from before the restart.
        other = open_page(server, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})))
        label = re.compile("Voltage 77\u202fV, between 1")
        expect(widget(other, "Voltage").locator("canvas")).to_have_attribute("aria-label", label)


def test_charts_share_one_cursor_and_can_be_looked_into(open_page):
    charts = layout(
        {"kind": "series", "nodes": ["x"], "title": "One", "w": 6, "h": 4},
        {"kind": "series", "nodes": ["double"], "title": "Two", "w": 6, "h": 4},
    )
    with Server({"g": GRAPH}) as server:
        for value in (5, 6, 7):
            server.set("g", "x", value)
        page = open_page(server, address(charts))
        expect(widget(page, "Two").locator(".legend output")).to_have_text("14")
        canvas = widget(page, "One").locator("canvas")
        box = canvas.bounding_box()
        page.mouse.move(box["x"] + 12, box["y"] + box["height"] / 2)
        expect(widget(page, "Two").locator(".legend output")).to_have_text("–")
        page.mouse.move(0, 0)
        expect(widget(page, "Two").locator(".legend output")).to_have_text("14")
        canvas.focus()
        for key in ("-", "-", "ArrowLeft", "ArrowLeft"):
            page.keyboard.press(key)
        expect(widget(page, "One").locator(".legend output")).to_have_text("–")
        page.keyboard.press("0")
        expect(widget(page, "One").locator(".legend output")).to_have_text("7\u202fV")


def test_copying_gives_json_and_csv_without_formulas(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server, address(layout({"kind": "text", "node": "mode"}, {"kind": "log", "node": "x", "h": 4}))
        )
        expect(widget(page, "mode")).to_contain_text("eco")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
        for item, expected in (
            ("Copy as JSON", [{"node": "mode", "value": "eco"}]),
            ("Copy as CSV", "node,value\r\nmode,eco"),
        ):
            page.get_by_role("button", name="Menu of mode").click()
            page.get_by_role("menuitem", name=item).click()
            eventually(lambda: page.evaluate("navigator.clipboard.readText()") != "")
            text = page.evaluate("navigator.clipboard.readText()")
            assert (json.loads(text) if item.endswith("JSON") else text.replace("\r\n", "\n")) == (
                expected if item.endswith("JSON") else expected.replace("\r\n", "\n")
            )


def test_the_cursor_of_a_chart_has_time_and_values(open_page):
    with Server({"g": GRAPH}) as server:
        server.set("g", "x", 8)
        page = open_page(
            server,
            address(
                layout(
                    {"kind": "series", "nodes": ["x", "double"], "title": "Both", "w": 12, "h": 5, "span": 10}
                )
            ),
        )
        expect(widget(page, "Both").locator(".legend output").first).to_have_text("8\u202fV")
        page.wait_for_timeout(1500)
        box = widget(page, "Both").locator("canvas").bounding_box()
        page.mouse.move(box["x"] + box["width"] - 62, box["y"] + 30)
        tip = widget(page, "Both").locator(".chart-tip")
        expect(tip).to_contain_text(re.compile(r"\d\d:\d\d:\d\d"))
        expect(tip.get_by_text("8\u202fV")).to_be_visible()
        expect(tip.get_by_text("16", exact=True)).to_be_visible()
        page.mouse.move(0, 0)
        expect(tip).to_be_hidden()


def test_under_load_nothing_is_late_and_the_page_stays_free(browser, open_page):
    """200 updates a second over 30 nodes and two charts of 5,000 points."""
    seconds = 30 if os.environ.get("SLUICE_NIGHTLY") else 5
    nodes = "".join(f"  n{i}: {{ set: number, initial: 0, history: 5000 }}\n" for i in range(30))
    charts = [{"kind": "series", "nodes": [f"n{i}"], "title": f"Chart {i}", "w": 6, "h": 4} for i in range(2)]
    with Server({"load": f"graph: load\nnodes:\n{nodes}"}) as server:
        for value in range(50):
            server.batch("load", set={f"n{i}": value for i in range(2)})
        page = open_page(
            server,
            address(
                layout(
                    *charts,
                    *(
                        {"kind": "number", "node": f"n{i}", "x": i % 4 * 3, "y": 4 + i // 4 * 2, "w": 3}
                        for i in range(30)
                    ),
                ),
                "load",
            ),
            viewport={"width": 1280, "height": 1700},
        )
        expect(widget(page, "n29").locator("output")).to_have_text("0")
        page.wait_for_timeout(1000)
        # When each text was there, by the clock of the machine that both are on.
        page.evaluate("""() => {
            const output = [...document.querySelectorAll('[aria-label="n7, Number"] output')][0];
            globalThis.seen = new Map();
            new MutationObserver(() => seen.set(output.textContent, Date.now())).observe(output, { subtree: true, childList: true, characterData: true });
        }""")
        sent, value = {}, 0
        with tasks_of(browser, page, server.url) as traced:
            start = next_at = time.monotonic()
            while time.monotonic() < start + seconds:
                value += 1
                # Each number is read only once.
                sent[str(value)] = time.time() * 1000
                server.batch(
                    "load",
                    set={"n7": value, **{f"n{(value + i) % 7 + 8 * (i % 3)}": value for i in range(9)}},
                )
                next_at = max(next_at + 0.05, time.monotonic() - 1)
                time.sleep(max(0, next_at - time.monotonic()))
        page.wait_for_timeout(300)
        seen = page.evaluate("Object.fromEntries(seen)")
        late = sorted(seen[text] - sent[text] for text in seen if text in sent)
        assert len(late) > value / 4 and seen.get(str(value)), "the newest value is always shown"
        reactions = []
        for _ in range(3):
            reactions.append(reaction(page, widget(page, "n7").locator(".widget-menu").click, "[role=menu]"))
            page.keyboard.press("Escape")
        print(
            f"\ndashboard under load: {value * 10 / seconds:.0f} values/s, longest task "
            f"{traced.longest:.0f} ms by the clock and {traced.longest_work:.1f} ms of work, "
            f"newest value shown after {late[len(late) // 2]:.0f} ms, at the latest {late[-1]:.0f} ms, "
            f"click to reaction {', '.join(f'{each:.0f}' for each in reactions)} ms"
        )
        assert traced.longest_work < 50 and len(traced.tasks) > 50
        assert late[len(late) // 2] < 1000 and min(reactions) < 1000
        if QUIET:
            assert traced.longest < 50 and late[-1] <= 250 and max(reactions) < 100


def test_a_chart_is_drawn_within_its_budget(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})))
        expect(widget(page, "Voltage").locator(".legend output")).to_have_text("1\u202fV")
        times = page.evaluate("""async () => {
            const { TimeChart } = await import("/chart/chart.js"), { Ring } = await import("/dash/feeds.js");
            const rings = [new Ring(5000), new Ring(5000)], now = Date.now();
            rings.forEach((ring, k) => { for (let i = 0; i < 5000; i++) ring.push(now - (5000 - i) * 50, Math.sin(i / 90 + k) * 20 + Math.random()); });
            let draw;
            const page = { frame: { item: (_, act) => (draw = act, { mark() {}, close() {} }), tick() {} }, store: { listen() {}, get() {} } };
            const chart = new TimeChart({ series: rings.map((ring, i) => ({ name: `s${i}`, unit: "", ring })), span: 250000, cursor: new EventTarget(), page });
            const box = document.createElement("div");
            box.style.cssText = "width:1200px;height:260px;display:flex;flex-direction:column";
            chart.element.style.flex = 1;
            box.append(chart.element);
            document.querySelector(".in-dash").prepend(box);
            // Its size is known after the first layout.
            for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
            const times = [];
            for (let i = 0; i < 200; i++) {
                rings.forEach((ring) => ring.push(Date.now(), Math.random()));
                const start = performance.now();
                draw();
                times.push(performance.now() - start);
            }
            chart.close();
            return times.sort((a, b) => a - b);
        }""")
        print(f"\nchart of 2 x 5,000 points: median {times[100]:.2f} ms, p95 {times[190]:.2f} ms")
        assert times[100] < 8
        if QUIET:
            assert times[190] <= 2


def test_a_chart_of_166_650_points_is_drawn_at_once(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})))
        expect(widget(page, "Voltage").locator(".legend output")).to_have_text("1\u202fV")
        times = page.evaluate("""async () => {
            const { TimeChart } = await import("/chart/chart.js"), { Ring } = await import("/dash/feeds.js");
            const count = 55_550, now = Date.now(), rings = [0, 1, 2].map(() => new Ring(count));
            rings.forEach((ring, k) => { for (let i = 0; i < count; i++) ring.push(now - (count - i) * 1000, Math.sin(i / 900 + k) * 20 + Math.random()); });
            let draw;
            const page = { frame: { item: (_, act) => (draw = act, { mark() {}, close() {} }), tick() {} }, store: { listen() {}, get() {} } };
            const series = rings.map((ring, i) => ({ name: `s${i}`, unit: "", ring }));
            const chart = new TimeChart({ series, span: count * 1000, cursor: new EventTarget(), page, now: () => now });
            const box = document.createElement("div");
            box.style.cssText = "width:1200px;height:400px;display:flex;flex-direction:column";
            chart.element.style.flex = 1;
            box.append(chart.element);
            document.querySelector(".in-dash").prepend(box);
            for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
            const times = [];
            for (let i = 0; i < 30; i++) {
                const start = performance.now();
                draw();
                times.push(performance.now() - start);
            }
            chart.close();
            return { first: times[0], times: times.sort((a, b) => a - b) };
        }""")
        print(f"\nchart of 166,650 points: first {times['first']:.1f} ms, median {times['times'][15]:.1f} ms")
        assert times["times"][0] < 25
        if QUIET:
            assert times["times"][15] < 25
