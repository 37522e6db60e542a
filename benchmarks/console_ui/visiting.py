"""A running console to measure, and browsers that are signed in to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from playwright.async_api import Browser, StorageState, async_playwright

from benchmarks.console_ui.pages import SIGN_IN, Things
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.client import Client

_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
_LISTS: Mapping[str, str] = {
    "finding_id": "findings",
    "collection_id": "collections",
    "inspection_id": "inspections",
}
"""By parameter, which is also the member of a thing that has its id: where REST lists
such things."""
_LINKED: Mapping[str, str] = {"run_id": "/console/learning", "record_id": "/console/records"}
"""By parameter: the page of the console that links to such things."""
_VERDICTS = ("verified", "doc_defect", "suspected", "env_failure", "unproven")


@dataclass(frozen=True, kw_only=True)
class Site:
    """An installation's gateway, with an operator's key."""

    url: str
    key: str


async def things_of(browser: Browser, site: Site, state: StorageState) -> Things:
    """Ids of what the installation has: the verification that was asked for last and
    one of each of `_VERDICTS`, and one of every other kind of thing."""
    return {**await _told_by_rest(site), **await _linked(browser, site, state)}


async def _linked(browser: Browser, site: Site, state: StorageState) -> Things:
    """Ids of what the console alone lists: of the first row of each list."""
    context = await browser.new_context(base_url=site.url, storage_state=state)
    try:
        page = await context.new_page()
        things: dict[str, Sequence[str]] = {}
        for parameter, path in _LINKED.items():
            await page.goto(path, wait_until="load")
            rows = page.locator(f"a[data-row][href^='{path}/']")
            links = [await rows.first.get_attribute("href") or ""] if await rows.count() else []
            things[parameter] = [link.removeprefix(f"{path}/") for link in links]
        return things
    finally:
        await context.close()


async def _told_by_rest(site: Site) -> Things:
    async with Client(site.url, site.key) as client:
        query = {"limit": "200"}
        listed = (await client.call("GET", "/v1/verifications", params=query))["verifications"]
        by_outcome: dict[str, list[str]] = {}
        for one in reversed(listed):
            if one.get("verdict"):
                by_outcome.setdefault(one["verdict"]["outcome"], []).append(one["verification_id"])
        newest = [one["verification_id"] for one in listed[:1]]
        chosen = [
            await _with_a_text(client, by_outcome[name]) for name in _VERDICTS if name in by_outcome
        ]
        things: dict[str, Sequence[str]] = {
            "verification_id": list(dict.fromkeys([*newest, *chosen]))
        }
        for parameter, name in _LISTS.items():
            first = (await client.call("GET", f"/v1/{name}"))[name][:1]
            things[parameter] = [one[parameter] for one in first]
            # A run's address names its own collection.
            if first and parameter == "inspection_id":
                things["collection_id"] = [first[0]["collection_id"]]
    return things


async def _with_a_text(client: Client, verifications: Sequence[str]) -> str:
    """The first of them whose document's text is stored, which `crowds` leaves out.
    Raises the refusal of the last one if there is none."""
    for verification_id in verifications[:-1]:
        with suppress(ProofwalkError):
            await client.report(verification_id)
            return verification_id
    await client.report(verifications[-1])
    return verifications[-1]


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser without a window."""
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=find_chromium(None), args=list(_FLAGS)
        )
        try:
            yield browser
        finally:
            await browser.close()


async def sign_in(browser: Browser, site: Site) -> StorageState:
    """Sign in once. Return the cookies, for any number of contexts: attempts to sign in
    are bounded."""
    context = await browser.new_context(locale="en-GB")
    try:
        page = await context.new_page()
        await page.goto(f"{site.url}{SIGN_IN}")
        await page.locator("input[name=key]").fill(site.key)
        await page.locator("main form button").click()
        await page.wait_for_url(f"{site.url}/console")
        return await context.storage_state()
    finally:
        await context.close()
