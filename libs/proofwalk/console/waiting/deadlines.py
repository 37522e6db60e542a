"""How long each wait of a session may take. The bounds hold for one episode's session
and are passed in with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Deadlines:
    """The bounds of all waits, in seconds."""

    connect: float = 20.0
    command: float = 10.0
    """One exchange with the browser."""
    navigation: float = 30.0
    popup: float = 3.0
    """Time for a tab that a page has opened to appear."""
    quiet: float = 10.0
    """Time after which a busy page is looked at as it is."""
    action: float = 60.0
    """One whole action, its waits included."""
