#!/usr/bin/env python3
"""Writes the generated sections of README.md and docs/ anew; with --check only says which are out of date.

A section stands between `<!-- NAME: … -->` and `<!-- /NAME -->`; `sluice docs NAME` prints it.
"""

import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sluice = os.environ.get("SLUICE_BINARY", root / ".build/debug/sluice")
stale = []
for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    text = path.read_text()

    def section(match):
        made = subprocess.run([sluice, "docs", match[2]], check=True, capture_output=True, text=True).stdout
        return f"{match[1]}{made}{match[3]}"

    made = re.sub(r"(<!-- (\w+): [^\n]*-->\n).*?(<!-- /\2 -->)", section, text, flags=re.S)
    if made != text:
        stale.append(str(path.relative_to(root)))
        if "--check" not in sys.argv:
            path.write_text(made)
if stale:
    print(("out of date, run `make docs`: " if "--check" in sys.argv else "written: ") + ", ".join(stale))
sys.exit(1 if stale and "--check" in sys.argv else 0)
