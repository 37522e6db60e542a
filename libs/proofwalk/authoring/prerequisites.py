"""What a document says that must be there before its procedure begins: `A running ECS
instance is available.`

A sentence tells of a thing if it says that one exists; the kind is the one that it
names first (in Chinese last), by the longest label. Words that are labels of the kind's
states and choices say how the thing is to be. `The instance is in the Running state.`
tells more of a thing that another sentence or the procedure names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from proofwalk.agent.page.words import normalise
from proofwalk.authoring.catalogue import Catalogue, Field, Kind, Values
from proofwalk.authoring.things import STATUS, Thing, Things
from proofwalk.procedures.model import InlineRole, Sentence

_EXISTS = re.compile(
    r"\b(?:exists?|(?:is|are) (?:available|ready|created|prepared)|you have|there is)\b"
    r"|已有|已准备|已创建|已存在|准备好",
    re.I,
)
_EXISTENCE = re.compile(r"\b(?:exists?|is|are) (?:available|in the account)\b|\bin the account\b")
_IS_SO = re.compile(r"^\W*the\b.*\b(?:is|are) (?:in the\b|enabled|disabled)|处于.*状态", re.I)
_VALUED = re.compile(
    r"\s*the (?P<field>[\w /-]+?) of (?:the|this|your) [\w -]+? (?:is|must be) ", re.I
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ON = re.compile(r"\b(?:is|are) (?:enabled|turned on)\b|已开启|已启用|开启了")
_JOINED = re.compile(
    r"\b(?:is (?!not)(?:associated|attached|bound|added)|belongs?|is a member|attached)\b"
    r"|已绑定|绑定了|已关联|属于|已加入|已授权"
)
_ONE = re.compile(r"\b(?:an?|the)(?: [\w/-]+){0,3} $")
_LEAST_LETTERS = 3
_CHINESE_NOUN = 2


def told_things(
    sentences: Sequence[Sentence], catalogue: Catalogue, things: Things, *, visited: Sequence[str]
) -> None:
    """Add what the sentences say that must be there. `visited` are the products to
    which the procedure goes, in its order."""
    for sentence, kind in existing_things(sentences, catalogue, visited):
        text = _EXISTENCE.sub(" ", sentence.text)
        thing = Thing(kind=kind)
        _describe(thing, text)
        named = list(_named(text, catalogue))
        thing.joined = list(_joined(kind, named, text))
        thing.refers |= _belongs(kind, named, text, things)
        things.all.append(thing)


def existing_things(
    sentences: Sequence[Sentence], catalogue: Catalogue, visited: Sequence[str]
) -> Iterator[tuple[Sentence, Kind]]:
    """The sentences that say that a thing exists, each with its kind. Prerequisites
    stand in the order of the steps: a word that several products use means the one to
    which the procedure goes next."""
    ahead = list(visited)
    for sentence in sentences:
        kind = existing(sentence, catalogue, [*ahead, *visited])
        if kind is not None:
            yield sentence, kind
            if kind.product in ahead:
                ahead.remove(kind.product)


def says_that_one_exists(sentence: Sentence) -> bool:
    """Whether the sentence says that something must be there, of whatever kind."""
    return bool(_EXISTS.search(sentence.text))


def names_a_kind(sentence: Sentence, catalogue: Catalogue) -> bool:
    """Whether anything in the console is called by a word of the sentence. Chinese
    leaves out the first part of a name: the end of one will do."""
    text = _EXISTENCE.sub(" ", sentence.text)
    return any(True for _ in _named(text, catalogue)) or any(
        _CHINESE.search(label) and label[-_CHINESE_NOUN:] in text
        for kind in catalogue.kinds.values()
        for label in kind.labels
    )


def existing(sentence: Sentence, catalogue: Catalogue, visited: Sequence[str]) -> Kind | None:
    """The kind of the thing of which the sentence says that it exists."""
    if not says_that_one_exists(sentence):
        return None
    text = _EXISTENCE.sub(" ", sentence.text)
    spoken = _spoken(catalogue, text)
    kinds = [one for one in _named(text, catalogue) if one[2].product in {*visited, *spoken}]
    return _subject(kinds, text, spoken, visited) if kinds else None


def demanded(
    sentence: Sentence, existing: Kind | None, catalogue: Catalogue, visited: Sequence[str]
) -> tuple[Kind, Sequence[tuple[str, Values]]] | None:
    """The kind of which the sentence says how a thing of it is to be: field, or
    `status`, and the values of which it is to have one. `existing` is the kind of the
    thing of which it says that it exists."""
    if existing is not None or says_that_one_exists(sentence):
        text = _EXISTENCE.sub(" ", sentence.text)
        return None if existing is None else (existing, list(described(existing, text)))
    spoken = _spoken(catalogue, sentence.text)
    known = {*visited, *spoken}
    kinds = [one for one in _named(sentence.text, catalogue) if one[2].product in known]
    if not kinds:
        return None
    kind = _subject(kinds, sentence.text, spoken, visited)
    told = list(described(kind, sentence.text)) if _IS_SO.search(sentence.text) else []
    return kind, [*told, *((name, (value,)) for name, value in _valued(kind, sentence))]


def told_states(sentences: Sequence[Sentence], catalogue: Catalogue, things: Things) -> None:
    """Add what the sentences say of things that are there: a state, or the value of a
    field (`The network of the yard is `10.0.0.0/8`.`)."""
    for sentence in sentences:
        if _EXISTS.search(sentence.text):
            continue
        named = {kind.id for _, _, kind in _named(sentence.text, catalogue)}
        thing = next((one for one in things.needs if one.kind.id in named), None)
        if thing is None:
            continue
        if _IS_SO.search(sentence.text):
            _describe(thing, sentence.text)
        for name, value in _valued(thing.kind, sentence):
            thing.want(name, (value,))


def _valued(kind: Kind, sentence: Sentence) -> Iterator[tuple[str, str]]:
    """The field that the sentence names, and the value that it sets in code."""
    said = _VALUED.match(sentence.text)
    value = next((one.text for one in sentence.inlines if one.role is InlineRole.CODE), "")
    if said is None or not value or not sentence.text[said.end() :].strip("`").startswith(value):
        return
    for one in kind.fields.values():
        if one.parameter and _named_by(one.labels, normalise(said["field"])):
            yield one.id, value
            return


def _named(text: str, catalogue: Catalogue) -> Iterator[tuple[int, int, Kind]]:
    """The kinds that a sentence may name: place, length of the label, kind."""
    words = normalise(text)
    for kind in catalogue.kinds.values():
        for label in (*kind.labels, kind.id.rpartition(".")[2].replace("_", " ")):
            wanted = normalise(label)
            if len(wanted) < _LEAST_LETTERS and not _CHINESE.search(wanted):
                continue
            for found in re.finditer(rf"(?<![a-z]){re.escape(wanted)}(?![a-z])", words):
                yield found.start(), len(wanted), kind


def _spoken(catalogue: Catalogue, text: str) -> Set[str]:
    """The products that a text names."""
    words = normalise(text)
    return {
        one.id for one in catalogue.products.values() if _named_by({one.id, *one.titles}, words)
    }


def _subject(
    kinds: Sequence[tuple[int, int, Kind]], text: str, spoken: Set[str], visited: Sequence[str]
) -> Kind:
    """The kind that the sentence is about: of the product that it names, else of one
    to which the procedure goes; of two that are as good, of the product that it comes
    to first."""
    chinese = bool(_CHINESE.search(text))
    place = (
        max(start + length for start, length, _ in kinds)
        if chinese
        else min(start for start, _, _ in kinds)
    )
    there = [
        (length, kind)
        for start, length, kind in kinds
        if (start + length if chinese else start) == place
    ]
    longest = max(length for length, _ in there)
    best = [kind for length, kind in there if length == longest]
    return min(
        best,
        key=lambda kind: (
            kind.product not in spoken,
            kind.product not in visited,
            -len(list(described(kind, text))),
            visited.index(kind.product) if kind.product in visited else 0,
        ),
    )


def _belongs(
    kind: Kind, named: Sequence[tuple[int, int, Kind]], text: str, things: Things
) -> Mapping[str, Thing]:
    """Field and the thing that was told of before of which the sentence says that this
    one is its: `a pump of the tank`."""
    words = normalise(text)
    owners = [other for start, _, other in named if words[:start].endswith(" of the ")]
    told = {
        own.id: list(things.of(other))
        for other in owners
        if other is not kind and (own := kind.referring(other))
    }
    return {name: those[-1] for name, those in told.items() if those}


def _joined(kind: Kind, named: Sequence[tuple[int, int, Kind]], text: str) -> Iterator[Kind]:
    """The kinds of things with which the sentence says that the thing is joined: `an
    address that is associated with a gateway`."""
    if not _JOINED.search(text):
        return
    words = normalise(text)
    for start, length, other in sorted(named, key=lambda one: -one[1]):
        single = _CHINESE.search(text) or _ONE.search(words[:start])
        if other.id != kind.id and single and length >= _LEAST_LETTERS:
            yield other


def _describe(thing: Thing, text: str) -> None:
    for name, values in described(thing.kind, text):
        thing.want(name, values)


def described(kind: Kind, text: str) -> Iterator[tuple[str, Values]]:
    """Field of the kind, or `status`, and the values that the words say: several
    choices may have one label."""
    words = normalise(text)
    given = [one for one in kind.fields.values() if kind.is_given(one)]
    on = [one for one in given if _ON.search(text) and _is_switch(one, words)]
    if on:
        # What is enabled is the field and not the thing.
        words = normalise(_ON.sub(" ", text))
    for state, labels in kind.states.items():
        spoken = next((label for label in labels if _says(words, label)), "")
        if spoken:
            yield STATUS, (state,)
            words = words.replace(normalise(spoken), " ")
            break
    for one in given:
        if chosen := _chosen(one, words):
            yield one.id, chosen
        elif one in on:
            yield one.id, ("true",)


def _is_switch(one: Field, words: str) -> bool:
    """Whether the words name a field that is on or off."""
    return not one.choices and not one.references and _named_by(one.labels, words)


def _named_by(labels: Set[str], words: str) -> bool:
    return any(_says(words, label) for label in labels)


def _chosen(one: Field, words: str) -> Values:
    """The values of the choices whose label is the longest that the words say."""
    said = [
        (len(label), choice.value)
        for choice in one.choices
        for label in (*choice.labels, choice.value)
        if _says(words, label)
    ]
    longest = max(said)[0] if said else 0
    return tuple(dict.fromkeys(value for length, value in said if length == longest))


def _says(words: str, label: str) -> bool:
    wanted = normalise(label)
    if _CHINESE.search(wanted):
        return len(wanted) > 1 and wanted in words
    return len(wanted) >= _LEAST_LETTERS and bool(
        re.search(rf"(?<![\w-]){re.escape(wanted)}(?![\w-])", words)
    )
