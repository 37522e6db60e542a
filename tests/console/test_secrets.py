"""Secrets: never in what a policy sees or a report keeps, only in the field they belong
to."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from proofwalk.console.actions import Click, GoTo, Type
from proofwalk.console.observation import Box, Observation
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import SECRETS, See, Site, pick

browser = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
pytestmark = browser

PASSWORD = SECRETS["console_password"]


def darkness(jpeg: bytes, box: Box) -> float:
    """Share of nearly black pixels in the box."""
    image = Image.open(io.BytesIO(jpeg)).convert("L")
    part = image.crop((int(box.x), int(box.y), int(box.x + box.width), int(box.y + box.height)))
    return sum(part.histogram()[:24]) / (part.width * part.height)


def words(page: Observation) -> str:
    """Everything of an observation that is text."""
    return repr(
        (
            page.url,
            page.title,
            page.elements,
            page.texts,
            page.tabs,
            page.alerts,
            page.browser_dialog,
        )
    )


async def test_a_password_goes_into_its_field_and_nowhere_else(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        """<form onsubmit="document.title = [u.value, p.value].join(' '); document.getElementById('o').textContent = 'Hello ' +
        p.value; return false">
        <label>User <input id=u></label> <label>Password <input id=p type=password></label><button>Sign In</button></form><p id=o></p>""",
        screenshot=True,
    )
    typed = await session.perform(Type(id=pick(page, "User").mark, text="<secret:user>"))
    assert typed.ok
    assert SECRETS["user"] not in typed.message
    assert (
        await session.perform(
            Type(id=pick(page, "Password").mark, text="<secret:console_password>")
        )
    ).ok
    await session.perform(Click(id=pick(page, "Sign In").mark))
    tab = await session.current()
    assert await tab.page.title() == f"{SECRETS['user']} {PASSWORD}", "the page got the real values"
    seen = await session.observe()
    assert PASSWORD not in words(seen)
    assert SECRETS["user"] not in words(seen)
    assert seen.title == "<secret:user> <secret:console_password>"
    hello = next(text for text in seen.texts if text.text.startswith("Hello"))
    assert hello.text == "Hello <secret:console_password>"
    for picture in (seen.screenshot, seen.raw_screenshot):
        for box in (hello.box, pick(seen, "User").box, pick(seen, "Password").box):
            assert darkness(picture, box) > 0.8


async def test_secrets_in_addresses_are_masked(session: ConsoleSession, site: Site) -> None:
    site.show("<h1>x</h1>", "/in")
    await session.perform(GoTo(url=site.url(f"/in?token={SECRETS['user']}&p=S3cr3t-Pa55%21")))
    page = await session.observe()
    assert page.url == site.url("/in?token=<secret:user>&p=<secret:console_password>")


async def test_a_password_is_not_typed_where_it_can_be_read(
    see: See, session: ConsoleSession
) -> None:
    page = await see("<label>Note <input></label>")
    result = await session.perform(
        Type(id=pick(page, "Note").mark, text="<secret:console_password>")
    )
    assert (result.ok, result.code) == (False, "action.secret_refused")
    unknown = await session.perform(Type(id=pick(page, "Note").mark, text="<secret:nope>"))
    assert unknown.code == "action.unknown_secret"
    assert pick(await session.observe(screenshot=False), "Note").value == ""
