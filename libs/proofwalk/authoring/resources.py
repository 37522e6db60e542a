"""The resources of a template, and how they are written as HCL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from proofwalk.authoring.catalogue import Catalogue, Field, Kind
from proofwalk.authoring.provider import OWNER, Attribute, Otherwise, Pair, ProviderType
from proofwalk.authoring.things import Thing
from proofwalk.kernel.errors import ProofwalkError, Status

Tried = Mapping[tuple[str, str], int]
"""Kind and field -> how many values of it the cloud has refused."""


@dataclass(frozen=True, kw_only=True)
class World:
    """What is known of a console and of the provider that makes things for it."""

    catalogue: Catalogue
    pairs: Mapping[str, Pair]
    otherwise: Otherwise
    withheld: Mapping[str, str] = field(default_factory=dict)
    """Kind -> why nobody may make one, though a type of the provider could."""

    @cached_property
    def by_type(self) -> Mapping[str, Pair]:
        """The pair of each type that makes a kind."""
        return {pair.type.name: pair for pair in self.pairs.values()}


@dataclass(kw_only=True)
class Resource:
    """One resource of a template. `attributes` maps names to HCL."""

    type: ProviderType
    label: str
    attributes: dict[str, str] = field(default_factory=dict)
    thing: Thing | None = None
    pair: Pair | None = None
    state: str = ""
    """The state in which it is to be, where the inventory tells states."""
    after: list[str] = field(default_factory=list)
    """Addresses of resources that must be made first without being named."""

    @property
    def address(self) -> str:
        """As Terraform names it."""
        return f"{self.type.name}.{self.label}"

    def refers(self, other: Resource) -> bool:
        """Whether something that it is set to names the other one."""
        return other.address in self.after or any(
            f"{other.address}." in value for value in self.attributes.values()
        )

    def stands_in(self, other: Resource) -> bool:
        """Whether it is a block of the other one."""
        return self.attributes.get(OWNER, "").startswith(f"{other.address}.")


def cannot_make(kind: Kind, why: str) -> ProofwalkError:
    """A need that nobody can meet."""
    return ProofwalkError(
        "author.cannot_make",
        f"the document needs {kind.id}, and {why}",
        status=Status.FAILED_PRECONDITION,
        hint="write META by hand, with steps if Terraform cannot make it; see docs/howto/rules.md",
        details={"kind": kind.id},
    )


def unmade(kind: Kind, world: World) -> ProofwalkError:
    """A need that no resource meets."""
    return cannot_make(kind, world.withheld.get(kind.id, "no type of the provider makes one"))


def in_order(resources: Sequence[Resource]) -> Iterator[Resource]:
    """The resources, each after what it and its blocks refer to; those that do not say
    otherwise as they stand."""
    left = list(resources)

    def waits(one: Resource) -> bool:
        inner = [one, *(block for block in left if block.stands_in(one))]
        return any(part.refers(other) for part in inner for other in left if other not in inner)

    while left:
        one = next((one for one in left if not waits(one)), left[0])
        left.remove(one)
        yield one


def written(resources: Sequence[Resource]) -> str:
    """The resources as HCL, each with its blocks."""
    return "\n\n".join(
        _block(one, [block for block in resources if block.stands_in(one)])
        for one in resources
        if not one.type.within
    )


def _block(resource: Resource, blocks: Sequence[Resource]) -> str:
    plain = {name: value for name, value in resource.attributes.items() if "." not in name}
    nested: dict[str, dict[str, str]] = {}
    for name, value in resource.attributes.items():
        if "." in name:
            block, _, own = name.partition(".")
            nested.setdefault(block, {})[own] = value
    lines = [*_lines(plain, "  ")]
    for name, members in [*nested.items(), *map(_as_block, blocks)]:
        lines += [f"  {name} {{", *_lines(members, "    "), "  }"]
    return "\n".join([f'resource "{resource.type.name}" "{resource.label}" {{', *lines, "}"])


def _as_block(resource: Resource) -> tuple[str, dict[str, str]]:
    """The name of the block, and what stands in it."""
    members = {name: value for name, value in resource.attributes.items() if name != OWNER}
    return resource.type.name.removeprefix(f"{resource.type.within}."), members


def _lines(attributes: Mapping[str, str], indent: str) -> Iterator[str]:
    width = max(map(len, attributes), default=0)
    yield from (f"{indent}{name:<{width}} = {value}" for name, value in attributes.items())


def literal(attribute: Attribute, one: Field, value: str) -> str:
    """A value as HCL of the attribute's type."""
    if one.words and value in ("true", ""):
        value = one.words[0] if value else one.words[-1]
    if attribute.kind == "bool":
        return "true" if value == "true" else "false"
    if attribute.kind == "number":
        return value or "0"
    return as_list(attribute, _quoted(value))


def _quoted(value: str) -> str:
    """A text in quotes; what META puts in stays a reference."""
    return json.dumps(value, ensure_ascii=False)


def as_list(attribute: Attribute, expression: str) -> str:
    """An expression, in brackets where the attribute is a list."""
    return f"[{expression}]" if attribute.kind == "list" else expression
