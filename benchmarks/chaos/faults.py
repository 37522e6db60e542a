"""What is done to an installation, and in which order: a round's plan, drawn from its
seed.

A plan deals every kind of fault before it repeats one (`deal`), so that any few rounds
in a row hold all of them. Nothing here touches a process: `striking` carries a fault
out, `effects` says whether it could have mattered.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.chaos.members import DATABASE, GATEWAY, REDIS, ROLES_IN_A_WALK


class FaultKind(StrEnum):
    """A way for a part to fail."""

    KILL = "kill"
    """SIGKILL, and started again at once."""
    AWAY = "away"
    """SIGKILL, and started again after a while."""
    TERMINATE = "terminate"
    """SIGTERM, as in a rolling restart, and started again when it has ended."""
    FREEZE = "freeze"
    """SIGSTOP for longer than a lease lives, then SIGCONT."""
    CLOCK = "clock"
    """The wall clock of a role, or of the cloud, jumps by minutes, and comes back."""
    REDIS_FLUSH = "redis_flush"
    REDIS_KILL = "redis_kill"
    REDIS_FREEZE = "redis_freeze"
    RINGS_REPEATED = "rings_repeated"
    """Every entry of every stream once more, in another order."""
    RINGS_POISONED = "rings_poisoned"
    """Entries that name nothing, or mean nothing."""
    DATABASE_RESTART = "database_restart"
    """SIGQUIT: sessions are cut and what was not committed is lost."""
    DATABASE_FREEZE = "database_freeze"
    DISK_FULL = "disk_full"
    """No byte is left where blobs are kept."""
    BROWSER_KILL = "browser_kill"
    TERRAFORM_KILL = "terraform_kill"
    LATENCY = "latency"
    """On everything that is said to a part, and by it."""
    BLACK_HOLE = "black_hole"
    """Connections stay open, and nothing arrives."""
    SLOW = "slow"
    """A few bytes a second."""
    RESET = "reset"
    """Connections are reset, and new ones too for a while."""


ON_EDGES = (FaultKind.LATENCY, FaultKind.BLACK_HOLE, FaultKind.SLOW, FaultKind.RESET)
ON_ROLES = (
    FaultKind.KILL,
    FaultKind.AWAY,
    FaultKind.TERMINATE,
    FaultKind.FREEZE,
    FaultKind.CLOCK,
)
_OF_ONE = {
    FaultKind.REDIS_FLUSH: REDIS,
    FaultKind.REDIS_KILL: REDIS,
    FaultKind.REDIS_FREEZE: REDIS,
    FaultKind.RINGS_REPEATED: REDIS,
    FaultKind.RINGS_POISONED: REDIS,
    FaultKind.DATABASE_RESTART: DATABASE,
    FaultKind.DATABASE_FREEZE: DATABASE,
    FaultKind.DISK_FULL: "blobs",
    FaultKind.BROWSER_KILL: "browser",
    FaultKind.TERRAFORM_KILL: "terraform",
}
_LASTING = {
    FaultKind.AWAY: (3.0, 12.0),
    # A lease lives for 8 s here; a shorter stop would be a slow call.
    FaultKind.FREEZE: (9.0, 14.0),
    FaultKind.CLOCK: (5.0, 12.0),
    FaultKind.REDIS_FREEZE: (3.0, 10.0),
    FaultKind.DATABASE_FREEZE: (3.0, 10.0),
    FaultKind.DISK_FULL: (3.0, 8.0),
    FaultKind.LATENCY: (4.0, 10.0),
    FaultKind.BLACK_HOLE: (4.0, 12.0),
    FaultKind.SLOW: (4.0, 10.0),
    FaultKind.RESET: (2.0, 6.0),
}
_SKEWS_S = (-600, 600, -3600, 90)
_GAP_S = (1.5, 5.0)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault of a plan. `gap_s` seconds pass since the last one was lifted; `for_s`
    is how long it lasts, 0 for what is over when it is done."""

    kind: FaultKind
    target: str
    gap_s: float
    for_s: float = 0.0
    skew_s: int = 0


def deal(seed: int, *, first: int, many: int, without: Collection[FaultKind] = ()) -> list[Fault]:
    """Faults `first` to `first + many` of the endless sequence that `seed` stands for;
    `without`: kinds that this machine cannot do."""
    kinds = [kind for kind in FaultKind if kind not in without]
    return [_fault(seed, number, kinds) for number in range(first, first + many)]


def _fault(seed: int, number: int, kinds: Sequence[FaultKind]) -> Fault:
    turn, place = divmod(number, len(kinds))
    deck = list(kinds)
    random.Random(f"{seed}/{turn}").shuffle(deck)
    kind = deck[place]
    chance = random.Random(f"{seed}/{turn}/{place}")
    shortest, longest = _LASTING.get(kind, (0.0, 0.0))
    return Fault(
        kind=kind,
        target=_target(kind, chance),
        gap_s=round(chance.uniform(*_GAP_S), 2),
        for_s=round(chance.uniform(shortest, longest), 2),
        skew_s=chance.choice(_SKEWS_S) if kind is FaultKind.CLOCK else 0,
    )


def _target(kind: FaultKind, chance: random.Random) -> str:
    if kind in _OF_ONE:
        return _OF_ONE[kind]
    if kind in ON_EDGES:
        return chance.choice((*ROLES_IN_A_WALK, GATEWAY, REDIS, DATABASE))
    return chance.choice((*ROLES_IN_A_WALK, GATEWAY))
