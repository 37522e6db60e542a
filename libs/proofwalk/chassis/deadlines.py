"""A deadline that fails with a code of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from proofwalk.kernel.errors import ProofwalkError, Status


@asynccontextmanager
async def within(code: str, seconds: float, what: str) -> AsyncIterator[None]:
    """Raise `code` where the block takes longer; a deadline inside the block that
    expires is the block's own."""
    try:
        async with asyncio.timeout(seconds) as bound:
            yield
    except TimeoutError:
        if not bound.expired():
            raise
        raise ProofwalkError(
            code, f"{what} took more than {seconds:g} s", status=Status.DEADLINE_EXCEEDED
        ) from None
