"""The procedures of Directus' documentation, done by a person's script.

Each function does one procedure of `procedures.yaml`, from the start page. Buttons of
the header, of drawers and of rows have an icon and no text; the icon's name is the
`data-icon` of its element, which is what the documents write. Drawers lie over the
page, one over another, and have a header of their own. The walks in the data model,
in settings and of flows are in `settings_walks.py`.
"""

from __future__ import annotations

from playwright.async_api import Locator, Page

from benchmarks.field.scripts import Given, Walk
from suites.field.directus.pages import (
    button,
    confirm,
    drawer,
    field_of,
    go,
    menu,
    press,
    saved,
    sign_in,
    window,
)
from suites.field.directus.settings_walks import SETTINGS


async def _item(page: Page, given: Given, title: str) -> None:
    await go(page, given, "content/articles")
    await page.locator("tbody tr", has_text=title).click()
    await field_of(page, "Title").locator("input").wait_for()


async def item_create(page: Page, given: Given) -> None:
    await go(page, given, "content/articles")
    await press(page, "add")
    await field_of(page, "Title").locator("input").fill("Parking")
    await saved(page, "check")


async def item_edit(page: Page, given: Given) -> None:
    await _item(page, given, "Visiting")
    await field_of(page, "Title").locator("input").fill("Visiting hours")
    await saved(page, "check")


async def item_archive(page: Page, given: Given) -> None:
    await _item(page, given, "Old prices")
    await press(page, "archive")
    await confirm(page, "Archive")


async def item_comment(page: Page, given: Given) -> None:
    await _item(page, given, "Draft of terms")
    await page.locator("#sidebar").hover()
    await page.locator("button.toggle", has_text="Comments").click()
    await page.locator(".sidebar-detail [contenteditable], .sidebar-detail textarea").first.click()
    await page.keyboard.type("Please check.")
    await page.get_by_role("button", name="Submit").click()
    await page.locator(".sidebar-detail .comment-item", has_text="Please check.").wait_for()


async def item_delete(page: Page, given: Given) -> None:
    await _item(page, given, "To be deleted")
    await press(page, "delete")
    await confirm(page, "Delete")


async def item_revert(page: Page, given: Given) -> None:
    await _item(page, given, "Third title")
    await page.locator("#sidebar").hover()
    await page.locator("button.toggle", has_text="Revisions").click()
    await page.locator(".revision-item").nth(1).click()
    await button(drawer(page), "restore").click()
    await saved(page, "check")


async def items_batch_delete(page: Page, given: Given) -> None:
    await go(page, given, "content/articles")
    for title in ("Summer sale", "Winter sale"):
        await (
            page.locator("tbody tr", has_text=title)
            .locator(".v-checkbox, .cell.select")
            .first.click()
        )
    await press(page, "delete")
    await confirm(page, "Delete")


async def share_create(page: Page, given: Given) -> None:
    await _item(page, given, "Price list")
    await page.locator("#sidebar").hover()
    await page.locator("button.toggle", has_text="Shares").click()
    await page.get_by_text("New Share").click()
    await field_of(drawer(page), "Name").locator("input").fill("For the printer")
    await saved(drawer(page), "check")


async def share_permission(page: Page, given: Given) -> None:
    await go(page, given, "settings/roles/f1e1d000-0000-4000-8000-000000000201")
    row = page.locator(".permissions-overview-row", has_text="Pages")
    await row.locator(".permissions-overview-toggle").nth(4).click()
    await menu(page, "All Access")


async def file_folder_create(page: Page, given: Given) -> None:
    await go(page, given, "files")
    await press(page, "create_new_folder")
    await window(page).locator("input").first.fill("Contracts")
    await confirm(page, "Save")


async def _folder(page: Page, given: Given, name: str, act: str) -> None:
    await go(page, given, "files")
    entry = page.get_by_text(name, exact=True).first
    await entry.click(button="right")
    await menu(page, act)


async def file_folder_rename(page: Page, given: Given) -> None:
    await _folder(page, given, "Leaflets", "Rename Folder")
    await window(page).locator("input").first.fill("Leaflets 2027")
    await confirm(page, "Save")


async def file_folder_move(page: Page, given: Given) -> None:
    await _folder(page, given, "Invoices", "Move to Folder")
    await window(page).get_by_text("Archive", exact=True).click()
    await confirm(page, "Save")


async def file_folder_delete(page: Page, given: Given) -> None:
    await _folder(page, given, "Scratch", "Delete Folder")
    await confirm(page, "Delete")


async def dashboard_create(page: Page, given: Given) -> None:
    await go(page, given, "insights")
    await press(page, "add")
    await window(page).locator("input").first.fill("Visits")
    await confirm(page, "Save")
    await press(page, "edit")
    await press(page, "add")
    await drawer(page).get_by_text("Label", exact=True).first.click()
    await field_of(drawer(page), "Label").locator("input").fill("Daily")
    await button(drawer(page), "check").click()
    await saved(page, "check")


async def user_create(page: Page, given: Given) -> None:
    await go(page, given, "users")
    await press(page, "add")
    await field_of(page, "Email").locator("input").fill("new@example.com")
    await saved(page, "check")


async def _user(page: Page, given: Given, name: str) -> Locator:
    await go(page, given, "users")
    card = page.locator(".layout-cards .card", has_text=name)
    await card.wait_for()
    return card


async def user_archive(page: Page, given: Given) -> None:
    await (await _user(page, given, "Otto Old")).click()
    await press(page, "archive")
    await confirm(page, "Archive")


async def user_delete(page: Page, given: Given) -> None:
    card = await _user(page, given, "Dora Done")
    await card.hover()
    await card.locator("i[data-icon=radio_button_unchecked]").click()
    await press(page, "delete")
    await confirm(page, "Delete")


__all__ = ["WALKS", "sign_in"]

WALKS: dict[str, Walk] = {
    "item-create": item_create,
    "item-edit": item_edit,
    "item-archive": item_archive,
    "item-comment": item_comment,
    "item-delete": item_delete,
    "item-revert": item_revert,
    "items-batch-delete": items_batch_delete,
    "share-create": share_create,
    "share-permission": share_permission,
    "file-folder-create": file_folder_create,
    "file-folder-rename": file_folder_rename,
    "file-folder-move": file_folder_move,
    "file-folder-delete": file_folder_delete,
    "dashboard-create": dashboard_create,
    "user-create": user_create,
    "user-archive": user_archive,
    "user-delete": user_delete,
    **SETTINGS,
}
