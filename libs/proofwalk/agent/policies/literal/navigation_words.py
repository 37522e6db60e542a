"""Rewrites what documents call the navigation: `From the **Navigation menu**, select
**Pumps**` becomes `In the navigation pane, select **Pumps**`.

Some consoles hide it behind a button. `Open the navigation menu and select **Pumps**`
asks for nothing else, and `seek` opens it where it is hidden.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.marks import LABEL, Folded

_WHICH = r"(?:(?:main|left|side|left-hand|left-side|global|primary|hamburger) )*"
_NOUN = r" (?:menu|drawer|panel|sidebar|tree|rail)"
_NAME = (
    rf"(?:{_WHICH}(?:navigation|nav){_NOUN}|(?:main|side|left-hand|left-side|primary) menu|"
    r"(?:left |side )?navigator)"
)
_NAVIGATION = re.compile(_NAME, re.I)
_ICON = r"(?: (?:icon|button))?(?: ?\(?[☰≡]\)?)?(?: (?:on|at) the left(?: side)?)?"
_NAMED = rf"the (?:{_NAME}|(?P<label>{LABEL})(?P<noun>{_NOUN})?){_ICON}"
_FROM = re.compile(rf"\b(?:from|in|on|using|via|through) {_NAMED}", re.I)
_OPENED = re.compile(
    rf"\b(?:open|click|expand|select) {_NAMED}"
    rf"(?:,? (?:and )?(?:then )?(?=(?:select|click|choose|go to|expand|open)\b))",
    re.I,
)


def with_navigation(piece: str, folded: Folded) -> str:
    """Return the sentence with the navigation as a place; unchanged without one."""
    for form, said in ((_OPENED, "in the navigation pane, "), (_FROM, "in the navigation pane")):
        found = form.search(piece)
        if found is None:
            continue
        label = folded.label(found["label"]).text if found["label"] else ""
        if label and not _NAVIGATION.fullmatch(f"{label}{found['noun'] or ''}"):
            continue
        piece = f"{piece[: found.start()]}{said}{piece[found.end() :]}"
    return piece
