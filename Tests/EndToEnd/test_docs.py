"""The documentation says what the program does."""

import os
import re
import subprocess
import sys

from sluice import BINARY, ROOT


def test_the_generated_tables_are_up_to_date():
    result = subprocess.run(
        [sys.executable, ROOT / "scripts/docs.py", "--check"], capture_output=True, text=True,
        env={"SLUICE_BINARY": str(BINARY), "PATH": "/usr/bin:/bin"},
    )
    assert result.returncode == 0, result.stdout + result.stderr


def rules(*arguments, **environment):
    return subprocess.run(
        [sys.executable, ROOT / "scripts/rules.py", *arguments], capture_output=True, text=True,
        env={**os.environ, **environment},
    )


def test_a_rule_without_a_test_is_noticed(tmp_path):
    tests = tmp_path / "Tests"
    tests.mkdir()
    (tests / "SomeTests.swift").write_text(
        'struct SomeTests {\n    @Test("G-1 … G-4, G-999: tight")\n    @Test("G-10 … G-20: broad")\n}\n'
    )
    result = rules("--check", SLUICE_TESTS=str(tests))
    lines = result.stdout.splitlines()
    assert result.returncode == 1
    missing = {line.split()[0] for line in lines if "no test names it" in line}
    assert not missing & {"G-1", "G-2", "G-3", "G-4", "G-107"} and {"G-5", "G-10", "G-15", "G-34a"} <= missing
    assert "Tests/SomeTests.swift: G-999 is no rule" in lines


def test_a_rule_for_users_of_the_server_without_a_test_through_it_is_noticed(tmp_path):
    for folder, rule in (("ReactiveGraphTests", "G-74, F-9"), ("SessionsTests", "G-75, G-73, O-1 to O-3")):
        (tmp_path / "Tests" / folder).mkdir(parents=True)
        (tmp_path / "Tests" / folder / "SomeTests.swift").write_text(
            f'struct SomeTests {{\n    @Test("{rule}: it")\n}}\n'
        )
    lines = rules("--check", SLUICE_TESTS=str(tmp_path / "Tests")).stdout.splitlines()
    missing = {line.split()[0] for line in lines if line.endswith("no test shows it through the server")}
    assert {"G-74", "F-9", "O-4"} <= missing and not missing & {
        "G-75", "G-78", "G-98", "G-1", "O-1", "O-2", "O-3",
    }
    assert any(line.startswith("G-73 ") and "in spite of the reason" in line for line in lines)


def wire(*arguments, **environment):
    return subprocess.run(
        [sys.executable, ROOT / "scripts/wire.py", *arguments], capture_output=True, text=True,
        env={**os.environ, **environment},
    )


def test_a_sentence_without_its_test_is_noticed(tmp_path):
    tests = tmp_path / "Tests"
    tests.mkdir()
    (tests / "PendingTests.swift").write_text(
        'struct PendingTests {\n    @Test("in order")\n    func order() {}\n}\n'
    )
    (tests / "test_some.py").write_text('def test_it():\n    """W-1, W-9999"""\n')
    lines = wire("--check", SLUICE_TESTS=str(tests)).stdout.splitlines()
    assert "W-9999 is no sentence: test_some.test_it" in lines
    assert (
        "W-4: there is no test RequestTests.pipelining" in lines
        and "W-5: there is no test PendingTests.order" not in lines
    )
    assert any(line.startswith("W-3 ") and line.endswith("nothing shows it") for line in lines)
    assert not any(line.startswith("W-1 ") for line in lines)


def test_every_code_of_a_failure_is_in_the_documentation():
    written = set()
    for target in ("Definitions", "Graphs", "Sessions"):
        for file in (ROOT / "Sources" / target).rglob("*.swift"):
            written |= set(re.findall(r'\.fail\(\s*"([a-z_]+)",', file.read_text()))
    codes = (ROOT / "Sources/CEL/Problems/ExpressionProblem.swift").read_text()
    written |= {code for code in re.findall(r'"(expr_[a-z_]+)"', codes)}
    page = (ROOT / "docs/definitions.md").read_text().split("## Empty and failed")[1].split("\n## ")[0]
    listed = {
        code for row in re.findall(r"^\| (`[^|]*) \|", page, re.M) for code in re.findall(r"`([a-z_]+)`", row)
    }
    assert {"overflow", "not_a_key", "expr_divide"} <= written
    # A pulse is an emission within a change of the definition, which clients never see.
    assert written - {"expr_syntax", "pulse"} == listed


