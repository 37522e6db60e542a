"""Decides whether a rule has read all of a clause, by what is left without the words
that its intents carry.

A rule picks what it knows out of a clause. What it passes over may have meant something
else: *the arrow beside* a button is not the button. So a clause counts as understood
only when, without the labels and the described things that its intents carry, nothing
but articles, nouns of controls, places on the page and a purpose remains. The lists
here are closed on purpose: an unknown word leaves the sentence not understood, it never
changes what is done. `things` says which described things may be looked for at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from proofwalk.agent.policies.literal.carried_words import (
    is_carried,
    phrase_in,
    without_carried,
    without_what_it_carries,
)
from proofwalk.agent.policies.literal.looks import only_looks
from proofwalk.agent.policies.literal.purposes import PURPOSE
from proofwalk.agent.policies.literal.remainders import asks_behind
from proofwalk.agent.policies.literal.things import DESCRIBED, is_one_thing
from proofwalk.agent.policies.literal.unlabelled import ANOTHER_ACT, MARKS, NO_LABEL
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.marks import LABEL, Folded

_FREE = rf"(?:(?!{ANOTHER_ACT})[^,;.])*"
"""Words without a label, up to the end of the phrase or to what may be another act."""
_FILLER = frozenset(
    [
        "a",
        "an",
        "the",
        "your",
        "this",
        "that",
        "its",
        "it",
        "their",
        "them",
        "these",
        "those",
        "then",
        "and",
        "now",
        "next",
        "again",
        "also",
        "finally",
        "directly",
        "first",
        "please",
        "just",
        "simply",
        "only",
        "once",
        "more",
        "both",
        "button",
        "buttons",
        "tab",
        "tabs",
        "link",
        "links",
        "icon",
        "icons",
        "menu",
        "entry",
        "item",
        "option",
        "options",
        "field",
        "fields",
        "box",
        "boxes",
        "text",
        "textbox",
        "input",
        "switch",
        "switches",
        "toggle",
        "toggles",
        "check",
        "checkbox",
        "checkboxes",
        "radio",
        "drop-down",
        "dropdown",
        "list",
        "lists",
        "menus",
        "key",
        "keys",
        "page",
        "section",
        "parameter",
        "parameters",
        "setting",
        "value",
        "values",
        "column",
        "columns",
        "slider",
        "tag",
        "of",
        "in",
        "on",
        "at",
        "for",
        "from",
        "to",
        "as",
        "into",
        "under",
        "with",
        "by",
        "default",
    ]
)
_SWALLOWED = re.compile(
    rf"\b(?:and|then)\s+(?:then\s+)?(?!(?:the|an?|its?|your|whose|that|which|for|in|to)\b)[a-z-]+\s+"
    rf"(?:(?:the|on)\s+)?(?:{LABEL}|it\b|them\b)"
)
"""An act within the words for a thing: `the instance that you want to stop and clik
**Stop**`."""
_MANNER = re.compile(
    rf"\b(?:if (?:you(?:['’]d| would) like|it is not already|necessary|needed|required|prompted|"
    rf"asked|applicable){_FREE}|as"
    r" (?:needed|required|necessary|"
    rf"desired|appropriate|shown{_FREE}|described{_FREE}|prompted|follows)|when"
    rf" (?:prompted{_FREE}|asked{_FREE}|you are (?:done|ready|finished))|"
    r"using the (?:drop-?down|selector|toggle|menu)(?: (?:list|menu|box))?|"
    rf"based on {_FREE}|according to {_FREE}|depending on {_FREE}|in addition to {_FREE}|without"
    rf" changing {_FREE}|separated by [^;.]*|"
    rf"in (?:percent|seconds|minutes|hours|days|[GM]i?B)|(?:that|which) (?:says|reads|is"
    rf" (?:called|named|labell?ed)))\b",
    re.I,
)
_PARTS = (
    r"(?:list(?:ing|box)?|table|drop-?down(?: (?:list|menu))?|page|portal|"
    r"console(?: home)?(?: page)?|home page|menu(?: bar)?|footer|tooltip|banner|bar|modal|"
    r"dashboard|ui|app|toolbar|header|sidebar|pane|panel|screen|"
    r"window|dialog|navigation bar|(?:search )?results)"
)
_WHOLE_PARTS = (
    r"(?:editor|(?:user |web )?interface|overview|form|wizard|view|area|tree|graph|chart|canvas|"
    r"workspace|grid|popover|drawer|explorer|builder|designer)(?! of\b)"
)
"""Parts of a console that lie before the reader. Of the second kind a page shows one
for each thing, where the document says of which."""
_PLACE = re.compile(
    r"\b(?:in|from) the row of\b|"
    r"\b(?:in|at|on|from|to|near) the (?:very |far )?"
    r"(?:upper|lower|top|bottom|left|right|center|middle|end|beginning)"
    r"(?:[- ](?:left|right|hand))*(?: (?:part|side|corner|edge|half|section|area))?"
    rf"(?: of (?:the |this |that )?(?:[a-z-]+ )?(?:{_PARTS}|{_WHOLE_PARTS}))?\b"
    r"|\b(?:in|on|from) (?:the|your|that) [\w-]+(?: [\w-]+){0,2}['’]s (?:[\w-]+ )?"
    r"(?:page|view|screen)\b"
    r"|\b(?:above|below|under) the (?:list|table)\b(?: of [\w -]+)?|\bon the (?:left|right)\b"
    rf"|\b(?:in|on|from|of|within|at|under) the (?:[\w-]+ ){{0,3}}?"
    rf"(?:{_PARTS}\b(?: of [a-z ]+)?|{_WHOLE_PARTS}\b)",
    re.I,
)
_ASIDE = re.compile(rf"\((?!(?:and|then|but) )(?![^()]*{LABEL})[^()]{{0,60}}\)")
_LOOK_ASIDE = re.compile(
    rf",\s*(?:review|check|read|verify) (?:the|your|all)\b{NO_LABEL}"
    rf"|;\s*you (?:will be|are) (?:taken|brought|redirected)\b{NO_LABEL}",
    re.I,
)
_ALTERNATIVES = re.compile(
    rf"{LABEL}(?:\s*,\s*{LABEL})*(?:\s+[a-z]+)?\s*,?\s+or\s+(?:the\s+)?{LABEL}", re.I
)
_NO_NOUN = (
    "and|or|then|of|in|at|on|to|for|from|with|next|beside|which|that|when|before|after|until|as|by|using|if|icon|arrow|ellipsis|dots|"
    r"row|rows|twice|thrice|times|again|there|first|last|\w+ly"
)
_NOUN_BEFORE = re.compile(
    rf"\b(?:the|an?|your|its)\s+(?:(?!(?:{_NO_NOUN})\b)[a-zA-Z][\w'’-]*\s+){{1,4}}(?=§)", re.I
)
_NOUN_BEHIND = re.compile(
    rf"(?<=[{MARKS}§])(?:\s+(?!(?:{_NO_NOUN})\b)[a-z][a-z-]+){{1,2}}(?=\s*(?:[,.;]|$|\b(?:and|then|in|on|of|for|from|to|as)\b))"
)
_CHOICE_THAT = re.compile(
    r"(?<=§)\s+(?:(?:at|in|by|to|for|from) which|that|which)\s+(?!(?:opens?|appears?|is"
    rf" displayed)\b){NO_LABEL}(?:, or that {NO_LABEL})?"
    rf"|,? which you (?:can )?find (?:under|in) (?:the )?[{MARKS}§]",
    re.I,
)
_OF_ITS_THING = re.compile(
    r"(?<=§)(?:\s+(?:tab|page|field|section))?\s+(?:of|for)\s+(?:the|your|this)\s+"
    r"(?:(?:new|selected|current)\s+)?(?!(?:first|second|last|other|next)\b)[a-z][a-z-]*"
    r"(?=\s*(?:[.,;]|$|\band\b))",
    re.I,
)
"""`the **Name** of the new pump`, `the **Valves** tab of the pump`."""
_NOT_SO = re.compile(
    r",?\s*\bif (?:it|this|that)(?: is|'s) not (?:already"
    r" )?(?:on|off|selected|enabled|checked|open|shown|set)\b",
    re.I,
)
_SEEN = frozenset(
    {
        IntentKind.EXPECT_STATUS,
        IntentKind.EXPECT_ROW,
        IntentKind.EXPECT_GONE,
        IntentKind.EXPECT_TEXT,
        IntentKind.EXPECT_VALUE,
        IntentKind.WAIT,
    }
)
_DOES = frozenset({IntentKind.CLICK, IntentKind.NAVIGATE, IntentKind.CHECK, IntentKind.SET})
_JOINS = re.compile(r"\band\b|\bthen\b|,")
_OR = re.compile(r"\bor\b")
_AND_MORE = re.compile(
    rf"\b(?:and|then)\s+(?:then\s+)?(?!(?:the|an?|its?|is|are|has|have|all|shows?|that|no)\b)[a-z]+\s+(?:the\b|an?\b|your\b|it\b|{LABEL}).*$",
    re.I,
)
"""Another act after what is waited for: `wait for the list, and close the panel`."""
ACTING = frozenset(IntentKind) - {IntentKind.MENTION}
_ORDER = re.compile(
    r"^\W*(?:(?:then|next|now|first|finally|please|also|additionally|again|and|lastly|afterwards|after"
    r" that|however|here|there|(?:in|for) this example|"
    r"to do (?:this|so)|you (?:must|need to|should|have to)|\d+)\b[\s,:;.-]*)*$",
    re.I,
)
_WHEN = re.compile(
    r"\b(?:when|once|after|before|as soon as|now that|while|because|since)\b"
    rf"[^{MARKS},]*,",
    re.I,
)
_AIM = re.compile(
    rf"^\W*(?:to(?! the (?:left|right)\b)|in order to|so that)\b[^{MARKS}]*?(?:,|:)", re.I
)
_GOAL = re.compile(rf"^[^:{MARKS}]*(?::|\s[-–—])\s*$")


def leftover(folded: Folded, text: str, intents: Sequence[Intent]) -> str:
    """Return the words of a clause that no intent accounts for; empty if all of it was
    read."""
    if intents and all(intent.kind in _SEEN for intent in intents):
        more = _AND_MORE.search(text)
        return more.group() if more else asks_behind(text)
    for intent in intents:
        if intent.kind not in DESCRIBED or not intent.phrase:
            continue
        if not is_one_thing(intent):
            return intent.phrase
        swallowed = _SWALLOWED.search(phrase_in(text, folded, intent.phrase))
        if swallowed:
            return swallowed.group()
    gap = _joined_wrongly(folded, text, intents)
    if gap:
        return gap
    rest = _NOT_SO.sub(" ", _LOOK_ASIDE.sub(" ", text))
    for intent in intents:
        rest = without_what_it_carries(folded, rest, intent)
    rest = PURPOSE.sub(" ", _PLACE.sub(" ", _MANNER.sub(" ", _ASIDE.sub(" ", rest))))
    carried = {
        word
        for intent in intents
        if intent.kind in ACTING
        for word in (*intent.words, *intent.path, intent.value or "")
    }
    rest = _ALTERNATIVES.sub(lambda found: without_carried(folded, found.group(), carried), rest)
    rest = re.sub(
        LABEL,
        lambda found: "§" if is_carried(folded, found.group(), carried) else found.group(),
        rest,
    )
    if intents and all(_names_a_part(intent) for intent in intents):
        rest = _OF_ITS_THING.sub(" ", rest)
    rest = _NOUN_BEFORE.sub(" ", _NOUN_BEHIND.sub(" ", _CHOICE_THAT.sub(" ", rest)))
    plain = folded.plain(rest).replace("§", " ")
    return " ".join(
        word for word in re.findall(rf"[\w'/-]+|[{MARKS}]", plain) if word.casefold() not in _FILLER
    )


def lead_leftover(
    folded: Folded, lead: str, intents: Sequence[Intent], *, conditional: bool
) -> str:
    """Return the words before a sentence's first verb that no intent and no scope
    accounts for. Of a condition, which is checked when its intents are played, only an
    act after it counts."""
    if conditional:
        return asks_behind(lead)
    rest = _GOAL.sub(" ", _AIM.sub(" ", _WHEN.sub(" ", _AIM.sub(" ", lead))))
    parts = re.split(r"\s*[,;]\s*|\s+and(?: then)?\s*$", rest)
    rest = ", ".join(part for part in parts if not only_looks(part))
    return "" if _ORDER.match(rest) else leftover(folded, rest, intents)


def _names_a_part(intent: Intent) -> bool:
    """True for an open field, a page or a tab, which are there once for the thing in
    front. A button may stand in each row."""
    if intent.kind is IntentKind.SET:
        return intent.value is None and bool(intent.path)
    return intent.kind is IntentKind.NAVIGATE or intent.noun == "tab"


def _joined_wrongly(folded: Folded, text: str, intents: Sequence[Intent]) -> str:
    """Return the words between two labels that became two acts, if nothing joins the
    labels or *or* does."""
    for found in re.finditer(rf"({LABEL})([^{MARKS}]+)(?={LABEL})", text):
        one, other = folded.label(found[1]), folded.label(text[found.end()])
        of_one = [intent for intent in intents if intent.kind in _DOES and one.text in intent.words]
        of_other = [
            intent for intent in intents if intent.kind in _DOES and other.text in intent.words
        ]
        together = any(intent in of_other for intent in of_one)
        if (
            of_one
            and of_other
            and not together
            and (not _JOINS.search(found[2]) or _OR.search(found[2]))
        ):
            return found[2].strip(" ,") or found[2]
    return ""
