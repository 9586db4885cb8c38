"""Dashboards on a wall: a kiosk, alarms and outages that are seen from across the room."""

import pytest
from browser import DOWN
from dashboards import GRAPH, address, layout, widget
from playwright.sync_api import expect
from sluice import Server

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720), (800, 600)], ids=str)
def test_a_kiosk_shows_nothing_but_widgets_sets_nothing_and_fills_the_screen(open_page, size):
    widgets = layout(
        {"kind": "editor", "node": "x", "title": "Field"},
        {"kind": "series", "nodes": ["x"], "title": "Line", "w": 12, "h": 4},
        {"kind": "lamp", "node": "alarm", "bad": True},
    )
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server, address(widgets, edit=False) + "&kiosk=1", viewport=dict(zip(("width", "height"), size))
        )
        expect(widget(page, "Field").locator("output")).to_have_text("1")
        assert page.locator("input, button:visible, a:visible").count() == 0
        bottom = page.evaluate(
            "Math.max(...[...document.querySelectorAll('.widget')].map((each) => "
            "each.getBoundingClientRect().bottom))"
        )
        assert size[1] - 60 < bottom <= size[1]
        assert page.evaluate(
            "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth "
            "<= innerWidth"
        )
        server.set("g", "x", 80)
        expect(widget(page, "alarm")).to_have_attribute("data-loud", "alarm")


@pytest.mark.parametrize("size", [(1920, 1080), (800, 600)], ids=str)
def test_an_outage_is_seen_on_a_wall(open_page, size):
    widgets = layout({"kind": "number", "node": "x"}, {"kind": "lamp", "node": "alarm", "bad": True})
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server, address(widgets, edit=False) + "&kiosk=1", viewport=dict(zip(("width", "height"), size)),
            allow=DOWN,
        )
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        expect(page.locator("#banner")).to_be_hidden()
        server.process.kill()
        server.process.wait()
        expect(page.locator("#banner")).to_contain_text("Not connected for")
        sign = page.locator("#banner").evaluate(
            "(it) => ({ size: parseFloat(getComputedStyle(it).fontSize), box: "
            "it.getBoundingClientRect().toJSON() })"
        )
        assert sign["size"] >= max(18, size[0] / 50) and sign["box"]["width"] == size[0], sign
        assert 0 < sign["box"]["top"] and sign["box"]["bottom"] <= size[1], sign
        # What is old does not look like news.
        assert page.locator(".dash").evaluate("(it) => getComputedStyle(it).filter") == "grayscale(1)"
        with Server({"g": GRAPH}, listen=f"127.0.0.1:{server.port}"):
            expect(page.locator("#banner")).to_be_hidden()
            assert page.locator(".dash").evaluate("(it) => getComputedStyle(it).filter") == "none"


def test_an_alarm_fills_its_widget_and_is_said(open_page):
    widgets = layout(
        {"kind": "lamp", "node": "mode", "ok": "auto"},
        {"kind": "number", "node": "x", "ok": "10..30"},
        {"kind": "gauge", "node": "x", "title": "Gauge", "warn": 30, "bad": 60, "h": 3},
    )
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(widgets, edit=False))
        for title in ("mode", "Voltage"):
            expect(widget(page, title)).to_have_attribute("data-loud", "alarm")
            expect(widget(page, title).locator(".widget-alarm")).to_have_text("alarm")
        expect(page.locator("#assertive")).to_contain_text("Alarm")
        server.set("g", "mode", "auto")
        server.set("g", "x", 20)
        for title in ("mode", "Voltage"):
            expect(widget(page, title)).not_to_have_attribute("data-loud", "alarm")
        server.set("g", "x", 40)
        expect(widget(page, "Gauge")).to_have_attribute("data-loud", "warn")
