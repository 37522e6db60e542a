"""Finds an instruction behind a first clause that only tells, looks or points.

`The pool is empty, so refill it` begins as prose. A reason for prose holds for the
clause that gives it, so `prose`, `looks`, `accounting` and `grammar` ask here about the
clauses after it. No verb has to be known: any word at the head of a clause may be an
imperative, unless it is in a closed list (articles, pronouns, prepositions,
auxiliaries) or has the form of a noun or of another form of a verb. So an unknown word
makes a clause an instruction, and never prose. `duties` finds the sentences that oblige
somebody without an imperative.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.english.word_forms import WordForm, forms_of
from proofwalk.agent.reading.marks import LABEL

_CLOSED = frozenset(
    word
    for line in (
        "a an the this that these those its it their they them your you our we us my i he she his",
        "her each every all any some no none both either neither one two three another other",
        "others such what whatever who whom whose which where when whenever while how why whether",
        "if unless until although though because since as than like and or but nor so yet not",
        "never only even also too then there here in on at to for from with without within by of",
        "off over under above below after before during through between among into onto out up",
        "down about against per via upon towards along across behind beside besides beyond near",
        "next is are was were be been being am isn't aren't wasn't weren't will won't would can",
        "wouldn't cannot can't could couldn't may might must should shall has have had hasn't",
        "haven't does do did doesn't don't didn't more most less least fewer many much few several",
        "everything nothing something anything everybody nobody somebody everyone someone anyone",
        "today tomorrow now once again later soon always often sometimes usually ever still",
        "already just perhaps maybe e.g i.e etc example instance default yes",
    )
    for word in line.split()
)
"""Words that begin no imperative."""
_NOUNS = frozenset({"action", "function", "instance", "option", "section", "version"})
"""Nouns of consoles that the dictionary has as verbs too."""
_NO_IMPERATIVE = re.compile(r"(?:(?<![ef])ed|ing|tion|sion|ment|ness|ity|ance|ism|n't)$")
"""Forms that an unknown verb does not have."""
_NO_WORD = re.compile(r"^[A-Z]+$|^.$")
_THING = (
    rf"(?:{LABEL}|(?:the|an?|your|its?|them|their|this|that|these|those|every|each|all|any|both|"
    r"one|another|yours|some|everything|anything|whatever|whichever|[\d\"“`])(?!\w))"
)
_PARTICLE = r"(?:up|off|out|down|away|back|through|through to|on with|on)"
_TAKES_A_THING = re.compile(rf"^\s+(?:{_PARTICLE}\s+)?{_THING}", re.I)
_GOES_WITH = re.compile(rf"^\s+(?:to|for|with|from|into|in|at|by|over)\s+{_THING}", re.I)
_ENDS = re.compile(r"^\s*[.!]?\s*$")
_CONNECTIVE = re.compile(
    r"^(?:[\s,:;–—-]|(?:and|but|so|then|now|next|first|second|finally|lastly|afterwards|also|just|"
    r"simply|please|instead|therefore|hence|thus|meanwhile|otherwise|again|"
    r"(?!(?:apply|reply|rely|supply|multiply|comply|fly|assembly)\b)[a-z]+ly)\b(?! that\b))*",
    re.I,
)
_HEAD = re.compile(r"(?P<head>[A-Za-z][A-Za-z-]*)(?P<rest>.*)", re.S)
_LOOKS = re.compile(
    r"^(?:review|note|observe|examine|inspect|see|look|notice|view|read|refer|consult|beware|"
    r"remember that|check (?:that|whether|if|the|your|all)\b"
    r"(?!.*\b(?:box(?:es)?|option|item|row|entry|entries|toggle|switch)\b))(?!\w)",
    re.I,
)
"""Clauses that ask for a look."""
_NEW_CLAUSE = re.compile(
    r";|\s[-–—]+\s|,?\s+\bso\b(?! (?:that|as|far|long|much|many|you|it|they)\b)|,\s*but\b|\?|:"
    r"|,?\s+in which case\b|(?<=[.!])\s+(?=[a-z])"
)
_MAYBE_NEW = re.compile(r",(?:\s*(?:and|then))*|\s+(?:and\s+)?then\b", re.I)
_COORDINATED = re.compile(r",|\band\b|\bthen\b", re.I)
_THEN = re.compile(r",?\s*\b(?:and )?then\b", re.I)
_RELATIVE = re.compile(r"\b(?:that|which|where|how)\b", re.I)
_LICENSED = re.compile(
    r"\b(?:will|would|can|could|may|might|must|should|shall|cannot|lets?|helps?|do|does|did|not|"
    rf"that|which|who|where|how)\b|n't\b|['’]ll\b|\bto\b(?!\s+{_THING})",
    re.I,
)
"""Words that may govern a verb after *and*: `it will stop the mill, and drain the
pool`. `Scroll to the end` has a *to* of place, which governs none."""


def is_plural(word: str) -> bool:
    """True if a word has the form of a plural noun, which can be the subject of a
    clause."""
    word = word.casefold()
    if word in _CLOSED or WordForm.BASE in forms_of(word):
        return False
    return word.endswith("s") and not word.endswith(("ss", "us"))


def may_be_imperative(word: str) -> bool:
    """True if a word is the base of a verb, or an unknown one whose form allows it."""
    if word.casefold() in _CLOSED or is_plural(word) or _NO_WORD.search(word):
        return False
    known = forms_of(word)
    if known:
        return WordForm.BASE in known and word.casefold() not in _NOUNS
    return _NO_IMPERATIVE.search(word) is None


def asks(clause: str, *, of_a_thing: bool, or_with: bool = False) -> bool:
    """Return True if a clause begins like an imperative.

    `of_a_thing`: an object must follow, which a noun in a list lacks. `or_with`: a
    preposition may stand between the two, which a noun may have as well.
    """
    clause = _CONNECTIVE.sub("", clause)
    found = _HEAD.match(clause)
    if found is None or not may_be_imperative(found["head"]) or _LOOKS.match(clause):
        return False
    if _TAKES_A_THING.match(found["rest"]) or (or_with and _GOES_WITH.match(found["rest"])):
        return True
    return not of_a_thing and (_ENDS.match(found["rest"]) is not None or found["rest"][:1] == " ")


def asks_behind(text: str, *, coordinated: bool = False) -> str:
    """Return the words after a text's first clause that look like an instruction; empty
    if none do.

    `coordinated`: the first clause is an imperative itself, so a plain *and* may join
    another.
    """
    for found in _NEW_CLAUSE.finditer(text):
        rest = text[found.end() :]
        if asks(rest, of_a_thing=found.group().strip() in (":", "?", "-", "–", "—")):
            return rest.strip()
    for found in (_COORDINATED if coordinated else _MAYBE_NEW).finditer(text):
        rest = text[found.end() :]
        if not asks(rest, of_a_thing=True, or_with=coordinated):
            continue
        before = re.split(r"[;:]", text[: found.start()])[-1]
        if coordinated:
            before = _RELATIVE.sub(" ", before)
        if _LICENSED.search(before) and not (coordinated and _THEN.match(found.group())):
            continue
        return rest.strip()
    return ""
