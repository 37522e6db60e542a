"""The walks of Directus in the data model, in settings, with roles and of flows. Read
`walks` first."""

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
    pick,
    press,
    saved,
    window,
)

ROLE = "f1e1d000-0000-4000-8000-000000000"


async def collection_create(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model")
    await press(page, "add")
    await drawer(page).locator("input").first.fill("events")
    await button(drawer(page), "arrow_forward").click()
    await drawer(page).locator(".v-checkbox").first.click()
    await saved(drawer(page), "check")


async def _options(page: Page, row: Locator) -> None:
    await row.locator("i[data-icon=more_vert]").first.click()


async def collection_visibility(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model")
    await _options(page, page.locator(".collection-item", has_text="wishes"))
    await menu(page, "Make Collection Hidden")


async def data_folder_create(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model")
    await press(page, "create_new_folder")
    await window(page).locator("input").first.fill("website")
    await confirm(page, "Save")


async def collection_delete(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model/leftovers")
    await press(page, "delete")
    await confirm(page, "Delete")


async def collection_sort_field(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model/queue")
    await pick(page, field_of(page, "Sort Field"), "Pages")
    await saved(page, "check")


async def field_create(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model/recipes")
    await page.get_by_text("Create Field", exact=True).click()
    await drawer(page).locator(".interface", has_text="Input").first.click()
    await drawer(page).locator(".setup input").first.fill("author")
    await drawer(page).get_by_role("button", name="Save").click()


def _field(page: Page, name: str) -> Locator:
    return page.locator(".field-select, .field-grid > *", has_text=name).last


async def field_duplicate(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model/songs")
    await _options(page, _field(page, "title"))
    await menu(page, "Duplicate Field")
    await window(page).locator("input").last.fill("title_copy")
    await confirm(page, "Duplicate")


async def field_width(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model/notes")
    await _options(page, _field(page, "title"))
    await menu(page, "Half Width")


async def field_delete(page: Page, given: Given) -> None:
    await go(page, given, "settings/data-model/tools")
    await _options(page, _field(page, "title"))
    await menu(page, "Delete Field")
    await confirm(page, "Delete")


async def _flow(page: Page, given: Given, name: str) -> None:
    await go(page, given, "settings/flows")
    await _options(page, page.locator("tbody tr", has_text=name))


async def flow_toggle(page: Page, given: Given) -> None:
    await _flow(page, given, "Nightly mail")
    await menu(page, "Set Flow to Inactive")


async def flow_delete(page: Page, given: Given) -> None:
    await _flow(page, given, "Old import")
    await menu(page, "Delete Flow")
    await confirm(page, "Delete")


async def preset_create(page: Page, given: Given) -> None:
    await go(page, given, "settings/presets/+")
    await pick(page, field_of(page, "Collection"), "Articles")
    await field_of(page, "Name").locator("input").fill("Latest")
    await saved(page, "check")


async def preset_edit(page: Page, given: Given) -> None:
    await go(page, given, f"settings/presets/{given.outputs['preset']}")
    await field_of(page, "Name").locator("input").fill("Short list")
    await saved(page, "check")


async def preset_delete(page: Page, given: Given) -> None:
    await go(page, given, f"settings/presets/{given.outputs['preset']}")
    await press(page, "delete")
    await confirm(page, "Delete")


async def settings_configure(page: Page, given: Given) -> None:
    await go(page, given, "settings/project")
    await field_of(page, "Project Name").locator("input").fill("Field")
    await saved(page, "check")


async def translation_create(page: Page, given: Given) -> None:
    await go(page, given, "settings/translation-strings")
    await press(page, "add")
    await drawer(page).locator("input").first.fill("greeting")
    await drawer(page).get_by_role("button", name="Create New").click()
    await pick(page, field_of(drawer(page), "Language"), "German (Germany)")
    await field_of(drawer(page), "Translation").locator("input").last.fill("Hallo")
    await button(drawer(page), "check").click()
    await saved(drawer(page), "check")


async def permission_toggle_all(page: Page, given: Given) -> None:
    await go(page, given, f"settings/roles/{ROLE}202")
    row = page.locator(".permissions-overview-row", has_text="Pages")
    await row.hover()
    await row.get_by_text("All", exact=True).click()


async def permission_reset(page: Page, given: Given) -> None:
    await go(page, given, f"settings/roles/{ROLE}203")
    await page.get_by_text("System Collections").click()
    await page.get_by_text("App Access Minimum").click()
    await confirm(page, "Reset")


async def role_create(page: Page, given: Given) -> None:
    await go(page, given, "settings/roles")
    await press(page, "add")
    await window(page).locator("input").first.fill("Interns")
    await confirm(page, "Save")


async def role_details(page: Page, given: Given) -> None:
    await go(page, given, f"settings/roles/{ROLE}204")
    await field_of(page, "Description").locator("input").fill("Those who print.")
    await saved(page, "check")


async def role_delete(page: Page, given: Given) -> None:
    await go(page, given, f"settings/roles/{ROLE}205")
    await press(page, "delete")
    await confirm(page, "Delete")


async def role_user_invite(page: Page, given: Given) -> None:
    await go(page, given, f"settings/roles/{ROLE}206")
    await press(page, "person_add")
    await window(page).locator("textarea").fill("invited@example.com")
    await confirm(page, "Invite")


async def role_user_create(page: Page, given: Given) -> None:
    await go(page, given, f"settings/roles/{ROLE}207")
    await page.get_by_role("button", name="Create New").click()
    await field_of(drawer(page), "First Name").locator("input").fill("Nora")
    await button(drawer(page), "check").click()
    await saved(page, "check")


async def role_user_assign(page: Page, given: Given) -> None:
    await go(page, given, f"settings/roles/{ROLE}208")
    await page.get_by_role("button", name="Add Existing").click()
    await drawer(page).locator(".card", has_text="Mia").click()
    await button(drawer(page), "check").click()
    await saved(page, "check")


async def webhook_create(page: Page, given: Given) -> None:
    await go(page, given, "settings/webhooks/+")
    await field_of(page, "Name").locator("input").fill("Publish")
    await field_of(page, "URL").locator("input").fill("http://127.0.0.1:9/publish")
    await field_of(page, "Actions").get_by_text("Create", exact=True).click()
    await field_of(page, "Collections").get_by_text("Articles", exact=True).click()
    await saved(page, "check")


async def webhook_disable(page: Page, given: Given) -> None:
    await go(page, given, f"settings/webhooks/{given.outputs['hook']}")
    await pick(page, field_of(page, "Status"), "Inactive")
    await saved(page, "check")


async def webhook_delete(page: Page, given: Given) -> None:
    await go(page, given, f"settings/webhooks/{given.outputs['hook']}")
    await press(page, "delete")
    await confirm(page, "Delete")


SETTINGS: dict[str, Walk] = {
    "collection-create": collection_create,
    "collection-visibility": collection_visibility,
    "data-folder-create": data_folder_create,
    "collection-delete": collection_delete,
    "collection-sort-field": collection_sort_field,
    "field-create": field_create,
    "field-duplicate": field_duplicate,
    "field-width": field_width,
    "field-delete": field_delete,
    "flow-toggle": flow_toggle,
    "flow-delete": flow_delete,
    "preset-create": preset_create,
    "preset-edit": preset_edit,
    "preset-delete": preset_delete,
    "settings-configure": settings_configure,
    "translation-create": translation_create,
    "permission-toggle-all": permission_toggle_all,
    "permission-reset": permission_reset,
    "role-create": role_create,
    "role-details": role_details,
    "role-delete": role_delete,
    "role-user-invite": role_user_invite,
    "role-user-create": role_user_create,
    "role-user-assign": role_user_assign,
    "webhook-create": webhook_create,
    "webhook-disable": webhook_disable,
    "webhook-delete": webhook_delete,
}
