"""Answers `backend.Backend` with the `Sandbox` resources of agent-sandbox
(`agents.x-k8s.io`), where its controller is installed.

Each sandbox is a `Sandbox` object, for which the controller makes a pod of the same
name; its place is never used twice, so any one may go when a shard shrinks. The pod
says what it is worth, as everywhere; an object whose pod is not there yet is starting,
with that as the reason. Ending a sandbox is deleting its object.

The controller knows no epochs: a scheduler that lost a shard, and does not know it yet,
could add to it. What it adds has the shard's labels, so its successor sees it and ends
what is too many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from proofwalk.kernel.clock import Clock, parse_moment
from proofwalk.kernel.ids import IdSource
from proofwalk.sandbox_scheduler.backend import Discarded
from proofwalk.sandbox_scheduler.domain import Sandbox, Shard
from proofwalk.sandbox_scheduler.kubernetes import manifests
from proofwalk.sandbox_scheduler.kubernetes.api import Absent, Conflict, Json, KubernetesApi
from proofwalk.sandbox_scheduler.kubernetes.backend import PodBackend
from proofwalk.sandbox_scheduler.kubernetes.doors import Doors
from proofwalk.sandbox_scheduler.reconciliation import Instance, Phase
from proofwalk.sandbox_scheduler.settings import KubernetesSettings

_RESOURCE = (manifests.AGENTS_GROUP, manifests.AGENTS_VERSION, "sandboxes")
_NO_POD = "AgentSandbox: its Sandbox has no pod yet"


class AgentSandboxBackend(PodBackend):
    """One `Sandbox` object a sandbox; a shard is those with its labels."""

    ordinals = False
    place_label = manifests.PLACE

    def __init__(
        self,
        api: KubernetesApi,
        doors: Doors,
        *,
        settings: KubernetesSettings,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        super().__init__(
            api, doors, settings=settings, clock=clock, kinds={"sandboxes": api.custom(*_RESOURCE)}
        )
        self._ids = ids

    async def observe(self, shard: Shard) -> Sequence[Instance]:
        seen = await self.seen(shard)
        with_pods = await super().observe(shard)
        names = {instance.place for instance in with_pods}
        return [
            *with_pods,
            *(_without_pod(each) for name, each in seen["sandboxes"].items() if name not in names),
        ]

    async def scale(self, shard: Shard, size: int) -> None:
        """Makes what is missing. What is too many, the caller chooses and discards."""
        seen = await self.seen(shard)
        there = {name for name, each in seen["sandboxes"].items() if not _deleted_at(each)}
        for _ in range(size - len(there)):
            await self.prepare()
            name = f"{manifests.set_name(shard, self.settings.prefix)}-{self._ids.new('x').rpartition('_')[2][-10:]}"
            body = manifests.agent_sandbox(
                name, shard, self.settings, public_key=self.doors.public_key
            )
            # The watch tells of it later than the next look may ask.
            self.views.add(shard, "sandboxes", await self.api.create_custom(*_RESOURCE, body))

    async def discard(
        self,
        shard: Shard,
        place: str,
        instance: str,
        *,
        force: bool = False,
        sandbox: Sandbox | None = None,
    ) -> Discarded:
        found = self.views.find(shard, "sandboxes", place)
        if found is None or self.views.find(shard, "pods", place) is not None:
            return await super().discard(shard, place, instance, force=force, sandbox=sandbox)
        await self._delete(found)
        return Discarded(gone=False)

    async def end(self, shard: Shard, pod: Json, *, force: bool) -> None:
        """Its object goes, and takes the pod along. One that does not end is ended by
        force as well."""
        found = self.views.find(shard, "sandboxes", pod["metadata"]["name"])
        if found is not None:
            await self._delete(found)
        if force or found is None:
            await super().end(shard, pod, force=force)

    async def _delete(self, found: Json) -> None:
        metadata = found["metadata"]
        try:
            await self.api.delete_custom(*_RESOURCE, metadata["name"], uid=metadata["uid"])
        except (Absent, Conflict):
            return

    async def remove(self, shard: Shard) -> None:
        await self.views.leave(shard)


def _without_pod(found: Json) -> Instance:
    metadata = found["metadata"]
    deleted_at = _deleted_at(found)
    return Instance(
        id=f"object.{metadata['uid']}",
        place=str(metadata["name"]),
        ordinal=0,
        phase=Phase.STARTING if deleted_at is None else Phase.TERMINATING,
        reason=_reason(found) if deleted_at is None else "",
        since=deleted_at,
    )


def _deleted_at(found: Mapping[str, object]) -> datetime | None:
    metadata = found["metadata"]
    told = metadata.get("deletionTimestamp") if isinstance(metadata, Mapping) else None
    return parse_moment(told) if isinstance(told, str) else None


def _reason(found: Json) -> str:
    """What the controller says of it, if anything."""
    conditions = (found.get("status") or {}).get("conditions") or ()
    said: Json = next(
        (
            each
            for each in conditions
            if each.get("type") == "Ready" and each.get("status") != "True"
        ),
        {},
    )
    return (
        ": ".join(str(part) for part in (said.get("reason"), said.get("message")) if part)
        or _NO_POD
    )
