#!/usr/bin/env python3
"""Prints every error code with all messages of the sources to .build/docs; --check only says what is wrong.

Codes, statuses and retry flags come from the table in Sources/Support/ErrorTable.swift. A message
is a string literal of the sources with at least two words, in lower case, that is not a mistake of
the programmer (`precondition` and the like). Its code stands in the same statement, or is that of
its file (CODES). Messages without a code are those of the start, of commands, and of the log.
"""

import pathlib
import re
import sys

import fill
import pages

root = pathlib.Path(__file__).resolve().parent.parent

# The code of messages that name none, by the beginning of the file's path; the longest wins. None:
# not a message.
CODES = {
    "Sources/CEL/Syntax": "expr_syntax",
    "Sources/CEL/Checking": "expr_type",
    "Sources/CEL/Options/LiteralPatterns.swift": "pattern_limit",
    "Sources/CEL/": "node_failed",
    "Sources/Commits/": "start",
    "Sources/Commits/FacetChange.swift": "bad_field",
    "Sources/Definitions/": "bad_field",
    "Sources/Definitions/Catalogue/KnownTypes.swift": None,
    "Sources/Definitions/Checks/AllowedValues.swift": "type_mismatch",
    "Sources/Definitions/Checks/Check.swift": "type_mismatch",
    "Sources/Definitions/Checks/CheckBudget.swift": "type_mismatch",
    "Sources/Definitions/Checks/JSONSchema.swift": "type_mismatch",
    "Sources/Definitions/Definition/DefinitionSchema.swift": None,
    "Sources/Definitions/Definition/TieRows.swift": None,
    "Sources/Definitions/Operators/AllFigures.swift": "node_failed",
    "Sources/Definitions/Operators/SourceRows.swift": None,
    "Sources/Definitions/Operators/StageRows.swift": "node_failed",
    "Sources/Definitions/Stages/Evaluation.swift": "node_failed",
    "Sources/Engines/": "start",
    "Sources/EventLoop/": None,
    "Sources/Graphs/": "bad_field",
    "Sources/Graphs/Live/Submitting/Conditions.swift": "conflict",
    "Sources/Graphs/Live/Submitting/LogReports.swift": "start",
    "Sources/Graphs/Past/": "start",
    "Sources/Graphs/Restoring/": "start",
    "Sources/HTTP/": "bad_request",
    "Sources/Sessions/": "bad_field",
    "Sources/Sessions/Clients/Picture/Picture": None,
    "Sources/Sessions/Past/": "start",
    "Sources/Support/ErrorTable.swift": None,
    "Sources/Values/": "bad_field",
    "Sources/Values/JSON/JSONError.swift": "bad_json",
    "Sources/HTTP/Words/Status.swift": None,
    "Sources/HTTP/Parsing/SelfTest.swift": "start",
    "Sources/HTTP/WebSocket/": "close",
    "Sources/JOSE/": "unauthenticated",
    "Sources/MQTT/": "log",
    "Sources/Platform/": None,
    "Sources/ReactiveGraph": None,
    "Sources/SluiceClient/": None,
    "Sources/SluiceServer/": "start",
    "Sources/SluiceServer/Issuers/IssuedToken": "unauthenticated",
    "Sources/SluiceServer/Issuers/IssuerKeys.swift": "unauthenticated",
    "Sources/SluiceServer/Issuers/KeyFetch.swift": "log",
    "Sources/SluiceServer/API/": "bad_field",
    "Sources/SluiceServer/API/Operation+Need.swift": None,
    "Sources/SluiceServer/API/OpenAPI": None,
    "Sources/SluiceServer/API/Operation.swift": None,
    "Sources/SluiceServer/API/Routes.swift": None,
    "Sources/SluiceServer/API/Rows/": None,
    "Sources/SluiceServer/API/Refusal+HostError.swift": "too_large",
    "Sources/SluiceServer/Access/CORS.swift": None,
    "Sources/SluiceServer/API/Identification.swift": "unauthenticated",
    "Sources/SluiceServer/API/Admission.swift": "not_found",
    "Sources/SluiceServer/Connections/Refusal+Requests.swift": "not_found",
    "Sources/ServiceClient/": "command",
    "Sources/SluiceServer/Configuration/Key": None,
    "Sources/SluiceServer/Configuration/FixedLimits.swift": None,
    "Sources/SluiceServer/Configuration/ConfigurationDocuments.swift": None,
    "Sources/ServiceClient/Feed/": None,
    "Sources/SluiceServer/Server/Metrics.swift": None,
    "Sources/SluiceServer/API/Reference.swift": None,
    "Sources/SluiceServer/Sinks/Sinks+Metrics.swift": None,
    "Sources/SluiceServer/Sinks/Discovery.swift": None,
    "Sources/SluiceServer/Configuration/ContentPolicy.swift": None,
    "Sources/SluiceServer/YAML/": "bad_field",
    "Sources/Support/": "bad_field",
    "Sources/TLS/": "start",
    "Sources/Support/ByteBuffer.swift": None,
    "Sources/sluice/": "command",
    "Sources/CommandSupport/": "command",
    "Sources/Outbound/": "command",
}
SECTIONS = {
    "close": (
        "WebSocket close reasons",
        "The reason of a close frame whose code is one of RFC 6455, such as 1002 or 1007.",
    ),
    "start": (
        "Start, reload and store",
        "Printed by `sluice serve` and `sluice check` before the server starts, and by `sluice reload`.",
    ),
    "command": ("Commands", "Printed by the commands of `sluice`; the exit code is not 0."),
    "log": ("Log", "Entries of the server's log; each has further fields."),
}
# Messages of failed nodes in files whose other messages are about definitions.
FAILED = re.compile(
    r"needs (?:numbers|true or false)|^no node belongs|^too many values wait|^a value with key and value"
)
# Statements whose text is for programmers, or is no message.
NOT_MESSAGES = re.compile(
    r"(?:precondition|preconditionFailure|fatalError|assert|assertionFailure|abstract|help|discussion|name|"
    r"prompt)\s*:?\s*\(?[^\"]*$|"
    r"\b(?:help|discussion|abstract):\s*$"
)
# Arguments that are parts of a message, by what stands before them, and others by their text.
PARTS = re.compile(r"\b(?:of|needs|from|as):\s*$|\bread\(text, $|BIO_meth_new\([^\"]*$|HeaderOf\w*\($")
PART_TEXTS = re.compile(
    r"or more|known here:|and \{more\} more|of at least \{\w+\}|from \{\w+\} to \{\w+\}|a whole number|an "
    r"object|node '\{name\}'|true or false|"
    r"letters, digits and '_' only|for graph \{.*|no memory|the store|graph, rev, time, checksum|the "
    r"system's authorities|command line|at rev \{rev\}|"
    r"'\{symbol\}' or '\{…\}'|a quoted name|a field name|a value, a name or '\('|the end of the expression|"
    r"unchanged since \{rev\}|"
    r"the initial value \{complaint\}|only from rev .*|one of"
)
LOG = re.compile(r"\blog(?:ger)?\.(?:trace|debug|info|notice|warning|error|critical)\(\s*$")


