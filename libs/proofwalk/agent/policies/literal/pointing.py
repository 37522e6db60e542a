"""Reads what is pointed at, or clicked with the right button, where no label names it:
`hover over the filter that you want to delete`, `right-click the pump`."""

from __future__ import annotations

from proofwalk.agent.policies.literal.clauses import Clause
from proofwalk.agent.policies.literal.derived_things import described, phrase_of
from proofwalk.agent.reading.english.parsing import Derived
from proofwalk.agent.reading.intents import Intent, IntentKind


def hovered(clause: Clause, found: Derived) -> list[Intent] | None:
    """The row of the thing, or the thing itself."""
    if len(found.things) != 1 or not described(found.things[0]):
        return None
    (thing,) = found.things
    phrase = phrase_of(clause, thing)
    row = [clause.intent(IntentKind.LOCATE, [], phrase=phrase)] if thing.tail("RELATIVE") else []
    return [clause.intent(IntentKind.HOVER, [], phrase=phrase), *row]


def right_clicked(clause: Clause, found: Derived) -> list[Intent] | None:
    """The thing whose context menu opens."""
    if len(found.things) != 1 or not described(found.things[0]):
        return None
    phrase = phrase_of(clause, found.things[0])
    return [clause.intent(IntentKind.OPEN_CONTEXT_MENU, [], phrase=phrase)]
