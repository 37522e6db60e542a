"""Whether a META record makes what a document needs: judged from the document, not from
who wrote the record.

What is needed are the `things` that tracing the document has found. A record covers
them if

- each is a resource of its own, of the type that makes its kind, with the name, the
  values, the state and the relations that the document tells or its steps presuppose;
- nothing else is made but what these must stand in, and nothing else is set
  (`surplus`);
- the verification looks for each by its id, in that state;
- each phrase of the document stands for its thing, and no other phrase for anything.

So a record that can be made, looked at and taken back, and is not what the document
needs, is not accepted, whatever it says of itself. What cannot be told is no coverage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from proofwalk.authoring.catalogue import Field
from proofwalk.authoring.layout import Layout
from proofwalk.authoring.members import parted
from proofwalk.authoring.mending import Place
from proofwalk.authoring.record_reading import MadeResource, RecordReading
from proofwalk.authoring.resources import World, unmade
from proofwalk.authoring.surplus import surplus
from proofwalk.authoring.things import STATUS, Thing, Things, fits
from proofwalk.authoring.writing import Failure
from proofwalk.hcl.tree import quote

_MOST_TRIED = 40
"""Ways to see the needs in a record that are looked at, at most."""
_MISSING = 1000
"""What a need without a resource counts, beside one for each other failure."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What came of holding a record against a document."""

    failures: tuple[Failure, ...]
    layout: Layout
    makes: tuple[tuple[str, str], ...]
    """Kind and state of what the record makes, in its order; the state is empty where
    none is looked for."""

    @property
    def holds(self) -> bool:
        """Whether the record is what the document needs."""
        return not self.failures


def coverage(
    record: RecordReading,
    things: Things,
    world: World,
    *,
    refused: frozenset[Place] = frozenset(),
) -> Coverage:
    """Hold a record against what a document needs; of the fields `refused` a cloud has
    refused former values. Raises `author.cannot_make` where nobody can tell, since no
    type of the provider makes what is needed."""
    needs, record = makeable(things, world), parted(record, world)
    layout = _best(Layout(record=record, needs=needs, assigned={}, world=world, refused=refused))
    failures = [
        *(failure for thing in layout.needs for failure in _of_need(layout, thing)),
        *surplus(layout),
        *_checks(layout),
        *_kinds(layout),
        *_binds(layout, things),
    ]
    return Coverage(failures=tuple(failures), layout=layout, makes=tuple(_makes(layout)))


def makeable(things: Things, world: World) -> tuple[Thing, ...]:
    """The needs that a resource makes. Raises `author.cannot_make` for one that
    nothing makes, and that no other brings with it."""
    for thing in things.needs:
        kind = thing.kind
        if kind.id not in world.pairs and not kind.spawned_by and not kind.standing:
            raise unmade(kind, world)
    return tuple(one for one in things.needs if one.kind.id in world.pairs)


def _best(unassigned: Layout) -> Layout:
    """The way to see the needs in a record that leaves the fewest failures: one that
    leaves none is seen if it is among those that are tried."""
    best, needs = unassigned, unassigned.needs
    least, tried = _MISSING * (len(needs) + 1), 0

    def seen(at: int, layout: Layout, cost: int) -> None:
        nonlocal best, least, tried
        if cost >= least or tried >= _MOST_TRIED:
            return
        if at < len(needs):
            for failures, further in sorted(_further(layout, needs[at]), key=lambda one: one[0]):
                seen(at + 1, further, cost + failures)
            return
        tried += 1
        cost += len(list(surplus(layout)))
        if cost < least:
            best, least = layout, cost

    seen(0, unassigned, 0)
    return best


def _further(layout: Layout, thing: Thing) -> Iterator[tuple[int, Layout]]:
    """The resources that a need may be, each with what is then wrong with it."""
    taken = {one.address for one in layout.assigned.values()}
    for one in layout.of_kind(thing.kind):
        if one.address not in taken:
            further = replace(layout, assigned={**layout.assigned, id(thing): one})
            stands_for = _stands_for(further, thing)
            bound = [layout.record.binds.get(phrase, "") for phrase in thing.phrases]
            unbound = sum(value not in stands_for for value in bound) if stands_for else 0
            yield len(list(_of_need(further, thing))) + unbound, further
    yield _MISSING, layout


def _of_need(layout: Layout, thing: Thing) -> Iterator[Failure]:
    """What is wrong with the resource of a need."""
    made = layout.assigned.get(id(thing))
    if made is None:
        type_ = layout.world.pairs[thing.kind.id].type.name
        yield Failure(
            code="author.need_missing",
            message=f"the document needs {described(thing)}, and no {type_} of its own makes it",
        )
        return
    for one in thing.kind.fields.values():
        if wrong := _wrong(layout, thing, made, one):
            yield _otherwise(made, f"{one.id} {wrong}")
    states = wanted_states(layout, thing, made)
    if not any(layout.is_in(made, thing.kind, state) for state in states):
        yield _otherwise(made, f"nothing brings it into the state {' or '.join(states)}")
    if thing.joined and not any(layout.joining(made, kind) for kind in thing.joined):
        kinds = " or ".join(kind.id for kind in thing.joined)
        yield _otherwise(made, f"it has to be joined with {kinds}")


def _otherwise(made: MadeResource, what: str) -> Failure:
    return Failure(
        code="author.need_otherwise",
        message=f"{made.address} is not as the document needs it: {what}",
        address=made.address,
    )


def wanted_states(layout: Layout, thing: Thing, made: MadeResource) -> tuple[str, ...]:
    """The states in which a need may be: those that the document asks for, else those
    in which what refers to it may name it, else the one in which it comes to rest."""
    if told := thing.wants.get(STATUS):
        return told
    named = layout.states_named(made)
    return named if named and thing.kind.settled not in named else (thing.kind.settled,)


