"""Values: as JSON, and as the type that a program asks for."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable
from typing import Any, TypeVar

from .errors import SluiceError

T = TypeVar("T")


def encode(value: Any) -> str:
    """Returns JSON; raises `SluiceError` for what JSON cannot express, such as NaN."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise SluiceError("type_mismatch", f"cannot be sent as JSON: {error}") from error


def decode(text: str | bytes) -> Any:
    """Reads JSON, with every digit of integers; raises `ValueError` if it is malformed."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError(f"values of the type {type(value).__name__} have no form in JSON")


def read_as(read: Callable[[Any], Any], value: Any, path: str | None) -> Any:
    """Returns what `read` makes of the value; what that raises becomes a `type_mismatch`."""
    try:
        return read(value)
    except Exception as error:
        raise SluiceError("type_mismatch", str(error) or repr(error), path) from error


def reader(wanted: Any) -> Callable[[Any], Any]:
    """Returns a function that returns values of the type that is wanted, and raises `TypeError` for others.

    Types are `float` (which takes integers too), `int`, `str`, `bool`, `list[…]`, `dict[str, …]`,
    `Literal`, unions, `TypedDict` and dataclasses. Any other callable is called with the value.
    """
    origin = typing.get_origin(wanted)
    arguments = typing.get_args(wanted)
    if wanted is None or wanted is Any:
        return lambda value: value
    if wanted is type(None):
        return _exactly([None])
    if origin is typing.Literal:
        return _exactly(list(arguments))
    if origin in (typing.Union, types.UnionType):
        return _any_of([reader(each) for each in arguments], wanted)
    if origin is list:
        element = reader(arguments[0])
        return lambda value: [element(each) for each in _of(list, value)]
    if origin is dict:
        member = reader(arguments[1])
        return lambda value: {key: member(each) for key, each in _of(dict, value).items()}
    if origin in (typing.Required, typing.NotRequired):
        return reader(arguments[0])
    if typing.is_typeddict(wanted):
        return _members(wanted, _required_members(wanted), dict)
    if isinstance(wanted, type) and dataclasses.is_dataclass(wanted):
        required = {
            field.name for field in dataclasses.fields(wanted)
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        }
        return _members(wanted, required, wanted)
    if wanted in (str, bool, list, dict):
        return lambda value: _of(wanted, value)
    if wanted in (int, float):
        return lambda value: _number(wanted, value)
    if callable(wanted):
        return typing.cast(Callable[[Any], Any], wanted)
    raise TypeError(f"{wanted!r} is not a type that values can have")


def _of(wanted: type[T], value: Any) -> T:
    if not isinstance(value, wanted):
        raise TypeError(f"expected {wanted.__name__}, got {type(value).__name__}")
    return value


def _number(wanted: type, value: Any) -> Any:
    # In Python a bool is an int; in JSON it is not a number.
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"expected {wanted.__name__}, got {type(value).__name__}")
    if wanted is int and value != int(value):
        raise TypeError(f"expected int, got {value}")
    return wanted(value)


def _exactly(values: list[Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        # 1 == True in Python.
        if any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in values):
            return value
        raise TypeError(f"expected one of {values}, got {value!r}")

    return read


def _any_of(readers: list[Callable[[Any], Any]], wanted: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        for each in readers:
            try:
                return each(value)
            except (TypeError, ValueError):
                continue
        raise TypeError(f"expected {wanted}, got {type(value).__name__}")

    return read


def _required_members(wanted: Any) -> set[str]:
    """The members that an object of a `TypedDict` must have."""
    # `__required_keys__` overlooks `NotRequired` where annotations are not evaluated.
    optional = {
        name for name, hint in typing.get_type_hints(wanted, include_extras=True).items()
        if typing.get_origin(hint) is typing.NotRequired
    }
    return set(wanted.__required_keys__) - optional


def _members(
    wanted: Any, required: typing.AbstractSet[str], make: Callable[..., Any]
) -> Callable[[Any], Any]:
    hints = typing.get_type_hints(wanted, include_extras=True)
    readers: dict[str, Callable[[Any], Any]] = {}

    def read(value: Any) -> Any:
        members = _of(dict, value)
        if missing := sorted(required - members.keys()):
            raise TypeError(f"'{missing[0]}' is missing in {wanted.__name__}")
        # Types may refer to themselves, so their readers are made when they are needed.
        for name in hints:
            if name in members and name not in readers:
                readers[name] = reader(hints[name])
        known = {name: readers[name](members[name]) for name in hints if name in members}
        return make(**({**members, **known} if make is dict else known))

    return read
