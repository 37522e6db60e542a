"""Answers `backend.Backend` with simulated machines: one set a shard."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from proofwalk.kernel.errors import unavailable
from proofwalk.sandbox_scheduler.backend import Discarded, Pulse
from proofwalk.sandbox_scheduler.domain import Sandbox, Shard, Tool, not_owner
from proofwalk.sandbox_scheduler.reconciliation import Instance, Phase
from proofwalk.sandbox_scheduler.simulation.machines import Machines, Pod, PodPhase


class SimulatedBackend:
    """Several of them over the same machines are several schedulers. `since` is the
    moment at which the machines' time was 0."""

    shared = True
    ordinals = True

    def __init__(self, machines: Machines, *, since: datetime, version: str = "1") -> None:
        self.tool = Tool(name="chromium", version=version, backend="simulation")
        self.pulse = Pulse()
        self.reachable = True
        """Whether the machines' interface answers; a partition is False."""
        self.allowed: dict[str, Sequence[str]] = {}
        self._machines = machines
        self._since = since
        self._seen: dict[str, tuple[int, Instance]] = {}

    def _reach(self) -> None:
        if not self.reachable:
            raise unavailable(
                "sandbox.cluster_unreachable",
                "the cluster's interface does not answer",
                hint="it is asked again",
            )

    async def observe(self, shard: Shard) -> Sequence[Instance]:
        self._reach()
        return [self._instance(pod) for pod in self._machines.pods(_name(shard))]

    def _instance(self, pod: Pod) -> Instance:
        known = self._seen.get(pod.name)
        if known is not None and known[0] == pod.version:
            return known[1]
        instance = Instance(
            id=_identity(pod),
            place=pod.name,
            ordinal=pod.ordinal,
            phase=_phase(pod),
            endpoint=f"ws://{pod.name}:9222/devtools/browser",
            reason=pod.reason,
            since=None if pod.deleting is None else self._since + timedelta(seconds=pod.deleting),
        )
        self._seen[pod.name] = (pod.version, instance)
        return instance

    async def scale(self, shard: Shard, size: int) -> None:
        self._reach()
        name = _name(shard)
        known = self._machines.sets.get(name)
        if known is not None and known.epoch > shard.epoch:
            raise not_owner(shard)
        self._machines.scale(name, size)
        self._machines.sets[name].epoch = shard.epoch

    async def discard(
        self,
        shard: Shard,
        place: str,
        instance: str,
        *,
        force: bool = False,
        sandbox: Sandbox | None = None,
    ) -> Discarded:
        self._reach()
        pod = self._machines.pod(place)
        if pod is None or _identity(pod) != instance:
            return Discarded(gone=True)
        self._machines.delete(pod, force=force)
        return Discarded(gone=False, refused_hosts={"tracker.example": 3})

    async def admit(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        self._reach()
        self.allowed[sandbox.id] = list(hosts)
        return sandbox.cdp_endpoint

    async def remove(self, shard: Shard) -> None:
        self._reach()
        self._machines.remove(_name(shard))

    async def close(self) -> None:
        return


def _name(shard: Shard) -> str:
    return f"{shard.tool}-{shard.version}-s{shard.number}"


def _identity(pod: Pod) -> str:
    """A container that was started again is another instance in the same pod."""
    return f"{pod.uid}.{pod.restarts}"


def _phase(pod: Pod) -> Phase:
    if pod.deleting is not None:
        return Phase.TERMINATING
    if pod.phase is PodPhase.FAILED:
        return Phase.FAILED
    return Phase.READY if pod.ready else Phase.STARTING