def literals(text):
    """(start, end, text) of each string literal; interpolations become {name}."""
    position = 0
    while (begin := text.find('"', position)) >= 0:
        line = text[text.rfind("\n", 0, begin) + 1 : begin]
        if re.search(r"(?:^|\s)//", line):
            position = text.find("\n", begin)
            if position < 0:
                return
            continue
        raw = len(re.search(r"#*$", text[:begin])[0])
        quote = '"""' if text.startswith('"""', begin) else '"'
        closing, at, found = quote + "#" * raw, begin + len(quote), ""
        while at < len(text) and not text.startswith(closing, at):
            if text[at] == "\\" and text[at + 1 : at + 1 + raw] == "#" * raw:
                at += 1 + raw
                if text[at] == "(":
                    depth, first = 0, at + 1
                    while True:
                        if text[at] == '"':
                            at += 1
                            while text[at] != '"':
                                at += 2 if text[at] == "\\" else 1
                        depth += {"(": 1, ")": -1}.get(text[at], 0)
                        at += 1
                        if not depth:
                            break
                    inner = re.sub(r"^String\((?:\w+: )?", "", text[first : at - 1])
                    words = re.findall(r"\b[a-z]\w*", re.sub(r'"[^"]*"|\{.*|\(.*', "", inner))
                    found += "{" + (words[-1] if words else "…") + "}"
                    continue
                found += {"n": " ", "r": " ", "t": " "}.get(text[at], text[at])
                at += 1
            else:
                found += text[at]
                at += 1
        yield begin - raw, at + len(closing), re.sub(r"\s+", " ", found).strip(" ")
        position = at + len(closing)


