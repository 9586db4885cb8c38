"""Signing in, and the list of clients."""

import json
import re
import subprocess

import pytest
from browser import DOWN
from conftest import CHAIN
from playwright.sync_api import expect
from sluice import BINARY, Server, eventually
from test_page_connection import state

pytestmark = pytest.mark.browser
SIGNED_OUT = "401"


@pytest.fixture
def guarded(tmp_path):
    made = subprocess.run(
        [BINARY, "token", "--name", "alice", "--role", "owner"]
        + [word for right in ("read", "pipe", "set", "observe", "admin") for word in ("--can", right)],
        capture_output=True, text=True,
    )
    token = re.search(r"token \(shown once\): (\S+)", made.stderr)[1]
    (tmp_path / "tokens.yaml").write_text("tokens:\n" + made.stdout)
    with Server({"g": CHAIN}, f"auth: {tmp_path}/tokens.yaml\n") as server:
        server.token = token
        yield server


def test_signing_in_and_out(open_page, guarded):
    page = open_page(guarded, "/#/g/g/values", allow=SIGNED_OUT)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(state(page)).to_have_text("Signed out")
    field = page.get_by_label("Token")
    expect(field).to_be_focused()
    field.fill("slc_wrong")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not known")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill(guarded.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator('[data-node="deep"]')).to_have_text("30")
    expect(state(page)).to_have_text("Live")
    assert guarded.token not in json.dumps(
        page.evaluate("[{...localStorage}, {...sessionStorage}, document.cookie, location.href]")
    )
    page.reload()
    expect(page.locator('[data-node="deep"]')).to_have_text("30")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()


def test_the_inspector_names_the_author_of_a_value(open_page, guarded):
    page = open_page(guarded, "/#/g/g?node=x", allow=SIGNED_OUT)
    page.get_by_label("Token").fill(guarded.token)
    page.get_by_role("button", name="Sign in").click()
    writer = page.locator(".fact").filter(has=page.get_by_text("Written by", exact=True))
    expect(page.locator(".inspector-head h2")).to_have_text("x")
    expect(writer).to_be_hidden()
    field = page.locator("value-editor input").last
    field.fill("12")
    field.press("Enter")
    expect(page.locator(".inspector-value")).to_have_text("12")
    expect(writer).to_contain_text("alice")


def test_clients_show_their_round_trip(open_page):
    with Server({"g": CHAIN}, "heartbeat: 1s\n") as server:
        page = open_page(server, "/#/clients")
        expect(page.locator("table.clients tbody td:nth-child(4)")).to_have_text(re.compile(r"^\d+ ms$"))


def test_clients_are_listed_with_what_they_hold_and_can_be_disconnected(open_page, server):
    before = server.counts("g")
    watching = open_page(server, "/#/g/g/values", allow=DOWN)
    expect(watching.locator('[data-node="deep"]')).to_have_text("30")
    during = server.counts("g")
    page = open_page(server, "/#/clients")
    lines = page.locator("table.clients tbody tr")
    expect(lines).to_have_count(2)
    expect(lines.filter(has_text="you")).to_have_count(1)
    other = lines.filter(has_not_text="you")
    other.get_by_role("link").click()
    detail = page.get_by_role("region", name="One client")
    expect(detail).to_contain_text("A test graph: listens to 9 nodes; leaving would release 4 nodes")
    expect(detail.get_by_role("link", name="deep")).to_have_attribute("href", "#/g/g?node=deep")
    name = other.locator("code").text_content()
    other.get_by_role("button", name=re.compile("Disconnect")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("what only it kept alive is released")
    dialog.get_by_role("button", name="Cancel").click()
    expect(lines).to_have_count(2)
    other.get_by_role("button", name=re.compile("Disconnect")).click()
    dialog.get_by_role("button", name="Disconnect").click()
    expect(page.locator("table.clients code", has_text=re.compile(f"^{re.escape(name)}$"))).to_have_count(0)
    watching.close()
    eventually(
        lambda: server.counts("g")["nodes"] == before["nodes"] and before["nodes"] + 4 == during["nodes"]
    )
    expect(page.locator("#polite")).to_contain_text("disconnected")


def test_operations_at_an_address_of_their_own_are_told_in_words(open_page):
    with Server({"g": CHAIN}, "admin: { listen: '127.0.0.1:0' }\n") as server:
        page = open_page(server, "/#/clients", allow="404")
        expect(page.get_by_role("heading", level=1)).to_have_text("Clients are listed at another address")
        expect(page.locator("main")).to_contain_text("admin.listen")
        page.get_by_role("link", name="About", exact=True).click()
        page.get_by_role("link", name="metrics").click()
        expect(page.get_by_role("status")).to_contain_text("at the address that admin.listen")
        assert "/#/about" in page.url
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/about", allow="404")
        page.get_by_role("link", name="metrics").click()
        expect(page).to_have_url(f"{server.url}/metrics")


def test_the_focus_stays_in_the_list_of_clients_while_others_come_and_go(open_page, server):
    page = open_page(server, "/#/clients")
    mine = page.locator("table.clients tr", has_text="you").get_by_role("link")
    mine.click()
    expect(page.get_by_role("region", name="One client")).to_be_visible()
    mine.focus()
    other = open_page(server, "/#/g/g/values", allow=DOWN)
    expect(page.locator("table.clients tbody tr")).to_have_count(2)
    expect(mine).to_be_focused()
    page.locator("table.clients tbody tr", has_not_text="you").get_by_role("link").click()
    node = page.get_by_role("region", name="One client").get_by_role("link", name="deep")
    node.focus()
    page.wait_for_timeout(4500)
    expect(node).to_be_focused()
    other.close()
