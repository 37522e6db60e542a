"""The page of a walk in Chromium: addresses of steps, keys, the lit sentence, a walk
that goes on, and two walks side by side."""

from __future__ import annotations

import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.gateway.conftest import KEY, Gateway
from tests.gateway.web import walks
from tests.gateway.web.accessibility import faults
from tests.gateway.web.test_in_a_browser import context
from tests.gateway.web.walks import has_defect, put_walk, step

__all__ = ["context"]
pytestmark = [pytest.mark.browser, pytest.mark.slow]
PAGE = "/console/verifications/ver_1/walk"


async def _at(page: Page, number: int, *, substep: str, line: str) -> None:
    """The step is shown, alone, and its sentence lit."""
    await expect(page.locator(".shot:visible")).to_have_attribute("data-step", str(number))
    await expect(page.locator(".procedure [aria-current=step]")).to_have_attribute(
        "data-of", substep
    )
    await expect(page.locator(".source .lit")).to_have_attribute("id", line)


async def test_a_walk_is_gone_through_followed_and_compared(
    gateway: Gateway, context: BrowserContext
) -> None:
    has_defect(gateway)
    page = await context.new_page()
    await page.goto(f"{PAGE}?step=2")
    await page.get_by_label("API key").fill(KEY)
    await page.get_by_role("button", name="Sign in").click()
    await _at(page, 2, substep="2", line="line-4")
    picture = page.locator(".shot:visible img")
    assert await picture.evaluate("one => one.decode().then(() => one.naturalWidth)") == 160

    for key, number, substep, line in (
        ("ArrowLeft", 1, "1", "line-3"),
        ("ArrowLeft", 1, "1", "line-3"),
        ("ArrowRight", 2, "2", "line-4"),
        ("End", 3, "2", "line-4"),
        ("Home", 1, "1", "line-3"),
    ):
        await page.keyboard.press(key)
        await _at(page, number, substep=substep, line=line)
        assert page.url.endswith(f"?step={number}")
    await page.locator(".procedure a").nth(1).click()
    await _at(page, 2, substep="2", line="line-4")
    await page.reload()
    await _at(page, 2, substep="2", line="line-4")
    assert await faults(page) == []

    gateway.has("ver_2", state="finished", document="stop.md")
    put_walk(gateway.rollout, "ver_2", [*walks.steps()[:2], step(3, "2", "clicked Confirm")])
    await page.get_by_role("link", name="Compare with another run").click()
    await page.get_by_role("link", name="ver_2").click()
    await expect(page.locator("#first-difference")).to_contain_text("clicked Confirm")
    assert await faults(page) == []


async def test_whoever_looks_at_the_newest_step_goes_along_with_the_walk(
    gateway: Gateway, context: BrowserContext
) -> None:
    gateway.has("ver_1", title="Stop an instance")
    walk = put_walk(gateway.rollout, "ver_1", walks.steps()[:1], is_open=True)
    page = await context.new_page()
    await page.goto(PAGE)
    await page.get_by_label("API key").fill(KEY)
    await page.get_by_role("button", name="Sign in").click()
    await _at(page, 1, substep="1", line="line-3")
    walk.steps.append(walks.steps()[1])
    await _at(page, 2, substep="2", line="line-4")
    await page.keyboard.press("Home")
    walk.steps.append(walks.steps()[2])
    await expect(page.locator(".film li")).to_have_count(3)
    await _at(page, 1, substep="1", line="line-3")
    await page.keyboard.press("End")
    assert "step=" not in page.url
    walk.is_open = False
    await expect(page.locator("[data-open]")).to_have_count(0)
    await _at(page, 3, substep="2", line="line-4")
