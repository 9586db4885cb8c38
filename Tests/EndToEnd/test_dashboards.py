"""Dashboards in a real browser: widgets that own what they show, a layout in the address, charts, the keyboard."""

import base64
import json
import os
import re
import time

import pytest
from browser import DOWN
from conftest import Client
from playwright.sync_api import expect
from sluice import Server, eventually
from tracing import QUIET, reaction, tasks_of

pytestmark = pytest.mark.browser
GRAPH = """
graph: g
title: A test graph
nodes:
  x: { set: number, initial: 1, min: 0, max: 100, unit: V, title: Voltage, history: 600 }
  y: { set: number, initial: 2 }
  mode: { set: { enum: [eco, auto] }, initial: eco }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  alarm: { from: x, pipe: [ { map: "value > 50" } ] }
"""


def address(layout, graph="g", edit=True):
    """Where a dashboard is edited, or looked at; the layout is in the address."""
    text = base64.urlsafe_b64encode(json.dumps(layout).encode()).decode().rstrip("=")
    return f"/#/g/{graph}/dash?w=1.{text}{'&edit=1' if edit else ''}"


def layout(*widgets, **more):
    return {"v": 1, "widgets": [{"x": 0, "y": 2 * i, "w": 4, "h": 2, **each} for i, each in enumerate(widgets)], **more}


def widget(page, title):
    return page.get_by_role("article", name=re.compile(f"^{re.escape(title)},"))


def listeners(server, graph="g"):
    return server.get(f"/v1/graphs/{graph}").json()["listeners"]


def test_every_kind_of_widget_shows_its_node(open_page):
    widgets = layout(
        {"kind": "number", "node": "x"}, {"kind": "sparkline", "node": "x", "title": "Spark"}, {"kind": "gauge", "node": "x", "title": "Gauge", "warn": 30, "bad": 60},
        {"kind": "lamp", "node": "alarm", "bad": True}, {"kind": "text", "node": "mode"}, {"kind": "text", "text": "<b>words</b>", "title": "Note"},
        {"kind": "series", "nodes": ["x", "double"], "title": "Both", "w": 6, "h": 4}, {"kind": "table", "nodes": ["*"], "title": "All", "w": 6, "h": 4},
        {"kind": "log", "node": "x", "title": "Log", "w": 6, "h": 4}, {"kind": "editor", "node": "y"}, {"kind": "clients", "title": "Who", "w": 6, "h": 4},
        {"kind": "number", "node": "x", "pipe": [{"map": "value * 1000.0"}], "unit": "mV", "title": "Milli"},
    )
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(widgets), viewport={"width": 1280, "height": 2200})
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        expect(widget(page, "Gauge").get_by_role("meter")).to_have_attribute("aria-valuenow", "1")
        server.set("g", "x", 61.5)
        expect(widget(page, "Voltage").locator("output")).to_have_text("61.5")
        expect(widget(page, "Voltage")).to_contain_text("rising")
        expect(widget(page, "Spark").locator("output")).to_have_text("61.5\u202fV")
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


def test_widgets_own_what_they_show_and_let_go_of_it(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "double"}, {"kind": "number", "node": "double", "title": "Again"})))
        expect(widget(page, "double").locator("output")).to_have_text("2")
        assert listeners(server) == 1, "two widgets of one node share one subscription"
        assert "double" in server.alive("g")
        page.goto(server.url + "/#/about")
        eventually(lambda: listeners(server) == 0 and "double" not in server.alive("g"))


