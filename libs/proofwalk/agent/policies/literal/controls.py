"""Rules for verbs that use a control or go somewhere: click, go to, log on, find,
hover, refresh, upload, confirm."""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.policies.literal.clauses import (
    THE,
    Clause,
    noun_after,
    noun_of,
    object_of,
    plain_path,
)
from proofwalk.agent.policies.literal.derived_things import JOINTS
from proofwalk.agent.policies.literal.described import (
    confirmation,
    console_itself,
    field_to_fill,
    icon_of,
    named_thing,
    opened_thing,
)
from proofwalk.agent.policies.literal.expectations import expectations
from proofwalk.agent.reading.intents import (
    ARROW,
    PAGE_IN_WORDS,
    PICTURE,
    SEARCH,
    SECTION,
    UNFOLDED,
    Intent,
    IntentKind,
    ScopeKind,
)
from proofwalk.agent.reading.marks import LABEL
from proofwalk.procedures.model import InlineRole

_ONE_THAT = re.compile(
    r"\b(?:the|your|an?)\s+(?:[A-Z]+\s+)?(?!(?:button|link|tab|icon|option|entry|control|menu)\b)[a-z]+\s+"
    r"(?:(?:to|for|on|in|of|from|with)\s+)?(?:that|which|whose|whom)\b"
)
"""A word with a capital in or after a description, `the ECS instance that …`, names
nothing that is clicked."""
_CAPITALS = re.compile(r"\b(?:[A-Z][\w()&/-]*)(?:\s+(?:[A-Z][\w()&/-]*|and|of|&)(?=\s|$|[.,;]))*")
_EITHER = re.compile(rf"{LABEL}(?:\s+[a-z]+)?\s+or\s+(?:the\s+)?{LABEL}")
_A_SECTION = re.compile(rf"{LABEL}\s+section\b", re.I)
_TWICE = re.compile(r"\b(?:twice|two times)\b", re.I)
_ROW_OF = re.compile(
    r"\b(?P<of>of|for|next to|beside|corresponding to|that corresponds"
    r" to)\s+(?P<phrase>(?:the|your|an?)\s+[^,;.]*)",
    re.I,
)
_ROW_OF_LABEL = re.compile(rf"{LABEL}\s+(?P<of>of)\s+(?P<phrase>{LABEL})", re.I)
_ID_OF = re.compile(
    r"\b(?:id|name)s?(?:\s*(?:/|or)\s*(?:id|name))?\b(?:\s+link)?|\btitle(?= of\b)", re.I
)
_MEANS_A_ROW = re.compile(
    r"\b(?:want to|created|you|instance|vpc|group|disk|(?:that|which|whose)\b.*\bto (?:open|go"
    r" to|view)|to open its (?:details )?page)\b",
    re.I,
)
_IT_TO_OPEN = re.compile(r"\s*it\s+to (?:open|go to|view|see)\b", re.I)
_IT = re.compile(
    r"\s*(?:on\s+)?(?:it|(?:the|its) link)\s*(?:,\s*(?:for example|such as)\b.*|[.,]?\s*)$", re.I
)
"""`find the pump and click on it`."""
_BY_ITS_LINK = re.compile(
    r"\s*\bby (?:clicking|selecting|choosing) (?:it|(?:its|the) (?:id|name))\b", re.I
)
_KEY = re.compile(
    r"^\s*(?:the\s+)?(?P<key>enter|return|esc(?:ape)?|tab)(?:\s+key)?\s*[.,]?\s*(?:and|then|\s)*$",
    re.I,
)
_NO_NAME = (
    "and|then|or|to|in|on|at|of|for|from|with|by|as|again|twice|once|when|until|after|before|if|"
    "that|which|this|it|them|below|above|here|there|beside|next|using|while|is|are|now|first|"
    "button|tab|link|icon|menu|option|key|field|box"
)
_BARE_NAME = re.compile(
    r"^\s*(?:on\s+)?(?P<name>(?:[a-zA-Z]+|[A-Z][\w-]*"
    rf"(?:\s+(?!(?:{_NO_NAME})\b)[a-z][\w-]*){{1,3}}))\s*[.,]?\s*(?:(?:and|then)\s*)*$"
)
"""`Click save.`, `Click Add policy.`: words without an article are the control's
name."""
_SMALL_BUTTON = re.compile(
    r"^\s*(?:on\s+)?the\s+(?P<name>edit|delete|remove|add|save|copy|clone|view|close|cancel|"
    r"refresh|search|settings|export|import)\s+(?P<noun>button|link)\b",
    re.I,
)
"""`the edit button`: a common name without markup."""
_ASIDE = re.compile(r"\s*\([^()]*\)")
_ONE_WANTED = re.compile(
    r"^\s*(?:on\s+)?(?P<phrase>(?:the|your)\s+(?:(?:specific|desired|appropriate|relevant)\s+)?"
    r"(?P<thing>[\w-]+(?:\s+[\w-]+)?\s+(?:that\s+)?you\s+(?:want|wish|would like|need|are"
    r" interested in)\b[^,;.]*))",
    re.I,
)
"""`the specific Device you want to change`, whatever its capitals."""
_THE_LINK = re.compile(
    r"^\s*(?:on\s+)?(?:the|its)\s+link\b(?!\s+(?:named|called|that|which))", re.I
)
_ONE_OF_A_LIST = re.compile(
    r"^\s*(?:on\s+)?(?P<phrase>an?\s+[a-z][\w-]*(?:\s+[a-z][\w-]*)?"
    r"|(?:the|your)\s+(?:[a-z][\w-]*\s+)?(?!button|link|icon|tab\b|arrow|head|menu|field|option|"
    r"box|column|row|check)[a-z][\w-]*(?=\s+(?:in|from)\s+the\s+(?:list|table|results)\b))"
    r"(?:\s+(?:in|from)\s+the\s+(?:list|table|results)(?:\s+of\s+[a-z][a-z ]*?)?)?"
    r"\s*[.,]?\s*(?:(?:and|then)\s*)*$"
)
"""`a pump`, `the pump in the list`."""
_IN_A_CORNER = re.compile(
    r"\b(?:at|in|on|to) the (?:very )?(?:top|bottom|upper|lower)[- ](?:left|right)\b", re.I
)
_ROW_TO_UNFOLD = re.compile(
    r"^\s*(?P<row>the row (?:of|for|with) (?P<thing>(?:the|your) [a-z][^,;.]*?))\s*\.?\s*$", re.I
)
_PAGE_IN_WORDS = re.compile(
    r"\s*(?:the|your|its)\s+(?!(?:same|previous|next|last|first|new|original|other|following|"
    r"main|current|right|relevant|corresponding|target|(?:[a-z]+ )?(?:details?|resource))\b)"
    r"(?P<name>[a-z][a-z-]*(?: (?!(?:of|for|in|on|at|to|with|that|you|and|or)\b)[a-z-]+){0,2}) "
    r"page\s*[.,]?\s*(?:(?:and|then)\s*)*$"
)
"""`the settings page`, `your profile page`"""
_PLAIN_PLACE = re.compile(
    r"\s*(?:the\s+)?(?P<name>[A-Z]\w*(?:\s+(?:and\s+)?\w+){0,3}?)(?:\s+(?:section|page|tab|screen))?"
    r"\s*[.,]?\s*(?:(?:and|then)\s*)*$"
)


