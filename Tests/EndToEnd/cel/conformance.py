"""Runs the published conformance cases through `sluice-dev eval --strict`.

    conformance.py SLUICE FOLDER [--all]

FOLDER holds the cases of the language's specification as .textproto files. Cases that need protobuf
messages or enums are skipped. Prints one line per difference and the sums; the exit code is 0 when
at least 99 % agree.
"""

import base64
import json
import pathlib
import subprocess
import sys

import textproto

# Files that are about messages, enums or the caller's own functions only.
SKIPPED_FILES = {
    "proto2", "proto2_ext", "proto3", "enums", "wrappers", "block_ext", "unknowns", "type_deduction",
}
MESSAGES = ("TestAllTypes", "NestedTestAllTypes", "google.protobuf.", "GlobalEnum", "proto.", "TestRequired")


def first(message: dict, field: str, otherwise=None):
    return message.get(field, [otherwise])[0]


def text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def typed(value: dict):
    """A cel.expr.Value as a typed value of `sluice-dev eval`, or None when it is a message."""
    if "null_value" in value:
        return {"type": "null", "value": None}
    if "bool_value" in value:
        return {"type": "bool", "value": first(value, "bool_value") == "true"}
    if "int64_value" in value:
        return {"type": "int", "value": str(first(value, "int64_value"))}
    if "uint64_value" in value:
        return {"type": "uint", "value": str(first(value, "uint64_value"))}
    if "double_value" in value:
        return {"type": "double", "value": repr(float(first(value, "double_value")))}
    if "string_value" in value:
        return {"type": "string", "value": text(first(value, "string_value"))}
    if "bytes_value" in value:
        return {"type": "bytes", "value": base64.b64encode(first(value, "bytes_value")).decode()}
    if "type_value" in value:
        return {"type": "type", "value": text(first(value, "type_value"))}
    if "list_value" in value:
        items = [typed(item) for item in first(value, "list_value").get("values", [])]
        return None if None in items else {"type": "list", "value": items}
    if "map_value" in value:
        pairs = [
            [typed(first(entry, "key", {})), typed(first(entry, "value", {}))]
            for entry in first(value, "map_value").get("entries", [])
        ]
        return None if any(None in pair for pair in pairs) else {"type": "map", "value": pairs}
    if "object_value" in value:
        return well_known(first(value, "object_value"))
    return None


def well_known(message: dict):
    """Timestamps, durations and wrappers; other messages are not for us."""
    for name, body in message.items():
        kind = name.rsplit("/", 1)[-1].rstrip("]").rsplit(".", 1)[-1]
        content = body[0]
        if kind in ("Timestamp", "Duration"):
            parts = [int(first(content, "seconds", 0)), int(first(content, "nanos", 0))]
            return {"type": kind.lower(), "value": parts}
        if kind in ("Int32Value", "Int64Value"):
            return {"type": "int", "value": str(first(content, "value", 0))}
        if kind in ("UInt32Value", "UInt64Value"):
            return {"type": "uint", "value": str(first(content, "value", 0))}
        if kind in ("DoubleValue", "FloatValue"):
            return {"type": "double", "value": repr(float(first(content, "value", 0)))}
        if kind == "StringValue":
            return {"type": "string", "value": text(first(content, "value", b""))}
        if kind == "BytesValue":
            return {"type": "bytes", "value": base64.b64encode(first(content, "value", b"")).decode()}
        if kind == "BoolValue":
            return {"type": "bool", "value": first(content, "value", "false") == "true"}
    return None


def normal(value: dict):
    """Comparable: maps without order, doubles by value."""
    kind, content = value["type"], value.get("value")
    if kind == "list":
        return (kind, tuple(normal(item) for item in content))
    if kind == "map":
        return (kind, frozenset((normal(key), normal(item)) for key, item in content))
    if kind == "optional":
        return (kind, content and normal(content))
    if kind == "double":
        number = float(content)
        return (kind, "nan" if number != number else number)
    if isinstance(content, list):
        return (kind, tuple(content))
    return (kind, content)


def cases(folder: pathlib.Path):
    """(name, request, expected) of every case that needs no messages; expected None is an error."""
    seen: dict[str, int] = {}
    for file in sorted(folder.glob("*.textproto")):
        if file.stem in SKIPPED_FILES:
            continue
        for section in textproto.parse(file.read_text()).get("section", []):
            for test in section.get("test", []):
                name = f"{file.stem}/{text(first(section, 'name'))}/{text(first(test, 'name'))}"
                count = seen[name] = seen.get(name, 0) + 1
                name += f"#{count}" if count > 1 else ""
                request = {"id": name, "expr": text(first(test, "expr", b""))}
                if first(test, "disable_check") == "true":
                    request["check"] = False
                container = text(first(test, "container", b""))
                if container:
                    request["container"] = container
                bindings = {}
                usable = not any(word in request["expr"] + container for word in MESSAGES)
                for binding in test.get("bindings", []):
                    value = typed(first(first(binding, "value", {}), "value", {}))
                    usable = usable and value is not None
                    bindings[text(first(binding, "key"))] = value
                if bindings:
                    request["bindings"] = bindings
                if "eval_error" in test or "any_eval_errors" in test:
                    expected = None
                elif "value" in test:
                    expected = typed(first(test, "value"))
                    usable = usable and expected is not None
                elif "typed_result" in test:
                    if "result" not in first(test, "typed_result"):
                        continue
                    expected = typed(first(first(test, "typed_result"), "result"))
                    usable = usable and expected is not None
                elif "unknown" in test or first(test, "check_only") == "true":
                    usable = False
                    expected = None
                else:
                    expected = {"type": "bool", "value": True}
                yield name, request, expected, usable


def main() -> int:
    sluice, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    chosen = [case for case in cases(folder)]
    usable = [case for case in chosen if case[3]]
    lines = "\n".join(json.dumps(request) for _, request, _, _ in usable) + "\n"
    run = subprocess.run([sluice, "eval", "--strict"], input=lines, capture_output=True, text=True)
    answers = {}
    for line in run.stdout.splitlines():
        answer = json.loads(line)
        answers[answer["id"]] = answer
    differences = 0
    for name, request, expected, _ in usable:
        answer = answers.get(name, {"error": {"code": "no answer", "msg": run.stderr[-300:]}})
        if expected is None:
            same = "error" in answer
        else:
            same = "value" in answer and normal(answer["value"]) == normal(expected)
        if not same:
            differences += 1
            found = answer.get("value") or answer.get("error")
            print(f"{name}\n  {request['expr']}\n  wanted {expected or 'an error'}\n  found  {found}")
    agreed = len(usable) - differences
    print(f"{len(chosen)} cases, {len(chosen) - len(usable)} need messages, {agreed} of {len(usable)} agree")
    return 0 if agreed * 100 >= len(usable) * 99 else 1


if __name__ == "__main__":
    sys.exit(main())
