"""Looking and acting by pixels: roles from layout, identities, secrets that OCR
misreads, pages that are one canvas."""

from __future__ import annotations

import io
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

import numpy as np
import pytest
import pytest_asyncio
from PIL import Image, ImageDraw, ImageFont

from proofwalk.console.actions import Click, ClickAt, Extract, Select, SetChecked, Type, Wait
from proofwalk.console.observation import Box, Element, Observation, State
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.waiting.deadlines import Deadlines
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.pixels.eyes import PixelEyes
from proofwalk.pixels.identity import PREFIX, Identities
from proofwalk.pixels.layout import LayoutReader
from proofwalk.pixels.misreading import MisreadSecrets
from proofwalk.pixels.ocr import RapidText
from proofwalk.pixels.reading import Control, PixelReading
from proofwalk.pixels.sight import same_spot, shared_reader
from tests.console.conftest import SECRETS, Site, pick

Test = TypeVar("Test", bound=Callable[..., object])


def in_browser(test: Test) -> Test:
    """Runs on the loop of the run's one Chromium; reading a picture is dear on a busy
    machine."""
    marked: Test = pytest.mark.timeout(240)(
        pytest.mark.browser(pytest.mark.asyncio(loop_scope="session")(test))
    )
    return marked


@pytest_asyncio.fixture(loop_scope="session")
async def session(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]],
) -> AsyncIterator[ConsoleSession]:
    """A session whose actions may take as long as two looks."""
    bounds = Deadlines(quiet=4.0, command=20.0, action=150.0)
    async with connect(deadlines=bounds, eyes=PixelEyes) as opened:
        yield opened


class Sheet:
    """Controls drawn with Pillow, sent through JPEG as a screenshot is."""

    def __init__(self, width: int = 640, height: int = 300) -> None:
        self._image = Image.new("RGB", (width, height), "white")
        self._pen = ImageDraw.Draw(self._image)

    def text(self, x: int, y: int, words: str, fill: str = "#222222", size: int = 14) -> None:
        self._pen.text((x, y), words, fill=fill, font=ImageFont.load_default(size=size))

    def box(
        self,
        x: int,
        y: int,
        wide: int,
        high: int,
        fill: str = "white",
        outline: str | None = "#999999",
    ) -> None:
        self._pen.rectangle((x, y, x + wide - 1, y + high - 1), fill=fill, outline=outline)

    def line(self, x: int, y: int, wide: int, fill: str, width: int = 1) -> None:
        self._pen.line((x, y, x + wide, y), fill=fill, width=width)

    def pixels(self, quality: int = 95) -> np.ndarray:
        data = io.BytesIO()
        self._image.save(data, "JPEG", quality=quality)
        return np.asarray(Image.open(data).convert("RGB"))


def found(reading: PixelReading, role: str) -> dict[str, Control]:
    return {control.name: control for control in reading.controls if control.role == role}


def form() -> Sheet:
    sheet = Sheet()
    sheet.text(20, 24, "Instance name")
    sheet.box(150, 16, 220, 32)
    sheet.text(20, 64, "Region")
    sheet.box(150, 56, 220, 32)
    sheet.text(160, 64, "Hangzhou", "#111111")
    sheet.text(20, 104, "Notes")
    sheet.box(150, 96, 220, 32)
    sheet.text(160, 104, "Say something", "#aaaaaa")
    sheet.box(20, 150, 14, 14)
    sheet.text(42, 148, "Enable backup")
    sheet.box(20, 180, 14, 14)
    sheet.box(23, 183, 8, 8, fill="#111111", outline=None)
    sheet.text(42, 178, "Accept terms")
    sheet.box(20, 220, 110, 34, fill="#0064c8", outline=None)
    sheet.text(50, 228, "Create", "white")
    sheet.box(150, 220, 110, 34)
    sheet.text(182, 228, "Cancel")
    sheet.text(300, 228, "Learn more", "#0064c8")
    return sheet


def test_roles_are_told_from_layout() -> None:
    reading = shared_reader().read(form().pixels())
    assert set(found(reading, "button")) == {"Create", "Cancel"}
    assert set(found(reading, "link")) == {"Learn more"}
    fields = found(reading, "textbox")
    assert set(fields) == {"Instance name", "Region", "Notes"}
    assert (fields["Instance name"].value, fields["Region"].value) == ("", "Hangzhou")
    assert (fields["Notes"].value, fields["Notes"].placeholder) == ("", "Say something")
    checks = found(reading, "checkbox")
    assert checks["Enable backup"].states == frozenset()
    assert checks["Accept terms"].states == {State.CHECKED}
    box = found(reading, "button")["Create"].box
    assert (
        abs(box.x - 20) <= 2,
        abs(box.y - 220) <= 2,
        abs(box.width - 110) <= 4,
        abs(box.height - 34) <= 4,
    ) == (True,) * 4
    assert "Region" in {words.text for words in reading.words}


