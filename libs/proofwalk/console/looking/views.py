"""The view of a tab that is kept while nothing changes, so that looking again at the
same page costs one question instead of a look.

Every document counts its own changes in the isolated world, where the page cannot reach
(`scripts/frames.js`: mutations, events, values, scroll position); the counts of all
documents together are a `stamp`. A view is told with the stamp of the moment *before*
it was taken, so a change while looking makes it stale. What leaves no trace in a
document (a running animation, a canvas, the pointer's hover) yields no stamp, or ends
the view: the hands drop it before each action. The look that tells an action's changes
is the view that the next observation shows, completed by a picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from proofwalk.console.observation import Box, BrowserTab, Observation


@dataclass(frozen=True, kw_only=True)
class Scope:
    """How far a look reaches."""

    narrow: bool = False
    """The viewport alone, without what has to be scrolled into view."""
    hidden: bool = False
    """Also texts that nobody sees."""
    pixels: bool = False
    """By the picture alone, with nothing asked of the page."""


@dataclass(frozen=True, kw_only=True)
class View:
    """What was seen of a tab, and the stamp under which it stays true."""

    page: object
    """The tab."""
    stamp: str
    scope: Scope
    observation: Observation
    hidden: tuple[Box, ...]
    """What a picture of it must not show."""

    def holds(self, page: object, stamp: str, scope: Scope) -> bool:
        """Whether this is what a look would show now."""
        return bool(stamp) and self.page is page and self.stamp == stamp and self.scope == scope

    def again(
        self, taken_at: datetime, tabs: tuple[BrowserTab, ...], *, quiet: bool
    ) -> Observation:
        """The observation told at another moment, when the tabs beside it may be
        others."""
        return replace(self.observation, taken_at=taken_at, tabs=tabs, quiet=quiet)

    def seen(self) -> View:
        """The same, with nothing new in it."""
        told = self.observation
        if any(element.new for element in told.elements) or any(text.new for text in told.texts):
            told = replace(
                told,
                elements=tuple(replace(e, new=False) if e.new else e for e in told.elements),
                texts=tuple(replace(t, new=False) if t.new else t for t in told.texts),
            )
        return replace(self, observation=told)
