"""Reads clauses with several fields: `Set A to x, B to y, and C to z`, `enter x for A
and y for B`, `for A and B, enter x`.

Vendors write short forms this way instead of as a table. The readers here take a
clause's folded text (`marks`) and return pairs of field and value, of which `grammar`
makes intents. `x in A and once more in B` is read as `x in A and x in B`. One field
with one value is left to the verb's own rule. Also here: tags, which have a key and a
value, and sentences that say which value a field has by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from proofwalk.agent.policies.literal.scopes import WHOLE
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin, Scope, ScopeKind
from proofwalk.agent.reading.marks import LABEL, Folded, Label
from proofwalk.procedures.model import InlineRole

_INSIDE = LABEL[1:-1]
_LIST = rf"{LABEL}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+){LABEL})*"
_PHRASE = rf"(?:the|your|an?)\s+[^,;{_INSIDE}]*?"
_VALUE = rf"(?:(?:{_PHRASE}\s+)?{LABEL}|{_PHRASE})"
_END = r"(?=\s*(?:[,;.]|$|\band\b|\bthen\b))"
_TO = re.compile(rf"(?P<fields>{_LIST})\s+(?:set\s+)?to\s+(?P<value>{_VALUE}){_END}", re.I)
_FOR = re.compile(
    rf"(?P<value>{_VALUE})\s+(?:for|as|in)\s+(?:the\s+|your\s+)?(?P<fields>{LABEL}(?:\s+and\s+{LABEL})*)(?:\s+(?:fields|(?:text\s?)?boxes))?{_END}",
    re.I,
)
_INTO = rf"\s+(?:in|into|for|as)\s+(?:the\s+)?{LABEL}"
_BOX = r"(?:\s+(?:field|(?:text\s?)?box))?"
_MORE = r"(?:once more|once again|again|a second time)"
_AGAIN = re.compile(
    rf"(?P<value>{LABEL})(?P<first>{_INTO}){_BOX}\s*,?\s+and\s+(?:then\s+)?"
    rf"(?:(?:enter|type)\s+(?:it|the\s+same\s+\w+)(?:\s+{_MORE})?|(?:enter|type)\s+the\s+(?:new\s+)?\w+\s+{_MORE}"
    rf"|(?:re-?enter|re-?type|repeat|confirm)\s+(?:it|the\s+(?:same\s+|new\s+)?password)(?:\s+{_MORE})?|{_MORE})(?P<second>{_INTO}){_BOX}",
    re.I,
)
_ADD_TO = re.compile(
    rf"\badd\s+(?P<value>{LABEL})\s+to\s+(?:the\s+)?(?P<fields>{LABEL}){_END}", re.I
)
_LEAD = re.compile(
    rf"^\W*(?:for|as|in|under|from)\s+(?:the\s+)?(?P<fields>{LABEL}(?:\s+and\s+{LABEL})*)"
    r"(?:\s+(?:fields?|text ?boxes|(?:drop-?down )?lists))?\s*,\s*$",
    re.I,
)
_TAG = re.compile(
    rf"(?P<key>{LABEL})\s+as\s+(?:the|a)\s+(?:tag\s+)?key\s+and\s+(?P<value>{LABEL})\s+as\s+(?:the|a|its)\s+(?:tag\s+)?value"
    r"|\b(?:key|tag"
    rf" key)\s+(?:is|to|of)\s+(?P<key2>{LABEL})\s+and\s+(?:whose\s+|the\s+|a\s+)?(?:tag\s+)?value\s+(?:is|to|of)?\s*(?P<value2>{LABEL})"
    rf"|\bkey\s+(?P<key4>{LABEL})\s+and\s+(?:the\s+|a\s+)?(?:tag\s+)?value\s+(?P<value4>{LABEL})"
    rf"|\btag\s+(?P<key3>{LABEL})\s*[:=]\s*(?P<value3>{LABEL})",
    re.I,
)
_HAS_VALUE = re.compile(
    rf"(?P<field>{LABEL})\s+(?:is|are|remains|stays)?\s*(?:still\s+)?(?:set|left|kept)\s+(?:to|at|as)\s+(?P<value>{LABEL})"
    rf"|(?:the\s+)?default(?:\s+value)?(?:,)?\s+(?P<value2>{LABEL})\s*,?\s+(?:of|for)\s+(?:the\s+)?(?P<field2>{LABEL})"
    rf"|(?P<field3>{LABEL})\s+at\s+(?:its|the)\s+default(?:\s+value)?(?:\s+of)?,?\s+(?P<value3>{LABEL})"
    rf"|\bby default,?\s+(?P<field4>{LABEL})\s+is\s+(?:set to\s+)?(?P<value4>{LABEL})"
    rf"|\bdefault(?:\s+value)?\s+of\s+(?:the\s+)?(?P<field5>{LABEL})\s+is\s+(?P<value5>{LABEL})",
    re.I,
)
TAG_KEY, TAG_VALUE = "Tag Key", "Tag Value"
"""What the fields of a tag editor are called."""


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """A field and its value: a marked value, or a phrase for a provisioned one."""

    field: Label
    value: Label | None
    phrase: str

    def intent(self, scopes: tuple[Scope, ...], origin: Origin) -> Intent:
        words = (self.field.text, self.value.text) if self.value is not None else (self.field.text,)
        return Intent(
            kind=IntentKind.SET,
            path=self.field.parts,
            value=self.value.text if self.value is not None else None,
            phrase="" if self.value is not None else self.phrase,
            scopes=tuple(scope for scope in scopes if scope.kind is not ScopeKind.FIELD),
            words=words,
            origin=origin,
        )


def read_assignments(folded: Folded, verb: str, body: str) -> list[Assignment]:
    """Return the pairs of a clause with more than one field. Empty if a single rule
    reads the clause as well."""
    to_fields = re.match(r"(?:set|change|configure|modify|adjust|keep|leave)", verb) is not None
    found = list(_pairs(folded, _TO if to_fields else _FOR, body))
    if to_fields:
        found += _pairs(folded, _ADD_TO, body)
    covered = {label for one in found for label in (one.field, one.value) if label is not None}
    if len(found) < 2 or any(label not in covered for label in folded.labels_in(body)):
        return []
    return found


def _pairs(folded: Folded, form: re.Pattern[str], body: str) -> Iterator[Assignment]:
    for match in form.finditer(body):
        marked = folded.labels_in(match["value"])
        for field in folded.labels_in(match["fields"]):
            yield Assignment(
                field=field,
                value=marked[0] if marked else None,
                phrase=folded.plain(match["value"]),
            )


def written_out(text: str) -> str:
    """Repeat a value where the text says to enter it again, as for a password and its
    confirmation."""
    return _AGAIN.sub(r"\g<value>\g<first> field and \g<value>\g<second> field", text)


def lead_fields(folded: Folded, lead: str) -> list[Label]:
    """The fields that open a sentence: `For **Password** and **Confirm Password**, …`,
    `As **Description**, …`."""
    found = _LEAD.match(lead)
    fields = folded.labels_in(found["fields"]) if found else []
    return [] if any(WHOLE.search(one.text) for one in fields) else fields


def read_tag(folded: Folded, text: str) -> list[tuple[str, Label]]:
    """Return the two fields of a tag with their values; empty if the text speaks of no
    tag."""
    found = _TAG.search(text)
    if found is None:
        return []
    key, value = (
        next(v for name, v in found.groupdict().items() if name.startswith(what) and v)
        for what in ("key", "value")
    )
    return [(TAG_KEY, folded.label(key)), (TAG_VALUE, folded.label(value))]


def read_standing_value(folded: Folded, text: str) -> tuple[Label, Label] | None:
    """Return the field and the value of a sentence that says what a field is set to
    without the reader's doing."""
    found = _HAS_VALUE.search(text)
    if found is None:
        return None
    groups = found.groupdict()
    field = folded.label(next(v for name, v in groups.items() if name.startswith("field") and v))
    value = folded.label(next(v for name, v in groups.items() if name.startswith("value") and v))
    return None if field.role is InlineRole.CODE else (field, value)
