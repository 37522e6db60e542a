"""Rules for the verbs *choose* and *select*: a menu path, a region, a check box, an
option, a row. `values` reads what is left: the value of a field."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from proofwalk.agent.policies.literal.clauses import Clause, noun_of, object_of, plain_path
from proofwalk.agent.policies.literal.controls import click, navigated
from proofwalk.agent.policies.literal.described import icon_of
from proofwalk.agent.policies.literal.values import set_value
from proofwalk.agent.reading.intents import BOTH_BOXES, Intent, IntentKind, ScopeKind
from proofwalk.agent.reading.marks import LABEL
from proofwalk.procedures.model import InlineRole

_BOTH_BOXES = re.compile(r"\s*both (?:of )?(?:the )?check ?boxes\b", re.I)
_SEVERAL_AS = re.compile(
    rf"(?P<values>{LABEL}(?:(?:\s*,)?\s*(?:and\s+)?{LABEL})+)\s+(?:as|for|from|in|under)\s+(?:the"
    rf" |your )?(?P<field>{LABEL})",
    re.I,
)
"""`**GET** and **PUT** as **Allowed Methods**`: each is a choice of the same field."""
_FOR_BOTH = re.compile(
    rf"(?P<value>{LABEL})\s+(?:as|for)\s+both\s+(?P<fields>{LABEL}\s+and\s+{LABEL})", re.I
)
_FOR_A_ROW = re.compile(
    rf"\s*{LABEL}\s+for (?:the|your|an?) (?:[\w -]+ (?:that|which|whose|in which|to which|you)"
    rf" |[a-z][\w -]* {LABEL}\s*\.?\s*$)",
    re.I,
)
"""`choose **Delete** for the secret that you want to delete`, `choose **Mute** for the
alert rule `name``."""
_DESCRIBED_AS = re.compile(
    rf"\s*(?P<what>(?:the|your|an?)\s+[^,;.{LABEL[1:-1]}]+?)\s+(?:as|for)\s+(?:the |your"
    rf" )?(?P<field>{LABEL})",
    re.I,
)
"""`select the project that collects the logs as **Project**`."""
_IN_THE_ROW = re.compile(rf"{LABEL}\s+(?:in|from) the row (?:of|for|with|that)\b", re.I)
_PLAIN_NAME = re.compile(
    r"\s*(?P<name>[A-Z][\w-]*(?:\s+[A-Z][\w-]*)+)\s*(?:[.,;]|\bto\b|\band\b|$)"
)
"""`Select New Filter to create a rule`: two words with capitals and no article are a
control's name."""
_LINKED_FIELD = re.compile(
    rf"\s*(?:your|an?)\s+(?:(?:desired|preferred|suitable)\s+)?{LABEL}"
    r"\s*[.,]?\s*(?:(?:and|then)\s*)*$",
    re.I,
)
"""`select your desired [region](…)`: the link tells of what the field is for."""
_LINKED_THING = re.compile(
    rf"\s*(?:the|your)\s+(?:[a-z-]+ ){{0,2}}{LABEL}\s+"
    rf"(?:that|which|whose|where|you|(?:in|to|on) which)\b[^{LABEL[1:-1]},;]*[.,]?\s*$",
    re.I,
)
"""`select the [environment](…) where you want it`: the link tells what one is."""
_AS_WORDS = re.compile(
    rf"\s*(?:the )?(?P<value>{LABEL})(?:\s+or\s+{LABEL})?\s+as\s+(?:the|your)"
    r"\s+(?P<field>[a-z][a-z-]*(?: [a-z][a-z-]*)?)"
    r"\s*[.,]?\s*(?:(?:and|then)\s*)*$",
    re.I,
)
"""`select `east` as the region`: the field has no markup."""
_A_TAB = re.compile(rf"^\s*(?:the )?{LABEL} tab\b", re.I)
"""`choose the **Mills** tab`, behind the entries of a navigation."""
_AS_FIELD = re.compile(
    rf"(?P<value>{LABEL})\s+(?:as|for|from|in|under)\s+(?:the |your )?(?P<field>{LABEL})", re.I
)
"""`select **Singapore** as the **Region**`."""


_BOX_OF_A_THING = re.compile(
    rf"\bcheck ?box (?:of|for|next to|beside|before) (?P<name>{LABEL})\s*[.,]?\s*"
    r"(?:(?:and|then)\s*)*$",
    re.I,
)
"""``Select the check box next to `otter` ``: a thing of a list."""


