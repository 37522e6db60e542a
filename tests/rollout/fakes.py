"""An in-memory world around an episode: accounts, browsers, resources, the log, and a
walker that follows a script.

Every call goes through `World.call`, which first waits on a gate, if the test has
closed one there, and then meets the faults that the test planted: before the effect, or
after it (the effect took place and nobody heard of it). `World.held` is what is left in
the world.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from pydantic import SecretStr

from proofwalk.agent.core.budget import Spent
from proofwalk.agent.core.endings import Completed, Ending
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.policy import PastStep
from proofwalk.agent.core.walk_record import SubStepRecord, Walk, WalkStatus
from proofwalk.chassis.database import Database, Transaction
from proofwalk.cloud.roles import AccountRoles
from proofwalk.cloud.target import Tool
from proofwalk.console.actions import Click
from proofwalk.kernel.account_pools import Dedication, Demand
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, exhausted, not_found, unavailable
from proofwalk.kernel.evidence import AuditEvent, CitedEvent, WalkWindow
from proofwalk.kernel.expectations import Expectation, Seen, Sighting
from proofwalk.kernel.leases import stale_epoch
from proofwalk.kernel.needs import MadeResource, Need, Report
from proofwalk.kernel.outcomes import Decision
from proofwalk.kernel.readings import SubStepReading
from proofwalk.orders.order import Order
from proofwalk.rollout.ports import (
    AccountLease,
    Inspection,
    JudgedWalk,
    KeptMeta,
    LeftBehind,
    MetNeed,
    Peers,
    Provisioned,
    Released,
    Reward,
    Sandbox,
    WalkListeners,
)
from proofwalk.rollout.walk_order import WalkOrder

T = TypeVar("T")
STOPPED = Sighting(
    expectation=Expectation(
        kind=Seen.STATE, text="Stopped", subject="web-1", line=6, sentence="Its status is Stopped."
    ),
    seen="web-1 Stopped",
    step=2,
    grounded=True,
    fresh=True,
    after_last_act=True,
)
"""Page evidence."""


class Died(BaseException):
    """The process of a worker ended here: no handler, no clean-up, no word to
    anybody."""


class DyingDatabase(Database):
    """The database of a worker that dies at its n-th write: after whatever the write
    was to record, and before it is recorded."""

    def __init__(self, database: Database, *, at: int) -> None:
        self.__dict__.update(database.__dict__)  # the same engine and the same turn to write
        self._at = at
        self.writes = 0

    async def run(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        self.writes += 1
        if self.writes == self._at:
            raise Died
        return await super().run(work)


@dataclass
class Gate:
    """Where a call stands still."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)


class World:
    """What the other roles own."""

    def __init__(self, clock: Clock, *, accounts: int = 2, sandboxes: int = 2) -> None:
        self.clock = clock
        self.calls: list[str] = []
        self.before: defaultdict[str, deque[BaseException]] = defaultdict(deque)
        self.after: defaultdict[str, deque[BaseException]] = defaultdict(deque)
        self.gates: dict[str, Gate] = {}
        self.accounts = FakeAccounts(self, accounts)
        self.sandboxes = FakeSandboxes(self, sandboxes)
        self.provisioner = FakeProvisioner(self)
        self.rewards = FakeRewards(self)
        self.walker = FakeWalker(self)

    @property
    def peers(self) -> Peers:
        """The ports of an episode."""
        return Peers(
            accounts=self.accounts,
            sandboxes=self.sandboxes,
            provisioner=self.provisioner,
            rewards=self.rewards,
            walker=self.walker,
        )

    @property
    def held(self) -> list[str]:
        """Everything that an episode has taken or made and that is still there."""
        return [
            *self.accounts.live.values(),
            *self.sandboxes.live.values(),
            *self.provisioner.resources,
        ]

    async def call(self, name: str, effect: Callable[[], T]) -> T:
        """One call of a peer."""
        self.calls.append(name)
        if name in self.gates:
            self.gates[name].reached.set()
            await self.gates[name].opened.wait()
        if self.before[name]:
            raise self.before[name].popleft()
        result = effect()
        if self.after[name]:
            raise self.after[name].popleft()
        return result


