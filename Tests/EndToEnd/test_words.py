"""X-4: people's words and icons: in descriptions, on a terminal, and what is wrong with them."""

import json
import os
import pty
import re
import subprocess

import pytest

from browser import expect, row
from conftest import Client
from sluice import BINARY, PATIENCE, ROOT, Server

GRAPH = """
graph: g
nodes:
  door:  { set: boolean, icon: door, words: { true: open, false: closed } }
  mode:  { set: { enum: [eco, "true"] }, initial: eco, words: { eco: saving, '"true"': truly } }
  level: { set: integer, words: { 0: "off", 1.0: "on" }, icon: dial }
  copy:  { from: door, words: { true: wide }, icon: window }
  m.{i}: { set: any, words: { null: unknown, "7": seven }, icon: drop }
"""
WORDS = {
    "door": {"true": "open", "false": "closed"},
    "mode": {'"eco"': "saving", '"true"': "truly"},
    "level": {"0": "off", "1": "on"},
    "copy": {"true": "wide"},
}


@pytest.fixture(scope="module")
def server():
    with Server({"g": GRAPH}) as running:
        yield running


def test_descriptions_have_words_and_icons(server):
    """X-4: pictures, observers and families say what values are called."""
    picture = server.get("/v1/graphs/g/graph?format=json").json()
    assert {node["name"]: node["words"] for node in picture["nodes"]} == WORDS
    assert {node["name"]: node.get("icon") for node in picture["nodes"]} == {
        "door": "door", "mode": None, "level": "dial", "copy": "window",
    }
    [family] = picture["families"]
    assert family["words"] == {"null": "unknown", "7": "seven"} and family["icon"] == "drop"
    with Client(server) as client:
        topo = client.ask(op="observe", graph="g")
        assert {node["name"]: node["words"] for node in topo["nodes"]} == WORDS
    # Values are never words.
    server.set("g", "door", True)
    assert server.value("g", "copy") is True


def on_terminal(*arguments):
    """What a command prints on a terminal."""
    own, other = pty.openpty()
    with subprocess.Popen([BINARY, *arguments], stdout=other) as process:
        os.close(other)
        line = os.read(own, 4096).decode().strip()
        process.terminate()
        process.wait(PATIENCE)
    os.close(own)
    return line


def test_words_on_a_terminal(server):
    """X-4: get and watch print words on a terminal; JSON with --json, and into a pipe."""
    for node, value, word in [
        ("door", True, "open"), ("level", 1, "on"), ("level", 5, "5"), ("mode", "true", "truly"),
        ("m.1", None, "unknown"),
    ]:
        server.set("g", node, value)
        for command in ("get", "watch"):
            at = [command, f"g/{node}", "--url", server.url]
            assert on_terminal(*at) == word
            assert json.loads(on_terminal(*at, "--json")) == value
    server.set("g", "door", True)
    run = subprocess.run([BINARY, "get", "g/door", "--url", server.url], capture_output=True, text=True)
    assert run.stdout == "true\n"


def test_the_page_shows_words(server, open_page):
    """X-4: tables, the graph and widgets show words and icons, and so do fields."""
    server.set("g", "door", True)
    page = open_page(server, "/#/g/g/values")
    expect(row(page, "door").locator(".value")).to_have_text("open")
    expect(row(page, "door").locator("th .node-icon")).to_be_visible()
    expect(row(page, "copy").locator(".value")).to_have_text("wide")
    field = row(page, "mode").locator("select")
    expect(field.locator("option")).to_have_text(["empty", "saving", "truly"])
    row(page, "door").get_by_role("switch").click()
    expect(row(page, "door").locator(".value")).to_have_text("closed")
    assert server.value("g", "door") is False
    page = open_page(server, "/#/g/g")
    expect(page.get_by_role("button", name=re.compile("^door, set from outside, closed"))).to_be_visible()
    page = open_page(server, "/#/g/g/dash")
    expect(page.locator("article", has_text="copy").locator(".lamp")).to_have_text("off")
    # The word of a boolean stands beside its switch, and is a part of it.
    word = page.locator("article[aria-label^='door'] .switch-word")
    expect(word).to_have_text("closed")
    word.click()
    expect(word).to_have_text("open")
    expect(page.locator("article", has_text="copy").locator(".lamp")).to_have_text("wide")
    expect(page.locator("article", has_text="copy").locator(".badge .node-icon")).to_be_visible()


def test_mistakes(tmp_path):
    """X-4: an unknown icon is a warning with a hint; words have bounds."""
    def check(line):
        file = tmp_path / "h.yaml"
        file.write_text(f"graph: h\nnodes:\n  x: {{ set: any, {line} }}\n")
        run = subprocess.run([BINARY, "check", "--json", file], capture_output=True, text=True)
        return run.returncode, json.loads(run.stdout)

    code, found = check("icon: dor")
    assert code == 0 and "no icon 'dor'" in found["warnings"][0]["message"]
    assert "door" in found["warnings"][0]["hint"]
    for line, words in [
        ("words: {}", "1 to 64 words"),
        ("words: { a: '' }", "1 to 64 characters"),
        (f"words: {{ a: {'b' * 65} }}", "1 to 64 characters"),
        ("words: { '[1]': list }", "a value is true, false"),
        ("words: { 1: one, 1.0: also }", "two words for 1"),
        ("words: open", "must be a mapping"),
        ("words: { " + ", ".join(f"{n}: w" for n in range(65)) + " }", "1 to 64 words"),
    ]:
        code, found = check(line)
        assert code == 1 and words in found["problems"][0]["message"], (line, found)


def test_a_node_shows_the_symbol_of_its_icon_or_the_general_one(server, open_page):
    """X-4: in tables, the graph and widgets; each symbol is drawn within its square."""
    drawn = """(at) => {
        const use = document.querySelector(at), { width, height } = use.getBBox();
        return [use.getAttribute("href"), width > 4 && height > 2];
    }"""
    sheet = (ROOT / "public/icons.svg").read_text()
    for view, door, level in [
        ("/values", "[data-row=door] .node-icon use", "[data-row=level] .node-icon use"),
        ("", "[data-id='n:door'] .mark use", "[data-id='n:level'] .mark use"),
    ]:
        page = open_page(server, f"/#/g/g{view}")
        expect(page.locator(level)).to_have_attribute("href", "#i-other")
        assert page.evaluate(drawn, door) == ["#i-door", True]
        assert page.evaluate(drawn, level) == ["#i-other", True]
    outside = page.evaluate("""() => [...document.querySelectorAll("symbol")].filter((symbol) => {
        const frame = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        frame.append(...symbol.cloneNode(true).children);
        document.body.append(frame);
        const { x, y, width, height } = frame.getBBox();
        frame.remove();
        return x < 1 || y < 1 || x + width > 23 || y + height > 23 || Math.max(width, height) < 15;
    }).map(({ id }) => id)""")
    assert outside == [] and page.locator("symbol").count() == sheet.count("<symbol")


def test_every_icon_is_drawn():
    """X-4: the page has a symbol for each icon that definitions may name, and one for other names."""
    drawn = re.findall(r'<symbol id="i-(\w+)" viewBox="0 0 24 24"><', (ROOT / "public/icons.svg").read_text())
    assert drawn.pop() == "other"
    text = subprocess.run([BINARY, "schema"], capture_output=True, text=True).stdout
    named = json.loads(text)["$defs"]["icon"]["anyOf"][0]["enum"]
    assert drawn == sorted(drawn) == named
