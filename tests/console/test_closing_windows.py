"""A window that closes itself, while it is pressed, waited for or looked at, leaves the
one before it, and nothing is taken for a browser that is gone."""

from __future__ import annotations

import pytest

from proofwalk.console.actions import Click
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, Site, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
WINDOW = """<h1>Window</h1><button onclick="%s">Allow</button>"""
CLOSES = {
    "at once": "window.close()",
    "after what it says": "opener.document.title = 'Allowed'; window.close()",
    "a moment later": "setTimeout(() => window.close(), 60)",
    "once it was away": "location = '/closing'",
}


@pytest.mark.parametrize(("way", "screenshot"), [(way, way == "at once") for way in CLOSES])
async def test_what_closes_itself_leaves_the_page_that_opened_it(
    session: ConsoleSession, see: See, site: Site, way: str, screenshot: bool
) -> None:
    site.show(WINDOW % CLOSES[way], "/window")
    site.show("<h1>Thanks</h1><script>setTimeout(() => window.close(), 30)</script>", "/closing")
    page = await see("<h1>Opener</h1><button onclick=\"window.open('/window')\">Open</button>")
    await session.perform(Click(id=pick(page, "Open").mark))
    window = await session.observe(screenshot=screenshot)
    assert window.texts[0].text == "Window"
    assert (await session.perform(Click(id=pick(window, "Allow").mark))).ok
    here = await session.observe(screenshot=screenshot)
    while len(session.tabs()) > 1:  # its moment has not come
        here = await session.observe(screenshot=screenshot)
    assert here.texts[0].text == "Opener"