def click(clause: Clause) -> list[Intent]:
    """Click, press, or choose something that is no value."""
    labels, text = clause.labels, clause.text
    if clause.bar is ScopeKind.NAVIGATION and labels:
        return [navigated(clause)]
    row = _ROW_OF.search(text) or _ROW_OF_LABEL.search(text)
    about = JOINTS.sub("", clause.folded.plain(row.group("phrase"))) if row else ""
    before = text[: row.start("of")] if row else text
    acts = clause.folded.labels_in(before)
    if _IT_TO_OPEN.match(text) or _IT.match(text) or (not labels and _THE_LINK.match(text)):
        return [clause.intent(IntentKind.OPEN_ROW, [], phrase="it")]
    if not acts and _ID_OF.search(re.sub(LABEL, " ", text)) and not _IN_A_CORNER.search(text):
        named = clause.folded.labels_in(row["phrase"]) if row else labels
        return [clause.intent(IntentKind.OPEN_ROW, named, phrase=about or object_of(clause))]
    if not labels:
        return _click_unlabelled(clause)
    intents: list[Intent] = []
    if row and acts and not (noun_of(text) == "tab" and row["of"].lower() == "of"):
        named = clause.folded.labels_in(row.group("phrase"))
        intents.append(clause.intent(IntentKind.LOCATE, named, phrase=about))
    noun = noun_of(text)
    chosen = acts or labels
    others = chosen[1:] if _EITHER.search(text) else []
    chosen = chosen[: len(chosen) - len(others)]
    if clause.verb.startswith("press") and (
        noun == "key" or chosen[0].parts[-1].casefold() in ("enter", "esc", "escape", "tab")
    ):
        noun = "key"
    for label in chosen:
        shown = PICTURE if label.role is InlineRole.IMAGE else noun
        pressed = clause.intent(IntentKind.CLICK, [label], noun=shown)
        if others:
            pressed = replace(pressed, others=tuple(one.parts[-1] for one in others))
        intents += [pressed] * (2 if _TWICE.search(text) else 1)
    return intents


