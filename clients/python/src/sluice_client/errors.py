"""What can go wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

Repeat = Callable[[], Awaitable[dict[str, Any]]]


class SluiceError(Exception):
    """A refusal of the server or of this client.

    `code` is for programs (docs/protocol.md lists those of the server), `message` for people, and
    `path` says what it is about: `graph/node`, or a graph. `details` has all fields of the refusal.

    Codes of the client itself: `not-connected`; `unknown-outcome`, when the connection broke before
    the answer; `key-expired`; `too_large`; `type_mismatch`, for a value of another type than asked
    for; `unreachable`, when a first connection could not be made.
    """

    def __init__(self, code: str, message: str | None = None, path: str | None = None, **details: Any):
        super().__init__(f"{code}: {message}" if message else code)
        self.code, self.message, self.path, self.details = code, message or code, path, details


class UnknownOutcome(SluiceError):
    """The connection broke before the answer: the request may have been carried out or not.

    `await error.repeat()` makes it again under the same `key`, which cannot apply it twice, for ten
    minutes after it was sent.
    """

    def __init__(self, path: str | None, key: str | None, repeat: Repeat):
        super().__init__("unknown-outcome", "the connection was lost before the answer", path, key=key)
        self.key, self.repeat = key, repeat
