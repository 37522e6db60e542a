"""Decides which descriptions of things may be looked for: `the instance that you want
to stop`, but not `the arrow`.

A thing is one noun phrase, perhaps with words that tell it from others of its kind.
Nouns of controls, files and places on the page are not things of a list or a form.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.intents import Intent, IntentKind

DESCRIBED = frozenset(
    {
        IntentKind.OPEN_ROW,
        IntentKind.SELECT_ROW,
        IntentKind.LOCATE,
        IntentKind.SET,
        IntentKind.CHECK,
        IntentKind.COPY,
        IntentKind.DRAG,
    }
)
"""Kinds of intents whose phrase describes the thing that is meant."""
_OF_A_LIST = (IntentKind.OPEN_ROW, IntentKind.SELECT_ROW, IntentKind.LOCATE)
_NO_THINGS = frozenset(
    [
        "arrow",
        "arrows",
        "icon",
        "icons",
        "dots",
        "ellipsis",
        "button",
        "buttons",
        "tab",
        "tabs",
        "link",
        "links",
        "option",
        "options",
        "file",
        "files",
        "list",
        "listbox",
        "drop-down",
        "dropdown",
        "menu",
        "one",
        "ones",
        "it",
        "them",
        "these",
        "those",
        "this",
        "that",
        "checkbox",
        "box",
        "boxes",
        "screen",
        "app",
        "page",
        "window",
        "console",
        "header",
        "corner",
        "top",
        "bottom",
        "side",
        "row",
        "rows",
        "column",
        "columns",
        "field",
        "fields",
        "form",
        "value",
        "values",
        "picture",
        "image",
        "images",
        "text",
        "content",
        "contents",
        "steps",
        "instructions",
        "or",
        "and",
    ]
)
_KEPT_IN_LISTS = frozenset(
    word
    for line in (
        "file files image images picture pictures page pages form forms list lists window",
        "windows menu menus column columns screen screens field fields value values text option",
    )
    for word in line.split()
)
"""Things that a console may keep in a list: `the form that you want to edit`."""
_TO_WORK_ON = re.compile(
    r"^\s*(?:(?:that |which )?(?:you|we) (?:want|need|wish|would like|['’]d like) to|to) "
    r"(?:edit|delete|remove|update|modify|change|view|rename|copy|move|manage|restore|publish|"
    r"share|archive|export|configure|tag|deregister|deprecate|clone|duplicate)\b",
    re.I,
)
_OF_KINDS = frozenset({"field", "option", "options", "value", "values"})
_ANY_KIND = frozenset(
    word
    for line in (
        "new valid unique other another following same first second last next required optional",
        "default desired appropriate correct suitable one more additional existing different",
        "corresponding specific any available text input blank empty few several custom many",
    )
    for word in line.split()
)
_ENDS_HEAD = "that|which|whose|where|of|for|in|to|from|with|you|on|at|by|and|or|next|beside|containing|listed|located|shown|associated"
_THING = re.compile(
    rf"^(?:(?:the|your|an?|its|this|one of the|one of your|any|each)\s+)?"
    rf"(?P<head>[^\W\d_][\w./'-]*(?:\s+(?!(?:{_ENDS_HEAD})\b)[\w./'-]+){{0,5}})(?P<rest>.*)$",
    re.S,
)
_TELLS_APART = re.compile(
    r"^\s*(?:$|and(?:"
    r" then)?$|,?\s*(?:that|which|whose|whom|where|you|of|for|in|to|from|with|named|called|on|at|by"
    r"|containing|listed|shown|associated)\b)",
    re.I,
)
_ELSEWHERE = re.compile(
    r"\b(?:in|from|to|into|on) (?:the|your|an?)(?: \w+)?"
    r" (?:calendar|clipboard|computer|device|disk|terminal|destination|application)\b"
    r"|^your application$",
    re.I,
)
"""Places that are no part of the page, or that no rule reaches."""
_IS_CONTROL = re.compile(
    r"^(?:the|an?|this)\s+(?:[\w-]+"
    r" ){0,2}(?:dots|ellipsis|icon|arrow|button|checkbox|toggle|switch)\b",
    re.I,
)
_BOX = re.compile(r"(?:the|a) (?:check ?box|radio button)\b", re.I)
_LIST = re.compile(r"^((?:the|your|an?)\s+)(?:[\w -]+?,\s*)*[\w -]+?,?\s+and\s+(?=\w)")
"""`the VPC, vSwitch, and group that …`: each becomes an intent of its own, so only the
last noun is checked."""


def _tells_its_kind(label: str) -> bool:
    """True for `context field` and `tag value`: the word before tells which. A `new
    value` may be of any field."""
    words = label.split()
    return (
        len(words) > 1
        and label == label.lower()
        and words[-1] in _OF_KINDS
        and words[-2] not in _ANY_KIND
    )


_SAYS_WHEN = re.compile(r"(?:when|whether|how|where|why|if)\b", re.I)
"""`when you want to be asked`: a clause, and no thing."""


def is_one_thing(intent: Intent) -> bool:
    """True if the intent's phrase can mean one thing of a list or a form."""
    phrase = intent.phrase
    if _ELSEWHERE.search(phrase) or _SAYS_WHEN.match(phrase):
        return False
    last_of_field = intent.label.casefold().split()[-1:]
    if (
        intent.kind is IntentKind.SET
        and intent.noun == "words"
        and last_of_field
        and last_of_field[0] in _NO_THINGS
        and not _tells_its_kind(intent.label)
        and not (intent.example and intent.label.casefold() == "value")
    ):
        return False
    if intent.kind is IntentKind.SET and (
        intent.value is not None or (intent.path and intent.noun != "words")
    ):
        return not _IS_CONTROL.match(
            phrase
        )  # The field is named; how its open value is described changes nothing.
    if intent.kind is IntentKind.OPEN_ROW and re.match(r"it\b", phrase):
        return True
    if intent.kind is IntentKind.SELECT_ROW and _BOX.match(phrase):
        return True
    if intent.kind is IntentKind.SET and intent.label.casefold() not in phrase.casefold():
        return not _IS_CONTROL.match(phrase)  # The field is named beside it.
    found = _THING.match(_LIST.sub(r"\1", phrase) if intent.kind is IntentKind.SET else phrase)
    if found is None or not _TELLS_APART.match(found["rest"]):
        return False
    *before, last = found["head"].casefold().split()
    if last in ("name", "names", "id"):
        its = phrase.casefold().startswith("its ")
        return (
            bool(before)
            or its
            or intent.kind is IntentKind.SET
            or bool(re.match(r"\s*(?:of|that)\b", found["rest"]))
        )
    if intent.kind is IntentKind.SET and _tells_its_kind(found["head"]):
        return True
    return last not in _NO_THINGS or _is_kept_in_a_list(intent, last, found["rest"])


def _is_kept_in_a_list(intent: Intent, noun: str, rest: str) -> bool:
    """True for the row of a thing whose noun a control may have as well."""
    if intent.kind not in _OF_A_LIST:
        return False
    return noun == "app" or (noun in _KEPT_IN_LISTS and _TO_WORK_ON.match(rest) is not None)
