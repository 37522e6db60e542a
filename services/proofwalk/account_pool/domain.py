"""An account, its proof of cleanliness, and what a sweep does next. Pure; states and
epochs are the kernel's (`kernel.leases`).

The proof compares what exists with the baseline, the inventory at the grant. What
exists beyond it are leftovers: a sweep deletes them. What is gone from it cannot be
brought back: such an account waits in quarantine for a person, whose `RestoreAccount`
takes the present inventory for the new baseline. Without an inventory nothing is
proven, and every answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pydantic import SecretStr

from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import AccessKey, CloudAccount, ConsoleLogin, ResourceRef
from proofwalk.kernel.account_pools import SERVES_ALL, Dedication, Demand
from proofwalk.kernel.leases import Lease, LeaseState

MAX_REASON = 1000


@dataclass(frozen=True, kw_only=True)
class Account:
    """One account of the pool, as its row says."""

    account_id: str
    target: str
    external_id: str
    role: str = ""
    """By a name that its target lists (`cloud.roles`); empty where it has none."""
    dedication: Dedication = SERVES_ALL
    """The site that it is of and the purposes that it is set aside for, as of the last
    look at its target."""
    state: LeaseState = LeaseState.FREE
    epoch: int = 0
    holder: str = ""
    expires_at: datetime | None = None
    lease_id: str = ""
    request_id: str | None = None
    """Set while leased: the request that got the lease."""
    secret: str = field(default="", repr=False)
    """Encrypted credentials; empty while they are not known."""
    baseline: tuple[ResourceRef, ...] | None = None
    """What existed at the grant."""
    leftovers: tuple[ResourceRef, ...] = ()
    reason: str = ""
    """Why it is quarantined."""
    offered: bool = True
    """Whether its target still names it."""
    freed_at: datetime | None = None
    """Since when it has been free; the longest free goes first."""
    busy_until: datetime | None = None
    """Until when a proof or a sweep of it is somebody's; afterwards anybody may take it
    up."""
    sweep_attempts: int = 0
    rotating: bool = False
    """Credentials are being replaced: those that are stored may be void, and have to be
    replaced before it is free."""
    rotated_at: datetime | None = None
    """When they were replaced last, or that was tried where the cloud cannot; None
    where nobody knows."""
    balance_micros: int | None = None
    """What it had left at the last look; None where nothing tells it."""
    currency: str = ""
    """Of the balance."""

    @property
    def balance(self) -> Money | None:
        """What it had left at the last look."""
        return _money(self.balance_micros, self.currency)

    @property
    def lease(self) -> Lease:
        """The kernel's view."""
        return Lease(
            state=self.state, epoch=self.epoch, holder=self.holder, expires_at=self.expires_at
        )


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What a request says beside what it wants."""

    max_cost: float | None = None
    """The cost at whose excess the pool ends the lease, in the account's currency."""
    wait_s: float = 0.0
    """Seconds that the caller waits, from its first asking."""


@dataclass(frozen=True, kw_only=True)
class Grant:
    """The history of one lease: who had it, what its release found, what it cost."""

    lease_id: str
    account_id: str
    target: str
    epoch: int
    holder: str
    request_id: str
    granted_at: datetime
    site: str = ""
    """Of the account, when it was granted."""
    purpose: str = ""
    """What it was asked for; empty where nobody asked, or before purposes were
    kept."""
    ended_at: datetime | None = None
    proof: Proof | None = None
    cost_micros: int | None = None
    """What it cost up to the last look at the bill; None where nothing tells it."""
    currency: str = ""
    """Of the cost."""
    max_cost_micros: int | None = None
    """The cost at whose excess the pool ends it, in the account's currency."""
    costed_at: datetime | None = None
    """When the bill was looked at last."""
    ending: str = ""
    """Code of what the pool ended it for; empty where the holder or time did."""
    settled: bool = False
    """Whether the bill was read when nothing of it was left in the account: the cost is
    final."""

    @property
    def cost(self) -> Money | None:
        """What it cost up to the last look at the bill."""
        return _money(self.cost_micros, self.currency)

    @property
    def max_cost(self) -> Money | None:
        """What it may cost, in the currency that its cost is told in."""
        return _money(self.max_cost_micros, self.currency)

    def over(self, cost: Money) -> bool:
        """Whether so much is more than it may cost."""
        return self.max_cost_micros is not None and cost.micros > self.max_cost_micros


