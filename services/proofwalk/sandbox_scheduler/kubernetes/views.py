"""What a scheduler sees of the shards that it tends: a watch of each kind of object for
each of them.

A view is begun when a shard is first looked at under an ownership, with a consistent
list, so it shows at least what any earlier owner has seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from proofwalk.kernel.clock import Clock
from proofwalk.sandbox_scheduler.backend import Pulse
from proofwalk.sandbox_scheduler.domain import Shard
from proofwalk.sandbox_scheduler.kubernetes.api import Json, unreachable
from proofwalk.sandbox_scheduler.kubernetes.watching import Listed, Watch


class Views:
    """Of the kinds that it is made with, by name. `await close()` when done."""

    def __init__(
        self, kinds: Mapping[str, Listed], *, pulse: Pulse, clock: Clock, watch_s: int
    ) -> None:
        self._kinds = kinds
        self._pulse = pulse
        self._clock = clock
        self._watch_s = watch_s
        self._shards: dict[Shard, Mapping[str, Watch]] = {}

    async def open(self, shard: Shard, selector: str) -> Mapping[str, Mapping[str, Json]]:
        """Objects of the shard by kind and name. Raises `sandbox.cluster_unreachable`,
        also when nothing was heard for too long."""
        if shard not in self._shards:
            await self.leave(shard)
            watches = {
                name: Watch(
                    kind, selector, pulse=self._pulse, clock=self._clock, watch_s=self._watch_s
                )
                for name, kind in self._kinds.items()
            }
            try:
                for watch in watches.values():
                    await watch.first()
            except BaseException:
                await asyncio.gather(*(watch.close() for watch in watches.values()))
                raise
            self._shards[shard] = watches
        watches = dict(self._shards[shard])
        if not all(watch.fresh for watch in watches.values()):
            raise unreachable("its watch has said nothing for too long")
        return {name: watch.objects for name, watch in watches.items()}

    def find(self, shard: Shard, kind: str, name: str) -> Json | None:
        """An object of a shard that is tended here, under whatever ownership."""
        watch = self._watch(shard, kind)
        return None if watch is None else watch.objects.get(name)

    def add(self, shard: Shard, kind: str, made: Json) -> None:
        """An object that was made here, until the watch tells of it."""
        watch = self._watch(shard, kind)
        if watch is not None:
            watch.add(made)

    def forget(self, shard: Shard, kind: str, name: str, uid: str) -> None:
        """The server says that it is not there any more."""
        watch = self._watch(shard, kind)
        if watch is not None:
            watch.forget(name, uid)

    def _watch(self, shard: Shard, kind: str) -> Watch | None:
        return next(
            (watches[kind] for known, watches in self._shards.items() if _same(known, shard)), None
        )

    async def leave(self, shard: Shard) -> None:
        """See the shard no more, under whatever ownership."""
        for known in [known for known in self._shards if _same(known, shard)]:
            await asyncio.gather(*(watch.close() for watch in self._shards.pop(known).values()))

    async def close(self) -> None:
        """See nothing more."""
        for shard in list(self._shards):
            await self.leave(shard)


def _same(one: Shard, other: Shard) -> bool:
    return (one.version, one.number) == (other.version, other.number)
