"""What the grammar's things mean for a walk: names, rows, places, and remarks."""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.clauses import Clause
from proofwalk.agent.reading.english.parsing import Tail, Thing
from proofwalk.agent.reading.english.tokens import lexicon

JOINTS = re.compile(r"(?:[\s,.;]|\b(?:and|then)\b)+$", re.I)
"""What joins a clause to the next one."""
_BESIDES = ("PURPOSE", "ASIDE", "SHOWN", "ADVERB", "CONDITION")
_TELLS = ("RELATIVE", *_BESIDES)
_DESCRIBES = ("OF", "FOR", "TO", "WITH", *_TELLS)
_IT = re.compile(r"it|them", re.I)
_ITS = re.compile(r"(?:its|their|his|her) ", re.I)
_WITHOUT_HEAD = frozenset(("icon", "symbol", "sign", "button", "link", "menu", "context menu"))
"""Heads that say what kind of control it is, and are no part of its name."""
_FIELD = re.compile(
    r"(?:the|its) (?!(?:text|input|text input)\b)(?P<name>[^,]+?) (?:(?:text|input) )?"
    r"(?:field|box|text ?box|(?:drop-?down )?(?:list|menu|selector)|drop-?down)",
    re.I,
)
_KINDS = ("SYMBOL", "BUTTON", "MENU")
_SIGN = re.compile(r"\(\s*(?P<sign>[^\w\s()]{1,3})\s*\)")


def phrase_of(clause: Clause, thing: Thing) -> str:
    """A thing in the document's words, with what describes it."""
    words = [thing.determiner, *(token.text for token in thing.words)]
    for tail in thing.tails:
        if tail.kind not in _BESIDES and not is_placed(tail):
            words += [tail.begins, tail.text] if tail.head is not None else [tail.text]
    return clause.folded.plain(" ".join(word for word in words if word))


def name_of(thing: Thing) -> str:
    """The name that a description gives a control or field: `the red dot` → `red dot`,
    `the settings icon` → `settings`, `a new value` → `value`; empty if it gives
    none."""
    words = [token for token in thing.words if token.kind not in ("POSSESSIVE", "LABEL")]
    words = [one for one in words if one.text.casefold() not in lexicon().adjectives]
    if words and words[-1].kind in _KINDS:
        head = words[-1].text.casefold()
        if len(words) > 1 and head in _WITHOUT_HEAD:
            words = words[:-1]
        elif words[-1].kind != "SYMBOL" or head in ("icon", "symbol", "sign", "icons"):
            return ""
    return " ".join(token.text for token in words)


def sign_of(clause: Clause, thing: Thing) -> str:
    """The sign that brackets show behind a picture's name: `the check mark (✓)`."""
    shown = thing.tail("SHOWN")
    if shown is not None:
        return clause.folded.labels_in(shown.text)[0].text
    aside = thing.tail("ASIDE")
    found = _SIGN.fullmatch(aside.text) if aside else None
    return found["sign"] if found else ""


def is_definite(thing: Thing) -> bool:
    """True for `the pump`, `your pump`: one that the reader knows."""
    return thing.determiner in ("the", "your", "its", "this", "that", "the one")


def only_tells(tail: Tail) -> bool:
    """True if a tail says why, when or which, and names nothing to act on."""
    return tail.kind in _TELLS or _IT.fullmatch(tail.text) is not None


def is_placed(tail: Tail) -> bool:
    """True if a tail says where on the page something stands: `in the toolbar`."""
    return (
        tail.kind in ("PLACE", "BESIDE", "OF")
        and tail.head is not None
        and tail.head.kind == "PLACENOUN"
        and not tail.several
    )


def field_of(thing: Thing) -> str:
    """The field that a place names without markup: `in the password field`."""
    place = thing.tail("PLACE", "TO")
    found = _FIELD.fullmatch(place.text) if place and not place.several else None
    return found["name"] if found else ""


def described(thing: Thing) -> bool:
    """True if what is said about a thing only describes it or its place."""
    return all(tail.kind in _DESCRIBES or is_placed(tail) for tail in thing.tails)


def beside(thing: Thing) -> str | None:
    """The row that a control stands in, in the document's words; empty if none is told,
    None if it cannot be one row."""
    found = ""
    for position, tail in enumerate(thing.tails):
        of_a_row = tail.kind in ("BESIDE", "OF", "FOR") or (
            tail.kind == "PLACE" and tail.begins.casefold() == "on"
        )
        if not of_a_row or is_placed(tail) or tail.head is None:
            continue
        if found or tail.several or _ITS.match(tail.text):
            return None
        if _IT.fullmatch(tail.text):
            continue
        which = thing.tails[position + 1 : position + 2]
        more = f" {which[0].text}" if which and which[0].kind == "RELATIVE" else ""
        found = f"{tail.text}{more}"
    return found
