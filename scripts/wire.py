#!/usr/bin/env python3
"""Prints what the wire protocol says with the tests that show it to .build/docs; --check only says
what is wrong.

scripts/wire.txt has the sentences and names tests as FILE.test; Python tests may also name numbers
in their doc strings (`W-12`). A sentence without a test, or without a reason why there can be none,
is an error; so is a test that is not there, and a number that is no sentence. SLUICE_TESTS names
another folder of tests.
"""

import ast
import os
import pathlib
import re
import sys

import pages

root = pathlib.Path(__file__).resolve().parent.parent
tests = pathlib.Path(os.environ.get("SLUICE_TESTS", root / "Tests"))


def read_sentences():
    """number → (section, sentence, [names of tests], reason or None), in order."""
    sentences, section = {}, ""
    for line in (root / "scripts/wire.txt").read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("W-"):
            number, rest = line.split(None, 1)
            rest, _, named = rest.partition(" :: ")
            sentence, _, reason = rest.partition(" ! ")
            if number in sentences:
                sys.exit(f"scripts/wire.txt: there are two sentences {number}")
            sentences[number] = (
                section, sentence.strip(), [name.strip() for name in named.split(",") if name.strip()],
                reason.strip() or None,
            )
    return sentences


def read_tests():
    """FILE.test → path; and number → [FILE.test] of what doc strings name."""
    places, shown = {}, {}
    for path in sorted(tests.rglob("*.swift")):
        # A test is a function after @Test; its suite is the file's, whose name it bears.
        for match in re.finditer(r"@Test\b(?:(?!\bfunc\b).)*?\bfunc (\w+)\(", path.read_text(), re.S):
            places[f"{path.stem}.{match[1]}"] = path
        for suite, body in re.findall(
            r"\b(?:struct|class|enum|extension) (\w+Tests)\b(.*?)(?=^\}|\Z)", path.read_text(), re.S | re.M
        ):
            for match in re.finditer(r"@Test\b(?:(?!\bfunc\b).)*?\bfunc (\w+)\(", body, re.S):
                places[f"{suite}.{match[1]}"] = path
    for path in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                places[f"{path.stem}.{node.name}"] = path
                for number in re.findall(r"\bW-\d+\b", ast.get_docstring(node) or ""):
                    shown.setdefault(number, []).append(f"{path.stem}.{node.name}")
    return places, shown


def words(name):
    return name.split(".", 1)[1].removeprefix("test_").replace("_", " ")


def main():
    sentences = read_sentences()
    places, shown = read_tests()
    problems = [
        f"{number} is no sentence: {', '.join(names)}"
        for number, names in shown.items()
        if number not in sentences
    ]
    lines = [
        "# What the wire protocol says, and the tests that show it", "",
        f"`make docs` writes this page from [scripts/wire.txt]({pages.UP}/scripts/wire.txt) and the doc "
        "strings",
        "of tests. `make lint` fails when a sentence has no test, and when a test it names is gone.",
        f"[protocol.md]({pages.UP}/docs/protocol.md) explains the messages.",
    ]
    section = None
    for number, (part, sentence, named, reason) in sentences.items():
        if part != section:
            section = part
            lines += ["", f"## {section}", "", "| | says | shown by |", "|---|---|---|"]
        names = list(dict.fromkeys(named + shown.get(number, [])))
        problems += [f"{number}: there is no test {name}" for name in names if name not in places]
        if not names and not reason:
            problems.append(f"{number} ({sentence}): nothing shows it")
        evidence = "<br>".join(
            f"[{name.split('.')[0]}]({pages.UP}/{places[name].relative_to(tests.parent)}): {words(name)}"
            for name in names
            if name in places
        )
        escaped = sentence.replace("|", "\\|")
        lines.append(f'| <a id="{number.lower()}"></a>{number} | {escaped} | {evidence or f"*{reason}*"} |')
    return pages.finish("wire", "\n".join(lines) + "\n", problems)


if __name__ == "__main__":
    sys.exit(main())
