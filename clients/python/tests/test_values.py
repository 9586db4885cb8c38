"""Values of the type that is asked for."""

import importlib
from dataclasses import dataclass
from typing import Literal, NotRequired, TypedDict

import pytest
from sluice_client import SluiceError
from sluice_client.values import decode, encode, reader


@dataclass
class Point:
    x: float
    y: float = 0


class Line(TypedDict):
    n: int
    note: NotRequired[str]


@pytest.mark.parametrize("wanted, value, expected", [
    (None, {"a": 1}, {"a": 1}),
    (float, 3, 3.0), (float, 2.5, 2.5), (int, 3, 3), (int, 3.0, 3), (str, "a", "a"), (bool, True, True),
    (list[float], [1, 2.5], [1.0, 2.5]), (dict[str, int], {"a": 1}, {"a": 1}),
    (Literal["eco", 1], 1, 1), (str | None, None, None), (float | str, "a", "a"),
    (Point, {"x": 1}, Point(1.0)), (Point, {"x": 1, "y": 2, "z": 3}, Point(1.0, 2.0)),
    (Line, {"n": 1, "more": True}, {"n": 1, "more": True}),
    (lambda value: value["a"], {"a": 7}, 7),
])
def test_takes_what_fits(wanted, value, expected):
    read = reader(wanted)(value)
    assert read == expected and type(read) is type(expected)


@pytest.mark.parametrize("wanted, value", [
    (float, "1"), (float, True), (int, 1.5), (int, True), (str, 1), (bool, 1), (list[int], ["a"]),
    (dict[str, int], [1]), (Literal["eco", 1], True), (Literal["eco"], "on"), (str | None, 1),
    (Point, {}), (Point, {"x": "a"}), (Line, {"note": "a"}), (Line, {"n": 1, "note": 2}),
])
def test_refuses_what_does_not(wanted, value):
    with pytest.raises(TypeError):
        reader(wanted)(value)


def test_keeps_every_digit():
    for text in ("9007199254740993", "-9223372036854775808", '"ü"', '{"a":[1,null]}'):
        assert encode(decode(text)) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, b"a"])
def test_refuses_what_json_cannot_say(value):
    with pytest.raises(SluiceError) as error:
        encode({"a": value})
    assert error.value.code == "type_mismatch"


def test_sends_dataclasses_as_objects():
    assert encode(Point(1, 2)) == '{"x":1,"y":2}'


@pytest.mark.parametrize("text", ["{", "NaN", '{"a":Infinity}', "[" * 100_000])
def test_malformed_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        decode(text)


def test_members_may_be_left_out_where_annotations_are_not_evaluated(tmp_path, monkeypatch):
    (tmp_path / "note_type.py").write_text("""from __future__ import annotations
from typing import NotRequired, TypedDict
class Note(TypedDict):
    text: str
    by: NotRequired[str]
""")
    monkeypatch.syspath_prepend(tmp_path)
    assert reader(importlib.import_module("note_type").Note)({"text": "a"}) == {"text": "a"}
