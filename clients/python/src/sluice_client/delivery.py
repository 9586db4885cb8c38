"""Deliveries: the values that a subscription receives, with what is known about each."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, TypeVar

from .errors import SluiceError

T = TypeVar("T")


@dataclass(slots=True, repr=False)
class Delivery(Generic[T]):
    """A value of a node, or why there is none, with the commit that it belongs to.

    docs/protocol.md explains the fields; those that do not apply have the values below.
    """

    value: T | None = None
    """The value; of several nodes a dictionary of those that have one."""
    rev: int | None = None
    """Revision of the graph."""
    epoch: str | None = None
    """Revisions can be compared within one epoch only."""
    t: float | None = None
    """Time of the commit, in milliseconds since 1970."""
    c: int | None = None
    """Revision of the node's own last change, if it differs from `rev`."""
    folded: int = 1
    """How many values this one stands for."""
    empty: bool = False
    """The node holds nothing."""
    fail: dict[str, Any] | None = None
    """Why it could not be computed: `code`, `at`, `msg`."""
    ended: SluiceError | None = None
    """The subscription has ended. After `slow`, and with the next connection, it begins again."""
    history: bool = False
    """It belongs to the history that was asked for."""
    changed: list[str] = field(default_factory=list)
    """Of several nodes: those that have changed."""
    m: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of several nodes: what the server reported of those that have changed."""
    more: int | None = None
    """How many matching nodes stay out because there are too many."""
    state: dict[str, Any] | None = None
    """With `facets`: what is known besides the value."""
    same: bool = False
    """With `facets`: the value is the one of the delivery before."""
    by: str | None = None
    """The principal that set it."""
    ctx: Any = None
    """The context that came with the set."""
    path: list[Any] | None = None
    """With `path`: the nodes that the value has passed, oldest first."""
    origin: Any = None
    """With `path`: what made the value, such as `set`."""
    gap: float | None = None
    """How long the connection was lost before this delivery, in milliseconds."""
    lost: bool = False
    """Values before this one may be missing."""
    lost_revs: int | None = None
    """At most so many values are missing."""

    @property
    def has_value(self) -> bool:
        """Whether `value` is a value of the node, which may be None (JSON's `null`)."""
        return not (self.empty or self.fail or self.ended)

    def __repr__(self) -> str:
        given = [each for each in fields(self) if getattr(self, each.name) not in (None, False, [], {})]
        return f"Delivery({', '.join(f'{each.name}={getattr(self, each.name)!r}' for each in given)})"

    def replacing(self, earlier: Delivery[T]) -> Delivery[T]:
        """Returns this delivery with what counts of an earlier one, which the program did not take."""
        losses = [each.lost_revs for each in (earlier, self) if each.lost]
        return replace(
            self,
            folded=self.folded + earlier.folded,
            changed=list(dict.fromkeys([*earlier.changed, *self.changed])),
            m={**earlier.m, **self.m},
            same=self.same and earlier.same,
            gap=self.gap if earlier.gap is None else earlier.gap,
            lost=bool(losses),
            lost_revs=None if not losses or None in losses else sum(filter(None, losses)),
        )

    def for_another(self) -> Delivery[T]:
        """Returns this delivery for an iterator that begins with it: nothing came before."""
        return replace(self, folded=1, history=False, same=False, gap=None, lost=False, lost_revs=None)
