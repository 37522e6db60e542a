"""What a cell of the bench needs to know of an edge: who calls whom, how, and by when a
call has to be over.

`role_edges`, `gateway_edges`, `store_edges` and `cloud_edges` have the edges; `cells`
measures one under one condition.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from benchmarks.faults.proxy import Endpoint, FaultProxy

Call = Callable[[], Awaitable[None]]
"""One logical call by the caller's own client. Returns when it was answered, by a
refusal of the callee's own too; raises what the caller is told otherwise."""


async def nothing_left() -> Sequence[str]:
    """Of an upstream in which a call leaves nothing."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A caller, a callee, and an operation of the one on the other."""

    caller: str
    callee: str
    operation: str
    deadline_s: float
    """By when a call is over, as its caller's code promises."""
    upstream: Endpoint
    opened: Callable[[FaultProxy], AbstractAsyncContextManager[Call]]
    """The caller's client, which reaches upstream through the proxy."""
    attempts: Callable[[FaultProxy], Awaitable[int]]
    """How many tries have reached upstream since it began to count."""
    left: Callable[[], Awaitable[Sequence[str]]] = nothing_left
    """What calls have left behind at upstream, once nobody calls any more."""

    @property
    def name(self) -> str:
        """As rows and `--only` have it."""
        return f"{self.caller} -> {self.callee}: {self.operation}"


async def turns(proxy: FaultProxy) -> int:
    """Tries over HTTP/1.1."""
    return proxy.turns
