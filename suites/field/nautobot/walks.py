"""The procedures of Nautobot's documentation, done by a person's script.

Each function does one procedure of `procedures.yaml`, from the home page; those that
only fill one form are data, in `forms.yaml`. The menu's sections are buttons that open
a flyout; drop-downs are select2 over hidden selects, many of them filled over the
network; what a row offers is in a menu of the row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import yaml
from playwright.async_api import Page

from benchmarks.field.scripts import Given, Walk

Fields = Mapping[str, str | bool]
"""What goes into a form, by the fields' names; of a drop-down, the choice."""


class Form(NamedTuple):
    """A procedure that fills one form: the menu's section and item, what the button
    adds, and what goes into the form, in that order."""

    section: str
    item: str
    thing: str
    fields: Fields


async def sign_in(page: Page, given: Given) -> None:
    await page.set_viewport_size({"width": 1680, "height": 1000})  # all tabs have room
    await page.fill("#id_username", given.login["user"])
    await page.fill("#id_password", given.login["password"])
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("button", name=given.login["user"]).first.wait_for()


async def _open(page: Page, section: str, item: str) -> None:
    menu = page.locator(f"#sidenav li[data-section-name='{section}']")
    await menu.locator("> button").click()
    await menu.get_by_role("link", name=item, exact=True).first.click()
    await page.wait_for_url(lambda url: url != "http://127.0.0.1:18090/")


async def _new(page: Page, section: str, item: str, thing: str) -> None:
    await _open(page, section, item)
    await page.get_by_role("link", name=f"Add {thing}", exact=True).first.click()
    await page.wait_for_url(lambda url: "/add/" in url)


async def _pick(page: Page, field: str, text: str) -> None:
    plain = page.locator(f"select#id_{field}:not(.select2-hidden-accessible)")
    if await plain.count():
        await plain.select_option(label=text)
        return
    await page.locator(f"#id_{field} ~ .select2-container .select2-selection").first.click()
    opened = page.locator(".select2-container--open")
    search = opened.locator(".select2-search__field").first
    if await search.is_visible():
        await search.fill(text)
    wanted = re.compile(rf"(^|\W){re.escape(text)}\s*$")
    await opened.locator("li.select2-results__option").filter(has_text=wanted).first.click()


async def _fill(page: Page, fields: Fields) -> None:
    await page.wait_for_load_state()
    for name, value in fields.items():
        if isinstance(value, bool):
            await page.locator(f"#id_{name}").set_checked(value)
        elif await page.locator(f"select#id_{name}").count():
            await _pick(page, name, value)
        else:
            await page.locator(f"#id_{name}").fill(value)


async def _press(page: Page, button: str = "Create") -> None:
    """Press a form's button, and see that the form was taken."""
    async with page.expect_response(
        lambda answer: answer.request.method == "POST" and "/api/" not in answer.url
    ) as asked:
        await page.get_by_role("button", name=button, exact=True).first.click()
    answer = await asked.value
    assert answer.status == 302, f"{button}: {answer.status}"
    await page.wait_for_load_state()


async def _device(page: Page, name: str) -> None:
    await _open(page, "Devices", "Devices")
    await page.locator("table").get_by_role("link", name=name, exact=True).first.click()
    await page.locator("#edit-button").wait_for()


async def tenant_assign(page: Page, given: Given) -> None:
    await _device(page, "bre01-asw-01")
    await page.locator("#edit-button").click()
    await _fill(page, {"tenant": "Northwind"})
    await _press(page, "Update")


async def platform_assign(page: Page, given: Given) -> None:
    await _device(page, "bre01-asw-01")
    await page.locator("#edit-button").click()
    await _fill(page, {"platform": "EOS"})
    await _press(page, "Update")


async def ip_bulk_create(page: Page, given: Given) -> None:
    await _open(page, "IPAM", "IP Addresses")
    await page.get_by_role("link", name="Add IP Address", exact=True).click()
    await page.get_by_role("link", name="Bulk Create", exact=True).click()
    await _fill(
        page,
        {
            "pattern": "10.10.10.[0-1,2-3,6-7]/31",
            "namespace": "Global",
            "type": "Host",
            "status": "Active",
        },
    )
    await _press(page)


async def _tab(page: Page, name: str) -> None:
    """Open a tab; those for which there is no room have a hidden twin."""
    await page.wait_for_load_state("networkidle")
    await page.wait_for_timeout(1000)  # the tabs are laid out after the page is there
    tabs = page.locator(".nav-tabs a:visible")
    await tabs.filter(has_text=re.compile(rf"^\s*{name}\b")).first.click()


async def _interfaces(page: Page, device: str) -> None:
    await _device(page, device)
    await _tab(page, "Interfaces")
    await page.get_by_role("link", name="Add interface").first.wait_for()


async def _interface_edit(page: Page, device: str, interface: str) -> None:
    await _interfaces(page, device)
    row = page.locator("tr").filter(has=page.get_by_role("link", name=interface, exact=True))
    await page.wait_for_load_state("networkidle")
    toggle = row.locator("td").last.get_by_role("button").last
    edit = page.locator("a, button").filter(has_text="Edit interface", visible=True).first
    for _ in range(3):  # a menu that is pressed while the tab is being filled shuts again
        await toggle.click()
        await page.wait_for_timeout(1000)
        if await edit.is_visible():
            break
    await edit.click()
    await page.locator("#id_mode").wait_for(state="attached")


