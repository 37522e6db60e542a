"""Every page of the console by axe-core, in the browser that shows it: in each language
and colour, signed in, and the page on which one signs in.

axe-core is evaluated over DevTools, which the pages' content security policy allows: it
forbids scripts of the page. `make axe` gets it from npm, by version and integrity
(`package-lock.json`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from playwright.async_api import Browser, StorageState

from benchmarks import record
from benchmarks.console_ui.pages import NOWHERE, SIGN_IN, Address, addresses
from benchmarks.console_ui.visiting import Site, sign_in, things_of

AXE = record.ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
LOCALES = ("en-GB", "zh-CN")
SCHEMES = ("light", "dark")
_RUN = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.map(
  (one) => ({rule: one.id, impact: one.impact, help: one.help,
             nodes: one.nodes.map((node) => node.target.join(" ") + " — " + node.failureSummary)}))
"""


class Violation(TypedDict):
    """A rule that a page breaks."""

    rule: str
    impact: str
    help: str
    nodes: Sequence[str]
    """Where, and what would mend it."""


@dataclass(frozen=True, kw_only=True)
class Looked:
    """A page as it was looked at."""

    path: str
    locale: str
    scheme: str
    status: int
    violations: Sequence[Violation]


def axe_source(path: Path = AXE) -> str:
    """The text of axe-core. Raises `FileNotFoundError` with what to do."""
    if not path.is_file():
        raise FileNotFoundError(f"axe-core is not in {path.parent}: run `make axe`")
    return path.read_text(encoding="utf-8")


async def look_at_all(browser: Browser, site: Site, source: str) -> Sequence[Looked]:
    """Every page of an installation, in each language and colour."""
    state = await sign_in(browser, site)
    pages = addresses(await things_of(browser, site, state))
    return [
        looked
        for locale in LOCALES
        for scheme in SCHEMES
        for cookies, paths in ((state, _signed_in(pages)), (None, [SIGN_IN]))
        async for looked in _look(browser, site, source, (locale, scheme), cookies, paths)
    ]


def _signed_in(pages: Sequence[Address]) -> Sequence[str]:
    return [*(one.path for one in pages if one.route != SIGN_IN), NOWHERE]


async def _look(
    browser: Browser,
    site: Site,
    source: str,
    shown: tuple[str, str],
    cookies: StorageState | None,
    paths: Sequence[str],
) -> AsyncIterator[Looked]:
    locale, scheme = shown
    context = await browser.new_context(
        base_url=site.url,
        locale=locale,
        color_scheme="dark" if scheme == "dark" else "light",
        storage_state=cookies,
    )
    try:
        page = await context.new_page()
        for path in paths:
            answer = await page.goto(path, wait_until="load")
            await page.evaluate(source)
            violations: Sequence[Violation] = await page.evaluate(_RUN)
            yield Looked(
                path=path,
                locale=locale,
                scheme=scheme,
                status=answer.status if answer else 0,
                violations=violations,
            )
    finally:
        await context.close()


def broken(looks: Iterable[Looked]) -> Sequence[str]:
    """Pages that could not be looked at, since they answered with an error. What is not
    there, or not yet, is told by a page of its own."""
    return [
        f"{one.path}: {one.status}"
        for one in looks
        if one.status not in (200, 409) and one.path != NOWHERE
    ]
