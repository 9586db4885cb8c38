"""The library for Swift programs: what its documentation shows works, and it needs nothing but Swift."""

import re
import shutil
import subprocess
import sys

import pytest

from sluice import ROOT

pytestmark = [pytest.mark.long, pytest.mark.first]

MANIFEST = f"""// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "five-lines",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sluice", path: "{ROOT}")],
    targets: [
        .executableTarget(name: "five", dependencies: [.product(name: "ReactiveGraph", package: "sluice")]),
        .executableTarget(name: "rule", dependencies: [.product(name: "CEL", package: "sluice")]),
        .executableTarget(name: "cel", dependencies: [.product(name: "CEL", package: "sluice")]),
    ]
)
"""

LANDING = ROOT / "Sources/CEL/CEL.docc/CEL.md"
FIVE_LINES = """import ReactiveGraph
let celsius = Graph().mutable(21.5)
let bag = CancellableBag()
celsius.map { $0 * 9 / 5 + 32 }.listen(in: bag) { print($0) }
celsius.set(100)
"""
# Half the work of a debug build: modules are compiled as a whole, and nothing is made for debuggers
# and editors. Whatever is linked stays, because a test looks for symbols that must not be there.
FAST = [
    "-c", "release", "-Xswiftc", "-Onone", "-Xswiftc", "-gnone", "--disable-index-store",
    "--disable-dead-strip",
]


def run(*command, cwd=ROOT):
    result = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def swift_blocks(page):
    return re.findall(r"^```swift\n(.*?)^```", page.read_text(), re.S | re.M)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A package of five lines in a fresh folder; the library's objects are kept from one run to the next."""
    package = tmp_path_factory.mktemp("five-lines")
    (package / "Package.swift").write_text(MANIFEST)
    expressions = (ROOT / "docs/expressions.md").read_text()
    rule = re.search(r"test_library.py compiles and runs this. -->\n```swift\n(.*?)```", expressions, re.S)
    for name, text in (("five", FIVE_LINES), ("rule", rule[1]), ("cel", "\n".join(swift_blocks(LANDING)))):
        source = package / "Sources" / name / "main.swift"
        source.parent.mkdir(parents=True)
        source.write_text(text)
    scratch = ROOT / ".build/five-lines"
    run("swift", "build", "--package-path", package, "--scratch-path", scratch, *FAST, cwd=package)
    return scratch / "release/five"


@pytest.mark.timeout(600)
def test_a_package_of_five_lines_uses_the_library(program):
    assert run(program) == "70.7\n212.0\n"


@pytest.mark.timeout(600)
def test_the_example_of_the_expressions_runs(program):
    assert run(program.with_name("rule")).splitlines() == [
        "bool(true)", "1:11: the name 'limt' is not known", "  value.c > limt", "            ^",
        "  did you mean 'limit'?", "expr_cost",
    ]


@pytest.mark.timeout(600)
def test_the_first_page_of_cel_is_one_program_that_prints_what_it_says(program):
    printed = re.findall(r"// prints (.*)", LANDING.read_text())
    output = run(program.with_name("cel")).splitlines()
    assert len(printed) == 2 and [output[0], output[-1]] == printed
    assert "1:19: the name 'limt' is not known" in output and "  did you mean 'limit'?" in output


@pytest.mark.timeout(600)
def test_release_builds_have_nothing_that_prints_errors(program):
    """What prints errors that no handler receives is compiled into debug builds only."""
    assert shutil.which("nm"), "nm comes with the toolchain's linker"
    symbols = run("nm", program)
    assert "ReactiveGraph" in symbols and "UnhandledErrors" not in symbols


@pytest.mark.timeout(600)
def test_the_libraries_do_without_foundation(program):
    imports = {
        name
        for library in ("ReactiveGraph", "CEL")
        for path in (ROOT / "Sources" / library).rglob("*.swift")
        for name in re.findall(r"^[ \t]*(?:\w+ )*import (\w+)", path.read_text(), re.M)
    }
    known = {"Synchronization", "Glibc", "Musl", "Darwin", "DequeModule", "Support", "CConcurrency"}
    assert imports <= known, "only what comes with Swift or the system, one collection, and our own"
    libraries = run("ldd", program) if shutil.which("ldd") else ""
    assert "Foundation" not in libraries and "libcurl" not in libraries, libraries
    symbols = run("nm", "-a", program) if shutil.which("nm") else ""
    assert not re.search(r"\$s\d+Foundation", symbols)


def test_the_examples_of_the_documentation_are_those_that_run():
    run(sys.executable, ROOT / "scripts/examples.py", "--check")


@pytest.mark.timeout(600)
@pytest.mark.skipif(not shutil.which("docc"), reason="this toolchain has no docc")
def test_every_link_of_the_documentation_leads_somewhere():
    run(ROOT / "scripts/documentation.sh")
