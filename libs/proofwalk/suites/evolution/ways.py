"""The ways in which a chain of units changes into another one.

WebRL evolves in breadth (§2.1): from a task that was failed at, others like it, of the
same difficulty or less, so that it is learned in parts, and harder ones later (§E). Of
a chain of units that is: the same units with other values in other words; a part of it;
another unit for one of its units, of the same product and on the same kind of resource;
and one unit more, before or after one of its own, on the same resource. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from proofwalk.suites.evolution.succession import broken_succession, resource_of
from proofwalk.suites.model import UnitUse
from proofwalk.suites.writing.chains import family_of, roles_of, use_of
from proofwalk.suites.writing.library import Library

LONGEST = 4
"""Units of a chain at most."""
DRAWS = 3
"""Tasks of the same units that are tried, each with values of its own."""
Chain = tuple[UnitUse, ...]


class Way(StrEnum):
    """How a task was changed."""

    VALUES = "values"
    SHORTER = "shorter"
    SIBLING = "sibling"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, kw_only=True)
class Ways:
    """Changes chains of a library's units."""

    library: Library

    def chains(self, chain: Chain) -> Mapping[Way, list[Chain]]:
        """Every chain that is one change away, by the change. A chain that no document
        could tell, or that nobody could walk for what its units leave behind, is not
        there."""
        changed = {
            Way.VALUES: [chain] * DRAWS,
            Way.SHORTER: list(_parts(chain)),
            Way.SIBLING: list(self._siblings(chain)),
            Way.BEFORE: list(self._longer(chain, after=False)),
            Way.AFTER: list(self._longer(chain, after=True)),
        }
        return {way: list(filter(self._stands, chains)) for way, chains in changed.items()}

    def _stands(self, chain: Chain) -> bool:
        return not (
            broken_succession(chain, self.library)
            or self.library.out_of_place(family_of(chain, "a-chain"))
        )

    def _siblings(self, chain: Chain) -> Iterator[Chain]:
        for at, use in enumerate(chain):
            rest = (*chain[:at], *chain[at + 1 :])
            taken = roles_of(rest)
            if taken & set(use.roles.values()):
                continue  # what it shares would be left to the others half done
            for unit in self._others(chain):
                if _product(unit) == _product(use.unit) and self._kinds(unit) & self._kinds(
                    use.unit
                ):
                    other = use_of(self.library, unit, taken)
                    yield (*chain[:at], other, *chain[at + 1 :])

    def _longer(self, chain: Chain, *, after: bool) -> Iterator[Chain]:
        if len(chain) >= LONGEST:
            return
        for at, use in enumerate(chain):
            for unit in self._others(chain):
                joined = self._joined(use, use_of(self.library, unit, roles_of(chain)))
                if joined is not None:
                    place = at + 1 if after else at
                    yield (*chain[:place], joined, *chain[place:])

    def _joined(self, use: UnitUse, other: UnitUse) -> UnitUse | None:
        """`other` at the resources of `use` that it can work on too; None where there
        are none."""
        theirs = {own: resource_of(self.library, use.unit, own) for own in use.roles}
        shared = {
            own: use.roles[fitting[0]]
            for own in other.roles
            if len(
                fitting := [
                    role
                    for role, kind in theirs.items()
                    if kind == resource_of(self.library, other.unit, own)
                ]
            )
            == 1
        }
        if not shared or len(set(shared.values())) < len(shared):
            return None
        return UnitUse(unit=other.unit, roles={**other.roles, **shared})

    def _others(self, chain: Chain) -> list[str]:
        used = {use.unit for use in chain}
        return [unit for unit in sorted(self.library.units) if unit not in used]

    def _kinds(self, unit: str) -> set[str]:
        known = self.library.units[unit]
        return {resource_of(self.library, unit, role) for role in (*known.on, *known.makes)}


def _parts(chain: Sequence[UnitUse]) -> Iterator[Chain]:
    """Every part of the chain in its order, the longest first."""
    for length in range(len(chain) - 1, 0, -1):
        yield from combinations(chain, length)


def _product(unit: str) -> str:
    return unit.partition(".")[0]
