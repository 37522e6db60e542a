"""Writes the template that makes what a procedure needs: a resource for each need, and
for everything that these refer to.

A resource has the attributes that its form demands, those that its state asks for, and
no others. What a provider makes as a block (`members`) is written into the resource of
what it lies in. A value is, in this order: what the document says, a thing of the kind
that the field refers to (one for all, unless an act names another beside it), the zone
that every region has, the form's default, the first choice that fits, a name of the
walk's own, a text of the field's form. What no type makes, or no attribute brings into
the state that is asked for, is refused by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from proofwalk.authoring import samples
from proofwalk.authoring.catalogue import Choice, Field, Kind, Reference
from proofwalk.authoring.provider import Beside, identity, naming
from proofwalk.authoring.resources import (
    Resource,
    Tried,
    World,
    as_list,
    cannot_make,
    in_order,
    literal,
    unmade,
)
from proofwalk.authoring.things import STATUS, Thing, Things, fits, holds

MAX_RESOURCES = 20
_SUBNET_BITS = 8
_TAKES_ALONG = re.compile(r"force|force_(?:delete|destroy)\w*")
"""Attributes that let a thing go with what a walk has put into it."""


class Composer:
    """Writes the template of one procedure."""

    def __init__(self, world: World, tried: Tried | None = None) -> None:
        self._world = world
        self._catalogue = world.catalogue
        self._pairs = world.pairs
        self._otherwise = world.otherwise
        self._tried = tried or {}
        self.resources: list[Resource] = []
        self._of: dict[int, Resource] = {}
        self._shared: list[Thing] = []
        self._names: set[str] = set()

    def compose(self, things: Things) -> tuple[Resource, ...]:
        """The resources, each after what it refers to. Raises `author.cannot_make`."""
        self._shared = list(things.needs)
        for thing in things.needs:
            self._join(thing)
        for thing in [*self._shared]:
            self._make(thing, ())
        for thing in [*self._shared]:
            self._bring(thing)
        return tuple(in_order(self.resources))

    def _join(self, thing: Thing) -> None:
        """The things with which the document says that one is joined: by a field of its
        own, or by a thing of a kind that refers to both."""
        for kind in thing.joined:
            own = thing.kind.referring(kind)
            if own is not None:
                thing.refers.setdefault(own.id, self._another_of(kind, thing, own))
                return
            for between in self._catalogue.kinds.values():
                one, other = between.referring(thing.kind), between.referring(kind)
                if one and other and one is not other and between.id in self._pairs:
                    link = self._link(between, one, thing)
                    named = link.name and other.id == between.name
                    if not kind.standing and not named and other.id not in link.refers:
                        link.refers[other.id] = self._another_of(kind, link, other)
                    return

    def _link(self, kind: Kind, one: Field, thing: Thing) -> Thing:
        """What names a thing by a field: one that there is, else another need."""
        for other in self._shared:
            if other.kind is kind and other.refers.get(one.id) is thing:
                return other
        link = Thing(kind=kind, refers={one.id: thing})
        self._shared.append(link)
        return link

    def of(self, thing: Thing) -> Resource | None:
        """What was written for a thing."""
        return self._of.get(id(thing))

    def _make(self, thing: Thing, path: tuple[str, ...]) -> Resource | None:
        """The resource of a thing; None for one that comes with another."""
        if id(thing) in self._of:
            return self._of[id(thing)]
        kind = thing.kind
        pair = self._pairs.get(kind.id)
        if kind.id in path or len(self.resources) >= MAX_RESOURCES:
            raise cannot_make(kind, "it needs itself, or too much")
        if pair is None:
            if kind.spawned_by or kind.standing:
                for other in thing.refers.values():
                    self._make(other, (*path, kind.id))
                return None
            raise unmade(kind, self._world)
        resource = Resource(type=pair.type, label="", thing=thing, pair=pair)
        for one in kind.in_order():
            self._set(resource, one, (*path, kind.id))
        for name, value in self._otherwise.constants.get(pair.type.name, {}).items():
            resource.attributes.setdefault(name, value)
        for attribute in pair.type.attributes.values():
            if attribute.kind == "bool" and _TAKES_ALONG.fullmatch(attribute.name):
                resource.attributes.setdefault(attribute.name, "true")
        self._state(resource)
        same = any(one.type is pair.type for one in self.resources)
        self._place(resource, kind.id.rpartition(".")[2], "" if same else kind.product)
        self._of[id(thing)] = resource
        return resource

    def _place(self, resource: Resource, wanted: str, product: str = "") -> None:
        """Give the resource a label that no other one has."""
        taken = {one.label for one in self.resources}
        further = (f"{wanted}_{number}" for number in range(2, 2 * MAX_RESOURCES))
        labels = (wanted, *((f"{product}_{wanted}",) if product else ()), *further)
        resource.label = next(one for one in labels if one not in taken)
        self.resources.append(resource)

    def _set(self, resource: Resource, one: Field, path: tuple[str, ...]) -> None:
        thing, pair = resource.thing, resource.pair
        assert thing is not None
        assert pair is not None
        name = pair.attribute(one.id)
        if not name:
            return
        attribute = pair.type.attributes[name]
        demanded = one.required and thing.kind.is_given(one) and _applies(one, thing)
        named = one.id in thing.refers
        if one.references and (named or ((demanded or attribute.required) and not one.choices)):
            if referred := self._referred(thing, one, path):
                resource.attributes[name] = as_list(attribute, referred)
            return
        if (demanded or attribute.required) and (within := self._within(resource, one)):
            resource.attributes[name] = within
            return
        value = self._value(thing, one, demanded=demanded or attribute.required)
        if value is not None:
            spelled = self._otherwise.values.get(pair.type.name, {}).get(name, {})
            resource.attributes[name] = literal(attribute, one, spelled.get(value, value))

    def _within(self, resource: Resource, one: Field) -> str:
        """A part of the network in which the value must lie; another one for each
        resource of the type."""
        thing, (named, other) = resource.thing, one.inside
        if thing is None or not named or one.id in thing.wants:
            return ""
        around = next(
            (
                made
                for made in self.resources
                if resource.attributes.get(named, "").startswith(f"{made.address}.")
            ),
            None,
        )
        if around is None or around.pair is None:
            return ""
        number = 1 + sum(made.type is resource.type for made in self.resources)
        network = f"{around.address}.{around.pair.attribute(other)}"
        return f"cidrsubnet({network}, {_SUBNET_BITS}, {number})"

    def _value(self, thing: Thing, one: Field, *, demanded: bool) -> str | None:
        kind = thing.kind
        if one.id == kind.name:
            return thing.name or self._name(one, self._tried.get((kind.id, one.id), 0))
        told = thing.wants.get(one.id, ())
        fitting = [value for value in told if value and fits(thing, one, value)]
        if fitting and (one.default not in told or told[0]):
            return fitting[0]
        if one.id in thing.never:
            other = _another(one, thing.never[one.id])
            if other != one.default:
                return other
        if not demanded:
            return None
        candidates = tuple(dict.fromkeys(self._candidates(thing, one)))
        at = self._tried.get((kind.id, one.id), 0)
        if at >= len(candidates) > 0:
            raise cannot_make(kind, f"no value of {one.id} is accepted")
        return candidates[at] if candidates else ""

    def _candidates(self, thing: Thing, one: Field) -> Iterator[str]:
        """What a field may hold that nobody has chosen, best first."""
        if one.zoned:
            yield from (f"${{var.region}}{zone}" for zone in self._catalogue.zones)
            return
        if one.default:
            yield one.default
        for choice in one.choices:
            if fits(thing, one, choice.value):
                yield choice.value
        if one.choices:
            yield one.choices[0].value
            for choice in one.choices:
                if self._fits_in_zone(thing, choice):
                    yield choice.value
        elif one.secret:
            yield samples.secret(one.pattern)
        else:
            shape = self._shape(thing, one)
            yield from samples.texts(shape, one.least, one.example, moment=one.moment)

    def _fits_in_zone(self, thing: Thing, choice: Choice) -> bool:
        """Whether a value can be taken in the zone that is taken where nobody has
        chosen one, too."""

        def is_of_zone(name: str, values: tuple[str, ...]) -> bool:
            zoned = thing.kind.fields.get(name)
            if zoned is None or not zoned.zoned or thing.wants.get(name):
                return False
            at = self._tried.get((thing.kind.id, name), 0)
            zones = self._catalogue.zones[at : at + 1]
            return any(fnmatchcase(zone, value) for zone in zones for value in values)

        return all(
            holds(thing, name, values) or is_of_zone(name, values)
            for name, values in choice.fits.items()
        )

    def _shape(self, thing: Thing, one: Field) -> str:
        """The pattern of the value, which may hang on another field."""
        for value, pattern in one.patterns.items():
            if holds(thing, one.patterned_by, (value,)):
                return pattern
        return one.pattern

    def _name(self, one: Field, tried: int) -> str:
        at, taken = len(self._names) + tried, frozenset(self._names)
        made = samples.name(one.pattern, at, taken, one.example)
        self._names.add(made)
        return made

    def _referred(self, thing: Thing, one: Field, path: tuple[str, ...]) -> str:
        """What names the thing that a field refers to; empty if nothing is to be
        made for it."""
        other = thing.refers.get(one.id)
        reference = next(
            (ref for ref in one.references if other and ref.kind == other.kind.id),
            one.references[0],
        )
        if other is None or other.created:
            kind = self._catalogue.kinds[reference.kind]
            if kind.standing and one.id not in thing.refers:
                return ""
            other = self._another_of(kind, thing, one, reference.states)
        if one.id == thing.kind.name:
            thing.refers[one.id] = other
        if reference.states:
            other.want(STATUS, reference.states)
        made = self._make(other, path)
        return "" if made is None else self.expression(made, reference)

    def _another_of(
        self, kind: Kind, thing: Thing, one: Field, states: tuple[str, ...] = ()
    ) -> Thing:
        """A thing of the kind for what refers to one: the one that there is, unless an
        act puts it in the other's place. What stands for one (a group's server) stands
        for one that the document names for nothing else."""
        if one.id not in thing.touched:
            those = [one for one in self._shared if one.kind is kind and one is not thing]
            fitting = [one for one in those if _may_be(one, states)]
            if fitting and one.id == thing.kind.name:
                return min(fitting, key=self._meant_otherwise)
            if fitting:
                return fitting[0]
        support = Thing(kind=kind)
        if one.id not in thing.touched:
            self._shared.append(support)
        return support

    def _meant_otherwise(self, thing: Thing) -> tuple[bool, int]:
        """Whether the document itself names a thing, and how many others name it."""
        named = [other for one in self._shared for other in one.refers.values()]
        return bool(thing.phrases), sum(other is thing for other in named)

    def expression(self, resource: Resource, reference: Reference) -> str:
        """HCL for what a field holds that refers to a resource."""
        assert resource.pair is not None
        return naming(resource.address, resource.pair, reference, self._otherwise)

    def identity(self, resource: Resource) -> str:
        """HCL for the id by which the inventory knows a resource."""
        return identity(resource.address, resource.type, resource.pair, self._otherwise)

    def _state(self, resource: Resource) -> None:
        """The attributes that bring a thing into the state that is asked for."""
        thing, pair = resource.thing, resource.pair
        assert thing is not None
        assert pair is not None
        kind = pair.kind
        wanted = thing.wants.get(STATUS, ())
        state = kind.settled if not wanted or kind.settled in wanted else wanted[0]
        resource.state = state if len(kind.states) > 1 else ""
        if state == kind.settled or f"{kind.id}/{state}" in self._otherwise.beside:
            return
        told = self._otherwise.states.get(pair.type.name, {}).get(state)
        status = pair.type.attributes.get(STATUS)
        if told is not None:
            resource.attributes |= told
        elif status is not None and status.settable:
            resource.attributes[STATUS] = json.dumps(state)
        else:
            raise cannot_make(kind, f"nothing brings one into the state {state}")

    def _bring(self, thing: Thing) -> None:
        """What must be made beside a thing for it to be in its state."""
        resource = self.of(thing)
        if resource is None or resource.pair is None:
            return
        beside = self._otherwise.beside.get(f"{thing.kind.id}/{resource.state}")
        joined = next(
            (
                one
                for kind in thing.joined
                if (one := self._otherwise.beside.get(f"{thing.kind.id}+{kind.id}"))
            ),
            None,
        )
        if one := beside or joined:
            self._beside(resource, one, thing)

    def _beside(self, resource: Resource, one: Beside, thing: Thing) -> None:
        if one.kind:
            kind = self._catalogue.kinds[one.kind]
            there = (other for other in self._shared if other.kind is kind)
            own = (other for other in there if other.refers.get(one.own, thing) is thing)
            other = next(own, None) or Thing(kind=kind)
            other.refers.setdefault(one.own, thing)
            made = self._make(other, (thing.kind.id,))
            assert made is not None
            made.attributes |= one.constants
            made.state = ""
            return
        link = Resource(type=one.type, label="", attributes=dict(one.constants))
        link.attributes[one.own] = f"{resource.address}.{one.own_by}"
        if one.other:
            kinds = [kind for kind in thing.joined if kind.id in one.others] or [
                self._catalogue.kinds[one.others[0]]
            ]
            partner = self._make(self._another_of(kinds[0], thing, _NO_FIELD), (thing.kind.id,))
            assert partner is not None
            link.attributes[one.other] = f"{partner.address}.{one.other_by}"
        self._place(link, link.type.name.rpartition("_")[2])


_NO_FIELD = Field(id="", labels=frozenset())


def _may_be(thing: Thing, states: tuple[str, ...]) -> bool:
    """Whether a thing can be in one of the states, with what is demanded of it."""
    wanted = thing.wants.get(STATUS)
    return not states or wanted is None or any(state in states for state in wanted)


def _applies(one: Field, thing: Thing) -> bool:
    return all(holds(thing, name, values) for name, values in one.shown_if.items())


def _another(one: Field, value: str) -> str:
    """A value that is not the one that the document sets."""
    if one.choices:
        others = [choice.value for choice in one.choices if choice.value != value]
        return one.default if one.default in others else next(iter(others), one.default)
    if value == "true":
        return ""
    if value == one.default and one.least is not None:
        return str(int(one.least))
    if value == "":
        return one.default or ("true" if not one.pattern and one.least is None else "")
    return one.default
