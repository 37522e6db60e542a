"""Where the scheduler's contract is tried: one world for each backend, with the same
verbs.

A world has the rows, what runs, and schedulers over both. `pass_time` lets what was
begun go on (a simulated cluster's clock is moved, a real one is waited for), `until`
looks and waits until something holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from kubernetes.aio.client import Configuration

from proofwalk.chassis.database import Database
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.kernel.clock import Clock, ManualClock, SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.sandbox_scheduler.backend import Backend, Pulse
from proofwalk.sandbox_scheduler.browser import SandboxedBrowser
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.domain import Sandbox, SandboxState, Shard
from proofwalk.sandbox_scheduler.kubernetes.agents import AgentSandboxBackend
from proofwalk.sandbox_scheduler.kubernetes.api import KubernetesApi
from proofwalk.sandbox_scheduler.kubernetes.backend import StatefulSetBackend
from proofwalk.sandbox_scheduler.local import LocalBackend
from proofwalk.sandbox_scheduler.reconciliation import Phase
from proofwalk.sandbox_scheduler.settings import KubernetesSettings, SandboxSchedulerSettings
from proofwalk.sandbox_scheduler.simulation.backend import SimulatedBackend
from proofwalk.sandbox_scheduler.simulation.machines import Machines, Pod, Timing
from tests.sandbox_scheduler.fake_api import NAMESPACE, FakeApi

TTL = timedelta(seconds=60)


class World(Protocol):
    """A backend's surroundings."""

    shared: bool
    clock: Clock
    step_s: float
    """How far time moves while something is waited for."""

    def cluster(self, owner: str, **settings: Any) -> Cluster:
        """A scheduler over this world's rows and whatever runs here."""
        ...

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass, for leases and for what runs."""
        ...

    async def crash(self, sandbox: Sandbox) -> None:
        """End what is behind a sandbox, from outside."""
        ...

    async def running(self) -> set[str]:
        """The identities of all that runs."""
        ...


def settings_for(**told: Any) -> SandboxSchedulerSettings:
    """Past validation: what takes seconds in earnest, a test has not got."""
    quick = {
        "warm": 1,
        "quota": 3,
        "shard_size": 3,
        "start_s": 20.0,
        "poll_s": 0.05,
        "cooldown_s": 0.0,
        "check_s": 0.2,
    }
    return SandboxSchedulerSettings().model_copy(update={**quick, **told})


def few_machines() -> Machines:
    """Four nodes for sixteen sandboxes. A start takes a few steps of the clock: enough
    to be seen under way, and each step costs a look."""
    return Machines(nodes=4, room=4, timing=Timing(image_pull=1.0, start_median=1.0), seed=7)


class MachinesWorld:
    """Simulated machines, and a clock that moves with them."""

    shared = True
    step_s = 0.25
    fences = True
    """Whether what makes the pods refuses a scheduler that has lost its shard."""

    def __init__(self, db: Database, machines: Machines | None = None) -> None:
        self.db = db
        self._manual = ManualClock()
        self.clock: Clock = self._manual
        self.since = self.clock.now()
        self.machines = machines or few_machines()
        self.pulses: list[Pulse] = []

    def backend(self, version: str) -> Backend:
        """Another view of the machines."""
        raise NotImplementedError

    def cluster(self, owner: str, *, version: str = "1", **settings: Any) -> Cluster:
        backend = self.backend(version)
        self.pulses.append(backend.pulse)
        ids = RandomIds(self.clock)
        return Cluster(
            backend,
            db=self.db,
            clock=self.clock,
            ids=ids,
            settings=settings_for(**settings),
            owner=owner,
        )

    async def pass_time(self, seconds: float) -> None:
        self._manual.advance(seconds)
        self.machines.advance(seconds)
        for pulse in self.pulses:
            pulse.beat()
        await self.heard()

    async def heard(self) -> None:
        """Until every view knows what happened."""

    def break_off(self) -> None:
        """The machines cannot be asked."""
        raise NotImplementedError

    def mend(self) -> None:
        """They can be asked again."""
        raise NotImplementedError

    def pod(self, sandbox: Sandbox) -> Pod:
        """What is behind a sandbox."""
        pod = self.machines.pod(sandbox.place)
        assert pod is not None
        return pod

    async def crash(self, sandbox: Sandbox) -> None:
        self.machines.crash(self.pod(sandbox))
        await self.heard()

    async def running(self) -> set[str]:
        return {
            f"{pod.uid}.{pod.restarts}"
            for owner in self.machines.sets.values()
            for pod in owner.pods.values()
            if pod.ready
        }


class SimulatedWorld(MachinesWorld):
    """The simulated machines themselves."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self.backends: list[SimulatedBackend] = []

    def backend(self, version: str) -> Backend:
        self.backends.append(SimulatedBackend(self.machines, since=self.since, version=version))
        return self.backends[-1]

    def break_off(self) -> None:
        for backend in self.backends:
            backend.reachable = False

    def mend(self) -> None:
        for backend in self.backends:
            backend.reachable = True


