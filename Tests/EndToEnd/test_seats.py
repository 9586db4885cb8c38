"""Who is here: seats that are taken by what comes late, or twice."""

import pytest
from playwright.sync_api import expect
from sluice import Server, eventually
from dashboards import address, layout, widget
from test_widgets import late

pytestmark = pytest.mark.browser
GRAPH = "graph: g\nnodes:\n" + "".join(f"  here.{i}: {{ set: string, maxLength: 40 }}\n" for i in range(1, 9))
LAYOUT = layout({"kind": "people", "nodes": ["here.*"], "title": "Who", "h": 6})


def taken(server):
    """Who has which seat."""
    seats = server.get("/v1/graphs/g/graph?format=json&live=1").json()["nodes"]
    return {each["name"]: each["v"] for each in seats if "v" in each}


def test_a_seat_is_taken_once_however_late_what_takes_it_comes_and_however_often_it_is_asked_for(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(LAYOUT), before=lambda page: late(page, "/widgets/people.js"))
        field = widget(page, "Who").get_by_label("Your name")
        field.fill("🦊 Ada")
        # At once: pressed later, Enter would be for the button that says "Leave".
        page.evaluate("for (let i = 0; i < 3; i++) document.querySelector('.people-join').requestSubmit()")
        expect(widget(page, "Who")).to_contain_text("🦊 Ada (you)")
        # The field has gone; the focus has not.
        expect(widget(page, "Who").get_by_role("button", name="Leave")).to_be_focused()
        expect(widget(page, "Who").locator(".person")).to_have_text("🦊")
        page.wait_for_timeout(300)
        assert taken(server) == {"here.1": "🦊 Ada"}
        page.keyboard.press("Enter")
        eventually(lambda: taken(server) == {}, what="the seat to be free")


def test_a_widget_of_more_than_six_seats_has_them_all(open_page):
    with Server({"g": GRAPH}) as server:
        for i in range(1, 8):
            server.set("g", f"here.{i}", f"guest {i}")
        page = open_page(server, address(LAYOUT))
        expect(widget(page, "Who").get_by_role("listitem")).to_have_count(7)


def test_a_seat_asked_for_by_a_widget_that_has_gone_is_not_kept(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(LAYOUT), before=lambda page: late(page, "/widgets/people.js"))
        field = widget(page, "Who").get_by_label("Your name")
        field.fill("Ada")
        field.press("Enter")
        page.evaluate("location.hash = '#/about'")
        expect(widget(page, "Who")).to_have_count(0)
        page.wait_for_timeout(1200)
        assert taken(server) == {}
