"""Tokens: a text, or a function of the program that returns the present one."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable

from .errors import SluiceError

log = logging.getLogger("sluice_client")

Token = str | Callable[[], str | Awaitable[str]] | None

# A token is renewed so many seconds before it ends; a shorter one after half of its time.
EARLY = 30.0


async def current(token: Token) -> str | None:
    """The token to show now; raises `SluiceError` if the program's function fails."""
    if not callable(token):
        return token
    try:
        found = token()
        return await found if inspect.isawaitable(found) else found
    except Exception as error:
        log.exception("the function that returns the token failed")
        raise SluiceError("token-failed", f"no token: {error!r}") from error


async def keep_valid(
    token: Token, seconds: float | None, show: Callable[[str], Awaitable[float | None]]
) -> None:
    """Shows the next token before the present one ends.

    Args:
        token: Where the next tokens come from; a text has no successor.
        seconds: How long the present token is still valid; None if it does not end.
        show: Sends a token to the server, and returns how long that one is valid.
    """
    left = seconds
    # After failures the attempts get closer. In the last second it is left to the next connection.
    while callable(token) and left is not None and left > 1:
        pause = max(left - EARLY, left / 2)
        left -= pause
        await asyncio.sleep(pause)
        try:
            left = await show(await current(token) or "")
        except SluiceError as error:
            log.warning("the token was not renewed: %s", error)
