#!/usr/bin/env python3
"""Lines of Python have at most 110 columns, except text of another language in a string of several lines."""

import ast
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 110


def documentation(tree):
    """The nodes of all doc strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node) is not None:
                yield node.body[0].value


def foreign(text):
    """The lines of strings of several lines, such as a page or a graph file."""
    tree = ast.parse(text)
    described = set(documentation(tree))
    lines = text.splitlines()
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)
        begins = lines[node.lineno - 1] if is_text and node not in described else ""
        if '"""' in begins or "'''" in begins:
            yield from range(node.lineno, node.end_lineno + 1)


def too_long(path):
    text = path.read_text()
    long = {number for number, line in enumerate(text.splitlines(), 1) if len(line) > WIDTH}
    return sorted(long - set(foreign(text))) if long else []


def main():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )
    paths = [ROOT / name for name in listed.stdout.split() if (ROOT / name).is_file()]
    problems = [
        f"{path.relative_to(ROOT)}:{line}: over {WIDTH} columns" for path in paths for line in too_long(path)
    ]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
