"""What a sentence asks for, and what the console has in its place.

A policy that blames a sentence says which of its words differ, what stands there
instead, and where it looked. Only words that stand in the sentence are told as the
document's own: a label that a reading made, as of a paraphrase, is none of them, and
neither is the noun of a thing that has no name. Pure. `wording` says it in sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from proofwalk.agent.page import regions
from proofwalk.agent.page.words import normalise
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.observation import Observation

_BETWEEN = r"\s*(?:>|→|»|›|-+>|/|，|、|,?\s*(?:and\s+)?(?:then\s+)?)\s*"
"""What may stand between two labels of a way."""
_NOUNS = frozenset(
    {"row", "entry", "field", "button", "icon", "link", "tab", "menu", "list", "option", "item"}
    | {"check box", "checkbox", "box", "dialog", "page", "section", "switch", "toggle", "column"}
    | {"table", "control", "arrow", "card", "radio button", "form", "picture", "thing", "words"}
)
"""What a reading calls a thing that the sentence gives no name."""
_DESCRIBES = re.compile(r"(?:the|an?|its?|this|that|these|those|your|any|each|what)\b")


@dataclass(frozen=True, kw_only=True)
class InFront:
    """The page or dialog in which something was looked for, as a reader calls it."""

    name: str = ""
    dialog: bool = False


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What differs, as `kernel.outcomes.Finding` carries it."""

    words: str = ""
    """The document's own."""
    offered: str = ""
    place: InFront
    way: tuple[str, ...] = ()


def as_written(label: str, sentence: str) -> str:
    """Return the part of a sentence that is this label, letter for letter; empty if it
    does not stand there as whole words. Case and white space may differ."""
    words = label.split()
    if not words:
        return ""
    pattern = r"\s+".join(map(re.escape, words))
    for flags in (0, re.IGNORECASE):
        found = re.search(rf"(?<![a-zA-Z0-9]){pattern}(?![a-zA-Z0-9])", sentence, flags)
        if found is not None:
            return found.group()
    return ""


def way_as_written(way: tuple[str, ...], sentence: str) -> str:
    """Return the part of a sentence that is this way, from the first label to the last;
    empty if other words stand between them."""
    labels = [r"\s+".join(map(re.escape, label.split())) for label in way if label.strip()]
    found = re.search(_BETWEEN.join(labels), sentence) if labels else None
    return found.group() if found else ""


def describes(intent: Intent, label: str) -> bool:
    """Whether words describe a thing and do not name it: `check box`, `its ID`. What
    the writer set in bold or code is a name, whatever it says."""
    if label in intent.words:
        return False
    return label in _NOUNS or _DESCRIBES.match(label) is not None


def description(words: str) -> str:
    """Return words that describe a thing with an article, if they have none."""
    if _DESCRIBES.match(words):
        return words
    return f"{'an' if words[:1].casefold() in ('a', 'e', 'i', 'o', 'u') else 'a'} {words}"


def asked_words(intent: Intent, label: str) -> str:
    """Return the document's own words for a label or value of an intent; empty if it
    has none."""
    return "" if describes(intent, label) else as_written(label, intent.origin.sentence)


def in_front(page: Observation) -> InFront:
    """Return what a reader would call what is in front: the title of the open dialog,
    the heading that the page's title repeats, else the topmost one, else that title."""
    if page.modal:
        return InFront(name=" ".join(page.modal.split()), dialog=True)
    headings = [
        run
        for run in page.texts
        if run.role == "heading" and run.text.strip() and not (run.container or run.row)
    ]
    below = [run for run in headings if not regions.in_top_bar(run)]
    title = normalise(page.title)
    titled = [run for run in below if normalise(run.text) in title]
    topmost = sorted(titled or below, key=lambda run: (run.box.y, run.box.x))
    return InFront(name=" ".join((topmost[0].text if topmost else page.title).split()))
