"""Signing in and out by an identity provider in Chromium, where the content security
policy, cookies' `SameSite` and redirects between sites are real."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright, expect

from tests.devcloud.console.conftest import FLAGS, LOCATOR_MS
from tests.gateway.oidc.conftest import SignInPlace
from tests.gateway.web.accessibility import faults

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
async def page(place: SignInPlace, chromium: Path) -> AsyncIterator[Page]:
    """What the content security policy had to stop fails the test."""
    expect.set_options(timeout=LOCATOR_MS)
    stopped: list[str] = []
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            page = await browser.new_page()
            page.set_default_timeout(LOCATOR_MS)
            page.on(
                "console",
                lambda line: stopped.append(line.text) if "Content Security" in line.text else None,
            )
            yield page
        finally:
            await browser.close()
    assert stopped == []


async def test_a_person_signs_in_looks_around_and_signs_out(place: SignInPlace, page: Page) -> None:
    # For a browser, localhost is another site than 127.0.0.1.
    place.idp.url = place.idp.url.replace("127.0.0.1", "localhost")
    await place.configure(button="Example Login")
    place.idp.person = {"sub": "u-1", "name": "Ann Example", "groups": ["critics"]}
    await page.goto(f"{place.gateway.url}/console/verifications")
    assert await faults(page) == []
    await page.get_by_role("link", name="Sign in with Example Login").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Verifications")
    assert page.url == f"{place.gateway.url}/console/verifications"
    await expect(page.get_by_text("Ann Example")).to_be_visible()
    await page.get_by_role("button", name="中文").click()
    await expect(page.get_by_text("审核者")).to_be_visible()

    await page.get_by_role("button", name="退出登录").click()
    await expect(page.get_by_role("link", name="使用 Example Login 登录")).to_be_visible()
    assert page.url == f"{place.gateway.url}/console/sign-in"
    assert "/logout" in place.idp.asked
    await page.goto(f"{place.gateway.url}/console/verifications")
    await expect(page.get_by_label("API 密钥")).to_be_visible()


async def test_an_error_is_a_page_from_which_one_signs_in_again(
    place: SignInPlace, page: Page
) -> None:
    place.idp.wrong = {"nonce": "another"}
    await page.goto(f"{place.gateway.url}/console/sign-in")
    await page.get_by_role("link", name="Sign in with").click()
    await expect(page.get_by_role("alert")).to_contain_text("auth.oidc_nonce")
    assert "code-1" not in await page.content()
    assert await faults(page) == []
    place.idp.wrong = {}
    await page.get_by_role("link", name="To the overview").click()
    await page.get_by_role("link", name="Sign in with").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
