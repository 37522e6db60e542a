"""The procedures of Unleash's documentation, done by a person's script.

Each does one procedure of `procedures.yaml`, from the start page. Procedures that
differ by a name alone are one function of it. Next: `pages`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from playwright.async_api import Locator, Page

from benchmarks.field.scripts import Given, Walk
from suites.field.unleash.pages import (
    add_constraint,
    add_strategy,
    choose,
    configure_strategy,
    edit_strategy,
    icon,
    open_flag,
    open_project,
    send,
    set_rollout,
    turn_on,
)


async def sign_in(page: Page, given: Given) -> None:
    await page.get_by_label("Username or email").fill(given.login["user"])
    await page.get_by_label("Password").fill(given.login["password"])
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await page.get_by_text("Flags overview").first.wait_for()


# Feature flags


async def _create_flag(page: Page, name: str) -> Locator:
    await page.get_by_role("button", name="New feature flag").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("feature flag name").fill(name)
    return dialog


def _new_flag(name: str) -> Walk:
    """A flag that is called as the document's phrase says."""

    async def walk(page: Page, given: Given) -> None:
        await open_project(page)
        await _create_flag(page, given.binds[name])
        await send(page, "Create feature flag", "/features")

    return walk


async def experiment_flag(page: Page, given: Given) -> None:
    await open_project(page)
    dialog = await _create_flag(page, given.binds["a feature flag"])
    await dialog.get_by_role("button", name="Release", exact=True).click()
    await page.get_by_text("Experiment", exact=True).click()
    await send(page, "Create feature flag", "/features")


async def add_rollout(page: Page, given: Given) -> None:
    await configure_strategy(page, given, "field-rollout")
    await set_rollout(page, given.binds["your rollout percentage"])
    await send(page, "Save strategy", "/strategies")


async def enable_flag(page: Page, given: Given) -> None:
    await open_flag(page, given, "field-ready")
    await turn_on(page, "development")


async def enable_environment(page: Page, given: Given) -> None:
    await configure_strategy(page, given, "field-environment")
    await page.get_by_label("Strategy title").fill(given.binds["strategy name"])
    await set_rollout(page, given.binds["rollout percentage"])
    await send(page, "Save strategy", "/strategies")
    await open_flag(page, given, "field-environment")
    await turn_on(page, "development")


async def refine_targeting(page: Page, given: Given) -> None:
    await edit_strategy(page, given, "field-targeting")
    await add_constraint(page, "userId", "is one of", given.binds["values"])
    await send(page, "Save strategy", "/strategies/")


async def strategy_with_constraint(page: Page, given: Given) -> None:
    await configure_strategy(page, given, "field-constraint")
    await add_constraint(page, "email", "is a string that ends with", "@user.com")
    await send(page, "Save strategy", "/strategies")


async def _variant(page: Page, name: str) -> None:
    await page.get_by_role("tab", name="Variants").click()
    await page.get_by_role("button", name="Add variant").click()
    await page.get_by_label("Variant name").fill(name)


def _with_variant(
    opened: Callable[[Page, Given, str], Awaitable[None]], flag: str, path: str
) -> Walk:
    async def walk(page: Page, given: Given) -> None:
        await opened(page, given, flag)
        await _variant(page, given.binds["the variant name"])
        await send(page, "Save strategy", path)

    return walk


async def default_strategy_to_flag(page: Page, given: Given) -> None:
    await open_flag(page, given, "field-default")
    await add_strategy(page, "development")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Project default").click()
    await send(page, "Apply", "/strategies")


def _by_icon(flag: str, name: str, button: str) -> Walk:
    """What an icon of a flag's page asks for and a button confirms."""

    async def walk(page: Page, given: Given) -> None:
        await open_flag(page, given, flag)
        await icon(page, name).click()
        await send(page, button, "/features")

    return walk


async def _chosen(page: Page, flag: str) -> None:
    await page.get_by_role("row").filter(has_text=flag).get_by_role("checkbox").first.check()


async def stale_in_project(page: Page, given: Given) -> None:
    await open_project(page)
    await _chosen(page, "field-stale-row")
    await page.locator("[title='More bulk actions']").click()
    async with page.expect_response("**/stale") as asked:
        await page.get_by_text("Mark as stale", exact=True).last.click()
    assert (await asked.value).ok


