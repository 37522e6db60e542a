"""Answers `backend.Backend` with StatefulSets and their pods, and has what every
backend of pods shares.

A shard is a StatefulSet. It bears the epoch of the shard's owner, and each change of
its size tests that epoch in the same request (a JSON patch with `test`): a scheduler
that lost the shard, and does not know it yet, is refused by the API server itself and
cannot shrink what its successor has granted. Pods are deleted with their uid and the
version in which they were seen, so the next one in the same place is safe. What can be
done twice, because an answer got lost, is made so that the second time changes nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import conflict
from proofwalk.sandbox_scheduler.backend import Discarded, Pulse
from proofwalk.sandbox_scheduler.domain import Sandbox, Shard, Tool, not_owner
from proofwalk.sandbox_scheduler.kubernetes import manifests
from proofwalk.sandbox_scheduler.kubernetes.api import Absent, Conflict, Json, KubernetesApi
from proofwalk.sandbox_scheduler.kubernetes.doors import Doors
from proofwalk.sandbox_scheduler.kubernetes.pods import identity, instance_of
from proofwalk.sandbox_scheduler.kubernetes.views import Views
from proofwalk.sandbox_scheduler.kubernetes.watching import Listed
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


class PodBackend:
    """What backends of pods have in common; `api` and `doors`, which open a sandbox for
    its holder, are closed with it.

    `kinds` are further kinds of objects that are watched beside pods.
    """

    shared = True
    ordinals: bool
    place_label: str
    """The pods' label that has their own name."""

    def __init__(
        self,
        api: KubernetesApi,
        doors: Doors,
        *,
        settings: KubernetesSettings,
        clock: Clock,
        kinds: Mapping[str, Listed] | None = None,
    ) -> None:
        self.tool = Tool(
            name=settings.tool,
            version=settings.version,
            backend="kubernetes",
            ticket_key=doors.public_key,
        )
        self.pulse = Pulse()
        self.api = api
        self.doors = doors
        self.settings = settings
        self.clock = clock
        watched: dict[str, Listed] = {"pods": api.pods, **(kinds or {})}
        self.views = Views(watched, pulse=self.pulse, clock=clock, watch_s=settings.watch_s)
        self._prepared = False

    async def prepare(self) -> None:
        """What all sandboxes share; made by whoever comes first."""
        if self._prepared:
            return
        wall = manifests.default_policy(self.settings)
        # The wall first: no sandbox starts without it.
        await once(self.api.create_network_policy, wall)
        await once(self.api.create_service, manifests.service(self.settings))
        self._prepared = True

    async def seen(self, shard: Shard) -> Mapping[str, Mapping[str, Json]]:
        """Objects of the shard by kind and name."""
        return await self.views.open(shard, manifests.selector(shard, self.settings.prefix))

    async def observe(self, shard: Shard) -> Sequence[Instance]:
        return [instance_of(pod) for pod in (await self.seen(shard))["pods"].values()]

    async def discard(
        self,
        shard: Shard,
        place: str,
        instance: str,
        *,
        force: bool = False,
        sandbox: Sandbox | None = None,
    ) -> Discarded:
        pod = self.views.find(shard, "pods", place)
        if pod is not None and identity(pod) != instance:
            return Discarded(gone=True)
        refused = await self.doors.refused(sandbox) if sandbox is not None else {}
        if pod is None:
            # Another process tends the shard; its next look does it, for the row says
            # so.
            return Discarded(gone=False, refused_hosts=refused)
        try:
            await self.end(shard, pod, force=force)
        except Absent:
            self.views.forget(shard, "pods", place, pod["metadata"]["uid"])
            return Discarded(gone=True, refused_hosts=refused)
        except Conflict:
            # It changed since; the next look sees how.
            pass
        return Discarded(gone=False, refused_hosts=refused)

    async def end(self, shard: Shard, pod: Json, *, force: bool) -> None:
        """End this pod, as it was seen. Raises `Absent`, `Conflict`."""
        metadata = pod["metadata"]
        await self.api.delete_pod(
            metadata["name"], uid=metadata["uid"], version=metadata["resourceVersion"], force=force
        )

    async def admit(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        await once(
            self.api.create_network_policy,
            manifests.lease_policy(sandbox, hosts, self.settings, place_label=self.place_label),
        )
        return await self.doors.open(sandbox, hosts)

    async def close(self) -> None:
        await self.views.close()
        await self.doors.close()
        await self.api.close()


class StatefulSetBackend(PodBackend):
    """One StatefulSet a shard."""

    ordinals = True
    place_label = "statefulset.kubernetes.io/pod-name"

    def __init__(
        self, api: KubernetesApi, doors: Doors, *, settings: KubernetesSettings, clock: Clock
    ) -> None:
        super().__init__(api, doors, settings=settings, clock=clock)
        self._sizes: dict[str, _Size] = {}

    async def scale(self, shard: Shard, size: int) -> None:
        name = manifests.set_name(shard, self.settings.prefix)
        known = self._sizes.get(name)
        lately = known is not None and self.clock.monotonic() - known.asked_at < _AGAIN_S
        if known is not None and lately and (known.epoch, known.replicas) == (shard.epoch, size):
            return
        found = await self.api.stateful_set(name)
        if found is None:
            if size == 0 and shard.version != self.tool.version:
                return
            await self.prepare()
            try:
                found = await self.api.create_stateful_set(
                    manifests.stateful_set(
                        shard, size, self.settings, public_key=self.doors.public_key
                    )
                )
            except Conflict:
                raise conflict(
                    "shard.made_elsewhere",
                    f"somebody made {name} at the same time",
                    hint="it is looked at again",
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
            self._sizes.pop(name, None)
            try:
                await self.api.patch_stateful_set(name, operations)
            except Absent:
                raise conflict(
                    "shard.unmade",
                    f"somebody deleted {name}",
                    hint="it is made again at the next look",
                ) from None
            except Conflict:
                raise not_owner(shard) from None
        self._sizes[name] = _Size(shard.epoch, size, self.clock.monotonic())

    async def remove(self, shard: Shard) -> None:
        name = manifests.set_name(shard, self.settings.prefix)
        with suppress(Absent):
            await self.api.delete_stateful_set(name)
        self._sizes.pop(name, None)
        await self.views.leave(shard)


def _told(found: Mapping[str, Any]) -> tuple[int, int]:
    annotations = found["metadata"].get("annotations") or {}
    return int(annotations.get(manifests.EPOCH, "0")), int(found["spec"].get("replicas", 1))


async def once(make: Callable[[Json], Awaitable[None]], body: Json) -> None:
    """Make it, or find it made."""
    with suppress(Conflict):
        await make(body)