def choose(clause: Clause) -> list[Intent]:
    """Read a clause of choose or select by the first of `_FORMS` that it has."""
    for form in _FORMS:
        intents = form(clause)
        if intents is not None:
            return intents
    return [
        (
            replace(intent, chosen=True)
            if intent.kind is IntentKind.SET and intent.value is None
            else intent
        )
        for intent in set_value(clause, options=True)
    ]


def _both_boxes(clause: Clause) -> list[Intent] | None:
    """`select both check boxes`: there are two, and nobody names them."""
    if clause.labels or not _BOTH_BOXES.match(clause.text):
        return None
    return [clause.intent(IntentKind.CHECK, [], noun=BOTH_BOXES)]


def _navigation_path(clause: Clause) -> list[Intent] | None:
    """Read the entries of a navigation. A tab is none of them: it lies on the page that
    they open."""
    if clause.bar is not ScopeKind.NAVIGATION or not clause.labels:
        return None
    if _A_TAB.search(clause.text):
        tab = clause.intent(IntentKind.CLICK, clause.labels, noun="tab")
        outside = (one for one in tab.scopes if one.kind is not ScopeKind.NAVIGATION)
        return [replace(tab, scopes=tuple(outside))]
    return [navigated(clause)]


_REGION_NAME = re.compile(
    r"[(（].+[)）]|\b[a-z]{2}-[a-z]+-?\d|\b(?:US|EU|UK|Asia|Africa|Europe|America|China|Canada|"
    r"Australia|India|Japan|Middle East)\b|\b(?:East|West|North|South|Central)\b|"
    r"^(?:global|华|西南|中国|亚太|欧洲|美国|全球)",
    re.I,
)
"""`China (Hangzhou)`, `us-east-1`: a name that only a region has."""


def _region(clause: Clause) -> list[Intent] | None:
    """Read the choice of a region in the top bar. A link names no region: `select [the
    region](…)`."""
    labels = clause.labels
    region = re.search(r"\bregions?\b", clause.text, re.I)
    in_top_bar = clause.bar is ScopeKind.TOP_BAR or (clause.has(ScopeKind.CORNER) and region)
    named = labels and _REGION_NAME.search(labels[0].text)
    if not in_top_bar or clause.field or not (region or named):
        return None
    place = (
        labels[0].parts[-1]
        if labels and not (region and labels[0].role is InlineRole.LINK)
        else None
    )
    return [clause.intent(IntentKind.REGION, labels[:1], value=place)]


def _menu_entry(clause: Clause) -> list[Intent] | None:
    labels = clause.labels
    menu = next(
        (scope.label for scope in clause.scopes if scope.kind is ScopeKind.MENU and scope.label), ""
    )
    if not menu or not labels:
        return None
    return [clause.intent(IntentKind.CLICK, labels[:1], path=(menu, *labels[0].parts))]


def _labelled_check_boxes(clause: Clause) -> list[Intent] | None:
    """`select the **Internet** check box`."""
    return _ticks(clause) if noun_of(clause.text) == "check box" else None


def _ticks(clause: Clause) -> list[Intent]:
    """Return one tick for each label, or one clearing for *deselect*."""
    return [
        clause.intent(IntentKind.CHECK, [label], checked=not clause.verb.startswith("de"))
        for label in clause.labels
    ]


def _control(clause: Clause) -> list[Intent] | None:
    """Read a choice that is a click: on a named kind of control, in a row, or along a
    path."""
    labels, text = clause.labels, clause.text
    of_a_row = labels and (
        clause.has(ScopeKind.COLUMN) or _IN_THE_ROW.search(text) or _FOR_A_ROW.match(text)
    )
    if (
        noun_of(text) in ("tab", "button", "link", "icon", "menu", "card")
        or of_a_row
        or any(len(label.parts) > 1 for label in labels)
    ):
        return click(clause)
    return None


def _check_box_or_row(clause: Clause) -> list[Intent] | None:
    """`select the check box of the instance`, `select the instances that you want to
    stop`."""
    labels, text = clause.labels, clause.text
    if clause.field:
        return None
    of_rows = not labels and re.search(r"\b(?:want to|row|instances?\b.*\bthat)\b", text, re.I)
    if not of_rows and not re.search(r"\bcheck ?box\b", text, re.I):
        return None
    of_a_thing = _BOX_OF_A_THING.search(text)
    if of_a_thing and clause.folded.label(of_a_thing["name"]).role is InlineRole.CODE:
        (name,) = clause.folded.labels_in(of_a_thing["name"])
        return [clause.intent(IntentKind.SELECT_ROW, [name], phrase=name.text)]
    if labels and not re.search(r"\b(?:of|next to|before) the\b", text, re.I):
        return _ticks(clause)
    return [clause.intent(IntentKind.SELECT_ROW, labels, phrase=object_of(clause))]


