#!/usr/bin/env python3
"""Counts the lines of each type over all files, its extensions and nested types included; fails
above a limit.

A type of more than LIMIT lines has more than one subject. `type_sizes.py -v` lists the largest types.

An operator's file has its struct and the method of `Node` that applies it, or of `Graph` where it
has no source. That method is about the operator, so it counts to the operator, and not to the node.
"""

import collections
import pathlib
import re
import sys

LIMIT = 700
root = pathlib.Path(__file__).resolve().parent.parent
start = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|internal|private|fileprivate|final|open|indirect|"
    r"@unchecked) )*"
    r"(class|struct|enum|actor|protocol|extension) ([A-Za-z_][\w.]*)"
)
lines = collections.Counter()
files = collections.defaultdict(set)
for path in sorted((root / "Sources").rglob("*.swift")):
    module = path.relative_to(root / "Sources").parts[0]
    name = None
    for line in path.read_text().splitlines():
        if found := start.match(line):
            name = found[2].split(".")[0]
            if path.parent.name == "Operators" and found[1] == "extension" and name in ("Node", "Graph"):
                name = path.stem
            name = f"{module}/{name}"
        if name:
            lines[name] += 1
            files[name].add(path)
        # Declarations begin and end at the margin.
        if line.startswith("}") or found and line.endswith("}"):
            name = None

if "-v" in sys.argv:
    for name, count in lines.most_common(15):
        print(f"{count:5} lines in {len(files[name]):2} files: {name}")
large = [(count, name) for name, count in lines.items() if count > LIMIT]
for count, name in sorted(large, reverse=True):
    print(f"{name}: {count} lines in {len(files[name])} files, at most {LIMIT}")
sys.exit(1 if large else 0)
