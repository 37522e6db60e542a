"""Review and inspections in Chromium: decisions in one key and on several findings at
once, without script too, and the rules that every page keeps."""

from __future__ import annotations

import pytest
from playwright.async_api import BrowserContext, Page, expect

from proofwalk.api.inspection.v1 import findings_pb2 as pb
from tests.gateway.conftest import KEY, Gateway
from tests.gateway.web.accessibility import faults
from tests.gateway.web.test_in_a_browser import context
from tests.gateway.web.test_inspections_pages import put_rows
from tests.gateway.web.walks import has_defect

__all__ = ["context"]
pytestmark = [pytest.mark.browser, pytest.mark.slow]
QUEUE = "/console/findings"
PATHS = (
    QUEUE,
    f"{QUEUE}?state=fixed",
    f"{QUEUE}/fnd_4",
    "/console/inspections",
    "/console/inspections/col_1",
    "/console/inspections/col_1/runs/insp_1",
    "/console/inspections/col_1/history?procedure_id=ecs/net/stop%23a%26b",
)


async def _at(context: BrowserContext, path: str) -> Page:
    page = await context.new_page()
    await page.goto(path)
    await page.get_by_label("API key").fill(KEY)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page).to_have_url(f"{page.url.split('/console')[0]}{path}")
    await page.wait_for_load_state()  # its scripts have run
    return page


def _states(gateway: Gateway) -> list[str]:
    return [one.state for one in gateway.findings.stored.values()]


async def test_findings_are_reviewed_with_keys(gateway: Gateway, context: BrowserContext) -> None:
    for number in range(1, 6):
        gateway.findings.has(f"fnd_{number}")
    page = await _at(context, QUEUE)
    rows, focus = page.locator("[data-row]"), page.locator(":focus")
    await page.keyboard.press("?")
    await expect(page.get_by_text("shows these keys")).to_be_visible()

    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await expect(focus).to_have_attribute("href", f"{QUEUE}/fnd_2")
    await page.keyboard.press("a")
    await expect(rows).to_have_count(4)
    await expect(focus).to_have_attribute("href", f"{QUEUE}/fnd_3")
    assert _states(gateway) == ["open", "accepted", "open", "open", "open"]

    await page.keyboard.press("r")
    await page.keyboard.type("it is right, a rose")
    await page.keyboard.press("Enter")
    await expect(rows).to_have_count(3)
    assert gateway.findings.events["fnd_3"][-1].words == "it is right, a rose"
    await expect(page.locator("#words")).to_have_value("")

    gateway.findings.stored["fnd_5"].version = 9
    await expect(focus).to_have_attribute("href", f"{QUEUE}/fnd_4")
    await page.keyboard.press("x")
    await page.keyboard.press("j")
    await page.keyboard.press("x")
    await page.keyboard.press("a")
    await expect(page.locator("#outcome")).to_contain_text("finding.stale_version")
    assert _states(gateway) == ["open", "accepted", "rejected", "accepted", "open"]

    await page.locator(f"[href='{QUEUE}/fnd_1']").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Decide")).to_be_visible()
    await page.keyboard.press("r")
    await page.keyboard.type("no")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("status").first).to_contain_text("Rejected")
    assert gateway.findings.stored["fnd_1"].state == "rejected"


async def test_without_script_the_forms_do_the_same(
    gateway: Gateway, context: BrowserContext
) -> None:
    for number in (1, 2):
        gateway.findings.has(f"fnd_{number}")
    gateway.inspections.has()
    await context.route("**/*.js*", lambda route: route.abort())
    page = await _at(context, QUEUE)
    await page.get_by_label("Choose finding 1").check()
    await page.get_by_label("Choose finding 2").check()
    await page.get_by_label("Reason").fill("they are right")
    await page.get_by_role("button", name="Reject the chosen").click()
    await expect(page.locator("#outcome")).to_contain_text("Rejected")
    assert _states(gateway) == ["rejected", "rejected"]
    await page.goto("/console/inspections/col_1")
    await page.get_by_role("button", name="Start now").click()
    await expect(page.get_by_text("Planned", exact=True)).to_be_visible()


async def test_every_page_keeps_the_rules_in_both_languages_and_colours(
    gateway: Gateway, context: BrowserContext
) -> None:
    has_defect(gateway)
    for state in ("open", "accepted", "rejected", "fixed"):
        gateway.findings.has(f"fnd_{len(gateway.findings.stored) + 1}", state=state, assignee="a")
    gateway.findings.patch = pb.ProposePatchResponse(diff="--- a\n+++ b\n-OK\n+Confirm\n")
    gateway.findings.precisions += [
        pb.Precision(accepted=8, rejected=2, waiting=3, share=0.8, low=0.49, high=0.94),
        pb.Precision(facet="kind", name="renamed", waiting=1),
    ]
    put_rows(gateway)
    page = await _at(context, QUEUE)
    for theme, language in (("Dark", "中文"), ("浅色", "English")):
        await page.goto("/console")
        await page.get_by_role("button", name=theme, exact=True).click()
        await page.get_by_role("button", name=language, exact=True).click()
        for path in PATHS:
            await page.goto(path)
            for summary in await page.locator("summary").all():
                await summary.click()
            assert await faults(page) == [], (path, theme, language)
            await page.set_viewport_size({"width": 420, "height": 800})
            assert await faults(page) == [], ("narrow", path, theme, language)
            await page.set_viewport_size({"width": 1280, "height": 800})