def test_the_same_picture_reads_the_same_in_any_order() -> None:
    fresh = LayoutReader(RapidText())
    first = fresh.read(form().pixels())
    other = Sheet()
    other.text(20, 24, "Something else")
    fresh.read(other.pixels())
    assert fresh.read(form().pixels()) == first
    assert shared_reader().read(form().pixels()) == first


def test_tabs_and_tables_are_told_from_alignment() -> None:
    sheet = Sheet(800, 320)
    for number, name in enumerate(("Details", "Disks", "Events")):
        sheet.text(20 + number * 90, 16, name)
    sheet.line(20, 44, 52, "#0064c8", 3)
    for row, (name, zone, state) in enumerate(
        (
            ("web-1", "Zone A", "Running"),
            ("web-2", "Zone B", "Stopped"),
            ("db-1", "Zone C", "Running"),
        )
    ):
        y = 90 + row * 40
        sheet.line(10, y + 30, 780, "#dddddd")
        sheet.text(20, y - 10, name, "#0064c8")
        sheet.text(20, y + 9, f"number {row}")
        sheet.text(140, y, "cn-north")
        sheet.text(250, y, zone)
        sheet.text(400, y, state)
        sheet.box(600, y - 6, 80, 28)
        sheet.text(624, y, "Stop")
    reading = shared_reader().read(sheet.pixels())
    tabs = found(reading, "tab")
    assert set(tabs) == {"Details", "Disks", "Events"}
    assert [name for name, tab in tabs.items() if State.SELECTED in tab.states] == ["Details"]
    stops = [
        control
        for control in reading.controls
        if (control.role, control.name) == ("button", "Stop")
    ]
    assert [control.row.split(" | ")[:5] for control in stops] == [
        ["web-1", "number 0", "cn-north", "Zone A", "Running"],
        ["web-2", "number 1", "cn-north", "Zone B", "Stopped"],
        ["db-1", "number 2", "cn-north", "Zone C", "Running"],
    ]
    assert {words.role for words in reading.words if words.text == "Zone B"} == {"cell"}


def test_a_blank_picture_holds_nothing() -> None:
    reading = shared_reader().read(Sheet(200, 100).pixels())
    assert reading == PixelReading(controls=(), words=())


def control(
    name: str, x: float, y: float, *, role: str = "button", row: str = "", value: str = ""
) -> Control:
    return Control(
        role=role, name=name, box=Box(x=x, y=y, width=80, height=24), row=row, value=value
    )


def test_identities_follow_text_then_row_then_place() -> None:
    names = Identities()
    one, two, field = names.name(
        "u",
        (
            control("Stop", 0, 0, row="web-1"),
            control("Stop", 0, 40, row="web-2"),
            control("", 200, 0, role="textbox"),
        ),
    )
    assert one.startswith(PREFIX)
    assert len({one, two, field}) == 3
    # A row was put in before them, and the field has got a value and a caret.
    moved = (
        control("Stop", 0, 0, row="web-0"),
        control("Stop", 0, 40, row="web-1"),
        control("Stop", 0, 80, row="web-2"),
        control("", 201, 0, role="textbox", value="x"),
    )
    fresh, *rest = names.name("u", moved)
    assert rest == [one, two, field]
    assert fresh not in {one, two, field}
    start = names.name(
        "u", (control("Start", 0, 40, row="web-1"), control("Delete", 0, 80, row="web-2"))
    )
    assert start[1] not in {one, two}, "another word in the same place is another button"
    assert names.name("v", moved) != [fresh, one, two, field], "another page has other elements"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Hello S3cr3t-Pa55!", True),
        ("Hello S3cr3t- Pa55I", True),
        ("Password: 53cr3l-PaSS1", True),
        ("wa1ker-77", True),
        ("Secretary of state", False),
        ("walks to the waterside", False),
        ("Security group sg-77", False),
    ],
)
def test_misread_secrets_are_masked(text: str, hidden: bool) -> None:
    misread = MisreadSecrets(Secrets(SECRETS))
    assert misread.shows(text) is hidden
    assert (misread.mask(text) == text) is not hidden


