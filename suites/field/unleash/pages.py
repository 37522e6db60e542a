"""Unleash's pages, as scripted walks use them.

Lists show grey stand-ins until they are loaded, and pages move while they grow; so each
function waits for what it is about to use. Icons without a text have their names on the
element around them.
"""

from __future__ import annotations

import re

from playwright.async_api import Locator, Page

from benchmarks.field.scripts import Given


async def choose(page: Page, *path: str) -> None:
    """An entry of the side menu, folded groups before it."""
    for entry in path:
        await (
            page.get_by_role("link", name=entry, exact=True)
            .or_(page.get_by_role("button", name=entry, exact=True))
            .first.click()
        )


async def open_project(page: Page) -> None:
    await choose(page, "Projects")
    await page.locator("main").get_by_role("link", name="Default").first.click()
    await page.locator("table").get_by_role("link", name="checkout-v2").wait_for()


async def open_flag(page: Page, given: Given, name: str) -> None:
    await page.goto(f"{given.url}/projects/default/features/{name}")
    await page.get_by_role("button", name="Add tag").wait_for()
    await environment_heading(page, "production").wait_for()


def environment_heading(page: Page, name: str) -> Locator:
    """The heading of an environment, which unfolds it."""
    return page.get_by_role("button", name=re.compile(rf"^Environment\s*{name}"))


def icon(page: Page | Locator, name: str) -> Locator:
    """A button or link that is an icon, by the name of the element around it."""
    return page.get_by_label(name, exact=True).locator("visible=true").first


async def send(page: Page, button: str, path: str) -> None:
    """Press a button that sends a change, and wait for what the console says.

    Names are asked about at `…/validate` before."""
    async with page.expect_response(
        lambda answer: (
            answer.request.method not in ("GET", "OPTIONS")
            and path in answer.url
            and not answer.url.endswith("/validate")
        )
    ) as asked:
        await (
            page.get_by_role("button", name=button, exact=True).locator("visible=true").last.click()
        )
    answer = await asked.value
    assert answer.ok, f"{button}: {answer.status} {await answer.text()}"


async def add_strategy(page: Page, environment: str) -> None:
    heading = environment_heading(page, environment)
    await (
        heading.get_by_role("button", name="Add strategy")
        .or_(heading.locator("xpath=..").get_by_role("button", name="Add strategy", exact=True))
        .last.click()
    )
    await page.get_by_role("heading", name="Add strategy").wait_for()


async def configure_strategy(page: Page, given: Given, flag: str) -> None:
    await open_flag(page, given, flag)
    await add_strategy(page, "development")
    card = page.get_by_role("dialog").get_by_text("Gradual rollout", exact=True).last
    await card.hover()
    await (
        card.locator("xpath=ancestor::*[.//button][1]")
        .get_by_role("button", name="Configure")
        .click()
    )
    await page.get_by_role("tab", name="General").wait_for()


async def set_rollout(page: Page, percent: str) -> None:
    await page.get_by_role("spinbutton").fill(percent)


async def turn_on(page: Page, environment: str) -> None:
    async with page.expect_response(lambda answer: "/on?" in answer.url) as asked:
        await page.get_by_label(environment, exact=True).locator("visible=true").first.click()
    assert (await asked.value).ok


async def edit_strategy(page: Page, given: Given, flag: str) -> None:
    await open_flag(page, given, flag)
    await environment_heading(page, "development").click()
    await icon(page, "Edit strategy").click()
    await page.get_by_role("tab", name="General").wait_for()


async def add_constraint(page: Page, field: str, operator: str, value: str) -> None:
    await page.get_by_role("tab", name="Targeting").click()
    await page.get_by_role("button", name="Add constraint").click()
    await page.locator("#context-field-select").click()
    await page.get_by_role("option", name=field, exact=True).click()
    await page.get_by_role("combobox").filter(has_text="is one of").click()
    await page.get_by_role("option", name=operator, exact=True).click()
    await page.get_by_role("button", name="Add values").click()
    await page.get_by_placeholder("Enter value").fill(value)
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name=value).wait_for()
