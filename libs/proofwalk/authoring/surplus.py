"""What a record makes or sets that a document does not need.

A resource is needed if it is a need, if the form of something needed demands one like
it, if it brings a need into its state, or if it joins one with what the document says.
Of two that could be one, one is superfluous, unless an act of the procedure puts the
second in the first one's place. An argument is needed if the form demands it, or the
provider, or the document. So that everything can be destroyed, `force` may be set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from proofwalk.authoring import samples
from proofwalk.authoring.catalogue import Field
from proofwalk.authoring.layout import Layout
from proofwalk.authoring.provider import Pair
from proofwalk.authoring.record_reading import MadeResource, canonical, canonical_hcl
from proofwalk.authoring.things import STATUS, Thing
from proofwalk.authoring.writing import Failure
from proofwalk.hcl.tree import print_expression, quote

TAKES_ALONG = re.compile(r"force|force_(?:delete|destroy)\w*")
"""Arguments that let a thing go with what a walk has put into it."""
_LONGEST = 256
"""Characters of what an argument is set to."""
_PREFIX = "var.name_prefix"


def surplus(layout: Layout) -> Iterator[Failure]:
    """What is too much, and where."""
    things = {layout.assigned[key].address: key for key in layout.assigned}
    needed = _needed(layout)
    for made in layout.record.resources:
        if made.address not in needed:
            yield Failure(
                code="author.surplus",
                message=f"the document does not need {made.address}; leave it out",
                address=made.address,
            )
            continue
        if made.address not in things and (other := _instead(layout, made, needed)):
            yield Failure(
                code="author.surplus",
                message=f"{other} can take the place of {made.address}; leave it out",
                address=made.address,
            )
        yield from _arguments(layout, made)


def thing_of(layout: Layout, made: MadeResource) -> Thing | None:
    """The need that a resource is."""
    return next((one for one in layout.needs if layout.assigned.get(id(one)) is made), None)


def _needed(layout: Layout) -> set[str]:
    """Addresses of what is needed."""
    needed = {made.address for made in layout.assigned.values()}
    while True:
        more = {
            one.address
            for made in layout.record.resources
            if made.address in needed
            for one in _brought_by(layout, made)
        } | {
            made.address
            for made in layout.record.resources
            if _partner(layout, made, needed)
            or any(
                other.address in needed and _must_name(layout, other, one)
                for other, one in layout.referring(made)
            )
        }
        if more <= needed:
            return needed
        needed |= more


def _brought_by(layout: Layout, made: MadeResource) -> Iterator[MadeResource]:
    """What stands beside something needed: for its state, for what it is joined
    with."""
    thing, pair = thing_of(layout, made), layout.pair_of(made)
    if pair is None:
        return
    told = thing.wants.get(STATUS, ()) if thing is not None else ()
    for state in told or layout.states_named(made):
        yield from layout.bringing(made, pair.kind, state)
    for kind in thing.joined if thing is not None else ():
        yield from layout.joining(made, kind)


def _partner(layout: Layout, made: MadeResource, needed: set[str]) -> bool:
    """Whether something needed that only joins two names it."""
    pair = layout.pair_of(made)
    return pair is not None and any(
        one.address in needed and one.type == beside.type.name and pair.kind.id in beside.others
        for one in layout.record.resources
        if one.refers(made)
        for beside in layout.world.otherwise.beside.values()
        if not beside.kind
    )


def _must_name(layout: Layout, made: MadeResource, one: Field) -> bool:
    """Whether a field has to name a thing, and not one of the values that the form
    has."""
    thing = thing_of(layout, made)
    named = thing is not None and (one.id in thing.refers or bool(thing.joined))
    return demanded(layout, made, one) and (named or not one.choices)


def demanded(layout: Layout, made: MadeResource, one: Field) -> bool:
    """Whether a field of a resource has to be set: the form or the provider demands it,
    or the document."""
    pair = layout.pair_of(made)
    if pair is None:
        return False
    thing = thing_of(layout, made)
    if thing is not None and (
        one.id in thing.refers
        or one.id in thing.wants
        or one.id in thing.never
        or any(ref.kind == kind.id for ref in one.references for kind in thing.joined)
    ):
        return True
    if one.id == pair.kind.name or any(
        pair.type.attributes[name].required for name in pair.fields if pair.fields[name] == one.id
    ):
        return True
    return one.required and all(
        layout.holds(made, pair, name, values) for name, values in one.shown_if.items()
    )


def _instead(layout: Layout, made: MadeResource, needed: set[str]) -> str:
    """A resource of the type that could take the place of one that is no need; empty
    for none."""
    referring = list(layout.referring(made))
    others = [one for one in layout.record.resources if one.type == made.type and one is not made]
    for other in others if referring else ():
        earlier = layout.record.resources.index(other) < layout.record.resources.index(made)
        if other.address not in needed or not (earlier or thing_of(layout, other)):
            continue
        if all(_may_name(layout, user, one, other) for user, one in referring):
            return other.address
    return ""


def _may_name(layout: Layout, user: MadeResource, one: Field, other: MadeResource) -> bool:
    """Whether a field of one resource could name another one."""
    thing, there = thing_of(layout, user), thing_of(layout, other)
    if user is other or other.refers(user) or (thing is not None and one.id in thing.touched):
        return False
    states = [state for ref in one.references for state in ref.states]
    wanted = there.wants.get(STATUS) if there is not None else None
    return not states or wanted is None or any(state in states for state in wanted)


def _arguments(layout: Layout, made: MadeResource) -> Iterator[Failure]:
    pair = layout.pair_of(made)
    for name, value in made.values.items():
        printed = print_expression(value)
        if len(printed) > _LONGEST * 4:
            yield _set(made, name, f"it is set to more than {_LONGEST} characters")
        elif name != "depends_on" and not _has_a_reason(layout, made, pair, name):
            yield _set(made, name, "nothing asks for it; leave it out")
        elif pair is not None and pair.fields.get(name) in pair.kind.fields:
            one = pair.kind.fields[pair.fields[name]]
            if one.id == pair.kind.name:
                yield from _name(layout, made, pair, name)
            elif wrong := _not_open(layout, made, pair, one):
                yield _set(made, name, wrong)


def _name(layout: Layout, made: MadeResource, pair: Pair, name: str) -> Iterator[Failure]:
    """A name that the document does not say is one of the walk's own."""
    one = pair.kind.fields[pair.kind.name]
    thing = thing_of(layout, made)
    free = samples.PREFIX in samples.name(one.pattern, 0, frozenset(), one.example)
    if one.references or (thing is not None and thing.name) or not free:
        return
    if _PREFIX not in print_expression(made.values[name]):
        yield _set(made, name, f"a name that the document does not say has `${{{_PREFIX}}}` in it")


