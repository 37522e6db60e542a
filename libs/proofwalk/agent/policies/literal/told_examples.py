"""Completes what the sentence before left open: with an example that this one gives, or
with the value that is to be entered again.

`Select a region. In this example, select **X**.` is one choice; `Find the pump that you
want to drain. This example uses `otter`.` says which pump.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page.words import normalise
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin

_EXAMPLE = re.compile(
    r"\W*(?:(?:in|for) this (?:example|topic|tutorial|guide|exercise|walkthrough|demo)|"
    r"for example|for instance)\b",
    re.I,
)
_TYPED = re.compile(r"\W*(?:in|for) this [a-z]+, (?:enter|type|use) (?P<value>[^.;]+?)\W*$", re.I)
_LONE_EXAMPLE = re.compile(
    r"for (?:example|instance)[,:]?\s+(?P<value>[^\s,]+(?:\s+[^\s,]+){0,2}?)\.?$", re.I
)
_LAST_EXAMPLE = re.compile(
    r"\b(?:must|should|can|could|may|has to|for)\b.*\b(?:for (?:example|instance)|such as),?\s+"
    r"(?P<value>[^,]+?)\.?$",
    re.I | re.S,
)
"""`The text must be JSON, for example, `{}`.`"""
_USED = re.compile(
    r"\W*(?:(?:this|the) (?:example|tutorial|procedure) (?:uses|takes)"
    r"|(?:in|for) this example, (?:we |you )?use) (?:the [a-z ]+ )?"
    r"(?P<value>[^\s,]+(?:\s+[^\s,]+){0,3}?)\.?$",
    re.I,
)
_THIS_IS = re.compile(
    r"\W*(?:for|in) (?:the |this )?[^\s,]+(?: [^\s,]+){0,3}, (?:this|it|that) is "
    r"(?:only |just |always |simply )?(?P<value>[^\s,]+(?: [^\s,]+){0,3}?)\.?$",
    re.I,
)
"""`Select the rights of the old one. For `otter`, this is only **Read**.`"""
_AGAIN = re.compile(
    r"\b(?:again|once more|a second time|re-?enter|re-?type|the same"
    r" (?:password|value|text|string))\b",
    re.I,
)
SENT_EACH = "it says how each of the values before is entered"
"""Why such a sentence asks for nothing more."""
_OF_RESULTS = re.compile(
    r"\W*(?:then,? )?(?:select|click|choose|open|pick) (?:it|(?:the|your) [a-z]+(?: [a-z]+)?) "
    r"(?:in|from|among) the (?:search )?(?:results|suggestions)(?: list)?\W*",
    re.I,
)
_AFTER_EACH = re.compile(
    r"\W*(?:then,? )?(?:press|hit) (?:the )?(?:enter|return)(?: key)? after "
    r"(?:each|every)(?: (?:one|of (?:them|these)|[a-z]+(?: [a-z]+)?))?\s*\.?\s*$",
    re.I,
)
_TEMPLATE = re.compile(r"[{<][\w -]+[}>]")
_ROWS = (IntentKind.LOCATE, IntentKind.OPEN_ROW, IntentKind.SELECT_ROW)


def takes_result(before: list[Intent], text: str, origin: Origin) -> bool:
    """Take what the sentence before searched for, and return True if a sentence asks
    for that: `Select the pump in the search results.`"""
    if not _OF_RESULTS.fullmatch(text) or not before:
        return False
    sought = before[-1]
    if sought.kind is not IntentKind.SET or sought.path != ("Search",) or not sought.value:
        return False
    before.append(Intent(kind=IntentKind.SET, value=sought.value, words=(), origin=origin))
    return True


def sends_each(before: list[Intent], text: str) -> bool:
    """Press the key behind each value that the sentence before enters, and return True
    if a sentence asks for that: `Press Enter after each name.`"""
    if not _AFTER_EACH.match(text) or not before or before[-1].kind is not IntentKind.SET:
        return False
    field = before[-1].path
    first = len(before)
    while first and before[first - 1].kind is IntentKind.SET and before[first - 1].path == field:
        first -= 1
    sent = [
        one
        for given in before[first:]
        for one in (
            given,
            Intent(kind=IntentKind.CLICK, path=("Enter",), noun="key", origin=given.origin),
        )
    ]
    before[first:] = sent
    return True


def takes_lone_example(before: list[Intent], text: str, intents: list[Intent]) -> bool:
    """Complete the last intent before with the example that a sentence gives, and
    return True if that was a field without a value or a row without a name: `Enter the
    host. For example, `www.example.com`.`"""
    value = _value_given(text, intents)
    opened = before[-1] if before else None
    if opened is None or not value:
        return False
    if opened.kind in _ROWS and _USED.match(text) and not opened.path:
        before[-1] = replace(opened, path=(value,), words=(*opened.words, value))
        return True
    if opened.kind is not IntentKind.SET:
        return False
    if _TEMPLATE.search(opened.value or ""):
        return True
    if opened.value is not None or not opened.path:
        return False
    before[-1] = replace(opened, value=value, example=True, words=(*opened.words, value))
    return True


def _value_given(text: str, intents: list[Intent]) -> str:
    """Return the value that a sentence gives as an example and asks nothing for."""
    lone = _LONE_EXAMPLE.match(text.strip()) or _USED.match(text) or _THIS_IS.match(text)
    if lone is not None:
        return lone["value"].strip('`“”" ').rstrip(".")
    last = _LAST_EXAMPLE.search(text.strip())
    told = [one for one in intents if one.kind is IntentKind.MENTION]
    if last is None or len(told) != 1 or len(told) != len(intents):
        return ""
    return told[0].label if told[0].label == last["value"] else ""


def takes_example(before: list[Intent], text: str, intents: list[Intent]) -> bool:
    """Complete the last intent before with the example in `intents`, and return True if
    the sentence before left the value open: `Select a region. In this example, select
    **X**.`"""
    opened = before[-1] if before else None
    if (
        _EXAMPLE.match(text) is None
        or opened is None
        or opened.value is not None
        or opened.kind not in (IntentKind.REGION, IntentKind.SET)
    ):
        return False
    if len(intents) != 1 or intents[0].kind not in (IntentKind.SET, IntentKind.REGION):
        return False
    (given,) = intents
    typed = _TYPED.match(text)
    named = typed is not None and given.path == (typed["value"],)
    value = given.value or (given.label if named else None)
    if value is None:
        return False
    words = (*opened.words, *given.words)
    before[-1] = replace(opened, value=value, example=True, words=words, origin=given.origin)
    return True


def entered_again(before: list[Intent], text: str, intents: list[Intent]) -> list[Intent]:
    """Give the first intent the value of the sentence before if it says `it`, or if the
    names of both fields share a word: `Enter **x** as the password. Enter it again in
    the **Confirm Password** field.`"""
    if _AGAIN.search(text) is None:
        return intents
    if not intents or intents[0].kind is not IntentKind.SET or intents[0].value is not None:
        return intents
    valued = [
        intent for intent in before if intent.kind is IntentKind.SET and intent.value is not None
    ]
    if not valued or valued[-1].label == intents[0].label:
        return intents
    shared = set(normalise(valued[-1].label).split()) & set(normalise(intents[0].label).split())
    if not shared and not re.match(r"it\b", intents[0].phrase, re.I):
        return intents
    return [replace(intents[0], value=valued[-1].value, phrase=""), *intents[1:]]
