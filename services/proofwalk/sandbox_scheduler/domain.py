"""A sandbox's life, and the words around it. Pure; `reconciliation` has the policy.

    starting --up--> warm --grant--> leased --release, expiry, crash--> ending --gone--> ended
        `------------------------ failure, crash, surplus, shutdown -----------^

A sandbox is used once: what a walk left in a browser (cookies, caches, a hung renderer)
never meets the next walk, so a released sandbox is ended, not returned. The epoch is
the number of its grant; since there is one grant, it is 0 before and 1 after.

A *tool* is an immutable, versioned environment definition, a *cluster* its running
instances (EvoCUA's words). A cluster is cut into *shards*: numbered shares of it, each
tended by one scheduler process at a time under a lease whose epoch grows with every
change of hands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from proofwalk.kernel.errors import (
    ProofwalkError,
    Status,
    conflict,
    exhausted,
    not_found,
    unavailable,
)


class SandboxState(StrEnum):
    """Where a sandbox is in its life."""

    STARTING = "starting"
    WARM = "warm"
    LEASED = "leased"
    ENDING = "ending"
    ENDED = "ended"


LIVE = (SandboxState.STARTING, SandboxState.WARM, SandboxState.LEASED, SandboxState.ENDING)

TRANSITIONS: Mapping[SandboxState, frozenset[SandboxState]] = {
    SandboxState.STARTING: frozenset({SandboxState.WARM, SandboxState.ENDING}),
    SandboxState.WARM: frozenset({SandboxState.LEASED, SandboxState.ENDING}),
    SandboxState.LEASED: frozenset({SandboxState.ENDING}),
    SandboxState.ENDING: frozenset({SandboxState.ENDED}),
    SandboxState.ENDED: frozenset(),
}


def advance(current: SandboxState, target: SandboxState) -> SandboxState:
    """`target`, if a sandbox may go there from `current`."""
    if target not in TRANSITIONS[current]:
        raise conflict("sandbox.bad_transition", f"a {current} sandbox cannot become {target}")
    return target


@dataclass(frozen=True, kw_only=True)
class Tool:
    """An immutable environment definition (EvoCUA's word). `ticket_key` is the public
    key of its sandboxes' tickets, if they ask for any."""

    name: str
    version: str
    backend: str
    ticket_key: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shard:
    """A share of a tool's cluster, as its owner holds it. `epoch` is the number of the
    ownership."""

    tool: str
    version: str
    number: int
    epoch: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Sandbox:
    """One instance of a tool, from its first sight to its end.

    `place` is its slot's name, which the next instance there will bear again;
    `instance` is this instance's own identity, never used twice. `warm` is 1 when it
    waited in the pool before it was granted.
    """

    id: str
    tool: str
    version: str
    shard: int
    ordinal: int
    place: str
    instance: str
    state: SandboxState
    epoch: int = 0
    request_id: str | None = None
    holder: str = ""
    expires_at: datetime | None = None
    cdp_endpoint: str = ""
    warm: int = 0
    reason: str = ""
    refused_hosts: Mapping[str, int] = field(default_factory=dict)
    created_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Census:
    """How many sandboxes of a tool are in which state, and how many requests wait for
    one."""

    starting: int = 0
    warm: int = 0
    leased: int = 0
    ending: int = 0
    waiting: int = 0

    @property
    def total(self) -> int:
        """Everything that takes up room."""
        return self.starting + self.warm + self.leased + self.ending


def may_wait(census: Census, *, quota: int) -> bool:
    """Whether the quota has room for one more request to wait for: what starts or is
    warm is for those that wait."""
    return census.leased + census.ending + census.waiting < quota


def none_free(tool: str, census: Census, quota: int) -> ProofwalkError:
    """All of the quota is in use."""
    return exhausted(
        "sandbox.none_free",
        f"all {quota} sandboxes of {tool!r} are in use ({census.leased} leased, {census.waiting}"
        " requests wait)",
        hint="wait, or raise the quota",
    )


def not_started(tool: str, seconds: float, reason: str) -> ProofwalkError:
    """A request waited for nothing."""
    said = f": {reason}" if reason else ""
    return unavailable(
        "sandbox.start_failed",
        f"no sandbox of {tool!r} was up within {seconds:g} s{said}",
        hint="try again",
    )


def unknown(sandbox_id: str) -> ProofwalkError:
    """No such sandbox, or it ended."""
    return not_found(
        "sandbox.not_found",
        f"there is no sandbox {sandbox_id!r}; it may have ended",
        hint="acquire another one",
    )


def crashed(sandbox_id: str, reason: str) -> ProofwalkError:
    """What was behind a lease is gone."""
    return ProofwalkError(
        "sandbox.crashed",
        f"{sandbox_id} is gone: {reason}",
        status=Status.UNAVAILABLE,
        hint="acquire another one",
    )


def not_owner(shard: Shard) -> ProofwalkError:
    """Somebody else tends the shard by now."""
    return ProofwalkError(
        "shard.stale_epoch",
        f"shard {shard.number} of {shard.tool!r} is not this process's any more (epoch"
        f" {shard.epoch})",
        status=Status.ABORTED,
        hint="its owner tends it; stop doing so here",
    )
