"""The page says what reading the graph files again would change, before it is done."""

import re

import pytest
from playwright.sync_api import expect
from sluice import Server

pytestmark = pytest.mark.browser

HOME = """graph: home
nodes:
  hall: { set: number }
  "s.{id}": { set: number }
"""
SHED = "graph: shed\nnodes: { a: { set: number } }\n"


@pytest.fixture
def server():
    with Server({"home": HOME, "shed": SHED}) as running:
        for node in ("hall", "s.a", "s.b"):
            running.set("home", node, 1)
        running.set("shed", "a", 1)
        yield running


def test_values_that_a_changed_file_deletes_are_counted_and_asked_for(open_page, server):
    folder = server.config.parent / "graphs"
    page = open_page(server, "/")
    page.get_by_role("link", name="Graph files").click()
    expect(page.get_by_role("main")).to_contain_text("Nothing: the server has what the files say.")
    (folder / "home.yaml").write_text("graph: home\nnodes: { other: { set: number } }\n")
    (folder / "shed.yaml").unlink()
    page.get_by_role("button", name="Read the files").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Delete 3 values?")
    expect(dialog).to_contain_text("hall (1 value), s.{id} (2 values)")
    dialog.get_by_role("button", name="Cancel").click()
    assert server.get("/v1/graphs/home/nodes/hall").json() == 1, "nothing was done"
    page.reload()
    expect(page.get_by_role("main")).to_contain_text("home changes.")
    expect(page.get_by_role("main")).to_contain_text(
        "Deletes the values of hall (1 value), s.{id} (2 values)."
    )
    expect(page.get_by_role("main")).to_contain_text(re.compile("shed has lost its file"))
    page.get_by_role("button", name="Read the files").click()
    dialog.get_by_role("button", name="Delete them").click()
    expect(page.get_by_role("main")).to_contain_text("Nothing: the server has what the files say.")
    expect(page.get_by_role("main")).to_contain_text(
        "shed: 1 value. Put its file back, or delete them with sluice remove shed."
    )
    assert server.get("/v1/graphs/home/nodes/hall").status == 404


def test_a_bad_file_is_named_with_its_place(open_page, server):
    (server.config.parent / "graphs" / "home.yaml").write_text(
        "graph: home\nnodes:\n  hall: { sett: number }\n"
    )
    page = open_page(server, "/#/files")
    expect(page.get_by_role("main")).to_contain_text("home.yaml:3:")
    expect(page.get_by_role("main")).to_contain_text("unknown key 'sett'")


def test_operations_at_an_address_of_their_own(open_page):
    with Server({"home": HOME}, "admin: { listen: '127.0.0.1:0' }\n") as server:
        page = open_page(server, "/#/files", allow="404")
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "Graph files are managed at another address"
        )
