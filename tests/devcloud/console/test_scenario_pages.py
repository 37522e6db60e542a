"""A person in a scenario: each kind of trouble is seen, and got over by ordinary means;
labels and drift are the session's own."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from proofwalk.devcloud.console.trouble import Level, Trouble
from tests.devcloud.console.conftest import LiveCloud
from tests.devcloud.console.pages import ConsolePage

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]

SIGN_IN_ZH = ("账号 ID", "用户名", "密码", "登录")


def add_scenario(live_cloud: LiveCloud, **content: Any) -> str:
    live_cloud.admin("/scenarios", content)
    return str(content["id"])


def seed_where(level: Level, wanted: Callable[[Trouble], bool]) -> int:
    return next(seed for seed in range(20_000) if wanted(Trouble(level, seed)))


def unasked(trouble: Trouble) -> bool:
    """Nothing is asked at the first page."""
    return not trouble.cookie_banner() and not trouble.region_dialog()


def undisturbed(trouble: Trouble, *loads: str) -> bool:
    """None of the first reads is late or failing, and the session lives."""
    return (trouble.lapses_at() or 99) > 12 and not any(
        trouble.fails(what, n) or trouble.delay_s(what, n) for what in loads for n in (1, 2, 3)
    )


async def enter(
    console: ConsolePage, live_cloud: LiveCloud, account: dict[str, Any], path: str, **scenario: Any
) -> None:
    """Sign in to a scenario and go to a page of it."""
    name = add_scenario(live_cloud, **scenario)
    await console.open(f"/?scenario={name}")
    await console.sign_in(account)
    await console.page.wait_for_url(re.compile(r"/$"))
    if path != "/":
        await console.open(path)


async def topmost(page: Page, target: Locator) -> bool:
    """Whether a click in the middle of the target would reach it."""
    return bool(
        await target.evaluate("""element => {
              const box = element.getBoundingClientRect()
              const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
              return element.contains(hit)
            }""")
    )


async def drag_captcha(page: Page, by: float = 260) -> None:
    handle = page.get_by_role("slider", name="Slide to verify")
    box = await handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + by, y, steps=8)
    await page.mouse.up()


async def test_the_cookie_banner_the_region_dialog_and_the_assistant_stand_over_the_page_until_closed(
    console: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    page = console.page
    seed = seed_where("storm", lambda t: "assistant_s" in t.visit("home", 1) and t.lapses_at() != 1)
    await enter(console, live_cloud, owner, "/", id="overlays", level="storm", seed=seed)
    link = page.get_by_text("Virtual Private Cloud", exact=True).first
    await expect(link).to_be_visible()
    dialog = page.get_by_role("dialog", name="Select a region")
    await expect(dialog).to_be_visible()
    assert not await topmost(page, link)  # the backdrop takes every click
    await dialog.get_by_text("Singapore").click()
    await dialog.get_by_role("button", name="OK").click()
    await expect(dialog).to_have_count(0)
    await expect(page.locator(".top-bar").get_by_role("button", name="Singapore")).to_be_visible()
    banner = page.get_by_role("region", name="Cookies")
    assert int(await banner.evaluate("element => getComputedStyle(element).zIndex")) >= 1500
    await banner.get_by_role("button", name="Accept All").click()
    await expect(banner).to_have_count(0)
    assistant = page.get_by_role("complementary", name="Cloud Assistant")
    await expect(assistant).to_be_visible()
    await assistant.get_by_role("button", name="Close").click()
    await expect(assistant).to_have_count(0)
    assert await topmost(page, link)
    await page.reload()
    await expect(link).to_be_visible()
    await expect(banner.or_(dialog)).to_have_count(0)  # asked once in a session


def first_submit(trouble: Trouble, *, captcha: bool) -> bool:
    return (
        trouble.captcha(1) is captcha
        and not trouble.captcha(2)
        and undisturbed(trouble, "list/vpc.vpc")
        and not trouble.quota_is_exhausted("vpc.vpc")
        and unasked(trouble)
        and not any(trouble.visit(page, 1) for page in ("home", "list", "create"))
    )


async def test_a_captcha_blocks_the_form_until_its_slider_is_dragged_to_the_end(
    console: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    page = console.page
    seed = seed_where("real", lambda t: first_submit(t, captcha=True))
    await enter(
        console, live_cloud, owner, "/vpc/vpcs/create", id="captcha", level="real", seed=seed
    )
    await console.fill("Name", "guarded")
    await console.button("OK").click()
    dialog = page.get_by_role("dialog", name="Verification")
    await expect(dialog).to_be_visible()
    assert not await topmost(page, console.button("Cancel"))
    await drag_captcha(page, by=120)
    await expect(dialog.get_by_role("status")).to_have_text("Verification failed. Try again.")
    assert live_cloud.inventory(owner) == []
    await drag_captcha(page)
    await console.submitted("Create VPC")
    await expect(dialog).to_have_count(0)
    assert [entry["name"] for entry in live_cloud.inventory(owner)] == ["guarded"]


async def test_a_captcha_that_is_closed_leaves_the_form_as_it_was(
    console: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    page = console.page
    seed = seed_where("real", lambda t: first_submit(t, captcha=True))
    await enter(
        console, live_cloud, owner, "/vpc/vpcs/create", id="captcha", level="real", seed=seed
    )
    await console.fill("Name", "later")
    await console.button("OK").click()
    await (
        page.get_by_role("dialog", name="Verification").get_by_role("button", name="Close").click()
    )
    await console.see("Captcha.Required")
    await console.button("OK").click()  # the second submit is not asked for one
    await console.submitted("Create VPC")


async def test_a_load_that_fails_offers_to_try_again(
    console: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    page = console.page
    what = "list/vpc.vpc"

    def fails_twice(t: Trouble) -> bool:
        fine = (t.lapses_at() or 99) > 5 and not any(t.delay_s(what, n) for n in (1, 2, 3))
        return (
            t.fails(what, 1)
            and t.fails(what, 2)
            and fine
            and "assistant_s" not in t.visit("list", 1)
        )

    seed = seed_where("storm", fails_twice)
    await enter(console, live_cloud, owner, "/vpc/vpcs", id="failing", level="storm", seed=seed)
    await (
        page.get_by_role("dialog", name="Select a region")
        .get_by_role("button", name="Close")
        .click()
    )
    await page.get_by_role("region", name="Cookies").get_by_role("button", name="Close").click()
    await console.see("ServiceUnavailable")
    for _ in range(2):
        await console.button("Retry").click()
    await expect(console.button("Retry")).to_have_count(0)
    await console.see("No data available.")


async def test_a_session_that_lapses_is_taken_up_where_it_was(
    console: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    page = console.page
    what = "list/vpc.vswitch"

    def at_the_third(t: Trouble) -> bool:
        others = [f"list/{kind}" for kind in ("vpc.vpc", "vpc.vswitch")]
        return t.lapses_at() == 3 and not any(
            t.fails(w, n) or t.delay_s(w, n) for w in others for n in (1, 2, 3, 4)
        )

    seed = seed_where("storm", at_the_third)
    await enter(console, live_cloud, owner, "/vpc/vpcs", id="lapsing", level="storm", seed=seed)
    await (
        page.get_by_role("dialog", name="Select a region")
        .get_by_role("button", name="Close")
        .click()
    )
    await page.get_by_role("region", name="Cookies").get_by_role("button", name="Close").click()
    for _ in range(2):
        await page.reload()
        if "/signin" in page.url or await page.get_by_text("Your session has expired.").count():
            break
        await expect(
            page.get_by_text("No data available.").or_(
                page.get_by_text("Your session has expired.")
            )
        ).to_be_visible()
    await console.see("Your session has expired.")
    assert page.url.endswith("/signin"), what
    await console.button("Continue as agent").click()
    await expect(console.button("Create VPC")).to_be_visible()
    assert page.url == f"{console.url}/vpc/vpcs"


TAKE_WHEN_OFFERED = """async ([label, text]) => {
  const rows = [...document.querySelectorAll('.next-form-item')]
  const select = rows.find((row) => row.querySelector('label')?.textContent.includes(label)).querySelector('.next-select')
  for (let turn = 0; turn < 500; turn++) {
    const offered = [...document.querySelectorAll('.next-select-menu li')].find((one) => one.offsetParent && one.textContent.includes(text))
    if (offered) { offered.click(); return true }
    if (!document.querySelector('.next-select-menu')?.offsetParent && !select.classList.contains('next-disabled')) select.click()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}"""


async def test_old_choices_come_back_for_a_moment_and_a_choice_among_them_is_taken_back(
    console: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    page = console.page

    def racing(t: Trouble) -> bool:
        plan = t.visit("create", 1)
        return set(plan) == {"race_s"} and plan["race_s"] > 1.3 and t.lapses_at() == 9

    seed = seed_where("storm", racing)
    await enter(
        console, live_cloud, owner, "/ecs/instances/create", id="race", level="storm", seed=seed
    )
    await (
        page.get_by_role("dialog", name="Select a region")
        .get_by_role("button", name="Close")
        .click()
    )
    await page.get_by_role("region", name="Cookies").get_by_role("button", name="Close").click()
    types = console.row_of("Instance Type").locator(".next-select")
    await console.pick("Zone", "Zone H")
    await expect(types.locator("input")).to_be_enabled()
    await types.click()
    await expect(
        page.locator(".next-select-menu:visible")
        .get_by_role("option")
        .filter(has_text="ecs.t6-c1m1.large")
    ).to_be_visible()
    await page.keyboard.press("Escape")
    await console.pick("Zone", "Zone J")
    # sold in Zone H alone
    assert await page.evaluate(TAKE_WHEN_OFFERED, ["Instance Type", "ecs.t6-c1m1.large"])
    await expect(types).not_to_contain_text("ecs.t6-c1m1.large")
    if not await page.locator(".next-select-menu:visible").count():
        await types.click()
    options = (
        await page.locator(".next-select-menu:visible").get_by_role("option").all_inner_texts()
    )
    assert options
    assert not any("ecs.t6-c1m1.large" in option for option in options)


async def test_nodes_of_a_table_are_replaced_by_equal_ones(
    console: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    page = console.page

    def swapping(t: Trouble) -> bool:
        plan = t.visit("list", 1)
        late_enough = set(plan) == {"swap_s"} and plan["swap_s"] > 2
        return (
            late_enough
            and unasked(t)
            and t.variant() == "B"
            and undisturbed(t, "list/vpc.vpc")
            and not t.captcha(1)
        )

    add_scenario(live_cloud, id="swap", level="real", seed=seed_where("real", swapping))
    await console.open("/?scenario=swap")
    await console.sign_in(owner)
    await console.see("Products and services")
    await console.make("vpc", "vpc", {"name": "net", "cidr": "10.0.0.0/8"})
    await console.open("/vpc/vpcs")
    await expect(console.table_row("net")).to_be_visible()
    marked = await page.evaluate_handle("document.querySelector('tbody tr')")
    await page.wait_for_function("row => !row.isConnected", arg=marked)
    await expect(console.table_row("net")).to_be_visible()
    inline = await console.table_row("net").get_by_role("button").all_inner_texts()
    assert inline[0] == "Delete"  # variant B: the actions come from the last


async def test_the_console_speaks_chinese_in_a_chinese_scenario(
    console: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    page = console.page
    # a word that the console's own table has
    patches = [{"at": "vpc/resources/vpc/create", "set": {"label": "No data"}}]
    add_scenario(live_cloud, id="zh", language="zh", patches=patches)
    await console.open("/signin?scenario=zh")
    account, user, password, sign_in = SIGN_IN_ZH
    await page.get_by_label(account).fill(owner["account_id"])
    await page.get_by_label(user).fill(owner["user_name"])
    await page.get_by_label(password).fill(owner["password"])
    await console.button(sign_in).click()
    await console.see("产品与服务")
    assert await page.locator("html").get_attribute("lang") == "zh"
    await console.open("/vpc/vpcs")
    await console.see("暂无数据。")
    await console.see("状态")
    await console.button("暂无数据").click()
    await expect(console.button("取消")).to_be_visible()
    await page.locator(".wizard-footer button").first.click()
    await expect(page.locator(".next-form-item-help").first).to_have_text(
        re.compile("^请填写.*。$")
    )
    await page.get_by_role("button", name="华东1").click()
    await expect(page.get_by_text("新加坡", exact=True)).to_be_visible()


async def test_an_unknown_scenario_is_told_on_the_sign_in_page(console: ConsolePage) -> None:
    await console.open("/?scenario=nowhere")
    await console.see("Scenario.NotFound")
    await expect(console.page.get_by_label("Account ID")).to_be_disabled()


@pytest.fixture
async def second(tab: Page, live_cloud: LiveCloud) -> AsyncIterator[ConsolePage]:
    """A second browser profile."""
    browser = tab.context.browser
    assert isinstance(browser, Browser)
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    page = await context.new_page()
    page.set_default_timeout(15_000)
    yield ConsolePage(page, live_cloud.url)
    await context.close()


async def test_two_sessions_at_once_have_two_consoles(
    console: ConsolePage, second: ConsolePage, live_cloud: LiveCloud, owner: dict[str, Any]
) -> None:
    moved = [
        {"at": "vpc/menu/vswitches", "set": {"label": "Subnets"}},
        {"at": "vpc/resources/vpc/actions/delete", "remove": True},
    ]
    await enter(console, live_cloud, owner, "/", id="as-shipped")
    await enter(second, live_cloud, owner, "/", id="drifted", patches=moved)
    await console.make("vpc", "vpc", {"name": "net", "cidr": "10.0.0.0/8"})
    for one, entry, deletable in ((console, "vSwitch", 1), (second, "Subnets", 0)):
        await one.open("/vpc/vpcs")
        await expect(one.table_row("net")).to_contain_text("Available")
        await expect(one.page.get_by_role("option", name=entry, exact=True)).to_be_visible()
        await expect(
            one.table_row("net").get_by_role("button", name="Delete", exact=True)
        ).to_have_count(deletable)
    # a tab that asks for another scenario is not in the session of this one
    await second.open("/?scenario=as-shipped")
    await expect(second.button("Sign In")).to_be_visible()


async def test_a_list_of_two_hundred_is_searched_and_paged(
    signed_in: ConsolePage, tab: Page
) -> None:
    console = signed_in
    await console.make(
        "ecs",
        "disk",
        {"name": "data", "zone": "cn-hangzhou-h", "category": "cloud_essd", "size": 40},
    )

    async def many(route: Route) -> None:
        answer = await (await route.fetch()).json()
        rows = [
            {**answer["rows"][0], "id": f"d-{n:03}", "name": f"data-{n:03}"} for n in range(200)
        ]
        await route.fulfill(json={"rows": rows, "total": len(rows)})

    await tab.route("**/console/api/r/ecs/disk?*", many)
    await tab.goto(f"{console.url}/ecs/disks", wait_until="commit")
    await expect(console.table_row("data-009")).to_be_visible()
    await tab.get_by_placeholder("Search by").fill("data-19")
    await console.see("Total: 10")
    await tab.get_by_placeholder("Search by").fill("")
    await tab.locator(".resource-table-pages .next-select").click()
    await tab.locator(".next-select-menu:visible").get_by_role("option", name="50").click()
    await expect(tab.locator("tbody tr")).to_have_count(50)
    await console.see("Total: 200")
