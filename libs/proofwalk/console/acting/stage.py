"""What actions need of the session: a narrow protocol, so that they do not depend on
how the session is built.

`session.console_session.ConsoleSession` is the one implementation. Actions look, wait
and act through it; they read what was seen last, and set what the pointer hovers over.
`Eyes` are another way to look and act, by the picture alone; `proofwalk.pixels`
implements them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from proofwalk.console.acting.results import Done
from proofwalk.console.actions import GuiAction
from proofwalk.console.looking.views import Scope
from proofwalk.console.observation import BrowserTab, Observation
from proofwalk.console.safety.credentials import SecretGate
from proofwalk.console.safety.hosts import AllowedHosts
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.tab.page import ConsolePage
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError


class Refusal(Protocol):
    """An address that was not reached."""

    @property
    def url(self) -> str: ...
    @property
    def document(self) -> bool:
        """True if the address was to become a page, not a part of one."""
        ...


class Fence(Protocol):
    """The allow-list, and the requests that it has stopped so far."""

    @property
    def hosts(self) -> AllowedHosts: ...
    @property
    def count(self) -> int:
        """The number of refusals since the session began."""
        ...

    def since(self, count: int) -> Sequence[Refusal]:
        """Return refusals after the first `count`."""
        ...


@dataclass(frozen=True, kw_only=True)
class Seen:
    """An observation without marks drawn, and the picture that belongs to it."""

    observation: Observation
    picture: bytes
    """The screenshot, with secrets covered."""


class Stage(Protocol):
    """One episode's browser context, as far as an action may use it."""

    clock: Clock
    secrets: Secrets
    gate: SecretGate
    deadlines: Deadlines
    artifacts: Path
    """The folder of the files that an action may upload."""
    latest: Observation | None
    """The observation that marks refer to."""
    recent: Observation | None
    """The latest observation or look."""
    scope: Scope
    hovered: str
    """Identity of the element that the pointer hovers over."""

    @property
    def guard(self) -> Fence: ...
    @property
    def sight(self) -> Eyes | None:
        """The eyes of the latest observation, if it was made by the picture alone."""
        ...

    async def current(self) -> ConsolePage:
        """Return the active tab."""
        ...

    async def closed_itself(self, tab: ConsolePage, error: ProofwalkError) -> bool:
        """Return True if `error` says no more than that the tab is gone, and another is
        left."""
        ...

    def tabs(self) -> tuple[BrowserTab, ...]: ...
    async def look(
        self, *, screenshot: bool = False, quiet: bool = True, scope: Scope | None = None
    ) -> Observation:
        """Look without replacing the marks of the latest observation."""
        ...

    async def glimpse(self) -> None:
        """Start taking the picture of the next observation."""
        ...

    async def wait_quiet(self, seconds: float | None = None, *, acted: bool = True) -> bool:
        """Wait for the active tab to come to rest. Return False if it is still busy."""
        ...

    async def open(self, url: str, *, settle: bool = True) -> None: ...
    async def open_tab(self, url: str) -> None: ...
    async def switch_tab(self, index: int) -> None: ...
    async def close_tab(self, index: int) -> None: ...
    def real_address(self, told: str) -> str:
        """Return the real address for one that an observation showed."""
        ...


class Eyes(Protocol):
    """Looking and acting by the picture alone, with one session's memory of what was
    seen so."""

    def mark(self) -> None:
        """Make marks refer to what was seen last."""
        ...

    async def look(
        self,
        tab: ConsolePage,
        *,
        previous: Observation | None,
        tabs: tuple[BrowserTab, ...],
        taken_at: datetime,
        viewport: tuple[int, int],
        quiet: bool,
    ) -> Seen:
        """Return what the tab shows now."""
        ...

    async def act(
        self, stage: Stage, tab: ConsolePage, seen: Observation, action: GuiAction
    ) -> Done | None:
        """Perform `action`. Return None for an action that points at nothing on the
        page, which is performed the usual way."""
        ...
