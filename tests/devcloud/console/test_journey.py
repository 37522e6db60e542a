"""A network, a server and its release, clicked together; the host's inventory says what
really happened."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from tests.devcloud.console.conftest import LiveCloud
from tests.devcloud.console.pages import ConsolePage

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


async def states(console: ConsolePage) -> list[str]:
    return [row["status"] for row in await console.rows("ecs", "instance")]


async def make_network(console: ConsolePage) -> None:
    await console.page.get_by_role("button", name="Products").click()
    await console.page.locator(".next-menu:visible").get_by_text("Virtual Private Cloud").click()
    await (
        console.page.get_by_role("menuitem", name="VPC", exact=True)
        .or_(console.page.get_by_role("option", name="VPC", exact=True))
        .click()
    )
    await console.button("Create VPC").click()
    await console.button("OK").click()
    await console.see("Name is required.")
    await console.fill("Name", "prod-net")
    await console.button("OK").click()
    await console.submitted("Create VPC")
    await expect(console.table_row("prod-net")).to_contain_text("Available")

    await console.open("/vpc/vswitches/create")
    await console.pick("VPC", "prod-net")
    await console.fill("Name", "web-net")
    await console.pick("Zone", "Zone H")
    await console.fill("IPv4 CIDR Block", "172.16.1.0/24")
    await console.button("OK").click()
    await console.submitted("Create vSwitch")
    await expect(console.table_row("web-net")).to_contain_text("Available")

    await console.open("/ecs/security-groups/create")
    await console.fill("Security Group Name", "web-sg")
    await console.pick("Network", "prod-net")
    await console.button("Create Security Group").click()
    await console.submitted("Create Security Group")


async def make_instance(console: ConsolePage) -> None:
    await console.open("/ecs/instances")
    await console.button("Create Instance").click()
    await console.button("Next").click()
    await console.see("Zone is required.")
    await console.pick("Zone", "Zone H")
    await console.pick("Instance Type", "ecs.g7.large")
    await console.pick("Image", "Ubuntu 24.04")
    await console.button("Next").click()
    await console.pick("VPC", "prod-net")
    await console.pick("vSwitch", "web-net")
    await console.pick("Security Group", "web-sg")
    await console.button("Next").click()
    await console.fill("Logon Password", "Abcdef123")
    await console.fill("Instance Name", "web-01")
    await console.button("Next").click()
    await console.see("Ubuntu 24.04 64-bit")  # the review shows what was chosen, not its code
    assert "Abcdef123" not in await console.page.inner_text("body")
    await console.button("Create Instance").click()
    await console.see("Terms of Service is required.")
    await console.row_of("Terms of Service").locator("label.next-checkbox-wrapper").click()
    await console.button("Create Instance").click()
    await console.submitted("Create Instance")
    await expect(console.table_row("web-01")).to_contain_text("Running")


async def test_a_server_is_created_stopped_and_released(
    signed_in: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    console = signed_in
    await make_network(console)
    assert {entry["name"] for entry in live_cloud.inventory(owner)} == {
        "prod-net",
        "web-net",
        "web-sg",
    }
    await make_instance(console)
    assert "web-01" in {entry["name"] for entry in live_cloud.inventory(owner)}
    assert await states(console) == ["Running"]

    row = console.table_row("web-01")
    await row.locator(".refused", has_text="Start").hover()
    tooltip = console.page.get_by_role("tooltip").filter(has_text="stopped")
    await expect(tooltip).to_be_visible()

    greyed = await console.more("web-01", "Release")
    await expect(greyed).to_be_disabled()
    await greyed.hover(force=True)
    await expect(
        console.page.get_by_role("tooltip").filter(has_text="Stop the pay-as-you-go instance")
    ).to_be_visible()
    await console.page.keyboard.press("Escape")

    await row.get_by_role("button", name="Stop", exact=True).click()
    await expect(console.dialog()).to_contain_text("Services on it are interrupted.")
    await console.dialog().get_by_role("button", name="OK").click()
    await console.submitted("Stop")
    await expect(row).to_contain_text("Stopped")
    assert await states(console) == ["Stopped"]

    await (await console.more("web-01", "Release")).click()
    confirm = console.dialog().get_by_role("button", name="OK")
    await expect(confirm).to_be_disabled()
    await console.dialog().locator("input").last.fill("web-0")
    await expect(confirm).to_be_disabled()
    await console.dialog().locator("input").last.fill("web-01")
    await confirm.click()
    await console.submitted("Release")
    await console.see("No data available.")
    assert await states(console) == []
    assert {entry["name"] for entry in live_cloud.inventory(owner)} == {
        "prod-net",
        "web-net",
        "web-sg",
    }
