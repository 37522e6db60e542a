"""Things that a provider makes as blocks of another thing's resource: the servers of a
group, the entries of a list.

Such a *member* is paired with the block as others are with their types. A kind without
a type of its own is one if the type that makes what it lies in has a block, as often as
one likes, that holds it: all that the block demands are fields of the kind, and all
that the kind's form demands are attributes of the block. The block is then a type
within another one (`alicloud_slb_server_group.servers`), whose attribute `OWNER` names
the thing in whose resource it stands. In a record a member has no address; `parted`
gives a record's members as resources of their own, so that they are held against a
document as all others are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from proofwalk.authoring.catalogue import Catalogue, Kind
from proofwalk.authoring.provider import OWNER, Attribute, Pair, ProviderType, identity, snake
from proofwalk.authoring.record_reading import (
    MadeResource,
    RecordReading,
    items_of,
    parsed,
)
from proofwalk.authoring.resources import World
from proofwalk.hcl.tree import Expression, Tuple

_IN_BLOCK = re.compile(r"(?P<block>\w+)(?P<number>\[\d+\])?\.(?P<name>\w+)")


def member_pairs(catalogue: Catalogue, pairs: Mapping[str, Pair]) -> Mapping[str, Pair]:
    """The block of every kind without a type that is made as one."""
    return {
        kind.id: pair
        for kind in catalogue.kinds.values()
        if kind.id not in pairs and kind.creation
        for pair in _blocks(kind, pairs)
    }


def _blocks(kind: Kind, pairs: Mapping[str, Pair]) -> Iterator[Pair]:
    for owner, lies_in in kind.parts.items():
        made = pairs.get(lies_in)
        if made is None or owner in kind.form:
            continue
        for block, attributes in made.type.blocks.items():
            fields = dict(_matched(kind, attributes))
            demanded = {one.name for one in attributes.values() if one.required}
            asked = {name for name in kind.form if kind.fields[name].required}
            if fields and demanded <= fields.keys() and asked <= {*fields.values()}:
                yield Pair(
                    kind=kind,
                    type=_type(made.type, block, attributes),
                    fields={OWNER: owner, **fields},
                )


def _matched(kind: Kind, attributes: Mapping[str, Attribute]) -> Iterator[tuple[str, str]]:
    """Attribute and field. A list of the block may hold several members' values: it is
    called by the plural then."""
    for one in attributes.values():
        for told in kind.fields.values():
            names = {told.id, snake(told.parameter.rpartition(".")[2])} - {""}
            if one.name in names or (one.kind == "list" and one.name.removesuffix("s") in names):
                yield one.name, told.id
                break


def _type(made: ProviderType, block: str, attributes: Mapping[str, Attribute]) -> ProviderType:
    names = Attribute(name=OWNER, kind="string", required=True)
    return ProviderType(
        name=f"{made.name}.{block}",
        product=made.product,
        attributes={OWNER: names, **attributes},
        within=made.name,
    )


def parted(record: RecordReading, world: World) -> RecordReading:
    """A record with its members as resources of their own, each after what it stands
    in."""
    return replace(
        record,
        resources=tuple(part for made in record.resources for part in _parts(made, world)),
    )


def _parts(made: MadeResource, world: World) -> Iterator[MadeResource]:
    blocks: dict[str, dict[str, Expression]] = {}
    own: dict[str, Expression] = {}
    for name, value in made.values.items():
        part = _IN_BLOCK.fullmatch(name)
        if part is None or f"{made.type}.{part['block']}" not in world.by_type:
            own[name] = value
            continue
        place = part["block"] + (part["number"] or "")
        blocks.setdefault(place, {})[part["name"]] = value
    yield replace(made, values=own)
    for place, values in blocks.items():
        told = place.partition("[")[0]
        pair = world.by_type[f"{made.type}.{told}"]
        for number, one in enumerate(_single(values, pair), start=1):
            label = made.label + place.removeprefix(told) + (f".{number}" if number > 1 else "")
            owner = world.by_type[made.type]
            names = parsed(identity(made.address, owner.type, owner, world.otherwise))
            yield MadeResource(type=pair.type.name, label=label, values={OWNER: names, **one})


def _single(values: Mapping[str, Expression], pair: Pair) -> Iterator[dict[str, Expression]]:
    """The members of one block: one for each thing that it lists for them to stand
    for."""
    kind = pair.kind
    named = kind.name if kind.name and kind.fields[kind.name].references else ""
    listing = next((name for name in values if named and pair.fields.get(name) == named), "")
    if not listing or not isinstance(values[listing], Tuple):
        yield dict(values)
        return
    for item in items_of(values[listing]):
        yield {**values, listing: Tuple((item,))}
