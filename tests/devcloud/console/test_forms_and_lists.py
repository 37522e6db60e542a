"""What forms and lists do: prefilled edits, choices that depend on others, refusals
with a code, search, filters, pages, addresses."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.devcloud.console.conftest import LiveCloud
from tests.devcloud.console.pages import ConsolePage

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]

CIDR = "172.16.0.0/12"


async def make_network(console: ConsolePage) -> tuple[str, str]:
    vpc = await console.make("vpc", "vpc", {"name": "net", "cidr": CIDR})
    await console.open("/vpc/vpcs")
    await expect(console.table_row("net")).to_contain_text("Available")
    zone = "cn-hangzhou-h"
    vswitch = await console.make(
        "vpc", "vswitch", {"vpc_id": vpc, "name": "sub", "zone": zone, "cidr": "172.16.1.0/24"}
    )
    await console.open("/vpc/vswitches")
    await expect(console.table_row("sub")).to_contain_text("Available")
    return vpc, vswitch


async def test_a_wrong_password_is_refused_with_a_code_and_a_right_one_opens_the_asked_account(
    console: ConsolePage, owner: dict[str, Any]
) -> None:
    await console.open("/ecs/instances")
    await console.sign_in(owner, password="wrong")
    await console.see("SignIn.Failed")
    assert console.page.url == f"{console.url}/signin"
    await console.sign_in(owner)
    await console.see("Products and services")
    await console.page.get_by_role("button", name="agent").click()
    await console.see(f"Account ID: {owner['account_id']}")
    await console.page.get_by_text("Sign Out", exact=True).click()
    await expect(console.button("Sign In")).to_be_visible()
    await console.open("/ecs/instances")
    await expect(console.button("Sign In")).to_be_visible()


async def test_a_whitelist_is_edited_in_a_dialog_and_another_is_made_in_a_drawer(
    signed_in: ConsolePage,
) -> None:
    console = signed_in
    vpc, vswitch = await make_network(console)
    database = await console.make(
        "rds",
        "instance",
        {
            "billing": "Postpaid",
            "engine": "MySQL",
            "version": "8.0",
            "edition": "HighAvailability",
            "storage_type": "cloud_essd",
            "zone": "cn-hangzhou-h",
            "class": "rds.mysql.s2.large",
            "storage": 20,
            "vpc_id": vpc,
            "vswitch_id": vswitch,
            "name": "orders",
            "agree": True,
        },
    )
    await console.open(f"/rds/instances/{database}")
    await expect(console.page.locator(".page-heading")).to_contain_text("Running")
    await console.page.get_by_role("tab", name="Whitelist and SecGroup").click()
    await console.table_row("default").get_by_role("button", name="Modify").click()
    dialog = console.dialog()
    # an update form starts from the row
    await expect(dialog.locator("input")).to_have_value("127.0.0.1")
    await dialog.get_by_role("button", name="Add").click()
    await dialog.locator("input").last.fill("not an address")
    await dialog.get_by_role("button", name="OK").click()
    await expect(dialog.locator(".next-form-item-help")).to_be_visible()
    await dialog.locator("input").last.fill("10.0.0.0/8")
    await dialog.get_by_role("button", name="OK").click()
    await console.submitted("Modify")
    await expect(console.table_row("default")).to_contain_text("127.0.0.1, 10.0.0.0/8")

    await console.button("Create Whitelist").click()
    await console.fill("Whitelist Name", "office")
    await console.page.locator(".next-drawer").get_by_role("button", name="Add").click()
    await console.page.locator(".next-drawer .string-table input").fill("192.168.0.9")
    await console.button("OK").click()
    await console.submitted("Create Whitelist")
    lists = {
        row["name"]: row["addresses"]
        for row in await console.rows("rds", "whitelist", instance_id=database)
    }
    assert lists == {"default": ["127.0.0.1", "10.0.0.0/8"], "office": ["192.168.0.9"]}


async def test_a_choice_starts_again_when_its_parent_changes_even_if_an_old_answer_comes_late(
    signed_in: ConsolePage, tab: Page
) -> None:
    console = signed_in
    await console.open("/ecs/instances/create")
    await expect(console.row_of("Instance Type").locator("input")).to_be_disabled()
    await console.pick("Zone", "Zone H")
    await console.pick("Instance Type", "ecs.t6-c1m1.large")
    assert "ecs.t6-c1m1.large" in await console.chosen("Instance Type")

    held: list[Route] = []

    async def hold_zone_h(route: Route) -> None:
        held.append(route)

    await tab.route(re.compile(r"/options/instance_types\?.*zone=cn-hangzhou-h"), hold_zone_h)
    await console.pick("Zone", "Zone J")
    assert "ecs.t6-c1m1.large" not in await console.chosen("Instance Type")
    await console.pick("Zone", "Zone H")
    await console.pick("Zone", "Zone J")
    await console.pick("Instance Type", "ecs.g7.xlarge")
    for route in held:
        await route.continue_()
    await console.row_of("Instance Type").locator(".next-select").click()
    options = await tab.locator(".next-select-menu:visible").get_by_role("option").all_inner_texts()
    assert held
    assert options
    # sold in Zone H, not in Zone J
    assert not any("ecs.t6-c1m1.large" in option for option in options)


async def test_fields_of_a_subscription_are_shown_only_for_it(signed_in: ConsolePage) -> None:
    console = signed_in
    await console.open("/ecs/instances/create")
    await expect(console.row_of("Zone")).to_be_visible()
    await expect(console.page.locator("label", has_text="Auto-renewal")).to_have_count(0)
    await console.page.get_by_text("Subscription", exact=True).click()
    await expect(console.row_of("Auto-renewal")).to_be_visible()


async def test_a_refusal_by_the_server_stays_in_the_form_with_its_code(
    signed_in: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    console = signed_in
    await make_network(console)
    await console.open("/vpc/vswitches/create")
    await console.pick("VPC", "net")
    await console.fill("Name", "twin")
    await console.pick("Zone", "Zone H")
    await console.fill("IPv4 CIDR Block", "172.16.1.0/24")
    await console.button("OK").click()
    message = console.page.locator(".next-message:visible")
    await expect(message).to_contain_text("InvalidCidrBlock")
    await expect(message).to_contain_text("Request ID:")
    assert "twin" not in {entry["name"] for entry in live_cloud.inventory(owner)}
    await console.fill("IPv4 CIDR Block", "172.16.2.0/24")
    await console.button("OK").click()
    await console.submitted("Create vSwitch")


async def test_a_list_is_searched_filtered_and_paged(signed_in: ConsolePage, tab: Page) -> None:
    console = signed_in
    await console.open("/ecs/instances")
    await console.see("No data available.")
    await tab.locator(".refused", has_text="Stop").hover()
    await expect(
        tab.get_by_role("tooltip").filter(has_text="Select at least one item.")
    ).to_be_visible()

    for number in range(12):
        await console.make(
            "ecs",
            "disk",
            {
                "name": f"data-{number:02}",
                "zone": "cn-hangzhou-h",
                "category": "cloud_essd",
                "size": 40,
            },
        )
    await console.open("/ecs/disks")
    rows = tab.locator("tbody tr")
    await expect(rows).to_have_count(10)
    await console.see("Total: 12")
    await tab.get_by_role("button", name="Next").click()
    await expect(rows).to_have_count(2)
    await tab.get_by_placeholder("Search by").fill("data-07")
    await expect(rows).to_have_count(1)
    await tab.get_by_placeholder("Search by").fill("")
    await expect(rows).to_have_count(10)

    await tab.locator("thead .next-table-filter").click()
    await tab.locator(".next-menu:visible").get_by_text("In Use", exact=True).click()
    await tab.locator(".next-menu:visible").get_by_role("button", name="OK").click()
    await console.see("No data available.")


async def test_the_address_names_the_page_and_back_works(signed_in: ConsolePage, tab: Page) -> None:
    console = signed_in
    vpc = await console.make("vpc", "vpc", {"name": "net", "cidr": CIDR})
    await console.open("/vpc/vpcs")
    await tab.get_by_text(vpc, exact=True).click()
    await expect(tab).to_have_url(f"{console.url}/vpc/vpcs/{vpc}")
    await tab.get_by_role("tab").nth(1).click()
    await expect(tab).to_have_url(re.compile(r"\?tab=\w+"))
    await tab.reload()
    await expect(tab.get_by_role("tab").nth(1)).to_have_attribute("aria-selected", "true")
    await tab.go_back()
    await tab.go_back()
    await expect(console.button("Create VPC")).to_be_visible()
    await console.open("/vpc/vpcs/vpc-none")
    await console.see("VPC vpc-none does not exist.")
