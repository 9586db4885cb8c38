"""What a widget says besides its value: how old it is, that it may not be set, and on a wall."""

import json
import re

import pytest
from access import Guarded
from playwright.sync_api import expect
from sluice import Server, eventually
from dashboards import GRAPH, address, layout, widget

pytestmark = pytest.mark.browser
# The probe reported once, and then not for longer than it should.
STALE = """
graph: g
title: A test graph
nodes:
  probe: { set: number, initial: 20, min: 0, max: 50, unit: °C, title: Probe, role: sensor, fresh: 1s, history: 50 }
  other: { set: number, initial: 5, title: Other, role: sensor }
  above: { from: probe, pipe: [ { map: "value > 10" } ], title: Above }
"""
KINDS = [
    {"kind": "number", "node": "probe", "title": "Number"},
    {"kind": "gauge", "node": "probe", "title": "Gauge", "h": 3},
    {"kind": "sparkline", "node": "probe", "title": "Spark"},
    {"kind": "text", "node": "probe", "title": "Text"},
    {"kind": "lamp", "node": "above", "title": "Lamp"},
    {"kind": "series", "nodes": ["probe"], "title": "Chart", "h": 4},
]
LATE, DERIVED = re.compile(r"no report for \d+\s(s|min)"), re.compile("out of date|no report")


def stale(server):
    """Waits until the server says that the probe is out of date."""
    eventually(lambda: server.get("/v1/graphs/g/nodes/probe?facets=1").json()["state"].get("stale"))


@pytest.mark.parametrize("isFirst", [True, False], ids=["opened afterwards", "while open"])
def test_every_widget_says_when_a_sensor_has_stopped_reporting(open_page, isFirst):
    both = [
        {"kind": "table", "nodes": ["*"], "title": "Table", "h": 4},
        {"kind": "series", "nodes": ["probe", "other"], "title": "Both", "h": 4},
    ]
    with Server({"g": STALE}) as server:
        for value in (21, 22) if isFirst else ():
            server.set("g", "probe", value)
        if isFirst:
            stale(server)
        page = open_page(
            server, address(layout(*KINDS, *both), edit=False), viewport={"width": 1280, "height": 2600}
        )
        for each in KINDS:
            it = widget(page, each["title"])
            expect(it).to_have_attribute("data-state", "stale")
            expect(it).to_contain_text(DERIVED if each["kind"] == "lamp" else LATE)
            opacity = it.locator(".widget-body").evaluate("it => getComputedStyle(it).opacity")
            assert float(opacity) < 0.7
        expect(widget(page, "Number")).not_to_contain_text(re.compile("steady|rising|falling"))
        rows = widget(page, "Table").get_by_role("row")
        expect(rows.filter(has_text="Probe")).to_contain_text(LATE)
        expect(rows.filter(has_text="Other")).not_to_contain_text("report")
        # One of two does not make the other old.
        expect(widget(page, "Both")).to_contain_text(re.compile("Probe: no report for"))
        expect(widget(page, "Both")).not_to_have_attribute("data-state", "stale")
        server.set("g", "probe", 23)
        expect(widget(page, "Gauge").get_by_role("meter")).to_have_attribute("aria-valuenow", "23")
        expect(widget(page, "Number")).not_to_have_attribute("data-state", "stale")


def test_a_confirmed_value_is_a_report_and_leaves_no_gap(open_page):
    with Server({"g": STALE}) as server:
        chart = layout({"kind": "series", "nodes": ["other"], "title": "Chart", "h": 4})
        page = open_page(server, address(chart, edit=False))
        expect(widget(page, "Chart")).to_contain_text("5")
        for _ in range(3):
            answer = server.request("POST", "/v1/graphs/g/nodes/other/load", '{"notModified": true}',
                                    {"Content-Type": "application/json"})
            assert answer.status == 200, answer
            page.wait_for_timeout(200)
        widget(page, "Chart").hover()
        page.get_by_role("button", name="Menu of Chart").click()
        page.get_by_role("menuitem", name="Show as table").click()
        rows = widget(page, "Chart").locator("tbody tr")
        expect(rows).to_have_count(4)
        assert {row.locator("td").nth(1).text_content() for row in rows.all()} == {"5"}


def test_what_a_client_may_not_set_is_shown_to_it_by_every_editor(open_page, tmp_path):
    widgets = layout(
        {"kind": "editor", "node": "room.temp"}, {"kind": "editor", "node": "room.note"},
        {"kind": "editor", "node": "doubled"},
    )
    with Guarded(tmp_path) as server:
        page = open_page(server, address(widgets, "house", edit=False), allow="401|4401")
        page.get_by_label("Token").fill(server.tokens["bob"])
        page.get_by_role("button", name="Sign in").click()
        expect(widget(page, "room.temp").locator("output")).to_have_text("20")
        expect(widget(page, "room.note").locator("output")).to_have_text("hi")
        expect(widget(page, "doubled").locator("output")).to_have_text("40")
        expect(page.locator(".widget :is(input, textarea, value-editor)")).to_have_count(0)


