"""What a subscription delivers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from .errors import SluiceError

T = TypeVar("T")


@dataclass(slots=True)
class Delivery(Generic[T]):
    """A value of a node, or why there is none, with the commit that it belongs to.

    docs/protocol.md explains the fields; those that do not apply have the values below.
    """

    value: T | None = None
    """The value; of several nodes a dictionary of those that have one."""
    rev: int | None = None
    epoch: str | None = None
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
    """The subscription has ended. It goes on by itself after `slow`, and with the next connection."""
    history: bool = False
    """It is older than the present value."""
    changed: list[str] = field(default_factory=list)
    """Of several nodes: those that have changed."""
    m: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of several nodes: what the server said of those that have changed."""
    more: int | None = None
    """How many matching nodes stay out because there are too many."""
    state: dict[str, Any] | None = None
    """With `facets`: what is known besides the value."""
    same: bool = False
    """With `facets`: the value is the one of the delivery before."""
    by: str | None = None
    ctx: Any = None
    path: list[Any] | None = None
    origin: Any = None
    gap: float | None = None
    """How long the connection was lost before this delivery, in milliseconds."""
    lost: bool = False
    """Values before this one may be missing."""
    lost_revs: int | None = None
    """At most so many values are missing."""

    @property
    def has_value(self) -> bool:
        return not (self.empty or self.fail or self.ended)

    def after(self, earlier: Delivery[T]) -> Delivery[T]:
        """This one, in place of an earlier one that nobody has taken."""
        if earlier.ended or self.ended:
            return self
        revs = [each for each in (earlier.lost_revs, self.lost_revs) if each is not None]
        return replace(
            self,
            folded=self.folded + earlier.folded,
            changed=list(dict.fromkeys([*earlier.changed, *self.changed])),
            m={**earlier.m, **self.m},
            same=self.same and earlier.same,
            gap=self.gap if earlier.gap is None else earlier.gap,
            lost=self.lost or earlier.lost,
            lost_revs=sum(revs) if revs else None,
        )
