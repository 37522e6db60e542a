"""Choices that come as a tree: its branches are opened, top to bottom, until the wanted
one is on show."""

from __future__ import annotations

from collections.abc import Callable

from proofwalk.console.acting.matching import match_option
from proofwalk.console.acting.pointing import Pointing
from proofwalk.console.acting.stage import Stage
from proofwalk.console.observation import Element, Observation, State

MOST_BRANCHES = 12
"""Most branches that are opened in search of one choice."""
_HANDLE = 32.0
"""CSS pixels that the control which opens a branch is wide at most."""


class Branches:
    """The tree of an open list. `options` returns the list's choices in a look."""

    def __init__(
        self, stage: Stage, pointing: Pointing, options: Callable[[Observation], list[Element]]
    ) -> None:
        self._stage = stage
        self._pointing = pointing
        self._options = options

    async def find(
        self, option: str, offered: list[Element]
    ) -> tuple[Element | None, list[Element]]:
        """Return the option, or None, and all choices on show in the end."""
        tried: set[str] = set()
        for _ in range(MOST_BRANCHES):
            seen = await self._stage.look()
            offered = self._options(seen) or offered
            chosen = match_option(option, offered)
            branch = next(
                (
                    e
                    for e in offered
                    if State.COLLAPSED in e.states and e.identity not in tried and not e.offscreen
                ),
                None,
            )
            if chosen is not None or branch is None:
                return chosen, offered
            tried.add(branch.identity)
            handle = self._opener_of(seen, branch)
            if handle is not None:
                await self._pointing.click(handle)
                await self._stage.wait_quiet()
        return None, offered

    @staticmethod
    def _opener_of(seen: Observation, branch: Element) -> Element | None:
        """Return the small control at the left of a branch that opens it."""
        inside = [
            e
            for e in seen.elements
            if e.identity != branch.identity
            and branch.box.contains(e.box)
            and e.box.width <= _HANDLE
            and e.role in {"button", "link", "option"}
        ]
        return min(inside, key=lambda e: e.box.x, default=None)
