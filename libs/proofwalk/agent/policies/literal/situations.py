"""Conditions that only the reader can decide: `If your pumps leak, turn on **Drain**.
Otherwise, leave it off.`

A walk has no pumps of its own. It takes the way of a reader for whom the condition does
not hold: the act is read, is passed over, and its line in the ledger says why. What
comes behind `Otherwise` then holds. What the console itself asks (`If you are prompted,
click **OK**`) depends on the window that is in front, and what was chosen in the
console (`own_choices`) on the choice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from proofwalk.agent.policies.literal.remainders import asks
from proofwalk.agent.reading.marks import LABEL, begun

_L = LABEL[1:-1]
_EDGE = rf"^[^\w{_L}]*"
_OF_THE_READER = re.compile(
    rf"{_EDGE}(?:if|unless|in case) (?:"
    r"you(?! (?:(?:have |had )?(?:just )?(?:select|choose|chose|pick|tick|check|enable|clear|"
    r"see|find|notice|spot|created?|add|added|did|made|make|click|press|get|receive|complete|"
    r"finish|leave)(?:ed|ted|ked|n)?\b|(?:are|were)\b(?! (?:using|running|planning|migrating|not "
    r"using|new\b|in (?:an?|the) (?:region|country|organi[sz]ation)))))"
    r"|your\b(?! (?:session|changes?|settings?|password|browser|page|screen)\b)"
    r"|(?:another|some other|someone|somebody|nobody|no one|one of your) (?!field|option|button)"
    r"|(?:the|an?|this) [a-z]+(?: [a-z]+){0,2} "
    r"(?:should|must|needs? to|(?:has|have) to|is (?:not )?(?:supposed|meant) to)\b"
    r"|there (?:is|are) (?:already |an? |another |other |no other )(?:[a-z]+ ){0,2}"
    r"(?:one|ones|of them)\b)",
    re.I,
)
"""`if you use a pump of your own`, not `if you see a warning`."""
_ASKED = re.compile(
    rf"{_EDGE}if (?:you(?: are|['’]re) (?:then |now |also )?(?:asked|prompted|requested)|"
    r"you (?:see|get|receive) (?:an?|the) (?:[a-z]+ )?(?:warning|message|dialog|prompt|question|"
    r"confirmation)|"
    r"(?:an?|the|another) (?:[a-z-]+ ){0,2}(?:dialog(?: box)?|window|prompt|pop-?up|modal)"
    r"(?: box| window)? (?:opens|appears|asks|pops up|is (?:shown|displayed)))\b",
    re.I,
)
_OF_A_KIND = re.compile(
    rf"{_EDGE}if you (?:choose|select|pick|chose|selected|picked|use) (?:an?|another|one of the) "
    rf"[^,;{_L}]+,\s+you (?:also |then )?(?:have to|must|need to) ",
    re.I,
)
"""`If you choose a deep pool, you also have to select **Sealed**`: what a choice of
that kind brings up is there, or it was another choice."""
_OTHERWISE = re.compile(
    rf"{_EDGE}(?:otherwise|if (?:not|it (?:does not|doesn['’]t)|you (?:do not|don['’]t)"
    rf"(?: (?:need|want|use|have) (?:it|this|that|one))?)),? (?!choose\b.*\bor\b)",
    re.I,
)
_LEAVES = re.compile(
    rf"(?:leave|keep) (?:it|them|(?:the|this) [a-z][a-z -]*?|{LABEL})(?: (?:on|off|empty|blank|"
    r"unchanged|cleared|unselected|selected|turned (?:on|off)|as (?:it is|is|they are)|"
    r"at (?:its|the) default))?\W*"
    r"|(?:skip|ignore) (?:it|this|the)\b[^,;]*|(?:do nothing|continue)\W*"
    r"|(?:continue|proceed|go on) (?:with|to) the next step\W*",
    re.I,
)
_THEN = re.compile(r"(?:then )?(?:you (?:also |then )?(?:can|may|must|need to|have to|should) )?")


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A sentence with a condition."""

    condition: str
    """The words of the condition."""
    act: str
    """The folded sentence that depends on it."""
    is_question: bool
    """True if the console's own question is the condition."""
    shows_itself: bool = False
    """True if the console shows what is asked for where the condition holds."""


def situation(piece: str) -> Situation | None:
    """Return the condition of a folded sentence and what depends on it; None for a
    sentence without such a condition."""
    of_a_kind = _OF_A_KIND.match(piece)
    if of_a_kind is not None:
        act = piece[of_a_kind.end() :]
        condition = piece[: of_a_kind.end()]
        told = begun(act)
        return Situation(condition=condition, act=told, is_question=False, shows_itself=True)
    asked = _ASKED.match(piece) is not None
    if not asked and not depends_on_the_reader(piece):
        return None
    for comma in re.finditer(r",\s+", piece):
        told = piece[comma.end() :]
        act = told[_begins(told) :]
        if re.search(LABEL, piece[: comma.start()]) and not asked:
            return None  # The page may show what the label names.
        if asks(act, of_a_thing=True, or_with=True):
            condition = piece[: comma.start()].strip()
            act = begun(act)
            return Situation(condition=condition, act=act, is_question=asked)
    return None


_BEHIND = re.compile(
    rf"^(?P<edge>[^\w{_L}]*)(?P<act>[a-z][^;:]*?{LABEL}(?: [a-z]+){{0,3}}),? "
    r"(?P<condition>if (?!you (?:do not |don['’]t )?(?:want|need|wish|prefer|would|like)\b)"
    rf"[^;:{_L}]+?)\s*\.?\s*$",
    re.I,
)
"""`Clear **Copy** if the pump must not leak.`"""


def condition_first(piece: str) -> str:
    """Return the sentence with a condition of the reader's before its act; unchanged
    without one behind it."""
    found = _BEHIND.match(piece)
    if found is None or _OF_THE_READER.match(found["condition"]) is None:
        return piece
    condition, act = found["condition"], found["act"]
    return f"{begun(condition)}, {act[:1].lower()}{act[1:]}."


def _begins(told: str) -> int:
    found = _THEN.match(told)
    return found.end() if found else 0


def depends_on_the_reader(piece: str) -> bool:
    """True if a sentence has a condition that only the reader can decide."""
    return _OF_THE_READER.match(condition_first(piece)) is not None


def leaves_it(piece: str) -> bool:
    """True for what a reader has not to do in the other case: `Otherwise, leave it
    off.`"""
    found = _OTHERWISE.match(piece)
    return found is not None and _LEAVES.fullmatch(piece[found.end() :]) is not None


def in_the_other_case(piece: str) -> str:
    """Return what holds in the other case, `Otherwise, click **Next**`, as a sentence
    of its own; empty for other sentences."""
    found = _OTHERWISE.match(piece)
    if found is None:
        return ""
    rest = piece[found.end() :]
    return begun(rest)
