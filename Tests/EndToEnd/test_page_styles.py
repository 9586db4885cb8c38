"""Styles belong to their modules: no sheet reaches into another module's view, whatever was opened
before. ARCHITECTURE.md has the rule."""

import re

import pytest
from playwright.sync_api import expect
from sluice import ROOT, Server
from dashboards import address, layout

PUBLIC = ROOT / "public"
# What each sheet may style, besides `styles.css`, which is for all of the page: each selector names
# one of these. A folder of views has one class for everything in it.
ROOTS = {
    "dash/dash.css": r"\.in-dash\b",
    "dash/editing.css": r"\.in-dash\b",
    "dash/forms.css": r"\.in-dash\b",
    "dash/touch.css": r"\.in-dash\b",
    "graph/graph.css": r"\.in-graph\b",
    "graph/more.css": r"\.in-graph\b",
    "views/views.css": r"\.in-views\b",
    "ui/dialogs.css": r"\bdialog\b|\.menu\b|\.field\b|\.facts\b|\.keys\b",
    "ui/editor.css": r"value-editor\b|record-field\b|\.editor\b|\.record\b|\.switch\b|\.sensor\b|"
                     r"\[data-state=\"\w+\"\] > \.editor",
    "ui/past.css": r"\[data-past\]|\.past-",
}
GRAPH = """
graph: g
title: A test graph
nodes:
  x: { set: number, initial: 1, min: 0, max: 100, title: Voltage, role: setting }
  probe: { set: number, initial: 2, role: sensor, title: Probe, history: 10 }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
"""
WIDGETS = layout(
    {"kind": "table", "nodes": ["*"]}, {"kind": "editor", "node": "x", "slider": True},
    {"kind": "clients", "title": "Clients"}, {"kind": "sparkline", "node": "probe"},
    {"kind": "log", "node": "x"},
)
VIEWS = {
    "graphs": ("#/graphs", ".graphs .graph-main"),
    "graph": ("#/g/g?node=x", ".inspector value-editor input"),
    "outline": ("#/g/g?view=outline", ".outline-row"),
    "dash": (address(WIDGETS, edit=False)[1:], ".widget td:nth-child(2):not(:empty)"),
    "values": ("#/g/g/values", "[data-row=double]"),
    "clients": ("#/clients", "table.clients a"),
    "files": ("#/files", "#main button"),
    "about": ("#/about", "dl.facts dd"),
}
# For each kind of element, by its tag, its classes and those of its parents, what the first one
# looks like. Sizes in px depend on the values that are shown.
LOOK = """() => {
    const named = (e) => e.tagName + [...e.classList].map((name) => "." + name).join("");
    const look = {};
    for (const each of document.querySelectorAll("#main *, #context *")) {
        if (each.closest(".node, .edge, defs")) continue;
        const path = [each.parentElement, each].map(named).join(" > "), style = getComputedStyle(each);
        look[path] ??= ["display", "position", "padding", "margin", "gap", "fontSize", "fontWeight", "color",
            "backgroundColor", "borderTopWidth", "borderBottomWidth", "borderRadius", "textAlign", "flex", "flexWrap",
            "alignItems", "whiteSpace", "overflow", "minHeight", "listStyleType", "opacity", "cursor"]
            .map((name) => `${name}: ${style[name]}`).join("; ");
    }
    return look;
}"""


def parts(selectors):
    """The selectors of a list; commas within parentheses part none."""
    found = [""]
    for each in re.split(r"(,)", selectors):
        if each == "," and found[-1].count("(") == found[-1].count(")"):
            found.append("")
        else:
            found[-1] += each
    return [each.strip() for each in found]


def rules(css, outer=("",)):
    """The selectors of every style rule in a sheet, nested ones with those around them."""
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    at = 0
    while (begin := css.find("{", at)) >= 0:
        head, depth, end = css[at:begin], 1, begin + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(css[end], 0)
            end += 1
        head, body = head.rsplit(";", 1)[-1].strip(), css[begin + 1:end - 1]
        if head.startswith(("@media", "@container")):
            yield from rules(body, outer)
        elif not head.startswith("@keyframes"):
            whole = [
                part.replace("&", each) if "&" in part else f"{each} {part}".strip()
                for each in outer for part in parts(head)
            ]
            yield from whole
            yield from rules(body, whole)
        at = end


def test_every_rule_of_a_sheet_is_within_its_module():
    sheets = {str(file.relative_to(PUBLIC)) for file in PUBLIC.rglob("*.css")} - {"styles.css"}
    assert sheets == set(ROOTS)
    for name, roots in ROOTS.items():
        found = list(rules((PUBLIC / name).read_text()))
        assert len(found) > 10, name
        assert [each for each in found if not re.search(roots, each)] == [], name


@pytest.fixture(scope="module")
def looks():
    """A server, and how each view looks where no other was opened before."""
    with Server({"g": GRAPH}) as server:
        yield server, {}


def look(page, name):
    page.evaluate("(to) => { location.hash = to; }", VIEWS[name][0].lstrip("/"))
    expect(page.locator(VIEWS[name][1]).first).to_be_visible()
    expect(page.locator(".skeleton")).to_have_count(0)
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement?.blur()")
    page.wait_for_timeout(350)
    return page.evaluate(LOOK)


@pytest.mark.browser
@pytest.mark.parametrize("first", VIEWS)
def test_a_view_looks_the_same_whichever_was_open_before(open_page, looks, first):
    server, alone = looks
    for name in VIEWS:
        if name not in alone:
            page = open_page(server, VIEWS[name][0])
            alone[name] = look(page, name)
            page.context.close()
    page = open_page(server, VIEWS[first][0])
    look(page, first)
    for name in VIEWS:
        if name == first:
            continue
        now = look(page, name)
        both = alone[name].keys() & now.keys()
        assert len(both) > 8, (name, both)
        other = {path: (alone[name][path], now[path]) for path in both if alone[name][path] != now[path]}
        assert other == {}, f"{name} after {first}"
