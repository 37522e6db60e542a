"""How long the console's pages take to be seen: the largest contentful paint, by the
browser's own PerformanceObserver, in milliseconds from the start of the navigation.

`cold` is a browser that has nothing of the console in its cache, `warm` the same page
once more in that browser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playwright.async_api import Browser, Page, StorageState

from benchmarks.console_ui.visiting import Site, sign_in
from benchmarks.record import spread

_LCP = """() => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("no largest paint in 10 s")), 10000);
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({type: "largest-contentful-paint", buffered: true});
})"""


@dataclass(frozen=True, kw_only=True)
class Paint:
    """Milliseconds of one page, a figure for each load."""

    cold: Sequence[float]
    warm: Sequence[float]

    def as_row(self) -> Mapping[str, Mapping[str, float]]:
        return {"cold": spread(self.cold), "warm": spread(self.warm)}


async def paints(
    browser: Browser, site: Site, paths: Mapping[str, str], *, loads: int
) -> Mapping[str, Paint]:
    """Each page `loads` times cold and warm, the pages in turn."""
    state = await sign_in(browser, site)
    cold: dict[str, list[float]] = {name: [] for name in paths}
    warm: dict[str, list[float]] = {name: [] for name in paths}
    for _ in range(loads):
        for name, path in paths.items():
            first, second = await _twice(browser, state, f"{site.url}{path}")
            cold[name].append(first)
            warm[name].append(second)
    return {name: Paint(cold=cold[name], warm=warm[name]) for name in paths}


async def _twice(browser: Browser, state: StorageState, url: str) -> tuple[float, float]:
    context = await browser.new_context(storage_state=state, locale="en-GB")
    try:
        page = await context.new_page()
        return await _painted(page, url), await _painted(page, url)
    finally:
        await context.close()


async def _painted(page: Page, url: str) -> float:
    answer = await page.goto(url, wait_until="load")
    if answer is None or answer.status != 200:
        raise RuntimeError(f"{url} answered {answer.status if answer else 'nothing'}")
    milliseconds: float = await page.evaluate(_LCP)
    return milliseconds
