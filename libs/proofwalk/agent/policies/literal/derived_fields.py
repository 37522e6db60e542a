"""Fields that a clause names in plain words, and whose values it leaves open."""

from __future__ import annotations

from dataclasses import replace

from proofwalk.agent.policies.literal.clauses import Clause
from proofwalk.agent.policies.literal.derived_things import (
    JOINTS,
    described,
    field_of,
    is_definite,
    name_of,
    phrase_of,
)
from proofwalk.agent.reading.english.parsing import Derived
from proofwalk.agent.reading.intents import Intent, IntentKind


def open_fields(clause: Clause, found: Derived, *, chosen: bool = False) -> list[Intent] | None:
    """Fields whose values are left to the reader. Of alternatives, the first field is
    one that takes any."""
    place = field_of(found.things[-1])
    if place and not clause.field and len(found.things) == 1:
        phrase = phrase_of(clause, replace(found.things[0], tails=()))
        return [clause.intent(IntentKind.SET, [], path=(place,), noun="words", phrase=phrase)]
    if not all(described(thing) for thing in found.things):
        return None
    if clause.field and found.joint == "and":
        return None
    if clause.field or found.joint == "or":
        phrase = clause.folded.plain(JOINTS.sub("", clause.text)).strip()
        path = (clause.field,) if clause.field else (name_of(found.things[0]),)
        noun = "" if clause.field else "words"
        return [clause.intent(IntentKind.SET, [], path=path, noun=noun, phrase=phrase)]
    names = [name_of(thing) for thing in found.things]
    if not all(names):
        return None
    return [
        replace(
            clause.intent(
                IntentKind.SET, [], path=(name,), noun="words", phrase=phrase_of(clause, thing)
            ),
            chosen=chosen,
        )
        for name, thing in zip(names, found.things, strict=True)
    ]


def enter_fields(clause: Clause, found: Derived) -> list[Intent] | None:
    """`enter a name and a value`: fields that the document leaves open."""
    heads = {thing.head.kind for thing in found.things}
    if any(thing.tail("TO") for thing in found.things) and clause.verb.casefold() == "paste":
        return None
    if not heads <= ({"FIELD", "OPTION", "WORD"} if clause.field else {"FIELD", "OPTION"}):
        return None
    return open_fields(clause, found)


def change_field(clause: Clause, found: Derived) -> list[Intent] | None:
    """`update the name of the folder`: to what is left open."""
    if len(found.things) != 1 or found.things[0].head.kind != "FIELD":
        return None
    if not is_definite(found.things[0]) or found.things[0].tail("TO"):
        return None
    return open_fields(clause, found)