def test_a_dashboard_is_built_with_the_keyboard_alone_and_opens_elsewhere_from_its_address(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout()))
        expect(page.get_by_role("heading", name="An empty dashboard")).to_be_visible()
        press = page.keyboard.press

        def add(title):
            press("a")
            expect(page.get_by_role("dialog")).to_be_visible()
            page.get_by_label("Title").focus()
            page.keyboard.type(title)
            page.get_by_label("Node", exact=True).focus()
            page.keyboard.type("double")
            page.keyboard.press("Enter")

        add("First")
        expect(widget(page, "First").locator("output")).to_have_text("2")
        expect(page.get_by_role("button", name="Menu of First")).to_be_focused()
        add("Second")
        expect(widget(page, "Second")).to_be_visible()

        # Moved two columns to the right and made wider, by arrows.
        page.get_by_role("button", name="Menu of First").press("Enter")
        page.get_by_role("menuitem", name="Move or resize").press("Enter")
        expect(widget(page, "First")).to_be_focused()
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "Enter"):
            press(key)
        expect(page.get_by_role("button", name="Menu of First")).to_be_focused()
        expect(widget(page, "First")).to_have_css("grid-column-start", "3")
        expect(widget(page, "First")).to_have_css("grid-column-end", "span 4")
        # And once more, put back.
        page.get_by_role("button", name="Menu of First").press("Enter")
        page.get_by_role("menuitem", name="Move or resize").press("Enter")
        for key in ("ArrowRight", "Escape"):
            press(key)
        expect(widget(page, "First")).to_have_css("grid-column-start", "3")

        hash_ = page.evaluate("location.hash")
        assert "w=1." in hash_
        places = "[...document.querySelectorAll('.widget')].map(w => [w.ariaLabel, w.style.gridArea, w.querySelector('output')?.textContent])"
        other = open_page(server, "/" + hash_)
        expect(widget(other, "Second").locator("output")).not_to_have_text("")
        eventually(lambda: page.evaluate(places) == other.evaluate(places))

        page.get_by_role("button", name="Menu of First").press("Enter")
        page.get_by_role("menuitem", name="Remove").press("Enter")
        expect(widget(page, "First")).to_have_count(0)
        expect(page.get_by_role("button", name="Menu of Second")).to_be_focused()


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


def test_widgets_are_moved_by_their_heads_and_resized_by_their_corners(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"}, {"kind": "number", "node": "y"})))
        expect(widget(page, "y").locator("output")).to_have_text("2")
        column = widget(page, "Voltage").bounding_box()["width"] / 4

        def drag(part, by_x, by_y):
            box = part.bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y)
            page.mouse.down()
            # What moves widgets is loaded by the first press, a hand that holds on is moved with it.
            page.wait_for_timeout(300)
            page.mouse.move(x + by_x, y + by_y, steps=4)
            page.mouse.up()

        drag(widget(page, "Voltage").locator(".widget-state"), 3 * column, 0)
        expect(widget(page, "Voltage")).to_have_css("grid-column-start", "4")
        drag(widget(page, "Voltage").locator(".widget-resize"), 2 * column, 70)
        expect(widget(page, "Voltage")).to_have_css("grid-column-end", "span 6")
        expect(widget(page, "Voltage")).to_have_css("grid-row-end", "span 3")
        expect(widget(page, "y")).to_have_css("grid-row-start", "4")
        assert "w=1." in page.evaluate("location.hash")


