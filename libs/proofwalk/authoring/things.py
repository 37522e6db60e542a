"""The things that a procedure is about: those that it makes, and those that must be
there before it begins.

A thing that must be there is a *need*. What is demanded of it comes from what the
document does to it (a thing that is stopped must run) and from what the document says
of it. Two phrases of one kind mean one thing, unless a form names one beside the other
or the document tells of several: then each phrase means the next one that fits it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from proofwalk.authoring.catalogue import Catalogue, Field, Kind, Values, plain

STATUS = "status"
_NOTHING: Mapping[str, Values] = {}
_MADE = re.compile(
    r"\b(?:you|we) (?:have )?(?:just )?(?:created|made|added)\b|\bnewly\b"
    r"|\b(?:new|created) |已创建|刚创建|新建|创建的"
)
_OLD = re.compile(r"\b(?:no longer|no application|old|former|existing)\b|不再|原有|旧")
_TAIL = re.compile(r" (?:to (?:go to|open|view|enter|confirm)|and then)\b.*$| in the list$")
_ARTICLE_OF_A_TRANSLATION = re.compile(r"^the (?=[\u4e00-\u9fff])|^the (?=\S+ ?[\u4e00-\u9fff])")


@dataclass(kw_only=True)
class Thing:
    """One thing. Of one that must be there, `wants` and `never` say how."""

    kind: Kind
    created: bool = False
    """The procedure makes it."""
    name: str = ""
    """What the document calls it, for a thing with a name in the document."""
    phrases: list[str] = field(default_factory=list)
    refers: dict[str, Thing] = field(default_factory=dict)
    """Field -> the thing that it names."""
    wants: dict[str, Values] = field(default_factory=dict)
    """Field, or `status` -> the values of which it must have one."""
    never: dict[str, str] = field(default_factory=dict)
    """Field -> the value that it must not have yet, since the document sets it."""
    joined: list[Kind] = field(default_factory=list)
    """Kinds of things that it is joined with: an address to a gateway."""
    touched: set[str] = field(default_factory=set)
    """Fields that an earlier act has changed."""

    def call(self, phrase: str) -> None:
        """The document means it by a phrase."""
        phrase = own_words(phrase)
        if phrase and phrase not in self.phrases:
            self.phrases.append(phrase)

    def lies_in(self, place: Thing) -> bool:
        """Whether it is no part of another thing of the place's kind."""
        return all(
            other is place
            for name, other in self.refers.items()
            if self.kind.parts.get(name) == place.kind.id
        )

    def want(self, name: str, values: Values) -> None:
        """Demand one of the values, of those that were demanded before."""
        if self.created or name in self.touched:
            return
        values = tuple(dict.fromkeys(values))
        known = self.wants.get(name)
        both = tuple(one for one in known if one in values) if known is not None else values
        self.wants[name] = both or known or values

    def avoid(self, name: str, value: str) -> None:
        """Demand that a field does not have the value yet."""
        if not self.created and name not in self.touched and name not in self.wants:
            self.never[name] = value

    def touch(self, name: str) -> None:
        """An act changes the field: what later acts demand of it is the act's doing."""
        self.touched.add(name)


class Things:
    """Those of one procedure."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.all: list[Thing] = []

    @property
    def needs(self) -> tuple[Thing, ...]:
        """What must be there, in the order in which the document comes to it."""
        return tuple(one for one in self.all if not one.created)

    def of(self, kind: Kind) -> Iterator[Thing]:
        """Those of a kind."""
        return (one for one in self.all if one.kind.id == kind.id)

    def make(self, kind: Kind, name: str) -> Thing:
        """A thing that the procedure makes."""
        thing = Thing(kind=kind, created=True, name=name)
        self.all.append(thing)
        return thing

    def resolve(
        self,
        kind: Kind,
        phrase: str = "",
        name: str = "",
        *,
        says: Mapping[str, Values] = _NOTHING,
        besides: Thing | None = None,
        place: Thing | None = None,
    ) -> Thing:
        """The thing that a phrase or a name means; it must be there if it is none that
        the procedure made. `says` is how the phrase says that it is; `besides` is
        another thing, `place` the one on whose page it is found."""
        those = [
            one
            for one in self.of(kind)
            if one is not besides and (place is None or one.lies_in(place))
        ]
        found = _candidate(those, phrase, name, says)
        if found is None:
            found = Thing(kind=kind, name=name)
            self.all.append(found)
        found.call(phrase)
        return found


def _candidate(
    candidates: Sequence[Thing], phrase: str, name: str, says: Mapping[str, Values]
) -> Thing | None:
    """The one of the things that is meant; None if it is another one."""
    if name:
        same = [one for one in candidates if plain(one.name) == plain(name)]
        return same[-1] if same else None
    again = [one for one in candidates if phrase and own_words(phrase) in one.phrases]
    if again:
        return again[-1]
    made = [one for one in candidates if one.created]
    there = [one for one in candidates if not one.created]
    if made and (_MADE.search(phrase) or (not there and not _OLD.search(phrase))):
        return made[-1]
    return min(there, key=lambda one: _unlike(one, phrase, says)) if there else None


def _unlike(thing: Thing, phrase: str, says: Mapping[str, Values]) -> tuple[int, bool]:
    """How little a phrase fits a thing: it says otherwise, or another phrase means the
    thing already."""
    agree = [
        bool({*values} & {*thing.wants[name]})
        for name, values in says.items()
        if name in thing.wants
    ]
    return agree.count(False) - agree.count(True), bool(phrase and thing.phrases)


def own_words(phrase: str) -> str:
    """A phrase as the document has it, without what the sentence goes on with and
    without the article of a translated one."""
    return _ARTICLE_OF_A_TRANSLATION.sub("", _TAIL.sub("", phrase)).strip()


def fits(thing: Thing, one: Field, value: str) -> bool:
    """Whether a value can be taken beside what the other fields hold."""
    told_by = [choice.fits for choice in one.choices if choice.value == value]
    return not told_by or any(
        all(holds(thing, name, values) for name, values in told.items()) for told in told_by
    )


def holds(thing: Thing, name: str, values: tuple[str, ...]) -> bool:
    """Whether a field of a thing has one of the values, by what is demanded of it, else
    by its default."""
    one = thing.kind.fields.get(name)
    wanted = thing.wants.get(name) or ((one.default,) if one else ())
    if one and one.choices and not any(wanted):
        wanted = (one.choices[0].value,)
    return any(value in values for value in wanted)
