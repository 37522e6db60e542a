"""Names that a document gives to a thing before its steps speak of it.

`To drain the pump **Otter**:` stands above `Find the pump`. The sentences of the
introduction and of earlier sub-steps are read for a kind of thing with a name in bold,
code or italics beside it. A name is only taken for a phrase of the same kind that has
none of its own, and only where the document names one thing of that kind.
"""

from __future__ import annotations

import re

from proofwalk.agent.page.words import tokens
from proofwalk.agent.reading.marks import LABEL, fold
from proofwalk.procedures.model import InlineRole, Procedure

_BEHIND = re.compile(
    r"\b(?:the|your|an?|this|called) (?:[a-z-]+ ){0,2}?(?P<kind>[a-z][a-z-]+)"
    rf"(?: (?:named|called|with the (?:name|id)))? (?P<name>{LABEL})"
)
_BEFORE = re.compile(rf"\bthe (?P<name>{LABEL}) (?P<kind>[a-z][a-z-]+(?: [a-z][a-z-]+)?)")
_SUCH_AS = re.compile(
    r"\ban? (?P<kind>[a-z][a-z-]+) (?:that|which|you)\b[^,;.]*, (?:such as|for example|like),? "
    rf"(?P<name>{LABEL})"
)
"""`You can drain a pump that nobody needs, such as `otter`.`"""
_CONTROLS = frozenset(
    [
        "button",
        "tab",
        "page",
        "field",
        "box",
        "list",
        "menu",
        "section",
        "option",
        "column",
        "link",
        "icon",
        "dialog",
        "window",
        "panel",
        "pane",
        "switch",
        "toggle",
        "checkbox",
        "drawer",
        "step",
        "status",
        "state",
        "role",
        "permission",
        "policy",
        "value",
        "type",
        "tag",
        "label",
        "key",
        "word",
        "text",
        "message",
        "console",
        "view",
        "form",
        "wizard",
        "area",
        "card",
        "entry",
    ]
)
"""Kinds whose names are the console's own."""


def names_of(procedure: Procedure, phrase: str, *, before: int) -> list[str]:
    """Return the name that the document gives to the kind of thing of `phrase` in its
    introduction or in the first `before` sub-steps; empty without one, or with two."""
    kind = tokens(phrase)[-1:]
    if not kind:
        return []
    told = [
        *procedure.introduction,
        *(one for substep in procedure.substeps[:before] for one in substep.sentences),
    ]
    named: list[str] = []
    for sentence in told:
        folded = fold(sentence.inlines)
        for form in (_BEHIND, _BEFORE, _SUCH_AS):
            for found in form.finditer(folded.text):
                label = folded.label(found["name"])
                of_kind = tokens(found["kind"])[-1:]
                named += [label.text] if of_kind == kind and _is_a_name(of_kind, label.role) else []
    found_names = list(dict.fromkeys(named))
    return found_names if len(found_names) == 1 else []


def _is_a_name(kind: tuple[str, ...], role: InlineRole) -> bool:
    return kind[0] not in _CONTROLS and role in (
        InlineRole.STRONG,
        InlineRole.CODE,
        InlineRole.EMPHASIS,
    )
