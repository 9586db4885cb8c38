"""Charts of dashboards: their past, the cursor, and what they cost."""

import json
import os
import re
import time
from urllib.parse import parse_qs, urlsplit

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
        for key in ("-", "-", "Shift+ArrowLeft", "Shift+ArrowLeft"):
            page.keyboard.press(key)
        expect(widget(page, "One").locator(".legend output")).to_have_text("–")
        page.keyboard.press("0")
        expect(widget(page, "One").locator(".legend output")).to_have_text("7\u202fV")


def test_the_cursor_goes_by_keys_and_dragging_looks_closer(open_page):
    with Server({"g": GRAPH}) as server:
        for value in (5, 6, 7):
            server.set("g", "x", value)
        board = layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 5, "span": 60})
        page = open_page(server, address(board))
        chart = widget(page, "Voltage")
        readout, tip = chart.locator(".legend output"), chart.locator(".chart-tip")
        canvas = chart.locator("canvas")
        zoom_out, box = chart.get_by_role("button", name="Zoom out"), canvas.bounding_box()
        expect(readout).to_have_text("7\u202fV")
        expect(zoom_out).to_be_hidden()
        canvas.focus()
        page.keyboard.press("End")
        expect(tip).to_contain_text("7\u202fV")
        expect(page.locator("[aria-live=polite]").first).to_contain_text("Voltage 7\u202fV")
        page.keyboard.press("Home")
        expect(tip).to_contain_text("–")
        page.keyboard.press("Escape")
        expect(tip).to_be_hidden()

        def drag(begin, end):
            y = box["y"] + box["height"] / 2
            page.mouse.move(box["x"] + box["width"] * begin, y)
            page.mouse.down()
            page.mouse.move(box["x"] + box["width"] * end, y, steps=5)
            page.mouse.up()
            page.mouse.move(0, 0)
            expect(zoom_out).to_be_visible()

        # The first half of the minute has no values; three ways lead back.
        for back in (zoom_out.click, canvas.dblclick, lambda: canvas.press("Escape")):
            drag(0.1, 0.4)
            expect(readout).to_have_text("–")
            back()
            page.mouse.move(0, 0)
            expect(zoom_out).to_be_hidden()
            expect(readout).to_have_text("7\u202fV")


STEPS = """
graph: g
nodes:
  x: { set: number, role: sensor, unit: V, title: Voltage, history: { count: 20, for: 7d, every: 1s } }
"""


def test_a_range_is_chosen_and_what_is_not_kept_is_said(open_page):
    board = layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6, "span": 60, "ok": "50..70"})

    def asking(page, act):
        """How long a time is asked for, in milliseconds, when `act` is done."""
        with page.expect_request(lambda request: "/history?" in request.url) as asked:
            act()
        query = parse_qs(urlsplit(asked.value.url).query)
        return int(query["end"][0]) - int(query["begin"][0])

    with Server({"g": STEPS}) as server:
        for value in range(55, 76, 5):
            server.set("g", "x", value)
        page = open_page(server, "/#/g/g/values")
        assert asking(page, lambda: page.goto(server.url + address(board))) == 60_000
        chart = widget(page, "Voltage")
        choice, canvas = chart.get_by_role("combobox", name="Range of Voltage"), chart.locator("canvas")
        # The values before the page was opened are those of the history.
        expect(canvas).to_have_attribute("aria-label", re.compile("Voltage 75\u202fV, between 55"))
        expect(choice.locator("option")).to_have_text(
            ["1\u202fmin", "5 min", "1 h", "24 h", "7 days", "Other…"]
        )
        assert asking(page, lambda: choice.select_option("7 days")) == 7 * 86_400_000
        note = chart.locator(".chart-note")
        expect(note).to_contain_text(re.compile(r"Values are kept since .*\d\d:\d\d:\d\d"))
        choice.select_option("Other…")
        dialog = page.get_by_role("dialog", name="Range of Voltage")
        dialog.get_by_label("From").fill("2026-01-05T10:00:00")
        dialog.get_by_label("To").fill("2026-01-04T10:00:00")
        show = dialog.get_by_role("button", name="Show")
        show.click()
        expect(dialog.get_by_role("alert")).to_have_text("The end must be after the beginning.")
        dialog.get_by_label("To").fill("2026-01-06T10:00:00")
        assert asking(page, show.click) == 86_400_000
        expect(choice.locator("option:checked")).to_have_text(re.compile("Jan 5, 2026, 10:00:00 to Jan 6"))
        expect(chart.locator(".legend output")).to_have_text("–")


def test_the_line_ends_where_a_value_is_out_of_date(open_page):
    node = "x: { set: number, role: sensor, fresh: 1s, unit: V, title: Voltage, history: 9 }"
    board = layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 5, "span": 10})
    with Server({"g": f"graph: g\nnodes:\n  {node}\n"}) as server:
        server.set("g", "x", 5)
        page = open_page(server, address(board))
        chart = widget(page, "Voltage")
        expect(chart.locator(".widget-state")).to_contain_text("no report")
        # What it was is still said, but is no value of now.
        expect(chart.locator(".legend output")).to_have_text("5\u202fV")
        chart.locator("canvas").press("End")
        expect(chart.locator(".chart-tip")).to_contain_text("–")
        server.set("g", "x", 6)
        chart.locator("canvas").press("End")
        expect(chart.locator(".chart-tip")).to_contain_text("6\u202fV")


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
        colours = widget(page, "Both").locator(".legend .swatch").evaluate_all(
            "(all) => all.map((each) => getComputedStyle(each).borderTopColor)"
        )
        assert colours == ["rgb(11, 95, 204)", "rgb(196, 84, 10)"], "the first two of dash.css"
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