class ApiWorld(MachinesWorld):
    """Simulated machines behind an API over HTTP, and the backend of the real one."""

    def __init__(self, db: Database, api: FakeApi) -> None:
        super().__init__(db, api.machines)
        self.api = api

    def backend(self, version: str) -> Backend:
        settings = KubernetesSettings(
            namespace=NAMESPACE, image="sandbox:1", version=version, watch_s=5
        )
        api = KubernetesApi(
            Configuration(host=self.api.address), namespace=NAMESPACE, deadline_s=5.0
        )
        # How fresh a watch is, goes by real time.
        return StatefulSetBackend(api, FakeDoors(), settings=settings, clock=SystemClock())

    def break_off(self) -> None:
        self.api.down = True

    def mend(self) -> None:
        self.api.down = False

    async def heard(self) -> None:
        # The watch's lines cross a socket: let the loop read them.
        for _ in range(5):
            await asyncio.sleep(0.001)


class AgentSandboxWorld(ApiWorld):
    """The same machines, where agent-sandbox's controller makes the pods."""

    fences = False

    def backend(self, version: str) -> Backend:
        settings = KubernetesSettings(
            namespace=NAMESPACE,
            image="sandbox:1",
            version=version,
            watch_s=5,
            pods_by="agent-sandbox",
        )
        api = KubernetesApi(
            Configuration(host=self.api.address), namespace=NAMESPACE, deadline_s=5.0
        )
        ids = RandomIds(SystemClock())
        return AgentSandboxBackend(
            api, FakeDoors(), settings=settings, clock=SystemClock(), ids=ids
        )

    def pod(self, sandbox: Sandbox) -> Pod:
        pod = self.api.pod(sandbox.place)
        assert pod is not None
        return pod


class LocalWorld:
    """Real browsers on this machine. Their leases go by a clock of their own: a
    browser's start takes what it takes."""

    shared = False
    step_s = 0.02

    def __init__(self, db: Database, folder: Path) -> None:
        self.db = db
        self.folder = folder
        self._manual = ManualClock()
        self.clock: Clock = self._manual
        self._browsers: dict[str, SandboxedBrowser] = {}
        self._backends: list[LocalBackend] = []

    def cluster(self, owner: str, **settings: Any) -> Cluster:
        ids, told = RandomIds(SystemClock()), settings_for(**settings)
        binary = find_chromium(None)

        async def start() -> SandboxedBrowser:
            browser = await SandboxedBrowser.start(binary, folder=self.folder)
            self._browsers[browser.endpoint] = browser
            return browser

        backend = LocalBackend(
            start, tool="chromium", version="1", ids=ids, start_s=60, check_s=0.2, hang_s=10
        )
        self._backends.append(backend)
        return Cluster(backend, db=self.db, clock=self.clock, ids=ids, settings=told, owner=owner)

    async def pass_time(self, seconds: float) -> None:
        self._manual.advance(seconds)
        # Browsers live in real time, which goes on while this is waited for.
        await asyncio.sleep(0.02)

    async def crash(self, sandbox: Sandbox) -> None:
        await self._browsers[sandbox.cdp_endpoint.partition("/devtools/")[0]].end()

    async def running(self) -> set[str]:
        shard = Shard(tool="chromium", version="1", number=0)
        seen = [instance for backend in self._backends for instance in await backend.observe(shard)]
        return {instance.id for instance in seen if instance.phase is Phase.READY}


class FakeDoors:
    """Pods without a program in them."""

    public_key = "00" * 32

    async def open(self, sandbox: Sandbox, hosts: Sequence[str]) -> str:
        return f"{sandbox.cdp_endpoint}/devtools/{sandbox.epoch}"

    async def refused(self, sandbox: Sandbox) -> Mapping[str, int]:
        return {"tracker.example": 3}

    async def close(self) -> None:
        return


async def until(
    world: World, cluster: Cluster, holds: Callable[[], Awaitable[bool]], *, turns: int = 1000
) -> None:
    """Look, and let time pass, until something holds."""
    for _ in range(turns):
        await cluster.look()
        if await holds():
            return
        await world.pass_time(world.step_s)
    raise AssertionError(
        "it never came to hold:"
        f" {[(row.place, row.state.value, row.reason) for row in await cluster.rows()]}"
    )


async def until_states(world: World, cluster: Cluster, *states: str) -> None:
    """Look until the cluster's sandboxes have exactly these states."""

    async def holds() -> bool:
        return sorted(row.state.value for row in await cluster.rows()) == sorted(states)

    await until(world, cluster, holds)


async def acquire(
    world: World, cluster: Cluster, request_id: str, *, ttl: timedelta = TTL
) -> Sandbox:
    """A sandbox for a request, while time passes."""
    asking = asyncio.ensure_future(
        cluster.acquire(
            request_id=request_id,
            tool="chromium",
            holder=request_id,
            ttl=ttl,
            allowed_hosts=["console.example:443"],
        )
    )
    try:
        while not asking.done():
            await asyncio.wait([asking], timeout=0.02)
            if not asking.done():
                await world.pass_time(world.step_s)
        return asking.result()
    finally:
        asking.cancel()


async def leased(cluster: Cluster) -> set[str]:
    """The ids of what is granted."""
    return {row.id for row in await cluster.rows() if row.state is SandboxState.LEASED}
