"""The dashboard's pages, as scripted walks use them.

Lists are tables whose rows are selected by a click and unfolded by the arrow at their
beginning. What a selected row offers is a button with an arrow beside it; the button
shows what fits, the arrow has the rest. Every change asks the REST API and is over when
that has answered.
"""

from __future__ import annotations

import re

from playwright.async_api import Locator, Page


async def choose(page: Page, section: str, item: str = "") -> None:
    """An entry of the main menu, below its section."""
    menu = page.locator("#sidebar")
    await menu.get_by_text(section, exact=True).click()
    if item:
        await menu.get_by_text(item, exact=True).click()


async def users(page: Page, tab: str = "Users") -> None:
    """The page of users and roles, by the utility menu's gear."""
    await page.locator("cd-administration a, cd-administration button").first.click()
    await page.get_by_text("User management", exact=True).click()
    await page.get_by_role("tab", name=tab, exact=True).click()


def _row(scope: Page | Locator, name: str) -> Locator:
    cell = scope.locator("datatable-body-cell").filter(
        has_text=re.compile(rf"^\s*{re.escape(name)}\s*$")
    )
    return scope.locator("datatable-body-row").filter(has=cell).first


async def select(scope: Page | Locator, name: str) -> None:
    """A row, by what a cell of it says."""
    cell = scope.locator("datatable-body-cell").filter(
        has_text=re.compile(rf"^\s*{re.escape(name)}\s*$")
    )
    await cell.first.click()
    await scope.locator("datatable-body-row.active").first.wait_for()


async def unfold(page: Page, name: str) -> None:
    """A row's details."""
    await _row(page, name).locator(".tc_expand-collapse").click()


async def tab(page: Page, name: str) -> None:
    await page.get_by_role("tab", name=name, exact=True).click()


async def press(scope: Page | Locator, name: str) -> None:
    """A button; an icon in it is a part of its name."""
    await scope.get_by_role("button", name=re.compile(rf"(^|\W){re.escape(name)}$")).first.click()


async def more(page: Page, name: str) -> None:
    """What the arrow beside a table's button has."""
    await page.locator("cd-table-actions .dropdown-toggle-split:visible").first.click()
    await page.locator(".dropdown-menu.show").get_by_role("button", name=name, exact=True).click()


async def send(scope: Page | Locator, page: Page, button: str) -> None:
    """Press what changes something. Raises `AssertionError` when it is refused."""
    async with page.expect_response(
        lambda one: "/api/" in one.url and one.request.method in ("POST", "PUT", "DELETE"),
        timeout=30_000,
    ) as told:
        await press(scope, button)
    answer = await told.value
    assert answer.ok, f"{answer.status} {await answer.text()}"


async def delete(page: Page, name: str, button: str) -> None:
    """A row, by its menu and the window that asks."""
    await select(page, name)
    await more(page, "Delete")
    await page.get_by_label("Yes, I am sure").check(force=True)
    await send(page.locator(".modal-content"), page, button)


async def badge(page: Page, name: str) -> None:
    """One of the choices behind the pen of a list of badges."""
    await page.locator("cd-select-badges").locator("a, button").first.click()
    choices = page.locator(".select-menu-item").filter(has_text=name)
    await choices.first.click()
    await page.keyboard.press("Escape")
