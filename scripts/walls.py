#!/usr/bin/env python3
"""Checks the walls inside the targets: no folders that know each other in a circle, no more unsafe
code than before.

A folder knows another one of its target if it names a type that is declared there, outside comments
and strings. Names that a target declares twice, members (`.Name`) and names that a file declares
for itself do not count. The files of a target outside any folder are a folder, too, called ".".

scripts/walls.toml lists the folders that still stand in circles and counts what is unsafe in each
target. Both may only shrink: what is not listed fails, and so does what is listed and gone.

    scripts/walls.py [ROOT]           check
    scripts/walls.py --lower [ROOT]   write lower counts and shorter lists into the table; refuses higher ones
    scripts/walls.py --show TARGET    which folder of a target knows which, by which names
"""

import argparse
import collections
import pathlib
import re
import sys
import tomllib

# What the compiler cannot check, as columns of the table.
UNSAFE = {
    "Unsafe…": r"\b\w*Unsafe\w*",
    "unowned(unsafe)": r"\bunowned\(unsafe\)",
    "Unmanaged": r"\bUnmanaged\b",
    "@exclusivity(unchecked)": r"@exclusivity\(unchecked\)",
    "unsafe": r"(?<![(@.\w])unsafe\b(?!\s*:)",
}
aside = re.compile(r'//[^\n]*|/\*.*?\*/|#+".*?"#+|""".*?"""|"(?:\\.|[^"\\\n])*"', re.S)
word = r"(?:class|struct|enum|protocol|actor|typealias)\s+([A-Z]\w*)"
at_margin = re.compile(rf"^(?:@\w+(?:\([^)\n]*\))?\s+|[a-z]\w*(?:\(\w+\))?\s+)*{word}", re.M)
own_name = re.compile(rf"^ +[^\n=]*\b{word}|\bassociatedtype\s+(\w+)", re.M)
generic = re.compile(
    r"\b(?:(?:func|class|struct|enum|actor|protocol|typealias)\s+[^\s(<]+|init[?]?)\s*<([^(){}]*?)>"
)


class Target:
    """The sources of one target, without comments and strings."""

    def __init__(self, name, place, others):
        self.name = name
        self.text = {}
        for path in sorted(place.rglob("*.swift")):
            if not any(other in path.parents for other in others):
                folder = path.relative_to(place).parts[0] if path.parent != place else "."
                self.text[path] = folder, aside.sub('""', path.read_text())

    def uses(self):
        """For each folder the folders that it knows, each with the names and where they stand."""
        declared = {path: set(at_margin.findall(text)) for path, (_, text) in self.text.items()}
        seen = collections.Counter(name for names in declared.values() for name in names)
        home = {n: self.text[p][0] for p, names in declared.items() for n in names if seen[n] == 1}
        result = collections.defaultdict(lambda: collections.defaultdict(set))
        for path, (folder, text) in self.text.items():
            text = text.replace(f"{self.name}.", "")
            own = {name for names in own_name.findall(text) for name in names}
            own |= {part.removeprefix("each ").split(":")[0].strip() for list in generic.findall(text)
                    for part in re.split(r",\s*", list)}
            for name in set(re.findall(r"(?<![.\w])[A-Z]\w*", text)) - own:
                if home.get(name, folder) != folder:
                    result[folder][home[name]].add(f"{name} ({path.name})")
        return result

    def unsafe(self):
        return [sum(len(re.findall(p, text)) for _, text in self.text.values()) for p in UNSAFE.values()]


def circle(uses):
    """The folders from which a way leads back to them."""
    def reached(start):
        found, todo = set(), [start]
        while todo:
            new = set(uses.get(todo.pop(), ())) - found
            found |= new
            todo += new
        return found
    return sorted(folder for folder in uses if folder in reached(folder))


def targets(root):
    inner = {
        root / path: name
        for name, path in re.findall(
            r'arget\(\s*name: "(\w+)"(?:(?!arget\().)*?path: "(Sources/[^"]+)"',
            (root / "Package.swift").read_text(), re.S,
        )
    }
    outer = {path: path.name for path in (root / "Sources").iterdir() if path not in inner}
    found = [Target(name, path, set(inner) - {path}) for path, name in (outer | inner).items()]
    return sorted((target for target in found if target.text), key=lambda target: target.name)


def check(found, table):
    """The problems, one a line; and whether the table can be lowered to what is there."""
    circles, counts = table["cycles"], table["unsafe"]
    worse, better = [], []
    for target in found:
        uses, now, known = target.uses(), target.unsafe(), counts.get(target.name, [0] * len(UNSAFE))
        closed, listed = set(circle(uses)), set(circles.get(target.name, []))
        if closed - listed:
            worse.append(f"{target.name}: new in a circle of folders: {' '.join(sorted(closed - listed))}; "
                         f"scripts/walls.py --show {target.name} says by which names")
        if listed - closed:
            better.append(
                f"{target.name}: no longer in a circle of folders: {' '.join(sorted(listed - closed))}"
            )
        for kind, count, limit in zip(UNSAFE, now, known):
            if count != limit:
                (worse if count > limit else better).append(f"{target.name}: {kind} {limit} → {count} times")
    gone = (circles.keys() | counts.keys()) - {target.name for target in found}
    return worse, better + [f"{name}: no such target" for name in sorted(gone)]


def written(found):
    lines = [
        "# Checked by scripts/walls.py, which says what may stand here. Lists and counts may only shrink.",
        "", "# Folders of a target that still know each other in a circle; \".\" has what is in no folder.",
        "[cycles]",
    ]
    closed = {target.name: circle(target.uses()) for target in found}
    lines += [f"{name} = {folders}".replace("'", '"') for name, folders in closed.items() if folders]
    lines += ["", f"# {', '.join(UNSAFE)}", "[unsafe]"]
    lines += [f"{target.name} = {target.unsafe()}" for target in found if any(target.unsafe())]
    return "\n".join(lines) + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument(
        "root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent
    )
    arguments.add_argument("--lower", action="store_true")
    arguments.add_argument("--show", metavar="TARGET")
    given = arguments.parse_args()
    found = targets(given.root)
    if given.show:
        uses = next(target.uses() for target in found if target.name == given.show)
        for folder, known in sorted(uses.items()):
            for other, names in sorted(known.items()):
                print(f"{folder} → {other}: {', '.join(sorted(names))}")
        return 0
    table = given.root / "scripts/walls.toml"
    worse, better = check(found, tomllib.loads(table.read_text()))
    if given.lower and not worse:
        table.write_text(written(found))
        return 0
    for line in worse:
        print(line)
    for line in better:
        print(f"{line}: scripts/walls.py --lower takes it out of scripts/walls.toml")
    return 1 if worse or better else 0


if __name__ == "__main__":
    sys.exit(main())
