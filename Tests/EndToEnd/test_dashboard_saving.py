"""Dashboards that the server keeps for every browser."""

import json
import re

import pytest
from dashboards import GRAPH, address, layout, widget
from playwright.sync_api import expect
from sluice import Server

pytestmark = pytest.mark.browser


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
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}/no/none\n") as server:
        page = open_page(server, address(layout({"kind": "number", "node": "y"})))
        expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
        expect(page.locator(".save-note")).to_contain_text("cannot be written: No such file")
        expect(page.locator(".save-note")).to_contain_text("export")


@pytest.mark.first
def test_two_browsers_that_change_one_dashboard_meet_a_conflict_and_nothing_is_lost_unasked(
    open_page, tmp_path
):
    (tmp_path / "b.json").write_text(
        json.dumps({**layout({"kind": "number", "node": "y"}, {"kind": "number", "node": "x"}), "graph": "g"})
    )
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
        question = second.get_by_role("dialog", name="Not saved")
        question.get_by_role("button", name="Keep my draft").click()
        assert nodes() == ["x"]
        # The draft survives a reload, and so does what it began with.
        second.reload()
        expect(widget(second, "y").locator("output")).to_have_text("2")
        second.get_by_role("button", name="Save", exact=True).click()
        question.get_by_role("button", name="Save mine").click()
        second.wait_for_url(re.compile("d=b$"))
        assert nodes() == ["y"]
        # Other viewers get it without a reload.
        expect(widget(first, "y").locator("output")).to_have_text("2")


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


def test_a_graph_without_a_dashboard_has_one_made_of_its_nodes_which_is_changed_and_saved(
    open_page, tmp_path
):
    with Server({"g": GRAPH}, f"dashboards: {tmp_path}\n") as server:
        page = open_page(server, "/#/g/g", viewport={"width": 1280, "height": 1600})
        page.get_by_role("link", name="Dashboard", exact=True).click()
        expect(page.locator(".dash-notice")).to_contain_text("Made from the nodes")
        # A slider where there are bounds, a choice for what is one, a lamp for what is true or
        # false, charts for numbers with a past.
        expect(
            page.get_by_role("article", name="Voltage, Editor").locator("input[type=range]")
        ).to_have_value("1")
        expect(page.get_by_role("article", name="y, Editor").locator("input")).to_have_value("2")
        expect(page.get_by_role("article", name="mode, Editor").get_by_role("combobox")).to_be_visible()
        expect(page.get_by_role("article", name="alarm, State lamp").locator("output")).to_have_text("off")
        expect(
            page.get_by_role("article", name="Voltage, Time series").locator(".legend output")
        ).to_have_text("1\u202fV")
        expect(
            page.get_by_role("article", name="double, Time series").locator(".legend output")
        ).to_have_text("2")
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


def test_a_dashboard_is_not_saved_without_a_name(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"})))
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        page.get_by_role("button", name="Save", exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill("  ")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_contain_text("Type a name")
        assert server.get("/v1/dashboards").json()["dashboards"] == []
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_have_count(0)
        page.get_by_role("button", name="Save", exact=True).click()
        dialog.get_by_label("Name").fill("Mine")
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_role("button", name="Edit", exact=True)).to_be_visible()
        assert server.get("/v1/dashboards").json()["dashboards"][0]["title"] == "Mine"
