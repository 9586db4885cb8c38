"""Reads protobuf's text format as far as the published cases use it: no schema, every field a list
of values."""

import re

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+|\#[^\n]*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<number>-?\s*(?:0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?f?|inf(?:inity)?\b|nan\b))
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<extension>\[[A-Za-z0-9_./]+\])
  | (?P<symbol>[{}<>\[\]:;,])
    """,
    re.VERBOSE | re.IGNORECASE,
)

_ESCAPES = {"n": 10, "r": 13, "t": 9, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}


class Name(str):
    """An enum value or a bool, as opposed to a string."""


def parse(text: str) -> dict:
    """The message of a whole file: field name to the list of its values, messages as dictionaries."""
    tokens = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match:
            raise ValueError(f"unexpected text at {text[position:position + 40]!r}")
        if match.lastgroup != "blank":
            tokens.append((match.lastgroup, match.group()))
        position = match.end()
    message, rest = _message(tokens, 0, None)
    assert rest == len(tokens)
    return message


def _message(tokens: list, at: int, end: str | None) -> tuple[dict, int]:
    message: dict = {}
    while at < len(tokens) and tokens[at][1] != end:
        kind, name = tokens[at]
        if kind == "symbol" and name in ",;":
            at += 1
            continue
        at += 1
        if tokens[at][1] == ":":
            at += 1
        values, at = _values(tokens, at)
        message.setdefault(name, []).extend(values)
    return message, at


def _values(tokens: list, at: int) -> tuple[list, int]:
    if tokens[at][1] == "[":
        values = []
        at += 1
        while tokens[at][1] != "]":
            if tokens[at][1] == ",":
                at += 1
                continue
            value, at = _value(tokens, at)
            values.append(value)
        return values, at + 1
    value, at = _value(tokens, at)
    return [value], at


def _value(tokens: list, at: int):
    kind, text = tokens[at]
    if text in "{<" and kind == "symbol":
        message, at = _message(tokens, at + 1, "}" if text == "{" else ">")
        return message, at + 1
    if kind == "string":
        parts = []
        while at < len(tokens) and tokens[at][0] == "string":
            parts.append(_unquoted(tokens[at][1]))
            at += 1
        return b"".join(parts), at
    if kind == "number":
        return _number(text.replace(" ", "")), at + 1
    return Name(text), at + 1


def _number(text: str):
    lowered = text.lower()
    if "inf" in lowered or "nan" in lowered:
        return float(lowered.replace("infinity", "inf"))
    if lowered.lstrip("-").startswith("0x"):
        return int(lowered, 16)
    if any(mark in lowered for mark in ".ef"):
        return float(lowered.rstrip("f"))
    return int(lowered)


def _unquoted(text: str) -> bytes:
    result = bytearray()
    body = text[1:-1]
    at = 0
    while at < len(body):
        if body[at] != "\\":
            result += body[at].encode()
            at += 1
            continue
        letter = body[at + 1]
        if letter in _ESCAPES:
            result.append(_ESCAPES[letter])
            at += 2
        elif letter in "xX":
            digits = re.match(r"[0-9a-fA-F]{1,2}", body[at + 2:]).group()
            result.append(int(digits, 16))
            at += 2 + len(digits)
        elif letter in "uU":
            length = 4 if letter == "u" else 8
            result += chr(int(body[at + 2:at + 2 + length], 16)).encode("utf-8", "surrogatepass")
            at += 2 + length
        else:
            digits = re.match(r"[0-7]{1,3}", body[at + 1:]).group()
            result.append(int(digits, 8))
            at += 1 + len(digits)
    return bytes(result)
