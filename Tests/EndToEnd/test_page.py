"""The page's frame in a real browser: the list of graphs, the connection's state."""

import pytest
from browser import DOWN
from conftest import CHAIN
from playwright.sync_api import expect
from sluice import ROOT, Server

pytestmark = pytest.mark.browser
ARTEFACTS = ROOT / "Tests/EndToEnd/artefacts"


def test_the_list_of_graphs_is_live(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server)
        expect(page.locator(".conn-text")).to_have_text("Live")
        card = page.get_by_role("listitem").filter(has_text="A test graph")
        expect(card).to_contain_text("0 subscriptions")
        expect(card.get_by_role("link", name="A test graph")).to_have_attribute("href", "#/g/g")
        watching = open_page(server, "/#/g/g/values")
        expect(card).to_contain_text("1 subscription")
        watching.close()
        expect(card).to_contain_text("0 subscriptions")


def test_without_graphs_the_page_says_what_to_do(open_page):
    with Server({}) as server:
        page = open_page(server)
        expect(page.get_by_role("heading", name="No graphs yet")).to_be_visible()
        expect(page.locator("pre").nth(1)).to_contain_text(f"{server.url}/v1/graphs/house/nodes/indoor_c")


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
