"""What a shard's rows and what runs there say together. Pure: no clock, no I/O, nothing
kept between two looks.

A look compares all rows with all instances, and never acts on an event: what was missed
in between (a watch that broke, a process that died) shows itself again. Three
questions, each a function:

    compare   which instances need a row, which rows have come up, have to end, or are gone; what is to be discarded
    allot     how many places each shard of a cluster gets, so that leased ones stay and the quota holds
    surplus   which warm or starting ones a shard of that size has no place for

Two kinds of backends differ in what shrinking does. Where *ordinals* rule (a
StatefulSet), a shard of size n has the ordinals 0 to n-1, so a leased sandbox keeps all
places below its own, and grants prefer low ordinals so that shrinking stays possible.
Elsewhere any one may go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from proofwalk.sandbox_scheduler.domain import Sandbox, SandboxState


class Phase(StrEnum):
    """What an instance looks like from outside."""

    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"
    TERMINATING = "terminating"


@dataclass(frozen=True, kw_only=True, slots=True)
class Instance:
    """One instance as a backend sees it.

    `reason` says why it failed, or what keeps it from starting (an image that cannot be
    pulled, no node with room): such a one is left to the backend, which tries again.
    `since` is when a terminating one was told to end.
    """

    id: str
    place: str
    ordinal: int
    phase: Phase
    endpoint: str = ""
    reason: str = ""
    since: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long things may take before something is done about them."""

    start_s: float
    """From the first sight of an instance to its being up."""
    end_s: float
    """From the order to end to the end; what takes longer is forced."""


@dataclass(kw_only=True)
class Changes:
    """What a look found. Rows are changed first, then instances."""

    add: list[Instance] = field(default_factory=list)
    """Instances without a row."""
    up: list[tuple[Sandbox, Instance]] = field(default_factory=list)
    end: list[tuple[Sandbox, str]] = field(default_factory=list)
    """Rows that have to end, with the reason."""
    gone: list[Sandbox] = field(default_factory=list)
    """Rows whose instance is no more."""
    discard: list[tuple[Instance, bool]] = field(default_factory=list)
    """Instances to end, and whether by force."""


def compare(
    rows: Sequence[Sandbox], seen: Sequence[Instance], *, limits: Limits, now: datetime
) -> Changes:
    """Rows that have not ended, and what runs, of one shard."""
    changes = Changes()
    by_instance = {row.instance: row for row in rows}
    for instance in seen:
        row = by_instance.pop(instance.id, None)
        if row is None:
            # One that is on its way out was never anybody's.
            if instance.phase is not Phase.TERMINATING:
                changes.add.append(instance)
            if instance.phase is Phase.FAILED or _is_stuck(instance, limits, now):
                changes.discard.append((instance, instance.phase is Phase.TERMINATING))
            continue
        reason = _why_to_end(row, instance, limits, now)
        if row.state is not SandboxState.ENDING and reason:
            changes.end.append((row, reason))
        elif row.state is SandboxState.STARTING and instance.phase is Phase.READY:
            changes.up.append((row, instance))
        if (row.state is SandboxState.ENDING or reason) and instance.phase is not Phase.TERMINATING:
            changes.discard.append((instance, False))
        elif _is_stuck(instance, limits, now):
            changes.discard.append((instance, True))
    for row in by_instance.values():
        if row.state is not SandboxState.ENDING:
            changes.end.append((row, "it is gone"))
        changes.gone.append(row)
    return changes


def _why_to_end(row: Sandbox, instance: Instance, limits: Limits, now: datetime) -> str:
    if instance.phase is Phase.FAILED:
        return instance.reason or "it failed"
    if instance.phase is Phase.TERMINATING:
        return instance.reason or "it was ended from outside"
    if row.state is SandboxState.LEASED:
        if instance.phase is Phase.STARTING:
            return instance.reason or "it is not ready any more"
        return "its lease expired" if row.expires_at is not None and row.expires_at <= now else ""
    if row.state is SandboxState.WARM and instance.phase is Phase.STARTING:
        return instance.reason or "it is not ready any more"
    late = row.created_at + timedelta(seconds=limits.start_s) < now
    if (
        row.state is SandboxState.STARTING
        and instance.phase is Phase.STARTING
        and late
        and not instance.reason
    ):
        return f"it was not up within {limits.start_s:g} s"
    return ""


