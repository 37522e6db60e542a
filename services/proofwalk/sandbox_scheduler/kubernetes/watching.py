"""The pods of one shard, kept up to date: listed once, then watched.

A watch tells changes, and a change that it does not tell is lost; so whenever that may have happened (the version is too old for the server:
410; the list is `relist_s` old) all pods are listed again. The list is a consistent read: it shows at least what anybody has seen before
it was asked for. A watch that is quiet and one that hangs look the same; each one is short, and `fresh` is false when none could be begun
for some time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import structlog

from proofwalk.chassis.tasks import end
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.sandbox_scheduler.backend import Pulse
from proofwalk.sandbox_scheduler.kubernetes.api import Gone, Json, KubernetesApi, unreachable

log = structlog.get_logger()
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 10.0


class PodWatch:
    """`await first()`, then read `pods`; `await close()` when done. Beats `pulse` at each change."""

    def __init__(
        self, api: KubernetesApi, selector: str, *, pulse: Pulse, clock: Clock, watch_s: int = 20, relist_s: float = 300.0
    ) -> None:
        self._api = api
        self._selector = selector
        self._pulse = pulse
        self._clock = clock
        self._watch_s = watch_s
        self._relist_s = relist_s
        self._pods: dict[str, Json] = {}
        self._heard_at = -float("inf")
        self._listed_at = -float("inf")
        self._version = ""
        self._task: asyncio.Task[None] | None = None

    @property
    def pods(self) -> Mapping[str, Json]:
        """By name, as last heard."""
        return self._pods

    @property
    def fresh(self) -> bool:
        """Whether the server was heard of lately."""
        return self._clock.monotonic() - self._heard_at <= 2 * self._watch_s

    async def first(self) -> None:
        """List the pods, and watch from there on. Raises `sandbox.cluster_unreachable`."""
        await self._list()
        self._task = asyncio.create_task(self._watch_on(), name=f"watch {self._selector}")

    async def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            await end([self._task])

    def forget(self, name: str, uid: str) -> None:
        """A pod that the server says is not there any more."""
        pod = self._pods.get(name)
        if pod is not None and pod["metadata"]["uid"] == uid:
            del self._pods[name]

    async def _watch_on(self) -> None:
        failures = 0
        while True:
            try:
                if not self._version or self._clock.monotonic() - self._listed_at > self._relist_s:
                    await self._list()
                await self._watch()
                failures = 0
            except Gone:
                self._version = ""
            except Exception as error:
                failures += 1
                code = error.code if isinstance(error, ProofwalkError) else type(error).__name__
                log.warning("pods_not_watched", selector=self._selector, code=code, reason=str(error))
                # Many watches that broke together must not come back together; not for secrets.
                pause = min(_FIRST_PAUSE_S * 2**failures, _LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)  # noqa: S311
                await asyncio.sleep(pause)

    async def _list(self) -> None:
        for _ in range(2):
            try:
                pods, version = await self._api.list_pods(self._selector)
            except Gone:  # between two pages
                continue
            self._pods = {str(pod["metadata"]["name"]): pod for pod in pods}
            self._version = version
            self._listed_at = self._heard_at = self._clock.monotonic()
            self._pulse.beat()
            return
        raise unreachable("its list of pods changes faster than it can be read")

    async def _watch(self) -> None:
        async with aclosing(self._api.watch_pods(self._selector, self._version, seconds=self._watch_s)) as events:
            async for kind, pod in events:
                self._heard_at = self._clock.monotonic()
                if kind != "OPEN":
                    self._take(kind, pod)

    def _take(self, kind: str, pod: Mapping[str, Any]) -> None:
        metadata = pod["metadata"]
        self._version = metadata["resourceVersion"]
        if kind == "BOOKMARK":
            return
        if kind == "DELETED":
            self.forget(metadata["name"], metadata["uid"])
        else:
            self._pods[metadata["name"]] = pod
        self._pulse.beat()
