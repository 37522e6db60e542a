"""A soft reset: the browser context stays, and nothing of the last episode stays in it.

The old document goes first, with its scripts disabled, so that no `pagehide` handler
writes anything after the wiping and no `beforeunload` asks anything. Then cookies,
permissions, the storage of all allowed origins (local storage, IndexedDB, caches,
service workers) and the tab's history go; `sessionStorage` and `window.name` belong to
the tab. A tab that was alone on one origin is wiped in place; otherwise (several tabs
or hosts, an open dialog, a key or button held down) a fresh tab takes its place and all
others are closed. The HTTP cache stays: it holds what servers said may be kept, and is
what makes a soft reset quick.
"""

from __future__ import annotations

import asyncio

from proofwalk.console.faults import bounded
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.tab.page import ConsolePage

_WIPE_TAB = """() => {
  document.open();
  try { sessionStorage.clear(); } catch (error) {}
  window.name = '';
}"""
"""`open` takes away every listener of the document and its window: some Chromium call
`pagehide` handlers although scripts are disabled."""


async def renew(session: ConsoleSession) -> None:
    """Bring the session's context back to what it was before its first page; raises
    `ProofwalkError`s of the browser."""
    tab = await session.current()
    seconds = session.deadlines.command
    entries = sorted(session.guard.hosts.entries)
    if (
        tab.devices.held_inputs
        or tab.dialog is not None
        or len(session.tabs()) > 1
        or len(entries) > 1
        or not _wipeable(tab)
    ):
        tab = await _replace_tabs(session)
    else:
        await bounded(_blank(tab), seconds, "emptying the tab")
    origins = [
        f"{scheme}://{host}:{port}" for host, port in entries for scheme in ("http", "https")
    ]
    send = tab.worlds.cdp.send
    wiping = [
        send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        for origin in origins
    ]
    await bounded(
        asyncio.gather(
            session.context.clear_cookies(), session.context.clear_permissions(), *wiping
        ),
        seconds,
        "wiping the context",
    )
    session.latest = session.recent = None
    session.hovered = ""


def _wipeable(tab: ConsolePage) -> bool:
    return tab.page.url.startswith(("http:", "https:"))


async def _blank(tab: ConsolePage) -> None:
    """Wipe what belongs to the tab, and leave it on an empty page without a past."""
    send = tab.worlds.cdp.send
    await send("Emulation.setScriptExecutionDisabled", {"value": True})
    await tab.page.evaluate(_WIPE_TAB)
    await tab.page.goto("about:blank", wait_until="load")
    await send("Page.resetNavigationHistory")
    await send("Emulation.setScriptExecutionDisabled", {"value": False})


async def _replace_tabs(session: ConsoleSession) -> ConsolePage:
    """A fresh tab instead of all that there are."""
    seconds = session.deadlines.command
    old = list(session.context.pages)
    await bounded(session.context.new_page(), seconds, "opening a tab")
    tab = await session.current()
    for page in old:
        await bounded(page.close(), seconds, "closing a tab")
    return tab
