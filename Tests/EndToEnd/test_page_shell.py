"""The page's frame: connection state, signing in, clients, keys, themes, small screens."""

import contextlib
import http.server
import json
import re
import signal
import subprocess
import threading
import time
import types

import pytest
from browser import DOWN
from conftest import CHAIN
from playwright.sync_api import expect
from sluice import BINARY, ROOT, Server, eventually

pytestmark = pytest.mark.browser
ARTEFACTS = ROOT / "Tests/EndToEnd/artefacts"
SIGNED_OUT = "401"


def state(page):
    return page.locator(".conn-text")


# The connection


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


# Rights


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
    expect(page.locator(".inspector-head h3")).to_have_text("x")
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


# Hands and eyes


def test_keys_act_only_outside_of_fields_and_can_be_switched_off(open_page, server):
    page = open_page(server, "/#/g/g/values")
    expect(page.locator('[data-node="deep"]')).to_have_text("30")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Go to the clients")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.type("gc")
    expect(page.get_by_role("heading", name="Clients")).to_be_visible()
    page.keyboard.type("gv")
    name = page.locator('[data-row="any"] textarea')
    name.fill("")
    name.press_sequentially("gc?")
    expect(name).to_have_value("gc?")
    page.locator("h1").first.click()
    page.keyboard.press("?")
    dialog.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.type("gc")
    page.wait_for_timeout(200)
    expect(page.get_by_role("heading", name="Clients")).to_have_count(0)


def test_a_pause_keeps_the_picture_and_loses_nothing(open_page, server):
    page = open_page(server, "/#/g/g/values")
    deep = page.locator('[data-node="deep"]')
    expect(deep).to_have_text("30")
    page.keyboard.press("p")
    server.set("g", "x", 5)
    page.wait_for_timeout(400)
    expect(deep).to_have_text("30")
    page.get_by_role("button", name="Paused").click()
    expect(deep).to_have_text("110")
    expect(page.get_by_role("button", name="Paused")).to_be_hidden()


def test_a_theme_is_chosen_kept_and_there_before_the_first_paint(open_page, server):
    page = open_page(server, color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == "rgb(246, 247, 249)"
    page.get_by_role("button", name="Theme: system").click()
    page.get_by_role("menuitem", name="Dark").click()
    assert page.evaluate(background) == "rgb(14, 19, 26)"
    page.reload()
    assert page.evaluate(background) == "rgb(14, 19, 26)"
    assert page.locator("head script").first.get_attribute("src") == "/theme.js"
    page.get_by_role("button", name="Theme: dark").click()
    page.get_by_role("menuitem", name="As the system").click()
    assert page.evaluate(background) == "rgb(246, 247, 249)"


LOOKS = {
    "light": dict(color_scheme="light"),
    "dark": dict(color_scheme="dark"),
    "reduced": dict(reduced_motion="reduce"),
    "forced": dict(forced_colors="active"),
    "phone": dict(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, color_scheme="dark"
    ),
    "narrow": dict(viewport={"width": 320, "height": 640}),
    "zoomed": dict(viewport={"width": 640, "height": 400}, device_scale_factor=2),
}


@pytest.mark.parametrize("look", LOOKS)
def test_every_view_fits_and_is_kept_as_a_picture(open_page, server, look):
    ARTEFACTS.mkdir(exist_ok=True)
    page = open_page(server, "/", **LOOKS[look])
    for name, path, sign in [
        ("graphs", "#/", ".graphs a"),
        ("values", "#/g/g/values", '[data-node="deep"]'),
        ("clients", "#/clients", "table.clients a"),
        ("files", "#/files", "main button"),
        ("about", "#/about", "dl.facts dd"),
    ]:
        page.evaluate("(path) => { location.hash = path; }", path)
        expect(page.locator(sign).first).to_be_visible()
        page.wait_for_timeout(150)
        page.screenshot(path=ARTEFACTS / f"{name}-{look}.png")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            name, look, "no sideways page scroll",
        )
        small = page.evaluate("""() => [...document.querySelectorAll("button, select, input")].filter((e) => e.checkVisibility() && e.type !== "checkbox")
            .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()]).filter(([, r]) => r.height < 24 || r.width < 24).map(([html]) => html)""")
        assert small == [], (name, look, "targets of at least 24 px")
        assert page.evaluate("document.querySelectorAll('main h1, .context:not([hidden]) h1').length") == 1, (
            "one heading of the first order"
        )


