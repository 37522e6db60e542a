"""Which type of a Terraform provider makes which kind of things, and which of its
attributes holds which field.

A provider's schema and an operation's parameters are two spellings of one API:
`VSwitchIds` is `vswitch_ids`. A kind is paired with the type that shares most of its
parameters' names and of its own words, and no type with two kinds. Within a pair an
attribute holds the field whose parameter has its name, or all the words of one in the
other. What a provider calls in words of its own is listed (`Otherwise`): facts of the
provider, none of any document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from proofwalk.authoring.catalogue import Catalogue, Field, Kind, Reference

_BREAKS = (
    (re.compile(r"\.\d+"), ""),
    (re.compile(r"VSwitch"), "Vswitch"),
    (re.compile(r"VServer"), "Vserver"),
    (re.compile(r"DB(?=[A-Z])"), "Db"),
    (re.compile(r"IP(?=[A-Z]|$)"), "Ip"),
    (re.compile(r"(?<=[a-z0-9])(?=[A-Z])"), "_"),
)
_NOISE = frozenset({"alicloud", "id", "new"})
OWNER = "(in)"
"""The attribute of a type within another one that names what it stands in; no schema
has one that is called so."""
_LEAST_ALIKE = 1.0
_LEAST_SHARED = 3


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """One attribute of a type."""

    name: str
    """`block.name` for one that stands in a block."""
    kind: str
    """`string`, `number`, `bool`, `list` or `map`."""
    required: bool = False
    settable: bool = True
    deprecated: bool = False


@dataclass(frozen=True, kw_only=True)
class ProviderType:
    """One resource type of a provider."""

    name: str
    product: str
    """As the catalogue calls the product."""
    attributes: Mapping[str, Attribute]
    blocks: Mapping[str, Mapping[str, Attribute]] = field(default_factory=dict)
    """Block that may stand in it several times -> its attributes, by their own
    names."""
    within: str = ""
    """The type in whose resources it stands as a block; empty for a type of its own."""

    @property
    def words(self) -> frozenset[str]:
        """The words of its name."""
        return frozenset(re.split(r"[._]", self.name)) - _NOISE


_NO_TYPE = ProviderType(name="", product="", attributes={})


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What is made beside a thing to bring it into a state: a thing of a kind, or a
    resource that only joins two."""

    own: str
    """The field, or the joining type's attribute, that names the thing."""
    kind: str = ""
    type: ProviderType = field(default_factory=lambda: _NO_TYPE)
    own_by: str = "id"
    other: str = ""
    """The attribute that names the other thing."""
    others: tuple[str, ...] = ()
    """Kinds that the other thing may be of."""
    other_by: str = "id"
    constants: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Otherwise:
    """What a provider calls in words of its own."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    """Kind -> type; empty for none."""
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Type -> attribute -> field; empty for none."""
    constants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Type -> attribute -> HCL: what is set on everything of the type, so that it can
    be destroyed."""
    values: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    """Type -> attribute -> value of the operation -> value of the provider."""
    identities: Mapping[str, str] = field(default_factory=dict)
    """Type -> HCL of the cloud's id, where the provider's is made of several;
    `{address}` is the resource."""
    states: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    """Type -> state -> attribute -> HCL, where the attribute is not called `status`."""
    beside: Mapping[str, Beside] = field(default_factory=dict)
    """`kind/state`, or `kind+kind` that it is joined with -> what must be made beside
    it."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A kind and the type that makes it. `fields` maps an attribute to a field."""

    kind: Kind
    type: ProviderType
    fields: Mapping[str, str]

    def attribute(self, field_id: str) -> str:
        """The attribute that holds a field, required and current ones first; empty for
        none."""
        held = [name for name, field_of in self.fields.items() if field_of == field_id]
        facts = self.type.attributes
        return min(
            held,
            key=lambda name: (facts[name].deprecated, not facts[name].required, name),
            default="",
        )


