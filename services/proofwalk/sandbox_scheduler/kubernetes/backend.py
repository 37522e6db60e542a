"""Answers `backend.Backend` with StatefulSets and their pods.

A shard is a StatefulSet. It bears the epoch of the shard's owner, and each change of its size tests that epoch in the same request (a JSON
patch with `test`): a scheduler that lost the shard, and does not know it yet, is refused by the API server itself and cannot shrink what its
successor has granted. Pods are deleted with their uid and the version in which they were seen, so the next one in the same place is safe.
What can be done twice, because an answer got lost, is made so that the second time changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import conflict
from proofwalk.sandbox_scheduler.backend import Discarded, Pulse
from proofwalk.sandbox_scheduler.domain import Sandbox, Shard, Tool, not_owner
from proofwalk.sandbox_scheduler.kubernetes import manifests
from proofwalk.sandbox_scheduler.kubernetes.api import Absent, Conflict, Json, KubernetesApi, unreachable
from proofwalk.sandbox_scheduler.kubernetes.doors import Doors
from proofwalk.sandbox_scheduler.kubernetes.pods import identity, instance_of
from proofwalk.sandbox_scheduler.kubernetes.watching import PodWatch
from proofwalk.sandbox_scheduler.reconciliation import Instance
from proofwalk.sandbox_scheduler.settings import KubernetesSettings

_EPOCH_PATH = "/metadata/annotations/" + manifests.EPOCH.replace("/", "~1")
_AGAIN_S = 30.0
"""How long a set's size counts as what it was when it was last asked."""


@dataclass(frozen=True)
class _Size:
    epoch: int
    replicas: int
    asked_at: float


class KubernetesBackend:
    """`api` is closed with it; `doors` open a sandbox for its holder."""

    shared = True
    ordinals = True

    def __init__(self, api: KubernetesApi, doors: Doors, *, settings: KubernetesSettings, clock: Clock) -> None:
        self.tool = Tool(name=settings.tool, version=settings.version, backend="kubernetes")
        self.pulse = Pulse()
        self._api = api
        self._doors = doors
        self._settings = settings
        self._clock = clock
        self._watches: dict[Shard, PodWatch] = {}
        self._sizes: dict[str, _Size] = {}
        self._prepared = False

    async def observe(self, shard: Shard) -> Sequence[Instance]:
        watch = self._watches.get(shard)
        if watch is None:
            await self._close_others(shard)
            watch = PodWatch(
                self._api,
                manifests.selector(shard, self._settings.prefix),
                pulse=self.pulse,
                clock=self._clock,
                watch_s=self._settings.watch_s,
            )
            await watch.first()
            self._watches[shard] = watch
        if not watch.fresh:
            raise unreachable("its watch has said nothing for too long")
        return [instance_of(pod) for pod in watch.pods.values()]

    async def _close_others(self, shard: Shard) -> None:
        """A shard that comes back at another epoch is seen anew."""
        for other in [other for other in self._watches if (other.version, other.number) == (shard.version, shard.number)]:
            await self._watches.pop(other).close()

    async def scale(self, shard: Shard, size: int) -> None:
        name = manifests.set_name(shard, self._settings.prefix)
        known = self._sizes.get(name)
        lately = known is not None and self._clock.monotonic() - known.asked_at < _AGAIN_S
        if known is not None and lately and (known.epoch, known.replicas) == (shard.epoch, size):
            return
        found = await self._api.stateful_set(name)
        if found is None:
            if size == 0 and shard.version != self.tool.version:
                return
            await self._prepare()
            try:
                found = await self._api.create_stateful_set(
                    manifests.stateful_set(shard, size, self._settings, public_key=self._doors.public_key)
                )
            except Conflict:
                raise conflict(
                    "shard.made_elsewhere", f"somebody made {name} at the same time", hint="it is looked at again"
                ) from None
        epoch, replicas = _told(found)
        if epoch > shard.epoch:
            raise not_owner(shard)
        if (epoch, replicas) != (shard.epoch, size):
            operations: list[Json] = [
                {"op": "test", "path": _EPOCH_PATH, "value": str(epoch)},
                {"op": "replace", "path": _EPOCH_PATH, "value": str(shard.epoch)},
                {"op": "replace", "path": "/spec/replicas", "value": size},
            ]
            try:
                await self._api.patch_stateful_set(name, operations)
            except Absent:
                self._sizes.pop(name, None)
                raise conflict("shard.unmade", f"somebody deleted {name}", hint="it is made again at the next look") from None
            except Conflict:
                self._sizes.pop(name, None)
                raise not_owner(shard) from None
        self._sizes[name] = _Size(shard.epoch, size, self._clock.monotonic())

    async def _prepare(self) -> None:
        """What all sandboxes share; made by whoever comes first."""
        if self._prepared:
            return
        wall = manifests.default_policy(self._settings)
        # The wall first: no sandbox starts without it.
        await _once(self._api.create_network_policy, wall)
        await _once(self._api.create_service, manifests.service(self._settings))
        self._prepared = True

    async def discard(self, shard: Shard, place: str, instance: str, *, force: bool = False) -> Discarded:
        pod = self._pod(shard, place)
        if pod is not None and identity(pod) != instance:
            return Discarded(gone=True)
        if pod is None:
            # Another process tends the shard; its next look does it, for the row says so.
            return Discarded(gone=False)
        refused = {} if force else await self._doors.refused(pod)
        metadata = pod["metadata"]
        try:
            await self._api.delete_pod(place, uid=metadata["uid"], version=metadata["resourceVersion"], force=force)
        except Absent:
            self._forget(shard, place, metadata["uid"])
            return Discarded(gone=True, refused_hosts=refused)
        except Conflict:
            # It changed since; the next look sees how.
            return Discarded(gone=False, refused_hosts=refused)
        return Discarded(gone=False, refused_hosts=refused)

    def _pod(self, shard: Shard, place: str) -> Json | None:
        for known, watch in self._watches.items():
            if (known.version, known.number) == (shard.version, shard.number):
                return watch.pods.get(place)
        return None

    def _forget(self, shard: Shard, place: str, uid: str) -> None:
        for known, watch in self._watches.items():
            if (known.version, known.number) == (shard.version, shard.number):
                watch.forget(place, uid)

    async def admit(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        await _once(self._api.create_network_policy, manifests.lease_policy(sandbox, hosts, self._settings))
        return await self._doors.open(sandbox, hosts)

    async def remove(self, shard: Shard) -> None:
        name = manifests.set_name(shard, self._settings.prefix)
        with suppress(Absent):
            await self._api.delete_stateful_set(name)
        self._sizes.pop(name, None)
        await self._close_others(shard)

    async def close(self) -> None:
        await asyncio.gather(*(watch.close() for watch in self._watches.values()))
        self._watches.clear()
        await self._doors.close()
        await self._api.close()


def _told(found: Mapping[str, Any]) -> tuple[int, int]:
    annotations = found["metadata"].get("annotations") or {}
    return int(annotations.get(manifests.EPOCH, "0")), int(found["spec"].get("replicas", 1))


async def _once(make: Callable[[Json], Awaitable[None]], body: Json) -> None:
    """Make it, or find it made."""
    try:
        await make(body)
    except Conflict:
        return