def test_secrets_cut_in_two_are_found() -> None:
    misread = MisreadSecrets(Secrets(SECRETS))
    assert set(misread.split(["Token", "S3cr3t-", "Pa55!", "Copy"])) >= {1, 2}
    assert set(misread.split(["Token", "Secret", "Copy"])) == set()


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(ProofwalkError) as caught:
        RapidText()
    assert (caught.value.code, caught.value.status) == (
        "pixels.not_installed",
        Status.FAILED_PRECONDITION,
    )
    assert "proofwalk[pixels]" in caught.value.hint


def test_a_spot_is_the_same_unless_it_is_not() -> None:
    one, other = np.full((60, 60, 3), 255, np.uint8), np.full((60, 60, 3), 255, np.uint8)
    other[20:30, 20:30] = 0
    assert same_spot(one, other, Box(x=40, y=40, width=10, height=10))
    assert not same_spot(one, other, Box(x=15, y=15, width=20, height=20))
    assert not same_spot(one, other[:50], Box(x=40, y=40, width=5, height=5))


CANVAS = """<canvas id=c width=900 height=500 tabindex=0 style="outline:0"></canvas><script>
const c = document.getElementById('c'), g = c.getContext('2d');
const s = {name: '', focus: false, backup: false, said: 'Nothing yet', away: false, shift: 0, echo: ''};
const box = (x, y, w, h, fill, line) => { g.fillStyle = fill; g.fillRect(x, y, w, h); if (line) {
  g.strokeStyle = line; g.strokeRect(x + .5, y + .5, w - 1, h - 1); } };
const say = (x, y, t, fill = '#222') => { g.fillStyle = fill; g.fillText(t, x, y); };
function draw() {
  box(0, 0, 900, 500, '#fff'); g.font = '14px "Noto Sans CJK SC", sans-serif';
  say(20, 38, 'Password'); box(120, 18, 240, 32, '#fff', s.focus ? '#06c' : '#999'); say(130, 39, s.name);
  box(20, 70, 16, 16, '#fff', '#666'); if (s.backup) box(24, 74, 8, 8, '#06c'); say(46, 84, 'Enable backup');
  if (!s.away) { box(20 + s.shift, 110, 120, 34, '#0064c8'); say(56 + s.shift, 132, 'Create', '#fff'); }
  box(420, 110, 120, 34, '#fff', '#999'); say(466, 132, '取消');
  say(20, 200, s.said); say(20, 240, s.echo);
}
const inside = (e, x, y, w, h) => e.offsetX >= x && e.offsetX < x + w && e.offsetY >= y && e.offsetY < y + h;
c.addEventListener('click', (e) => {
  s.focus = inside(e, 120, 18, 240, 32);
  if (inside(e, 20, 70, 16, 16)) s.backup = !s.backup;
  if (!s.away && inside(e, 20 + s.shift, 110, 120, 34)) s.said = 'Instance created';
  if (inside(e, 420, 110, 120, 34)) s.said = '已取消';
  draw();
});
c.addEventListener('keydown', (e) => { if (s.focus && e.key.length === 1 && !e.ctrlKey) { s.name += e.key; draw(); } });
draw();
</script>"""


async def look(
    session: ConsoleSession, site: Site, body: str, *, screenshot: bool = False
) -> Observation:
    await session.open(site.show(body))
    return await session.observe(screenshot=screenshot, pixels=True)


async def run(session: ConsoleSession, script: str) -> object:
    return await (await session.current()).page.evaluate(script)


@in_browser
async def test_controls_in_a_canvas_are_seen_and_clicked(
    session: ConsoleSession, site: Site
) -> None:
    page = await look(session, site, CANVAS, screenshot=True)
    assert page.title == "Fixture"
    assert {(e.role, e.name) for e in page.elements} >= {
        ("button", "Create"),
        ("button", "取消"),
        ("textbox", "Password"),
        ("checkbox", "Enable backup"),
    }
    assert all(e.identity.startswith(PREFIX) for e in page.elements)
    assert page.screenshot != page.raw_screenshot, "marks are drawn"
    done = await session.perform(Click(id=pick(page, "Create", "button").mark))
    assert done.ok
    assert "Instance created" in done.message
    assert await run(session, "s.said") == "Instance created"
    again = await session.observe(screenshot=False, pixels=True)
    assert pick(again, "Create").identity == pick(page, "Create").identity
    assert [(e.role, e.name) for e in again.elements if e.new] == [("text", "Instance created")]
    assert (await session.perform(ClickAt(x=500, y=145))).ok
    assert await run(session, "s.said") == "已取消"