def identity(address: str, type_: ProviderType, pair: Pair | None, otherwise: Otherwise) -> str:
    """HCL for the id by which the inventory knows a resource: the provider's, the part
    of it that the cloud has made, or the names that people chose."""
    if told := otherwise.identities.get(type_.name):
        return told.format(address=address)
    if pair is None or not pair.kind.id_from:
        return f"{address}.id"
    named = [pair.attribute(one) for one in pair.kind.id_from]
    if not all(named) or any("." in one for one in named):
        return f"{address}.id"
    parts = [f"{address}.{one}" for one in named]
    return parts[0] if len(parts) == 1 else '"' + "/".join(f"${{{one}}}" for one in parts) + '"'


def naming(address: str, pair: Pair, reference: Reference, otherwise: Otherwise) -> str:
    """HCL for what a field holds that refers to a resource."""
    if reference.by != "id":
        return f"{address}.{pair.attribute(reference.by) or reference.by}"
    if pair.kind.id_from:
        return f"{address}.{pair.attribute(pair.kind.id_from[-1]) or 'id'}"
    return identity(address, pair.type, pair, otherwise)


def name_attribute(pair: Pair) -> str:
    """The attribute that holds a resource's name; empty where it has none of its
    own."""
    named = pair.kind.fields.get(pair.kind.name)
    return "" if named is None or named.references else pair.attribute(named.id)


def snake(parameter: str) -> str:
    """`VSwitchIds` as a schema writes it."""
    for pattern, instead in _BREAKS:
        parameter = pattern.sub(instead, parameter)
    return parameter.lower().replace(".", "_").replace("__", "_")


def pairs(
    catalogue: Catalogue, types: Mapping[str, ProviderType], otherwise: Otherwise
) -> Mapping[str, Pair]:
    """The type of every kind that has one."""
    chosen = {kind: name for kind, name in otherwise.kinds.items()}
    taken = set(chosen.values())
    ranked = sorted(
        (
            (-_alike(kind, type_), kind.id, type_.name)
            for kind in catalogue.kinds.values()
            if kind.creation or kind.spawned_by
            for type_ in types.values()
            if type_.product == kind.product
        ),
    )
    for distance, kind, type_name in ranked:
        if -distance >= _LEAST_ALIKE and kind not in chosen and type_name not in taken:
            chosen[kind] = type_name
            taken.add(type_name)
    return {
        kind: Pair(
            kind=catalogue.kinds[kind],
            type=types[name],
            fields=dict(
                _paired(catalogue.kinds[kind], types[name], otherwise.attributes.get(name, {}))
            ),
        )
        for kind, name in chosen.items()
        if name and kind in catalogue.kinds
    }


def _alike(kind: Kind, type_: ProviderType) -> float:
    """How much the names of a kind and of a type have in common; 0 where what they
    share says nothing."""
    parameters = {snake(one.parameter) for one in kind.fields.values() if one.parameter}
    shared = parameters & set(type_.attributes)
    own = set(re.split(r"[._]", kind.id)) | {
        word for label in kind.labels for word in re.findall(r"[a-z]+", label.lower())
    }
    last = type_.name.rpartition("_")[2]
    if last not in own and len(shared) < _LEAST_SHARED:
        return 0.0
    named = len(type_.words & own) / max(1, len(type_.words))
    dated = any(one.deprecated and one.name == "name" for one in type_.attributes.values())
    return len(shared) / max(1, len(parameters)) + named + (0.0 if dated else 0.3) + 0.3


def _paired(
    kind: Kind, type_: ProviderType, otherwise: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Attribute and field."""
    by_name = {snake(one.parameter): one for one in kind.fields.values() if one.parameter}
    own = frozenset(re.split(r"[._]", kind.id)) | type_.words
    for name in type_.attributes:
        told = name.replace(".", "_")
        if name == "id" or type_.attributes[name].kind == "map":
            continue
        if name in otherwise:
            if otherwise[name]:
                yield name, otherwise[name]
        elif told in by_name:
            yield name, by_name[told].id
        elif "." in name:
            continue
        elif name in kind.fields:
            yield name, name
        elif alike := _same_words(name, by_name, own):
            yield name, alike.id


def _same_words(name: str, by_name: Mapping[str, Field], own: frozenset[str]) -> Field | None:
    """The field whose parameter differs from the attribute only by words that name the
    kind."""
    words = set(name.split("_"))
    for parameter, one in by_name.items():
        other = set(parameter.split("_"))
        if words ^ other <= own and words & other:
            return one
    return None
