"""A record laid against the needs of a document: which resource is which need, and what
the record says of each. `coverage` and `surplus` judge by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proofwalk.authoring.catalogue import Field, Kind
from proofwalk.authoring.mending import Blamable, Place, blamed
from proofwalk.authoring.provider import Beside, Pair, identity, name_attribute, naming
from proofwalk.authoring.record_reading import (
    MadeResource,
    RecordReading,
    canonical,
    canonical_hcl,
    items_of,
    parsed,
)
from proofwalk.authoring.resources import World, literal
from proofwalk.authoring.things import STATUS, Thing
from proofwalk.hcl.tree import quote


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One way to see the needs in a record."""

    record: RecordReading
    needs: Sequence[Thing]
    """What must be there and is made by a resource."""
    assigned: Mapping[int, MadeResource]
    """`id` of a need -> its resource."""
    world: World
    refused: frozenset[Place] = frozenset()
    """Fields whose former values a cloud has refused."""

    def pair_of(self, made: MadeResource) -> Pair | None:
        """The kind that a resource's type makes; None for one that only joins."""
        return self.world.by_type.get(made.type)

    def of_kind(self, kind: Kind) -> Iterator[MadeResource]:
        """The resources of a kind."""
        pair = self.world.pairs.get(kind.id)
        if pair is not None:
            yield from (one for one in self.record.resources if one.type == pair.type.name)

    def values_of(self, made: MadeResource, one: Field) -> tuple[str, ...]:
        """What a field of a resource is set to, in canonical HCL, a list's items each;
        empty where it is not set."""
        pair = self.pair_of(made)
        names = (
            [] if pair is None else [name for name in pair.fields if pair.fields[name] == one.id]
        )
        values = [made.values[name] for name in names if name in made.values]
        return tuple(canonical(item) for value in values for item in items_of(value))

    def id_of(self, made: MadeResource) -> str:
        """The id by which the inventory knows a resource, in canonical HCL; empty for a
        block, which has none."""
        pair = self.pair_of(made)
        if pair is not None and pair.type.within:
            return ""
        if pair is None:
            return canonical_hcl(f"{made.address}.id")
        return canonical_hcl(identity(made.address, pair.type, pair, self.world.otherwise))

    def called(self, made: MadeResource) -> frozenset[str]:
        """What a console may call a resource, in canonical HCL: its id, its name, or
        what it calls the thing that this one stands for. A block has no id."""
        pair = self.pair_of(made)
        if pair is None:
            return frozenset()
        ids = frozenset({self.id_of(made)} - {""})
        named = pair.kind.fields.get(pair.kind.name)
        if named is None:
            return ids
        told = frozenset(self.values_of(made, named))
        if named.references:
            return ids.union(
                *(
                    self.called(other)
                    for other in self.record.resources
                    if other is not made and told & self.names(other, named)
                )
            )
        name = name_attribute(pair)
        if pair.type.within:
            return told
        return ids | ({canonical_hcl(f"{made.address}.{name}")} if name in made.values else set())

    def names(self, made: MadeResource, one: Field) -> frozenset[str]:
        """What a field may hold that refers to a resource."""
        pair = self.pair_of(made)
        if pair is None or pair.type.within:
            return frozenset()
        told = {f"{made.address}.id"} | {
            naming(made.address, pair, reference, self.world.otherwise)
            for reference in one.references
            if reference.kind == pair.kind.id
        }
        return frozenset(map(canonical_hcl, told))

    def spelled(self, pair: Pair, one: Field, values: Sequence[str]) -> frozenset[str]:
        """Values of a field as the provider has them, in canonical HCL."""
        otherwise = self.world.otherwise.values.get(pair.type.name, {})
        return frozenset(
            canonical(item)
            for name, field_id in pair.fields.items()
            if field_id == one.id
            for value in values
            for item in items_of(
                parsed(
                    literal(
                        pair.type.attributes[name], one, otherwise.get(name, {}).get(value, value)
                    )
                )
            )
        )

    def holds(self, made: MadeResource, pair: Pair, name: str, values: Sequence[str]) -> bool:
        """Whether a field has one of the values; an unset one has its default."""
        one = pair.kind.fields.get(name)
        if one is None:
            return False
        if told := self.values_of(made, one):
            return bool(set(told) & self.spelled(pair, one, values))
        default = one.default or (one.choices[0].value if one.choices else "")
        return default in values

    def blamed(self, message: str) -> frozenset[Place]:
        """The fields whose values a cloud's message blames."""
        named = [Blamable(one.type, one.label, self.pair_of(one)) for one in self.record.resources]
        return blamed(message, named)

    def referring(self, made: MadeResource) -> Iterator[tuple[MadeResource, Field]]:
        """The resources that name one, each with the field that does."""
        for other in self.record.resources:
            pair = self.pair_of(other)
            for one in pair.kind.fields.values() if pair and other is not made else ():
                if one.references and set(self.values_of(other, one)) & self.names(made, one):
                    yield other, one

    def states_named(self, made: MadeResource) -> tuple[str, ...]:
        """The states in which those that refer to a resource may name it; empty for
        any."""
        pair = self.pair_of(made)
        named: tuple[str, ...] = ()
        for _, one in self.referring(made):
            for reference in one.references:
                if pair and reference.kind == pair.kind.id and reference.states:
                    states = reference.states
                    named = tuple(x for x in named or states if x in states) or states
        return named

    def is_in(self, made: MadeResource, kind: Kind, state: str) -> bool:
        """Whether the record brings a resource into a state, and into no other."""
        marks = self.world.otherwise.states.get(made.type, {})
        status = canonical(made.values[STATUS]) if STATUS in made.values else ""
        if state == kind.settled:
            return (
                status in ("", quote(state))
                and not any(marks[one] and _marked(made, marks[one]) for one in marks)
                and not any(self.bringing(made, kind, one) for one in kind.states if one != state)
            )
        if f"{kind.id}/{state}" in self.world.otherwise.beside:
            return bool(self.bringing(made, kind, state))
        if state in marks:
            return _marked(made, marks[state])
        return status == quote(state)

    def bringing(self, made: MadeResource, kind: Kind, state: str) -> tuple[MadeResource, ...]:
        """The resources that stand beside one so that it is in a state."""
        beside = self.world.otherwise.beside.get(f"{kind.id}/{state}")
        return self.beside(made, beside) if beside is not None else ()

    def beside(self, made: MadeResource, beside: Beside) -> tuple[MadeResource, ...]:
        """The resources that are what must be made beside one."""
        pair = self.world.pairs.get(beside.kind) if beside.kind else None
        type_ = pair.type.name if pair else beside.type.name
        return tuple(
            one
            for one in self.record.resources
            if one.type == type_
            and _marked(one, beside.constants)
            and (self._owns(one, pair, made, beside) if pair else self._links(one, made, beside))
        )

    def _owns(self, one: MadeResource, pair: Pair, made: MadeResource, beside: Beside) -> bool:
        """Whether a thing beside another one names it."""
        own = pair.kind.fields[beside.own]
        return bool(set(self.values_of(one, own)) & self.names(made, own))

    def _links(self, one: MadeResource, made: MadeResource, beside: Beside) -> bool:
        """Whether a resource joins another one with one of those that it may be joined
        with."""
        partners = [
            canonical_hcl(f"{other.address}.{beside.other_by}")
            for kind in beside.others
            for other in self.of_kind(self.world.catalogue.kinds[kind])
        ]
        told = {name: canonical(value) for name, value in one.values.items()}
        return told.get(beside.own) == canonical_hcl(f"{made.address}.{beside.own_by}") and (
            not beside.other or told.get(beside.other) in partners
        )

    def joining(self, made: MadeResource, kind: Kind) -> tuple[MadeResource, ...]:
        """The resources by which one is joined with a kind: the other thing, and what
        refers to both."""
        others = tuple(one for one in self.of_kind(kind) if one is not made)
        direct = [one for one in others if made.refers(one) or one.refers(made)]
        between = [
            one
            for one in self.record.resources
            if one.refers(made) and one is not made and self._joins(one, kind, others)
        ]
        joined = [other for one in between for other in others if one.refers(other)]
        return tuple([*direct, *between, *joined])

    def _joins(self, made: MadeResource, kind: Kind, others: Sequence[MadeResource]) -> bool:
        pair = self.pair_of(made)
        fields = pair.kind.fields.values() if pair else ()
        standing = kind.standing and any(
            reference.kind == kind.id for one in fields for reference in one.references
        )
        chosen = any(
            reference.kind == kind.id and one.choices and self.values_of(made, one)
            for one in fields
            for reference in one.references
        )
        return bool(standing) or chosen or any(made.refers(other) for other in others)


def _marked(made: MadeResource, marks: Mapping[str, str]) -> bool:
    return all(
        name in made.values and canonical(made.values[name]) == canonical_hcl(value)
        for name, value in marks.items()
    )
