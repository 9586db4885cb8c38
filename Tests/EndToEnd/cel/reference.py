"""Random programs through `sluice-dev eval --strict` and through the reference runtime (PyPI:
cel-expr-python).

    reference.py SLUICE SEED COUNT

Prints every difference that is not among the known ones (docs/expressions.md) and exits with 1 when
there are any.
"""

import base64
import datetime
import json
import math
import subprocess
import sys

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_encoders, ext_math, ext_optional, ext_strings

import programs

EXTENSIONS = [
    ext_strings.ExtStrings(),
    ext_math.ExtMath(),
    ext_bindings.ExtBindings(),
    ext_optional.ExtOptional(),
    ext_encoders.ExtEncoders(),
]
# Two more that the binding has no class for, by their names.
CONFIGURATION = cel.NewEnvConfigFromYaml(
    "name: random\nextensions:\n"
    "- name: lists\n  version: latest\n- name: two-var-comprehensions\n  version: latest\n"
)
ENVIRONMENT = cel.NewEnv(config=CONFIGURATION, variables={}, extensions=EXTENSIONS)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
TYPES = {
    "NULL": "null_type", "TIMESTAMP": "google.protobuf.Timestamp", "DURATION": "google.protobuf.Duration",
}


class Unshowable(Exception):
    """The Python binding has no form for this value (optionals)."""


def reference(source: str):
    """The reference's value in a comparable form, or ("error", text)."""
    try:
        result = ENVIRONMENT.compile(source).eval(data={})
    except Exception as error:
        return ("error", str(error))
    return shown(result)


def shown(result):
    kind = result.type().name()
    if kind == "NULL":
        return ("null", None)
    try:
        value = result.value()
    except Exception as error:
        raise Unshowable from error
    if kind == "ERROR":
        if "convert function return value" in str(value) or "OPTIONAL" in str(value).upper():
            raise Unshowable
        return ("error", str(value))
    if kind == "DOUBLE":
        return ("double", "nan" if math.isnan(value) else value)
    if kind in ("INT", "UINT", "BOOL", "STRING"):
        return (kind.lower(), value)
    if kind == "BYTES":
        return ("bytes", bytes(value))
    if kind == "TIMESTAMP":
        return ("timestamp", (value - EPOCH) // datetime.timedelta(microseconds=1))
    if kind == "DURATION":
        return ("duration", value // datetime.timedelta(microseconds=1))
    if kind.startswith("LIST"):
        return ("list", tuple(shown(item) for item in value))
    if kind.startswith("MAP"):
        return ("map", frozenset((str(key), shown(item)) for key, item in value.items()))
    if kind == "TYPE":
        name = value.name().split("<")[0]
        return ("type", TYPES.get(name, name.lower()))
    raise Unshowable


def ours(answer: dict):
    if "error" in answer:
        return ("error", f"{answer['error']['code']}: {answer['error']['msg']}")
    return typed(answer["value"])


def typed(value: dict):
    kind, content = value["type"], value.get("value")
    if kind in ("int", "uint"):
        return (kind, int(content))
    if kind == "double":
        return (kind, "nan" if content == "nan" else float(content))
    if kind == "bytes":
        return (kind, base64.b64decode(content))
    if kind in ("timestamp", "duration"):
        return (kind, content[0] * 1_000_000 + content[1] // 1_000 if content[1] >= 0 else _micros(content))
    if kind == "list":
        return (kind, tuple(typed(item) for item in content))
    if kind == "map":
        return (kind, frozenset((_key(key), typed(item)) for key, item in content))
    if kind == "optional":
        raise Unshowable
    return (kind, content)


def _micros(parts):
    # Both runtimes' spans are cut towards minus infinity here.
    return (parts[0] * 1_000_000_000 + parts[1]) // 1_000


def _key(key: dict) -> str:
    content = key["value"]
    return str(content)


def is_known(source: str, mine, theirs) -> bool:
    """Differences that are the reference's own, or listed in docs/expressions.md."""
    message = theirs[1] if theirs[0] == "error" else ""
    if theirs[0] == "error" and mine[0] != "error":
        # An empty list's or map's element type is not inferred here, so that less is refused.
        # There, `&&` does not absorb a key that stands twice.
        return "no matching overload" in message.lower() or "cannot be the range" in message \
            or "cannot be the operand of a select" in message \
            or "invalid single argument value" in message or "undeclared reference to 'x'" in message \
            or "duplicate key" in message \
            or "expected type" in message or "is greater than <string>.size()" in message \
            or "duration(int64)" in message
    if mine[0] == "error" and theirs[0] != "error":
        if "the regular expression cannot be used" in mine[1]:
            return True
        # What a `sortBy` gives has elements of any type there, so that less is refused.
        if ".sortBy(" in source and mine[1].startswith("expr_type"):
            return True
        return (
            any(word in source for word in ("base64.decode", "'%d'", "'%s %d'", "3u:", "1:"))
            or "have no order" in mine[1]
            or "duplicate key" in mine[1]
            or "'int' does not take (bool)" in mine[1]
        )
    # The reference runs over maps in no order of its own.
    if mine[0] == theirs[0] == "list" and sorted(map(repr, mine[1])) == sorted(map(repr, theirs[1])):
        return True
    # The sign of a NaN as text, and doubles within %s.
    nan_as_text = "(0.0/0.0)" in source and "string(" in source
    return nan_as_text or "nan" in str(theirs) or ("format(" in source and "%s" in source)


def main() -> int:
    sluice, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sources = list(programs.write(seed, count))
    lines = "\n".join(json.dumps({"id": at, "expr": source}) for at, source in enumerate(sources)) + "\n"
    run = subprocess.run([sluice, "eval", "--strict"], input=lines, capture_output=True, text=True)
    answers = {answer["id"]: answer for answer in map(json.loads, run.stdout.splitlines())}
    compared = known = 0
    differences = []
    for at, source in enumerate(sources):
        if at not in answers:
            differences.append((source, f"no answer: {run.stderr[-500:]}", ""))
            break
        try:
            mine, theirs = ours(answers[at]), reference(source)
        except Unshowable:
            continue
        compared += 1
        if mine == theirs or (mine[0] == "error" and theirs[0] == "error"):
            continue
        if is_known(source, mine, theirs):
            known += 1
        else:
            differences.append((source, mine, theirs))
    for source, mine, theirs in differences[:40]:
        print(f"{source}\n  ours      {str(mine)[:300]}\n  reference {str(theirs)[:300]}")
    print(
        f"seed {seed}: {compared} programs compared, {known} known differences, {len(differences)} new ones"
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
