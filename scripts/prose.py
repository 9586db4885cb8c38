#!/usr/bin/env python3
"""Checks what people read: marks of translated English, long lines, and references that lead nowhere.

- In documents and in the comments of FOLDERS: the words of MARKS, and lines over 100 columns.
  Tables, code, and lines that are mostly a link or code may be longer.
- In documents: links to files and headings that are not there.
- In documents and comments: paths below docs/, Swift files, pages and numbers of rules that are not there.
- In ARCHITECTURE.md and docs/decisions: names in code font that occur nowhere in the sources.
- Pages that the index of their folder does not name, and rules that are stated twice.

`prose.py FILE…` checks these files only. `scripts/fill.py` wraps long lines.
"""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100
# Folders whose comments are plain English already. Add one when it is clean.
FOLDERS = ["Sources", "Tests", "public", "Benchmarks", "Fuzzing", "config"]

# What to look for, and what to write instead.
MARKS = [
    (
        r"\b(?:wait|come|stand|follow|run|queue|goe|leave|go)s? behind\b|\bbehind (?:a|the|it|that|each|"
        r"its) (?:commit|set|answer|request|node|stage|head|poll|chain|delay|source|line|turn|debounce|"
        r"link|them)\b", "after, below, or left out",
    ),
    (r"\bwhoever\b|\bwhatever way\b", "name the actor: a client that"),
    (r"(?:^|[.;:!?] )Who (?!is (?:this|here))[a-z]+s?\b(?![^.]*\?)", "name the actor: a client that"),
    (r"\b(?:nobody|somebody|anybody)\b", "name the actor, or use the passive"),
    (
        r"\b(?:is|are|was|were|be) told\b(?! apart)|\btells? (?!apart)(?:it|them|us|who|of|what|that|the "
        r"client)\b", "receives, is notified, reports",
    ),
    (r"\b(?:is|are) heard\b|\bhears?\b|\bheard\b", "receives, is served"),
    (r"\bsuch an? one\b|\bsuch ones\b", "name the thing again"),
    (
        r"\b(?:that|which) (?:is|are) none\b|\bis no (?:number|object|node|list|path|escape|rule|JSON|text|"
        r"address)\b", "invalid, is not a …",
    ),
    (r"\bseldom\b", "rarely"),
    (r"\blest\b", "so that … not"),
    (r"\bshall\b", "must, will, should"),
    (r"\bbe it\b", "whether"),
    (r"\bas many as there (?:may|can) be\b", "at most"),
    (r"\blet(?:s|ting)? go of\b|\bis let go\b", "release"),
    (
        r"\bnotebook\b|\bburied\b|\boutlook\b|(?<![.\w])breach(?:es)?\b(?!:)",
        "registry, destroyed, view, violation",
    ),
    (
        r"\bcomes? to life\b|\bfor want of\b|\bin spite of\b|\bto that end\b|\bthereby\b|\bwherefore\b",
        "a plainer word",
    ),
    (r"\ba node more\b|\bonce more\b|\bno more than that\b", "another, again"),
]
MARKS = [
    (re.compile(pattern, re.I if pattern[0] != "(" or "Who" not in pattern else 0), hint)
    for pattern, hint in MARKS
]

problems = []


def listed(*patterns):
    found = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=root,
        capture_output=True, text=True, check=True,
    )
    return [line for line in found.stdout.splitlines() if (root / line).is_file()]


def report(path, line, text):
    problems.append(f"{path}:{line}: {text}")


# MARK: what is there

files = set(listed())
numbers = set(
    re.findall(
        r"^\*\*([A-Z]-\d+[a-z]?)\.\*\*", "\n".join((root / p).read_text() for p in listed("docs/rules/*.md")),
        re.M,
    )
)
numbers |= set(re.findall(r"^(W-\d+[a-z]?)\s", (root / "scripts/wire.txt").read_text(), re.M))


