"""Reads what a clause describes and does not name: a picture on a button, a thing of a
list, the window that asks, the field that something is used to fill.

Each reader returns an empty list for a clause that has another form. Nothing that is
described blames a document when it is not found (`findings`, `page_moves.confirm`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.policies.literal.clauses import Clause, object_of
from proofwalk.agent.reading.intents import THING, Intent, IntentKind
from proofwalk.agent.reading.marks import LABEL
from proofwalk.procedures.model import InlineRole

_END = r"\s*[.,]?\s*(?:(?:and|then)\s*)*$"
_OPENS = ("go to", "navigate to", "open", "access", "visit")
_THING = re.compile(
    r"^\s*(?:to\s+)?(?:the|an?|your)\s+(?![A-Z])"
    r"(?!(?:[\w-]+ )*?(?:overview|view|settings|tools?|pop-?up|home|homepage|portal|ui|editor|"
    r"terminal|browser|url|address|website|site|wizard|sections?|panel|pane|sidebar|dialog)\b)"
)
"""Places and tools are no things of a list."""
_NAMED_THING = re.compile(
    rf"^\s*(?P<phrase>the\s+(?P<label>{LABEL})\s+(?!(?:page|tab|section|menu|entry|item|"
    r"link|button|icon|option|list|table|view|screen|console|portal|dashboard|overview|window|dialog|panel|pane|drawer|"
    r"wizard|form|area|step|tool|tools|category|center|service|settings|application|app|folder|"
    r"and|or|then|to|for|in|on|at|of|from|by|with|so|if|when|again|once|below|above|here|there|"
    rf"sidebar|toolbar|bar|interface|ui|site|website|editor|manager|module)\b)[a-z][a-z-]*){_END}"
)
_NAMED_BEHIND = re.compile(
    r"^\s*(?P<phrase>the\s+(?!(?:page|tab|section|menu|link|button|icon|option|list|product|"
    r"service|console|portal|dialog|panel|file|field|url|address)\b)"
    r"[a-z][a-z-]*(?: [a-z][a-z-]*)?\s+"
    rf"(?P<label>{LABEL})){_END}"
)
"""`the pump `otter``: in code or italics, it is a thing's own name."""
_ICON = re.compile(
    r"^\s*(?:on\s+)?(?P<phrase>the\s+(?:(?P<name>[a-z][\w-]*(?: [a-z][\w-]*)?)[ -]icon"
    r"|(?P<drawn>(?:three |vertical )?(?:dots|ellipsis)|(?:plus|minus) sign|pencil|gear|cog|"
    r"check ?mark))(?:\s+(?:button|icon))?(?: (?:in|on|at|of) the (?:[a-z-]+ ?){1,3})?)"
    rf"(?:\s*\([^()]{{1,30}}\)|\s+(?P<sign>[+⋮…✓-]))?{_END}"
)
_BESIDE_A_ROW = re.compile(
    r"^(?P<icon>.*?) (?:next to|beside|for|in the row of) "
    rf"(?P<row>(?:the|your) (?!row\b)[a-z][^,;.{LABEL[1:-1]}]*?)(?:\s+(?:and|then))*\s*[.,]?\s*"
    r"(?:(?:and|then)\s*)*$",
    re.I,
)
"""`the three dots next to the pump that you want to drain`."""
_CONSOLE_ITSELF = re.compile(
    r"^\s*(?:to\s+)?(?:the|your)\s+(?:(?:admin(?:istration)?|management|web|user)\s+)*"
    rf"(?:UI|interface)\b{_END}",
    re.I,
)
_ASKED = re.compile(
    r"\s*(?P<what>(?:that )?you want to [^,;.]+?|(?:(?:the|your) )?(?:deletion|removal|choice|"
    rf"decision|action|operation|request|changes?)(?: of [^,;.]+?)?){_END}",
    re.I,
)
_FIELD_TO = re.compile(
    rf"\s*the\s+(?P<field>{LABEL})"
    r"(?:\s+(?:field|option|drop-?down(?: list(?:box)?)?|list(?:box)?|box|menu))?\s+to\s+"
    r"(?:enter|specify|add|provide|select|choose|set|define|give|store|name|identify|describe|"
    r"supply|write|type|indicate)\s+"
    rf"(?P<phrase>[^,;.{LABEL[1:-1]}]+?)\s*\.?\s*$",
    re.I,
)


def icon_of(clause: Clause) -> list[Intent]:
    """`click the pencil icon`: a control that shows a picture and no words."""
    beside = _BESIDE_A_ROW.match(clause.text)
    icon = _ICON.match(beside["icon"] if beside else clause.text)
    if icon is None or clause.labels:
        return []
    row = clause.folded.plain(beside["row"]) if beside else ""
    found = [clause.intent(IntentKind.LOCATE, [], phrase=row)] if row else []
    name = icon["name"] or icon["drawn"]
    click = clause.intent(IntentKind.CLICK, [], path=(name,), noun="icon", phrase=icon["phrase"])
    if icon["sign"]:
        click = replace(click, path=(icon["sign"],), others=(name,))
    return [*found, click]


def console_itself(clause: Clause) -> list[Intent]:
    """`open the Admin UI`: the console that the walk is in."""
    if clause.labels or not _CONSOLE_ITSELF.match(clause.text):
        return []
    return [clause.intent(IntentKind.LOG_ON, [], phrase=object_of(clause))]


def opened_thing(clause: Clause) -> list[Intent]:
    """`go to the flag that you want to change`: a thing of a list, which is opened."""
    if clause.verb not in _OPENS or not _THING.match(clause.text):
        return []
    return [clause.intent(IntentKind.OPEN_ROW, [], noun=THING, phrase=object_of(clause))]


def named_thing(clause: Clause) -> list[Intent]:
    """`open the **Default** project`: a thing that the document names itself."""
    found = _NAMED_THING.match(clause.text) or _NAMED_BEHIND.match(clause.text)
    if clause.verb not in _OPENS or found is None:
        return []
    name = clause.folded.label(found["label"])
    if found.re is _NAMED_BEHIND and name.role not in (InlineRole.CODE, InlineRole.EMPHASIS):
        return []
    phrase = clause.folded.plain(found["phrase"])
    return [clause.intent(IntentKind.OPEN_ROW, [name], path=name.parts, noun=THING, phrase=phrase)]


def confirmation(clause: Clause) -> list[Intent]:
    """`confirm your choice`, `confirm that you want to delete it`: a window asks."""
    asked = _ASKED.match(clause.text) if clause.verb.startswith("confirm") else None
    if asked is None:
        return []
    return [clause.intent(IntentKind.CONFIRM, [], phrase=f"{clause.verb} {asked['what']}")]


def field_to_fill(clause: Clause) -> list[Intent]:
    """`use the **Database** field to add a name for the database`."""
    fills = _FIELD_TO.match(clause.text)
    if fills is None:
        return []
    field, phrase = clause.folded.label(fills["field"]), clause.folded.plain(fills["phrase"])
    return [clause.intent(IntentKind.SET, [field], path=field.parts, phrase=phrase.strip())]