def navigated(clause: Clause) -> Intent:
    """`In the navigation pane, under **Mills**, choose **Pumps**`: the head that the
    clause names is the first part of the path."""
    entry = clause.intent(IntentKind.NAVIGATE, clause.labels)
    head = clause.scope_of(ScopeKind.FIELD, ScopeKind.SECTION)
    if head is None or not head.label or head.label in entry.path:
        return entry
    scopes = tuple(scope for scope in entry.scopes if scope is not head)
    return replace(entry, path=(head.label, *entry.path), scopes=scopes)


def _click_unlabelled(clause: Clause) -> list[Intent]:
    """Click what has no markup: a key, one word, a path, a picture, words with
    capitals, a row."""
    text = clause.text
    key = _KEY.match(text) if clause.verb in ("press", "hit") else None
    if key is not None:
        return [clause.intent(IntentKind.CLICK, [], path=(key["key"].capitalize(),), noun="key")]
    small = _SMALL_BUTTON.match(text)
    if small is not None:
        row = _ROW_OF.search(text)
        about = clause.folded.plain(_ASIDE.sub("", row["phrase"])).strip() if row else ""
        found = [clause.intent(IntentKind.LOCATE, [], phrase=about)] if about else []
        name, noun = small["name"].lower(), small["noun"].lower()
        return [*found, clause.intent(IntentKind.CLICK, [], path=(name,), noun=noun)]
    wanted = _ONE_WANTED.match(text)
    if wanted is not None:
        phrase = clause.folded.plain(wanted["phrase"])
        return [clause.intent(IntentKind.OPEN_ROW, [], phrase=phrase)]
    bare = _BARE_NAME.match(text)
    path = (bare["name"],) if bare is not None else plain_path(text)
    if path:
        return [clause.intent(IntentKind.CLICK, [], path=path)]
    drawn = icon_of(clause)
    if drawn:
        return drawn
    one_of = _ONE_OF_A_LIST.match(text)
    if one_of is not None:
        return [clause.intent(IntentKind.OPEN_ROW, [], phrase=one_of["phrase"])]
    capitals = _CAPITALS.search(text)
    means_a_row = _MEANS_A_ROW.search(text)
    one = _ONE_THAT.search(text) if means_a_row else None
    if capitals and (one is None or capitals.start() < one.start()):
        noun = noun_after(text, capitals.end())
        return [clause.intent(IntentKind.CLICK, [], path=(capitals.group(),), noun=noun)]
    if means_a_row and THE.search(text) and not _IN_A_CORNER.search(text):
        return [clause.intent(IntentKind.OPEN_ROW, [], phrase=object_of(clause))]
    return []


