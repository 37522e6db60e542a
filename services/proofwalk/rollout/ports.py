"""What an episode asks of the other roles and of the browser. The modules `grpc_*`
answer with the real roles; tests with fakes.

Every call is idempotent by the request id that the episode derives from its own id, so
that a successor repeats a call that may or may not have happened and learns what it
gave. Failures are `ProofwalkError`s with the codes of the contract in proto/.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from pydantic import SecretStr

from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.walk_record import Walk
from proofwalk.cloud.target import Tool
from proofwalk.kernel.account_pools import Demand
from proofwalk.kernel.answers import AnsweredField
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.evidence import AuditEvent, CitedEvent, WalkWindow
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.needs import Need, Report
from proofwalk.kernel.outcomes import Decision
from proofwalk.orders.order import Order
from proofwalk.rollout.judgement import JudgeAnswer
from proofwalk.rollout.pools import Pools
from proofwalk.rollout.walk_order import WalkOrder


@dataclass(frozen=True, kw_only=True)
class AccountLease:
    """A leased account."""

    lease_id: str
    account_id: str
    external_id: str
    target: str
    epoch: int

    @property
    def ref(self) -> LeaseRef:
        """As it is shown to other roles."""
        return LeaseRef(lease_id=self.lease_id, epoch=self.epoch, target=self.target)


@dataclass(frozen=True, kw_only=True)
class LeftBehind:
    """A resource that was not there when the account was leased."""

    product: str
    type: str
    id: str
    region: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """An account held against its baseline."""

    leftovers: Sequence[LeftBehind]
    unproven: bool


@dataclass(frozen=True, kw_only=True)
class Released:
    """What became of an account that was handed back."""

    clean: bool
    unproven: bool
    leftovers: Sequence[LeftBehind]


class AccountPool(Pools, Protocol):
    """The account_pool role."""

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
        """A lease; `account.none_free` keeps a place in the queue for so long, from the
        first asking, if the same request asks again every few seconds."""
        ...

    async def renew(self, lease: AccountLease, *, ttl: timedelta) -> None: ...

    async def console_login(self, lease: AccountLease) -> Mapping[str, SecretStr]: ...

    async def inspect(self, lease: AccountLease) -> Inspection: ...

    async def release(self, lease: AccountLease) -> Released: ...


@dataclass(frozen=True, kw_only=True)
class Sandbox:
    """A leased browser."""

    sandbox_id: str
    epoch: int
    cdp_endpoint: str
    warm: bool


class SandboxScheduler(Protocol):
    """The sandbox_scheduler role."""

    async def acquire(
        self,
        *,
        request_id: str,
        tool: str,
        holder: str,
        ttl: timedelta,
        allowed_hosts: Sequence[str],
    ) -> Sandbox: ...

    async def renew(self, sandbox: Sandbox, *, ttl: timedelta) -> None: ...

    async def release(self, sandbox: Sandbox) -> Mapping[str, int]:
        """Returns the hosts that the egress limit refused, with counts."""
        ...


@dataclass(frozen=True, kw_only=True)
class Provisioned:
    """What the provisioner made."""

    provisioning_id: str
    description: str
    outputs: Mapping[str, str]
    binds: Mapping[str, str]
    resources: Sequence[str]
    """In words: product, type, id, name, state."""
    price: str = ""
    """What they cost, in words."""
    expires_at: datetime | None = None
    """When they are taken back at the latest; None as long as the lease."""


@dataclass(frozen=True, kw_only=True)
class MetNeed:
    """What the provisioner made for a need of the walk."""

    provisioning_id: str
    report: Report
    rounds: int
    """Records that were run."""
    meta_id: str
    """The record that was used, and its version; empty and 0 where none is kept."""
    meta_version: int
    expires_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class KeptMeta:
    """A META record that is kept for a document's procedure."""

    yaml: str
    role: str
    """That it names; empty for none."""
    name: str
    """`ID@VERSION`."""


