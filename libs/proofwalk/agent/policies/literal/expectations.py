"""Reads what a sentence says will be seen: a status, a row, a message, a tab, or the
value that a field has.

`grammar` passes sentences without an imperative; `verbs` passes what follows *wait
until*, *make sure* or *refresh*. What cannot be looked for becomes a mention.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.policies.literal.assignments import read_standing_value
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin
from proofwalk.agent.reading.marks import LABEL, Folded

_STATUS = re.compile(
    r"\b(?:status|state)\b.*?\b(?:changes?|changed|turns?|becomes?|switch(?:es)?|is|shows?|displays?|reads|says|"
    r"(?:should|must|will) (?:by )?(?:now |then )?(?:read|say|be))\b(?P<rest>.*)$",
    re.I,
)
_ENTERS = re.compile(
    r"\b(?:enters?|(?:is|are)(?: now)? in|(?:goes|go|changes?|turns?) (?:in)?to) (?:the"
    rf" )?(?P<value>{LABEL}) (?:state|status)\b",
    re.I,
)
_WITH_STATUS = re.compile(
    r"\bwith (?:an?|the|its) (?:[a-z]+ )?(?:status|state)(?: of| set to)?(?: the)? "
    rf"(?P<value>{LABEL})",
    re.I,
)
"""`The rule appears on the page with the status **Active**.`"""
_LISTED = re.compile(
    r"\b(?:displayed|listed|shown|appears?|see|view|find)\b.*\b(?:in|on) the (?:[\w-]+"
    r" ){0,3}(?:list|page|table)\b",
    re.I,
)
_OFFERED = re.compile(r"drop-?down|\byou can\b", re.I)
_NOTED = re.compile(r"\W*(?:note|remember|record|write down)\b(?! that\b)", re.I)
"""`Note the **Endpoint** shown on the page.`"""
_SEEN_BY_OTHERS = re.compile(
    r"\W*(?:(?:your|the|all|other|these) )?(?:[a-z]+ )?(?:colleagues|users|others|members|people|"
    r"teammates|customers|consumers|visitors|viewers|administrators|owners) "
    r"(?:then |now |also |can |will )*(?:see|find|view)\b",
    re.I,
)
"""`Your colleagues see it in the list.`"""
_MAYBE = re.compile(
    r"\b(?:if|where|when) (?:needed|required|applicable|available|any|necessary)\W*$", re.I
)
"""`The **Value** field appears if needed.`"""
_LEGEND = re.compile(
    rf"^\W*(?:an? |the )?{LABEL} (?:label|icon|badge|mark|symbol|tag|next to|beside)\b.*\b"
    r"(?:indicates?|means?|denotes?|marks?)\b",
    re.I,
)
"""`The **Verified** label indicates pumps of ours`: where there is one."""
_CASE = re.compile(r"^\W*(?:if|when|once|after|as soon as)\b[^,]*,\s*", re.I)
_NO_ROW = re.compile(
    r"^\W*(?:this|these|those|it|they|only|all|any|each|every|no|none|some|both)\b|"
    r"\b(?:that|which)\s*$",
    re.I,
)
"""`Only names of pumps appear in the list`: of no one row."""
_SHOWN = re.compile(
    r"\b(?:appears?|(?:is|are) (?:displayed|shown|opened)|opens?|pops? up|prompts?|indicat\w+)\b",
    re.I,
)
_TAB_SHOWS = re.compile(
    rf"^\W*(?:the |its |this )?{LABEL} tab (?:also )?"
    rf"(?:shows|displays|lists|contains|gives|holds)\b[^{LABEL[1:-1]}]*$",
    re.I,
)
"""`The **Valves** tab lists the valves`: a tab of the page that the walk is on."""
_NEGATED = re.compile(
    r"^(?:(?!\b(?:when|if|unless|until|while|because|that)\b).)*?(?:\b(?:no longer|no more|never|"
    r"(?:is|are|was|were|does|do|did|will|should|must|can) ?not)\b|n['’]t\b"
    r"|\bdisappears?\b|\b(?:is|are) gone\b)",
    re.I,
)
"""`The status is no longer **Running**`: what is not seen is none of these."""
_GONE = re.compile(
    rf"^\W*(?P<what>(?:(?:the|your|its|this) [^,;:]*?|{LABEL})) (?:will )?(?:then |now |also )?"
    r"(?:(?:disappears?|vanish(?:es)?|(?:is|are|be) (?:gone|removed|deleted)) from (?:the|its) "
    rf"(?:(?:{LABEL}|[a-z]+) )?(?:list|table)|(?:(?:is|are) no longer (?:listed|shown|displayed)|"
    r"no longer appears?)(?: in the (?:[a-z]+ )?(?:list|table))?)(?: of [a-z ]+)?\W*$",
    re.I,
)
"""`The pump disappears from the list.`"""
_PLAIN_STATE = re.compile(r"\b(?:to|is|becomes|into)\s+(?:the )?([A-Z][a-z]+(?: [A-Z][a-z]+)?)\b")


def expectations(folded: Folded, text: str, origin: Origin) -> list[Intent]:
    """Return the intents for what a sentence without an imperative says will be
    seen."""
    labels = folded.labels_in(text)
    gone = _GONE.match(text)
    if gone is not None:
        subject = folded.labels_in(gone["what"])
        return [
            Intent(
                kind=IntentKind.EXPECT_GONE,
                value=subject[0].text if subject else None,
                phrase=folded.plain(gone["what"]),
                words=tuple(label.text for label in labels),
                origin=origin,
            )
        ]
    if _NEGATED.search(text) or _MAYBE.search(text) or _LEGEND.match(text):
        told = tuple(label.text for label in labels)
        spoken = Intent(kind=IntentKind.MENTION, path=told, words=told, origin=origin)
        return [spoken] if told else []
    return _seen(folded, text, origin)


def _seen(folded: Folded, text: str, origin: Origin) -> list[Intent]:
    labels = folded.labels_in(text)
    words = tuple(label.text for label in labels)
    standing = read_standing_value(folded, text)
    if standing is not None:
        field, kept = standing
        said = (field.text, kept.text)
        return [
            Intent(
                kind=IntentKind.EXPECT_VALUE,
                path=field.parts,
                value=kept.text,
                words=said,
                origin=origin,
            )
        ]

    def one(kind: IntentKind, *, value: str | None = None, phrase: str = "") -> list[Intent]:
        return [
            Intent(kind=kind, path=words, value=value, phrase=phrase, words=words, origin=origin)
        ]

    entered = _ENTERS.search(text) or _WITH_STATUS.search(text)
    if entered:
        return one(IntentKind.EXPECT_STATUS, value=folded.label(entered.group("value")).text)
    labelled = re.sub(
        LABEL,
        lambda found: (
            folded.label(found.group()).text
            if _is_status_word(folded, found.group())
            else found.group()
        ),
        text,
    )
    status = _STATUS.search(labelled)
    if status:
        rest = status.group("rest")
        after = re.search(rf"\bto (?:the )?({LABEL})", rest, re.I)
        inside = folded.labels_in(after.group(1) if after else rest)
        plain = _PLAIN_STATE.search(status.group())
        value = inside[0].text if inside else (plain.group(1) if plain else None)
        if value:
            return one(IntentKind.EXPECT_STATUS, value=value)
    told = _SEEN_BY_OTHERS.match(text) or _NOTED.match(text)
    if _LISTED.search(text) and not told and not _OFFERED.search(text):
        subject = _subject(text)
        named = folded.labels_in(subject)
        if not named and _NO_ROW.search(subject):
            return one(IntentKind.MENTION) if labels else []
        value = labels[0].text if named else None
        return one(IntentKind.EXPECT_ROW, value=value, phrase=folded.plain(subject))
    if labels and (_SHOWN.search(text) or _TAB_SHOWS.match(text)):
        tab = re.search(rf"(?P<tab>{LABEL})\s+tab\b", text, re.I)
        is_tab = tab is not None and folded.label(tab["tab"]) is labels[0]
        return [
            replace(intent, noun="tab" if is_tab else "")
            for intent in one(IntentKind.EXPECT_TEXT, value=labels[0].text)
        ]
    return one(IntentKind.MENTION) if labels else []


def _subject(text: str) -> str:
    """Return what a sentence says is listed."""
    before = re.split(r"\b(?:is|are|appears?)\b", _CASE.sub("", text), maxsplit=1, flags=re.I)[0]
    return re.sub(r"\s+(?:will|should|must|now|then)\s*$", "", before, flags=re.I)


def _is_status_word(folded: Folded, char: str) -> bool:
    return folded.label(char).text.casefold() in ("status", "state", "instance status")
