"""Converts failures of the browser into errors of this code base, and bounds every
await.

`browser.disconnected` and `browser.timeout` concern the sandbox (an environment
failure, never the page's or the policy's fault). `browser.blocked_host` and
`browser.navigation` concern the address that was requested. `Refused` is what the hands
raise when an action cannot be done as requested: it becomes a failed `ActionResult`
that the policy reads, not an exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from proofwalk.kernel.errors import ProofwalkError, Status, unavailable

T = TypeVar("T")

_GONE = (
    "has been closed",
    "connection closed",
    "target closed",
    "browser closed",
    "crashed",
    "econnrefused",
    "econnreset",
    "websocket",
    "pipe closed",
)
_MOVED = (
    "cannot find context",
    "context was destroyed",
    "target navigated",
    "uniquecontextid not found",
    "cannot find execution context",
)


class WorldGone(Exception):
    """The document in which a script ran is gone. The caller looks again."""


class Refused(Exception):
    """An action that cannot be done as requested. Has a stable code, a sentence for the
    policy, and the choices on offer."""

    def __init__(self, code: str, message: str, *, options: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.options = options


def translate(error: BaseException, what: str) -> Exception:
    """Return this code base's error for an error of Playwright or CDP."""
    text = str(error).split("Call log:")[0].strip()
    low = text.lower()
    if isinstance(error, TimeoutError | PlaywrightTimeout):
        return ProofwalkError(
            "browser.timeout",
            f"{what} took too long",
            status=Status.DEADLINE_EXCEEDED,
            hint="take a fresh sandbox",
            retryable=True,
        )
    if any(word in low for word in _MOVED):
        return WorldGone(text)
    if "net::err_" in low or ("navigat" in low and "closed" not in low):
        return ProofwalkError(
            "browser.navigation",
            f"{what} failed: {text.splitlines()[0]}",
            status=Status.FAILED_PRECONDITION,
        )
    if any(word in low for word in _GONE):
        return unavailable(
            "browser.disconnected",
            f"{what} failed: the browser or its page is gone ({text.splitlines()[0][:200]})",
            hint="take a fresh sandbox",
        )
    return unavailable(
        "browser.protocol",
        f"{what} failed: {text.splitlines()[0][:300] if text else type(error).__name__}",
        hint="take a fresh sandbox",
    )


async def bounded(work: Awaitable[T], seconds: float, what: str) -> T:
    """Await `work` for at most `seconds`. Raises failures as `translate` converts
    them."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except (PlaywrightError, TimeoutError) as error:
        raise translate(error, what) from error


def blocked_host(url: str) -> ProofwalkError:
    """Return the error for an address outside the allow-list."""
    return ProofwalkError(
        "browser.blocked_host",
        f"{url[:200]} is not one of the target's hosts",
        status=Status.PERMISSION_DENIED,
        hint="add the host and port to the target's allowed hosts if it belongs to the console",
    )
