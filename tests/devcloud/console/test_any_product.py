"""The renderer knows no product: an invented one with every widget is drawn, filled in
and sent, without a backend for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from tests.devcloud.console.pages import ConsolePage

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]

KINDS = [{"value": "a", "label": "Alpha"}, {"value": "b", "label": "Beta"}]
MODES = [{"value": "x", "label": "Fast"}, {"value": "y", "label": "Careful"}]
SPECIES = [
    {
        "value": "cats",
        "label": "Cats",
        "children": [{"value": "lynx", "label": "Lynx"}, {"value": "lion", "label": "Lion"}],
    }
]
FOOD = [
    {
        "value": "meat",
        "label": "Meat",
        "children": [{"value": "beef", "label": "Beef"}, {"value": "fish", "label": "Fish"}],
    }
]
FIELDS: list[dict[str, Any]] = [
    {"id": "name", "label": "Title", "widget": "input", "required": True},
    {"id": "title_copy", "label": "Alias", "widget": "input", "default_from": "name"},
    {"id": "secret", "label": "Secret", "widget": "password"},
    {"id": "note", "label": "Note", "widget": "textarea"},
    {"id": "count", "label": "Count", "widget": "number", "min": 1, "max": 9, "default": 1},
    {"id": "kind", "label": "Kind", "widget": "select", "search": True, "options": KINDS},
    {"id": "mode", "label": "Mode", "widget": "radio", "default": "x", "options": MODES},
    {"id": "agree", "label": "Terms", "widget": "checkbox", "text": "I agree", "required": True},
    {"id": "watch", "label": "Watch", "widget": "switch", "default": False},
    {"id": "level", "label": "Level", "widget": "slider", "min": 0, "max": 10, "default": 3, "marks": [0, 5, 10], "unit": "dB"},
    {"id": "until", "label": "Until", "widget": "date"},
    {"id": "hosts", "label": "Hosts", "widget": "table"},
    {"id": "tags", "label": "Tags", "widget": "tags"},
    {"id": "fixed", "label": "Notice", "widget": "text", "text": "Charged by the hour"},
    {"id": "script", "label": "Script", "widget": "upload"},
    {"id": "places", "label": "Places", "widget": "select", "multiple": True, "options": KINDS},
    {"id": "path", "label": "Species", "widget": "cascader", "options": SPECIES},
    {"id": "food", "label": "Food", "widget": "cascader", "multiple": True, "options": {"source": "food"}},
]  # fmt: skip
PRODUCT: dict[str, Any] = {
    "id": "zoo",
    "title": "Zoo Service",
    "global": True,
    "menu": [{"id": "things", "label": "Things", "resource": "thing"}],
    "resources": {
        "thing": {
            "label": "Thing",
            "plural": "Things",
            "name": "name",
            "fields": FIELDS,
            "list": {"columns": ["@id", "@status", "level"], "search": ["name"], "filters": ["@status"], "batch": []},
            "create": {
                "label": "Create Thing",
                "container": "dialog",
                "submit": "Pay Now",
                "steps": [
                    {"id": "all", "title": "Everything", "fields": [field["id"] for field in FIELDS]},
                    {"id": "look", "title": "Look", "review": True},
                ],
            },
            "actions": [{"id": "poke", "label": "Poke", "when": {"kind": [None]}}],
            "detail": {
                "tabs": [
                    {"id": "facts", "title": "Facts", "fields": ["name", "level"]},
                    {"id": "more", "title": "More", "tabs": [{"id": "one", "title": "One", "fields": ["secret"]}, {"id": "two", "title": "Two"}]},
                ]
            },
            "states": {"Ready": {"tone": "success", "label": "All Set"}},
        }
    },
}  # fmt: skip
ROW = {
    "id": "t-1",
    "status": "Ready",
    "name": "cage",
    "level": 4,
    "secret": "x",
    "created": "2026-01-02T03:04:05Z",
}


class InventedService:
    """Answers what the real backend would, for a product that it does not have, and
    keeps what was sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []

    async def schema(self, route: Route) -> None:
        regions = [{"id": "cn-hangzhou", "label": "China (Hangzhou)"}]
        await route.fulfill(
            json={"products": [PRODUCT], "revision": "invented", "regions": regions, "trouble": {}}
        )

    async def resource(self, route: Route) -> None:
        request = route.request
        path = request.url.split("/console/api/r/zoo/thing")[1].split("?")[0]
        if request.method == "POST":
            self.sent.append((path, json.loads(request.post_data or "{}")))
            await route.fulfill(json={"id": "t-1"})
        else:
            await route.fulfill(json=ROW if path else {"rows": [ROW], "total": 1})


@pytest.fixture
async def service(signed_in: ConsolePage, tab: Page) -> InventedService:
    invented = InventedService()
    await tab.route("**/console/api/schema", invented.schema)
    await tab.route("**/console/api/r/zoo/**", invented.resource)
    await tab.route("**/console/api/options/food?*", lambda route: route.fulfill(json=FOOD))
    return invented


