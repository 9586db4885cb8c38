"""Changing a dashboard: by keyboard and pointer, in the dialog, and what is loaded for it."""

import re
import time

import pytest
from dashboards import GRAPH, address, layout, listeners, widget
from playwright.sync_api import expect
from sluice import Server, eventually

pytestmark = pytest.mark.browser


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
        # And back to its place again.
        page.get_by_role("button", name="Menu of First").press("Enter")
        page.get_by_role("menuitem", name="Move or resize").press("Enter")
        for key in ("ArrowRight", "Escape"):
            press(key)
        expect(widget(page, "First")).to_have_css("grid-column-start", "3")

        hash_ = page.evaluate("location.hash")
        assert "w=1." in hash_
        places = (
            "[...document.querySelectorAll('.widget')].map(w => [w.ariaLabel, w.style.gridArea, "
            "w.querySelector('output')?.textContent])"
        )
        other = open_page(server, "/" + hash_)
        expect(widget(other, "Second").locator("output")).not_to_have_text("")
        eventually(lambda: page.evaluate(places) == other.evaluate(places))

        page.get_by_role("button", name="Menu of First").press("Enter")
        page.get_by_role("menuitem", name="Remove").press("Enter")
        expect(widget(page, "First")).to_have_count(0)
        expect(page.get_by_role("button", name="Menu of Second")).to_be_focused()


def test_widgets_are_moved_by_their_heads_and_resized_by_their_corners(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server, address(layout({"kind": "number", "node": "x"}, {"kind": "number", "node": "y"}))
        )
        expect(widget(page, "y").locator("output")).to_have_text("2")
        column = widget(page, "Voltage").bounding_box()["width"] / 4

        def drag(part, by_x, by_y):
            # Once it stays where it is: the move before may still be shown.
            part.hover()
            box = part.bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y)
            page.mouse.down()
            # What moves widgets is loaded by the first press, a hand that holds on is moved with
            # it.
            page.wait_for_timeout(300)
            page.mouse.move(x + by_x, y + by_y, steps=4)
            page.mouse.up()

        drag(widget(page, "Voltage").locator("header"), 3 * column, 0)
        expect(widget(page, "Voltage")).to_have_css("grid-column-start", "4")
        drag(widget(page, "Voltage").locator(".widget-resize"), 2 * column, 70)
        expect(widget(page, "Voltage")).to_have_css("grid-column-end", "span 6")
        expect(widget(page, "Voltage")).to_have_css("grid-row-end", "span 3")
        expect(widget(page, "y")).to_have_css("grid-row-start", "4")
        assert "w=1." in page.evaluate("location.hash")