def test_a_small_screen_has_the_views_at_its_lower_edge(open_page, server):
    page = open_page(server, "/#/g/g/values", **LOOKS["phone"])
    views = page.get_by_role("navigation", name="Views of the graph").get_by_role("link")
    expect(views).to_have_text(["Graph", "Dashboard", "Values", "Clients"])
    expect(views.nth(2)).to_have_attribute("aria-current", "page")
    box = views.nth(3).bounding_box()
    assert box["y"] > 700 and box["height"] >= 44
    views.nth(3).tap()
    expect(page.get_by_role("heading", name="Clients")).to_be_visible()
    expect(views.nth(3)).to_have_attribute("aria-current", "page")
    expect(views.nth(2)).to_have_attribute("href", "#/g/g/values")
    page.set_viewport_size({"width": 1000, "height": 700})
    expect(views.nth(3)).to_be_hidden()


def ratio(one, two):
    def luminance(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_every_token_from_the_stylesheet():
    css = (ROOT / "public/styles.css").read_text()
    blocks = re.findall(
        r":root(?:\[data-theme=\"dark\"\]|:not\(\[data-theme\]\))? \{([^}]*--bg:[^}]*)\}", css
    )
    assert len(blocks) == 3, "light, dark, and dark as the system says"
    themes = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]
    assert themes[1] == themes[2], "dark is dark, however it was chosen"
    for theme in themes:
        for ground in ("bg", "surface", "raised"):
            for text in ("text", "text-2", "accent", "ok", "warn", "bad", "listener", "feedback", "series-6"):
                assert ratio(theme[text], theme[ground]) >= 4.5, (text, ground, theme[text])
            for mark in ("border", "edge"):
                assert ratio(theme[mark], theme[ground]) >= 3, (mark, ground, theme[mark])
        assert ratio(theme["on-accent"], theme["accent"]) >= 4.5
        assert ratio(theme["on-bad"], theme["bad"]) >= 4.5
    every = "".join(f.read_text() for f in (ROOT / "public").rglob("*.css"))
    assert set(re.findall(r"var\(--([\w-]+)\)", every)) <= set(re.findall(r"--([\w-]+):", every)), (
        "no token without a definition"
    )


def test_no_file_is_long_and_none_makes_markup_of_data():
    for file in (ROOT / "public").rglob("*.js"):
        text = file.read_text()
        if file.name != "client.js":
            assert len(text.splitlines()) <= 400, file
        assert not re.search(
            r"\.(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function|"
            r"setAttribute\(\"style\"", text,
        ), file
        # WebKit answers a second import of a module that is on its way with names that have no
        # values yet.
        assert file.name == "dom.js" or not re.search(r"\bimport\(", text.replace("#import(", "")), (
            file, "modules that come later come by load() of lib/dom.js",
        )


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


def test_without_a_network_the_page_says_offline_and_is_back_at_once(open_page, server):
    page = open_page(server, "/#/g/g/values", allow=DOWN + "|ERR_INTERNET_DISCONNECTED")
    expect(page.locator('[data-node="deep"]')).to_have_text("30")
    with page.expect_response("**/version"):
        page.mouse.move(9, 9)
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
        # The page asks when the user is active.
        with page.expect_response("**/version"):
            page.mouse.move(9, 9)
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
        with page.expect_response("**/version"):
            pass
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
        with page.expect_response("**/version"):
            page.mouse.move(9, 9)
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


