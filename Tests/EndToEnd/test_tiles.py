"""The tile of a widget: one look for one value, on a page, a wall and a phone."""

import re

import pytest
from playwright.sync_api import expect
from sluice import Server
from dashboards import address, layout, widget

pytestmark = pytest.mark.browser
GRAPH = """
graph: g
title: A home
nodes:
  heat: { set: number, initial: 21, min: 5, max: 30, unit: °C, title: Set point, icon: valve, role: setting }
  room: { set: number, initial: 20.5, unit: °C, title: Living room, icon: thermometer, role: sensor }
  door: { set: boolean, initial: false, title: Door, icon: door, words: { true: open, false: closed }, role: sensor }
  wet: { set: boolean, initial: true, title: Water, icon: drop, severity: alarm, words: { true: wet, false: dry } }
  damp: { set: boolean, initial: true, title: Damp, severity: warning, role: sensor }
  near: { combine: { a: heat, b: room }, map: "a - b" }
"""
SHOWN = [
    {"kind": "editor", "node": "heat"}, {"kind": "number", "node": "room"}, {"kind": "lamp", "node": "door"},
    {"kind": "lamp", "node": "wet"}, {"kind": "lamp", "node": "damp"}, {"kind": "number", "node": "near"},
    {"kind": "text", "node": "door", "title": "Door as text"},
    {"kind": "number", "node": "heat", "title": "In Fahrenheit", "pipe": [{"map": "value * 1.8 + 32.0"}]},
]
WIDGETS = layout(*({**each, "x": 2 * (i % 6), "y": i // 6 * 2, "w": 2} for i, each in enumerate(SHOWN)))


def colour(it, of="backgroundColor"):
    return it.evaluate(f"it => getComputedStyle(it).{of}")


@pytest.mark.parametrize("wall", ["", "&kiosk=1"], ids=["page", "wall"])
def test_settings_sensors_helpers_warnings_and_alarms_differ_at_a_glance(open_page, wall):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(WIDGETS, edit=False) + wall)
        roles = {
            "Set point": "setting", "Living room": "sensor", "Door": "sensor", "near": "helper",
            "In Fahrenheit": "sensor",
        }
        for title, role in roles.items():
            expect(widget(page, title)).to_have_attribute("data-role", role)
        expect(widget(page, "Door").locator(".badge .node-icon use")).to_have_attribute("href", "#i-door")
        calm, helper = (colour(widget(page, title)) for title in ("Living room", "near"))
        alarm, warning = (colour(widget(page, title)) for title in ("Water", "Damp"))
        assert len({calm, helper, alarm, warning}) == 4
        for title in ("Water", "Damp"):
            expect(widget(page, title).locator(".badge .icon").first).to_be_visible()
            expect(widget(page, title).locator(".badge .node-icon")).to_be_hidden()
        expect(widget(page, "Water").locator(".widget-alarm")).to_have_text("alarm")
        expect(widget(page, "Damp").locator(".widget-alarm")).to_have_text("warning")
        bar = "it => Math.round(parseFloat(getComputedStyle(it, '::before').width)) || 0"
        assert widget(page, "Set point").evaluate(bar) == 4
        assert widget(page, "Living room").evaluate(bar) == 0
        # A value has its unit beside it, a state its word and its age; nothing is cut.
        room = widget(page, "Living room").locator(".figure-box")
        expect(room).to_have_text("20.5°C")
        expect(widget(page, "Door").locator("output")).to_have_text("closed")
        if wall:
            expect(widget(page, "Set point").locator(".figure-box")).to_have_text("21°C")
        server.set("g", "door", True)
        for title in ("Door", "Door as text"):
            expect(widget(page, title).locator("output")).to_have_text("open")
        age = widget(page, "Door").locator("footer")
        expect(age).to_have_text(re.compile(r"for \d+\ss"))
        # The same state again is no change.
        page.wait_for_timeout(2100)
        server.set("g", "door", True)
        page.wait_for_timeout(300)
        expect(age).not_to_have_text(re.compile(r"for [01]\ss"))
        cut = page.evaluate("""() => [...document.querySelectorAll(".figure-box")]
            .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 3)
            .map((e) => e.textContent)""")
        assert cut == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_words_of_every_tile_can_be_read(open_page, theme):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(WIDGETS, edit=False), color_scheme=theme)
        expect(widget(page, "Water")).to_have_attribute("data-loud", "alarm")
        expect(widget(page, "near").locator("output")).not_to_have_text("")
        low = page.evaluate("""() => {
            const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
            const paint = (...colours) => {
                for (const each of colours) { pen.fillStyle = each; pen.fillRect(0, 0, 1, 1); }
                return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
                    const share = part / 255;
                    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
                });
            };
            const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
            const ground = getComputedStyle(document.body).backgroundColor;
            return [...document.querySelectorAll(".widget :is(h2, output, .figure-unit, footer span, strong)")]
                .filter((e) => e.textContent && e.checkVisibility()).flatMap((e) => {
                    const own = getComputedStyle(e.closest(".widget")).backgroundColor;
                    const [dark, bright] = [light(paint(ground, own, getComputedStyle(e).color)),
                        light(paint(ground, own))].sort((a, b) => a - b);
                    const ratio = (bright + 0.05) / (dark + 0.05);
                    return ratio < 4.5 ? [`${e.textContent}: ${ratio.toFixed(2)}`] : [];
                });
        }""")
        assert low == []


def test_on_a_phone_small_tiles_stand_beside_each_other_in_their_order(open_page):
    widgets = layout(
        {"kind": "number", "node": "room", "w": 3}, {"kind": "lamp", "node": "door", "w": 2},
        {"kind": "series", "nodes": ["room"], "title": "Chart", "w": 6, "h": 4},
    )
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server, address(widgets, edit=False), viewport={"width": 390, "height": 844}, has_touch=True,
            is_mobile=True,
        )
        expect(widget(page, "Living room").locator("output")).to_have_text("20.5")
        one, two, wide = (widget(page, title).bounding_box() for title in ("Living room", "Door", "Chart"))
        assert one["y"] == two["y"] and one["x"] + one["width"] < two["x"]
        assert wide["y"] > one["y"] and wide["width"] > 1.9 * one["width"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_alarm_that_is_out_of_date_can_be_read(open_page):
    graph = GRAPH.replace("title: Water,", "title: Water, role: sensor, fresh: 1s,")
    with Server({"g": graph}) as server:
        page = open_page(server, address(WIDGETS, edit=False))
        wet = widget(page, "Water")
        expect(wet).to_have_attribute("data-state", "stale")
        expect(wet).to_have_attribute("data-loud", "alarm")
        assert colour(wet.locator(".widget-state"), "color") == colour(wet.locator(".widget-alarm"), "color")
        assert float(colour(wet.locator(".widget-body"), "opacity")) > 0.7


@pytest.mark.parametrize("edit", [True, False], ids=["edited", "looked at"])
@pytest.mark.parametrize("width", [800, 1024])
def test_words_of_a_title_stay_whole_in_narrow_tiles(open_page, width, edit):
    graph = GRAPH.replace("Living room", "Bathroom").replace("title: Door", "title: Windows")
    with Server({"g": graph}) as server:
        page = open_page(
            server, address(WIDGETS, edit=edit), viewport={"width": width, "height": 700}, has_touch=True
        )
        if edit:
            expect(page.locator(".handles").first).to_be_visible()
        expect(widget(page, "Windows").locator("output")).to_have_text("closed")
        lines = "it => Math.round(it.offsetHeight / parseFloat(getComputedStyle(it).lineHeight))"
        for title in ("Bathroom", "Windows"):
            assert widget(page, title).locator("h2").evaluate(lines) == 1


def test_no_row_is_cut_on_a_phone(open_page):
    nodes = "".join(f"  n{i}: {{ set: number, initial: {i} }}\n" for i in range(30))
    with Server({"g": f"graph: g\nnodes:\n{nodes}"}) as server:
        page = open_page(
            server, address(layout({"kind": "table", "nodes": ["*"], "title": "All"}), edit=False),
            viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True,
        )
        expect(widget(page, "All").get_by_role("row").nth(3)).to_be_visible()
        assert widget(page, "All").locator(".rows-pane").evaluate("it => it.clientHeight % 28") == 0
