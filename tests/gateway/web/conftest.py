"""Visitors of the web console, before the gateway of `tests.gateway`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from benchmarks.holes.tenancy_browser import Browser
from tests.devcloud.console.conftest import chromium
from tests.gateway.conftest import KEY, Gateway

__all__ = ["chromium"]

SignIn = Callable[[str], Awaitable[Browser]]


@pytest.fixture
async def visitors(gateway: Gateway) -> AsyncIterator[SignIn]:
    """Makes a browser that is signed in with a key; with the empty key, one that is
    not."""
    async with AsyncExitStack() as exits:

        async def arrive(key: str) -> Browser:
            browser = Browser(gateway.url)
            await exits.enter_async_context(browser.client)
            await browser.sign_in(f"Bearer {key}")
            return browser

        yield arrive


@pytest.fixture
async def operator(visitors: SignIn) -> Browser:
    return await visitors(KEY)


@pytest.fixture
async def nobody(visitors: SignIn) -> Browser:
    return await visitors("")