def test_every_error_code_of_the_sources_has_a_row():
    table = (ROOT / "Sources/Support/ErrorTable.swift").read_text()
    rows = set(re.findall(r'row\(\s*"([a-z_]+)"', table))
    named = set(
        re.findall(r'Self\(rawValue: "([a-z_]+)"\)', (ROOT / "Sources/Values/HostError.swift").read_text())
    )
    for file in [
        *(ROOT / "Sources/SluiceServer").rglob("*.swift"), ROOT / "Sources/HTTP/Words/ErrorCode.swift",
    ]:
        named |= set(re.findall(r'(?:Refusal\(|ErrorCode = )"([a-z_]+)"', file.read_text()))
    assert len(rows) > 40 and len(named) > 35 and named <= rows, named - rows


PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]


def test_every_key_of_the_configuration_that_a_page_names_is_one():
    shown = subprocess.run(
        [BINARY, "serve", "--print-config", "--config", ROOT / "config/sluice.yaml"], capture_output=True,
        text=True,
    ).stdout
    keys = {line.split()[0] for line in shown.splitlines()}
    keys |= set(re.findall(r"^\| `([a-zA-Z.]+)` \|", (ROOT / "docs/configuration.md").read_text(), re.M))
    groups = "|".join(sorted({key.split(".")[0] for key in keys if "." in key}))
    named = {
        key for page in PAGES for key in re.findall(rf"`((?:{groups})\.[A-Za-z]+)[`:]", page.read_text())
    }
    assert len(named) >= 30 and named <= keys, named - keys


def test_every_link_from_page_to_page_leads_to_a_file_and_a_heading():
    def anchors(page):
        text = page.read_text()
        if page.suffix == ".py":
            return set(re.findall(r"^def (\w+)", text, re.M))
        headings = re.findall(r"^#+ (.*)", text, re.M)
        made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
        return made | set(re.findall(r'<a id="([^"]+)"></a>', text))

    for page in PAGES:
        for path, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text()):
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), (page.name, path)
            assert not anchor or anchor in anchors(target), (page.name, path, anchor)


def test_every_page_that_a_file_names_is_in_the_repository():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
        text=True,
    )
    files = [ROOT / line for line in listed.stdout.splitlines()]
    pages = {file.name for file in files if file.suffix == ".md"}
    # A name after a hyphen is the end of one that a program puts together.
    named = {(str(file.relative_to(ROOT)), name) for file in files if file.is_file()
             for name in re.findall(r"(?<![\w-])\w[\w-]*\.md\b", file.read_text(errors="replace"))}
    assert len(named) >= 50 and ("Sources/Support/ErrorTable.swift", "protocol.md") in named
    assert not {(file, name) for file, name in named if name not in pages}


def test_the_guide_for_operators_shows_a_configuration_that_is_one(tmp_path):
    page = (ROOT / "docs/operations.md").read_text()
    shown, = re.findall(r"```yaml\n# sluice\.yaml, in (.*?)```", page, re.S)
    (tmp_path / "sluice.yaml").write_text("#" + shown)
    (tmp_path / "tokens.yaml").write_text(
        subprocess.run([BINARY, "token", "--name", "a"], capture_output=True, text=True).stdout
    )
    (tmp_path / "graphs").mkdir()
    for name in ("fleet", "host", "house"):
        (tmp_path / "graphs" / f"{name}.yaml").symlink_to(ROOT / f"config/graphs/{name}.yaml")
    checked = subprocess.run(
        [BINARY, "check", "--config", "sluice.yaml"], capture_output=True, text=True, cwd=tmp_path
    )
    assert checked.returncode == 0, checked.stderr
    table = (ROOT / "docs/protocol.md").read_text().split("<!-- errors")[1]
    for row in page.split("## When something is refused")[1].splitlines():
        for status, code in re.findall(r"^\| (\d{3})\b[^|`]*`([a-z_]+)`", row):
            assert re.search(rf"^\| `{code}` \| {status} ", table, re.M), (status, code)
