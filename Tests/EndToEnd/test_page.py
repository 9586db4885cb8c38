"""The page's frame in a real browser: home, the connection's state, what makes it installable."""

import subprocess

import pytest
from browser import DOWN
from conftest import CHAIN
from playwright.sync_api import expect
from sluice import Server, eventually

pytestmark = pytest.mark.browser


BOAT = """
graph: boat
title: A boat
nodes:
  bilge: { set: boolean, initial: false, title: Bilge water, severity: alarm }
  battery: { set: number, initial: 12.4, unit: V, title: Battery, role: sensor }
  sail: { set: { enum: [up, down] }, initial: down, title: Sail }
"""


def test_home_has_a_card_for_each_graph_with_its_values_and_alarms_first(open_page):
    with Server({"boat": BOAT, "g": CHAIN, "a": CHAIN.replace("graph: g", "graph: a")}) as server:
        page = open_page(server)
        cards = page.locator(".graphs .card")
        boat = cards.filter(has_text="A boat")
        expect(boat.locator("dd")).to_have_text(["12.4\u202fV", "down"])
        expect(boat.get_by_role("link", name="A boat")).to_have_attribute("href", "#/g/boat/dash")
        expect(cards.first).to_contain_text("A test graph")
        server.set("boat", "battery", 11.9)
        expect(boat.locator("dd").first).to_have_text("11.9\u202fV")
        server.set("boat", "bilge", True)
        expect(cards.first).to_contain_text("Alarm: Bilge water")
        expect(cards.first).to_contain_text("A boat")
        # Its values are listened to only while it is shown.
        assert server.counts("boat")["listeners"] > 0
        page.get_by_role("link", name="About", exact=True).click()
        eventually(lambda: server.counts("boat")["listeners"] == 0)
        # Cards of all graphs have an address also where home is a dashboard.
        page.get_by_role("link", name="All graphs").click()
        expect(cards).to_have_count(3)


def test_home_is_the_dashboard_of_the_only_graph_and_back_leads_out_of_it(open_page):
    with Server({"boat": BOAT}) as server:
        page = open_page(server, "/#/about")
        page.get_by_role("link", name="Home", exact=True).click()
        expect(page).to_have_url(server.url + "/#/g/boat/dash")
        expect(page.get_by_role("article", name="Battery, Number")).to_contain_text("12.4")
        expect(page.locator("#sidebar")).to_be_hidden()
        page.go_back()
        expect(page.get_by_role("heading", name="About this server")).to_be_visible()


def test_without_graphs_the_page_says_what_to_do_and_that_works(open_page, tmp_path):
    with Server({}) as server:
        page = open_page(server)
        expect(page.get_by_role("heading", name="No graphs yet")).to_be_visible()
        file, *commands = page.locator("pre").all_text_contents()
        (tmp_path / "house.yaml").write_text(file)
        for command in commands:
            subprocess.run(["sh", "-c", f"{command} -sSf"], check=True, cwd=tmp_path, capture_output=True)
        expect(page.locator(".graphs dd").first).to_have_text("21.5\u202f°C")


def test_the_page_can_be_installed(open_page):
    with Server({}) as server:
        page = open_page(server)
        manifest = server.get(page.locator("link[rel=manifest]").get_attribute("href"))
        assert manifest.headers["Content-Type"] == "application/manifest+json"
        icons = manifest.json()["icons"]
        assert [(each["sizes"], each.get("purpose")) for each in icons] == [
            ("192x192", None), ("512x512", None), ("512x512", "maskable"),
        ]
        touch = page.locator("link[rel=apple-touch-icon]").get_attribute("href")
        for path, size in [*((each["src"], each["sizes"]) for each in icons), (touch, "180x180")]:
            found = page.evaluate(
                """async (path) => {
                    const image = new Image();
                    image.src = path;
                    await image.decode();
                    return `${image.naturalWidth}x${image.naturalHeight}`;
                }""",
                path,
            )
            assert found == size, path
        # The browser has no complaint of its own either.
        session = page.context.new_cdp_session(page)
        read = session.send("Page.getAppManifest")
        assert read["errors"] == [] and read["url"].endswith("/manifest.webmanifest")


def test_the_page_reconnects_by_itself(open_page):
    with Server({"g": CHAIN}) as first:
        page = open_page(first, allow=DOWN)
        expect(page.locator(".conn-text")).to_have_text("Live")
        port = first.port
        first.process.kill()
        first.process.wait()
        expect(page.locator(".conn-text")).to_contain_text("Reconnecting")
        with Server({"g": CHAIN}, listen=f"127.0.0.1:{port}"):
            expect(page.locator(".conn-text")).to_have_text("Live")