async def _archived_row(page: Page, flag: str) -> Locator:
    row = page.get_by_role("row").filter(has_text=flag)
    await row.wait_for()
    return row


async def _archive_of_project(page: Page) -> None:
    await open_project(page)
    await page.get_by_role("button", name="View archived flags").click()


async def _archive_of_all(page: Page) -> None:
    await choose(page, "Flags overview")
    await page.get_by_role("link", name="Archived flags").click()


async def _revive(page: Page, flag: str) -> None:
    row = await _archived_row(page, flag)
    await icon(row, "Revive feature flag").click()
    await send(page, "Revive feature flag", "/revive")


async def _delete(page: Page, flag: str) -> None:
    row = await _archived_row(page, flag)
    await icon(row, "Delete feature flag").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("textbox").fill("I want to delete")
    await send(page, "Delete feature flag", "/delete")


def _archived(
    place: Callable[[Page], Awaitable[None]],
    done: Callable[[Page, str], Awaitable[None]],
    flag: str,
) -> Walk:
    async def walk(page: Page, given: Given) -> None:
        await place(page)
        await done(page, flag)

    return walk


async def tag_flag(page: Page, given: Given) -> None:
    await open_flag(page, given, "field-tagged")
    await page.get_by_role("button", name="Add tag").click()
    await page.locator("#tag-type-select").click()
    await page.get_by_role("option").filter(has_text=given.binds["a tag type"]).first.click()
    await page.locator("#checkboxes-tag").fill(given.binds["a new value"])
    await page.get_by_role("option").first.click()
    await page.keyboard.press("Escape")
    await send(page, "Save tags", "/tags")


async def impression_data(page: Page, given: Given) -> None:
    await open_flag(page, given, "field-impressions")
    await page.get_by_test_id("TAB-Settings").click()
    await page.get_by_text("Feature information").wait_for()
    await page.locator("main a[href$='/edit'], main button").locator("visible=true").last.click()
    await page.get_by_role("checkbox").locator("visible=true").last.check()
    await send(page, "Save", "/features/field-impressions")


# Segments, context fields, types


async def _segments(page: Page) -> None:
    await choose(page, "Configure", "Segments")
    await page.get_by_role("button", name="New segment").wait_for()


async def create_segment(page: Page, given: Given) -> None:
    await _segments(page)
    await page.get_by_role("button", name="New segment").click()
    await page.get_by_label("Segment name").fill(given.binds["Segment name"])
    await page.get_by_role("button", name="Next").click()
    await page.get_by_placeholder("Select a context").click()
    await page.get_by_role("option", name="userId").click()
    await page.get_by_role("button", name="Add values").click()
    await page.get_by_placeholder("Enter value").fill(given.binds["values"])
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    await send(page, "Create segment", "/segments")


async def use_segment(page: Page, given: Given) -> None:
    await edit_strategy(page, given, "field-segmented")
    await page.get_by_role("tab", name="Targeting").click()
    await page.get_by_placeholder("Select segments").click()
    await page.get_by_role("option", name="field-insiders").click()
    await send(page, "Save strategy", "/strategies/")


async def delete_segment(page: Page, given: Given) -> None:
    await _segments(page)
    row = page.get_by_role("row").filter(has_text="field-unused")
    await row.get_by_text("0 feature flags").wait_for()
    await icon(row, "Remove segment").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("textbox").fill("field-unused")
    await send(page, "Save", "/segments/")


async def create_context_field(page: Page, given: Given) -> None:
    await choose(page, "Configure", "Context fields")
    await page.get_by_role("button", name="New context field").click()
    await page.get_by_label("Context name").fill(given.binds["a context name"])
    await page.get_by_label("Legal value (optional)").fill(given.binds["a value"])
    await page.get_by_role("button", name="Add", exact=True).click()
    await send(page, "Create context", "/context")


async def flag_type_lifetime(page: Page, given: Given) -> None:
    await choose(page, "Configure", "Feature flag types")
    row = page.get_by_role("row").filter(has_text=given.binds["the flag type"])
    await row.get_by_role("button").click()
    await page.get_by_role("spinbutton").fill(given.binds["these values"])
    await send(page, "Save feature flag type", "/feature-types/")