def default_code(path):
    return CODES[max((prefix for prefix in CODES if path.startswith(prefix)), key=len)]


def is_message(text):
    plain = re.sub(r"\{[^}]*\}", "x", text)
    if len(re.findall(r"\b[A-Za-z']{2,}", plain)) < 2 or " " not in plain.strip():
        return False
    if re.match(
        r"[A-Z][\w-]*: |[A-Z]{3,}|[A-Z][a-z]+ .*\.$|[\[{<|,;(\x22]|# |--\\w+ NAME|HTTP/|.*GMT$", plain
    ) and not plain.startswith("Redis"):
        return False
    return not re.search(
        r"\b(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|redis\.call)\b|\$\{|default-src|-ancestors|charset=|=\{|"
        r": \[ \{$", plain,
    )


def wire_name(swift):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", swift).lower().replace("internal_error", "internal")


CALL = re.compile(
    r"\b(?:HostError|Refusal|Problem|StoreError|StartFailure|FileProblem|fault|conflict|wrongToken|"
    r"endConnection|finish)"
    r"\((?:\s*\.(\w+)|\s*\"(\w+)\"|)|\.fail\(\s*()\"(\w+)\""
)
# The codes of functions that make an error of one kind.
MAKERS = {
    "fault": "log", "conflict": "conflict", "wrongToken": "unauthenticated", "endConnection": "close",
    "finish": "close",
}


def code_of(text, begin, end, path):
    """The code of the call around the literal, or of the next call that uses the variable it is
    assigned to; else that of the file."""
    before, call = text[max(0, begin - 400) : begin], None
    for match in CALL.finditer(before):
        rest = re.sub(r'"(?:[^"\\\n]|\\.)*"', "", before[match.start() :])
        depth = lowest = 0
        for sign in rest[rest.index("(") :]:
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if depth == 0:
                break
        if depth > 0:
            call = match
    assigned = re.search(
        r"\b(message|sentence|size|found)\s*=\s*[^=\n]*$|\b(message|sentence)\s*=\s*\n(?:(?!\b(?:let|"
        r"return)\b|\}\n)[\s\S])*$", before,
    )
    if not call and assigned:
        call = re.search(
            r"(?:HostError|Refusal|StoreError)\((?:\s*\.(\w+)|\s*\"(\w+)\"|)", text[end : end + 400]
        )
    if not call or path.startswith("Sources/CEL"):
        return default_code(path)
    maker = MAKERS.get(call[0].split("(")[0])
    if maker:
        return maker
    if call[0].startswith(".fail"):
        return call[4] if call[4] in {row[0] for row in table()} else "node_failed"
    return wire_name(call[1]) if call[1] else call[2] or default_code(path)