async def ip_assign(page: Page, given: Given) -> None:
    await _interface_edit(page, "bre01-asw-01", "TenGigabitEthernet1/1/1")
    await _fill(page, {"ip_addresses": "10.0.0.1/32"})
    await _press(page, "Update")


async def ip_find_interface(page: Page, given: Given) -> None:
    await _interfaces(page, "bre01-asw-01")
    await page.locator("table").get_by_text("10.0.0.1/32").first.wait_for()


async def ip_find_prefix(page: Page, given: Given) -> None:
    await _open(page, "IPAM", "Prefixes")
    await page.locator("table").get_by_role("link", name="10.10.10.0/24", exact=True).click()
    await _tab(page, "IP Addresses")
    await page.locator("table").get_by_text("10.10.10.7/32").first.wait_for()


async def vlans_create(page: Page, given: Given) -> None:
    await _new(page, "IPAM", "VLANs", "VLAN")
    await _fill(page, {"vid": "200", "name": "vlan 200", "status": "Active"})
    await _press(page, "Create and Add Another")
    for location, button in (("ANG01", "Create and Add Another"), ("BRE01", "Create")):
        await _fill(page, {"vid": "100", "name": "vlan 100", "status": "Active"})
        await _fill(page, {"locations": location})
        await _press(page, button)


async def vlan_assign(page: Page, given: Given) -> None:
    await _interface_edit(page, "ang01-edge-01", "xe-0/0/0")
    await _fill(page, {"mode": "Access"})
    await page.locator("#id_untagged_vlan ~ .select2-container .select2-selection").first.click()
    options = page.locator(".select2-container--open li.select2-results__option")
    await options.filter(has_text="vlan 200").first.wait_for()
    texts = " ".join(await options.all_inner_texts())
    assert texts.count("vlan 100 ") == 1, texts


async def _types(page: Page, *pairs: tuple[str, str]) -> None:
    for number, (name, parent) in enumerate(pairs, start=1):
        if parent:
            await _fill(page, {"parent": parent})
        await _fill(page, {"name": name})
        await _press(page, "Create" if number == len(pairs) else "Create and Add Another")


async def location_types_create(page: Page, given: Given) -> None:
    await _new(page, "Organization", "Location Types", "Location Type")
    await _types(
        page, ("Continent", ""), ("Country", "Continent"), ("Market", "Country"), ("Site", "Market")
    )


async def locations_create(page: Page, given: Given) -> None:
    await _new(page, "Organization", "Locations", "Location")
    places = (
        ("North America", "Continent", ""),
        ("Canada", "Country", "North America"),
        ("Vancouver", "Market", "Canada"),
        ("Vancouver 1", "Site", "Vancouver"),
    )
    for name, kind, parent in places:
        await _fill(page, {"location_type": kind})
        if parent:
            await _fill(page, {"parent": parent})
        await _fill(page, {"name": name, "status": "Active"})
        await _press(page, "Create" if name == "Vancouver 1" else "Create and Add Another")


async def device_type_interfaces(page: Page, given: Given) -> None:
    await _open(page, "Devices", "Device Types")
    await page.get_by_role("link", name="Add Device Type", exact=True).click()
    await _fill(page, {"manufacturer": "APC", "model": "APDU9941", "u_height": "5"})
    await _press(page)
    await page.locator("#device-type-add-components-button").click()
    await page.locator(".dropdown-menu.show").get_by_text("Interfaces", exact=True).click()
    await _fill(page, {"name_pattern": "ae0", "type": "Link Aggregation Group (LAG)"})
    await _press(page, "Create and Add Another")
    await _fill(page, {"name_pattern": "xe-[0-1]/0/[0-9]", "type": "SFP+ (10GE)"})
    await _press(page)


async def custom_field_add(page: Page, given: Given) -> None:
    await _new(page, "Extensibility", "Custom Fields", "Custom Field")


async def git_repository_add(page: Page, given: Given) -> None:
    await _new(page, "Extensibility", "Git Repositories", "Git Repository")


async def merge_tool_open(page: Page, given: Given) -> None:
    await _open(page, "IPAM", "IP Addresses")
    await page.get_by_role("link", name="Find and Merge Duplicate IPs").click()
    await page.get_by_text("10.0.0.9").first.wait_for()


FORMS: Mapping[str, Form] = {
    name: Form(**form)
    for name, form in yaml.safe_load((Path(__file__).parent / "forms.yaml").read_text()).items()
}


def _walk(form: Form) -> Walk:
    async def walk(page: Page, given: Given) -> None:
        await _new(page, form.section, form.item, form.thing)
        await _fill(page, form.fields)
        await _press(page)

    return walk


WALKS: Mapping[str, Walk] = {name: _walk(form) for name, form in FORMS.items()} | {
    one.__name__.replace("_", "-"): one
    for one in (
        tenant_assign,
        platform_assign,
        ip_bulk_create,
        ip_assign,
        ip_find_interface,
        ip_find_prefix,
        vlans_create,
        vlan_assign,
        location_types_create,
        locations_create,
        device_type_interfaces,
        custom_field_add,
        git_repository_add,
        merge_tool_open,
    )
}
