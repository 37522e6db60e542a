"""The resources of a template, and how they are written as HCL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from proofwalk.authoring.catalogue import Catalogue, Field, Kind
from proofwalk.authoring.provider import Attribute, Otherwise, Pair, ProviderType
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


def cannot_make(kind: Kind, why: str) -> ProofwalkError:
    """A need that nobody can meet."""
    return ProofwalkError(
        "author.cannot_make",
        f"the document needs {kind.id}, and {why}",
        status=Status.FAILED_PRECONDITION,
        hint="write META by hand, with steps if Terraform cannot make it; see docs/howto/rules.md",
        details={"kind": kind.id},
    )


def written(resources: tuple[Resource, ...]) -> str:
    """The resources as HCL."""
    return "\n\n".join(_block(one) for one in resources)


def _block(resource: Resource) -> str:
    plain = {name: value for name, value in resource.attributes.items() if "." not in name}
    nested: dict[str, dict[str, str]] = {}
    for name, value in resource.attributes.items():
        if "." in name:
            block, _, own = name.partition(".")
            nested.setdefault(block, {})[own] = value
    lines = [*_lines(plain, "  ")]
    for block, members in nested.items():
        lines += [f"  {block} {{", *_lines(members, "    "), "  }"]
    return "\n".join([f'resource "{resource.type.name}" "{resource.label}" {{', *lines, "}"])


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
