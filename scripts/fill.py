#!/usr/bin/env python3
"""Wraps the prose of Markdown documents at 100 columns; `fill.py FILE…` only these, else all that scripts/prose.py checks.

A paragraph or list item is wrapped anew only if one of its lines is too long. Tables, code, headings and HTML stay as they are,
and pieces of code and links are not broken.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100
fence = re.compile(r"\s*(```|~~~)")
fixed = re.compile(r"\||#|<[!/a-z]|@|\}|    |$")
item = re.compile(r"(\s*)([-*] |\d+\. )?")
unbroken = re.compile(r"`[^`]*`|\[[^\]]*\]\([^)]*\)")


def wrapped(lines):
    """One paragraph or list item."""
    if all(len(line) <= WIDTH for line in lines):
        return lines
    space, bullet = item.match(lines[0]).groups(default="")
    text = " ".join(line.strip() for line in lines)[len(bullet):]
    text = unbroken.sub(lambda match: match[0].replace(" ", "\0"), text)
    filled = textwrap.wrap(
        text, WIDTH, initial_indent=space + bullet, subsequent_indent=space + " " * len(bullet), break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in filled]


def fill(text):
    result, paragraph, in_code = [], [], False
    for line in [*text.split("\n"), ""]:
        starts = item.match(line)[2] or fixed.match(line) or fence.match(line)
        if paragraph and (in_code or starts):
            result += wrapped(paragraph)
            paragraph = []
        if fence.match(line):
            in_code = not in_code
        if in_code or fence.match(line) or (fixed.match(line) and not item.match(line)[2]):
            result.append(line)
        else:
            paragraph.append(line)
    return "\n".join(result[:-1])


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    documents = [root / name for name in listed if name and not name.startswith("Benchmarks/results/")]
    for path in [pathlib.Path(name) for name in sys.argv[1:]] or documents:
        text = path.read_text()
        if (made := fill(text)) != text:
            path.write_text(made)
            print(f"wrapped: {path}")


if __name__ == "__main__":
    main()
