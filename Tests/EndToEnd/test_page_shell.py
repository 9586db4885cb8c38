"""The page's frame: keys, themes, small screens, focus."""

import re
import signal

import pytest
from browser import DOWN
from conftest import CHAIN
from playwright.sync_api import expect
from sluice import ROOT, Server

pytestmark = pytest.mark.browser
ARTEFACTS = ROOT / "Tests/EndToEnd/artefacts"


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
        ("graphs", "#/graphs", ".graphs a"),
        ("values", "#/g/g/values", '[data-node="deep"]'),
        ("clients", "#/clients", "table.clients a"),
        ("files", "#/files", "#main button"),
        ("about", "#/about", "dl.facts dd"),
    ]:
        page.evaluate("(path) => { location.hash = path; }", path)
        expect(page.locator(sign).first).to_be_visible()
        page.wait_for_timeout(150)
        page.screenshot(path=ARTEFACTS / f"{name}-{look}.png")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            name, look, "no sideways page scroll",
        )
        assert page.evaluate(
            "[...document.querySelectorAll('main h1')].filter((e) => e.checkVisibility()).length"
        ) == 1, "one heading of the first order"


def test_a_small_screen_has_the_places_at_its_lower_edge(open_page, server):
    page = open_page(server, "/#/g/g/values", **LOOKS["phone"])
    places = page.get_by_role("navigation", name="Places").get_by_role("link")
    # The dashboard of the only graph is the home.
    expect(places).to_have_text(["Dashboard", "Values", "Graph", "Clients"])
    expect(places.nth(1)).to_have_attribute("aria-current", "page")
    box = places.nth(3).bounding_box()
    assert box["y"] > 700 and box["height"] >= 44
    places.nth(3).tap()
    expect(page.get_by_role("heading", name="Clients")).to_be_visible()
    expect(places.nth(3)).to_have_attribute("aria-current", "page")
    expect(places.nth(1)).to_have_attribute("href", "#/g/g/values")
    page.set_viewport_size({"width": 1000, "height": 700})
    expect(places.nth(3)).to_be_hidden()


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
            for text in ("text", "text-2", "accent", "ok", "warn", "bad", "listener", "feedback"):
                assert ratio(theme[text], theme[ground]) >= 4.5, (text, ground, theme[text])
            for mark in ("border", "edge", "alarm"):
                assert ratio(theme[mark], theme[ground]) >= 3, (mark, ground, theme[mark])
        assert ratio(theme["on-accent"], theme["accent"]) >= 4.5
        assert ratio(theme["on-alarm"], theme["alarm"]) >= 4.5
        red, green, blue = (int(theme["alarm"][i:i + 2], 16) for i in (1, 3, 5))
        assert red > 190 and max(green, blue) < 60, "an alarm is red"
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
        # values yet. The worker, which shares nothing with the page, keeps the one promise itself.
        later = re.search(r"\bimport\(", text.replace("#import(", ""))
        assert file.name in ("dom.js", "layout.js") or not later, (
            file, "modules that come later come by load() of lib/dom.js",
        )


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
        page.locator("main").get_by_role("link", name="Home", exact=True).click()
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


def test_what_calls_for_attention_stands_below_the_name_of_its_graph(open_page):
    wet = "graph: g{}\ntitle: {}\nnodes:\n  a: {{ set: boolean, initial: {}, severity: alarm, title: Wet }}\n"
    with Server({"a": wet.format(1, "Boat", "true"), "b": wet.format(2, "Home", "false")}) as server:
        page = open_page(server, "/#/g/g2/dash", viewport={"width": 1280, "height": 800})
        link = page.locator("#sidebar a").filter(has_text="Boat")
        expect(link).to_contain_text("1 alarm")
        assert link.locator(".severity").bounding_box()["x"] < link.bounding_box()["x"] + 12
