"""Which fixtures a family's META makes, and which fixture meets which need.

Every role that nothing in the chain makes is a fixture. A need of a fixture is met by
the role of that kind, if the family has one, else by one further fixture of that kind
for the whole task; a family may say otherwise (`needs:` under a role).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.source_errors import source_invalid
from proofwalk.suites.writing.units import Family, Fixture, Variant

NAMES = (
    "web", "api", "orders", "billing", "search", "cache", "media", "report", "login", "stock", "mail", "batch", "edge", "audit",
    "store", "video", "metrics", "queue", "portal", "ledger", "canvas", "planet", "harbor", "maple", "cedar", "river", "summit",
)  # fmt: skip
"""Words that names are made of."""


@dataclass(frozen=True, kw_only=True)
class FixtureUse:
    """One fixture of a task. `id` is its Terraform name; `role` is empty for what only
    other fixtures need."""

    id: str
    role: str
    kind: str
    fixture: Fixture
    variant: Variant | None
    name: str
    needs: Mapping[str, str]
    """Need of the fixture -> id of the fixture that meets it."""
    told: bool = True
    """Whether the document may name it as a prerequisite."""


@dataclass(frozen=True, kw_only=True)
class _RoleNeed:
    kind: str
    needs: Mapping[str, str]
    told: bool
    link: int = -1
    """Which unit of the chain asks for it first; -1 for none."""

    @property
    def base(self) -> str:
        return self.kind.partition("/")[0]


def fixtures_of(
    family: Family, library: Library, random: Random, *, share_roles: bool = True
) -> tuple[FixtureUse, ...]:
    """The fixtures of a family, each after what it needs. `share_roles=False`: a need
    is met by the fixture of a role of the same unit, and never by another one's. Raises
    `suite.source_invalid`."""
    provider = _Provider(family, library, random, share_roles)
    for role in provider.wanted:
        provider.provide_role(role, ())
    return tuple(provider.uses.values())


class _Provider:
    def __init__(self, family: Family, library: Library, random: Random, share_roles: bool) -> None:
        self._family = family
        self._library = library
        self._share = share_roles
        self._words = list(NAMES)
        random.shuffle(self._words)
        self.wanted = _role_needs(family, library)
        self.uses: dict[str, FixtureUse] = {}

    def provide_role(self, role: str, path: tuple[str, ...]) -> str:
        """The fixture of a role; returns its id."""
        if role not in self.uses:
            if role not in self.wanted:
                raise source_invalid(self._family.id, f"fixtures: there is no role {role!r}")
            self._make(role, role, self.wanted[role], (*path, role))
        return role

    def _meet(self, kind: str, path: tuple[str, ...]) -> str:
        base = kind.partition("/")[0]
        own = self.wanted[path[0]].link
        shared = next(
            (
                role
                for role, wanted in self.wanted.items()
                if wanted.base == base and role not in path and (self._share or wanted.link == own)
            ),
            "",
        )
        if shared:
            return self.provide_role(shared, path)
        identity = base.partition(".")[2]
        if identity in self.wanted or (
            identity in self.uses and self.uses[identity].kind.partition("/")[0] != base
        ):
            identity = base.replace(".", "_") + (
                "_shared" if base.replace(".", "_") in self.wanted else ""
            )
        if identity in path:
            raise source_invalid(
                self._family.id, f"the fixtures {', '.join(path)} need each other in a circle"
            )
        if identity not in self.uses:
            self._make(identity, "", _RoleNeed(kind=kind, needs={}, told=False), (*path, identity))
        return identity

    def _make(self, identity: str, role: str, wanted: _RoleNeed, path: tuple[str, ...]) -> None:
        fixture, variant = self._library.fixture(wanted.kind)
        needs = {**fixture.needs, **(variant.needs if variant else {})}
        unknown = set(wanted.needs) - set(needs)
        if unknown:
            raise source_invalid(
                f"{self._family.id}: fixtures.{role}", f"{wanted.kind} has no need {min(unknown)!r}"
            )
        met = {
            need: (
                self.provide_role(wanted.needs[need], path)
                if need in wanted.needs
                else self._meet(kind, path)
            )
            for need, kind in needs.items()
        }
        if not self._words:
            raise source_invalid(self._family.id, f"a task has at most {len(NAMES)} fixtures")
        self.uses[identity] = FixtureUse(
            id=identity,
            role=role,
            kind=wanted.kind,
            fixture=fixture,
            variant=variant,
            name=self._words.pop(),
            needs=met,
            told=wanted.told,
        )


def _role_needs(family: Family, library: Library) -> dict[str, _RoleNeed]:
    """The roles that need a fixture, in order of their first use."""
    wanted: dict[str, _RoleNeed] = {}
    made: dict[str, str] = {}
    for number, link in enumerate(family.chain):
        unit = library.units[link.unit]
        for role, needed in unit.on.items():
            name = link.on.get(role, role)
            place = f"{family.id}: {link.unit}"
            if name in made:
                if made[name] != needed.partition("/")[0] and made[name] != _type(library, needed):
                    raise source_invalid(
                        place,
                        f"the role {name} is the {made[name]} that the chain made, not {needed}",
                    )
                continue
            given = family.fixtures.get(name)
            if name not in wanted:
                kind = given.kind if given else _kind(library, needed, place)
                wanted[name] = _RoleNeed(
                    kind=kind, needs=given.needs if given else {}, told=given is None, link=number
                )
            if _type(library, wanted[name].kind) != _type(library, needed):
                raise source_invalid(place, f"the role {name} is {wanted[name].kind}, not {needed}")
        made |= {link.on.get(role, role): product.type for role, product in unit.makes.items()}
    for name, given in family.fixtures.items():
        wanted.setdefault(name, _RoleNeed(kind=given.kind, needs=given.needs, told=False))
    return wanted


def _type(library: Library, kind: str) -> str:
    base = kind.partition("/")[0]
    return library.fixtures[base].type if base in library.fixtures else base


def _kind(library: Library, needed: str, place: str) -> str:
    """The fixture of this name, else the first one of this type."""
    base = needed.partition("/")[0]
    if base in library.fixtures:
        return needed
    found = next((name for name, fixture in library.fixtures.items() if fixture.type == base), "")
    if not found:
        raise source_invalid(
            place, f"there is no fixture {needed!r}, and nothing earlier in the chain makes one"
        )
    return found