def test_what_changes_a_dashboard_comes_when_it_is_asked_for_and_no_key_is_misread_meanwhile(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"})))
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        loaded = "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /editing|forms|menu|moving|compose/.test(name))"
        assert page.evaluate(loaded) == []
        page.route("**/dash/forms.js", lambda route: (time.sleep(0.5), route.continue_()))
        page.keyboard.type("agc")
        expect(page.get_by_role("dialog", name="Add widget")).to_be_visible()
        assert "/dash" in page.evaluate("location.hash"), "g and c did not go to the clients"


def test_a_press_that_is_over_before_what_moves_widgets_has_come_moves_none(open_page):
    with Server({"g": GRAPH}) as server:
        held = []
        page = open_page(server, address(layout({"kind": "number", "node": "x"}, {"kind": "number", "node": "y"})),
                         before=lambda page: page.route("**/dash/moving.js", lambda route: held.append(route)))
        expect(widget(page, "y").locator("output")).to_have_text("2")
        box = widget(page, "Voltage").locator("header").bounding_box()
        x, y = box["x"] + box["width"] / 3, box["y"] + 3
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.up()
        # Requests are heard of while the page is waited for.
        eventually(lambda: page.wait_for_timeout(50) or held != [])
        with page.expect_response("**/dash/moving.js"):
            held[0].continue_()
        page.wait_for_timeout(300)
        page.mouse.move(x + box["width"] / 2, y, steps=8)
        expect(widget(page, "Voltage")).to_have_css("grid-column-start", "1")
        expect(page.locator(".widget.held")).to_have_count(0)


def test_another_dashboard_for_a_view_that_was_left_meanwhile_is_not_shown_and_listens_to_nothing(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"})))
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        page.get_by_role("button", name="Dashboards").click()
        # The answer of the server, which the layout is made of, is late.
        page.evaluate("() => { const send = WebSocket.prototype.send; WebSocket.prototype.send = function (text) { setTimeout(() => send.call(this, text), /\"op\":\"get\"/.test(text) ? 800 : 0); }; }")
        page.get_by_role("menuitem", name="Made from the graph").click()
        page.get_by_role("button", name="Dashboards").click()
        expect(page.get_by_role("menu")).to_be_visible()
        page.evaluate("location.hash = '#/about'")
        expect(page.get_by_role("menu")).to_have_count(0)
        expect(page.locator("dl.facts dd").first).to_be_visible()
        page.wait_for_timeout(1500)
        assert page.evaluate("location.hash") == "#/about"
        eventually(lambda: listeners(server) == 0)


def test_a_widget_can_be_added_before_the_server_has_said_anything(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, "/#/g/g/dash?edit=1", before=lambda page: page.route_web_socket(re.compile("/v1/ws"), lambda socket: None))
        page.get_by_role("button", name="Add widget").click()
        page.get_by_label("Kind").select_option("text")
        page.get_by_label("Title").fill("Note")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(widget(page, "Note")).to_be_visible()
        eventually(lambda: "w=1." in page.evaluate("location.hash"))


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

        page = open_page(server, address(layout({"kind": "number", "node": "x"}, {"kind": "gauge", "node": "x", "title": "Gauge"})), before=without, allow="ERR_FAILED")
        expect(widget(page, "Gauge")).to_contain_text("could not be loaded")
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        page.keyboard.press("a")
        expect(page.locator(".dash-notice")).to_contain_text("cannot be changed")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1.%%%%", "cut off or changed"), ("nonsense", "cut off or changed"), ("9.e30", "newer version"), ("1." + "A" * 300_000, "too large"),
        ("1." + base64.urlsafe_b64encode(b'{"v":1,"widgets":[{"kind":"number","x":-5}]}').decode().rstrip("="), "Widget 1 is left out"),
    ],
    ids=["characters", "nonsense", "newer", "huge", "a bad widget"],
)
def test_an_address_that_holds_no_dashboard_says_so(open_page, text, says):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, f"/#/g/g/dash?edit=1&w={text}")
        expect(page.locator(".dash-notice")).to_contain_text(says)
        expect(page.get_by_role("button", name="Add widget")).to_be_enabled()


def test_an_unknown_kind_is_a_labelled_placeholder_and_names_are_only_text(open_page):
    hostile = layout({"kind": "hologram", "title": "<img src=x onerror=alert(1)>"}, {"kind": "number", "node": "gone", "title": "\u202eevil"}, {"kind": "text", "text": "<script>alert(1)</script>", "title": "T"})
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(hostile))
        expect(widget(page, "<img src=x onerror=alert(1)>")).to_contain_text("does not know")
        expect(widget(page, "T")).to_contain_text("<script>alert(1)</script>")
        expect(page.locator(".widget-note").filter(has_text="The server does not give this value")).to_be_visible()
        assert page.locator(".dash img, .dash script").count() == 0


def test_a_chart_keeps_its_past_and_marks_what_it_could_not_hear(open_page):
    with Server({"g": GRAPH}) as first:
        for value in range(10, 20):
            first.set("g", "x", value)
        page = open_page(first, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})), allow=DOWN)
        canvas = widget(page, "Voltage").locator("canvas")
        expect(canvas).to_have_attribute("aria-label", re.compile("Voltage 19\u202fV, between 1"), timeout=15_000)
        start = page.evaluate("performance.timeOrigin")
        first.process.kill()
        first.process.wait()
        expect(page.locator(".conn-text")).to_contain_text("Reconnecting")
        expect(widget(page, "Voltage").locator("canvas")).to_have_attribute("data-gaps", "1")
        with Server({"g": GRAPH}, listen=f"127.0.0.1:{first.port}") as second:
            expect(page.locator(".conn-text")).to_have_text("Live", timeout=15_000)
            second.set("g", "x", 77)
            expect(widget(page, "Voltage").locator(".legend output")).to_have_text("77\u202fV")
            expect(canvas).to_have_attribute("data-gaps", "1")
            page.get_by_role("button", name="Menu of Voltage").click()
            page.get_by_role("menuitem", name="Show as table").click()
            rows = widget(page, "Voltage").get_by_role("row")
            assert rows.count() >= 12, "the points from before the restart are still there"
            expect(rows.nth(1)).to_contain_text("77")
            assert page.evaluate("performance.timeOrigin") == start


