"""A site that is hostile, a tripwire on loopback that must never be touched, and a log
of everything that a session gives out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager

import pytest
import pytest_asyncio

from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.waiting.deadlines import Deadlines
from tests.console.conftest import (  # noqa: F401  # fixtures
    _foreign,
    _site,
    connect,
    connected,
    driver,
    foreign,
    shared_browser,
    site,
)
from tests.console.conftest import see as see  # fixture
from tests.security.pages import Hostile
from tests.security.tripwire import Tripwire, tripwire

BOUNDS = Deadlines(quiet=1.5, command=4.0, navigation=6.0, action=14.0, popup=1.0)


@pytest.fixture(scope="session")
def _wire() -> Iterator[Tripwire]:
    with tripwire() as wire:
        yield wire


@pytest.fixture
def wire(_wire: Tripwire) -> Tripwire:
    """The foreign host, untouched."""
    _wire.clear()
    return _wire


@pytest_asyncio.fixture(loop_scope="session")
async def session(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]],  # noqa: F811
) -> AsyncIterator[ConsoleSession]:
    """A session with bounds that a hostile page reaches soon."""
    async with connect(deadlines=BOUNDS) as opened:
        yield opened


@pytest.fixture
def hostile(session: ConsoleSession, site: object) -> Hostile:  # noqa: F811
    """Opens hostile pages."""
    return Hostile(session=session, site=site)  # type: ignore[arg-type]
