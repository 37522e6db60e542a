"""A browser of this machine in which a person's target is tried: one session, on the
target's hosts alone, with the account's secrets masked.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from proofwalk.console.browser.starting import started_browser
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.kernel.clock import Clock


@dataclass(frozen=True, kw_only=True)
class BrowserChoice:
    """Which browser, and whether it is seen."""

    chromium: Path | None = None
    """The program; None is the one of this machine."""
    headed: bool = False
    """True: with a window, which needs a display."""


@asynccontextmanager
async def console_session(
    url: str,
    browser: BrowserChoice,
    *,
    hosts: Iterable[str] = (),
    secrets: Mapping[str, str],
    public: Iterable[str] = (),
    clock: Clock,
) -> AsyncIterator[ConsoleSession]:
    """Open a session for the console at `url`, in a browser that ends with the block.
    Raises `sandbox.*`, `browser.*`."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    with tempfile.TemporaryDirectory(prefix="proofwalk-target-") as folder:
        async with (
            started_browser(browser.chromium, headless=not browser.headed) as endpoint,
            ConsoleSession.connect(
                endpoint,
                allowed_hosts=(f"{parts.hostname}:{port}", *hosts),
                secrets=secrets,
                public=public,
                clock=clock,
                artifacts=Path(folder),
            ) as session,
        ):
            yield session
