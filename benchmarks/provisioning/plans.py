"""What a cycle is, drawn from its number: what it provisions, which faults its account
has meanwhile, who is killed and when, and how it ends. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal

from benchmarks.provisioning.templates import RECORDS, SPECIFICATION, ZONE

Victim = Literal["", "terraform", "role"]
End = Literal["destroyed", "swept", "abandoned"]
FAULTY = 0.5
"""Share of cycles whose account has faults."""
KILLED = 0.2
"""Share of cycles in which Terraform is killed; in as many less, the role is."""
ROLE_KILLED = 0.03
UNAVAILABLE = 0.1
"""Share of the faulty cycles in which a specification cannot be had."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One cycle."""

    number: int
    record: str
    faults: Mapping[str, Any]
    """The body of devcloud's `/admin/accounts/{id}/faults`; empty for none."""
    victim: Victim
    phase: Literal["provision", "destroy"]
    """When the victim is killed."""
    after_s: float
    """Seconds into the phase."""
    end: End
    """`swept`: nobody asks for a destruction but the sweep at the lease's end;
    `abandoned`: the holder is gone, and the lease runs out."""

    @property
    def calm(self) -> bool:
        """Whether its times say what provisioning costs."""
        return not self.faults and not self.victim


def at(plan: Plan, number: int) -> Plan:
    """The same cycle under another number."""
    return replace(plan, number=number)


def drawn(number: int, *, seed: int) -> Plan:
    """The cycle with this number."""
    chance = Random(f"{seed}/{number}")  # repeatable on purpose
    victim: Victim = ""
    lot = chance.random()
    if lot < ROLE_KILLED:
        victim = "role"
    elif lot < ROLE_KILLED + KILLED:
        victim = "terraform"
    ends: tuple[End, ...] = ("destroyed",) * 6 + ("swept",) * 3 + ("abandoned",)
    return Plan(
        number=number,
        record=chance.choice(sorted(RECORDS)),
        faults=_faults(chance, number) if chance.random() < FAULTY else {},
        victim=victim,
        phase="provision" if chance.random() < 0.6 else "destroy",
        after_s=round(chance.uniform(0.1, 6.0), 2),
        end=chance.choice(ends),
    )


def _faults(chance: Random, number: int) -> dict[str, Any]:
    faults: dict[str, Any] = {
        "seed": number,
        "throttled": round(chance.uniform(0, 0.2), 3),
        "unavailable": round(chance.uniform(0, 0.1), 3),
        "internal": round(chance.uniform(0, 0.05), 3),
        "answer_lost": round(chance.uniform(0, 0.15), 3),
        "in_a_row": chance.choice((1, 2, 3, 8)),
        "lag_s": chance.choice((0, 0, 0.5, 2)),
        "slowed": 0.3,
        "slow": 10,
    }
    if chance.random() < UNAVAILABLE:
        faults |= chance.choice(
            ({"retired": [SPECIFICATION]}, {"sold_out": [{"zone": ZONE, "value": SPECIFICATION}]})
        )
    return faults
