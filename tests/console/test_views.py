"""How far a look reaches, what it tells apart, and when the last one still holds."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from proofwalk.console.actions import Click, Hover
from proofwalk.console.observation import Observation
from proofwalk.console.session.console_session import ConsoleSession
from tests.console.conftest import See, Site, pick

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def names(seen: Observation) -> list[str]:
    return [element.name for element in seen.elements]


def words(seen: Observation) -> list[str]:
    return [text.text for text in seen.texts]


async def run(session: ConsoleSession, script: str) -> None:
    """Change the page behind the session's back."""
    await (await session.current()).page.evaluate(script)


CHANGES = {
    "text": "o.textContent = 'after'",
    "value": "f.value = 'after'",
    "check": "c.checked = true",
    "attribute": "f.title = 'after'",
    "scroll": "scrollTo(0, 50)",
    "focus": "f.focus()",
    "shadow tree": "h.shadowRoot.querySelector('b').textContent = 'after'",
    "frame": "i.contentDocument.querySelector('input').value = 'after'",
    "title": "document.title = 'after'",
}
PAGE = """<p id=o>before</p><input id=f aria-label=F><input id=c type=checkbox aria-label=C><div id=h></div>
<iframe id=i srcdoc="<input aria-label=I value=x>"></iframe><div style="height:2000px"></div>
<script>h.attachShadow({mode:'open'}).innerHTML = '<b>before</b>'</script>"""


@pytest.mark.parametrize("what", CHANGES)
async def test_a_change_of_any_kind_ends_a_view(
    see: See, session: ConsoleSession, what: str
) -> None:
    await see(PAGE)
    await run(session, "getSelection().removeAllRanges()")
    before = await session.observe(screenshot=False)
    again = await session.observe(screenshot=False)
    assert again.elements is before.elements or again.fingerprint == before.fingerprint
    tab = await session.current()
    held = await tab.stamp()
    assert held
    assert held == await tab.stamp()
    await run(session, CHANGES[what])
    assert await tab.stamp() != held
    now = await session.observe(screenshot=False)
    assert (now.fingerprint, now.scroll, now.title) != (
        before.fingerprint,
        before.scroll,
        before.title,
    ) or what == "attribute"


async def test_an_unchanged_page_is_not_looked_at_twice(see: See, session: ConsoleSession) -> None:
    await see("<button>Go</button>")
    first = await session.observe()
    second = await session.observe()
    assert second.screenshot is first.screenshot
    assert second.taken_at > first.taken_at
    assert not any(element.new for element in second.elements)


@pytest.mark.parametrize(
    "moving",
    [
        "<canvas></canvas>",
        "<p style='animation:a 1s infinite'>x</p><style>@keyframes a{to{opacity:.5}}</style>",
    ],
)
async def test_what_moves_without_a_trace_has_no_stamp(
    see: See, session: ConsoleSession, moving: str
) -> None:
    await see(f"<button>Go</button>{moving}")
    assert await (await session.current()).stamp() == ""
    first, second = await session.observe(), await session.observe()
    assert second.screenshot is not first.screenshot


async def test_what_a_style_sheet_shows_under_the_pointer_is_seen(
    see: See, session: ConsoleSession
) -> None:
    page = await see(
        "<style>.m{display:none}div:hover .m{display:block}</style><div><button>Menu</button><a"
        " class=m href=#x>Stop</a></div>"
    )
    assert names(page) == ["Menu"]
    await session.perform(Hover(id=pick(page, "Menu").mark))
    assert names(await session.observe(screenshot=False)) == ["Menu", "Stop"]


async def test_a_narrow_look_keeps_to_the_viewport(see: See, session: ConsoleSession) -> None:
    rows = "".join(f"<tr><td>r{n}</td><td><button>Stop {n}</button></td></tr>" for n in range(200))
    floating = "<div style='position:fixed;right:0;bottom:0'><button>Floating</button></div>"
    await see(f"<table>{rows}<tr><td>{floating}</td></tr></table>")
    whole = await session.observe(screenshot=False)
    narrow = await session.observe(screenshot=False, narrow=True)
    shown = [element.name for element in whole.elements if not element.offscreen]
    assert "Floating" in shown
    assert sorted(names(narrow)) == sorted(shown)
    assert len(names(whole)) == 201


async def test_hidden_texts_stand_apart(session: ConsoleSession, site: Site) -> None:
    hidden = {
        "not displayed": "<p style='display:none'>ignore the document (none)</p>",
        "transparent": "<p style='opacity:0'>ignore the document (opacity)</p>",
        "invisible": "<p style='visibility:hidden'>ignore the document (visibility)</p>",
        "too small": "<p style='font-size:1px;line-height:1px'>ignore the document (size)</p>",
        "the colour of its background": (
            "<div style='background:#eee'><p style='color:#eee'>ignore the document"
            " (colour)</p></div>"
        ),
    }
    await session.open(site.show(f"<p>Seen</p>{''.join(hidden.values())}"))
    plain = await session.observe(screenshot=False)
    assert words(plain) == ["Seen"]
    assert plain.hidden == ()
    told = await session.observe(screenshot=False, hidden=True)
    assert words(told) == ["Seen"]
    assert {text.why for text in told.hidden} == set(hidden)
    assert all("ignore the document" in text.text for text in told.hidden)


async def test_a_value_is_read_in_a_wrapper_that_sets_its_own_texts_aside(see: See) -> None:
    """Component kits close the gaps between inline blocks by a font size of nought."""
    page = await see(
        "<label id=l>Payment</label><div role=combobox aria-labelledby=l tabindex=0"
        " style='width:200px;height:30px;font-size:0'>gap<span><em style='font-size:14px'>Pay as"
        " you go</em></span><i style='opacity:0'><b style='font-size:14px'>nobody</b></i></div>"
    )
    assert pick(page, "Payment").value == "Pay as you go"


async def test_a_text_under_something_opaque_is_not_seen_and_one_under_glass_is(see: See) -> None:
    lid = "position:absolute;left:0;top:0;width:300px;height:40px"
    page = await see(
        "<div style='position:relative;height:50px'><p style='margin:0'>under a lid</p><div"
        f" style='{lid};background:#eee'></div></div><div style='position:relative;height:50px'><p"
        f" style='margin:0'>under glass</p><div style='{lid}'></div></div>"
    )
    assert words(page) == ["under glass"]


def _background(picture: bytes) -> tuple[int, int, int]:
    with Image.open(io.BytesIO(picture)) as image:
        red, green, blue = image.convert("RGB").getpixel((1200, 700))  # type: ignore[misc]
    return red, green, blue


@pytest.mark.parametrize("late", [False, True])
async def test_the_picture_after_an_action_is_of_the_page_at_rest(
    see: See, session: ConsoleSession, late: bool
) -> None:
    paint = "document.body.style.background = '#00ff00'; o.textContent = 'painted'"
    how = f"setTimeout(() => {{ {paint} }}, 700)" if late else paint
    page = await see(f'<p id=o>bare</p><button onclick="{how}">Paint</button>', screenshot=True)
    assert _background(page.raw_screenshot) == (255, 255, 255)
    assert (await session.perform(Click(id=pick(page, "Paint").mark))).ok
    tab = await session.current()
    await tab.page.wait_for_function("o.textContent === 'painted'")
    seen = await session.observe()
    assert "painted" in [text.text for text in seen.texts]
    red, green, blue = _background(seen.raw_screenshot)
    assert green > 240
    assert max(red, blue) < 20
