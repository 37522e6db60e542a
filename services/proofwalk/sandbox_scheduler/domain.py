"""A sandbox's life, and the pool's policy. Pure.

    starting --up--> warm --grant--> leased --release, expiry, crash--> ending --gone--> ended
        `------------------------ failure, crash, shutdown ------------------^

A sandbox is used once: what a walk left in a browser (cookies, caches, a hung renderer) never meets the next walk, so a
released sandbox is ended, not returned. The epoch is the number of its grant; since there is one grant, it is 0 before and 1 after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.kernel.errors import ProofwalkError, Status, conflict, exhausted, not_found


class SandboxState(StrEnum):
    """Where a sandbox is in its life."""

    STARTING = "starting"
    WARM = "warm"
    LEASED = "leased"
    ENDING = "ending"
    ENDED = "ended"


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
    """An immutable environment definition (EvoCUA's word)."""

    name: str
    version: str
    backend: str


@dataclass(frozen=True, kw_only=True)
class Census:
    """How many sandboxes of a tool are in which state."""

    starting: int
    warm: int
    leased: int
    ending: int

    @property
    def total(self) -> int:
        """Everything that takes up room."""
        return self.starting + self.warm + self.leased + self.ending


def to_start(census: Census, *, warm: int, quota: int) -> int:
    """How many to start so that `warm` are ready, without going over `quota`."""
    return max(0, min(warm - census.warm - census.starting, quota - census.total))


def may_start_cold(census: Census, *, quota: int) -> bool:
    """Whether a request that finds nothing warm may have a sandbox started for it."""
    return census.total < quota


def none_free(tool: str, census: Census, quota: int) -> ProofwalkError:
    """All of the quota is in use."""
    return exhausted(
        "sandbox.none_free",
        f"all {quota} sandboxes of {tool!r} are in use ({census.leased} leased)",
        hint="wait, or raise the quota",
    )


def unknown(sandbox_id: str) -> ProofwalkError:
    """No such sandbox, or it ended."""
    return not_found("sandbox.not_found", f"there is no sandbox {sandbox_id!r}; it may have ended", hint="acquire another one")


def crashed(sandbox_id: str, reason: str) -> ProofwalkError:
    """The browser behind a lease is gone."""
    return ProofwalkError(
        "sandbox.crashed",
        f"the browser of {sandbox_id} is gone: {reason}",
        status=Status.UNAVAILABLE,
        hint="acquire another one",
    )