class FakeAccounts:
    """Grants each account once; a lease that was released is stale."""

    def __init__(self, world: World, count: int) -> None:
        self._world = world
        self._count = count
        self._leases: dict[str, AccountLease] = {}
        self.live: dict[str, str] = {}
        self.leftovers: list[LeftBehind] = []
        self.releases: list[str] = []
        self.unproven = False
        """The target has no inventory."""
        self.told: ProofwalkError | None = None
        self.known = AccountRoles()
        self.demands: list[Demand] = []
        self.serving: list[Dedication] = []
        self.away: ProofwalkError | None = None

    async def roles(self, target: str) -> AccountRoles:
        return self.known

    async def dedications(self, target: str) -> Collection[Dedication]:
        if self.away is not None:
            raise self.away
        return self.serving

    async def acquire(
        self,
        *,
        request_id: str,
        target: str,
        demand: Demand,
        holder: str,
        ttl: timedelta,
        wait: timedelta,
    ) -> AccountLease:
        self.demands.append(demand)

        def effect() -> AccountLease:
            known = self._leases.get(request_id)
            if known is not None and known.lease_id in self.live:
                return known
            if len(self.live) >= self._count:
                raise exhausted("account.none_free", "every account is leased")
            number = len(self._leases) + 1
            lease = AccountLease(
                lease_id=f"lease_{number}",
                account_id=f"acc_{number}",
                external_id=f"1{number:03}",
                target=target,
                epoch=number,
            )
            self._leases[request_id] = lease
            self.live[lease.lease_id] = f"account of {holder}"
            return lease

        return await self._world.call("accounts.acquire", effect)

    async def renew(self, lease: AccountLease, *, ttl: timedelta) -> None:
        await self._world.call("accounts.renew", lambda: self._check(lease))

    async def console_login(self, lease: AccountLease) -> Mapping[str, SecretStr]:
        def effect() -> Mapping[str, SecretStr]:
            self._check(lease)
            return {"user": SecretStr("walker"), "password": SecretStr("pw")}

        return await self._world.call("accounts.console_login", effect)

    async def inspect(self, lease: AccountLease) -> Inspection:
        def effect() -> Inspection:
            self._check(lease)
            return Inspection(leftovers=tuple(self.leftovers), unproven=False)

        return await self._world.call("accounts.inspect", effect)

    async def release(self, lease: AccountLease) -> Released:
        def effect() -> Released:
            self._check(lease)
            del self.live[lease.lease_id]
            self.releases.append(lease.lease_id)
            return Released(
                clean=not self.leftovers, unproven=self.unproven, leftovers=tuple(self.leftovers)
            )

        return await self._world.call("accounts.release", effect)

    def take_away(self, told: ProofwalkError | None = None) -> None:
        """The pool ends every lease, and sweeps by itself; holders are told that, or
        that their time has passed."""
        self.told = told
        self.live.clear()
        self._world.provisioner.resources.clear()

    def _check(self, lease: AccountLease) -> None:
        if lease.lease_id not in self.live:
            raise self.told or stale_epoch(lease.epoch, lease.epoch + 1)


class FakeSandboxes:
    """Grants browsers; one that ended is unknown."""

    def __init__(self, world: World, count: int) -> None:
        self._world = world
        self._count = count
        self._granted: dict[str, Sandbox] = {}
        self.live: dict[str, str] = {}
        self.allowed: list[Sequence[str]] = []
        self.tools: list[str] = []

    async def acquire(
        self,
        *,
        request_id: str,
        tool: str,
        holder: str,
        ttl: timedelta,
        allowed_hosts: Sequence[str],
    ) -> Sandbox:
        def effect() -> Sandbox:
            known = self._granted.get(request_id)
            if known is not None and known.sandbox_id in self.live:
                return known
            if len(self.live) >= self._count:
                raise exhausted("sandbox.none_free", "every browser is in use")
            sandbox = Sandbox(
                sandbox_id=f"sbx_{len(self._granted) + 1}",
                epoch=1,
                cdp_endpoint="ws://127.0.0.1:1/x",
                warm=True,
            )
            self._granted[request_id] = sandbox
            self.live[sandbox.sandbox_id] = f"sandbox of {holder}"
            self.allowed.append(allowed_hosts)
            self.tools.append(tool)
            return sandbox

        return await self._world.call("sandboxes.acquire", effect)

    async def renew(self, sandbox: Sandbox, *, ttl: timedelta) -> None:
        await self._world.call("sandboxes.renew", lambda: self._check(sandbox))

    async def release(self, sandbox: Sandbox) -> Mapping[str, int]:
        def effect() -> Mapping[str, int]:
            self._check(sandbox)
            del self.live[sandbox.sandbox_id]
            return {"tracker.example": 2}

        return await self._world.call("sandboxes.release", effect)

    def _check(self, sandbox: Sandbox) -> None:
        if sandbox.sandbox_id not in self.live:
            raise not_found("sandbox.not_found", "it has ended")