class Provisioner(Protocol):
    """The resource_provisioner role."""

    async def kept_record(
        self, *, document_digest: str, procedure_id: str, target: str
    ) -> KeptMeta | None:
        """The record that is kept for a procedure of this very document and is proven;
        None where there is none that may be run."""
        ...

    async def validate(self, *, meta_yaml: str, meta_id: str, target: str) -> str:
        """Raise what is wrong with a record, and what the target cannot do of it.
        Return the role that it names; empty for none."""
        ...

    async def provision(
        self, *, request_id: str, lease: AccountLease, order: Order
    ) -> Provisioned: ...

    async def provision_on_demand(
        self, *, request_id: str, lease: AccountLease, need: Need, order: Order
    ) -> MetNeed: ...

    async def refuse_ended(self, provisioning_id: str) -> None:
        """Raise what ended a provisioning, with the cause `provision`, if it is not
        there any more: `provision.expired`."""
        ...

    async def prove(self, meta_id: str, version: int, *, run: str, target: str) -> None:
        """Say that a record was made on a target, verified and destroyed with nothing
        left behind; `run` is the provisioning that showed it."""
        ...

    async def sweep(self, lease: AccountLease, leftovers: Sequence[LeftBehind]) -> int:
        """Destroy every provisioning of the lease and delete the leftovers; returns how
        many resources were swept."""
        ...


@dataclass(frozen=True, kw_only=True)
class JudgedStep:
    """An action of the walk as judges see it; `element` is the role and name of what it
    was done to."""

    number: int
    substep: str
    action: str
    element: str
    result: str
    ok: bool


@dataclass(frozen=True, kw_only=True)
class JudgedSubStepText:
    """A sub-step as judges see it."""

    number: str
    text: str
    optional: bool


@dataclass(frozen=True, kw_only=True)
class JudgedWalk:
    """A walk as judges see it (`judged_walk`)."""

    title: str
    console: str
    prepared: str
    binds: Mapping[str, str]
    substeps: Sequence[JudgedSubStepText]
    steps: Sequence[JudgedStep]
    page: str
    """The last page as text; empty when none was seen."""
    screenshot: bytes
    """JPEG of it; empty when none was taken."""
    viewport: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Reward:
    """What the reward service said."""

    decision: Decision
    reason: str
    rule: str = ""
    matched: Sequence[CitedEvent] = ()
    missing: Sequence[str] = ()
    violations: Sequence[CitedEvent] = ()
    observed: Sequence[AuditEvent] = ()
    polls: int = 0
    judges: Sequence[JudgeAnswer] = ()
    """What each judge said, where no rule decided alone."""
    answered: Sequence[AnsweredField] = ()


class RewardService(Protocol):
    """The reward_service role."""

    async def validate(self, rule_yaml: str) -> str: ...

    async def judge(
        self,
        *,
        request_id: str,
        lease: AccountLease,
        rule_yaml: str,
        window: WalkWindow,
        outputs: Mapping[str, str],
        answer: str = "",
    ) -> Reward: ...

    async def judge_by_models(
        self, *, request_id: str, lease: AccountLease, window: WalkWindow, walk: JudgedWalk
    ) -> Reward | None:
        """What two models make of a walk for which there is no rule; None where no
        judges are set."""
        ...

    async def judge_free_text(self, *, request_id: str, walk: JudgedWalk) -> Reward | None:
        """What two models make of the free text that the rule of this request has left
        open; None where no judges are set."""
        ...

    async def events(self, lease: AccountLease, window: WalkWindow) -> Sequence[AuditEvent]: ...


@dataclass(frozen=True, kw_only=True)
class WalkListeners:
    """The walk's way back to the episode."""

    on_step: Callable[[StepEvent], Awaitable[None]]
    on_signed_in: Callable[[float], Awaitable[None]]
    """Called with the seconds that connecting and signing in took."""
    provision: Callable[[Need], Awaitable[Report]]
    should_stop: Callable[[], bool]
    keep: Callable[[str, bytes], Awaitable[None]]
    """Keeps an artefact: its kind (`recordings.Artefact`) and its bytes, without
    secrets."""


class Walker(Protocol):
    """A browser or a desktop in which is walked: connects, signs in or prepares, runs
    the loop."""

    async def walk(self, order: WalkOrder, listeners: WalkListeners, *, clock: Clock) -> Walk:
        """`clock` is what the walk's times are taken from. Raises `ProofwalkError` when
        the console could not be reached or signed in to: an environment failure."""
        ...

    def tool(self, target: str) -> Tool:
        """The sandboxes that the target is walked in."""
        ...

    def allowed_hosts(self, target: str) -> Sequence[str]: ...

    def has_audit_log(self, target: str) -> bool: ...

    def secret_names(self, target: str, names: Iterable[str]) -> Collection[str]:
        """Which of a login's fields the target calls secret."""
        ...


@dataclass(frozen=True, kw_only=True)
class Peers:
    """The other roles and the browser, as one episode sees them."""

    accounts: AccountPool
    sandboxes: SandboxScheduler
    provisioner: Provisioner
    rewards: RewardService
    walker: Walker
