"""The state of the connection, as programs see it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class State:
    """The state of a client's connection."""

    name: str
    """`connecting`, `live`, `reconnecting`, `offline` (lost for more than 30 s) or `closed`."""
    code: int | None = None
    """The close code with which the last connection ended (docs/protocol.md)."""
    reason: str | None = None
    """Why it ended."""
    tries: int = 0
    """How many attempts have failed in a row."""
    gap: float | None = None
    """When the connection is live again: how long it was not, in milliseconds."""
    stale: bool = False
    """The server cannot reach its store, so values may be out of date."""