class FakeProvisioner:
    """Makes one resource for each request; a sweep removes them all."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.resources: set[str] = set()
        self.needs: list[Need] = []
        self.proven: list[str] = []
        """The records of which a walk said so, and their versions."""
        self.role = ""
        self.ended: ProofwalkError | None = None
        """What ended everything that was made."""
        self.expires_at: datetime | None = None
        self.records: dict[tuple[str, str, str], KeptMeta] = {}
        """By document digest, procedure and target."""

    async def kept_record(
        self, *, document_digest: str, procedure_id: str, target: str
    ) -> KeptMeta | None:
        return self.records.get((document_digest, procedure_id, target))

    async def validate(self, *, meta_yaml: str, meta_id: str, target: str) -> str:
        return await self._world.call("provisioner.validate", lambda: self.role)

    async def provision(self, *, request_id: str, lease: AccountLease, order: Order) -> Provisioned:
        return await self._world.call(
            "provisioner.provision", lambda: self._made(request_id, lease)
        )

    async def provision_on_demand(
        self, *, request_id: str, lease: AccountLease, need: Need, order: Order
    ) -> MetNeed:
        self.needs.append(need)

        def effect() -> MetNeed:
            made = self._made(request_id, lease)
            resource = MadeResource(product="ecs", type="instance", id="i-1", name="web-1")
            return MetNeed(
                provisioning_id=made.provisioning_id,
                report=Report(text="made", resources=(resource,)),
                rounds=1,
                meta_id="need-instance",
                meta_version=3,
            )

        return await self._world.call("provisioner.provision_on_demand", effect)

    async def refuse_ended(self, provisioning_id: str) -> None:
        if self.ended is not None:
            raise self.ended

    async def prove(self, meta_id: str, version: int, *, run: str, target: str) -> None:
        assert run.startswith("prov_")
        assert target
        await self._world.call(
            "provisioner.prove", lambda: self.proven.append(f"{meta_id}@{version}")
        )

    async def sweep(self, lease: AccountLease, leftovers: Sequence[LeftBehind]) -> int:
        def effect() -> int:
            mine = {name for name in self.resources if name.startswith(f"{lease.lease_id}/")}
            self.resources -= mine
            return len(mine) + len(leftovers)

        return await self._world.call("provisioner.sweep", effect)

    def _made(self, request_id: str, lease: AccountLease) -> Provisioned:
        self.resources.add(f"{lease.lease_id}/{request_id}")
        return Provisioned(
            provisioning_id=f"prov_{request_id}",
            description="an instance web-1",
            outputs={"instance_id": "i-1"},
            binds={"instance": "web-1"},
            resources=["ecs instance i-1 web-1 Running"],
            expires_at=self.expires_at,
        )


class FakeRewards:
    """Answers with `decision`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.decision = "confirmed"
        self.windows: list[WalkWindow] = []
        self.outputs: Mapping[str, str] = {}
        self.answers: list[str] = []
        """What the agent told, by judgement."""
        self.by_models: Reward | None = None
        """What the judges say; None: none are set."""
        self.of_free_text: Reward | None = None
        """What the judges say of free text; None: none are set."""
        self.walks: list[JudgedWalk] = []

    async def validate(self, rule_yaml: str) -> str:
        return await self._world.call("rewards.validate", lambda: "a rule")

    async def judge(
        self,
        *,
        request_id: str,
        lease: AccountLease,
        rule_yaml: str,
        window: WalkWindow,
        outputs: Mapping[str, str],
        answer: str = "",
    ) -> Reward:
        def effect() -> Reward:
            self.windows.append(window)
            self.outputs = outputs
            self.answers.append(answer)
            event = _event(window.start)
            good = self.decision == "confirmed"
            return Reward(
                decision=Decision(self.decision),
                reason=f"the log says {self.decision}",
                rule="StopInstance ok",
                matched=[CitedEvent(event=event, expectation="stopped")] if good else [],
                missing=[] if good else ["StopInstance"],
                observed=[event],
                polls=1,
            )

        return await self._world.call("rewards.judge", effect)

    async def judge_by_models(
        self,
        *,
        request_id: str,
        lease: AccountLease,
        window: WalkWindow,
        walk: JudgedWalk,
    ) -> Reward | None:
        def effect() -> Reward | None:
            self.walks.append(walk)
            return self.by_models

        return await self._world.call("rewards.judge_by_models", effect)

    async def judge_free_text(self, *, request_id: str, walk: JudgedWalk) -> Reward | None:
        def effect() -> Reward | None:
            self.walks.append(walk)
            return self.of_free_text

        return await self._world.call("rewards.judge_free_text", effect)

    async def events(self, lease: AccountLease, window: WalkWindow) -> Sequence[AuditEvent]:
        return await self._world.call("rewards.events", lambda: [_event(window.start)])


