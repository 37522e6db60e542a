"""What a model is told of the provider: the types that make what is needed and what it
must stand in, with the arguments that matter; how states come about; ids.

Facts of the console and the provider alone, none of a document's sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proofwalk.authoring.catalogue import Field, Kind
from proofwalk.authoring.provider import OWNER, Beside, Pair, identity
from proofwalk.authoring.resources import World
from proofwalk.authoring.surplus import TAKES_ALONG
from proofwalk.authoring.things import STATUS, Thing

_CHOICES = 12
_TEXT = 120


def excerpt(needs: Sequence[Thing], world: World, *, optional: int) -> str:
    """The types, those of the needs first; `optional` arguments of each at most that
    neither the form nor the provider demands."""
    parts = []
    for kind in kinds_about(needs, world):
        wanted = {
            name
            for thing in needs
            if thing.kind is kind
            for name in (*thing.refers, *thing.wants, *thing.never)
        }
        parts.append("\n".join(_type(world, world.pairs[kind.id], wanted, optional)))
    return "\n\n".join(parts)


def kinds_about(needs: Sequence[Thing], world: World) -> list[Kind]:
    """The kinds of the needs, of what they are joined with, and of what forms demand of
    these, each once."""
    kinds = list({thing.kind.id: thing.kind for thing in needs}.values())
    kinds += [kind for thing in needs for kind in thing.joined]
    kinds += [
        world.catalogue.kinds[id_]
        for beside in _besides(world, kinds)
        for id_ in (beside.kind, *beside.others)
        if id_
    ]
    seen: dict[str, Kind] = {}
    while kinds:
        kind = kinds.pop(0)
        if kind.id in seen or kind.id not in world.pairs:
            continue
        seen[kind.id] = kind
        kinds += [
            world.catalogue.kinds[reference.kind]
            for one in kind.fields.values()
            if _demanded(world.pairs[kind.id], one) and not one.choices
            for reference in one.references
            if reference.kind in world.catalogue.kinds
        ]
    return list(seen.values())


def _besides(world: World, kinds: Sequence[Kind]) -> Iterator[Beside]:
    ids = {kind.id for kind in kinds}
    for name, beside in world.otherwise.beside.items():
        if name.partition("/")[0].partition("+")[0] in ids:
            yield beside


def _demanded(pair: Pair, one: Field) -> bool:
    held = [name for name in pair.fields if pair.fields[name] == one.id]
    return one.required or any(pair.type.attributes[name].required for name in held)


def _type(world: World, pair: Pair, wanted: set[str], optional: int) -> Iterator[str]:
    kind, type_ = pair.kind, pair.type
    product, _, short = kind.id.partition(".")
    if type_.within:
        lies_in = ", ".join(ref.kind for ref in kind.fields[pair.fields[OWNER]].references)
        block = type_.name.removeprefix(f"{type_.within}.")
        yield f'block "{block}" of resource "{type_.within}" makes {kind.id}, in its {lies_in}'
    else:
        yield f'resource "{type_.name}" makes {kind.id}'
    if kind.listed and not type_.within:
        told = identity(f"{type_.name}.LABEL", type_, pair, world.otherwise)
        yield f"  in verify: product {product}, type {short}, id {told}"
    else:
        yield "  not looked for in verify"
    for name in sorted(pair.fields, key=lambda one: not type_.attributes[one].required):
        one = kind.fields.get(pair.fields[name])
        if one is None or name == OWNER or type_.attributes[name].deprecated:
            continue
        demanded = _demanded(pair, one)
        if not demanded and one.id not in wanted and one.id != kind.name:
            optional -= 1
            if optional < 0:
                continue
        yield f"  {name} ({type_.attributes[name].kind}){_about(world, pair, name, demanded)}"
    for name, value in world.otherwise.constants.get(type_.name, {}).items():
        yield f"  {name}: always {value}"
    for name in type_.attributes:
        if TAKES_ALONG.fullmatch(name):
            yield f"  {name}: true, so that it can be destroyed"
    yield from (f"  {line}" for line in _states(world, pair))


def _about(world: World, pair: Pair, name: str, demanded: bool) -> str:
    """What is known of the field that an argument holds."""
    one = pair.kind.fields[pair.fields[name]]
    spelled = world.otherwise.values.get(pair.type.name, {}).get(name, {})
    told = ["demanded" if demanded else "optional"]
    if one.shown_if:
        shown = [f"{other} is {' or '.join(values)}" for other, values in one.shown_if.items()]
        told.append(f"where {' and '.join(shown)}")
    if one.id == pair.kind.name:
        told.append("the name")
    told += [
        f"names a {reference.kind}"
        + (f" by its {reference.by}" if reference.by != "id" else "")
        + (f" that is {' or '.join(reference.states)}" if reference.states else "")
        for reference in one.references
    ]
    if one.zoned:
        zones = ", ".join(f'"${{var.region}}{zone}"' for zone in world.catalogue.zones)
        told.append(f"a zone: {zones}")
    if one.choices:
        values = dict.fromkeys(spelled.get(one.value, one.value) for one in one.choices)
        told.append(f"one of {', '.join(list(values)[:_CHOICES])}")
    if one.words:
        told.append(f"{one.words[0]} or {one.words[1]}")
    if one.default:
        told.append(f"default {spelled.get(one.default, one.default)}")
    if one.inside[0]:
        told.append(f"a part of the network of {one.inside[0]}")
    if one.pattern:
        told.append(f"pattern {one.pattern[:_TEXT]}")
    return f" holds {one.id}: {'; '.join(told)}"


def _states(world: World, pair: Pair) -> Iterator[str]:
    kind, otherwise = pair.kind, world.otherwise
    if len(kind.states) < 2:
        return
    yield f"states: {', '.join(kind.states)}; it comes to rest as {kind.settled}"
    status = pair.type.attributes.get(STATUS)
    for state in kind.states:
        beside = otherwise.beside.get(f"{kind.id}/{state}")
        marks = otherwise.states.get(pair.type.name, {}).get(state)
        if beside is not None:
            yield f"{state}: {_brings(world, beside)}"
        elif marks:
            yield f"{state}: " + ", ".join(f"{name} = {value}" for name, value in marks.items())
        elif status is not None and status.settable and state != kind.settled:
            yield f'{state}: status = "{state}"'


def _brings(world: World, beside: Beside) -> str:
    constants = "".join(f", {name} = {value}" for name, value in beside.constants.items())
    if beside.kind:
        return f"a {beside.kind} beside it whose {beside.own} names it{constants}"
    other = f", {beside.other} = the {beside.other_by} of {' or '.join(beside.others)}"
    return (
        f'a resource "{beside.type.name}" with {beside.own} = its {beside.own_by}'
        f"{other if beside.other else ''}{constants}"
    )
