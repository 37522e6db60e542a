"""Whether the units of a chain can follow each other on the resources that they share.

Units do not say what they leave behind. It is read off what they do and what their rule
asks for, and in doubt a succession is none: of a resource that is gone, has another
name, or was switched off nothing more is asked; one that another unit has worked on is
not ended. What the units of one chain share must have begun as each of them wants it:
the same fixture, or the state that the unit before waits for. A succession that the
library itself has, in a family or under `after`, is one. Whether a chain can really be
walked is for the oracle to show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from proofwalk.suites.model import UnitUse
from proofwalk.suites.rules.documents import triple_of
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.units import Unit

_ENDS = re.compile(r"^(Delete|Release|Remove|Terminate|Schedule\w*Deletion)")
_SWITCHES_OFF = re.compile(r"^(Disable|Stop|Pause|Suspend|Mute|Cancel)|Block$")
_NAMES = re.compile(r"(Name|Alias)$")
_STATE = re.compile(r"/states/([^'/]+)'\)")
_SETS_STATE = {"status", "enabled"}
"""Attributes by which a variant of a fixture differs in its state alone."""


@dataclass(frozen=True, kw_only=True)
class _Turn:
    """A unit at a shared resource, by the unit's own name for it."""

    at: int
    unit: str
    role: str


def broken_succession(chain: Sequence[UnitUse], library: Library) -> str:
    """Why the chain cannot be; empty where nothing speaks against it."""
    turns = _turns(chain)
    for role, users in turns.items():
        for before, then in pairwise(users):
            why = _broken(before, then, library)
            if why:
                return f"{then.unit} after {before.unit} on the same {role}: {why}"
    for at, use in enumerate(chain):
        shared = {own for own, role in use.roles.items() if turns[role][0].at < at}
        why = _torn(use, shared, library)
        if why:
            return why
    return ""


def resource_of(library: Library, unit: str, role: str) -> str:
    """What a unit's role is: the fixture without its variant, or the type that the unit
    makes."""
    known = library.units[unit]
    if role in known.makes:
        return known.makes[role].type
    return known.on[role].partition("/")[0]


def _turns(chain: Sequence[UnitUse]) -> dict[str, list[_Turn]]:
    """The units at each resource of the chain, in order."""
    turns: dict[str, list[_Turn]] = {}
    for at, use in enumerate(chain):
        for own, role in use.roles.items():
            turns.setdefault(role, []).append(_Turn(at=at, unit=use.unit, role=own))
    return turns


def _broken(before: _Turn, then: _Turn, library: Library) -> str:
    first, second = library.units[before.unit], library.units[then.unit]
    if then.role in second.makes:
        return "it makes what is there already"
    if resource_of(library, before.unit, before.role) != resource_of(library, then.unit, then.role):
        return "it is another kind of resource"
    if _in_library(before, then, library):
        return ""
    if second.after.get(then.role):
        return "it comes after other units"
    if _events(first, before.role, _ENDS) or _waits(first, before.role, "gone"):
        return "nothing is left of it"
    if _renamed(before.unit, first):
        return "it has another name"
    state = _state_after(first, before.role)
    if not state and _events(first, before.role, _SWITCHES_OFF):
        return "it was switched off"
    if _events(second, then.role, _ENDS) or _waits(second, then.role, "gone"):
        return "what was worked on may refuse its end"
    return _mismatch(before, then, library)


def _in_library(before: _Turn, then: _Turn, library: Library) -> bool:
    """Whether the library has this succession, from the fixture that the first unit
    wants."""
    if before.unit in library.units[then.unit].after.get(then.role, ()):
        return True
    for family in library.families:
        for one, next_one in pairwise(family.chain):
            role = one.on.get(before.role, before.role)
            if (
                (one.unit, next_one.unit) == (before.unit, then.unit)
                and role == next_one.on.get(then.role, then.role)
                and role not in family.fixtures
            ):
                return True
    return False


