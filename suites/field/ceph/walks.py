"""The procedures of the Ceph Dashboard's documentation, done by a person's script.

Each does one procedure of `procedures.yaml`, from the home page. Next: `pages`, and
`cluster_walks`, which has those of the gateway and of the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page, expect

from benchmarks.field.scripts import Given, Walk
from suites.field.ceph import cluster_walks
from suites.field.ceph.pages import (
    badge,
    choose,
    delete,
    more,
    press,
    select,
    send,
    tab,
    unfold,
    users,
)

IMAGES = ("Block", "Images")


async def sign_in(page: Page, given: Given) -> None:
    await page.fill("input[name=username]", given.login["user"])
    await page.fill("input[name=password]", given.login["password"])
    await page.locator("input[type=submit]").click()
    await page.get_by_text("Cluster Status").wait_for()


def _shows(*path: str, text: str) -> Walk:
    """A page of the main menu, until it shows `text`."""

    async def walk(page: Page, given: Given) -> None:
        await choose(page, *path)
        await page.locator("datatable-body, cd-table").first.wait_for()
        await page.get_by_text(text, exact=True).last.wait_for()

    return walk


# Users and roles


async def user_list(page: Page, given: Given) -> None:
    await users(page)
    await page.locator("datatable-body-cell").get_by_text("operator").wait_for()


async def user_create(page: Page, given: Given) -> None:
    await users(page)
    await press(page, "Create")
    await page.fill("#username", given.binds["user name"])
    await page.fill("#password", given.binds["password"])
    await page.fill("#confirmpassword", given.binds["password"])
    await page.fill("#name", given.binds["full name"])
    await page.fill("#email", given.binds["e-mail"])
    await badge(page, given.binds["predefined roles"])
    await send(page, page, "Create User")


async def user_edit(page: Page, given: Given) -> None:
    await users(page)
    await select(page, given.binds["a user's table row"])
    await press(page, "Edit")
    await expect(page.locator("#username")).to_have_value(given.binds["a user's table row"])
    await page.fill("#name", given.binds["Full name"])
    await send(page, page, "Edit User")


async def user_delete(page: Page, given: Given) -> None:
    await users(page)
    await delete(page, given.binds["a user's table row"], "Delete User")


async def role_list(page: Page, given: Given) -> None:
    await users(page, "Roles")
    await page.locator("datatable-body-cell").get_by_text("pool-manager").wait_for()


async def role_create(page: Page, given: Given) -> None:
    await users(page, "Roles")
    await press(page, "Create")
    await page.fill("#name", given.binds["Name"])
    await page.fill("#description", given.binds["Description"])
    await page.locator(f"#scope_{given.binds['the appropriate permissions']}").check(force=True)
    await send(page, page, "Create Role")


async def role_edit(page: Page, given: Given) -> None:
    await users(page, "Roles")
    await select(page, given.binds["a user's table row"])
    await press(page, "Edit")
    await expect(page.locator("#name")).to_have_value(given.binds["a user's table row"])
    await page.fill("#description", given.binds["description"])
    await send(page, page, "Edit Role")


async def role_delete(page: Page, given: Given) -> None:
    await users(page, "Roles")
    await delete(page, given.binds["a role's table row"], "Delete Role")


# Pools


async def pool_view(page: Page, given: Given) -> None:
    await choose(page, "Pools")
    await unfold(page, given.binds["a pool name"])
    await tab(page, "Performance Details")
    await tab(page, "Configuration")
    await page.get_by_text("rbd_qos_bps_limit").wait_for()


async def pool_create(page: Page, given: Given) -> None:
    await choose(page, "Pools")
    await press(page, "Create")
    await page.fill("#name", given.binds["the pool's name"])
    await page.locator("#poolType").select_option(label=given.binds["type"])
    await page.locator("#pgNum").wait_for()
    await badge(page, given.binds["its applications"])
    await send(page, page, "Create Pool")


async def pool_delete(page: Page, given: Given) -> None:
    await choose(page, "Pools")
    await delete(page, given.binds["the pool"], "Delete Pool")


async def pool_edit(page: Page, given: Given) -> None:
    await choose(page, "Pools")
    await select(page, given.binds["the pool"])
    await press(page, "Edit")
    await expect(page.locator("#name")).to_have_value(given.binds["the pool"])
    await badge(page, given.binds["the list of the pool's applications"])
    await send(page, page, "Edit Pool")


# Images


async def image_list(page: Page, given: Given) -> None:
    await choose(page, *IMAGES)
    await page.locator("datatable-body-cell").get_by_text("disk-one").wait_for()


async def image_details(page: Page, given: Given) -> None:
    await choose(page, *IMAGES)
    await unfold(page, given.binds["a device"])
    await page.get_by_text("Block name prefix").wait_for()


async def image_configuration(page: Page, given: Given) -> None:
    await image_details(page, given)
    await tab(page, "Configuration")
    await page.get_by_text("rbd_qos_bps_limit").wait_for()


async def image_create(page: Page, given: Given) -> None:
    await choose(page, *IMAGES)
    await press(page, "Create")
    await page.fill("#name", given.binds["the name of the new device"])
    await page.locator("#pool").select_option(label=given.binds["the pool"])
    await page.fill("#size", given.binds["the size of the new device"])
    await page.get_by_text("Advanced...").click()
    await page.get_by_text("Quality of Service").click()
    await page.get_by_label("BPS Limit", exact=True).wait_for()
    await send(page, page, "Create RBD")


async def image_delete(page: Page, given: Given) -> None:
    await choose(page, *IMAGES)
    await delete(page, given.binds["the device"], "Delete RBD")


async def image_restore(page: Page, given: Given) -> None:
    await choose(page, *IMAGES)
    await select(page, given.binds["the device"])
    await more(page, "Move to Trash")
    await send(page.locator(".modal-content"), page, "Move")
    await page.locator(".modal-content").first.wait_for(state="hidden")
    await tab(page, "Trash")
    await select(page, given.binds["the device"])
    await press(page, "Restore")
    await send(page.locator(".modal-content"), page, "Restore")


async def snapshot_create(page: Page, given: Given) -> None:
    await choose(page, *IMAGES)
    await unfold(page, given.binds["the device"])
    await tab(page, "Snapshots")
    await press(page.locator("cd-rbd-snapshot-list"), "Create")
    await page.fill("#snapshotName", given.binds["the snapshot's name"])
    await page.keyboard.press("Tab")  # the window moves when the field is left
    await send(page.locator(".modal-content"), page, "Create RBD Snapshot")


async def qos_global(page: Page, given: Given) -> None:
    await choose(page, "Cluster", "Configuration")
    await press(page, "basic")
    await page.locator(".dropdown-menu.show").get_by_text("advanced", exact=True).click()
    await page.locator("cd-table input[type=text]").first.fill("rbd_qos")
    await select(page, given.binds["the row"])
    await press(page, "Edit")
    await page.fill("#mgr", given.binds["mgr"])
    await send(page, page, "Update")


async def qos_pool_create(page: Page, given: Given) -> None:
    await choose(page, "Pools")
    await press(page, "Create")
    await page.locator("#poolType").select_option(label="replicated")
    await badge(page, "rbd")
    await page.get_by_text("RBD Configuration").wait_for()


async def qos_pool_edit(page: Page, given: Given) -> None:
    await choose(page, "Pools")
    await select(page, given.binds["the pool's table row"])
    await press(page, "Edit")
    await page.get_by_text("RBD Configuration").wait_for()
    await page.get_by_text("Quality of Service").wait_for()


async def qos_image_create(page: Page, given: Given) -> None:
    await choose(page, *IMAGES)
    await press(page, "Create")
    await page.get_by_text("Advanced...").click()
    await page.get_by_text("Quality of Service").click()
    await page.get_by_label("BPS Limit", exact=True).wait_for()


async def qos_image_edit(page: Page, given: Given) -> None:
    await choose(page, *IMAGES)
    await select(page, given.binds["the pool's table row"])
    await press(page, "Edit")
    await expect(page.locator("#name")).to_have_value(given.binds["the pool's table row"])
    await page.get_by_text("Advanced...").click()
    await page.get_by_text("Quality of Service").click()
    await page.get_by_label("BPS Limit", exact=True).wait_for()


WALKS: Mapping[str, Walk] = {
    "user-list": user_list,
    "user-create": user_create,
    "user-edit": user_edit,
    "user-delete": user_delete,
    "role-list": role_list,
    "role-create": role_create,
    "role-edit": role_edit,
    "role-delete": role_delete,
    "pool-view": pool_view,
    "pool-create": pool_create,
    "pool-delete": pool_delete,
    "pool-edit": pool_edit,
    "image-list": image_list,
    "image-details": image_details,
    "image-configuration": image_configuration,
    "image-create": image_create,
    "image-delete": image_delete,
    "image-restore": image_restore,
    "snapshot-create": snapshot_create,
    "qos-global": qos_global,
    "qos-pool-create": qos_pool_create,
    "qos-pool-edit": qos_pool_edit,
    "qos-image-create": qos_image_create,
    "qos-image-edit": qos_image_edit,
    "iscsi-list": _shows("Block", "iSCSI", text="Gateways"),
    "file-system-view": _shows("File Systems", text="No data to display"),
    "gateway-view": cluster_walks.gateway_view,
    "gateway-user-view": cluster_walks.gateway_user_view,
    "gateway-user-create": cluster_walks.gateway_user_create,
    "gateway-user-delete": cluster_walks.gateway_user_delete,
    "gateway-user-edit": cluster_walks.gateway_user_edit,
    "bucket-create": cluster_walks.bucket_create,
    "bucket-view": cluster_walks.bucket_view,
    "bucket-edit": cluster_walks.bucket_edit,
    "bucket-delete": cluster_walks.bucket_delete,
    "host-view": cluster_walks.host_view,
    "monitor-view": cluster_walks.monitor_view,
    "osd-flags": cluster_walks.osd_flags,
    "osd-recovery": cluster_walks.osd_recovery,
    "osd-view": cluster_walks.osd_view,
    "configuration-edit": cluster_walks.configuration_edit,
    "crush-view": cluster_walks.crush_view,
    "module-edit": cluster_walks.module_edit,
    "log-view": cluster_walks.log_view,
}
