"""Secrets in pictures, as a reader of pictures finds them: a value that a page shows,
in whatever way, is read by OCR in the browser's own picture and not in what is kept."""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping

import numpy as np
import pytest
from PIL import Image

from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.pixels.ocr import RapidText
from tests.console.conftest import See

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
MANY_TEXTS = "".join(f"<i style='font-size:3px'>t{number} </i>" for number in range(900))
PLACES: Mapping[str, str] = {
    "a paragraph": "<p>Token CANARY is new</p>",
    "a field": "<label>Token <input value=CANARY></label>",
    "a placeholder": "<label>Token <input placeholder=CANARY></label>",
    "a text area": "<textarea rows=3>line\nCANARY\nline</textarea>",
    "a chosen option": "<select><option>a<option selected>CANARY</select>",
    "an open list": "<select size=3><option>a<option>CANARY<option>b</select>",
    "a button": "<button>Copy CANARY</button>",
    "a button of another name": "<button aria-label=Copy>CANARY</button>",
    "a link of another name": "<a href=/x aria-label=Copy>CANARY</a>",
    "a heading": "<h3>CANARY</h3>",
    "a cell": "<table><tr><th>Key<th>Value<tr><td>a<td>CANARY</table>",
    "a label": "<label>CANARY <input></label>",
    "a check box": "<label><input type=checkbox> CANARY</label>",
    "parts of one word": "<p>FIRST<b>LAST</b></p>",
    "parts in a button": "<button>FIRST<b>LAST</b></button>",
    "letters of their own": "<p>LETTERS</p>",
    "a drawing": "<svg width=300 height=30><text x=5 y=20>CANARY</text></svg>",
    "a shadow root": (
        "<div id=SELF></div><script>SELF.attachShadow({mode:'open'}).innerHTML="
        "'<p>CANARY</p>'</script>"
    ),
    "a closed shadow root": (
        "<div id=SELF></div><script>SELF.attachShadow({mode:'closed'}).innerHTML="
        "'<p>CANARY</p>'</script>"
    ),
    "a frame": "<iframe height=50 srcdoc='<p>CANARY</p>'></iframe>",
    "a frame that is scrolled": (
        "<iframe height=50 srcdoc='<div style=height:400px></div><p>CANARY</p>"
        "<script>scrollTo(0,999)</script>'></iframe>"
    ),
    "editable text": "<div contenteditable>CANARY</div>",
    "small grey text": "<p style='font-size:12px;color:#666'>CANARY</p>",
    "hidden from assistive tools": "<p aria-hidden=true>CANARY</p>",
    "behind many texts": MANY_TEXTS + "<p>CANARY</p>",
    "the end of a long text": f"<p>{'word ' * 120} CANARY</p>",
    "the end of a long text area": f"<textarea rows=9 cols=90>{'word ' * 120} CANARY</textarea>",
    "a wrapped word": "<p style='width:60px;word-break:break-all'>FIRSTLAST</p>",
    "a disabled field": "<input disabled value=CANARY>",
    "a submit button": "<input type=submit value=CANARY>",
    "a menu item": "<ul role=menu><li role=menuitem>CANARY</ul>",
    "a clickable row": "<div onclick='1' style='cursor:pointer'>row CANARY</div>",
    "a line of a box that is scrolled": (
        "<div id=SELF style='height:40px;overflow:auto'><p>a<p>b<p>c<p>CANARY</div>"
        "<script>SELF.scrollTop=999</script>"
    ),
}
BEYOND: Mapping[str, str] = {
    "a canvas": (
        "<canvas id=SELF width=300 height=40></canvas><script>{const x=SELF.getContext('2d');"
        "x.font='20px sans-serif';x.fillText('CANARY',5,25)}</script>"
    ),
    "an image": (
        "<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='300'"
        " height='40'><text x='5' y='25'>CANARY</text></svg>\">"
    ),
    "content of a stylesheet": "<style>#SELF::before{content:'CANARY'}</style><p id=SELF>is new</p>",
}
"""Where a value stays to be read, as docs/security.md says: no text of the page."""
PAGES = [list(PLACES)[start : start + 11] for start in range(0, len(PLACES), 11)]


def canary(number: int) -> str:
    """A value of its own for a place, of letters that OCR does not mistake."""
    return f"KQ7X{number:02d}WZPM".replace("0", "H").replace("1", "T")


def body_of(places: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """A page with these places, and the value that each shows."""
    values = {place: canary(number) for number, place in enumerate(places)}
    parts = []
    for number, (place, html) in enumerate(places.items()):
        value = values[place]
        letters = "".join(f"<span>{letter}</span>" for letter in value)
        html = html.replace("CANARY", value).replace("SELF", f"place{number}")
        html = html.replace("FIRST", value[:4]).replace("LAST", value[4:])
        parts.append(f"<div>{html.replace('LETTERS', letters)}</div>")
    style = "<style>p,h3,ul{margin:3px 0}</style>"
    return style + "".join(parts), values


@functools.cache
def reader() -> RapidText:
    return RapidText()


def read(jpeg: bytes) -> str:
    """All words of a picture, without what is between them."""
    pixels = np.asarray(Image.open(io.BytesIO(jpeg)).convert("RGB"))
    found = reader().find(pixels)
    crops = [
        pixels[
            max(int(box.y) - 2, 0) : int(box.y + box.height) + 2,
            max(int(box.x) - 2, 0) : int(box.x + box.width) + 2,
        ]
        for box in found
    ]
    return "".join(text for text, _ in reader().read(crops)).replace(" ", "").upper()


async def looked_at(
    see: See, session: ConsoleSession, places: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """Which places show their value in the browser's own picture, and in the kept
    one."""
    body, values = body_of(places)
    for place, value in values.items():
        session.secrets.admit(place.replace(" ", "-"), value)
    page = await see(body, screenshot=True)
    tab = await session.current()
    plain, kept = read(await tab.page.screenshot(type="jpeg")), read(page.raw_screenshot)
    return (
        {place for place, value in values.items() if value in plain},
        {place for place, value in values.items() if value in kept},
    )


@pytest.mark.parametrize("number", range(len(PAGES)))
async def test_no_text_of_a_page_shows_a_secret_in_its_picture(
    see: See, session: ConsoleSession, number: int
) -> None:
    places = {place: PLACES[place] for place in PAGES[number]}
    plain, kept = await looked_at(see, session, places)
    assert plain == set(places), "the control: without masking they are read"
    assert not kept


async def test_what_is_no_text_is_not_found(see: See, session: ConsoleSession) -> None:
    plain, kept = await looked_at(see, session, BEYOND)
    assert plain == kept == set(BEYOND)


async def test_a_scrolled_page_is_masked_where_it_shows_a_secret(
    see: See, session: ConsoleSession
) -> None:
    scrolled = (
        "<div style=height:2000px></div><label><input type=checkbox> CANARY</label>"
        "<iframe height=50 srcdoc='<p>CANARY</p>'></iframe><script>scrollTo(0,9999)</script>"
    )
    plain, kept = await looked_at(see, session, {"the end of a page": scrolled})
    assert (plain, kept) == ({"the end of a page"}, set())
