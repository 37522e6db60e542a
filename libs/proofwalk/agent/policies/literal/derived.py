"""Reads a clause that no rule reads by the grammar of `reading.english`.

A rule reads the forms that it knows; the grammar derives what the words of a clause are
(things, and what is said about each), and this module says what is done with them, per
class of verb. Nothing here names a control with certainty: what is described blames no
document when it is not found. A clause is left unread where the grammar has no
derivation or several, where a word of it has no meaning here, and where a span that was
read past may ask for something.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from proofwalk.agent.policies.literal.accounting import leftover
from proofwalk.agent.policies.literal.clauses import Clause, Rule
from proofwalk.agent.policies.literal.derived_fields import (
    change_field,
    enter_fields,
    open_fields,
)
from proofwalk.agent.policies.literal.derived_things import (
    JOINTS,
    beside,
    described,
    field_of,
    is_definite,
    is_placed,
    name_of,
    only_tells,
    phrase_of,
    sign_of,
)
from proofwalk.agent.policies.literal.pointing import hovered, right_clicked
from proofwalk.agent.policies.literal.remainders import asks_behind
from proofwalk.agent.reading.english.parsing import Derived, Thing, derived
from proofwalk.agent.reading.english.tokens import lexicon
from proofwalk.agent.reading.intents import ARROW, THING, Intent, IntentKind
from proofwalk.agent.reading.marks import LABEL

_OVER = re.compile(r"^\s*(?:(?:your |the )?(?:mouse|pointer|cursor) )?(?:over|on|onto|in)\s+", re.I)
_FOR_A_FILE = re.compile(
    r"\b(?:import|upload|attach|send|restore|containing|contains|holds|holding|computer|device|"
    r"disk|machine)\b",
    re.I,
)
_ON_OR_OFF = re.compile(r"^(?P<thing>.*\S)\s+(?P<way>on|off)$", re.I)
_THEN_ANOTHER = re.compile(
    rf",?\s+(?:and\s+)?then\s+(?:the\s+)?(?P<label>{LABEL})(?:\s+(?:tab|button|link|option))?"
    r"(?:\s+(?:in|on|of) the (?:[a-z-]+ ){0,2}"
    r"(?:table|pane|panel|list|page|window|dialog))?[\s:]*$",
    re.I,
)
"""`click the eye, then **Copy**`: the verb goes on."""
_WAY = re.compile(
    r"to (?:(?P<on>enable|activate|turn on|switch on)|disable|deactivate|turn off|switch off)\b",
    re.I,
)
_ARROW = re.compile(r"\b(?:arrow|chevron|caret|triangle)\b", re.I)
_COMMA_IF = re.compile(r",\s+(?=(?:if|when|unless) )", re.I)
_OF_MANY = re.compile(r"^(?:an?|one|all|each|every|any|some|several|both)\b", re.I)


def derive(clause: Clause, rule: Rule) -> list[Intent] | None:
    """Return what a clause asks for; None if it stays unread."""
    verb = lexicon().verbs.get(clause.verb.casefold())
    text = _OVER.sub("", JOINTS.sub("", clause.text)).strip()
    text = _COMMA_IF.sub(" ", text)
    if verb is None or asks_behind(text, coordinated=True):
        return None
    if verb == "save" and not clause.labels:
        return _saved(clause, text)
    if verb == "turn":
        turned = _ON_OR_OFF.match(text)
        if turned is None:
            return None
        verb, text = ("tick" if turned["way"].lower() == "on" else "untick"), turned["thing"]
    after = _THEN_ANOTHER.search(text) if verb in ("click", "choose", "open") else None
    if after is not None:
        first = derive(replace(clause, text=text[: after.start()]), rule)
        first = first if first is not None else _ruled(clause, rule, text[: after.start()])
        then = clause.intent(IntentKind.CLICK, [clause.folded.label(after["label"])])
        return None if first is None else [*first, then]
    found = derived(text)
    if found is None:
        return None
    shown = [tail.text for thing in found.things for tail in thing.tails if tail.kind == "SHOWN"]
    arrow = _arrow_beside(clause, found) if verb in ("click", "choose", "open") else None
    if arrow is not None:
        return arrow
    if len(clause.labels) > len(shown):
        return _named(clause, rule, verb, found)
    read = _MEANINGS[verb](clause, found) if verb in _MEANINGS else None
    depends = any(thing.tail("CONDITION") for thing in found.things)
    return [replace(one, conditional=True) for one in read] if read and depends else read


def _arrow_beside(clause: Clause, found: Derived) -> list[Intent] | None:
    """`click the arrow next to the **Add** button`: the part of a split button that
    opens its menu."""
    (thing, *more) = found.things
    beside_it = thing.tail("BESIDE")
    if more or beside_it is None or not _ARROW.search(" ".join(one.text for one in thing.words)):
        return None
    others = [one for one in thing.tails if one is not beside_it]
    named = clause.folded.labels_in(beside_it.text)
    if len(named) != 1 or not all(only_tells(one) or is_placed(one) for one in others):
        return None
    phrase = phrase_of(clause, thing)
    return [clause.intent(IntentKind.CLICK, named, noun=ARROW, phrase=phrase)]


def _ruled(clause: Clause, rule: Rule, text: str) -> list[Intent] | None:
    """What the verb's rule reads in a part of a clause; None unless that is all of
    it."""
    read = rule(replace(clause, text=text))
    return read if read and not leftover(clause.folded, text, read) else None


def _named(clause: Clause, rule: Rule, verb: str, found: Derived) -> list[Intent] | None:
    """`click **Drain** next to the pump that you want to drain`: the rule reads the
    name, and what is said besides is the row, a place, or asks for nothing."""
    if len(found.things) != 1 or verb not in ("click", "choose", "enter", "tick", "untick"):
        return None
    (thing,) = found.things
    if field_of(thing) and verb in ("choose", "enter"):
        return _given_value(clause, thing)
    row = _row_told(verb, thing)
    if not thing.labels or not thing.tails or row is None or not _is_told(thing, row):
        return None
    core = " ".join((thing.determiner, *(token.text for token in thing.words))).strip()
    read = _ruled(clause, rule, core)
    if read is None or len(read) != 1:
        return None
    if thing.tail("CONDITION"):
        read = [replace(read[0], conditional=True)]
    if not row:
        return read
    (pressed,) = read
    if pressed.kind is IntentKind.SET and not pressed.path and pressed.value:
        pressed = replace(pressed, kind=IntentKind.CLICK, path=(pressed.value,), value=None)
    if pressed.kind is not IntentKind.CLICK:
        return None
    named = clause.folded.labels_in(row)
    return [clause.intent(IntentKind.LOCATE, named, phrase=clause.folded.plain(row)), pressed]


def _row_told(verb: str, thing: Thing) -> str | None:
    """The row that a named control stands in; empty if none is told, None if the clause
    may mean something else."""
    if verb not in ("click", "choose") or (verb == "choose" and _is_an_open_field(thing)):
        return ""
    if verb == "choose" and thing.tail("OF", "FOR"):
        return None  # `Select **Small** for the pump`: a value, and not of a row.
    return beside(thing)


def _is_an_open_field(thing: Thing) -> bool:
    """`Select a **Size** for the pump`: of which thing is plain, and which size is left
    to the reader."""
    return thing.determiner in ("a", "an") and len(thing.labels) == 1


def _given_value(clause: Clause, thing: Thing) -> list[Intent] | None:
    """`select `80` in the Port list`: the field has no markup."""
    others = [tail for tail in thing.tails if tail.kind not in ("PLACE", "TO")]
    values = clause.folded.labels_in("".join(token.text for token in thing.words))
    if len(thing.words) != 1 or not values or not all(only_tells(tail) for tail in others):
        return None
    given = clause.intent(
        IntentKind.SET, values, path=(field_of(thing),), value=values[0].text, noun="words"
    )
    return [replace(given, conditional=thing.tail("CONDITION") is not None)]


def _is_told(thing: Thing, row: str) -> bool:
    """True if every tail is the row, a place of the page, or tells something."""
    return all(
        only_tells(tail)
        or is_placed(tail)
        or (bool(row) and tail.text in row)
        or (tail.kind in ("OF", "FOR") and not tail.several and _is_an_open_field(thing))
        for tail in thing.tails
    )


def _pressed(clause: Clause, found: Derived) -> list[Intent] | None:
    """`click the red dot`, `click the gear next to the pump`."""
    if len(found.things) != 1:
        return None
    (thing,) = found.things
    kind = thing.head.kind
    if kind == "ROW":
        return _its_row(clause, thing)
    if kind == "BOX":
        return _ticked(clause, found)
    if kind in ("SYMBOL", "MENU", "BUTTON"):
        return _drawn(clause, thing)
    if kind == "OPTION":
        return _chosen(clause, found)
    wanted = thing.tail("RELATIVE")
    if kind != "WORD" or wanted is None or not is_definite(thing) or not described(thing):
        return None
    return [clause.intent(IntentKind.OPEN_ROW, [], phrase=phrase_of(clause, thing))]


def _its_row(clause: Clause, thing: Thing) -> list[Intent] | None:
    """`click the pump's table row`, `select the row of the pump`."""
    if not described(thing) or (_OF_MANY.match(thing.determiner) and len(thing.words) < 2):
        return None
    return [clause.intent(IntentKind.SELECT_ROW, [], phrase=phrase_of(clause, thing))]


def _drawn(clause: Clause, thing: Thing) -> list[Intent] | None:
    """A control that shows a picture, or that the sentence describes by its looks."""
    name = name_of(thing)
    row = beside(thing)
    if not name or row is None or not _is_told(thing, row) or _OF_MANY.match(thing.determiner):
        return None
    noun = ARROW if row and _ARROW.search(name) else "icon"
    drawn = clause.intent(
        IntentKind.CLICK, [], path=(name,), noun=noun, phrase=phrase_of(clause, thing)
    )
    sign = sign_of(clause, thing)
    if sign:
        drawn = replace(drawn, path=(sign,), others=(name,))
    return [*([clause.intent(IntentKind.LOCATE, [], phrase=row)] if row else []), drawn]


def _chosen(clause: Clause, found: Derived) -> list[Intent] | None:
    """`select an operator`, `select the event`, `choose a file that holds the keys`."""
    if len(found.things) == 1:
        (thing,) = found.things
        if thing.head.kind in ("SYMBOL", "BUTTON", "BOX", "ROW"):
            return _pressed(clause, found)
        if thing.head.kind == "FILE":
            return _uploaded(clause, found) if _is_to_upload(thing) else None
        if is_definite(thing) and thing.head.kind == "WORD" and described(thing):
            return [clause.intent(IntentKind.SELECT_ROW, [], phrase=phrase_of(clause, thing))]
    if any(thing.head.kind not in ("OPTION", "FIELD", "WORD") for thing in found.things):
        return None
    if any(thing.head.kind == "WORD" and is_definite(thing) for thing in found.things):
        return None
    return open_fields(clause, found, chosen=True)


def _is_to_upload(thing: Thing) -> bool:
    told = " ".join(tail.text for tail in thing.tails)
    mine = thing.determiner.startswith("your") and not thing.tails
    return mine or _FOR_A_FILE.search(told) is not None


def _uploaded(clause: Clause, found: Derived) -> list[Intent] | None:
    """`upload the logo`: which file, the episode has to say."""
    (thing, *more) = found.things
    if more or thing.head.kind not in ("FILE", "SYMBOL") or not described(thing):
        return None
    path = (clause.field,) if clause.field else ()
    return [clause.intent(IntentKind.UPLOAD, [], path=path, phrase=phrase_of(clause, thing))]


def _located(clause: Clause, found: Derived) -> list[Intent] | None:
    """`find your country or region`: one row, by either name."""
    if found.joint == "and" or not all(described(thing) for thing in found.things):
        return None
    phrase = clause.folded.plain(JOINTS.sub("", clause.text)).strip()
    return [clause.intent(IntentKind.LOCATE, [], phrase=phrase)]


def _ticked(clause: Clause, found: Derived) -> list[Intent] | None:
    """`tick the box next to the pump`, `tick the invoice`."""
    if len(found.things) != 1 or not is_definite(found.things[0]):
        return None
    (thing,) = found.things
    tail = thing.tail("FOR", "BESIDE", "OF")
    if thing.head.kind == "BOX":
        if tail is None and thing.tails:
            return None
        row = phrase_of(clause, thing) if tail else "the check box"
        return [clause.intent(IntentKind.SELECT_ROW, [], phrase=row)]
    if clause.verb.casefold() != "tick" or thing.head.kind not in ("WORD", "ROW"):
        return None
    if not described(thing):
        return None
    return [clause.intent(IntentKind.SELECT_ROW, [], phrase=phrase_of(clause, thing))]


def _switched_on(clause: Clause, found: Derived) -> list[Intent] | None:
    if clause.verb.casefold() not in ("turn", "switch"):
        return _ticked(clause, found)
    return _switched(clause, found, checked=True)


def _cleared(clause: Clause, found: Derived) -> list[Intent] | None:
    if clause.verb.casefold() in ("turn", "switch"):
        return _switched(clause, found, checked=False)
    (thing, *more) = found.things
    tail = thing.tail("FOR", "BESIDE", "OF")
    others = replace(thing, tails=tuple(one for one in thing.tails if one is not tail))
    if more or thing.head.kind != "BOX" or tail is None or not described(others):
        return None
    which = thing.tail("RELATIVE")
    phrase = clause.folded.plain(f"{tail.text} {which.text}" if which else tail.text).strip()
    return [clause.intent(IntentKind.CHECK, [], checked=False, phrase=phrase)]


def _switched(clause: Clause, found: Derived, *, checked: bool) -> list[Intent] | None:
    """`turn the flag on`: the switch beside a thing."""
    (thing, *more) = found.things
    if more or thing.head.kind != "WORD" or not is_definite(thing) or not described(thing):
        return None
    return [clause.intent(IntentKind.CHECK, [], checked=checked, phrase=phrase_of(clause, thing))]


def _added(clause: Clause, found: Derived) -> list[Intent] | None:
    """`add a context field, an operator, and values`: several fields of a form."""
    return enter_fields(clause, found) if len(found.things) > 1 else None


def _used(clause: Clause, found: Derived) -> list[Intent] | None:
    """`use the main switch to enable it`, `use the edit button near the title`."""
    (thing, *more) = found.things
    purpose = thing.tail("PURPOSE")
    if more or thing.head.kind not in ("SWITCH", "BUTTON", "SYMBOL"):
        return None
    if thing.head.kind != "SWITCH":
        return _drawn(clause, thing)
    way = _WAY.match(purpose.text) if purpose else None
    if way is None or not described(thing) or not is_definite(thing):
        return None
    return [
        clause.intent(
            IntentKind.CHECK, [], checked=way["on"] is not None, phrase=phrase_of(clause, thing)
        )
    ]


def _entered_place(clause: Clause, found: Derived) -> list[Intent] | None:
    """`open the settings menu`, `expand the policy that you want to change`."""
    (thing, *more) = found.things
    if more:
        return None
    if thing.head.kind in ("MENU", "SYMBOL"):
        return _drawn(clause, thing)
    if thing.head.kind != "WORD" or not is_definite(thing) or not described(thing):
        return None
    if clause.verb.casefold() != "expand" and thing.tail("RELATIVE") is None:
        return None
    return [clause.intent(IntentKind.OPEN_ROW, [], noun=THING, phrase=phrase_of(clause, thing))]


def _confirmed(clause: Clause, found: Derived) -> list[Intent] | None:
    (thing, *more) = found.things
    if more or thing.head.kind != "DECISION" or not described(thing):
        return None
    return [
        clause.intent(IntentKind.CONFIRM, [], phrase=f"{clause.verb} {phrase_of(clause, thing)}")
    ]


def _saved(clause: Clause, text: str) -> list[Intent] | None:
    """`save`, `save the role`: the control that says so."""
    found = derived(text) if text else None
    if text and (found is None or len(found.things) != 1 or not described(found.things[0])):
        return None
    phrase = clause.folded.plain(text) or "save"
    return [clause.intent(IntentKind.CLICK, [], path=("Save",), noun="icon", phrase=phrase)]


_MEANINGS: dict[str, Callable[[Clause, Derived], list[Intent] | None]] = {
    "click": _pressed,
    "choose": _chosen,
    "enter": enter_fields,
    "add": _added,
    "change": change_field,
    "open": _entered_place,
    "expand": _entered_place,
    "tick": _switched_on,
    "untick": _cleared,
    "upload": _uploaded,
    "hover": hovered,
    "right_click": right_clicked,
    "find": _located,
    "use": _used,
    "confirm": _confirmed,
}
"""What a class of verbs does with the things of its clause."""