VALUES: dict[str, Any] = {
    "name": "tiger",
    "title_copy": "tiger",
    "secret": "s3cret",
    "note": "two\nlines",
    "count": 9,
    "kind": "b",
    "mode": "y",
    "agree": True,
    "watch": True,
    "level": 5,
    "until": "2027-03-04 05:06:07",
    "hosts": ["10.0.0.1"],
    "tags": [{"key": "env", "value": "test"}],
    "script": "echo hello\n",
    "places": ["a", "b"],
    "path": "lion",
    "food": ["fish"],
}
"""What the filled form sends."""


async def test_every_widget_yields_its_value(
    service: InventedService, signed_in: ConsolePage, tab: Page, tmp_path: Path
) -> None:
    script = tmp_path / "init.sh"
    script.write_text("echo hello\n")
    await signed_in.open("/zoo/things/create")
    await type_texts(signed_in)
    await switch_and_slide(signed_in, tab)
    await pick_a_moment(signed_in, tab)
    await add_entries(signed_in)
    await upload(signed_in, script)
    await pick_several(signed_in, tab)
    await pick_paths(signed_in)
    await agree_to_the_terms(signed_in)
    await review(signed_in, tab)
    assert service.sent == [("", VALUES)]


async def type_texts(console: ConsolePage) -> None:
    """Also a number above the greatest allowed, and an alias that follows the title."""
    await console.fill("Title", "tiger")
    await expect(console.row_of("Alias").locator("input")).to_have_value("tiger")
    await console.fill("Secret", "s3cret")
    await console.fill("Note", "two\nlines")
    await console.fill("Count", "12")


async def switch_and_slide(console: ConsolePage, tab: Page) -> None:
    await console.pick("Kind", "Beta")
    await console.row_of("Mode").get_by_text("Careful").click()
    await console.row_of("Watch").get_by_role("switch").click()
    await console.row_of("Level").get_by_role("slider").focus()
    for _ in range(2):
        await tab.keyboard.press("ArrowRight")


async def pick_a_moment(console: ConsolePage, tab: Page) -> None:
    until = console.row_of("Until").locator("input")
    await until.click()
    await until.fill("2027-03-04 05:06:07")
    await tab.locator(".next-date-picker2-overlay").get_by_role("button", name="OK").click()


async def add_entries(console: ConsolePage) -> None:
    hosts, tags = console.row_of("Hosts"), console.row_of("Tags")
    await hosts.get_by_role("button", name="Add").click()
    await hosts.locator("input").fill("10.0.0.1")
    await tags.get_by_role("button", name="Add Tag").click()
    await tags.get_by_placeholder("Tag Key").fill("env")
    await tags.get_by_placeholder("Tag Value").fill("test")


async def upload(console: ConsolePage, script: Path) -> None:
    await expect(console.row_of("Notice")).to_contain_text("Charged by the hour")
    await console.row_of("Script").locator("input[type=file]").set_input_files(script)


async def pick_several(console: ConsolePage, tab: Page) -> None:
    await console.pick("Places", "Alpha")
    options = tab.locator(".next-select-menu:visible").get_by_role("option")
    await options.filter(has_text="Beta").click()
    await tab.keyboard.press("Escape")


async def pick_paths(console: ConsolePage) -> None:
    await console.pick_path("Species", "Cats", "Lion")
    await expect(console.row_of("Species")).to_contain_text("Cats / Lion")
    await console.pick_path("Food", "Meat", "Fish", several=True)


async def agree_to_the_terms(console: ConsolePage) -> None:
    """The next step opens only then."""
    await console.button("Next").click()
    await console.see("Terms is required.")
    await console.row_of("Terms").locator("label.next-checkbox-wrapper").click()
    await console.button("Next").click()


async def review(console: ConsolePage, tab: Page) -> None:
    """The last step shows what was filled in, and sends it."""
    for text in ("5 dB", "Cats / Lion", "Meat / Fish"):
        await expect(tab.locator(".review")).to_contain_text(text)
    await console.button("Pay Now").click()
    await console.submitted("Create Thing")


async def test_an_action_without_questions_is_taken_at_once(
    service: InventedService, signed_in: ConsolePage
) -> None:
    """And its condition on a field that the row does not have holds for null, as at the
    backend."""
    await signed_in.open("/zoo/things")
    row = signed_in.table_row("cage")
    await expect(row).to_contain_text("All Set")
    await expect(row).to_contain_text("4 dB")
    await row.get_by_role("button", name="Poke").click()
    await signed_in.submitted("Poke")
    assert service.sent == [("/t-1/poke", {})]


async def test_tabs_nest_and_the_address_knows_both(
    service: InventedService, signed_in: ConsolePage, tab: Page
) -> None:
    await signed_in.open("/zoo/things/t-1?tab=more/two")
    await expect(tab.get_by_role("tab", name="Two")).to_have_attribute("aria-selected", "true")
    await tab.get_by_role("tab", name="One").click()
    await expect(tab).to_have_url(f"{signed_in.url}/zoo/things/t-1?tab=more/one")
    await expect(tab.locator(".properties:visible")).to_contain_text("******")


async def test_a_product_without_regions_shows_no_region_switch(
    service: InventedService, signed_in: ConsolePage, tab: Page
) -> None:
    switch = tab.locator(".top-bar").get_by_role("button", name="China (Hangzhou)")
    await expect(switch).to_be_visible()
    await signed_in.open("/zoo/things")
    await signed_in.see("All Set")
    await expect(switch).to_have_count(0)
