"""`sluice types`: what it prints compiles, and compilers of clients find wrong names and values."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from sluice import BINARY, ROOT, Server

HOUSE = ROOT / "config/graphs/house.yaml"
# Names and values that need care in some language.
ODD = """
graph: odd-1.graph
title: An odd graph
nodes:
  default: { set: { enum: [OFF, on-demand, "on demand", "1st", "a\\"b"] } }
  maybe: { set: { enum: [low, null] }, title: "End */ of\\nlines" }
  mixed: { set: { enum: [1, two, true] } }
  numbers: { set: { enum: [1, 2.5] } }
  order:
    set: object
    schema:
      required: [id, class]
      additionalProperties: false
      properties:
        id: { type: string, minLength: 1 }
        class: { type: [string, "null"] }
        lines:
          type: array
          items: { type: object, required: [n], properties: { n: { type: integer } } }
        kind: { enum: [a, b] }
  plain: { set: object, schema: { additionalProperties: { type: integer } } }
  list: { set: array, schema: { items: { anyOf: [ { type: string }, { type: number } ] } } }
  sensor.{id}.celsius: { set: number, unit: °C }
  sensor.{id}.hot: { from: "sensor.{id}.celsius", pipe: [ { map: "value > 30" } ] }
  sensor.{id}: { set: string }
  sensor.7: { set: boolean }
  room.{r}.sensor.{s}.on: { set: boolean }
  indoor_c: { set: integer }
  indoor-c: { set: integer }
  class: { set: string }
"""


def types(graph, language, *options):
    ran = subprocess.run(
        [BINARY, "types", graph, "--for", language, *options], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    file = tmp_path_factory.mktemp("odd") / "odd.yaml"
    file.write_text(ODD)
    return file


def test_a_server_gives_the_same_as_the_file(odd):
    with Server({"odd-1.graph": ODD}) as server:
        for language in ("ts", "python", "swift"):
            assert types("odd-1.graph", language, "--url", server.url) == types(odd, language)


def test_the_first_line_says_which_definition_it_is_of(odd):
    with Server({"odd-1.graph": ODD}) as server:
        graph = server.get("/v1/graphs/odd-1.graph").headers["ETag"].strip('W/"')
        assert f"definition {graph}. Do not edit." in types(odd, "ts").splitlines()[0]


def test_a_file_with_a_problem_is_refused(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text("graph: g\nnodes:\n  x: { set: numbr }\n")
    ran = subprocess.run([BINARY, "types", file, "--for", "ts"], capture_output=True, text=True)
    assert ran.returncode == 1 and ran.stdout == "" and "wrong.yaml:3:" in ran.stderr
    ran = subprocess.run([BINARY, "types", HOUSE, "--for", "cobol"], capture_output=True, text=True)
    assert ran.returncode == 2 and "cobol" in ran.stderr


# Python

USE_IN_PYTHON = """
from house import House
from odd import Odd1Graph
from sluice_client import connect

async def main() -> None:
    async with connect() as client:
        house, odd = House(client), Odd1Graph(client)
        async for celsius in house.indoor_c:
            print(round(celsius, 1))
        await house.mode.set("eco")
        await odd.order.set({"id": "7", "class": None, "lines": [{"n": 1}], "kind": "a"})
        await odd.list_.set(["a", 1.5])
        await odd.sensor_celsius("9").set(20)
        hot: bool | None = await odd.sensor_hot("9").get()
        print(hot)
        house.indor_c  # type: ignore[attr-defined]
        await house.indoor_f.set(1)  # type: ignore[attr-defined]
        await house.setpoint_c.set("warm")  # type: ignore[arg-type]
        await house.mode.set("on")  # type: ignore[arg-type]
        await odd.order.set({"id": "7"})  # type: ignore[typeddict-item]
"""


def test_python_finds_wrong_names_and_values(tmp_path, odd):
    (tmp_path / "house.py").write_text(types(HOUSE, "python"))
    (tmp_path / "odd.py").write_text(types(odd, "python"))
    (tmp_path / "use.py").write_text(USE_IN_PYTHON)
    # Errors that do not come are errors as well (`--warn-unused-ignores` is part of `--strict`).
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "use.py", "house.py", "odd.py"],
        capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "clients/python/src")},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_python_reads_values_as_what_they_are(tmp_path, odd):
    """What was written for a type checker also says how values are read."""
    (tmp_path / "odd.py").write_text(types(odd, "python"))
    program = """
import asyncio, sys
sys.path[:0] = [sys.argv[1]]
from odd import Odd1Graph
from sluice_client import SluiceError, connect

async def main():
    async with connect(sys.argv[2]) as client:
        odd = Odd1Graph(client)
        order = {"id": "7", "class": None, "lines": [{"n": 1, "more": True}], "kind": "a"}
        await odd.order.set(order)
        assert await odd.order.get() == order
        await odd.sensor_celsius("9").set(31)
        assert await odd.sensor_hot("9").get() is True
        assert await odd.maybe.get() is None
        try:
            await odd.default.set("on")
        except SluiceError as error:
            print(error.code, error.path)

asyncio.run(main())
"""
    with Server({"odd-1.graph": ODD}) as server:
        ran = subprocess.run(
            [sys.executable, "-c", program, ROOT / "clients/python/src", server.url], cwd=tmp_path,
            capture_output=True, text=True,
        )
    assert ran.stdout == "type_mismatch odd-1.graph/default\n", ran.stdout + ran.stderr


# TypeScript

USE = """
import { connect } from "sluice-client";
import type { House } from "./house";
const client = connect();
client.watch("house/indoor_c", null, (value) => value?.toFixed(1));
client.watch("odd-1.graph/sensor.9.hot", null, (value) => { const hot: boolean | string | undefined = value; hot; });
const mode: House["mode"] = "eco";
client.set("house/mode", mode);
client.set("odd-1.graph/order", { id: "7", class: null, lines: [{ n: 1, more: true }], kind: "a" });
client.set("odd-1.graph/default", "on-demand");
client.set("odd-1.graph/maybe", null);
client.set("odd-1.graph/sensor.9.celsius", 20);
// @ts-expect-error there is no such node
client.watch("house/indor_c", null, () => {});
// @ts-expect-error it is derived
client.set("house/indoor_f", 1);
// @ts-expect-error it takes a number
client.set("house/setpoint_c", "warm");
// @ts-expect-error no value of the enum
client.set("house/mode", "on");
// @ts-expect-error 'class' is missing
client.set("odd-1.graph/order", { id: "7" });
"""


@pytest.mark.skipif(not shutil.which("tsc"), reason="tsc is not installed (Debian: node-typescript)")
def test_typescript_finds_wrong_names_and_values(tmp_path, odd):
    (tmp_path / "house.d.ts").write_text(types(HOUSE, "ts"))
    (tmp_path / "odd.d.ts").write_text(types(odd, "ts"))
    (tmp_path / "use.ts").write_text(USE)
    (tmp_path / "tsconfig.json").write_text(
        json.dumps({
            "compilerOptions": {
                "noEmit": True, "strict": True, "exactOptionalPropertyTypes": True, "target": "es2022",
                "module": "es2022", "moduleResolution": "node", "lib": ["es2022", "dom"],
                "baseUrl": ".", "paths": {"sluice-client": [str(ROOT / "public/client")]}, "types": [],
            },
            "files": ["house.d.ts", "odd.d.ts", "use.ts"],
        })
    )
    ran = subprocess.run(["tsc", "-p", tmp_path], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


# Swift

USE_IN_SWIFT = """
import SluiceClient

func use(_ client: SluiceClient) async throws {
    for try await celsius in client.node(House.indoorC).values() { print(celsius + 0.5) }
    try await client.node(House.mode).set(.eco)
    let order = Odd1Graph.Order(id: "7", class: nil, lines: [.init(n: 1)], kind: .a)
    try await client.node(Odd1Graph.order).set(order)
    try await client.node(Odd1Graph.default).set(.onDemand)
    try await client.node(Odd1Graph.sensorCelsius(id: "9")).set(20)
    let hot: Bool? = try await client.node(Odd1Graph.sensorHot(id: "9")).get()
    print(hot as Any)
}
"""
WRONG_IN_SWIFT = {
    "client.node(House.indorC)": "has no member 'indorC'",
    "let node = client.node(House.indoorF); try await node.set(1)": "has no member 'set'",
    'let node = client.node(House.setpointC); try await node.set("warm")': "cannot convert value",
    "let node = client.node(House.mode); try await node.set(.on)": "has no member 'on'",
}


@pytest.fixture(scope="module")
def typechecked(tmp_path_factory, odd):
    """What the compiler finds in a function that uses the types."""
    folder = tmp_path_factory.mktemp("swift")
    (folder / "House.swift").write_text(types(HOUSE, "swift"))
    (folder / "Odd.swift").write_text(types(odd, "swift"))
    # The C modules of packages that the client's module may name.
    checkouts, built = ROOT / ".build/checkouts", BINARY.parent
    maps = [*checkouts.glob("*/Sources/*/include/module.modulemap"), *built.glob("*/module.modulemap")]

    def check(text):
        (folder / "Use.swift").write_text(text)
        ran = subprocess.run(
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-I", built / "Modules",
                *(word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")),
                *(folder / name for name in ("House.swift", "Odd.swift", "Use.swift")),
            ],
            capture_output=True, text=True,
        )
        assert ran.returncode == (1 if "error:" in ran.stderr else 0), ran.stderr
        return ran.stderr

    return check


def test_what_swift_gets_compiles(typechecked):
    assert typechecked(USE_IN_SWIFT) == ""


@pytest.mark.parametrize("line", WRONG_IN_SWIFT)
def test_swift_finds_wrong_names_and_values(typechecked, line):
    errors = typechecked(
        f"import SluiceClient\nfunc use(_ client: SluiceClient) async throws {{\n    {line}\n}}\n"
    )
    assert WRONG_IN_SWIFT[line] in errors