def search(clause: Clause) -> list[Intent]:
    """`search for **x**`: enter the value into the search box in view."""
    labels = clause.labels
    if _ONE_THAT.match(clause.text.lstrip()) or _ONE_WANTED.match(clause.text):
        return find(clause)
    if len(labels) != 1 or not re.match(rf"\s*(?:the\s+)?{LABEL}", clause.text):
        return []
    return [clause.intent(IntentKind.SET, labels, path=(SEARCH,), value=labels[0].text)]


def find(clause: Clause) -> list[Intent]:
    """Find or locate a row."""
    named = re.match(rf"\s*{LABEL}", clause.text)
    phrase = clause.folded.plain(named.group()) if named else object_of(clause)
    return [clause.intent(IntentKind.LOCATE, clause.labels, phrase=phrase)]


def _unfolded_row(clause: Clause) -> list[Intent]:
    """`expand the row of the pump`: the arrow in the row unfolds it."""
    found = _ROW_TO_UNFOLD.match(clause.text) if clause.verb == "expand" else None
    if found is None or clause.labels:
        return []
    arrow = clause.intent(IntentKind.CLICK, [], path=("row",), noun=ARROW, phrase=found["row"])
    return [clause.intent(IntentKind.LOCATE, [], phrase=found["thing"]), arrow]


_WITHIN = re.compile(
    rf"{LABEL}(?: [a-z]+)? (?:under|in|within|inside|below) (?:the )?{LABEL}", re.I
)
"""`go to **Pumps** under **Plant**`: the second label is the head of the first."""


def go(clause: Clause) -> list[Intent]:
    """Go to, open, switch to, expand, return to."""
    labels, text = clause.labels, clause.text
    unfolded = _unfolded_row(clause)
    if unfolded:
        return unfolded
    noun = noun_of(text)
    if re.search(r"\bdetails? page\b", text, re.I) and not any(
        scope.label for scope in clause.scopes
    ):
        row = _ROW_OF.search(text)
        return [
            clause.intent(
                IntentKind.OPEN_ROW,
                labels,
                phrase=clause.folded.plain(row.group("phrase")) if row else "",
            )
        ]
    by_link = _BY_ITS_LINK.search(text)
    if by_link and not labels:
        return [
            clause.intent(
                IntentKind.OPEN_ROW, [], phrase=clause.folded.plain(text[: by_link.start()]).strip()
            )
        ]
    path = plain_path(text)
    if path and not labels:
        return [clause.intent(IntentKind.NAVIGATE, [], path=path)]
    if labels and len(labels[0].parts) > 1:
        return [clause.intent(IntentKind.NAVIGATE, labels[:1])]
    if re.search(r"\bconsole\b", clause.folded.plain(text), re.I) or (
        labels and labels[0].role is InlineRole.LINK
    ):
        return log_on(clause)
    page = next(
        (
            scope.label
            for scope in clause.scopes
            if scope.kind in (ScopeKind.PAGE, ScopeKind.TAB) and scope.label
        ),
        "",
    )
    if noun in ("tab", "icon", "button", "link", "menu"):
        return click(clause)
    thing = named_thing(clause) or (_ONE_WANTED.match(text) and opened_thing(clause))
    if thing:
        return thing
    if labels:
        kind = IntentKind.CLICK if clause.verb.startswith("expand") else IntentKind.NAVIGATE
        noun = noun or (UNFOLDED if kind is IntentKind.CLICK else "")
        noun = SECTION if _A_SECTION.search(text) else noun
        if len(labels) == 2 and _WITHIN.search(text):
            labels = labels[::-1]
        return [clause.intent(kind, labels, noun=noun)]
    if page:
        return [clause.intent(IntentKind.NAVIGATE, [], path=(page,))]
    return _place_in_words(clause) or console_itself(clause) or opened_thing(clause)