@in_browser
async def test_fields_and_checkboxes_in_a_canvas_take_what_they_are_given(
    session: ConsoleSession, site: Site
) -> None:
    page = await look(session, site, CANVAS)
    typed = await session.perform(Type(id=pick(page, "Password").mark, text="web-7"))
    assert typed.ok
    assert await run(session, "s.name") == "web-7"
    assert 'value "" → "web-7"' in typed.message
    ticked = await session.perform(SetChecked(id=pick(page, "Enable backup").mark, checked=True))
    assert ticked.ok
    assert "now checked" in ticked.message
    assert (await session.perform(SetChecked(id=pick(page, "Enable backup").mark, checked=True))).ok
    assert await run(session, "s.backup") is True, "what is checked already is not clicked"
    refused = await session.perform(Select(id=pick(page, "Password").mark, option="x"))
    assert refused.code == "action.needs_dom"
    assert "Enable backup" in (await session.perform(Extract())).details["text"]
    assert (await session.perform(Wait(text="Nothing yet", seconds=5))).ok


@in_browser
async def test_a_control_that_moved_is_followed_and_one_that_went_is_stale(
    session: ConsoleSession, site: Site
) -> None:
    page = await look(session, site, CANVAS)
    await run(session, "s.shift = 200; draw()")
    assert (await session.perform(Click(id=pick(page, "Create").mark))).ok
    assert await run(session, "s.said") == "Instance created"
    await run(session, "s.away = true; draw()")
    gone = await session.perform(Click(id=pick(page, "Create").mark))
    assert (gone.ok, gone.code) == (False, "action.stale_mark")


@in_browser
async def test_secrets_are_covered_in_the_picture(session: ConsoleSession, site: Site) -> None:
    page = await look(session, site, CANVAS)
    field = pick(page, "Password")
    assert (await session.perform(Type(id=field.mark, text="<secret:console_password>"))).ok
    assert await run(session, "s.name") == SECRETS["console_password"]
    await run(session, f"s.echo = 'Welcome {SECRETS['user']}'; draw()")
    seen = await session.observe(pixels=True)
    assert not {value for value in SECRETS.values() if value in repr((seen.elements, seen.texts))}
    assert pick(seen, "Password").value == "<secret:console_password>"
    for picture in (seen.screenshot, seen.raw_screenshot):
        gray = np.asarray(Image.open(io.BytesIO(picture)).convert("L"))
        assert (gray[48:72, 150:372] < 24).mean() > 0.8, "the field"
        assert (gray[250:264, 106:160] < 24).mean() > 0.8, "the echo"


@in_browser
async def test_a_password_is_not_typed_into_another_field(
    session: ConsoleSession, site: Site
) -> None:
    page = await look(
        session, site, CANVAS.replace("say(20, 38, 'Password')", "say(20, 38, 'Comment')")
    )
    refused = await session.perform(
        Type(id=pick(page, "Comment").mark, text="<secret:console_password>")
    )
    assert refused.code == "action.secret_refused"
    assert await run(session, "s.name") == ""


@in_browser
async def test_nothing_is_asked_of_the_page(
    session: ConsoleSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.open(site.show("<button>Save</button>"))
    tab = await session.current()

    async def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("the page was asked")

    for name in ("evaluate", "call", "all", "offsets"):
        monkeypatch.setattr(tab.worlds, name, forbidden)
    seen = await session.observe(pixels=True, settle=False)
    assert [(e.role, e.name) for e in seen.elements] == [("button", "Save")]


HTML = """<p style="color:#333">Filters</p><label>Name <input id=n style="width:200px;height:26px"></label>
<div style="margin:16px 0"><button style="height:30px">Create instance</button> <button style="height:30px">Refresh</button>
<a href="#x">Documentation</a></div><label><input type=checkbox> Show released</label>"""


@in_browser
async def test_it_agrees_with_the_page_where_there_is_one(
    session: ConsoleSession, site: Site
) -> None:
    await session.open(site.show(HTML))
    dom = await session.observe(screenshot=False)
    seen = await session.observe(screenshot=False, pixels=True)

    def places(observation: Observation) -> set[tuple[str, str]]:
        return {(e.role, e.name or e.label) for e in observation.elements if e.role != "text"}

    assert places(seen) == places(dom)
    for element in (e for e in seen.elements if e.role != "text"):
        there: Element = pick(dom, element.name, element.role)
        assert there.box.contains(element.box)
    assert (await session.perform(Type(id=pick(seen, "Name").mark, text="web"))).ok
    assert await run(session, "n.value") == "web"
    back = await session.observe(screenshot=False)
    assert pick(back, "Name").value == "web"
    assert not pick(back, "Name").identity.startswith(PREFIX)
