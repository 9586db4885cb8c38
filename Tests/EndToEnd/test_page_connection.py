"""The page and its connection: states, words, a server that goes, is new, or has no socket."""

import contextlib
import http.server
import json
import re
import signal
import threading
import time
import types

import pytest
from browser import DOWN
from conftest import CHAIN
from playwright.sync_api import expect
from sluice import ROOT, Server, eventually

pytestmark = pytest.mark.browser


def state(page):
    return page.locator(".conn-text")


def test_a_frozen_server_is_noticed_within_seconds_and_found_again(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g/values", allow=DOWN)
        expect(state(page)).to_have_text("Live")
        server.process.send_signal(signal.SIGSTOP)
        try:
            expect(state(page)).to_have_text("No answer from the server")
            expect(state(page)).to_contain_text("Reconnecting")
            expect(page.get_by_role("button", name="Retry now")).to_be_visible()
        finally:
            server.process.send_signal(signal.SIGCONT)
        expect(state(page)).to_have_text("Live")
        server.set("g", "x", 9)
        expect(page.locator('[data-node="deep"]')).to_have_text("190")


def test_words_for_every_state(open_page, server):
    page = open_page(server)
    words = page.evaluate("""async () => {
      const { words, resumedWords } = await import("/ui/connection.js"), now = 1e12;
      return [
        { name: "live" }, { name: "live", late: true }, { name: "connecting" }, { name: "connecting", late: true },
        { name: "reconnecting", since: now - 1000, tries: 3, at: now + 1500 }, { name: "reconnecting", tries: 2, at: now },
        { name: "offline", since: now - 42000 }, { name: "closed", code: 4401 }, { name: "closed", code: 4400 },
      ].map((state) => words(state, now)).concat(
        [{ name: "live", gap: 3000 }, { name: "live", gap: 3000, lost: true }, { name: "live", gap: 3000, restarted: true, lost: true },
          { name: "live" }].map((state) => resumedWords(state)));
    }""")
    assert [text.replace("\u202f", " ") for text in words] == [
        "Live", "No answer from the server", "Connecting", "No answer from the server yet",
        "Reconnecting, try 3, next in 2 s", "Cannot connect, try 2, now", "Offline for 42 s", "Signed out",
        "Closed", "Back after 3 s, nothing was lost", "Back after 3 s, some values are missing",
        "Restarted, values began anew", "",
    ]


@contextlib.contextmanager
def files_without_socket(answers, port=0):
    """The page's files from a server that knows no WebSocket: it refuses, or never answers."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(ROOT / "public"))

        def do_GET(self):
            if self.path.startswith("/v1/ws") and not answers:
                time.sleep(6)
            return super().do_GET()

        def log_message(self, *_):
            pass

    Handler.extensions_map = {**Handler.extensions_map, ".js": "text/javascript"}
    running = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield types.SimpleNamespace(url=f"http://127.0.0.1:{running.server_port}")
    finally:
        running.shutdown()


@pytest.mark.parametrize(
    "answers, words", [(True, "Cannot connect"), (False, "No answer from the server yet")]
)
def test_without_a_socket_the_page_says_so(open_page, answers, words):
    with files_without_socket(answers) as server:
        page = open_page(server, allow=DOWN + "|404")
        expect(state(page)).to_contain_text(words)


def test_without_scripts_a_sentence_says_what_is_needed(open_page, server):
    page = open_page(server, java_script_enabled=False)
    expect(page.locator("noscript p")).to_contain_text("needs JavaScript")


def test_a_hidden_page_asks_for_less_keeps_what_it_owns_and_is_current_when_shown(open_page, server):
    frames = []

    def listen(page):
        page.on(
            "websocket",
            lambda socket: socket.on(
                "framereceived", lambda text: '"op":"upd"' in str(text) and frames.append(text)
            ),
        )

    page = open_page(server, "/#/g/g/values", before=listen)
    deep = page.locator('[data-node="deep"]')
    expect(deep).to_have_text("30")
    owned = server.counts("g")["listeners"]

    def show(visibility):
        page.evaluate("""(visibility) => {
          Object.defineProperty(document, "visibilityState", { value: visibility, configurable: true });
          Object.defineProperty(document, "hidden", { value: visibility === "hidden", configurable: true });
          document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
        }""", visibility)

    def updates(seconds):
        page.wait_for_timeout(200)
        frames.clear()
        end, value = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            value += 1
            server.set("g", "x", value)
            page.wait_for_timeout(20)
        return len(frames), value

    shown, _ = updates(2)
    show("hidden")
    hidden, last = updates(3)
    assert shown >= 8 and hidden <= 4, (shown, hidden)
    assert server.counts("g")["listeners"] == owned
    show("visible")
    expect(deep).to_have_text(str((2 * last + 1) * 10))


def test_the_connection_shows_its_figures(open_page, server):
    page = open_page(server, "/#/g/g/values")
    expect(page.locator('[data-node="deep"]')).to_have_text("30")
    expect(page.locator(".conn-meters")).to_contain_text("ms")
    page.locator(".conn-chip").click()
    dialog = page.get_by_role("dialog", name="Connection")
    expect(dialog).to_contain_text(re.compile(r"Round trip[\d.]+ ms, median of five"))
    expect(dialog).to_contain_text(re.compile(r"Called by the serverc:\d+"))
    first = dialog.locator("dd").nth(1).text_content()
    expect(dialog.locator("dd").nth(1)).not_to_have_text(first)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_many_values_are_measured_and_one_draw_a_frame_keeps_up(open_page, server):
    page = open_page(server, "/#/g/g/values")
    deep = page.locator('[data-node="deep"]')
    expect(deep).to_have_text("30")
    page.evaluate("""() => { window.long = []; new PerformanceObserver((list) => window.long.push(...list.getEntries().map((e) => e.duration)))
        .observe({ type: "longtask" }); }""")
    for value in range(100):
        server.set("g", "x", value)
    expect(deep).to_have_text("1990")
    assert [duration for duration in page.evaluate("window.long") if duration > 100] == []


def be_active(page):
    """Moves the pointer, upon which a page asks for the version; after three seconds it has done so
    by itself."""
    page.mouse.move(9, 9)
    page.wait_for_function(
        "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/version'))"
    )


def test_without_a_network_the_page_says_offline_and_is_back_at_once(open_page, server):
    page = open_page(server, "/#/g/g/values", allow=DOWN + "|ERR_INTERNET_DISCONNECTED")
    expect(page.locator('[data-node="deep"]')).to_have_text("30")
    be_active(page)
    page.context.set_offline(True)
    expect(state(page)).to_contain_text("Offline")
    expect(page.locator("#banner")).to_contain_text("Not connected for")
    expect(page.locator('[data-row="x"] value-editor')).to_have_attribute("data-off", "")
    server.set("g", "x", 7)
    page.context.set_offline(False)
    expect(page.locator('[data-node="deep"]')).to_have_text("150")
    expect(page.locator("#banner")).to_be_hidden()


def test_a_view_that_was_asked_for_while_the_server_was_away_comes_when_it_is_back(server, open_page):
    page = open_page(server, "/#/g/g", allow=f"{DOWN}|ERR_INTERNET_DISCONNECTED")
    expect(page.locator(".node").first).to_be_visible()
    expect(state(page)).to_have_text("Live")
    page.context.set_offline(True)
    expect(state(page)).not_to_have_text("Live")
    page.get_by_role("link", name="Values", exact=True).click()
    expect(page.locator("main")).to_contain_text("cannot be shown")
    page.context.set_offline(False)
    expect(page.locator('[data-node="x"]')).to_have_text("1")


def test_a_newer_server_offers_to_reload_and_does_not(open_page):
    with Server({"g": CHAIN}) as first:
        page = open_page(first, allow=DOWN)
        expect(state(page)).to_have_text("Live")
        be_active(page)
        origin = page.evaluate("performance.timeOrigin")
        page.route(
            "**/version",
            lambda route: route.fulfill(
                json={"name": "sluice", "version": "99.0", "protocol": "sluice.v1.json"}
            ),
        )
        port = first.port
        first.process.kill()
        first.process.wait()
        with Server({"g": CHAIN}, listen=f"127.0.0.1:{port}"):
            expect(page.locator("#banner")).to_contain_text("has been updated")
            assert page.evaluate("performance.timeOrigin") == origin
            page.get_by_role("button", name="Reload to update").click()
            expect(page.locator("#banner")).to_be_hidden()
            assert page.evaluate("performance.timeOrigin") != origin


def test_what_acts_need_is_there_when_the_server_goes_though_nobody_has_touched_the_page(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g/values", allow=DOWN)
        expect(state(page)).to_have_text("Live")
        # Both come after three seconds, which may have passed by now.
        fetched = "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)"
        eventually(lambda: {"/version", "/ui/tools.js"} <= set(page.evaluate(fetched)))
        server.process.kill()
        server.process.wait()
        expect(state(page)).to_contain_text("Reconnecting")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Go to the clients")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Theme: system").click()
        expect(page.get_by_role("menuitem", name="Dark")).to_be_visible()


def test_a_server_of_a_newer_protocol_offers_to_reload(open_page):
    with Server({"g": CHAIN}) as first:
        page = open_page(first, allow=DOWN + "|404|400")
        be_active(page)
        page.route(
            "**/version",
            lambda route: route.fulfill(
                json={"name": "sluice", "version": "99.0", "protocol": "sluice.v2.json"}
            ),
        )
        port = first.port
        first.process.kill()
        first.process.wait()
        with files_without_socket(True, port):
            expect(page.locator("#banner")).to_contain_text("It may not talk to this page any more")
            expect(page.get_by_role("button", name="Reload to update")).to_be_visible()