def test_a_chart_goes_on_behind_a_restart_that_lost_nothing(open_page):
    with Server({"g": GRAPH}, keeps=True) as server:
        for value in range(10, 20):
            server.set("g", "x", value)
        page = open_page(server, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})), allow=DOWN)
        canvas = widget(page, "Voltage").locator("canvas")
        expect(canvas).to_have_attribute("aria-label", re.compile("Voltage 19\u202fV, between 1"), timeout=15_000)
        server.kill()
        expect(page.locator(".conn-text")).to_contain_text("Reconnecting")
        server.start()
        expect(page.locator(".conn-text")).to_have_text("Live", timeout=15_000)
        expect(widget(page, "Voltage").locator(".legend output")).to_have_text("19\u202fV")
        server.set("g", "x", 77)
        expect(widget(page, "Voltage").locator(".legend output")).to_have_text("77\u202fV")
        # One that is opened now has the history from before the restart.
        other = open_page(server, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})))
        label = re.compile("Voltage 77\u202fV, between 1")
        expect(widget(other, "Voltage").locator("canvas")).to_have_attribute("aria-label", label, timeout=15_000)


def test_charts_share_one_cursor_and_can_be_looked_into(open_page):
    charts = layout({"kind": "series", "nodes": ["x"], "title": "One", "w": 6, "h": 4}, {"kind": "series", "nodes": ["double"], "title": "Two", "w": 6, "h": 4})
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
        page = open_page(server, address(layout({"kind": "text", "node": "mode"}, {"kind": "log", "node": "x", "h": 4})))
        expect(widget(page, "mode")).to_contain_text("eco")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
        for item, expected in (("Copy as JSON", [{"node": "mode", "value": "eco"}]), ("Copy as CSV", "node,value\r\nmode,eco")):
            page.get_by_role("button", name="Menu of mode").click()
            page.get_by_role("menuitem", name=item).click()
            eventually(lambda: page.evaluate("navigator.clipboard.readText()") != "")
            text = page.evaluate("navigator.clipboard.readText()")
            assert (json.loads(text) if item.endswith("JSON") else text.replace("\r\n", "\n")) == (expected if item.endswith("JSON") else expected.replace("\r\n", "\n"))


def saves(page, title):
    page.get_by_role("button", name="Dashboards").click()
    page.get_by_role("menuitem", name="Save as…").click()
    page.get_by_role("dialog").get_by_label("Name").fill(title)
    page.keyboard.press("Enter")


def test_a_dashboard_is_saved_on_the_server_for_every_browser(open_page, tmp_path):
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}\n") as server:
        page = open_page(server, address(layout({"kind": "number", "node": "y"})))
        expect(widget(page, "y").locator("output")).to_have_text("2")
        saves(page, "My board")
        page.wait_for_url(re.compile("d=my-board$"))
        # It is looked at now.
        expect(page.get_by_role("button", name="Add widget")).to_be_hidden()
        kept = json.loads((tmp_path / "my-board.json").read_text())
        assert kept["title"] == "My board" and kept["graph"] == "g" and kept["widgets"][0]["node"] == "y"
        other = open_page(server, "/#/g/g/dash")
        expect(widget(other, "y").locator("output")).to_have_text("2")
        expect(other).to_have_title(re.compile("My board"))
        missing = open_page(server, "/#/g/g/dash?d=nothing", allow="404")
        expect(missing.locator(".dash-notice")).to_contain_text("no dashboard of this name")


def test_where_dashboards_cannot_be_saved_the_page_says_so(open_page, tmp_path):
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}/none\n") as server:
        page = open_page(server, address(layout({"kind": "number", "node": "y"})))
        expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
        expect(page.get_by_role("button", name="Save", exact=True)).to_have_attribute("title", re.compile("export"))


