"""What a person writes to do a console's procedures: `suites/field/<console>/walks.py`.

It holds `sign_in` and `WALKS`, a walk for each procedure that has a rule. A walk does
its procedure in the console with Playwright, from the start page, signed in. It shows
that a rule can be met, and by what. UNIMPLEMENTED: a command that does the walks and
judges them; META of these consoles has steps, which no provisioner does yet.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from playwright.async_api import Page


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a scripted walk is told."""

    url: str
    """The console's start page."""
    login: Mapping[str, str]
    """The account's fields: `user`, `password`."""
    binds: Mapping[str, str]
    """What the document's phrases stand for."""
    outputs: Mapping[str, str]
    """META's outputs."""


Walk = Callable[[Page, Given], Awaitable[None]]
"""Does one procedure, or signs in. Raises `AssertionError` when the console refuses."""
