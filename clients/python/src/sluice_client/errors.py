"""What can go wrong."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

Repeat = Callable[[], Coroutine[Any, Any, dict[str, Any]]]


class SluiceError(Exception):
    """The server or this client refused a request, or ended a subscription.

    Attributes:
        code: For programs. docs/protocol.md lists the codes of the server. Those of the client are
            `not-connected`, `unknown-outcome` (the connection broke before the answer),
            `key-expired`, `too_large`, `type_mismatch` (a value of another type than asked for),
            `unreachable` and `refused` (the first connection), `token-failed` (the function that
            returns the token raised an error) and `slow`.
        message: For people.
        path: What it is about: `graph/node`, or a graph.
        details: Further fields of the server's answer, such as `problems` or `failed`.
    """

    def __init__(
        self, code: str, message: str | None = None, path: str | None = None,
        details: Mapping[str, Any] | None = None,
    ):
        about = f" ({path})" if path else ""
        super().__init__(f"{code}: {message}{about}" if message else f"{code}{about}")
        self.code, self.message, self.path = code, message or code, path
        self.details = dict(details or {})


def refusal(answer: Mapping[str, Any], path: str | None) -> SluiceError:
    """The error that an answer of the server reports, with its hint in the message."""
    details = {name: value for name, value in answer.items() if name not in ("op", "id", "code", "msg")}
    message = "; ".join(filter(None, (answer.get("msg"), answer.get("hint"))))
    return SluiceError(answer["code"], message, path, details)


class UnknownOutcome(SluiceError):
    """The connection broke before the answer: the server may have applied the request or not.

    Attributes:
        key: The key of the request.
        repeat: `await error.repeat()` sends the request again under the same key, so that it is
            applied at most once. That works for ten minutes after the request.
    """

    def __init__(self, path: str | None, key: str | None, repeat: Repeat):
        super().__init__("unknown-outcome", "the connection was lost before the answer", path)
        self.key, self.repeat = key, repeat
