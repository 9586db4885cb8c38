#!/usr/bin/env python3
"""Copies the examples of Tests/ReactiveGraphTests/Examples into the documentation; with --check
only says what is wrong.

The test `func NAME()` there runs the example NAME and compares what it prints with its comments. A
Swift block after the line `<!-- example: NAME -->` is that example. Every other Swift block about
the library, in an article, a comment or the README, must be a run of lines of some example: what a
reader can copy compiles and does what it says.
"""

import pathlib
import re
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parent.parent
libraries = [
    root / "Sources" / name for name in ("ReactiveGraph", "ReactiveGraphBinding", "ReactiveGraphDispatch")
]
problems = []

test = re.compile(
    r"^    func (\w+)\(\)(?: async)? throws \{\n(.*?)^        try check\(\)\n    \}", re.S | re.M
)
examples = {}
for path in sorted((root / "Tests/ReactiveGraphTests/Examples").glob("*.swift")):
    for name, body in test.findall(path.read_text()):
        if name in examples:
            problems.append(f"{path.relative_to(root)}: there are two examples {name}")
        examples[name] = textwrap.dedent(body)


def lines(code):
    """What counts in a comparison: no indentation, no blank lines, no import."""
    stripped = [" ".join(line.split()) for line in code.splitlines()]
    return [line for line in stripped if line and not line.startswith("import ReactiveGraph")]


known = [lines(code) for code in examples.values()]


def is_part_of_an_example(code):
    wanted = lines(code)
    return any(
        whole[start : start + len(wanted)] == wanted
        for whole in known
        for start in range(len(whole) - len(wanted) + 1)
    )


shown = set()
stale = []
articles = [root / "README.md", *(path for library in libraries for path in sorted(library.rglob("*.md")))]
sources = [path for library in libraries for path in sorted(library.rglob("*.swift"))]
for path in articles:
    text = path.read_text()

    def block(match):
        if match[1] not in examples:
            problems.append(f"{path.relative_to(root)}: there is no example {match[1]}")
            return match[0]
        shown.add(match[1])
        return f"<!-- example: {match[1]} -->\n```swift\n{examples[match[1]]}```\n"

    made = re.sub(r"<!-- example: (\w+) -->\n(?:```swift\n.*?^```\n)?", block, text, flags=re.S | re.M)
    if made != text:
        stale.append(str(path.relative_to(root)))
        if "--check" not in sys.argv:
            path.write_text(made)

for path in articles + sources:
    text = path.read_text()
    if path.suffix == ".swift":
        text = "".join(re.findall(r"^ *///(?: (.*\n)|\n)", text, flags=re.M))
    for code in re.findall(r"^```swift\n(.*?)^```", text, flags=re.S | re.M):
        if not is_part_of_an_example(code) and str(path.relative_to(root)) not in stale:
            problems.append(f"{path.relative_to(root)}: part of no example:\n{textwrap.indent(code, '    ')}")

for name in sorted(examples.keys() - shown):
    problems.append(f"example {name} is shown nowhere")
if stale:
    print(("out of date, run `make docs`: " if "--check" in sys.argv else "written: ") + ", ".join(stale))
for problem in problems:
    print(problem)
sys.exit(1 if problems or (stale and "--check" in sys.argv) else 0)