def _money(micros: int | None, currency: str) -> Money | None:
    return None if micros is None else Money(micros=micros, currency=currency)


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What a comparison with the baseline found."""

    leftovers: tuple[ResourceRef, ...] = ()
    missing: tuple[ResourceRef, ...] = ()
    unproven: bool = False

    @property
    def clean(self) -> bool:
        """As far as can be seen."""
        return not self.leftovers and not self.missing

    @property
    def verdict(self) -> str:
        """`unproven`, `clean` or `dirty`."""
        return "unproven" if self.unproven else "clean" if self.clean else "dirty"

    def words(self) -> str:
        """The finding in one sentence; empty if clean."""
        parts = []
        if self.leftovers:
            parts.append(f"{len(self.leftovers)} left over: {_named(self.leftovers)}")
        if self.missing:
            parts.append(
                f"{len(self.missing)} that had been there are gone: {_named(self.missing)}"
            )
        return "; ".join(parts)


UNPROVEN = Proof(unproven=True)


def _named(resources: Sequence[ResourceRef]) -> str:
    shown = ", ".join(f"{item.type} {item.id}" for item in resources[:5])
    return shown + (", …" if len(resources) > 5 else "")


def compare(baseline: Sequence[ResourceRef] | None, present: Sequence[ResourceRef]) -> Proof:
    """What differs from the baseline; without one, nothing had been handed out, and
    nothing differs."""
    if baseline is None:
        return Proof()
    return Proof(
        leftovers=tuple(sorted(set(present) - set(baseline))),
        missing=tuple(sorted(set(baseline) - set(present))),
    )


def is_settling(resource: ResourceRef) -> bool:
    """Whether its state says that something is under way (`Deleting`, `Stopping`), so
    that waiting may help."""
    state = resource.state.lower()
    return state.endswith("ing") and state != "running"


def due_for_rotation(
    accounts: Sequence[Account],
    *,
    before: datetime,
    waited_for: Mapping[str, Sequence[Demand]],
) -> Account | None:
    """The free account whose credentials are the oldest and from before then, if it can
    be spared: nobody waits for what it serves (`waited_for`, by target), no other of
    its target is being rotated, and another of its role that serves as much stays
    free, if there is one."""
    rotating = {one.target for one in accounts if one.rotating}
    offered = [one for one in accounts if one.offered]
    old = [
        one
        for one in offered
        if one.state is LeaseState.FREE and (one.rotated_at is None or one.rotated_at <= before)
    ]
    for account in sorted(
        old, key=lambda one: (one.rotated_at or datetime.min.replace(tzinfo=UTC), one.account_id)
    ):
        peers = [one for one in offered if one is not account and _stands_in(one, account)]
        stays = not peers or any(one.state is LeaseState.FREE for one in peers)
        is_wanted = any(
            demand.role == account.role and account.dedication.serves(demand)
            for demand in waited_for.get(account.target, ())
        )
        if stays and account.target not in rotating and not is_wanted:
            return account
    return None


def _stands_in(one: Account, account: Account) -> bool:
    """Whether one account is lent to whoever the other is lent to."""
    same_line = (one.target, one.role) == (account.target, account.role)
    return same_line and one.dedication.serves_as_much_as(account.dedication)


def sweep_pause(attempts: int) -> timedelta:
    """Until the next sweep after so many that failed: from 10 seconds, doubling, to
    half an hour."""
    return timedelta(seconds=min(10 * 2 ** min(attempts, 12), 1800))


def plain(account: CloudAccount) -> dict[str, dict[str, str]]:
    """Credentials as the document that is encrypted."""
    login = {name: value.get_secret_value() for name, value in account.login.fields.items()}
    key = account.access_key
    return {
        "login": login,
        "access_key": {"id": key.key_id, "secret": key.secret.get_secret_value()} if key else {},
    }


def credentialed(external_id: str, document: dict[str, dict[str, str]]) -> CloudAccount:
    """Inverse of `plain`."""
    key = document["access_key"]
    return CloudAccount(
        external_id=external_id,
        login=ConsoleLogin(
            fields={name: SecretStr(value) for name, value in document["login"].items()}
        ),
        access_key=AccessKey(key_id=key["id"], secret=SecretStr(key["secret"])) if key else None,
    )


def knows_credentials(account: CloudAccount) -> bool:
    """Whether the source told any."""
    return bool(account.login.fields) or account.access_key is not None
