"""Chains of units as tasks keep them, and as families that tasks are composed of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from proofwalk.suites.model import Difficulty, Hardness, UnitUse
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.units import Family, Link


def use_of(library: Library, unit: str, taken: Set[str]) -> UnitUse:
    """The unit with resources of its own: no role that is `taken`."""
    roles: dict[str, str] = {}
    known = library.units[unit]
    for role in (*known.on, *known.makes):
        free, count = role, 2
        while free in taken or free in roles.values():
            free, count = f"{role}_{count}", count + 1
        roles[role] = free
    return UnitUse(unit=unit, roles=roles)


def chain_apart(library: Library, units: Iterable[str]) -> tuple[UnitUse, ...]:
    """A chain of units that share no resource."""
    chain: list[UnitUse] = []
    for unit in units:
        chain.append(use_of(library, unit, roles_of(chain)))
    return tuple(chain)


def roles_of(chain: Iterable[UnitUse]) -> set[str]:
    """The task's resources that the chain speaks of."""
    return {role for use in chain for role in use.roles.values()}


def family_of(chain: Sequence[UnitUse], family_id: str) -> Family:
    """The family of one task. It is hard if it crosses products."""
    crossing = len({use.unit.partition(".")[0] for use in chain}) > 1
    return Family(
        id=family_id,
        difficulty=Difficulty.HARD if crossing else Difficulty.STANDARD,
        because=(Hardness.CROSS_PRODUCT,) if crossing else (),
        chain=tuple(Link(unit=use.unit, on=dict(use.roles)) for use in chain),
    )