def test_two_browsers_that_change_one_dashboard_meet_a_conflict_and_nothing_is_lost_unasked(open_page, tmp_path):
    (tmp_path / "b.json").write_text(json.dumps({**layout({"kind": "number", "node": "y"}, {"kind": "number", "node": "x"}), "graph": "g"}))
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}\n") as server:
        first, second = (open_page(server, "/#/g/g/dash?d=b&edit=1", allow="412") for _ in range(2))
        for page in (first, second):
            expect(widget(page, "y").locator("output")).to_have_text("2")

        def remove(page, title):
            page.get_by_role("button", name=f"Menu of {title}").click()
            page.get_by_role("menuitem", name="Remove").click()
            expect(widget(page, title)).to_have_count(0)

        nodes = lambda: [each["node"] for each in json.loads((tmp_path / "b.json").read_text())["widgets"]]
        remove(first, "y")
        first.get_by_role("button", name="Save", exact=True).click()
        first.wait_for_url(re.compile("d=b$"))
        assert nodes() == ["x"]
        remove(second, "Voltage")
        second.get_by_role("button", name="Save", exact=True).click()
        question = second.get_by_role("dialog", name="Changed by somebody else")
        question.get_by_role("button", name="Keep my draft").click()
        assert nodes() == ["x"]
        # The draft survives a reload, and so does what it began with.
        second.reload()
        expect(widget(second, "y").locator("output")).to_have_text("2")
        second.get_by_role("button", name="Save", exact=True).click()
        question.get_by_role("button", name="Save mine").click()
        second.wait_for_url(re.compile("d=b$"))
        assert nodes() == ["y"]
        # Whoever looks at it gets it without a reload.
        expect(widget(first, "y").locator("output")).to_have_text("2", timeout=30_000)


def test_a_saved_dashboard_is_replaced_and_deleted_only_when_that_is_said(open_page, tmp_path):
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}\n") as server:
        page = open_page(server, address(layout({"kind": "number", "node": "y"})), allow="412")
        node = lambda: json.loads((tmp_path / "one.json").read_text())["widgets"][0]["node"]
        saves(page, "One")
        page.wait_for_url(re.compile("d=one$"))
        page.goto(server.url + address(layout({"kind": "log", "node": "x"})))
        expect(widget(page, "Voltage")).to_be_visible()
        saves(page, "One")
        page.get_by_role("dialog", name="Replace One?").get_by_role("button", name="Cancel").click()
        expect(page.locator("dialog")).to_have_count(0)
        assert node() == "y"
        saves(page, "One")
        page.get_by_role("dialog", name="Replace One?").get_by_role("button", name="Replace").click()
        page.wait_for_url(re.compile("d=one$"))
        assert node() == "x"
        page.get_by_role("button", name="Dashboards").click()
        page.get_by_role("menuitem", name="Delete One").click()
        page.get_by_role("dialog", name="Delete One?").get_by_role("button", name="Delete").click()
        page.wait_for_url(re.compile("/dash$"))
        assert list(tmp_path.iterdir()) == []


def test_looking_and_editing_are_apart_and_what_is_removed_comes_back(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"}, {"kind": "number", "node": "y"}), edit=False))
        expect(widget(page, "y").locator("output")).to_have_text("2")
        page.get_by_role("button", name="Menu of y").click()
        expect(page.get_by_role("menuitem", name="Copy as JSON")).to_be_visible()
        expect(page.get_by_role("menuitem", name="Remove")).to_have_count(0)
        page.keyboard.press("Escape")
        expect(page.locator(".widget-resize").first).to_be_hidden()
        expect(page.get_by_role("button", name="Add widget")).to_be_hidden()
        page.get_by_role("button", name="Edit", exact=True).click()
        page.get_by_role("button", name="Menu of y").click()
        page.get_by_role("menuitem", name="Remove").click()
        expect(widget(page, "y")).to_have_count(0)
        page.locator(".dash-notice").get_by_role("button", name="Undo").click()
        expect(widget(page, "y").locator("output")).to_have_text("2")
        page.get_by_role("button", name="Done").click()
        expect(page.get_by_role("button", name="Add widget")).to_be_hidden()


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720), (800, 600)], ids=str)
def test_a_kiosk_shows_nothing_but_widgets_sets_nothing_and_fills_the_screen(open_page, size):
    widgets = layout({"kind": "editor", "node": "x", "title": "Field"}, {"kind": "series", "nodes": ["x"], "title": "Line", "w": 12, "h": 4}, {"kind": "lamp", "node": "alarm", "bad": True})
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(widgets, edit=False) + "&kiosk=1", viewport=dict(zip(("width", "height"), size)))
        expect(widget(page, "Field").locator("output")).to_have_text("1")
        assert page.locator("input, button:visible, a:visible").count() == 0
        bottom = page.evaluate("Math.max(...[...document.querySelectorAll('.widget')].map((each) => each.getBoundingClientRect().bottom))")
        assert size[1] - 60 < bottom <= size[1]
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth")
        server.set("g", "x", 80)
        expect(widget(page, "alarm")).to_have_attribute("data-loud", "alarm")


