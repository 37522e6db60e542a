"""The view of a tab that is kept while nothing changes, so that looking again at the
same page costs one question instead of a look.

Every document counts its own changes in the isolated world, where the page cannot reach
(`scripts/frames.js`: mutations, events, values, scroll position). The counts of all
documents together are a `stamp`. A view has the stamp of the moment *before* it was
taken, so a change while looking makes it stale. What leaves no trace in a document (a
running animation, a canvas, the pointer's hover) yields no stamp, or ends the view: the
hands drop it before each action. The look after an action is the view that the next
observation shows, completed by a picture.
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
    """True if texts that nobody sees are included."""
    pixels: bool = False
    """True if only the picture is read, and the page is asked nothing."""


@dataclass(frozen=True, kw_only=True)
class View:
    """What was seen of a tab, and the stamp under which it is valid."""

    page: object
    """The tab."""
    stamp: str
    scope: Scope
    observation: Observation
    hidden: tuple[Box, ...]
    """The boxes that a picture must not show."""
    shows: bool = False
    """A secret was read somewhere: a picture needs `spots` besides."""

    def holds(self, page: object, stamp: str, scope: Scope) -> bool:
        """Return True if a look would show the same now."""
        return bool(stamp) and self.page is page and self.stamp == stamp and self.scope == scope

    def again(
        self, taken_at: datetime, tabs: tuple[BrowserTab, ...], *, quiet: bool
    ) -> Observation:
        """Return the observation for another moment, at which other tabs may be
        open."""
        return replace(self.observation, taken_at=taken_at, tabs=tabs, quiet=quiet)

    def seen(self) -> View:
        """Return the same view with nothing marked as new."""
        told = self.observation
        if any(element.new for element in told.elements) or any(text.new for text in told.texts):
            told = replace(
                told,
                elements=tuple(replace(e, new=False) if e.new else e for e in told.elements),
                texts=tuple(replace(t, new=False) if t.new else t for t in told.texts),
            )
        return replace(self, observation=told)
