"""The pictures of the console in the documentation: `docs/images/console-*.png`, of the
made-up history and a real walk, with few colours so that the files are small."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser

from benchmarks.console_ui.visiting import Site, sign_in
from benchmarks.record import ROOT

FOLDER = ROOT / "docs" / "images"
_WINDOW = (1200, 800)
_COLOURS = 128


@dataclass(frozen=True, kw_only=True)
class Shot:
    """A picture of a page."""

    name: str
    path: str
    top: str = ""
    """Selector of what is uppermost in it; empty for the page's beginning."""


async def take(
    browser: Browser, site: Site, shots: Sequence[Shot], *, folder: Path = FOLDER
) -> None:
    """Write the pictures."""
    width, height = _WINDOW
    context = await browser.new_context(
        base_url=site.url,
        locale="en-GB",
        color_scheme="light",
        viewport={"width": width, "height": height},
        storage_state=await sign_in(browser, site),
    )
    try:
        page = await context.new_page()
        for shot in shots:
            await page.goto(shot.path, wait_until="load")
            if shot.top:
                await page.locator(shot.top).first.evaluate("(one) => one.scrollIntoView()")
            content = await page.screenshot(animations="disabled")
            await asyncio.to_thread(_write, content, folder / f"console-{shot.name}.png")
    finally:
        await context.close()


def _write(content: bytes, path: Path) -> None:
    with Image.open(io.BytesIO(content)) as picture:
        small = picture.convert("RGB").quantize(colors=_COLOURS, method=Image.Quantize.MEDIANCUT)
        small.save(path, optimize=True)
