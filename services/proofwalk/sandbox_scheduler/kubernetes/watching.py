"""The pods of one shard, or other objects of it, kept up to date: listed once, then
watched.

A watch tells changes, and a change that it does not tell is lost; so whenever that may
have happened (the version is too old for the server: 410; the list is `relist_s` old)
everything is listed again. The list is a consistent read: it shows at least what
anybody has seen before it was asked for. A watch that is quiet and one that hangs look
the same; each one is short, and `fresh` is false when none could be begun for some
time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Protocol

import structlog

from proofwalk.chassis.tasks import end
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.sandbox_scheduler.backend import Pulse
from proofwalk.sandbox_scheduler.kubernetes.api import Json, TooOld, unreachable

log = structlog.get_logger()
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0


class Listed(Protocol):
    """One kind of objects, as the API has them."""

    async def list(self, selector: str) -> tuple[Sequence[Json], str]:
        """Those with these labels, and the version from which to watch."""
        ...

    def watch(
        self, selector: str, version: str, *, seconds: int
    ) -> AsyncGenerator[tuple[str, Json], None]:
        """What happens to them after that version."""
        ...


class Watch:
    """`await first()`, then read `objects`; `await close()` when done. Beats `pulse` at
    each change."""

    def __init__(
        self,
        kind: Listed,
        selector: str,
        *,
        pulse: Pulse,
        clock: Clock,
        watch_s: int = 20,
        relist_s: float = 300.0,
    ) -> None:
        self._kind = kind
        self._selector = selector
        self._pulse = pulse
        self._clock = clock
        self._watch_s = watch_s
        self._relist_s = relist_s
        self._objects: dict[str, Json] = {}
        self._heard_at = -float("inf")
        self._listed_at = -float("inf")
        self._version = ""
        self._task: asyncio.Task[None] | None = None

    @property
    def objects(self) -> Mapping[str, Json]:
        """By name, as last heard."""
        return self._objects

    @property
    def fresh(self) -> bool:
        """Whether the server was heard of lately."""
        return self._clock.monotonic() - self._heard_at <= 2 * self._watch_s

    async def first(self) -> None:
        """List them, and watch from there on. Raises `sandbox.cluster_unreachable`."""
        await self._list()
        self._task = asyncio.create_task(self._watch_on(), name=f"watch {self._selector}")

    async def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            await end([self._task])

    def add(self, made: Json) -> None:
        """An object that was made by the caller, unless the watch has told of it
        already."""
        self._objects.setdefault(str(made["metadata"]["name"]), made)

    def forget(self, name: str, uid: str) -> None:
        """An object that the server says is not there any more."""
        known = self._objects.get(name)
        if known is not None and known["metadata"]["uid"] == uid:
            del self._objects[name]

    async def _watch_on(self) -> None:
        failures = 0
        while True:
            try:
                if not self._version or self._clock.monotonic() - self._listed_at > self._relist_s:
                    await self._list()
                await self._watch()
                failures = 0
            except TooOld:
                self._version = ""
            except Exception as error:
                failures += 1
                code = error.code if isinstance(error, ProofwalkError) else type(error).__name__
                log.warning(
                    "objects_not_watched", selector=self._selector, code=code, reason=str(error)
                )
                # Many watches that broke together must not come back together; not for
                # secrets.
                pause = min(_FIRST_PAUSE_S * 2**failures, _LONGEST_PAUSE_S) * random.uniform(  # noqa: S311
                    0.5, 1.0
                )
                await asyncio.sleep(pause)

    async def _list(self) -> None:
        for _ in range(2):
            try:
                found, version = await self._kind.list(self._selector)
            except TooOld:  # between two pages
                continue
            self._objects = {str(each["metadata"]["name"]): each for each in found}
            self._version = version
            self._listed_at = self._heard_at = self._clock.monotonic()
            self._pulse.beat()
            return
        raise unreachable("a list of it changes faster than it can be read")

    async def _watch(self) -> None:
        async with aclosing(
            self._kind.watch(self._selector, self._version, seconds=self._watch_s)
        ) as events:
            async for event, changed in events:
                self._heard_at = self._clock.monotonic()
                if event != "OPEN":
                    self._take(event, changed)

    def _take(self, event: str, changed: Json) -> None:
        metadata = changed["metadata"]
        self._version = metadata["resourceVersion"]
        if event == "BOOKMARK":
            return
        if event == "DELETED":
            self.forget(metadata["name"], metadata["uid"])
        else:
            self._objects[metadata["name"]] = changed
        self._pulse.beat()
