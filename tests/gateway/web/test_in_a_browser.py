"""The console in Chromium, before the scripted rollout service: what script adds, and
what everybody can use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page, async_playwright, expect

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from tests.devcloud.console.conftest import FLAGS, LOCATOR_MS
from tests.gateway.conftest import KEY, Gateway
from tests.gateway.web.accessibility import faults

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SUBSTEPS = [
    {"number": 1, "text": "Click Instances."},
    {"number": 2, "text": "Click <b>Stop</b>."},
    {"number": 3, "text": "Click OK."},
]


@pytest.fixture
async def context(gateway: Gateway, chromium: Path) -> AsyncIterator[BrowserContext]:
    """Every request that leaves the gateway, every error of script and everything that
    the content security policy had to stop fails the test."""
    expect.set_options(timeout=LOCATOR_MS)
    wrong: list[str] = []

    def watch(page: Page) -> None:
        page.set_default_timeout(LOCATOR_MS)
        page.on("request", lambda r: None if r.url.startswith(gateway.url) else wrong.append(r.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console",
            lambda line: wrong.append(line.text) if "Content Security" in line.text else None,
        )

    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            context = await browser.new_context(base_url=gateway.url)
            context.on("page", watch)
            yield context
        finally:
            await browser.close()
    assert wrong == []


async def _signed_in(context: BrowserContext) -> Page:
    page = await context.new_page()
    await page.goto("/")
    await page.get_by_label("API key").fill(KEY)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    return page


async def test_a_document_is_submitted_watched_and_cancelled(
    gateway: Gateway, context: BrowserContext
) -> None:
    rollout = gateway.rollout
    page = await _signed_in(context)
    await page.get_by_role("link", name="Verify a document").first.click()
    await page.get_by_role("button", name="Verify").click()
    await expect(page.get_by_role("alert")).to_contain_text("give either `url` or `text`")
    await page.get_by_label("Text", exact=True).fill("1. Click **Stop**.")
    await page.get_by_text("More options").click()
    await page.get_by_label("Episodes at most").fill("3")
    await page.get_by_role("button", name="Verify").click()
    await expect(page.get_by_text("Queued")).to_be_visible()
    (request,) = rollout.created.values()
    assert (request.attempts, request.document.content) == (3, b"1. Click **Stop**.")

    verification = rollout.verifications[request.verification_id]
    rollout.tell("procedure_read", title="Stop", substeps=SUBSTEPS)
    await expect(page.get_by_text("Click <b>Stop</b>.")).to_be_visible()
    verification.state = "running"
    verification.progress.total = 3
    rollout.tell("step_taken", step=1, substep=1, thought="There it is.", action="click", ok=True)
    current = page.locator("[aria-current=step]")
    await expect(current).to_contain_text("Click Instances.")
    await expect(page.get_by_text("There it is.")).to_be_visible()
    await expect(page.get_by_text("Running")).to_be_visible()
    # The stream's life is over: the browser goes on from its last event.
    await expect(page.get_by_text("The connection is lost")).to_be_visible()
    rollout.tell("step_taken", step=2, substep=2, thought="Gone.", result="no such", ok=False)
    await expect(current).to_contain_text("Click <b>Stop</b>.")
    await expect(page.locator(".history .entry")).to_have_count(3)

    await page.get_by_role("button", name="Cancel the verification").click()
    await expect(page.get_by_text("Cancelling")).to_be_visible()
    assert verification.state == "cancelling"
    verification.state = "finished"
    verification.verdict.outcome = common.OUTCOME_CANCELLED
    rollout.tell("verification_finished", outcome="cancelled")
    rollout.finished.set()
    await expect(page.get_by_text("The verification is finished.")).to_be_visible()
    await page.get_by_role("link", name="Open the report").click()
    await expect(page.get_by_text("report")).to_be_visible()


async def test_without_script_everything_is_there_too(
    gateway: Gateway, context: BrowserContext
) -> None:
    gateway.has("ver_1", title="Stop an instance")
    gateway.rollout.tell("step_taken", step=1, substep=1, thought="There it is.", ok=True)
    await context.route("**/console.js*", lambda route: route.abort())
    page = await _signed_in(context)
    await page.get_by_role("link", name="Stop an instance").first.click()
    await expect(page.get_by_text("There it is.")).to_be_visible()
    gateway.rollout.tell("walk_finished", ending="Completed")
    await page.get_by_role("link", name="Load the page anew").click()
    await expect(page.get_by_text("The walk is over")).to_be_visible()
    await page.get_by_role("button", name="Cancel the verification").click()
    await expect(page.get_by_text("Cancelling")).to_be_visible()


async def test_rows_are_walked_with_keys(gateway: Gateway, context: BrowserContext) -> None:
    for number in (1, 2, 3):
        gateway.has(f"ver_{number}", title=f"Procedure {number}")
    page = await _signed_in(context)
    await page.goto("/console/verifications")
    for key, name in (("j", "1"), ("j", "2"), ("j", "3"), ("j", "3"), ("k", "2")):
        await page.keyboard.press(key)
        await expect(page.locator(":focus")).to_have_text(f"Procedure {name}")
    await page.keyboard.press("/")
    await page.keyboard.press("j")
    await expect(page.locator(":focus")).to_have_attribute("name", "status")
    await page.get_by_role("link", name="Procedure 3").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Procedure 3")


async def test_every_page_keeps_the_rules_in_both_languages_and_colours(
    gateway: Gateway, context: BrowserContext
) -> None:
    made = gateway.has("ver_1", title="Stop an instance", document="stop.md", target="devcloud")
    made.created_at.CopyFrom(moment_to_pb(gateway.clock.now()))
    gateway.has("ver_2", state="finished").verdict.outcome = common.OUTCOME_DOC_DEFECT
    gateway.rollout.tell("procedure_read", title="Stop", substeps=SUBSTEPS)
    gateway.rollout.tell("step_taken", step=1, substep=1, thought="No.", action="x", ok=False)
    gateway.rollout.tell("account_leased", account="1234", role="")
    today = gateway.clock.now()
    for ago, outcome, count in ((1, common.OUTCOME_VERIFIED, 5), (0, common.OUTCOME_SUSPECTED, 2)):
        day = (today - timedelta(days=ago)).date().isoformat()
        gateway.rollout.summary.verdicts.add(day=day, outcome=outcome, count=count)
    gateway.rollout.summary.documents.add(
        document="stop.md", verdicts=7, defects=2, last_finished_at=moment_to_pb(today)
    )
    page = await _signed_in(context)
    paths = [
        "/console",
        "/console/verifications",
        "/console/submit",
        "/console/verifications/ver_1",
        "/console/verifications/ver_2",
        "/console/nowhere",
    ]
    for theme, language in (("Dark", "中文"), ("浅色", "English")):
        await page.goto("/console")
        await page.get_by_role("button", name=theme, exact=True).click()
        await page.get_by_role("button", name=language, exact=True).click()
        for path in paths:
            await page.goto(path)
            if path == "/console/submit":
                await page.locator("summary").click()
            assert await faults(page) == [], (path, theme, language)
            await page.set_viewport_size({"width": 420, "height": 800})
            assert await faults(page) == [], ("narrow", path, theme, language)
            await page.set_viewport_size({"width": 1280, "height": 800})
    assert await page.locator("html").get_attribute("data-theme") == "light"


async def test_an_attack_in_every_text_stays_text(
    gateway: Gateway, context: BrowserContext
) -> None:
    attack = "\"'><img src=x onerror=document.title='owned'><script>document.title='owned'</script>"
    made = gateway.has("ver_1", title=attack, document=attack, target=attack)
    made.verdict.CopyFrom(pb.Verdict(reason=attack))
    page = await _signed_in(context)
    await page.goto("/console/verifications/ver_1")
    gateway.rollout.tell("step_taken", step=1, substep=1, thought=attack, action=attack, ok=False)
    gateway.rollout.tell(attack, **{attack: attack})
    await expect(page.locator(".history .entry")).to_have_count(2)
    assert await page.locator("img").count() == 1, "the console's own"
    assert "owned" not in (await page.title()).replace(attack, "")
    await page.goto("/console/verifications")
    await expect(page.get_by_role("link", name=attack)).to_be_visible()
