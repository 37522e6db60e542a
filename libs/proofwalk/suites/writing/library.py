"""The library of units, fixtures and families, and what refers to what in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from proofwalk.suites.writing.source_errors import source_invalid
from proofwalk.suites.writing.units import Family, Fixture, Unit, Variant


@dataclass(frozen=True, kw_only=True)
class Library:
    """All units and fixtures by their qualified names (`ecs.stop_instance`), and the
    families in order."""

    units: Mapping[str, Unit]
    fixtures: Mapping[str, Fixture]
    families: tuple[Family, ...]

    def fixture(self, kind: str) -> tuple[Fixture, Variant | None]:
        """The fixture of `product.name` or `product.name/variant`. Raises
        `suite.source_invalid`."""
        name, _, variant = kind.partition("/")
        found = self.fixtures.get(name)
        if found is None:
            raise source_invalid(
                kind,
                "there is no such fixture",
                hint=f"fixtures: {', '.join(sorted(self.fixtures)) or 'none'}",
            )
        if variant and variant not in found.variants:
            raise source_invalid(kind, f"the fixture {name} has no variant {variant!r}")
        return found, found.variants[variant] if variant else None

    def out_of_place(self, family: Family) -> str:
        """What makes a chain impossible: a unit whose role has been through none of
        those that it comes `after`, and which the family gives no fixture of its own.
        Empty where all are in place."""
        been: dict[str, set[str]] = {}
        for link in family.chain:
            unit = self.units[link.unit]
            for role, before in unit.after.items():
                name = link.on.get(role, role)
                if name not in family.fixtures and not been.get(name, set()) & set(before):
                    return f"{link.unit} comes after {' or '.join(before)} on the same {role}"
            for role in (*unit.on, *unit.makes):
                been.setdefault(link.on.get(role, role), set()).add(link.unit)
        return ""

    def of(self, products: Iterable[str]) -> Library:
        """The library with the families of these products alone."""
        wanted = set(products)
        return Library(
            units=self.units,
            fixtures=self.fixtures,
            families=tuple(f for f in self.families if product_of(f) in wanted),
        )


def product_of(family: Family) -> str:
    """A family belongs to the product that its id begins with."""
    return family.id.split("-", 1)[0]


def check_units(library: Library) -> None:
    for name, fixture in library.fixtures.items():
        for needed in (
            *fixture.needs.values(),
            *(kind for v in fixture.variants.values() for kind in v.needs.values()),
        ):
            if needed.partition("/")[0] not in library.fixtures:
                raise source_invalid(f"{name}.needs", f"there is no fixture {needed!r}")
    for name, unit in library.units.items():
        for role, kind in unit.on.items():
            if "." not in kind:
                raise source_invalid(
                    f"{name}.on.{role}", f"{kind!r} names no product; write product.type"
                )
        for role, before in unit.after.items():
            for other in before:
                if other not in library.units:
                    raise source_invalid(f"{name}.after.{role}", f"there is no unit {other!r}")


def check_family(family: Family, library: Library) -> None:
    for link in family.chain:
        unit = library.units.get(link.unit)
        if unit is None:
            raise source_invalid(family.id, f"there is no unit {link.unit!r}")
        for what, names, known in (
            ("vague", link.vague, unit.params if link.implicit else unit.vague),
            ("params", link.params, unit.params),
            ("on", link.on, {**unit.on, **unit.makes}),
        ):
            for entry in names:
                if entry not in known:
                    raise source_invalid(
                        f"{family.id}: {link.unit}", f"{what}: the unit has no {entry!r}"
                    )
    for provided in family.fixtures.values():
        library.fixture(provided.kind)
    if wrong := library.out_of_place(family):
        raise source_invalid(family.id, wrong)
