"""What the walks of Directus share: its icons, windows, drawers and fields."""

from __future__ import annotations

from playwright.async_api import Locator, Page

from benchmarks.field.scripts import Given


async def sign_in(page: Page, given: Given) -> None:
    """From the start page, which leads to the sign-in page."""
    await page.goto(given.url)
    await page.fill("input[type=email]", given.login["user"])
    await page.fill("input[type=password]", given.login["password"])
    await page.click("button[type=submit]")
    await page.locator(".module-bar").wait_for()


async def go(page: Page, given: Given, path: str) -> None:
    """A page of the console, once its header is there. A session that was kept can be
    taken up once, as its key changes then; after that it is signed in anew."""
    email = page.locator("input[type=email]")
    await page.locator(".module-bar").or_(email).first.wait_for()
    if await email.is_visible():
        await sign_in(page, given)
    await page.goto(f"{given.url.removesuffix('/content')}/{path}")
    await page.locator("header .title").first.wait_for()


def _page(within: Page | Locator) -> Page:
    return within.page if isinstance(within, Locator) else within


def button(within: Page | Locator, icon: str) -> Locator:
    """The button with this icon, in a header."""
    drawn = _page(within).locator(f"i[data-icon={icon}]")
    return within.locator("header .v-button", has=drawn).locator("button, a").first


async def press(page: Page, icon: str) -> None:
    """The button of the page's header with this icon."""
    await button(page, icon).click()


async def _answered(page: Page, control: Locator, name: str) -> None:
    """Press it, and wait for what the console says of the change."""
    async with page.expect_response(
        lambda answer: (
            answer.request.method in ("POST", "PATCH", "DELETE")
            and "/users/me/track" not in answer.url
        )
    ) as asked:
        await control.click()
    answer = await asked.value
    assert answer.ok, f"{name}: {answer.status} {await answer.text()}"


async def saved(within: Page | Locator, icon: str) -> None:
    """Press the button of a header that saves."""
    await _answered(_page(within), button(within, icon), icon)


def window(page: Page) -> Locator:
    """The window that lies over everything."""
    return page.locator("#dialog-outlet .v-card").last


async def confirm(page: Page, text: str) -> None:
    """Press the button of the window that agrees."""
    await _answered(page, window(page).get_by_role("button", name=text, exact=True), text)


def drawer(page: Page) -> Locator:
    """The drawer on top."""
    return page.locator(".v-drawer").last


def field_of(within: Page | Locator, label: str) -> Locator:
    """The field under a label."""
    page = _page(within)
    return within.locator(".field", has=page.locator(".field-label", has_text=label)).first


async def menu(page: Page, text: str) -> None:
    """An item of the menu that is open."""
    await page.locator("#menu-outlet").get_by_text(text, exact=True).last.click()


async def pick(page: Page, field: Locator, text: str) -> None:
    """Choose in a drop-down."""
    await field.locator(".v-input").first.click()
    await menu(page, text)