def test_a_log_has_the_time_of_the_commit_or_none_and_no_tools_on_a_wall(open_page):
    graph = GRAPH + "  old: { set: number, initial: 3, title: Old }\n"
    widgets = layout(
        {"kind": "log", "node": "old"},
        {"kind": "log", "node": "old", "pipe": [{"map": "value + 1"}], "title": "Piped"},
    )
    with Server({"g": graph}) as server:
        server.set("g", "old", 4)
        committed = server.get("/v1/graphs/g/nodes/old?facets=1").json()["state"]["t"]
        server.set("g", "x", 5)
        page = open_page(server, address(widgets, edit=False))
        page.wait_for_timeout(1100)
        page.reload()
        first = widget(page, "Old").get_by_role("listitem")
        expect(first.locator(".value")).to_have_text("4")
        expect(first.locator("time")).to_have_text(
            page.evaluate("t => new Date(t).toLocaleTimeString(undefined, { hour12: false })", committed)
        )
        # When a pipeline had its first value is not known.
        expect(widget(page, "Piped").locator("time")).to_have_text("–")
        server.set("g", "old", 5)
        expect(widget(page, "Piped").locator("time").first).to_have_text(re.compile(r"\d\d:\d\d:\d\d"))
        page = open_page(server, address(widgets, edit=False) + "&kiosk=1")
        expect(widget(page, "Old").get_by_role("listitem")).to_have_count(1)
        expect(page.locator(".widget :is(input, button:visible)")).to_have_count(0)


def test_a_gauge_without_bounds_has_a_round_scale_that_grows(open_page):
    graph = """
graph: g
nodes:
  power: { set: number, initial: 502, unit: W }
  share: { set: number, initial: 30, unit: "%" }
"""
    widgets = layout({"kind": "gauge", "node": "power", "h": 3}, {"kind": "gauge", "node": "share", "h": 3})
    with Server({"g": graph}) as server:
        page = open_page(server, address(widgets, edit=False))
        meter = widget(page, "power").get_by_role("meter")
        expect(meter).to_have_attribute("aria-valuemax", "600")
        expect(meter).to_have_attribute("aria-valuenow", "502")
        server.set("g", "power", 2488)
        expect(meter).to_have_attribute("aria-valuemax", "3000")
        server.set("g", "power", -40)
        expect(meter).to_have_attribute("aria-valuemin", "-50")
        expect(meter).to_have_attribute("aria-valuemax", "3000")
        expect(widget(page, "share").get_by_role("meter")).to_have_attribute("aria-valuemax", "100")
        # The letters stay away from the arc.
        server.set("g", "power", 123456.7)
        expect(meter).to_have_attribute("aria-valuenow", "123456.7")
        page.wait_for_timeout(100)
        boxes = meter.evaluate("""it => {
            const wide = (selector) => it.querySelector(selector).getBBox().width;
            return [wide(".gauge-value"), wide(".gauge-track")];
        }""")
        assert boxes[0] < 0.85 * boxes[1], boxes
        # Without a number it is no meter, because it has no value.
        server.batch("g", clear=["power"])
        expect(widget(page, "power").get_by_role("meter")).to_have_count(0)
        expect(widget(page, "power").get_by_role("img", name="power: no value")).to_be_visible()


def test_a_page_has_one_heading_within_a_landmark_and_titles_of_two_lines(open_page):
    long = "Temperature beside the door of the northern greenhouse"
    widgets = layout({"kind": "number", "node": "x", "title": long, "w": 3, "h": 3}, title="My board")
    with Server({"g": GRAPH}) as server:
        for wall in ("", "&kiosk=1"):
            page = open_page(server, address(widgets, edit=False) + wall)
            expect(page.get_by_role("main").get_by_role("heading", level=1)).to_have_text(
                "My board" if wall else "A test graph"
            )
            title = widget(page, long).locator("h2")
            high = title.evaluate("it => it.clientHeight / parseFloat(getComputedStyle(it).lineHeight)")
            assert 1.8 < high < 2.2, high


def test_the_last_row_of_a_table_is_whole(open_page):
    nodes = "\n".join(f"  n{i}: {{ set: number, initial: {i} }}" for i in range(40))
    with Server({"g": f"graph: g\nnodes:\n{nodes}\n"}) as server:
        page = open_page(
            server, address(layout({"kind": "table", "nodes": ["*"], "title": "All", "h": 5}), edit=False)
        )
        pane = widget(page, "All").locator(".rows-pane")
        expect(pane.get_by_role("row", name=re.compile("^n0 "))).to_be_visible()
        assert pane.evaluate("it => it.clientHeight % 28") == 0
        pane.evaluate("it => { it.scrollTop = it.scrollHeight; }")
        last = pane.get_by_role("row", name=re.compile("^n39 "))
        expect(last).to_be_visible()
        edges = json.loads(page.evaluate("""() => {
            const rows = [...document.querySelectorAll(".rows-pane tbody tr")], pane = document.querySelector(".rows-pane");
            return JSON.stringify([rows.at(-1).getBoundingClientRect().bottom, pane.getBoundingClientRect().bottom]);
        }"""))
        assert edges[0] <= edges[1] + 0.6, edges
