"""The page while an upstream is slow, fails, and comes back."""

import re
import threading

import pytest
from playwright.sync_api import expect
from sluice import Server
from upstream import Upstream

pytestmark = pytest.mark.browser


def test_the_state_of_an_upstream_stands_beside_the_value(open_page):
    """S-4: loading, the value, the failure with its status and the next try, the value again."""
    upstream, gate = Upstream(), threading.Event()

    def answer(call):
        gate.wait(60)
        call.reply({"temp": 11.5})

    upstream.answer = answer
    graph = f"""
upstreams: {{ met: {{ url: "{upstream.url}" }} }}
nodes:
  weather: {{ source: {{ get: "met:/now", every: 300ms, pick: value.temp }}, title: Weather }}
  limit: {{ set: number }}
"""
    with Server({"g": graph}, f'sourceHosts: ["127.0.0.1:{upstream.port}"]\n') as server:
        page = open_page(server, "/#/g/g/values")
        row = page.locator('tr[data-row="weather"]')
        value = row.locator(".value")
        expect(value).to_have_attribute("data-facets", "loading")
        assert row.locator("code").all_text_contents() == ["weather", "get met:/now every 300ms"]
        assert row.locator("input").count() == 0
        gate.set()
        expect(value).to_have_text("11.5")
        upstream.answer = lambda call: call.reply({}, status=503)
        expect(value).to_have_attribute("data-facets", re.compile("failed: status 503, next try at [0-9:]+"))
        upstream.answer = lambda call: call.reply({"temp": 12.5})
        expect(value).to_have_text("12.5")
        expect(value).not_to_have_attribute("data-facets", re.compile("."))
    upstream.close()


def test_the_picture_has_a_box_for_an_upstream_with_its_state(open_page):
    """S-10."""
    upstream = Upstream()
    upstream.answer = lambda call: call.reply({"temp": 11.5})
    graph = f"""
upstreams: {{ met: {{ url: "{upstream.url}/v2" }} }}
nodes:
  weather: {{ source: {{ get: "met:/now", every: 1s, pick: value.temp }}, history: 5 }}
  double: {{ from: weather, pipe: [ {{ map: value * 2 }} ] }}
"""
    with Server({"g": graph}, f'sourceHosts: ["127.0.0.1:{upstream.port}"]\n') as server:
        page = open_page(server, "/#/g/g")
        shape = page.locator(".node.upstream")
        expect(shape).to_have_count(1)
        expect(shape.locator(".name")).to_have_text(re.compile("^http://127"))
        expect(shape.locator(".value")).to_have_text(re.compile("due|asking"))
        expect(page.locator(".counts")).to_contain_text("2 nodes, 1 upstream")
        expect(page.locator('path.edge[data-look="flow"]')).to_have_count(1)
        shape.click()
        inspector = page.locator(".inspector")
        expect(inspector).to_contain_text(upstream.url)
        expect(inspector).to_contain_text(re.compile("Feeds\\s*weather"))
        upstream.answer = lambda call: call.reply({}, status=503)
        expect(inspector).to_contain_text(re.compile("failed with status 503, next try at [0-9:]+"))
        expect(shape.locator(".value")).to_have_text("failed: 503")
        assert "/v2" not in page.content()
        page.get_by_role("button", name="Outline").click()
        expect(page.get_by_role("treeitem").filter(has_text="http://127")).to_contain_text("failed: 503")
    upstream.close()