# Projects


def _default_strategy(rollout: str) -> Walk:
    """The rollout that the document's phrase stands for, for development."""

    async def walk(page: Page, given: Given) -> None:
        await open_project(page)
        await page.get_by_role("tab", name="Settings", exact=True).click()
        await page.get_by_role("button", name="Default strategy", exact=True).click()
        await icon(page, 'Edit default strategy for "development"').click()
        await page.get_by_role("spinbutton").wait_for()
        # Save strategy is grey in the form that the icon opens.
        await page.reload()
        await set_rollout(page, given.binds[rollout])
        await send(page, "Save strategy", "/default-strategy")

    return walk


async def _export(page: Page) -> None:
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("combobox").click()
    await page.get_by_role("option", name="development").click()
    await send(page, "Export selection", "/export")


async def export_project(page: Page, given: Given) -> None:
    await open_project(page)
    await icon(page, "Export all project flags").click()
    await _export(page)


async def export_selection(page: Page, given: Given) -> None:
    await open_project(page)
    await _chosen(page, given.binds["one or more flags"])
    await page.get_by_role("button", name="Export", exact=True).click()
    await _export(page)


async def export_overview(page: Page, given: Given) -> None:
    await choose(page, "Flags overview")
    await page.get_by_role("link", name="checkout-v2").wait_for()
    await icon(page, "Export flags").click()
    await _export(page)


# Administration


async def assign_root_role(page: Page, given: Given) -> None:
    await choose(page, "Admin settings", "User config", "Users")
    row = page.get_by_role("row").filter(has_text=given.binds["the user"])
    await row.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Edit user").click()
    await page.get_by_label("Role").click()
    await page.get_by_role("option", name=given.binds["the root role"]).click()
    await send(page, "Save", "/user-admin/")


async def invite_link(page: Page, given: Given) -> None:
    await choose(page, "Admin settings", "User config", "Users")
    await page.get_by_role("button", name="Create invite link").click()
    await page.get_by_text("Expiration period").wait_for()
    await send(page, "Create invite link", "/invite-link")


async def api_token(page: Page, given: Given) -> None:
    await choose(page, "Admin settings", "Access control", "API access")
    await page.get_by_role("button", name="New API token").click()
    await page.get_by_label("Token name").fill(given.binds["a name"])
    await send(page, "Create token", "/api-tokens")


WALKS: Mapping[str, Walk] = {
    "create-flag": _new_flag("a unique name"),
    "first-flag": _new_flag("a name"),
    "experiment-flag": experiment_flag,
    "add-strategy": add_rollout,
    "enable-flag": enable_flag,
    "enable-environment": enable_environment,
    "refine-targeting": refine_targeting,
    "strategy-with-constraint": strategy_with_constraint,
    "edit-variants": _with_variant(edit_strategy, "field-variants", "/strategies/"),
    "add-variants": _with_variant(configure_strategy, "field-new-variants", "/strategies"),
    "default-strategy-to-flag": default_strategy_to_flag,
    "archive-flag": _by_icon("field-retired", "Archive feature flag", "Archive flag"),
    "stale-flag": _by_icon("field-stale", "Toggle stale state", "Flip to stale"),
    "stale-in-project": stale_in_project,
    "revive-in-project": _archived(_archive_of_project, _revive, "field-revived"),
    "revive-in-overview": _archived(_archive_of_all, _revive, "field-back"),
    "delete-in-project": _archived(_archive_of_project, _delete, "field-deleted"),
    "delete-in-overview": _archived(_archive_of_all, _delete, "field-gone"),
    "tag-flag": tag_flag,
    "impression-data": impression_data,
    "create-segment": create_segment,
    "use-segment": use_segment,
    "delete-segment": delete_segment,
    "create-context-field": create_context_field,
    "flag-type-lifetime": flag_type_lifetime,
    "configure-default-strategy": _default_strategy("your rollout"),
    "project-default-strategy": _default_strategy("the rollout percentage"),
    "export-project": export_project,
    "export-selection": export_selection,
    "export-overview": export_overview,
    "assign-root-role": assign_root_role,
    "invite-link": invite_link,
    "api-token": api_token,
}
