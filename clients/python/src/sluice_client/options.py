"""The options of subscriptions and sets, and how nodes are named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

Fields = dict[str, Any]
Condition = str | Mapping[str, Any]
Target = str | Mapping[str, Any]


class Options(TypedDict, total=False):
    """Options of a subscription, as of `sub` in docs/protocol.md."""

    every: int
    mode: Literal["latest", "all"]
    history: int
    pipe: list[Any]
    keep: str | int | None
    load: bool
    facets: bool
    path: bool
    queue: int
    initial: bool
    after: Mapping[str, Any]


class SetOptions(TypedDict, total=False):
    """Options of a set, as in docs/protocol.md; `if_` is `if`, and `with_` is `with`."""

    clear: list[str]
    if_: Condition
    with_: Mapping[str, str]
    presence: bool
    path: list[Any]
    hand: bool
    ctx: Any
    key: str


def split(target: str) -> tuple[str, str]:
    """The graph and the node of `graph/node`; raises `ValueError` for another text."""
    graph, slash, node = target.partition("/")
    if not (slash and graph and node):
        raise ValueError(f"'{target}' does not have the form graph/node")
    return graph, node


def fields_of(target: Target) -> Fields:
    """`graph/node` or `graph/a,b.*` as the fields of a message; fields are returned as they are."""
    if not isinstance(target, str):
        return dict(target)
    graph, node = split(target)
    if _means_several(node):
        return {"graph": graph, "nodes": [name.strip() for name in node.split(",")]}
    return {"graph": graph, "node": node}


def one_node(target: str) -> tuple[str, str]:
    """The graph and the node of `graph/node`; raises `ValueError` for several nodes."""
    graph, node = split(target)
    if _means_several(node):
        raise ValueError(f"'{target}' names several nodes; use `get_many` or `set_many`")
    return graph, node


def _means_several(node: str) -> bool:
    return not set(node).isdisjoint("*,")


def present(fields: Mapping[str, Any]) -> Fields:
    """Without what was not given."""
    return {name: value for name, value in fields.items() if value is not None}


def fields_of_options(options: Mapping[str, Any], known: frozenset[str]) -> Fields:
    """Options as fields of a message; raises `TypeError` for an unknown one.

    The server would ignore it. `if_` and `with_` get the names that the server knows; Python
    reserves the words.
    """
    for name in options:
        if name not in known:
            raise TypeError(f"unknown option '{name}'; there are {', '.join(sorted(known))}")
    return {name.rstrip("_"): value for name, value in options.items()}