def test_an_alarm_fills_its_widget_and_is_said(open_page):
    widgets = layout({"kind": "lamp", "node": "mode", "ok": "auto"}, {"kind": "number", "node": "x", "ok": "10..30"}, {"kind": "gauge", "node": "x", "title": "Gauge", "warn": 30, "bad": 60, "h": 3})
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


def test_the_dialog_finds_nodes_by_typing_and_reports_a_bad_expression_at_its_place(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout()))
        expect(page.get_by_role("heading", name="An empty dashboard")).to_be_visible()
        page.keyboard.press("a")
        node, pipe = page.get_by_label("Node", exact=True), page.get_by_label("Expression")
        node.fill("volt")
        expect(page.locator(".picker-list [role=option]")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(node).to_have_value("x")
        pipe.fill("value * / 5")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("found '/'")
        expect(pipe).to_have_attribute("aria-invalid", "true")
        assert pipe.evaluate("it => it.selectionStart") == 8
        expect(page.locator(".widget")).to_have_count(0)
        pipe.fill("valu * 5")
        expect(page.get_by_role("dialog")).to_contain_text("did you mean 'value'?")
        pipe.fill("value * 5")
        expect(page.get_by_role("dialog")).to_contain_text("Now: 5")
        node.fill("nothing")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_role("dialog")).to_contain_text("There is no node nothing")
        node.fill("x")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(widget(page, "Voltage").locator("output")).to_have_text("5")
        eventually(lambda: listeners(server) == 1)


def test_several_nodes_are_chosen_with_a_pattern_among_them(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout()))
        expect(page.get_by_role("heading", name="An empty dashboard")).to_be_visible()
        page.keyboard.press("a")
        page.get_by_label("Kind").select_option("table")
        nodes = page.get_by_label("Nodes", exact=True)
        nodes.fill("mode")
        page.keyboard.press("Enter")
        nodes.fill("d*")
        expect(page.locator(".picker-list [role=option]").first).to_contain_text("1 now")
        page.keyboard.press("Enter")
        expect(page.locator(".chip")).to_have_count(2)
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_role("article").get_by_role("row")).to_have_count(3)


def test_a_widget_shows_a_node_of_another_graph(open_page):
    with Server({"g": GRAPH, "h": "graph: h\nnodes:\n  z: { set: number, initial: 7, title: Far }\n"}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "z", "graph": "h"}, {"kind": "number", "node": "y"})))
        expect(widget(page, "Far").locator("output")).to_have_text("7")
        expect(widget(page, "Far").get_by_role("link")).to_have_attribute("href", "#/g/h?node=z")
        eventually(lambda: listeners(server, "h") == 1 and listeners(server) == 1)
        page.goto(server.url + "/#/about")
        eventually(lambda: listeners(server, "h") == 0)


def test_the_cursor_of_a_chart_has_time_and_values(open_page):
    with Server({"g": GRAPH}) as server:
        server.set("g", "x", 8)
        page = open_page(server, address(layout({"kind": "series", "nodes": ["x", "double"], "title": "Both", "w": 12, "h": 5, "span": 10})))
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


