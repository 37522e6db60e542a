"""Walks of the object gateway's pages and of the cluster's. See `walks`."""

from __future__ import annotations

from playwright.async_api import Page, expect

from benchmarks.field.scripts import Given
from suites.field.ceph.pages import choose, delete, press, select, send, tab, unfold

# The object gateway


async def gateway_view(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Daemons")
    await unfold(page, given.binds["the gateway's name"])
    await tab(page, "Performance Counters")
    await page.get_by_text("cache_hit").first.wait_for()


async def gateway_user_view(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Users")
    await unfold(page, given.binds["the user name"])
    await page.get_by_text("User quota").wait_for()


async def gateway_user_create(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Users")
    await press(page, "Create")
    await page.fill("#user_id", given.binds["User ID"])
    await page.fill("#display_name", given.binds["Full name"])
    await send(page, page, "Create User")


async def gateway_user_delete(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Users")
    await delete(page, given.binds["the user"], "Delete user")


async def gateway_user_edit(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Users")
    await select(page, given.binds["the user"])
    await press(page, "Edit")
    await expect(page.locator("#user_id")).to_have_value(given.binds["the user"])
    await page.fill("#email", given.binds["Email address"])
    await send(page, page, "Edit User")
    await unfold(page, given.binds["the user"])
    await tab(page, "Keys")
    details = page.locator("cd-rgw-user-details")
    await select(details, given.binds["the user"])
    await press(details, "Show")
    await page.locator("#access_key").wait_for()


async def bucket_create(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Buckets")
    await press(page, "Create")
    await page.fill("#bid", given.binds["the bucket's name"])
    await page.locator("#owner").select_option(label=given.binds["the owner"])
    target = given.binds["the placement target"]
    await page.locator("#placement-target").select_option(label=target)
    await send(page, page, "Create Bucket")


async def bucket_view(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Buckets")
    await unfold(page, given.binds["the bucket name"])
    await page.get_by_text("Bucket quota").wait_for()


async def bucket_edit(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Buckets")
    await select(page, given.binds["a bucket"])
    await press(page, "Edit")
    await expect(page.locator("#bid")).to_have_value(given.binds["a bucket"])
    await page.locator("#owner").select_option(label=given.binds["the owner of the bucket"])
    await send(page, page, "Edit Bucket")


async def bucket_delete(page: Page, given: Given) -> None:
    await choose(page, "Object Gateway", "Buckets")
    await delete(page, given.binds["the bucket"], "Delete bucket")


# The cluster


async def host_view(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "Hosts")
    await page.locator(".tc_expand-collapse").first.click()
    await tab(page, "Performance Details")


async def monitor_view(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "Monitors")
    await page.get_by_role("link", name=given.binds["a node name"], exact=True).click()
    await page.get_by_text("mon.num_sessions").wait_for()


async def osd_flags(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "OSDs")
    await press(page, "Cluster-wide configuration")
    await press(page.locator(".dropdown-menu.show"), "Flags")
    window = page.locator(".modal-content")
    await window.get_by_label(given.binds["individual flags"]).check(force=True)
    await send(window, page, "Update")


async def osd_recovery(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "OSDs")
    await press(page, "Cluster-wide configuration")
    await press(page.locator(".dropdown-menu.show"), "Recovery Priority")
    priority = page.locator("#priority")
    # What is set comes late, over a choice.
    await expect(priority).to_have_value("custom")
    await priority.select_option(label=given.binds["the preferred priority profile"])
    await send(page.locator(".modal-content"), page, "Update")


async def osd_view(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "OSDs")
    await page.locator(".tc_expand-collapse").first.click()
    for name in ("Attributes (OSD map)", "Metadata", "Device health", "Performance counter"):
        await tab(page, name)
    await page.get_by_text("osd.op", exact=True).wait_for()
    await tab(page, "Performance Details")


async def configuration_edit(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "Configuration")
    await unfold(page, given.binds["a specific option"])
    await page.get_by_text("Can be updated at runtime").wait_for()
    await select(page, given.binds["a specific option"])
    await press(page, "Edit")
    await page.fill("#global", given.binds["global"])
    await send(page, page, "Update")


async def crush_view(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "CRUSH map")
    await page.get_by_text(f"{given.binds['individual OSDs']} (osd)").click()
    await page.get_by_text("crush_weight").wait_for()


async def module_edit(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "Manager Modules")
    await unfold(page, given.binds["a module"])
    await page.get_by_text("smtp_host").wait_for()
    await select(page, given.binds["a module"])
    await press(page, "Edit")
    await page.fill("#interval", given.binds["interval"])
    await send(page, page, "Update")


async def log_view(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "Logs")
    await tab(page, "Audit Logs")
    await page.get_by_text("[DASHBOARD]").first.wait_for()
