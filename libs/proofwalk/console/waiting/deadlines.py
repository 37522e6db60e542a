"""How long each thing that a session waits for may take. Bounds are of one episode's
session and handed in with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Deadlines:
    """Bounds of everything that is waited for, in seconds."""

    connect: float = 20.0
    command: float = 10.0
    """One exchange with the browser."""
    navigation: float = 30.0
    popup: float = 3.0
    """How long a tab that a page has opened may take to appear."""
    quiet: float = 10.0
    """How long a page may stay busy before it is looked at as it is."""
    action: float = 60.0
    """One whole action, its waits included."""