def _not_open(layout: Layout, made: MadeResource, pair: Pair, one: Field) -> str:
    """Why a field that the document leaves open may not hold what it is set to: it
    names nothing of the record, or is not what the form has by itself."""
    thing, told = thing_of(layout, made), layout.values_of(made, one)
    if thing is not None and (one.id in thing.refers or one.id in thing.wants):
        return ""
    if one.references and not one.choices:
        kinds = [layout.world.catalogue.kinds.get(ref.kind) for ref in one.references]
        standing = {quote(name) for kind in kinds if kind is not None for name in kind.standing}
        users = layout.record.resources
        names = {name for other in users for name in layout.names(other, one)} | standing
        return "" if set(told) <= names else "it has to name a resource of the record"
    never = thing is not None and one.id in thing.never
    if not one.default or never or (pair.kind.id, one.id) in layout.refused:
        return ""
    usual = set(told) <= layout.spelled(pair, one, (one.default,))
    return "" if usual else f"nothing asks for another value than {one.default!r}"


def _has_a_reason(layout: Layout, made: MadeResource, pair: Pair | None, name: str) -> bool:
    """Whether somebody asks for an argument."""
    value, otherwise = canonical(made.values[name]), layout.world.otherwise
    constant = otherwise.constants.get(made.type, {}).get(name)
    if constant is not None and value == canonical_hcl(constant):
        return True
    if TAKES_ALONG.fullmatch(name):
        return value == quote("true")
    if name == STATUS or any(
        name in marks for marks in otherwise.states.get(made.type, {}).values()
    ):
        return pair is not None and thing_of(layout, made) is not None
    besides = [
        one
        for one in otherwise.beside.values()
        if one.type.name == made.type or (pair is not None and one.kind == pair.kind.id)
    ]
    if any(name in (one.own, one.other, *one.constants) for one in besides):
        return True
    if pair is None:
        return False
    if name in pair.fields and pair.fields[name] in pair.kind.fields:
        return demanded(layout, made, pair.kind.fields[pair.fields[name]])
    attribute = pair.type.attributes.get(name)
    return attribute is not None and attribute.required


def _set(made: MadeResource, name: str, what: str) -> Failure:
    return Failure(
        code="author.surplus", message=f"{made.address}.{name}: {what}", address=made.address
    )