def anchor(heading):
    """The anchor that GitHub makes of a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


anchors = {}


def anchors_of(path):
    if path not in anchors:
        text = re.sub(r"^```.*?^```", "", (root / path).read_text(), flags=re.M | re.S)
        found = {anchor(heading) for heading in re.findall(r"^#+ +(.*)$", text, re.M)}
        anchors[path] = found | set(re.findall(r'id="([^"]+)"', text))
    return anchors[path]


# MARK: the checks

def marks(path, line, text):
    text = re.sub(r"``[^`]*``|`[^`]*`|\"[^\"]*\"|“[^”]*”|<[^>]*>", "", text)
    for pattern, hint in MARKS:
        for match in pattern.finditer(text):
            report(path, line, f"'{match[0].strip()}': {hint}")


def names(path, line, text):
    """Swift and Python files, and symbols in double backticks, that comments name."""
    for name in re.findall(r"(?<![\w*/])[A-Z]\w+(?:\+\w+)?\.swift\b|(?<![\w*/.])[a-z]\w+\.py\b", text):
        if not any(file == name or file.endswith("/" + name) for file in files):
            report(path, line, f"there is no {name}")
    for symbol in re.findall(r"``([A-Za-z_]\w*)", text):
        if symbol not in known_words():
            report(path, line, f"nothing in the sources is called {symbol}")


def citations(path, line, text):
    """Paths below docs/ and numbers of rules."""
    for name in re.findall(r"\bdocs/[\w./-]+\.(?:md|json)\b", text):
        if name not in files:
            report(path, line, f"there is no {name}")
    for number in re.findall(r"\b[GOFKLDISW]-\d+[a-z]?\b", text):
        if number not in numbers:
            report(path, line, f"no page of docs/rules or scripts/wire.txt has {number}")
    for name in re.findall(r"\b[\w-]+\.md\b", text):
        if not any(file == name or file.endswith("/" + name) for file in files):
            report(path, line, f"there is no {name}")


def links(path, line, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, place = target.partition("#")
        whole = path if not name else str(((root / path).parent / name).resolve().relative_to(root))
        if whole not in files and not (root / whole).is_dir():
            report(path, line, f"the link {target} leads nowhere")
        elif place and whole.endswith(".md") and place not in anchors_of(whole):
            report(path, line, f"{whole} has no heading #{place}")


def is_prose(line, comment):
    """Whether a line is a comment of words that could be wrapped."""
    words = re.sub(r"`[^`]*`", "", comment)
    return (
        bool(re.match(r"\s*(?://|/?\*|#)", line))
        and len(words) > WIDTH // 2
        and not re.match(r"\||     ?\S", comment)
    )


def document(path):
    inside, generated = None, False
    for line, text in enumerate((root / path).read_text().splitlines(), 1):
        fence = re.match(r"\s*(```|~~~)", text)
        if fence:
            inside = None if inside else fence[1]
            continue
        if inside:
            continue
        links(path, line, text)
        if re.match(r"<!-- [\w-]+: generated", text):
            generated = True
        if not generated:
            citations(path, line, text)
            marks(path, line, text)
            # A long link or piece of code cannot be wrapped.
            prose = re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)", "", text)
            if len(text) > WIDTH and len(prose) > WIDTH // 2 and not re.match(r"\s*\||    ", text):
                report(path, line, f"{len(text)} columns; prose has at most {WIDTH}")
        if re.match(r"<!-- /", text):
            generated = False


def comments(path):
    """(line, text) of the comments of a Swift, JavaScript, Python or YAML file."""
    slashes = path.endswith((".swift", ".js", ".mjs", ".ts"))
    sign = r"(?:^|\s)///?(?!/)\s?(.*)$" if slashes else r"(?:^|\s)#(?!!)\s?(.*)$"
    in_block = False
    for line, text in enumerate((root / path).read_text().splitlines(), 1):
        if slashes and (in_block or re.match(r"\s*/\*", text)):
            in_block = "*/" not in text
            yield line, re.sub(r"^\s*/?\*+/?\s?|\s*\*/.*$", "", text)
            continue
        match = re.search(
            sign,
            re.sub(r'"(?:[^"\\]|\\.)*"', '""', text) if not text.lstrip().startswith(("//", "#")) else text,
        )
        if match and "http" not in text[: match.start()]:
            yield line, match[1]


words = None


def known_words():
    """All words of the sources, without those that only comments have."""
    global words
    if words is None:
        texts = [
            (root / p).read_text(errors="replace")
            for p in files
            if re.search(r"\.(swift|js|py|ya?ml|txt|sh)$", p)
        ]
        code = [
            line
            for text in texts
            for line in text.splitlines()
            if not re.match(r"\s*(?://|#(?!if|expect|require))", line)
        ]
        words = set(re.findall(r"\w+", "\n".join([*code, *files])))
    return words


def identifiers(path):
    """Names in code font of a page about the sources."""
    words = known_words()
    for line, text in enumerate((root / path).read_text().splitlines(), 1):
        for code in re.findall(r"`([^`]+)`", text):
            for word in re.findall(r"\b[A-Z][a-z]+[A-Za-z]*\b|\b[a-z]+[A-Z]\w+\b", code):
                if word not in words:
                    report(path, line, f"nothing in the sources is called {word}")


def index():
    """Every page of docs, docs/decisions and docs/rules is in the README of its folder; every rule
    is stated once."""
    for folder in ("docs", "docs/decisions", "docs/rules"):
        text = (root / folder / "README.md").read_text()
        for path in (root / folder).glob("*.md"):
            if path.name != "README.md" and f"]({path.name}" not in text:
                report(f"{folder}/README.md", 1, f"does not name {path.name}")
    stated = re.findall(
        r"^\*\*([A-Z]-\d+[a-z]?)\.\*\*", "\n".join((root / p).read_text() for p in listed("docs/rules/*.md")),
        re.M,
    )
    for number in sorted({number for number in stated if stated.count(number) > 1}):
        report("docs/rules", 1, f"{number} is stated twice")


def main():
    given = [str(pathlib.Path(name).resolve().relative_to(root)) for name in sys.argv[1:]]
    documents = [p for p in listed("*.md") if not p.startswith("Benchmarks/results/")]
    for path in given or documents:
        if path.endswith(".md"):
            document(path)
            if path == "ARCHITECTURE.md" or path.startswith("docs/decisions/"):
                identifiers(path)
    if not given:
        index()
    sources = [
        p for p in files if re.search(r"\.(swift|js|mjs|ts|py|ya?ml)$", p) and not (root / p).is_symlink()
    ]
    for path in sorted(given or sources):
        if path.endswith(".md"):
            continue
        clean = bool(given) or path.startswith(tuple(f"{folder}/" for folder in FOLDERS))
        lines, in_code = (root / path).read_text().splitlines(), False
        for line, text in comments(path):
            in_code ^= text.startswith("```")
            # What an example prints is no comment.
            if clean and not text.startswith("prints "):
                marks(path, line, text)
                if (
                    not in_code
                    and len(lines[line - 1]) > WIDTH
                    and is_prose(lines[line - 1], text)
                    and not path.endswith("ml")
                ):
                    report(path, line, f"{len(lines[line - 1])} columns; comments have at most {WIDTH}")
            if clean and path.startswith(("Sources/", "config/", "Tests/", "public/")):
                citations(path, line, text)
                names(path, line, text)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
