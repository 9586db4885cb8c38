"""The dashboard that the page makes from a graph: it follows the definition, families included."""

import pytest
from dashboards import widget
from playwright.sync_api import expect
from sluice import Server

pytestmark = pytest.mark.browser
FIRST = """
graph: g
title: A home
nodes:
  mode: { set: { enum: [eco, auto] }, initial: eco, title: Heating }
  wet: { set: boolean, initial: false, title: Water, severity: alarm }
"""
SECOND = """
graph: g
title: A home
nodes:
  mode: { set: { enum: [low, high] }, initial: high, title: Heating }
  room: { set: number, initial: 21.5, unit: °C, title: Room, role: sensor }
"""
FLEET = """
graph: g
title: A fleet
nodes:
  sensor.{id}.celsius: { set: number, unit: °C, title: "Sensor {id}", icon: thermometer, role: sensor }
  door.{id}.open: { set: boolean, title: Door }
"""


def test_it_follows_the_file_of_its_graph(open_page):
    with Server({"g": FIRST}, "watch: true\n") as server:
        page = open_page(server)
        expect(widget(page, "Heating").locator("option:checked")).to_have_text("eco")
        # One small widget alone stands beside the next.
        tops = {widget(page, title).bounding_box()["y"] for title in ("Water", "Heating")}
        assert len(tops) == 1
        # What changes a dashboard was loaded meanwhile, and shows nothing until it is edited.
        page.mouse.move(300, 300)
        undo = page.get_by_role("button", name="Undo", exact=True)
        expect(page.locator("button[aria-label=Undo]")).to_have_count(1)
        expect(undo).to_be_hidden()
        graph = next(server.config.parent.glob("graphs/*.yaml"))
        graph.write_text(SECOND)
        expect(widget(page, "Room").locator("output")).to_have_text("21.5")
        expect(widget(page, "Heating").locator("option:checked")).to_have_text("high")
        expect(widget(page, "Water")).to_have_count(0)
        page.get_by_role("button", name="Edit", exact=True).click()
        expect(undo).to_be_visible()
        page.get_by_role("button", name="Remove Room", exact=True).click()
        notice = page.locator(".dash-notice")
        expect(notice).to_contain_text("Removed Room")
        page.get_by_role("button", name="Done", exact=True).click()
        expect(notice).to_be_hidden()


@pytest.mark.parametrize("view", ["", "?kiosk=1"], ids=["page", "wall"])
def test_a_graph_without_nodes_says_so_and_offers_nothing(open_page, view):
    with Server({"g": "graph: g\nnodes: {}\n"}, "watch: true\n") as server:
        page = open_page(server, f"/#/g/g/dash{view}")
        expect(page.get_by_role("heading", name="No values yet")).to_be_visible()
        expect(page.get_by_role("button", name="Add a widget")).to_have_count(0)
        next(server.config.parent.glob("graphs/*.yaml")).write_text(SECOND)
        expect(widget(page, "Room").locator("output")).to_have_text("21.5")


def test_members_of_a_family_are_called_as_people_call_them_now_and_in_the_past(open_page):
    with Server({"g": FLEET}, keeps=True) as server:
        server.batch("g", set={f"sensor.n{i:03}.celsius": i for i in range(250)})
        server.set("g", "door.front.open", True)
        page = open_page(server)
        rows = widget(page, "Sensor").get_by_role("row")
        expect(rows.nth(1)).to_contain_text("Sensor n000")
        expect(widget(page, "Door").get_by_role("row").nth(1)).to_contain_text("Door front")
        page.keyboard.press("h")
        expect(page.locator(".past-mark")).to_be_visible()
        past = page.locator(".view:not([hidden])")
        expect(widget(past, "Sensor").get_by_role("row").nth(1)).to_contain_text("Sensor n000")
        expect(widget(past, "Sensor").get_by_role("row").nth(1)).to_contain_text("0\u202f°C")
        page.keyboard.press("ArrowLeft")
        # The door was set last.
        expect(widget(past, "Door").get_by_role("row").filter(has_text="front")).to_have_count(0)
        expect(widget(past, "Sensor").get_by_role("row").nth(1)).to_contain_text("Sensor n000")


def test_mistakes_in_a_file_are_said_on_the_home_page(open_page):
    with Server({"g": FIRST}, "watch: true\n") as server:
        page = open_page(server, "/#/graphs")
        expect(page.locator(".graph-title")).to_have_text("A home")
        file = next(server.config.parent.glob("graphs/*.yaml"))
        file.write_text(FIRST + "  broken: { from: wett }\n")
        mistakes = page.locator(".mistakes")
        expect(mistakes).to_contain_text("its graph stays as it was")
        expect(mistakes).to_contain_text("Line 7: there is no node 'wett'")
        page.close()
        server.stop()
        server.start()
        # A first graph is there, though with a mistake.
        again = open_page(server)
        expect(again.locator(".mistakes")).to_contain_text("it has no graph yet")
        expect(again.get_by_role("heading", name="No graphs yet")).to_have_count(0)
        file.write_text(FIRST)
        expect(again.locator(".mistakes")).to_be_hidden()
        expect(again.locator(".graph-title")).to_have_text("A home")