def _one_value_for_both(clause: Clause) -> list[Intent] | None:
    both = _FOR_BOTH.search(clause.text)
    if both is None:
        return None
    value = clause.folded.label(both["value"])
    return [
        clause.intent(IntentKind.SET, [name, value], path=name.parts, value=value.text)
        for name in clause.folded.labels_in(both["fields"])
    ]


def _several_values(clause: Clause) -> list[Intent] | None:
    several = _SEVERAL_AS.search(clause.text)
    if several is None:
        return None
    name = clause.folded.label(several["field"])
    return [
        clause.intent(IntentKind.SET, [name, value], path=name.parts, value=value.text)
        for value in clause.folded.labels_in(several["values"])
    ]


def _unmarked_control(clause: Clause) -> list[Intent] | None:
    """Read a path or a control's name that has no markup."""
    if clause.labels or clause.field:
        return None
    path = plain_path(clause.text)
    if path:
        return [clause.intent(IntentKind.CLICK, [], path=path)]
    name = _PLAIN_NAME.match(clause.text)
    return None if name is None else [clause.intent(IntentKind.CLICK, [], path=(name["name"],))]


def _drawn_control(clause: Clause) -> list[Intent] | None:
    """`select the vertical ellipsis`."""
    return icon_of(clause) or None


def _this_option(clause: Clause) -> list[Intent] | None:
    """`select this option` below the name of a field."""
    if clause.labels or not clause.field:
        return None
    if not re.match(r"\s*this (?:option|check ?box)\b", clause.text, re.I):
        return None
    return [clause.intent(IntentKind.CHECK, [], path=(clause.field,))]


def _plain(clause: Clause) -> str:
    return re.sub(r"\s*,?\s+(?:and|then)$", "", clause.folded.plain(clause.text)).strip(" ,.;")


def _linked_topic(clause: Clause) -> list[Intent] | None:
    """Read `select one of the [instance types](…)` as asking for nothing: the link
    leads to another document."""
    links = [label for label in clause.labels if label.role is InlineRole.LINK and label.target]
    if not links or not re.match(r"\s*(?:an?|one of|the|your)\b", clause.text, re.I):
        return None
    if _LINKED_THING.match(clause.text):
        return [clause.intent(IntentKind.SELECT_ROW, clause.labels, path=(), phrase=_plain(clause))]
    if len(clause.labels) > 1 or not _LINKED_FIELD.match(clause.text):
        return None if all(label.target.startswith("#") for label in links) else []
    (field,) = clause.labels
    return [
        clause.intent(
            IntentKind.SET, [field], path=field.parts, noun="words", phrase=object_of(clause)
        )
    ]


def _value_of_field(clause: Clause) -> list[Intent] | None:
    pair = _AS_FIELD.search(clause.text)
    if pair is None:
        return None
    value, name = clause.folded.label(pair["value"]), clause.folded.label(pair["field"])
    return [clause.intent(IntentKind.SET, [name, value], path=name.parts, value=value.text)]


def _value_as_words(clause: Clause) -> list[Intent] | None:
    pair = None if clause.field else _AS_WORDS.match(clause.text)
    if pair is None:
        return None
    value = clause.folded.label(pair["value"])
    return [
        clause.intent(
            IntentKind.SET,
            clause.labels,
            path=(pair["field"],),
            value=value.text,
            noun="words",
        )
    ]


def _described_value(clause: Clause) -> list[Intent] | None:
    described = _DESCRIBED_AS.match(clause.text)
    if described is None:
        return None
    name = clause.folded.label(described["field"])
    phrase = clause.folded.plain(described["what"])
    return [clause.intent(IntentKind.SET, [name], path=name.parts, phrase=phrase)]


_FORMS: tuple[Callable[[Clause], list[Intent] | None], ...] = (
    _navigation_path,
    _region,
    _menu_entry,
    _labelled_check_boxes,
    _both_boxes,
    _control,
    _check_box_or_row,
    _one_value_for_both,
    _several_values,
    _unmarked_control,
    _drawn_control,
    _this_option,
    _linked_topic,
    _value_of_field,
    _value_as_words,
    _described_value,
)
"""Forms of a clause, the more specific first. Each returns None for a clause that does
not have it."""