def _place_in_words(clause: Clause) -> list[Intent]:
    """`go to the settings page`, `go to Settings`."""
    described = _PAGE_IN_WORDS.match(clause.text)
    if described is not None:
        path = (described["name"],)
        return [clause.intent(IntentKind.NAVIGATE, [], path=path, noun=PAGE_IN_WORDS)]
    named = _PLAIN_PLACE.match(clause.text)
    if named is not None and clause.verb.startswith(("go", "navigate")):
        return [clause.intent(IntentKind.NAVIGATE, [], path=(named["name"],))]
    return []


def log_on(clause: Clause) -> list[Intent]:
    """Log on to a product's console."""
    labels = clause.labels
    found = re.search(
        r"(?:\bto |^(?!\s*to\b)\s*)(?:(?:the|your) )?"
        r"(?P<name>(?!(?:the|your) console)[\w ()-]+?)\s*console\b",
        clause.text,
        re.I,
    )
    name = labels[0].parts[-1] if labels else (found.group("name") if found else "")
    name = re.sub(r"\s*\bconsole$", "", name, flags=re.I).strip()
    return [clause.intent(IntentKind.LOG_ON, labels, path=(name,) if name else ())]


def upload(clause: Clause) -> list[Intent]:
    """Upload a named file. `Upload an object.` above a list of steps asks for nothing
    by itself."""
    if not clause.labels and not clause.field:
        return []
    value = next((label.text for label in clause.labels if label.role is InlineRole.CODE), None)
    rest = [label.text for label in clause.labels if label.text != value]
    return [
        clause.intent(
            IntentKind.UPLOAD,
            clause.labels,
            path=tuple(rest) or ((clause.field,) if clause.field else ()),
            value=value,
        )
    ]


def hover(clause: Clause) -> list[Intent]:
    return [clause.intent(IntentKind.HOVER, clause.labels[:1])] if clause.labels else []


def right_click(clause: Clause) -> list[Intent]:
    return [clause.intent(IntentKind.OPEN_CONTEXT_MENU, clause.labels[:1])] if clause.labels else []


def refresh(clause: Clause) -> list[Intent]:
    """Refresh, and look for what is then to be seen: `Refresh the list until the disk
    is in the **Available** state`."""
    seen = expectations(clause.folded, clause.text, clause.origin)
    states = [one for one in seen if one.kind is IntentKind.EXPECT_STATUS]
    return [clause.intent(IntentKind.REFRESH, [] if states else clause.labels), *states]


def confirm(clause: Clause) -> list[Intent]:
    """`Confirm the rule with OK`, `confirm the operation by clicking OK`, `skip the
    settings with Next`."""
    by = re.search(
        rf"\b(?:with|by (?:clicking|pressing|choosing|selecting))\s+(?:the\s+)?(?P<label>{LABEL})",
        clause.text,
        re.I,
    )
    if by is not None:
        return [clause.intent(IntentKind.CLICK, [clause.folded.label(by.group("label"))])]
    if clause.labels:
        return [clause.intent(IntentKind.MENTION, clause.labels)]
    return confirmation(clause)


def use(clause: Clause) -> list[Intent]:
    """`use the **Stop** button`, `use the **Name** field to enter a name`."""
    labels = clause.labels
    fills = field_to_fill(clause)
    if fills:
        return fills
    if len(labels) == 1 and noun_of(clause.text) in ("button", "icon", "link", "tab"):
        return click(clause)
    if (
        clause.field
        and not labels
        and re.match(
            r"\s*(?:the\s*)?to (?:enter|specify|add|provide|select|choose|set)\b", clause.text
        )
    ):
        return [clause.intent(IntentKind.SET, [], path=(clause.field,))]
    return []
