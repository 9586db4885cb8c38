#!/usr/bin/env python3
"""Counts the lines of each type over all files, its extensions and nested types included; fails above a limit.

A type of more than LIMIT lines has more than one subject. LARGER has those that still wait to be divided, each with a
ceiling: lower it after dividing one, never raise it. `type_sizes.py -v` lists the largest types.
"""

import collections
import pathlib
import re
import sys

LIMIT = 700
# Most of `Node`, `AnyNode` and `Graph` are the methods that apply an operator, beside its struct.
LARGER = {
    "ReactiveGraph/Node": 2900,
    "ReactiveGraph/Graph": 1900,
    "ReactiveGraph/AnyNode": 850,
}
root = pathlib.Path(__file__).resolve().parent.parent
start = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|internal|private|fileprivate|final|open|indirect|@unchecked) )*"
    r"(?:class|struct|enum|actor|protocol|extension) ([A-Za-z_][\w.]*)"
)
lines = collections.Counter()
files = collections.defaultdict(set)
for path in sorted((root / "Sources").rglob("*.swift")):
    module = path.relative_to(root / "Sources").parts[0]
    name = None
    for line in path.read_text().splitlines():
        if found := start.match(line):
            name = f"{module}/{found[1].split('.')[0]}"
        if name:
            lines[name] += 1
            files[name].add(path)
        # Declarations begin and end at the margin.
        if line.startswith("}") or found and line.endswith("}"):
            name = None

large = [(count, name) for name, count in lines.items() if count > LARGER.get(name, LIMIT)]
divided = [name for name in LARGER if lines[name] <= LIMIT]
if "-v" in sys.argv:
    for name, count in lines.most_common(15):
        print(f"{count:5} lines in {len(files[name]):2} files: {name}")
for count, name in sorted(large, reverse=True):
    print(f"{name}: {count} lines in {len(files[name])} files, at most {LARGER.get(name, LIMIT)}")
for name in divided:
    print(f"{name} has {lines[name]} lines: take it out of LARGER")
sys.exit(1 if large or divided else 0)
