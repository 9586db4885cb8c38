"""Dashboards in a real browser: widgets that own what they show, and a layout in the address."""

import base64
import re

import pytest
from browser import DOWN
from conftest import Client
from dashboards import GRAPH, address, layout, listeners, widget
from playwright.sync_api import expect
from sluice import Server, eventually

pytestmark = pytest.mark.browser


def test_every_kind_of_widget_shows_its_node(open_page):
    widgets = layout(
        {"kind": "number", "node": "x"},
        {"kind": "sparkline", "node": "x", "title": "Spark"},
        {"kind": "gauge", "node": "x", "title": "Gauge", "warn": 30, "bad": 60},
        {"kind": "lamp", "node": "alarm", "bad": True},
        {"kind": "text", "node": "mode"},
        {"kind": "text", "text": "<b>words</b>", "title": "Note"},
        {"kind": "series", "nodes": ["x", "double"], "title": "Both", "w": 6, "h": 4},
        {"kind": "table", "nodes": ["*"], "title": "All", "w": 6, "h": 4},
        {"kind": "log", "node": "x", "title": "Log", "w": 6, "h": 4},
        {"kind": "editor", "node": "y"},
        {"kind": "clients", "title": "Who", "w": 6, "h": 4},
        {"kind": "number", "node": "x", "pipe": [{"map": "value * 1000.0"}], "unit": "mV", "title": "Milli"},
    )
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(widgets), viewport={"width": 1280, "height": 2200})
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        expect(widget(page, "Gauge").get_by_role("meter")).to_have_attribute("aria-valuenow", "1")
        server.set("g", "x", 61.5)
        expect(widget(page, "Voltage").locator("output")).to_have_text("61.5")
        expect(widget(page, "Voltage")).to_contain_text("rising")
        expect(widget(page, "Spark").locator("output")).to_have_text("61.5")
        expect(widget(page, "Gauge").get_by_role("meter")).to_have_attribute("data-tone", "bad")
        expect(widget(page, "alarm").locator(".lamp")).to_have_attribute("data-tone", "alarm")
        expect(widget(page, "mode")).to_contain_text("eco")
        expect(widget(page, "Note")).to_contain_text("<b>words</b>")
        expect(widget(page, "Both").locator(".legend")).to_contain_text("123")
        expect(widget(page, "All").get_by_role("row", name=re.compile("^double 123"))).to_be_visible()
        expect(widget(page, "Log").get_by_role("listitem")).to_have_count(2)
        expect(widget(page, "y").locator("input")).to_have_value("2")
        expect(widget(page, "Who")).to_contain_text("you")
        expect(widget(page, "Milli").locator("output")).to_have_text("61500")


def test_widgets_own_what_they_show_and_release_it(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server,
            address(
                layout(
                    {"kind": "number", "node": "double"},
                    {"kind": "number", "node": "double", "title": "Again"},
                )
            ),
        )
        expect(widget(page, "double").locator("output")).to_have_text("2")
        assert listeners(server) == 1, "two widgets of one node share one subscription"
        assert "double" in server.alive("g")
        page.goto(server.url + "/#/about")
        eventually(lambda: listeners(server) == 0 and "double" not in server.alive("g"))


def test_visitors_that_come_and_go_between_two_looks_do_not_stay_in_the_list(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "clients", "title": "Who", "h": 6})))
        expect(widget(page, "Who")).to_contain_text("Nobody listens.")
        for _ in range(12):
            with Client(server) as visitor:
                visitor.ask(op="sub", graph="g", node="double")
        with Client(server) as last:
            last.ask(op="sub", graph="g", node="double")
            expect(widget(page, "Who").get_by_role("listitem")).to_have_count(1)
        expect(widget(page, "Who").get_by_role("listitem")).to_have_count(0)


