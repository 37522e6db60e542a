"""Rules for a page that people use with a keyboard, a reader or weak eyes, looked at in
the browser that shows it: `accessibility.js`."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page

_RULES = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


async def faults(page: Page) -> list[str]:
    """What a page does wrong."""
    wrong: list[str] = await page.evaluate(_RULES)
    return wrong
