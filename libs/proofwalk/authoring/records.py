"""A META record for a procedure, written from its document alone.

1. `prerequisites` and `tracing` say what must be there (`things`);
2. `templates` writes what makes it;
3. here the record is put together: an output for the name and the id of everything, a
   check of everything that the inventory lists, and for each phrase of the document
   what it stands for.

The record is a proposal. Whether it is accepted is for others to say
(`experiments.meta_authoring`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proofwalk.authoring import prerequisites, tracing, unmeetable
from proofwalk.authoring.catalogue import Catalogue
from proofwalk.authoring.provider import name_attribute
from proofwalk.authoring.resources import Resource, Tried, World, written
from proofwalk.authoring.templates import Composer
from proofwalk.authoring.things import Thing, Things
from proofwalk.chassis.yaml_documents import read_yaml
from proofwalk.procedures.model import Document, Procedure
from proofwalk.suites.storage import BlockText, OneLine, dump_record

_NOTHING = "Nothing; the procedure creates all that it needs"
_DESCRIPTION = 2000


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A record that was written and not run yet."""

    yaml: str
    resources: tuple[Resource, ...]
    """What it makes, each after what it refers to."""
    outputs: Mapping[str, str]
    """Name -> HCL of its value."""


def needs_of(document: Document, procedure: Procedure, catalogue: Catalogue) -> Things:
    """The things that a procedure is about, by its document and its steps. Raises
    `author.cannot_make`, `author.contradictory`."""
    things = Things(catalogue)
    visited = tracing.visited(procedure, catalogue)
    unmeetable.check(document.prerequisites, catalogue, visited=visited)
    prerequisites.told_things(document.prerequisites, catalogue, things, visited=visited)
    tracing.trace(procedure, catalogue, things)
    prerequisites.told_states(document.prerequisites, catalogue, things)
    return things


def draft(things: Things, world: World, *, meta_id: str, tried: Tried | None = None) -> Draft:
    """The record of what `needs_of` gave, without values that the cloud has refused.
    Raises `author.cannot_make`."""
    composer = Composer(world, tried)
    resources = composer.compose(things)
    outputs = dict(_outputs(composer, resources))
    members = {
        "id": meta_id,
        "description": _description(resources, world.catalogue),
        "attributes": {"resources": [one.pair.kind.id for one in resources if one.pair]},
        "create": BlockText(_create(resources, outputs)) if resources else "",
        "verify": list(map(OneLine, _checks(resources))),
        "destroy": "auto",
        "binds": dict(_binds(things, composer)),
    }
    return Draft(
        yaml=dump_record(members),
        resources=resources,
        outputs=outputs,
    )


def _create(resources: tuple[Resource, ...], outputs: Mapping[str, str]) -> str:
    told = [f'output "{name}" {{\n  value = {value}\n}}' for name, value in outputs.items()]
    return "\n\n".join([written(resources), *told]) + "\n"


def _outputs(composer: Composer, resources: tuple[Resource, ...]) -> Iterator[tuple[str, str]]:
    for one in resources:
        if one.pair is None:
            continue
        name = _name(one)
        if one.type.within:
            yield from [(f"{one.label}_name", name)] if name else []
            continue
        yield f"{one.label}_id", composer.identity(one)
        if name and name != composer.identity(one):
            yield f"{one.label}_name", name


def _name(resource: Resource) -> str:
    """HCL of the name, where the resource has one of its own. A block has no address:
    its name is what it is set to."""
    assert resource.pair is not None
    name = name_attribute(resource.pair)
    if name not in resource.attributes:
        return ""
    value = resource.attributes[name]
    listed = resource.type.attributes[name].kind == "list"
    own = value[1:-1] if listed else value
    return own if resource.type.within else f"{resource.address}.{name}"


def _checks(resources: tuple[Resource, ...]) -> Iterator[dict[str, str]]:
    for one in resources:
        if one.pair is None or not one.pair.kind.listed:
            continue
        product, _, kind = one.pair.kind.id.partition(".")
        check = {"product": product, "type": kind, "id": f"${{output.{one.label}_id}}"}
        yield check | ({"state": one.state} if one.state else {})


def _binds(things: Things, composer: Composer) -> Iterator[tuple[str, str]]:
    for thing in things.all:
        value = _value(thing, composer)
        if value:
            for phrase in thing.phrases:
                yield phrase, value


def _value(thing: Thing, composer: Composer) -> str:
    """What the console shows for a thing: its name, or that of what it is about."""
    named = thing.kind.fields.get(thing.kind.name)
    about = thing.refers.get(named.id) if named is not None else None
    if about is not None:
        return _value(about, composer)
    if thing.name:
        return thing.name
    resource = composer.of(thing)
    if resource is None or resource.pair is None:
        return ""
    name = _name(resource)
    if resource.type.within:
        return f"${{output.{resource.label}_name}}" if name else ""
    same = name == composer.identity(resource)
    return f"${{output.{resource.label}_{'name' if name and not same else 'id'}}}"


def restated(
    text: str, *, meta_id: str, makes: Sequence[tuple[str, str]], catalogue: Catalogue
) -> str:
    """A record under our id, and with our words for what it makes (kinds and states),
    since its description is read by whoever walks. What was read before is expected."""
    members = read_yaml(text)
    return dump_record(
        {
            **members,
            "id": meta_id,
            "description": _described(makes, catalogue),
            "create": BlockText(members["create"]) if members["create"].strip() else "",
            "verify": list(map(OneLine, members["verify"])),
        }
    )


def _description(resources: tuple[Resource, ...], catalogue: Catalogue) -> str:
    """What there is when the procedure begins, in words."""
    return _described([(one.pair.kind.id, one.state) for one in resources if one.pair], catalogue)


def _described(makes: Sequence[tuple[str, str]], catalogue: Catalogue) -> str:
    told = [f"{_label(kind, catalogue)}{f' ({state})' if state else ''}" for kind, state in makes]
    return ("; ".join(told) or _NOTHING)[:_DESCRIPTION]


def _label(kind_id: str, catalogue: Catalogue) -> str:
    kind = catalogue.kinds[kind_id]
    product = catalogue.products[kind.product].id.upper()
    return f"{product} {kind.id.rpartition('.')[2].replace('_', ' ')}"
