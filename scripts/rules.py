#!/usr/bin/env python3
"""Prints every rule of the graph with the tests that name it to .build/docs; --check only says what is wrong.

A test shows the rules whose numbers stand in its display name, or in that of its suite: `G-5`,
`G-5, F-7` or a range `G-5 … G-8`. A range of more than four rules shows none of them. Python tests
name rules in their doc strings, those of client.js in their titles. A rule without a test, or
without a reason in scripts/rules.txt why there can be none, is an error; so is a number without a
rule. SLUICE_TESTS names another folder of tests.

docs/rules/*.md state each rule in full; the table links to them. A rule that no page states is an error, too.

Tests of the library and tests through the server stand in columns of their own. A rule that users
of the server rely on (SERVED) needs one through the server, or a reason in scripts/rules.txt why
the server has nothing to show.
"""

import ast
import os
import pathlib
import re
import sys

import pages

root = pathlib.Path(__file__).resolve().parent.parent
LONGEST_RANGE = 4
SERVER = ("DefinitionsTests", "SessionsTests", "SluiceServerTests", "EndToEnd")
# Sections whose rules users of the server rely on.
SERVED = (
    "Operators", "Owners of subscriptions", "Families", "Kept chains", "Facets", "Demand", "Sources",
    "The language of graphs", "Looking",
)

number = r"[GOFKLDISX]-\d+[a-z]?"
range_or_number = re.compile(rf"\b({number})(?:\s*(?:…|\.\.\.?|–|\bto\b)\s*({number}))?")
declaration = re.compile(
    r"""(?:@Suite\(\s*"(?P<suite>(?:[^"\\]|\\.)*)"[^\n]*\)\s*)?"""
    r"""^(?:(?:@\w+|public|package|internal|private|fileprivate|final)\s+)*(?:struct|class|enum|actor|extension)\s+(?P<type>\w+)"""
    r"""|@Test\(\s*"(?P<test>(?:[^"\\]|\\.)*)\"""",
    re.M,
)


def read_rules():
    """The table: number → (section, title, reason for no test, reason for none through the server),
    in order."""
    rules, section = {}, ""
    for line in (root / "scripts/rules.txt").read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif re.match(number, line):
            name, rest = line.split(None, 1)
            rest, _, beyond = (part.strip() for part in rest.partition(":server:"))
            title, _, reason = (part.strip() for part in rest.partition("::"))
            rules[name] = (section, title, reason or None, reason or beyond or None)
    return rules


def stated():
    """number → the place of its sentences."""
    return {
        name: f"{pages.UP}/docs/rules/{path.name}#{name.lower()}"
        for path in sorted((root / "docs/rules").glob("*.md"))
        for name in re.findall(r'^\*\*([A-Z]-\d+[a-z]?)\.\*\*', path.read_text(), re.M)
    }


def named(text):
    """The rules that a name shows, in the order they stand."""
    found = []
    for first, last in range_or_number.findall(text):
        if not last:
            found.append(first)
            continue
        low, high = (int(re.sub(r"\D", "", end)) for end in (first, last))
        if high - low < LONGEST_RANGE:
            found += [first, *(f"{first[0]}-{n}" for n in range(low + 1, high)), last]
    return found


def without_rules(text):
    """A test's name as a sentence: the numbers stand in another column."""
    text = re.sub(rf"\s*\([^()]*{number}[^()]*\)$", "", text)
    return re.sub(rf"^(?:{number}(?:, | … | to )?)+:?\s+", "", text)


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


def script_tests(path):
    """(rules, sentence) of each test of client.js or the page in a file."""
    for match in re.finditer(r'^test\("((?:[^"\\]|\\.)*)"', path.read_text(), re.M):
        yield named(match[1]), without_rules(match[1].replace('\\"', '"'))


def gather(rules):
    """number → {file: [sentences]}, and the numbers that are no rules."""
    shown = {name: {} for name in rules}
    unknown = []
    folder = pathlib.Path(os.environ.get("SLUICE_TESTS", root / "Tests"))
    files = [(path, swift_tests) for path in folder.rglob("*.swift")]
    files += [(path, python_tests) for path in folder.rglob("test_*.py")]
    files += [(path, script_tests) for path in folder.rglob("*.test.mjs")]
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


def evidence(tests, reason):
    """The cell of these tests, or of the reason why there is none."""
    if not tests:
        return f"*{reason}*" if reason else ""
    return "<br>".join(
        f"[{path.stem}]({pages.UP}/{path}): " + " · ".join(cell(sentence) for sentence in sentences)
        for path, sentences in tests.items()
    )


def split(tests):
    """The tests of the library, and those through the server."""
    through = {path: sentences for path, sentences in tests.items() if path.parts[1] in SERVER}
    return {path: sentences for path, sentences in tests.items() if path not in through}, through


def write(rules, shown, places):
    count = sum(1 for _, _, reason, _ in rules.values() if not reason)
    lines = [
        "# The rules, and the tests that show them",
        "",
        "`make docs` writes this page from the names of the tests. Each number links to the rule in full",
        f"([docs/rules]({pages.UP}/docs/rules/README.md)). `make lint` fails when a rule has no test of "
        "its own,",
        "and when a rule that users of the server rely on (operators, owners of subscriptions, families,",
        "kept chains, facets, demand, looking) has none through the server. A test named after a range of",
        "more than four rules does not count here.",
        "",
        f"{len(rules)} rules; {count} have tests, {len(rules) - count} only describe. Besides these tests, "
        "random",
        f"histories compare [the engine]({pages.UP}/Tests/ReactiveGraphTests/Reference) and",
        f"[the host]({pages.UP}/Tests/SessionsTests/Histories) with models written from the rules, and",
        f"[planted faults]({pages.UP}/scripts/mutations.py) show that the tests notice mistakes.",
    ]
    section = None
    for name, (part, title, reason, beyond) in rules.items():
        if part != section:
            section = part
            header = "| rule | is about | in the library | through the server |"
            lines += ["", f"## {section}", "", header, "|---|---|---|---|"]
        library, server = split(shown[name])
        beyond = beyond if part in SERVED and not reason else None
        number = f"[{name}]({places[name]})" if name in places else name
        lines.append(f"| {number} | {title} | {evidence(library, reason)} | {evidence(server, beyond)} |")
    return "\n".join(lines) + "\n"


def main():
    rules = read_rules()
    shown, problems = gather(rules)
    problems += [
        f"{name} ({title}): no test names it" for name, (_, title, reason, _) in rules.items()
        if not shown[name] and not reason
    ]
    for name, (section, title, _, reason) in rules.items():
        if section not in SERVED or bool(split(shown[name])[1]) != bool(reason):
            continue
        if reason:
            problems.append(
                f"{name} ({title}): a test shows it through the server, in spite of the reason why none can"
            )
        else:
            problems.append(f"{name} ({title}): no test shows it through the server")
    places = stated()
    problems += [
        f"{name} ({title}): no page of docs/rules states it"
        for name, (_, title, _, _) in rules.items()
        if name not in places
    ]
    return pages.finish("rules", write(rules, shown, places), problems)


if __name__ == "__main__":
    sys.exit(main())
