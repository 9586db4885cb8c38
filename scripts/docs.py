#!/usr/bin/env python3
"""Writes the generated sections of README.md and docs/; with --check only says which are out of date.

A section stands between `<!-- NAME: … -->` and `<!-- /NAME -->`; `sluice-dev docs NAME` prints it.
Whole files are what a command prints.
"""

import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sluice = pathlib.Path(os.environ.get("SLUICE_BINARY", root / ".build/debug/sluice"))
stale = []


def printed(*arguments):
    program = sluice.with_name("sluice-dev") if arguments[0] == "docs" else sluice
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


FILES = {
    root / "docs/schema/graph.schema.json": ["schema"],
    root / "docs/schema/sluice.schema.json": ["docs", "schema"],
    root / "config/sluice.yaml": ["docs", "configuration"],
}


def anew(path):
    if path in FILES:
        return printed(*FILES[path])
    return re.sub(
        r"(<!-- (\w+): [^\n]*-->\n).*?(<!-- /\2 -->)",
        lambda match: f"{match[1]}{printed('docs', match[2])}{match[3]}",
        path.read_text(),
        flags=re.S,
    )


for path in [root / "README.md", *sorted((root / "docs").glob("*.md")), *FILES]:
    made = anew(path)
    if made != path.read_text():
        stale.append(str(path.relative_to(root)))
        if "--check" not in sys.argv:
            path.write_text(made)
if stale:
    print(("out of date, run `make docs`: " if "--check" in sys.argv else "written: ") + ", ".join(stale))
sys.exit(1 if stale and "--check" in sys.argv else 0)
