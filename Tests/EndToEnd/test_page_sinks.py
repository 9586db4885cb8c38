"""Sinks on the page: who sends values where, and whether they arrive."""

import re

import pytest
from playwright.sync_api import expect
from sluice import eventually
from test_sinks import Receiver, serve

pytestmark = pytest.mark.browser


@pytest.fixture
def receiver():
    running = Receiver()
    yield running
    running.close()


def test_the_picture_and_the_inspector_say_how_a_sink_does(open_page, receiver):
    with serve(receiver, "  pager: { from: x, url: HOST/hook/s3cret }") as server:
        eventually(lambda: receiver.bodies == [1])
        page = open_page(server, "/#/g/g")
        shape = page.locator(".node.listener").filter(has_text="sink pager")
        expect(shape).to_be_visible()
        shape.click()
        inspector = page.locator(".inspector")
        expect(inspector).to_contain_text(f"http://127.0.0.1:{receiver.port}")
        expect(inspector).to_contain_text("delivered, last")
        expect(inspector).to_contain_text(re.compile("Sent\\s*1 value"))
        assert "s3cret" not in page.content()
        receiver.answer = lambda handler: handler.reply(503)
        server.set("g", "x", 2)
        expect(inspector).to_contain_text(re.compile("failing for .*: status 503; 1 value waiting"))
        expect(shape).to_have_attribute("data-severity", "warning")
        expect(shape.locator(".badge")).to_have_text("failing")
        page.get_by_role("button", name="Outline").click()
        page.get_by_role("treeitem").filter(has_text="Clients").click()
        expect(page.get_by_role("treeitem").filter(has_text="sink pager")).to_contain_text("failing for")
        page.get_by_role("button", name="Picture").click()
        receiver.answer = lambda handler: handler.reply(204)
        expect(inspector).to_contain_text("delivered, last")
        expect(shape).not_to_have_attribute("data-severity", "warning")