def test_the_focus_is_kept_where_the_frame_of_the_page_changes(open_page):
    alarm = (
        CHAIN.replace("graph: g", "graph: h").replace("A test graph", "Another")
        + '  hot: { from: x, pipe: [ { map: "value > 5" } ], severity: alarm }\n'
    )
    with Server({"g": CHAIN, "h": alarm}) as server:
        page = open_page(server, "/#/g/g/values", allow=DOWN)
        focused = "document.activeElement.textContent"
        link = page.locator("#sidebar a", has_text="Another")
        expect(link).to_be_visible()
        link.focus()
        before = link.text_content()
        server.set("h", "x", 9)
        expect(link).not_to_have_text(before)
        assert page.evaluate(focused) == link.text_content(), "an alarm was raised in it"
        link.press("Enter")
        expect(page).to_have_url(re.compile("#/g/h/values$"))
        assert page.evaluate(focused) == link.text_content(), "the view is another one, the link is the same"
        page.keyboard.press("p")
        page.get_by_role("button", name="Paused").press("Enter")
        assert page.evaluate("document.activeElement.ariaLabel") == "Keys (?)"
        port = server.port
        server.process.kill()
        server.process.wait()
        retry = page.get_by_role("button", name="Retry now")
        retry.focus()
        with Server({"g": CHAIN, "h": CHAIN.replace("graph: g", "graph: h")}, listen=f"127.0.0.1:{port}"):
            expect(retry).to_be_hidden()
            assert "conn-chip" in page.evaluate("document.activeElement.className")


def test_a_menu_closes_by_its_button_and_a_dialog_opens_once(open_page, server):
    page = open_page(server)
    button = page.get_by_role("button", name="Theme: system")
    for _ in range(2):
        button.click()
        expect(page.get_by_role("menuitem", name="Dark")).to_be_visible()
        expect(button).to_have_attribute("aria-expanded", "true")
        button.click()
        expect(page.get_by_role("menu")).to_have_count(0)
        expect(button).to_have_attribute("aria-expanded", "false")
        page.wait_for_timeout(300)
    page.evaluate(
        "() => { for (let i = 0; i < 3; i++) dispatchEvent(new KeyboardEvent('keydown', { key: '?' })); }"
    )
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    page.wait_for_timeout(200)
    expect(dialog).to_have_count(1)
    # A selection that begins in it and ends beside it.
    inside = dialog.locator("h2").bounding_box()
    page.mouse.move(inside["x"] + 5, inside["y"] + 5)
    page.mouse.down()
    page.mouse.move(5, 400)
    page.mouse.up()
    expect(dialog).to_be_visible()
    page.mouse.click(5, 400)
    expect(dialog).to_have_count(0)


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


def test_one_that_fails_stops_neither_the_clock_nor_the_drawing_of_others(open_page, server):
    page = open_page(server, "/#/about", allow="mine")
    seen = page.evaluate("""async () => {
      const { Frame, Store } = await import("/lib/dom.js"), seen = [], errors = [];
      addEventListener("error", (event) => { errors.push(event.message); event.preventDefault(); });
      const frame = new Frame(), fails = () => { throw new Error("mine"); };
      const bad = frame.item(document.body, fails), good = frame.item(document.body, () => { seen.push("drawn"); });
      frame.tick(fails);
      frame.tick(() => seen.push("tick"));
      await new Promise((resolve) => setTimeout(resolve, 2300));
      const store = new Store(), ending = new AbortController(), heard = [];
      store.listen("a", (value) => { if (value === 1) { store.set("a", 2); ending.abort(); } });
      store.listen("a", (value) => heard.push(value));
      store.listen("a", () => heard.push("left"), ending.signal);
      heard.length = 0;
      store.set("a", 1);
      return [seen.filter((each) => each === "tick").length >= 2, seen.includes("drawn"), errors.length >= 3, heard];
    }""")
    assert seen == [True, True, True, [2, "left", 2]], "in order, and none to who has left"


def test_an_address_without_a_view_says_so_at_the_start_and_later(open_page, server):
    page = open_page(server, "/#/none/at/all")
    for _ in range(2):
        expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
        page.get_by_role("link", name="All graphs", exact=True).click()
        expect(page.get_by_role("heading", name="There is nothing here")).to_be_hidden()
        page.evaluate("location.hash = '#/none/again'")


def test_the_content_is_one_key_away_and_views_begin_at_their_beginning(open_page, server):
    page = open_page(server, "/#/g/g/values")
    expect(page.locator('[data-node="deep"]')).to_have_text("30")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.get_by_role("link", name="About", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="About this server")).to_be_visible()
    expect(page.locator("#main")).to_be_focused()
