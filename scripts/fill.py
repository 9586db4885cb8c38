#!/usr/bin/env python3
"""Wraps the prose of Markdown documents, and comments of Swift, JavaScript and Python, at 100 columns.

`fill.py FILE…` wraps only these, else all that scripts/prose.py checks. A paragraph or list item is
wrapped again only if one of its lines is too long. Tables, code, headings and HTML stay as they
are, and pieces of code and links are not broken.
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
        text, WIDTH, initial_indent=space + bullet, subsequent_indent=space + " " * len(bullet),
        break_long_words=False,
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


def comment(lines, sign):
    """The lines of one comment without its signs, wrapped where one is too long."""
    result, paragraph, in_code = [], [], False
    limit = WIDTH - len(sign) - 1

    def end():
        if any(len(line) > limit for line in paragraph):
            space, bullet = re.match(r"( *)((?:[-*] |\d+\. )?)", paragraph[0]).groups()
            text = unbroken.sub(
                lambda match: match[0].replace(" ", "\0"),
                " ".join(line.strip() for line in paragraph)[len(bullet) :],
            )
            paragraph[:] = textwrap.wrap(
                text, limit, initial_indent=space + bullet, subsequent_indent=space + " " * len(bullet),
                break_long_words=False, break_on_hyphens=False,
            )
        result.extend(line.replace("\0", " ") for line in paragraph)
        paragraph.clear()

    for line in lines:
        if in_code or re.match(r"```|\||MARK:|swift-tools-version|\s*$| {4}", line):
            end()
            result.append(line)
            in_code ^= line.startswith("```")
        else:
            if re.match(r" *(?:[-*] |\d+\. )", line):
                end()
            paragraph.append(line)
    end()
    return [f"{sign} {line}".rstrip() for line in result]


def fill_comments(text, pattern):
    result, block, former = [], [], None
    for line in [*text.split("\n"), None]:
        match = re.fullmatch(rf"(\s*{pattern})(?: (.*)|)", line) if line is not None else None
        if match is None or match[1] != former:
            result += comment(block, former) if block else []
            block, former = [], None
        if match:
            block.append(match[2] or "")
            former = match[1]
        elif line is not None:
            single = re.fullmatch(r"(\s*)/\*\* (.*) \*/", line)
            if single and len(line) > WIDTH and pattern == "//":
                space = single[1]
                result += [f"{space}/**", *comment([single[2]], f"{space} *"), f"{space} */"]
            else:
                result.append(line)
    return "\n".join(result)


SIGNS = {".swift": "//[/!]?", ".js": "//", ".mjs": "//", ".ts": "//", ".py": "#"}


def main():
    patterns = ["*.md", *(f"*{ending}" for ending in SIGNS)]
    listed = subprocess.run(
        ["git", "ls-files", *patterns], cwd=root, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    documents = [root / name for name in listed if name and not name.startswith("Benchmarks/results/")]
    for path in [pathlib.Path(name) for name in sys.argv[1:]] or documents:
        if path.is_symlink() or not path.is_file():
            continue
        text = path.read_text()
        made = fill(text) if path.suffix == ".md" else fill_comments(text, SIGNS[path.suffix])
        if made != text:
            path.write_text(made)
            print(f"wrapped: {path}")


if __name__ == "__main__":
    main()