def test_what_changes_a_dashboard_comes_when_it_is_asked_for_and_no_key_is_misread_meanwhile(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"}), edit=False))
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        loaded = (
            "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => "
            "/editing|handles|forms|menu|moving|compose/.test(name))"
        )
        assert page.evaluate(loaded) == []
        page.route("**/dash/forms.js", lambda route: (time.sleep(0.5), route.continue_()))
        page.keyboard.type("agc")
        expect(page.get_by_role("dialog", name="Add widget")).to_be_visible()
        assert "/dash" in page.evaluate("location.hash"), "g and c did not go to the clients"


def test_a_press_that_is_over_before_what_moves_widgets_has_come_moves_none(open_page):
    with Server({"g": GRAPH}) as server:
        held = []
        page = open_page(
            server, address(layout({"kind": "number", "node": "x"}, {"kind": "number", "node": "y"})),
            before=lambda page: page.route("**/dash/moving.js", lambda route: held.append(route)),
        )
        expect(widget(page, "y").locator("output")).to_have_text("2")
        box = widget(page, "Voltage").locator("header").bounding_box()
        x, y = box["x"] + box["width"] / 3, box["y"] + 3
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.up()
        # Playwright handles requests only while it waits for the page.
        eventually(lambda: page.wait_for_timeout(50) or held != [])
        with page.expect_response("**/dash/moving.js"):
            held[0].continue_()
        page.wait_for_timeout(300)
        page.mouse.move(x + box["width"] / 2, y, steps=8)
        expect(widget(page, "Voltage")).to_have_css("grid-column-start", "1")
        expect(page.locator(".widget.held")).to_have_count(0)


def test_a_widget_can_be_added_before_the_server_has_said_anything(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server, "/#/g/g/dash?edit=1",
            before=lambda page: page.route_web_socket(re.compile("/v1/ws"), lambda socket: None),
        )
        page.get_by_role("button", name="Add widget").click()
        page.get_by_label("Kind").select_option("text")
        page.get_by_label("Title").fill("Note")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(widget(page, "Note")).to_be_visible()
        eventually(lambda: "w=1." in page.evaluate("location.hash"))


def test_looking_and_editing_are_apart_and_what_is_removed_comes_back(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server,
            address(layout({"kind": "number", "node": "x"}, {"kind": "number", "node": "y"}), edit=False),
        )
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


def test_handles_choose_copy_and_remove_widgets_and_each_step_is_undone_and_done_again(open_page):
    with Server({"g": GRAPH}) as server:
        three = layout(
            {"kind": "number", "node": "x"}, {"kind": "number", "node": "y"},
            {"kind": "lamp", "node": "alarm"},
        )
        page = open_page(server, address(three))
        titles = "[...document.querySelectorAll('.widget')].map((each) => each.ariaLabel.split(',')[0])"

        def shows(*expected):
            eventually(lambda: page.evaluate(titles) == list(expected))

        shows("Voltage", "y", "alarm")
        undo, redo = (page.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo"))
        page.get_by_role("button", name="Duplicate y").click()
        shows("Voltage", "y", "y", "alarm")
        for title in ("Voltage", "alarm"):
            page.get_by_role("checkbox", name=f"Choose {title}").check()
        bar = page.get_by_role("toolbar", name="Chosen widgets")
        expect(bar).to_contain_text("2 widgets chosen")
        bar.get_by_role("button", name="Remove").click()
        shows("y", "y")
        expect(bar).to_be_hidden()
        # Several that were removed at once are one step.
        page.keyboard.press("Control+z")
        shows("Voltage", "y", "y", "alarm")
        undo.click()
        shows("Voltage", "y", "alarm")
        expect(undo).to_be_disabled()
        expect(redo).to_be_focused()
        page.keyboard.press("Control+y")
        shows("Voltage", "y", "y", "alarm")
        # A new change leaves nothing to do again.
        page.get_by_role("checkbox", name="Choose alarm").press("Space")
        page.keyboard.press("Delete")
        shows("Voltage", "y", "y")
        expect(redo).to_be_disabled()

        # Handles cover nothing of what a widget shows, nor do they take room from it.
        body, handle = "document.querySelector('.widget-body')", "document.querySelector('.handles')"
        assert page.evaluate(f"{handle}.getBoundingClientRect().bottom <= {body}.getBoundingClientRect().top")
        high = page.evaluate(f"{body}.clientHeight")
        # The handle is dragged by the pointer, and taken into the hand by a key.
        place = page.get_by_role("button", name="Move or resize Voltage").bounding_box()
        page.mouse.move(place["x"] + 8, place["y"] + 8)
        page.mouse.down()
        page.mouse.move(place["x"] + 400, place["y"] + 8, steps=4)
        page.mouse.up()
        expect(widget(page, "Voltage")).not_to_have_css("grid-column-start", "1")
        page.get_by_role("button", name="Move or resize Voltage").press("Enter")
        expect(widget(page, "Voltage")).to_be_focused()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Done").click()
        expect(page.locator(".handles")).to_have_count(0)
        assert page.evaluate(f"{body}.clientHeight") == high


def test_a_small_screen_has_two_columns_with_alarms_first(open_page):
    widgets = layout(
        {"kind": "number", "node": "x"}, {"kind": "number", "node": "y"},
        {"kind": "series", "nodes": ["x"], "title": "Line"}, {"kind": "lamp", "node": "alarm", "bad": True},
    )
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(widgets, edit=False), viewport={"width": 390, "height": 844})
        expect(widget(page, "y").locator("output")).to_have_text("2")
        box = lambda title: widget(page, title).bounding_box()
        assert box("Voltage")["y"] == box("y")["y"] and box("y")["x"] > box("Voltage")["x"] + 150
        assert box("Line")["width"] > 350
        server.set("g", "x", 80)
        eventually(lambda: box("alarm")["y"] < box("y")["y"] + 1 and box("alarm")["x"] < box("Voltage")["x"])
        # The order of the document is the one that is seen. No place is empty beside a small one.
        seen = """() => [...document.querySelectorAll(".widget")].map((each) => each.getBoundingClientRect())
            .map(({ y, x }) => y * 1000 + x)"""
        places = page.evaluate(seen)
        assert places == sorted(places), places
        eventually(lambda: box("y")["width"] > 350)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # Also what is far below the screen.
        server.set("g", "x", 1)
        page.set_viewport_size({"width": 390, "height": 300})
        eventually(lambda: box("alarm")["y"] > 400)
        server.set("g", "x", 80)
        eventually(lambda: box("alarm")["y"] < box("y")["y"] + 1)
        page.set_viewport_size({"width": 390, "height": 844})
        # Without room to drag, the menu moves a widget.
        server.set("g", "x", 1)
        page.get_by_role("button", name="Edit", exact=True).click()
        page.get_by_role("button", name="Menu of y").click()
        page.get_by_role("menuitem", name="Move up").click()
        eventually(lambda: box("y")["x"] < box("Voltage")["x"])


def test_options_that_cannot_be_right_are_refused_and_what_people_write_is_understood(open_page):
    words = "words: { true: open, false: closed }"
    graph = f"{GRAPH}  door: {{ set: boolean, initial: false, title: Door, {words} }}\n"
    with Server({"g": graph}) as server:
        page = open_page(server, address(layout()))
        expect(page.get_by_role("heading", name="An empty dashboard")).to_be_visible()

        def ask(kind, node, **given):
            expect(page.get_by_role("dialog")).to_have_count(0)
            page.keyboard.press("a")
            # A dialog that was closed stays in the document for a moment.
            dialog = page.get_by_role("dialog")
            dialog.get_by_label("Kind").select_option(kind)
            dialog.get_by_label("Node", exact=True).fill(node)
            for label, text in given.items():
                dialog.get_by_label(label, exact=True).fill(text)
            dialog.get_by_role("button", name="Add", exact=True).click()

        problem = page.get_by_role("dialog").locator("p[role=alert]")
        for good in ("warm", "24..18", "18 to"):
            ask("number", "y", Good=good)
            expect(problem).to_contain_text("Good: the node holds numbers")
            page.keyboard.press("Escape")
        ask("lamp", "door", Good="shut")
        expect(problem).to_contain_text("Good: the node holds one of open, closed")
        page.get_by_label("Good", exact=True).fill("Closed")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(widget(page, "Door")).to_contain_text("closed")
        expect(widget(page, "Door")).not_to_have_attribute("data-loud", "alarm")
        server.set("g", "door", True)
        expect(widget(page, "Door")).to_have_attribute("data-loud", "alarm")
        ask("gauge", "x", Smallest="10", Largest="5")
        expect(problem).to_contain_text("Largest must be more than Smallest")
        page.keyboard.press("Escape")
        # A range with a dash is a range.
        ask("number", "y", Good="1-3, 7")
        expect(widget(page, "y")).not_to_have_attribute("data-loud", "alarm")
        server.set("g", "y", 5)
        expect(widget(page, "y")).to_have_attribute("data-loud", "alarm")


def test_the_list_of_nodes_leaves_the_buttons_of_the_dialog_free(open_page):
    nodes = "".join(f"  n{i}: {{ set: number, initial: {i} }}\n" for i in range(40))
    with Server({"g": GRAPH + nodes}) as server:
        page = open_page(server, address(layout()), viewport={"width": 1280, "height": 500})
        expect(page.get_by_role("heading", name="An empty dashboard")).to_be_visible()
        page.keyboard.press("a")
        node, options = page.get_by_label("Node", exact=True), page.locator(".picker-list [role=option]")
        node.fill("n3")
        expect(options.first).to_contain_text("n3")
        add = page.get_by_role("button", name="Add", exact=True)
        assert add.evaluate("""it => {
            const { x, y, width, height } = it.getBoundingClientRect();
            return document.elementFromPoint(x + width / 2, y + height / 2) === it;
        }""")
        # A name of one node only needs no list; the arrow still opens it.
        node.fill("n39")
        expect(page.locator(".picker-list")).to_be_hidden()
        node.press("ArrowDown")
        expect(options).to_have_count(40)
        node.press("Escape")
        add.click()
        expect(widget(page, "n39").locator("output")).to_have_text("39")
