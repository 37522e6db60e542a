"""A META record for one thing that a walk lacks, composed from its kind.

A need (`kernel.needs`) is matched member by member with what the catalogue has: the
kind of thing by its label, states and values by the labels of the kind's states, fields
and choices. What matches nothing is refused by name, so that nobody makes another thing
than the one that was asked for. The need's sentence is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from proofwalk.authoring.catalogue import Catalogue, Field, Kind, plain
from proofwalk.authoring.prerequisites import described
from proofwalk.authoring.records import Draft, draft
from proofwalk.authoring.resources import Tried, World, cannot_make
from proofwalk.authoring.things import STATUS, Thing, Things
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.needs import Need

_NAME = "name"
_SAY_NOTHING = frozenset(
    {"a", "an", "another", "any", "desired", "destination", "existing", "new", "one", "own"}
    | {"required", "source", "specific", "target", "test", "the", "your"}
)
"""Words before a noun that do not say what kind of thing it is."""
_AT_REST = frozenset({"available", "idle", "unattached"})
"""States that every console's settled state is also called by."""
_ALSO = {"attached": "in use"}
_LITERAL = re.compile(r"[^\"\\$%{}\x00-\x1f\x7f]{1,128}")
"""Values that HCL reads as they are."""


def draft_for(need: Need, world: World, *, tried: Tried | None = None) -> Draft:
    """The record, without the values that the cloud has refused. Raises
    `author.need_not_understood`, `author.cannot_make`."""
    things = Things(world.catalogue)
    kind = kind_of(need, world.catalogue)
    thing = things.resolve(kind)
    for state in need.states:
        _describe(thing, state)
    for label, value in need.values.items():
        _give(thing, label, value)
    written = draft(
        things, world, meta_id=f"need-{kind.id.replace('.', '-').replace('_', '-')}", tried=tried
    )
    if not written.resources:
        raise cannot_make(kind, "one comes into being only with another thing")
    return written


def kind_of(need: Need, catalogue: Catalogue) -> Kind:
    """The kind of thing that is missing: of the product that its noun names, else of
    the need's, else the only one that is called so. Raises
    `author.need_not_understood`."""
    for product, noun in _readings(need, catalogue):
        called = [kind for kind in catalogue.kinds.values() if _is_called(kind, noun)]
        own = [kind for kind in called if kind.product == product]
        if own or len(called) == 1:
            return (own or called)[0]
    raise _not_understood(f"no one kind of thing is called {need.resource!r}")


def _readings(need: Need, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Product and noun: as they are, then with the product that the noun begins
    with."""
    told = catalogue.product(need.product) if need.product else None
    words = plain(need.resource).split()
    while words and words[0] in _SAY_NOTHING:
        words = words[1:]
    noun = " ".join(words)
    yield (told.id if told is not None else ""), noun
    for product in catalogue.products.values():
        for title in sorted(map(plain, (product.id, *product.titles)), key=len, reverse=True):
            if noun.startswith(f"{title} "):
                yield product.id, noun.removeprefix(f"{title} ")


def _is_called(kind: Kind, noun: str) -> bool:
    own = kind.id.rpartition(".")[2].replace("_", " ")
    return noun in {plain(label) for label in (*kind.labels, own)}


def _describe(thing: Thing, state: str) -> None:
    words = plain(state)
    told = dict(described(thing.kind, _ALSO.get(words, words)))
    if not told and words in _AT_REST:
        told = {STATUS: (thing.kind.settled,)}
    if not told:
        raise _not_understood(f"nothing of {thing.kind.id} is called {state!r}")
    for name, values in told.items():
        thing.want(name, values)


def _give(thing: Thing, label: str, value: str) -> None:
    kind = thing.kind
    one = kind.fields.get(kind.name) if plain(label) == _NAME else kind.called(label, kind.form)
    if one is None or one.secret or one.references:
        raise _not_understood(f"no field of {kind.id} is called {label!r} that has a value")
    chosen = one.choice(value)
    if chosen is None and not _may_hold(one, value):
        raise _not_understood(f"{one.id} of {kind.id} cannot be {value!r}")
    if one.id == kind.name:
        thing.name = value
    else:
        thing.want(one.id, (chosen.value if chosen is not None else value,))


def _may_hold(one: Field, value: str) -> bool:
    """Whether the field takes a text, and this one."""
    if one.choices or one.zoned or not _LITERAL.fullmatch(value):
        return False
    return not one.pattern or re.search(one.pattern, value) is not None


def _not_understood(what: str) -> ProofwalkError:
    return conflict(
        "author.need_not_understood",
        f"the need cannot be read: {what}",
        hint="write a META record for the document",
    )
