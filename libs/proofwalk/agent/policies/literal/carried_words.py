"""Words of a clause that its intents carry: labels, described things, and what may
be said besides by the kind of an intent."""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.clauses import OF_A_FIELD
from proofwalk.agent.policies.literal.things import DESCRIBED
from proofwalk.agent.policies.literal.unlabelled import ANOTHER_ACT, MARKS, NO_LABEL
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.marks import FIRST, LABEL, Folded
from proofwalk.procedures.model import InlineRole

_EXAMPLE = re.compile(
    rf"\b(?:for example|for instance|such as|like|e\.g\.?|example:)[,:]?"
    rf"(?:(?!;|{ANOTHER_ACT}|{OF_A_FIELD}).)*",
    re.I,
)
_BY_ITS_NAME = re.compile(
    r"\bby (?:clicking|selecting|choosing|opening)\s+(?:on )?(?:it|(?:its|the)(?: \w+)?"
    r" (?:name|id))\b",
    re.I,
)
_NAME_OF_IT = re.compile(r"\b(?:the|its) (?:[\w-]+ ){0,2}(?:id|name|title)\b(?: of\b)?", re.I)
_OPEN_VALUE = re.compile(
    rf"\bto (?:the|your|an?) {NO_LABEL}(?:, not"
    rf" \w+)?"
    rf"|\b(?:the|your|an?)\s+[^,;.{MARKS}]+?\s+(?:as|for|in|into)\s+(?:the |your )?(?={LABEL})"
    rf"|\bof your choice\b|\b(?:at which|in which){NO_LABEL}",
    re.I,
)
"""Words that leave the value to the reader: `to a value that suits you`, `a suitable
number of days for **Delete After**`."""
_OF_KIND = {
    IntentKind.OPEN_ROW: re.compile(f"{_BY_ITS_NAME.pattern}|{_NAME_OF_IT.pattern}", re.I),
    IntentKind.CLICK: re.compile(r"\b(?:twice|two times|is (?:selected|open))\b", re.I),
    IntentKind.CHECK: re.compile(
        r"\b(?:on|off|is|are|turned|switched|selected|enabled|cleared|ticked)\b", re.I
    ),
    IntentKind.SET: re.compile(
        r"\b(?:the|an?) (?:\w+ )?file (?:that|which) (?:contains|has)\b", re.I
    ),
    IntentKind.REGION: re.compile(rf"\b(?:the|your|an?) region\b{NO_LABEL}", re.I),
    IntentKind.UPLOAD: re.compile(
        r"\b(?:the|your|an?) (?:[\w-]+ )?file\b(?: with the content| named| called)?", re.I
    ),
    IntentKind.LOG_ON: re.compile(
        rf"\b(?:management )?console\b|\b(?:(?:admin(?:istration)?|management|web|user) )*UI\b|"
        rf"\b(?:as|using|with|to|into) (?!{LABEL}){NO_LABEL}",
        re.I,
    ),
    IntentKind.CONFIGURE: re.compile(rf"^[^{MARKS}]*$"),
    IntentKind.CONFIRM: re.compile(rf"^[^{MARKS}]*$"),
    IntentKind.COPY: re.compile(r"\b(?:the|your) [a-z ]+? (?=(?:from|in|under|at) )", re.I),
    IntentKind.REFRESH: re.compile(rf"^(?!.*\b(?:and|then)\b)[^{MARKS},;]*$", re.I),
    IntentKind.EXPECT_STATUS: re.compile(r"\buntil\b.*$", re.I),
    IntentKind.EXPECT_ROW: re.compile(r"\buntil\b.*$", re.I),
}
"""What a clause may say besides, by the kind of the intent that was read from it."""
_ROWS = (IntentKind.LOCATE, IntentKind.OPEN_ROW, IntentKind.SELECT_ROW)
_UNMARKED = frozenset({IntentKind.CLICK, IntentKind.NAVIGATE, IntentKind.LOG_ON})


def without_what_it_carries(folded: Folded, text: str, intent: Intent) -> str:
    """Return the clause without the thing that one intent describes and without the
    words that go with its kind."""
    if intent.kind is IntentKind.SET and intent.noun == "words" and not intent.example:
        text = re.sub(
            r"\b(?:(?:in|into) (?:the )?|as (?:an?|the|your) |the |your"
            rf" ){re.escape(intent.label)}\b",
            " ",
            text,
            count=1,
        )
    if intent.kind in _UNMARKED and not intent.words:
        for part in filter(None, intent.path):
            text = re.sub(rf"(?<![\w-]){re.escape(part)}(?![\w-])", " ", text, count=1, flags=re.I)
    if intent.kind is IntentKind.CLICK and intent.phrase:
        text = re.sub(rf"{re.escape(intent.phrase)}(?:\s+[+⋮…✓-])?", " ", text, count=1)
    if intent.kind in DESCRIBED and intent.phrase and (intent.value is None or intent.example):
        text = _without_phrase(text, folded, intent.phrase)
        if (
            intent.kind is IntentKind.SET
            and intent.noun == "words"
            and intent.label
            and intent.label in intent.phrase
        ):
            # One of several that share what tells them apart: `the VPC, vSwitch, and
            # group that you created`.
            text = re.sub(rf"(?<![\w-]){re.escape(intent.label)}(?![\w-])", " ", text, count=1)
            text = text.replace(intent.phrase.partition(intent.label)[2].strip() or "\0", " ", 1)
    if intent.kind is IntentKind.SET and intent.value and intent.value not in intent.words:
        text = re.sub(rf"\bto {re.escape(intent.value)}(?![\w-])(?: [a-z]+)?", " ", text, count=1)
    if intent.example or (intent.kind in _ROWS and intent.phrase):
        text = _EXAMPLE.sub(" ", text)
    if intent.kind is IntentKind.SET and intent.value is None:
        text = _OPEN_VALUE.sub(" ", text)
    return _OF_KIND[intent.kind].sub(" ", text) if intent.kind in _OF_KIND else text


def phrase_in(text: str, folded: Folded, phrase: str) -> str:
    """Return the described thing as the folded clause writes it."""
    found = re.search(_pattern_of(folded, phrase), text)
    return found.group() if found else ""


def _without_phrase(text: str, folded: Folded, phrase: str) -> str:
    """Return the folded clause without a described thing."""
    return re.sub(_pattern_of(folded, phrase), " ", text, count=1)


def _pattern_of(folded: Folded, phrase: str) -> str:
    """Return a pattern for a described thing in a folded text. Each label in `phrase`
    also matches as one folded character."""
    pattern = re.escape(phrase)
    for number, label in sorted(enumerate(folded.labels), key=lambda pair: -len(pair[1].text)):
        if label.text in phrase:
            pattern = pattern.replace(
                re.escape(label.text), f"(?:{chr(FIRST + number)}|{re.escape(label.text)})", 1
            )
    return pattern.replace(r"\ ", r"\s+")


def without_carried(folded: Folded, alternatives: str, carried: set[str]) -> str:
    chars = re.findall(LABEL, alternatives)
    return "§" if any(is_carried(folded, char, carried) for char in chars) else alternatives


def is_carried(folded: Folded, char: str, carried: set[str]) -> bool:
    label = folded.label(char)
    if label.role is InlineRole.LINK and label.target.startswith("#"):
        return False  # It leads to another part of the document, and is nothing of the page.
    return label.text in carried or all(part in carried for part in label.parts)
