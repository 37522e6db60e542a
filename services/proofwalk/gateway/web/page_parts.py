"""A part of a page that comes from one service: what was told, or why nothing was.

A page asks each service for `WAIT_S` seconds at most. Where one is away, its part says
so and the rest of the page stands. A refusal that is about the request itself, such as
`finding.not_found`, is the whole page's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from proofwalk.kernel.errors import ProofwalkError, Status

WAIT_S = 3.0
_AWAY = frozenset(
    {Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED, Status.UNIMPLEMENTED, Status.RESOURCE_EXHAUSTED}
)
T = TypeVar("T")
V = TypeVar("V")


@dataclass(frozen=True, kw_only=True)
class PagePart(Generic[T]):
    """What a template shows of one service. One of the two is there."""

    content: T | None = None
    error: ProofwalkError | None = None

    def mapped(self, show: Callable[[T], V]) -> PagePart[V]:
        """The same part with its content as `show` puts it."""
        if self.content is None:
            return PagePart(error=self.error)
        return PagePart(content=show(self.content))


async def part_of(
    call: Awaitable[T], *, also: Collection[Status] = (), wait_s: float = WAIT_S
) -> PagePart[T]:
    """The part that a call gives. Raises what is refused, unless its status is in
    `also`: that is told in the part, too."""
    try:
        async with asyncio.timeout(wait_s):
            return PagePart(content=await call)
    except TimeoutError:
        return PagePart(
            error=ProofwalkError(
                "rpc.deadline_exceeded",
                f"the role did not answer within {wait_s:g} s",
                status=Status.DEADLINE_EXCEEDED,
                hint="load the page again; the role may be starting, or have much to do",
                retryable=True,
            )
        )
    except ProofwalkError as error:
        if error.status not in _AWAY and error.status not in also:
            raise
        return PagePart(error=error)
