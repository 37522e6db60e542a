"""Whether a sentence tells an entry of the navigation or a page, or may mean a thing of
a list that it does not tell: `Open **Otter**`. What lies where the document never said
to go is not missing there."""

from __future__ import annotations

import re

from proofwalk.agent.reading.intents import Intent, ScopeKind

_OPENS_A_THING = re.compile(
    r"^\W*(?:open|select|choose)\b(?!.*\b(?:page|section|menu|sidebar|navigation|tab|console|"
    r"view|screen|area)\b)",
    re.I,
)


def is_entry(intent: Intent) -> bool:
    """True if the sentence says that it speaks of a page or an entry of a menu."""
    placed = intent.scope(ScopeKind.NAVIGATION, ScopeKind.MENU, ScopeKind.TOP_BAR, ScopeKind.PAGE)
    if placed is not None or len(intent.path) > 1 or intent.noun in ("tab", "menu", "link"):
        return True
    return _OPENS_A_THING.search(intent.origin.sentence) is None
