"""The first page in a real browser."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import CHAIN
from playwright.sync_api import expect, sync_playwright
from sluice import BINARY, ROOT, Server, eventually

pytestmark = pytest.mark.browser
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]
ARTEFACTS = ROOT / "Tests/EndToEnd/artefacts"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=shutil.which("chromium"), headless=True, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def open_page(browser):
    """Opens a page whose console must stay silent and whose requests must all go to the server."""
    contexts, problems = [], []

    def open_page(server, path="/", allow=r"^$", **options):
        context = browser.new_context(viewport={"width": 1280, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective, e.blockedURI))"
        )
        page.on("console", lambda m: m.type in ("error", "warning") and not re.search(allow, m.text)
                and problems.append(m.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        own = (server.url, server.url.replace("http", "ws"))
        page.on("request", lambda r: r.url.startswith(own) or problems.append(f"foreign request {r.url}"))
        page.on("websocket", lambda s: s.url.startswith(own) or problems.append(f"foreign socket {s.url}"))
        page.goto(server.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def shown(page, node):
    return page.locator(f'[data-node="{node}"]')


def test_the_page_shows_this_machine_and_its_figures_move(open_page):
    with Server({name: (ROOT / f"config/graphs/{name}.yaml").read_text() for name in ("host", "house")}) as server:
        feed = subprocess.Popen([BINARY, "feed", "host", "--url", server.url, "--interval", "250ms"])
        try:
            page = open_page(server)
            expect(page.locator("#state")).to_have_text("Live")
            expect(page.get_by_role("heading", name="This machine")).to_be_visible()
            expect(shown(page, "cpu_percent")).to_contain_text("%")
            first = shown(page, "uptime_s").text_content()
            expect(shown(page, "uptime_s")).not_to_have_text(first)
            page.wait_for_timeout(1500)
            ARTEFACTS.mkdir(exist_ok=True)
            page.screenshot(path=ARTEFACTS / "host.png", full_page=True)
            phone = open_page(server, color_scheme="dark")
            phone.set_viewport_size({"width": 390, "height": 844})
            expect(shown(phone, "mem_percent")).to_contain_text("%")
            phone.wait_for_timeout(1000)
            assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth"), "no sideways page scroll"
            phone.screenshot(path=ARTEFACTS / "host-phone-dark.png")
        finally:
            feed.terminate()
            assert feed.wait(5) == 0


def test_curl_and_another_page_are_seen_by_a_page(open_page):
    with Server({"g": CHAIN}) as server:
        a, b = open_page(server), open_page(server)
        expect(shown(a, "deep")).to_have_text("30")
        answer = subprocess.run(["curl", "-s", "-d", "21.5", f"{server.url}/v1/graphs/g/nodes/x"],
                                capture_output=True, text=True, timeout=10)
        assert set(json.loads(answer.stdout)) >= {"epoch", "rev"}
        expect(shown(a, "deep")).to_have_text("440")
        expect(shown(b, "deep")).to_have_text("440")
        row = b.get_by_role("row", name=re.compile("^y"))
        row.get_by_role("textbox").fill("5")
        row.get_by_role("button", name="Set").click()
        expect(row.locator("output")).to_contain_text("accepted")
        expect(shown(a, "y")).to_have_text("5")
        row.get_by_role("textbox").fill("not a number")
        row.get_by_role("button", name="Set").click()
        expect(row.get_by_role("textbox")).to_have_attribute("aria-invalid", "true")
        expect(shown(a, "y")).to_have_text("5")


def test_closing_the_page_releases_what_it_watched(open_page):
    with Server({"g": CHAIN}) as server:
        start = server.counts("g")
        page = open_page(server)
        expect(shown(page, "deep")).to_have_text("30")
        assert server.counts("g")["nodes"] > start["nodes"]
        page.close()
        eventually(lambda: server.counts("g") == start)


def test_the_page_reconnects_by_itself(open_page):
    with Server({"g": CHAIN}) as first:
        page = open_page(first, allow="ERR_CONNECTION|WebSocket connection")
        expect(page.locator("#state")).to_have_text("Live")
        port = first.port
        first.process.kill()
        first.process.wait()
        expect(page.locator("#state")).to_contain_text("Reconnecting")
        with Server({"g": CHAIN}, listen=f"127.0.0.1:{port}") as second:
            expect(page.locator("#state")).to_have_text("Live", timeout=15_000)
            second.set("g", "x", 4)
            expect(shown(page, "deep")).to_have_text("90")
