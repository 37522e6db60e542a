"""What an exploration needs, where it ends, and what it hands back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from proofwalk.console.actions import GuiAction
from proofwalk.console.observation import Observation
from proofwalk.console.session.guard import RefusedWrite
from proofwalk.maps.graph import ConsoleMap, Path, Surface

_EXAMPLES = 3
"""Entries of a menu or list that lead to one surface, one after the other, after which
the rest are not tried."""


class Performed(Protocol):
    """How an action ended."""

    @property
    def ok(self) -> bool: ...


class Ground(Protocol):
    """The browser, signed in, in a session that only reads."""

    async def observe(self) -> Observation: ...

    async def perform(self, action: GuiAction) -> Performed: ...

    def refused_writes(self) -> Sequence[RefusedWrite]: ...


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Where an exploration ends that has not seen everything."""

    pages: int = 200
    actions: int = 5000
    seconds: float = 1200.0


class Ending(StrEnum):
    """Why an exploration ended."""

    COMPLETE = "complete"
    PAGES = "pages"
    ACTIONS = "actions"
    TIME = "time"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True, order=True)
class Refusal:
    """Requests that were refused at one press of one page."""

    address: str
    """Address pattern of the page."""
    pressed: str
    """Name of the control; empty if it was the page itself."""
    method: str
    request: str
    """Address pattern of the request."""


@dataclass(frozen=True, kw_only=True)
class Exploration:
    """What an exploration has found."""

    console: ConsoleMap
    ending: Ending
    failure: str = ""
    """What ended one that failed."""
    actions: int = 0
    seconds: float = 0.0
    refused: Counter[Refusal] = field(default_factory=Counter)
    left_alone: tuple[str, ...] = ()
    """Places that were not gone to for their names."""
    unreached: tuple[Path, ...] = ()
    """Places that could not be gone back to."""


@dataclass(kw_only=True)
class Examples:
    """Where the latest entries of each menu or list led."""

    _latest: dict[tuple[str, ...], tuple[Surface, int]] = field(default_factory=dict)

    def add(self, run: tuple[str, ...], target: Surface) -> None:
        surface, count = self._latest.get(run, (target, 0))
        self._latest[run] = (target, count + 1 if surface == target else 1)

    def suffice(self, run: tuple[str, ...]) -> bool:
        return run in self._latest and self._latest[run][1] >= _EXAMPLES
