"""Finds where the clauses of a sentence begin: at verbs of `verbs.RULES` where an
imperative can stand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from proofwalk.agent.policies.literal.clauses import Rule
from proofwalk.agent.policies.literal.verbs import RULES
from proofwalk.agent.reading.marks import LABEL

_VERBS = "|".join(rf"(?P<v{index}>{pattern})" for index, (pattern, _) in enumerate(RULES))
_VERB = re.compile(rf"\b(?:{_VERBS})\b", re.I)
_AT_BOUNDARY = re.compile(
    r"(?:^|[,;:.()]|(?<=\s)-|\b(?:and|then|or|next|first|finally|please|also|additionally|again|directly|must|need to|"
    r"should|have to|now|optionally)|"
    r"\b(?:box|page|field|pane|section|column|list|tab|bar|menu|corner|area|panel|drawer|"
    r"appears|displayed|opens)|"
    rf"^\W*(?:in|on|under)(?: the)? {LABEL})\s*$",
    re.I,
)
_PRESS_AT_A_PLACE = re.compile(
    r"^\W*(?:in|on|from|at|under) the (?:[a-z-]+ ){1,4}(?=(?:click|press|tap|choose)\b)", re.I
)
"""`In the dashboard click on **Edit**`: the comma is missing."""
_NO_IMPERATIVE = re.compile(
    r"\b(?:you|to|can|may|not|be|is|are|was|the|a|an|after|the (?:first|next))\s+$", re.I
)
_YOU_MUST = re.compile(r"\byou (?:must|need to|should|have to)\s+$", re.I)
_IS_NOUN = re.compile(r"\b(?:the|next|each|every|first|last) (?:next |first |last )?$", re.I)
_NOUNS = ("login", "access")
_OTHERS_DO = re.compile(r"\b(?!you\b)\w+ (?:must|need to|should|have to)\s+$", re.I)
"""`the key that applications should find`: something that others do."""
_THEN_A_LABEL = re.compile(rf"\s+(?:on )?(?:the )?{LABEL}")
_AIM = re.compile(rf"^\W*to [a-z]+ [^,{LABEL[1:-1]}]*\band [a-z]+ [^,{LABEL[1:-1]}]*,\s*", re.I)
_NAMES = re.compile(r"the|an?|your|its|this|that|called|named|labell?ed|reads|says|to|of|or|as|not")
OR = re.compile(r"\bor\s*(?:directly\s*)?$", re.I)


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A verb's place in a sentence, and the rule that reads the words after it."""

    rule: Rule
    start: int
    end: int
    alternative: bool
    """True if *or* stands before the verb."""


def _of_the_aim(piece: str, found: re.Match[str]) -> bool:
    """`To make a pump and configure it, click **Add**`: the aim has two verbs."""
    aim = _AIM.match(piece)
    return (
        aim is not None and found.start() < aim.end() and _VERB.match(piece, aim.end()) is not None
    )


def _begins_anew(piece: str, found: re.Match[str]) -> bool:
    """`highlight the selection Select **Edit**`: the full stop is missing."""
    if not found.group()[:1].isupper() or not _THEN_A_LABEL.match(piece[found.end() :]):
        return False
    last = re.search(r"(?<![\w-])([a-z][a-z-]+)\s+$", piece[: found.start()])
    return last is not None and not _NAMES.fullmatch(last[1]) and not _VERB.fullmatch(last[1])


def cuts_of(piece: str) -> list[Cut]:
    """Return the verbs at which the folded sentence is cut, in order."""
    cuts = []
    at_a_place = _PRESS_AT_A_PLACE.match(piece)
    for found in _VERB.finditer(piece):
        before = piece[: found.start()]
        fits = _AT_BOUNDARY.search(before) and not _NO_IMPERATIVE.search(before)
        fits = fits or _begins_anew(piece, found)
        fits = fits or (at_a_place is not None and at_a_place.end() == found.start())
        if not fits and not _YOU_MUST.search(before):
            continue
        if _of_the_aim(piece, found):
            continue
        if _OTHERS_DO.search(before) or (
            found.group().lower() in _NOUNS and _IS_NOUN.search(before)
        ):
            continue
        rule = next(rule for index, (_, rule) in enumerate(RULES) if found.group(f"v{index}"))
        cuts.append(
            Cut(
                rule=rule, start=found.start(), end=found.end(), alternative=bool(OR.search(before))
            )
        )
    return cuts
