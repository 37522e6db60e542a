"""Whether a sentence tells an entry of the navigation or a page, or may mean a thing of
a list that it does not tell: `Open **Otter**`. What lies where the document never said
to go is not missing there."""

from __future__ import annotations

import re

from proofwalk.agent.reading.intents import Intent, ScopeKind

_OPENS = re.compile(r"(?:open|select|choose)\b", re.I)
_OF_THE_CONSOLE = re.compile(
    r"\b(?:page|section|menu|sidebar|side bar|navigation|tab|console|view|screen|area|panel|"
    r"pane|link|button|icon|entry|item)\b",
    re.I,
)
_IS_AN_ID = re.compile(r"\S*[-_\d]\S*")


def is_entry(intent: Intent, *, led: bool) -> bool:
    """True if the sentence says that it speaks of a page or an entry of a menu. `led`:
    the walk was led somewhere; only an id is then surely a thing's."""
    if led and _IS_AN_ID.fullmatch(intent.label) is None:
        return True
    placed = intent.scope(ScopeKind.NAVIGATION, ScopeKind.MENU, ScopeKind.TOP_BAR, ScopeKind.PAGE)
    if placed is not None or len(intent.path) != 1 or intent.noun in ("tab", "menu", "link"):
        return True
    said, named, rest = intent.origin.sentence.partition(intent.label)
    before = re.split(r"[,;:.]", said)[-1]
    clause = f"{before} {re.split(r'[,;:.]', rest)[0]}"
    opens = _OPENS.match(before.strip()) is not None
    return not named or not opens or _OF_THE_CONSOLE.search(clause) is not None