def gather():
    found = {}
    for path in sorted((root / "Sources").rglob("*.swift")):
        name = str(path.relative_to(root))
        if default_code(name) is None:
            continue
        text, joined = path.read_text(), None
        for begin, end, message in literals(text):
            before = text[:begin]
            glued = joined and re.fullmatch(r"\s*\+\s*", text[joined[0] : begin])
            if glued:
                joined[1][-1] += " " + message if not joined[1][-1].endswith(" ") else message
                joined = (end, joined[1])
                continue
            if re.search(r"\+\s*$", before[-40:]) and not is_message(message):
                continue
            line = before[before.rfind("\n") + 1 :]
            if (
                NOT_MESSAGES.search(before[-120:].split("\n\n")[-1].splitlines()[-1] if before else "")
                or "MARK" in line
            ):
                continue
            if re.search(
                r"(?:precondition|fatalError|assert)\w*\((?:(?!\n\s*\}|\n\n)[\s\S])*$", before[-300:]
            ):
                continue
            if PARTS.search(before[-120:]) or PART_TEXTS.fullmatch(message):
                continue
            # What a key expects completes "'{name}' must be …".
            if name.endswith("/ConfigurationValue.swift") and not message.startswith("'"):
                continue
            if re.search(r"\bbecause:\s*$", before[-40:]):
                message = "{field}: " + message
            if not is_message(message) or name.endswith("/StageRows.swift") and not FAILED.search(message):
                continue
            code = "log" if LOG.search(before) else code_of(text, begin, end, name)
            if code == "bad_field" and FAILED.search(message):
                code = "node_failed"
            after = text[end : end + 40]
            if re.search(r"\bcode:\s*\.(\w+)", text[end : end + 60].split("\n\n")[0]) and "code:" in after:
                code = wire_name(re.search(r"\bcode:\s*\.(\w+)", text[end : end + 60])[1])
            is_hint = bool(
                re.search(
                    r"\bhint(?:: String\?)?\s*[:=]\s*(?:[^\n\"]*\?\s*)?(?:nil : )?$|hint\(\s*$", before[-90:]
                )
            )
            if is_hint and before[-200:].rfind("HostError(") >= 0 and code == default_code(name) and found:
                code = last
            last, entry = code, [message]
            found.setdefault(code, {}).setdefault(name, []).append((entry, is_hint))
            joined = (end, entry)
    return found


def table():
    """The rows of the error table, in order: (code, status, close, retry, sentence)."""
    text = (root / "Sources/Support/ErrorTable.swift").read_text()
    rows = []
    for body in re.findall(r"\brow\(\s*(\"(?:[^()]|\([^()]*\))*?)\s*\),?\n", text):
        parts = re.match(r'"(\w+)",\s*(\d+|nil),\s*(\d+|nil),', body)
        sentence = re.search(r'"((?:[^"\\]|\\.)*)"\s*$', body)[1]
        rows.append((parts[1], parts[2], parts[3], "retry: true" in body or "after: true" in body, sentence))
    return rows


def escaped(text):
    return text.replace('\\"', '"').replace("<", "&lt;").replace("*", "\\*")


def lines_of(entries):
    seen, lines = set(), []
    for name in sorted(entries):
        for (message,), is_hint in entries[name]:
            text = re.sub(r"`", "'", message)
            if (text, is_hint) in seen:
                continue
            seen.add((text, is_hint))
            lines.append(f"  - *{escaped(text)}*" if is_hint and lines else f"- {escaped(text)}")
    return lines


def write():
    found = gather()
    lines = [
        "# Every message",
        "",
        "`scripts/errors.py` (part of `make docs`) writes this page from the sources. It lists each",
        "error code with the messages that clients receive with it, as `detail` over HTTP and `msg` on a",
        "WebSocket. Programs should use the code only: messages may change. `{name}` stands for a value;",
        f"hints are in italics below their message. [The protocol]({pages.UP}/docs/protocol.md#errors) "
        "explains the codes.",
    ]
    for code, status, close, retry, sentence in table():
        facts = [f"HTTP {status}" if status != "nil" else "not over HTTP"]
        facts += [f"closes with {close}"] if close != "nil" else []
        facts.append("try again" if retry else "do not repeat unchanged")
        lines += ["", f"## {code}", "", f"{sentence} ({', '.join(facts)})", ""]
        lines += lines_of(found.pop(code, {})) or ["- no fixed message"]
    for key, (title, sentence) in SECTIONS.items():
        lines += ["", f"## {title}", "", sentence, ""] + lines_of(found.pop(key, {}))
    problems = [
        f"a message has the code {code}, which ErrorTable does not have: {entries}"
        for code, entries in found.items()
    ]
    return fill.fill(re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"), problems


def main():
    return pages.finish("errors", *write())


if __name__ == "__main__":
    sys.exit(main())