def _is_stuck(instance: Instance, limits: Limits, now: datetime) -> bool:
    if instance.phase is not Phase.TERMINATING or instance.since is None:
        return False
    return instance.since + timedelta(seconds=limits.end_s) < now


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """A shard's part of its cluster: what it has to keep, what it was told to have, and
    what is there."""

    base: int
    """Places that it cannot give up: those that are leased and, where ordinals rule,
    those below them."""
    size: int
    """Places that it was last told to have."""
    present: int
    """Instances that take up room, those on their way out among them."""

    @property
    def taken(self) -> int:
        """Places that are this shard's, or soon will be."""
        return max(self.size, self.present)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a cluster may be."""

    warm: int
    """Unused ones that are kept ready."""
    quota: int
    """Instances at most, whatever their state."""
    shard_size: int
    burst: int
    """Starting at the same time in one shard, at most."""
    ordinals: bool
    """Whether a shard of size n has the ordinals 0 to n-1 and no others."""


def demand(policy: Policy, *, leased: int, waiting: int) -> int:
    """Places that the cluster wants: for who has one, for who waits, and for who comes
    next."""
    return min(policy.quota, leased + waiting + policy.warm)


def base_of(rows: Iterable[Sandbox], *, ordinals: bool) -> int:
    """Places that a shard with these rows cannot give up."""
    leased = [row.ordinal for row in rows if row.state is SandboxState.LEASED]
    return max(leased, default=-1) + 1 if ordinals else len(leased)


def allot(
    shares: Mapping[int, Share],
    number: int,
    rows: Sequence[Sandbox],
    *,
    wanted: int,
    policy: Policy,
    retired: int = 0,
) -> int:
    """Places for shard `number`, which has these rows, of a cluster that wants so many.
    Every owner comes to the same split by itself.

    Each shard keeps its base; the rest goes to shards in the order of their numbers,
    which leaves the last ones empty. The result never lifts the sum over the quota,
    also when other owners decide at the same time from older figures: their places
    count with whatever is larger, told or there. `retired` are the places of the tool's
    older versions.
    """
    rest = max(0, min(wanted, policy.quota) - sum(share.base for share in shares.values()))
    given = 0
    for each in sorted(shares):
        given = min(rest, max(0, policy.shard_size - shares[each].base))
        if each == number:
            break
        rest -= given
    mine = shares[number]
    elsewhere = retired + sum(share.taken for each, share in shares.items() if each != number)
    # Where ordinals rule, what is on its way out makes room at its own place.
    leaving = 0 if policy.ordinals else sum(row.state is SandboxState.ENDING for row in rows)
    up = sum(row.state in (SandboxState.WARM, SandboxState.LEASED) for row in rows)
    size = min(
        mine.base + given, policy.quota - elsewhere - leaving, max(mine.size, up + policy.burst)
    )
    return max(mine.base, size)


def surplus(rows: Sequence[Sandbox], size: int, *, ordinals: bool) -> Sequence[Sandbox]:
    """Those for which a shard of this size has no place. Nobody holds any of them."""
    idle = [row for row in rows if row.state in (SandboxState.STARTING, SandboxState.WARM)]
    if ordinals:
        return [row for row in idle if row.ordinal >= size]
    over = len(idle) + sum(row.state is SandboxState.LEASED for row in rows) - size
    # What is not up yet goes first, then what came last.
    idle.sort(key=lambda row: (row.state is SandboxState.WARM, -row.created_at.timestamp(), row.id))
    return idle[: max(0, over)]
