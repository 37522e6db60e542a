"""What an episode asks of the other roles and of the browser. `grpc_clients` answers with the real roles; tests with fakes.

Every call is idempotent by the request id that the episode derives from its own id, so that a successor repeats a call that may
or may not have happened and learns what it gave. Failures are `ProofwalkError`s with the codes of the contract in proto/.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from pydantic import SecretStr

from proofwalk.agent.environment import StepEvent
from proofwalk.agent.walk import Walk
from proofwalk.procedures.model import Procedure


@dataclass(frozen=True, kw_only=True)
class AccountLease:
    """A leased account."""

    lease_id: str
    account_id: str
    external_id: str
    target: str
    epoch: int


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


class AccountPool(Protocol):
    """The account_pool role."""

    async def acquire(self, *, request_id: str, target: str, holder: str, ttl: timedelta) -> AccountLease: ...

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
        self, *, request_id: str, tool: str, holder: str, ttl: timedelta, allowed_hosts: Sequence[str]
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
    report: str = ""
    rounds: int = 0


class Provisioner(Protocol):
    """The resource_provisioner role."""

    async def validate(self, meta_yaml: str) -> None: ...

    async def provision(
        self, *, request_id: str, lease: AccountLease, meta_yaml: str, meta_id: str, region: str
    ) -> Provisioned: ...

    async def provision_on_demand(
        self, *, request_id: str, lease: AccountLease, need: str, context: str, region: str
    ) -> Provisioned: ...

    async def sweep(self, lease: AccountLease, leftovers: Sequence[LeftBehind]) -> int:
        """Destroy every provisioning of the lease and delete the leftovers; returns how many resources were swept."""
        ...


@dataclass(frozen=True, kw_only=True)
class JudgedEvent:
    """An audit event as evidence."""

    id: str
    time: datetime
    service: str
    name: str
    kind: str
    ok: bool
    error_code: str = ""
    actor: str = ""
    request_json: str = "{}"
    resources: Sequence[str] = ()
    expectation: str = ""


@dataclass(frozen=True, kw_only=True)
class Reward:
    """What the reward service said."""

    reward: float
    decision: str
    reason: str
    rule: str = ""
    matched: Sequence[JudgedEvent] = ()
    missing: Sequence[str] = ()
    violations: Sequence[JudgedEvent] = ()
    observed: Sequence[JudgedEvent] = ()
    polls: int = 0


class RewardService(Protocol):
    """The reward_service role."""

    async def validate(self, rule_yaml: str) -> str: ...

    async def judge(
        self, *, request_id: str, lease: AccountLease, rule_yaml: str, start: datetime, end: datetime, outputs: Mapping[str, str]
    ) -> Reward: ...

    async def events(self, lease: AccountLease, *, start: datetime, end: datetime) -> Sequence[JudgedEvent]: ...


@dataclass(frozen=True, kw_only=True)
class WalkOrder:
    """Everything that a walk needs; no credential in it reaches a policy."""

    episode_id: str
    procedure: Procedure
    policy: str
    target: str
    cdp_endpoint: str
    login: Mapping[str, SecretStr]
    binds: Mapping[str, str]
    resources: str
    region: str
    script_yaml: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """META's outputs, none of them secret: what a script refers to."""
    scenario: str = ""
    screenshots: bool = True
    """Whether the walk takes pictures; no policy of today needs one."""
    seed: str = ""
    """Decides what a policy leaves to chance: the same for the same document, scenario and number of the episode."""


@dataclass(frozen=True, kw_only=True)
class WalkListeners:
    """The walk's way back to the episode."""

    on_step: Callable[[StepEvent], Awaitable[None]]
    on_signed_in: Callable[[float], Awaitable[None]]
    """Called with the seconds that connecting and signing in took."""
    provision: Callable[[str], Awaitable[str]]
    should_stop: Callable[[], bool]


class Walker(Protocol):
    """A browser that walks: connects, signs in, runs the loop."""

    async def walk(self, order: WalkOrder, listeners: WalkListeners) -> Walk:
        """Raises `ProofwalkError` when the console could not be reached or signed in to: an environment failure."""
        ...

    def allowed_hosts(self, target: str) -> Sequence[str]: ...

    def has_audit_log(self, target: str) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class Peers:
    """The other roles and the browser, as one episode sees them."""

    accounts: AccountPool
    sandboxes: SandboxScheduler
    provisioner: Provisioner
    rewards: RewardService
    walker: Walker