def _wrong(layout: Layout, thing: Thing, made: MadeResource, one: Field) -> str:
    """Why a field is not as the document needs it; empty where it is."""
    pair = layout.world.pairs[thing.kind.id]
    if not pair.attribute(one.id):
        return ""
    if one.references and one.id in thing.refers:
        return _wrong_reference(layout, thing.refers[one.id], layout.values_of(made, one), one)
    told = set(layout.values_of(made, one))
    if one.id == thing.kind.name and thing.name:
        named = told and told <= layout.spelled(pair, one, (thing.name,))
        return "" if named else f"is {thing.name!r} in the document"
    if wants := tuple(one_of for one_of in thing.wants.get(one.id, ()) if fits(thing, one, one_of)):
        if told:
            right = told <= layout.spelled(pair, one, wants)
        else:
            right = not wants[0] or (one.default in wants and "" in wants)
        return "" if right else f"has to be {_among(wants)}"
    if one.id in thing.never:
        never = thing.never[one.id]
        spelled = {*layout.spelled(pair, one, (never,)), quote(never)}
        same = told & spelled if told else never == one.default
        return f"must not be {never or 'empty'!r} yet: the document sets it" if same else ""
    return ""


def _wrong_reference(layout: Layout, other: Thing, told: Sequence[str], one: Field) -> str:
    """Why a field does not name the thing that it has to."""
    if other.kind.id not in layout.world.pairs:
        return ""
    there = None if other.created else layout.assigned.get(id(other))
    may = [there] if there is not None else list(layout.of_kind(other.kind))
    names = {name for made in may for name in layout.names(made, one)}
    if len(told) == 1 and told[0] in names:
        return ""
    which = f": {there.address}" if there is not None else ""
    return f"has to name one {other.kind.id}{which}"


def _among(values: Sequence[str]) -> str:
    return " or ".join(repr(value) if value else "unset" for value in values)


def described(thing: Thing) -> str:
    """A need in words."""
    states = thing.wants.get(STATUS, (thing.kind.settled,) if len(thing.kind.states) > 1 else ())
    named = f" {thing.name!r}" if thing.name else ""
    return f"{thing.kind.id}{named}" + (f" ({' or '.join(states)})" if any(states) else "")


def _checks(layout: Layout) -> Iterator[Failure]:
    """What the verification does not look for, or looks for beside it."""
    looked_for = set()
    for made in layout.record.resources:
        pair = layout.pair_of(made)
        if pair is None or not pair.kind.listed:
            continue
        checks = [
            one
            for one in layout.record.checks
            if one.kind == pair.kind.id and one.value == layout.id_of(made)
        ]
        looked_for |= set(checks)
        if not checks:
            message = f"verify does not look for {made.address} by its id, {layout.id_of(made)}"
            yield Failure(code="author.unverified", message=message, address=made.address)
    for thing in layout.needs:
        made_one = layout.assigned.get(id(thing))
        if made_one is None or len(thing.kind.states) < 2 or not thing.kind.listed:
            continue
        states = wanted_states(layout, thing, made_one)
        if _state_of(layout, made_one) not in states:
            message = f"verify does not say that {made_one.address} is {' or '.join(states)}"
            yield Failure(code="author.unverified", message=message, address=made_one.address)
    for index, check in enumerate(layout.record.checks):
        if check not in looked_for:
            message = f"verify looks for {check.kind} {check.value}, which the record does not make"
            yield Failure(code="author.unverified", message=message, address=f"verify.{index}")


def _state_of(layout: Layout, made: MadeResource) -> str:
    """The state that all checks of a resource say; empty where they differ."""
    ids = layout.id_of(made)
    states = {one.state for one in layout.record.checks if one.value == ids}
    return states.pop() if len(states) == 1 else ""


def _makes(layout: Layout) -> Iterator[tuple[str, str]]:
    for made in layout.record.resources:
        if pair := layout.pair_of(made):
            yield pair.kind.id, _state_of(layout, made)


def _kinds(layout: Layout) -> Iterator[Failure]:
    """K, beside what is made."""
    made = Counter(kind for kind, _ in _makes(layout))
    if made != Counter(layout.record.kinds):
        message = f"attributes.resources has to list what is made: {', '.join(made.elements())}"
        yield Failure(code="author.record_form", message=message, address="attributes.resources")


def _binds(layout: Layout, things: Things) -> Iterator[Failure]:
    """Phrases that stand for something else, or that the document does not have."""
    may: dict[str, set[str]] = {}
    for thing in things.all:
        for phrase in thing.phrases:
            may.setdefault(phrase, set()).update(_stands_for(layout, thing))
    for phrase, values in may.items():
        if values and layout.record.binds.get(phrase, "") not in values:
            told = " or ".join(sorted(values))
            yield _unbound(phrase, f"has to stand for an output with the value {told}")
    for phrase in layout.record.binds:
        if not may.get(phrase):
            yield _unbound(phrase, "is none that the document uses for what is there")


def _unbound(phrase: str, what: str) -> Failure:
    message = f"the phrase {phrase[:100]!r} {what}"
    return Failure(code="author.unbound", message=message, address="binds")


def _stands_for(layout: Layout, thing: Thing, depth: int = 0) -> set[str]:
    """What a phrase may stand for that means a thing: its name or its id, or those of
    the thing that names it."""
    named = thing.kind.fields.get(thing.kind.name)
    about = thing.refers.get(named.id) if named is not None else None
    if about is not None and depth < len(layout.needs) + 1:
        return _stands_for(layout, about, depth + 1)
    if thing.name:
        return {quote(thing.name)}
    made = layout.assigned.get(id(thing))
    return set(layout.called(made)) if made is not None else set()
