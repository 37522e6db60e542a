"""Fields and sections that open a sentence: `For **Password** and **Confirm**, enter
`a1``; `Under **Limits**, set **Depth** to `3``.

What opens it is the field of a clause that has none of its own, and each of several
gets the value. A clause that names its field as well has it in that section.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.agent.reading.intents import Intent, IntentKind, Scope, ScopeKind
from proofwalk.agent.reading.marks import Label


def of_fields(read: list[Intent], opening: list[Label]) -> list[Intent]:
    """Return a clause's intents with the fields that open its sentence. An intent
    without a value only takes over their words."""
    if read and all(_has_own_field(one, opening) for one in read):
        return [_in_section(one, opening) for one in read]
    found = [
        _of_field(one, field) if one.kind is IntentKind.SET else one
        for one in read
        for field in (opening if one.kind is IntentKind.SET else opening[:1])
    ]
    if found and found[0].kind is not IntentKind.SET:
        words = (*(label.text for label in opening), *found[0].words)
        found[0] = replace(found[0], words=words)
    return found


def _has_own_field(one: Intent, opening: list[Label]) -> bool:
    """True for `Under **Limits**, set **Depth** to `3``: what opens the sentence is the
    section of the field."""
    if one.kind is not IntentKind.SET or one.value is None or not one.path:
        return False
    return one.path[-1] != opening[-1].parts[-1]


def _in_section(one: Intent, opening: list[Label]) -> Intent:
    scopes = tuple(
        replace(scope, kind=ScopeKind.SECTION) if scope.kind is ScopeKind.FIELD else scope
        for scope in one.scopes
    )
    return replace(one, scopes=scopes, words=(*(label.text for label in opening), *one.words))


def _of_field(intent: Intent, field: Label) -> Intent:
    scopes = tuple(scope for scope in intent.scopes if scope.kind is not ScopeKind.FIELD)
    place = Scope(kind=ScopeKind.FIELD, label=field.parts[-1])
    return replace(
        intent, path=field.parts, scopes=(place, *scopes), words=(field.text, *intent.words)
    )