def _mismatch(before: _Turn, then: _Turn, library: Library) -> str:
    """Why the first unit's resource is not as the second one wants it."""
    first, wants = library.units[before.unit], library.units[then.unit].on[then.role]
    has = first.on.get(before.role, wants.partition("/")[0])
    left = _state_after(first, before.role) or _state(library, has)
    if left != _state(library, wants):
        return f"it is in the state {left}, not {_state(library, wants)}"
    if not (_of_state(library, has) and _of_state(library, wants)):
        # What a unit wants to be so from the beginning it often changes.
        return f"it began as {has}, and may not be {wants} any more"
    return ""


def _state(library: Library, kind: str) -> str:
    """The state of a fixture; empty for one that is none, or says none."""
    if kind.partition("/")[0] not in library.fixtures:
        return ""
    fixture, variant = library.fixture(kind)
    return (variant.state if variant else None) or fixture.state


def _of_state(library: Library, kind: str) -> bool:
    """Whether a fixture differs from the plain one in its state alone."""
    if "/" not in kind:
        return True
    _, variant = library.fixture(kind)
    plain = variant is not None and not (variant.hcl or variant.needs or variant.remove)
    return plain and variant is not None and set(variant.set) <= _SETS_STATE


def _state_after(unit: Unit, role: str) -> str:
    """The state that the unit waits for last; empty where it waits for none."""
    states = [
        state[1]
        for wait in _waits(unit, role, "row")
        if (state := _STATE.search(str(wait.get("status", ""))))
    ]
    return states[-1] if states else ""


def _waits(unit: Unit, role: str, how: str) -> list[dict[str, object]]:
    """What the unit's script waits for of the resource."""
    names = {f"{{{{{role}.name}}}}"}
    if role in unit.makes:
        names.add(unit.makes[role].name)
    return [
        wait
        for step in unit.steps
        for action in step.do
        if isinstance(wait := action.get("wait"), dict) and wait.get(how) in names
    ]


def _events(unit: Unit, role: str, kind: re.Pattern[str]) -> bool:
    """Whether the unit's rule asks for an operation of this kind on the resource."""
    return any(
        kind.search(str(clause.get("event", ""))) and f"{role}." in str(clause.get("where", ""))
        for clause in (*unit.rule.all, *unit.rule.any)
    )


def _renamed(name: str, unit: Unit) -> bool:
    """Whether the unit gives what it works on another name: the console lists it by
    that, and whoever comes next looks for the old one."""
    if name.partition(".")[2].startswith("rename_"):
        return True
    conditions = [
        triple_of(condition) for clause in unit.rule.all for condition in clause.get("where", ())
    ]
    return not unit.makes and any(
        _NAMES.search(path) and "params." in str(wanted) for path, _, wanted in conditions
    )


def _torn(use: UnitUse, shared: set[str], library: Library) -> str:
    """Whether a unit shares a resource and has one of its own that would lie in
    another: a listener of a second load balancer."""
    kinds = library.units[use.unit].on
    for role in shared:
        one = resource_of(library, use.unit, role)
        for other in kinds.keys() - shared:
            two = resource_of(library, use.unit, other)
            if one in _lies_in(library, kinds[other]) or two in _lies_in(library, one):
                return f"{use.unit} would have its {other} in another {role}"
    return ""


def _lies_in(library: Library, kind: str) -> set[str]:
    """What a fixture needs, and what that needs, without their variants."""
    inner: set[str] = set()
    left = [kind]
    while left:
        asked_for = left.pop()
        if asked_for.partition("/")[0] not in library.fixtures:
            continue
        fixture, variant = library.fixture(asked_for)
        needs = {*fixture.needs.values(), *(variant.needs.values() if variant else ())}
        left += [need for need in needs if need.partition("/")[0] not in inner]
        inner |= {need.partition("/")[0] for need in needs}
    return inner
