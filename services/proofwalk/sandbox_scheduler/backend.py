"""What a backend must be able to do: say what runs, and bring it to a size. `local`
runs Chromium as children of this process, `kubernetes` has pods of StatefulSets,
`simulation` has neither and obeys a clock.

A backend keeps nothing that a look could not find again, and decides nothing: rows say
who may live (`usecases`, `reconciliation`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from proofwalk.sandbox_scheduler.domain import Sandbox, Shard, Tool
from proofwalk.sandbox_scheduler.reconciliation import Instance


@dataclass(frozen=True, kw_only=True)
class Discarded:
    """`gone`: nothing is left of the instance already. Otherwise a later look tells."""

    gone: bool
    refused_hosts: Mapping[str, int] = field(default_factory=dict)


class Pulse:
    """Beats when something changed, so that nobody has to ask in a circle. A beat says
    nothing but "look"."""

    def __init__(self) -> None:
        self.count = 0
        self._waiters: set[asyncio.Future[None]] = set()

    def beat(self) -> None:
        """Something changed."""
        self.count += 1
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def after(self, count: int, timeout_s: float) -> bool:
        """Wait until there were more than `count` beats, at most so long; whether there
        were."""
        if self.count > count:
            return True
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await asyncio.wait([waiter], timeout=timeout_s)
        finally:
            self._waiters.discard(waiter)
            waiter.cancel()
        return self.count > count


class Backend(Protocol):
    """Runs the instances of one tool. Methods raise `ProofwalkError` when they cannot
    say or do: silence is never an empty list."""

    tool: Tool
    shared: bool
    """Whether what runs belongs to no process, so that each scheduler may grant it;
    otherwise it ends with the process that tends it."""
    ordinals: bool
    """Whether a shard of size n has the ordinals 0 to n-1 (see `reconciliation`)."""
    pulse: Pulse

    async def observe(self, shard: Shard) -> Sequence[Instance]:
        """Everything in this shard, as it is no earlier than the shard was claimed.
        Raises `sandbox.cluster_unreachable`."""
        ...

    async def scale(self, shard: Shard, size: int) -> None:
        """Have so many instances in this shard, in time. Repeatable. Raises
        `shard.stale_epoch` if a later owner has been here."""
        ...

    async def discard(
        self,
        shard: Shard,
        place: str,
        instance: str,
        *,
        force: bool = False,
        sandbox: Sandbox | None = None,
    ) -> Discarded:
        """End this instance and no other one that came to its place; repeatable.
        `force`: although it does not say that it ended. `sandbox` is the granted one,
        whose wall is asked what it refused."""
        ...

    async def admit(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        """Let a sandbox's holder in: limit what it may reach to these `host:port`, and
        return the DevTools address for its holder alone."""
        ...

    async def remove(self, shard: Shard) -> None:
        """Take away what is left of a shard without instances."""
        ...

    async def close(self) -> None:
        """Stop watching; end what would end with this process anyway."""
        ...
