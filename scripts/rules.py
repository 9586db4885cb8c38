#!/usr/bin/env python3
"""Writes docs/rules.md: every rule of the graph, and the tests that name it; with --check only says what is wrong.

A test shows the rules whose numbers stand in its display name, or in that of its suite: `G-5`, `G-5, G-7` or a range
`G-5 … G-8`. A range of more than four rules shows none of them. Python tests name rules in their doc strings. A rule
without a test, or without a reason in scripts/rules.txt why there can be none, is an error; so is a number that is no
rule. SLUICE_TESTS names another folder of tests.
"""

import ast
import os
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs/rules.md"
LONGEST_RANGE = 4

number = r"G-\d+[a-z]?"
range_or_number = re.compile(rf"({number})(?:\s*(?:…|\.\.\.?|–)\s*({number}))?")
declaration = re.compile(
    r"""(?:@Suite\(\s*"(?P<suite>(?:[^"\\]|\\.)*)"[^\n]*\)\s*)?"""
    r"""^(?:(?:@\w+|public|package|internal|private|fileprivate|final)\s+)*(?:struct|class|enum|actor|extension)\s+(?P<type>\w+)"""
    r"""|@Test\(\s*"(?P<test>(?:[^"\\]|\\.)*)\"""",
    re.M,
)


def read_rules():
    """The table: number → (section, title, reason or None), in order."""
    rules, section = {}, ""
    for line in (root / "scripts/rules.txt").read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif re.match(number, line):
            name, rest = line.split(None, 1)
            title, _, reason = (part.strip() for part in rest.partition("::"))
            rules[name] = (section, title, reason or None)
    return rules


def named(text):
    """The rules that a name shows, in the order they stand."""
    found = []
    for first, last in range_or_number.findall(text):
        if not last:
            found.append(first)
            continue
        low, high = (int(re.sub(r"\D", "", end)) for end in (first, last))
        if high - low < LONGEST_RANGE:
            found += [first, *(f"G-{n}" for n in range(low + 1, high)), last]
    return found


def without_rules(text):
    """A test's name as a sentence: the numbers stand in another column."""
    text = re.sub(rf"\s*\([^()]*{number}[^()]*\)$", "", text)
    return re.sub(rf"^(?:{number}(?:, | … )?)+:\s*", "", text)


def swift_tests(path):
    """(rules, sentence) of each test in a file."""
    text = path.read_text()
    suites = {}
    suite = ""
    for match in declaration.finditer(text):
        if match["type"]:
            suite = suites.setdefault(match["type"], match["suite"] or "")
        else:
            rules = [*named(match["test"]), *named(suite)]
            yield rules, without_rules(match["test"].replace('\\"', '"'))


def python_tests(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            doc = ast.get_docstring(node) or ""
            yield named(doc), without_rules(node.name.removeprefix("test_").replace("_", " "))


def gather(rules):
    """number → {file: [sentences]}, and the numbers that are no rules."""
    shown = {name: {} for name in rules}
    unknown = []
    folder = pathlib.Path(os.environ.get("SLUICE_TESTS", root / "Tests"))
    files = [(path, swift_tests) for path in folder.rglob("*.swift")]
    files += [(path, python_tests) for path in folder.rglob("test_*.py")]
    for path, read in sorted(files):
        for names, sentence in read(path):
            for name in dict.fromkeys(names):
                if name in shown:
                    shown[name].setdefault(path.relative_to(folder.parent), []).append(sentence)
                else:
                    unknown.append(f"{path.relative_to(folder.parent)}: {name} is no rule")
    return shown, unknown


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("$", "\\$")


def write(rules, shown):
    count = sum(1 for _, _, reason in rules.values() if not reason)
    lines = [
        "# The rules of the graph, and the tests that show them",
        "",
        "Written by `make docs` from the names of the tests; do not edit. The numbers are those in the comments of",
        "[Sources/ReactiveGraph](../Sources/ReactiveGraph) and in the names of the tests. `make test` fails when this page is out of",
        "date, and when a rule has no test of its own: what a range of more than four rules names does not count here.",
        "",
        f"{len(rules)} rules; {count} have tests, {len(rules) - count} only describe. Beside these tests,",
        "[random histories](../Tests/ReactiveGraphTests/Reference) compare the engine with a model written from the rules, and",
        "[planted faults](../scripts/mutations.py) show that the tests notice.",
    ]
    section = None
    for name, (part, title, reason) in rules.items():
        if part != section:
            section = part
            lines += ["", f"## {section}", "", "| rule | is about | shown by |", "|---|---|---|"]
        if shown[name]:
            evidence = "<br>".join(
                f"[{path.stem}](../{path}): " + " · ".join(cell(sentence) for sentence in sentences)
                for path, sentences in shown[name].items()
            )
        else:
            evidence = f"*{reason}*" if reason else "**nothing**"
        lines.append(f"| {name} | {title} | {evidence} |")
    return "\n".join(lines) + "\n"


def main():
    rules = read_rules()
    shown, problems = gather(rules)
    problems += [
        f"{name} ({title}): no test names it" for name, (_, title, reason) in rules.items()
        if not shown[name] and not reason
    ]
    made = write(rules, shown)
    if "--check" not in sys.argv:
        page.write_text(made)
    elif not page.exists() or page.read_text() != made:
        problems.append("docs/rules.md is out of date, run `make docs`")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