def test_a_graph_without_a_dashboard_has_one_made_of_its_nodes_which_is_changed_and_saved(open_page, tmp_path):
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}\n") as server:
        page = open_page(server, "/#/g/g", viewport={"width": 1280, "height": 1600})
        page.get_by_role("link", name="Dashboard", exact=True).click()
        expect(page.locator(".dash-notice")).to_contain_text("Made from the nodes")
        # A slider where there are bounds, a choice for what is one, a lamp for what is true or false, charts for numbers with a past.
        expect(page.get_by_role("article", name="Voltage, Editor").locator("input[type=range]")).to_have_value("1")
        expect(page.get_by_role("article", name="y, Editor").locator("input")).to_have_value("2")
        expect(page.get_by_role("article", name="mode, Editor").get_by_role("combobox")).to_be_visible()
        expect(page.get_by_role("article", name="alarm, State lamp").locator("output")).to_have_text("off")
        expect(page.get_by_role("article", name="Voltage, Time series").locator(".legend output")).to_have_text("1\u202fV")
        expect(page.get_by_role("article", name="double, Time series").locator(".legend output")).to_have_text("2")
        slider = page.get_by_role("article", name="Voltage, Editor").locator("input[type=range]")
        slider.fill("70")
        expect(page.get_by_role("article", name="alarm, State lamp").locator("output")).to_have_text("on")
        page.get_by_role("button", name="Edit", exact=True).click()
        page.get_by_role("button", name="Menu of y").click()
        page.get_by_role("menuitem", name="Remove").click()
        expect(page.get_by_role("article", name="y, Editor")).to_have_count(0)
        saves(page, "Mine")
        page.wait_for_url(re.compile("d=mine$"))
        page.goto(server.url + "/#/about")
        page.goto(server.url + "/#/g/g/dash?d=mine")
        expect(page.get_by_role("article", name="Voltage, Editor")).to_be_visible()
        expect(page.get_by_role("article", name="y, Editor")).to_have_count(0)


def test_a_removed_node_leaves_words_behind(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "y"})), allow=DOWN)
        expect(widget(page, "y").locator("output")).to_have_text("2")
        answer = server.request("PUT", "/v1/graphs/g?adopt=1", GRAPH.replace("  y: { set: number, initial: 2 }\n", ""), {"Content-Type": "application/yaml"})
        assert answer.status == 200, answer.body
        expect(widget(page, "y")).to_contain_text("This node was removed")
        again = widget(page, "y").get_by_role("button", name="Watch it again")
        again.focus()
        expect(widget(page, "y")).to_contain_text(re.compile(r"removed [2-9]\ss ago"))
        expect(again).to_be_focused()


def test_under_load_nothing_is_late_and_the_page_stays_free(browser, open_page):
    """200 updates a second over 30 nodes and two charts of 5,000 points."""
    seconds = 30 if os.environ.get("SLUICE_NIGHTLY") else 5
    nodes = "".join(f"  n{i}: {{ set: number, initial: 0, history: 5000 }}\n" for i in range(30))
    charts = [{"kind": "series", "nodes": [f"n{i}"], "title": f"Chart {i}", "w": 6, "h": 4} for i in range(2)]
    with Server({"load": f"graph: load\nnodes:\n{nodes}"}) as server:
        for value in range(50):
            server.batch("load", set={f"n{i}": value for i in range(2)})
        page = open_page(server, address(layout(*charts, *({"kind": "number", "node": f"n{i}", "x": i % 4 * 3, "y": 4 + i // 4 * 2, "w": 3} for i in range(30))), "load"),
                         viewport={"width": 1280, "height": 1700})
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
                # Numbers of their own, which nobody reads twice.
                sent[str(value)] = time.time() * 1000
                server.batch("load", set={"n7": value, **{f"n{(value + i) % 7 + 8 * (i % 3)}": value for i in range(9)}})
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
        print(f"\ndashboard under load: {value * 10 / seconds:.0f} values/s, longest task {traced.longest:.0f} ms by the clock and {traced.longest_work:.1f} ms of work, "
              f"newest value shown after {late[len(late) // 2]:.0f} ms, at the latest {late[-1]:.0f} ms, click to reaction {', '.join(f'{each:.0f}' for each in reactions)} ms")
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
            document.querySelector("main").prepend(box);
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
            document.querySelector("main").prepend(box);
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