def _event(time: datetime) -> AuditEvent:
    return AuditEvent(
        id="evt-1",
        time=time,
        service="Ecs",
        name="StopInstance",
        kind="ApiCall",
        write=True,
        ok=True,
    )


Script = Callable[[WalkOrder, WalkListeners], Awaitable[Ending]]


class FakeWalker:
    """Takes one step in each sub-step and claims completion, unless `script` says how
    it ends."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.script: Script | None = None
        self.orders: list[WalkOrder] = []
        self.audit_log = True
        self.walked_in: Tool = "chromium"
        self.score: float | None = None
        """What a desktop's validator gives."""
        self.needs: list[str] = []
        self.history: tuple[PastStep, ...] = (
            PastStep(substep="1", thought="", action=Click(id=3), result="clicked", ok=True),
        )
        self.seen: Sighting | None = None
        """What the walk sees in its last sub-step."""
        self.clock_off_s = 0.0
        self.reading: SubStepReading | None = None
        """What its policy read there."""

    def tool(self, target: str) -> Tool:
        return self.walked_in

    def secret_names(self, target: str, names: Iterable[str]) -> Collection[str]:
        return frozenset(name for name in names if "password" in name)

    async def walk(self, order: WalkOrder, listeners: WalkListeners, *, clock: Clock) -> Walk:
        await self._world.call("walker.walk", lambda: self.orders.append(order))
        started = clock.now()
        await listeners.on_signed_in(0.5)
        for need in self.needs:
            await listeners.provision(Need(text=need))
        records = []
        for index, substep in enumerate(order.procedure.substeps):
            begun = clock.now()
            await listeners.on_step(_step(index, substep.number, begun))
            records.append(
                SubStepRecord(
                    number=substep.number,
                    status=WalkStatus.DONE,
                    started_at=begun,
                    ended_at=clock.now(),
                    steps=1,
                )
            )
        if records:
            records[-1] = replace(
                records[-1], sightings=(self.seen,) if self.seen else (), reading=self.reading
            )
        ending: Ending = (
            Completed(note="done") if self.script is None else await self.script(order, listeners)
        )
        return Walk(
            records=tuple(records),
            ending=ending,
            started_at=started,
            ended_at=clock.now(),
            steps=len(records),
            final=None,
            history=self.history,
            cost=0.25,
            clock_off_s=self.clock_off_s,
            score=self.score,
            spent=Spent(calls=3, cost=0.25, seconds=1.5),
        )

    def allowed_hosts(self, target: str) -> Sequence[str]:
        return [f"{target}.example:443"]

    def has_audit_log(self, target: str) -> bool:
        return self.audit_log


def _step(index: int, number: str, moment: datetime) -> StepEvent:
    return StepEvent(
        step=index + 1,
        substep=number,
        substep_index=index,
        thought="the button is there",
        action='{"kind": "click", "id": 3}',
        result="clicked",
        ok=True,
        url="https://console.example/instances",
        title="Instances",
        started_at=moment,
        ended_at=moment,
        screenshot=b"jpeg",
    )


def away(times: int = 1) -> list[BaseException]:
    """A peer that cannot be reached."""
    return [unavailable("rpc.unavailable", "connection refused") for _ in range(times)]