def test_another_dashboard_for_a_view_that_was_left_meanwhile_is_not_shown_and_listens_to_nothing(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"})))
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        page.get_by_role("button", name="Dashboards").click()
        # The answer of the server, which the layout is made of, is late.
        page.evaluate(
            "() => { const send = WebSocket.prototype.send; WebSocket.prototype.send = function (text) { "
            "setTimeout(() => send.call(this, text), /\"op\":\"get\"/.test(text) ? 800 : 0); }; }"
        )
        page.get_by_role("menuitem", name="Made from the graph").click()
        page.get_by_role("button", name="Dashboards").click()
        expect(page.get_by_role("menu")).to_be_visible()
        page.evaluate("location.hash = '#/about'")
        expect(page.get_by_role("menu")).to_have_count(0)
        expect(page.locator("dl.facts dd").first).to_be_visible()
        page.wait_for_timeout(1500)
        assert page.evaluate("location.hash") == "#/about"
        eventually(lambda: listeners(server) == 0)


def test_an_address_whose_reading_cannot_be_loaded_says_so(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"})), allow="ERR_FAILED",
                         before=lambda page: page.route("**/dash/address.js", lambda route: route.abort()))
        expect(page.locator(".dash-notice")).to_contain_text("could not be read")


def test_a_part_that_cannot_be_loaded_is_said_where_it_is_missing(open_page):
    with Server({"g": GRAPH}) as server:
        def without(page):
            for name in ("widgets/gauge", "dash/editing"):
                page.route(f"**/{name}.js", lambda route: route.abort())

        page = open_page(
            server,
            address(
                layout({"kind": "number", "node": "x"}, {"kind": "gauge", "node": "x", "title": "Gauge"})
            ),
            before=without, allow="ERR_FAILED",
        )
        expect(widget(page, "Gauge")).to_contain_text("could not be loaded")
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        page.keyboard.press("a")
        expect(page.locator(".dash-notice")).to_contain_text("cannot be changed")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1.%%%%", "cut off or changed"),
        ("nonsense", "cut off or changed"),
        ("9.e30", "newer version"),
        ("1." + "A" * 300_000, "too large"),
        (
            "1."
            + base64.urlsafe_b64encode(b'{"v":1,"widgets":[{"kind":"number","x":-5}]}').decode().rstrip("="),
            "Widget 1 is left out",
        ),
    ],
    ids=["characters", "nonsense", "newer", "huge", "a bad widget"],
)
def test_an_address_that_holds_no_dashboard_says_so(open_page, text, says):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, f"/#/g/g/dash?edit=1&w={text}")
        expect(page.locator(".dash-notice")).to_contain_text(says)
        expect(page.get_by_role("button", name="Add widget")).to_be_enabled()


def test_an_unknown_kind_is_a_labelled_placeholder_and_names_are_only_text(open_page):
    hostile = layout(
        {"kind": "hologram", "title": "<img src=x onerror=alert(1)>"},
        {"kind": "number", "node": "gone", "title": "\u202eevil"},
        {"kind": "text", "text": "<script>alert(1)</script>", "title": "T"},
    )
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(hostile))
        expect(widget(page, "<img src=x onerror=alert(1)>")).to_contain_text("does not know")
        expect(widget(page, "T")).to_contain_text("<script>alert(1)</script>")
        expect(
            page.locator(".widget-note").filter(has_text="The server does not give this value")
        ).to_be_visible()
        assert page.locator(".dash img, .dash script").count() == 0


def test_a_widget_shows_a_node_of_another_graph(open_page):
    with Server(
        {"g": GRAPH, "h": "graph: h\nnodes:\n  z: { set: number, initial: 7, title: Far }\n"}
    ) as server:
        page = open_page(
            server,
            address(layout({"kind": "number", "node": "z", "graph": "h"}, {"kind": "number", "node": "y"})),
        )
        expect(widget(page, "Far").locator("output")).to_have_text("7")
        expect(widget(page, "Far").get_by_role("link")).to_have_attribute("href", "#/g/h?node=z")
        eventually(lambda: listeners(server, "h") == 1 and listeners(server) == 1)
        page.goto(server.url + "/#/about")
        eventually(lambda: listeners(server, "h") == 0)


def test_a_removed_node_leaves_words_behind(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "y"})), allow=DOWN)
        expect(widget(page, "y").locator("output")).to_have_text("2")
        answer = server.request(
            "PUT", "/v1/graphs/g?adopt=1", GRAPH.replace("  y: { set: number, initial: 2 }\n", ""),
            {"Content-Type": "application/yaml"},
        )
        assert answer.status == 200, answer.body
        expect(widget(page, "y")).to_contain_text("This node was removed")
        again = widget(page, "y").get_by_role("button", name="Watch it again")
        again.focus()
        expect(widget(page, "y")).to_contain_text(re.compile(r"removed [2-9]\ss ago"))
        expect(again).to_be_focused()
