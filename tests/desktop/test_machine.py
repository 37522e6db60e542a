"""Real machines on the image of `make desktop-image`: `make test-desktop`."""

from __future__ import annotations

import asyncio
import string
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from proofwalk.console import actions as a
from proofwalk.desktop.image import Image
from proofwalk.desktop.keyboard import Chord
from proofwalk.desktop.machine import Machine, Saved
from proofwalk.desktop.osworld.episode import OsworldEpisode, osworld_episode
from proofwalk.desktop.osworld.task import read_task
from proofwalk.desktop.session import DesktopSession
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from tests.desktop.typing_through import CJK, read_back

pytestmark = [pytest.mark.desktop, pytest.mark.timeout(900)]
_TASKS = Path(__file__).parent / "tasks"
_EDITED = "/home/agent/typed.txt"


@pytest.fixture(scope="module")
def image() -> Image:
    return Image.read(Path("build/desktop"))


@asynccontextmanager
async def desktop(
    image: Image, folder: Path, *, saved: Saved | None = None
) -> AsyncIterator[tuple[Machine, DesktopSession]]:
    machine = await Machine.start(image, folder=folder, saved=saved)
    try:
        seat = await machine.seat()
        session = DesktopSession(seat, clock=SystemClock())
        try:
            yield machine, session
        finally:
            await session.close()
            await seat.leave()
    finally:
        await machine.end()


async def test_every_printable_character_and_200_of_chinese_arrive_as_themselves(
    image: Image, tmp_path: Path
) -> None:
    printable = "".join(chr(code) for code in range(32, 127))
    assert set(string.printable) - set(string.whitespace) <= set(printable)
    async with desktop(image, tmp_path / "machine") as (_, session):
        for text in (printable, CJK, "naïve Ärger: 混合 text, 中文\tand keys"):
            assert await read_back(session, text) == text


async def test_what_is_on_the_screen_can_be_pointed_at_by_its_mark(
    image: Image, tmp_path: Path
) -> None:
    async with desktop(image, tmp_path / "machine") as (_, session):
        await session.seat.guest.start(["/usr/bin/mousepad"])
        opened = await session.perform(a.Wait(text="Edit", seconds=60))
        assert opened.ok, opened.message
        seen = await session.observe()
        assert seen.screenshot[:3] == b"\xff\xd8\xff"
        menu = next(element for element in seen.elements if element.name == "Edit")
        assert (await session.perform(a.Click(id=menu.mark))).ok
        assert any(
            element.name.startswith("Select All") for element in (await session.observe()).elements
        )
        failed = await session.perform(a.Click(id=999))
        assert (failed.ok, failed.code) == (False, "action.unknown_mark")
        assert (
            await session.perform(a.GoTo(url="https://example.com"))
        ).code == "action.unsupported"


async def test_a_saved_instant_is_where_others_begin_and_they_are_strangers(
    image: Image, tmp_path: Path
) -> None:
    async with desktop(image, tmp_path / "first") as (machine, session):
        await session.seat.guest.run(["/usr/bin/touch", "/home/agent/was-here"])
        saved = await machine.save(tmp_path / "saved")
    async with (
        desktop(image, tmp_path / "second", saved=saved) as (_, second),
        desktop(image, tmp_path / "third", saved=saved) as (_, third),
        desktop(image, tmp_path / "fresh") as (_, fresh),
    ):
        await second.seat.guest.write("/home/agent/mine", b"second")

        async def listed(session: DesktopSession) -> set[str]:
            said = await session.seat.guest.run(["/usr/bin/ls", "/home/agent"])
            return set(said.out.decode().split())

        assert await listed(second) >= {"was-here", "mine"}
        assert "was-here" in await listed(third)
        assert "mine" not in await listed(third)
        assert "was-here" not in await listed(fresh), "the image itself is never written"


async def test_a_machine_that_dies_is_noticed_and_leaves_nothing(
    image: Image, tmp_path: Path
) -> None:
    async with desktop(image, tmp_path / "machine") as (machine, session):
        assert await machine.is_alive(5)
        for process in psutil.process_iter(["cmdline"]):
            if (
                process.info["cmdline"]
                and str(tmp_path) in " ".join(process.info["cmdline"])
                and "qemu" in process.info["cmdline"][0]
            ):
                process.kill()
        assert await machine.ended_within(10)
        assert not await machine.is_alive(1)
        with pytest.raises(ProofwalkError) as caught:
            await session.observe()
        assert caught.value.code in ("desktop.gone", "desktop.guest_silent")
    assert not (tmp_path / "machine").exists()


async def _document(url: str) -> bytes:
    return (_TASKS / url.removeprefix("file:")).read_bytes()


async def _replaced(episode: OsworldEpisode, *, saving: bool) -> float:
    """Replace a word everywhere in a document by keyboard and dialog, and save it or
    not; the score."""

    async def do(action: a.Action) -> None:
        step = await episode.step(action)
        assert step.result.ok, step.result.message

    def found(role: str, name: str) -> list[int]:
        return [
            one.mark
            for one in episode.observation.elements
            if one.role == role and one.name.startswith(name)
        ]

    await do(a.Wait(text="colours.txt", seconds=90))
    await do(a.Press(key="Control+R"))
    await do(a.Wait(text="Find and Replace", seconds=90))
    search, instead = [
        one.mark
        for one in episode.observation.elements
        if one.role == "textbox" and "Find and Replace" in one.container
    ][:2]
    await do(a.Type(id=search, text="colour"))
    await do(a.Type(id=instead, text="color"))
    everywhere = found("checkbox", "Replace all in")
    if everywhere:
        await do(a.SetChecked(id=everywhere[0], checked=True))
    await do(a.Click(id=(found("button", "Replace All") or found("button", "Replace"))[0]))
    await do(a.Press(key="Escape"))
    if saving:
        await do(a.Press(key="Control+S"))
    await episode.step(a.TaskComplete())
    assert episode.over
    assert episode.score is not None
    return episode.score


async def test_a_task_of_osworlds_format_from_its_setup_to_its_score(
    image: Image, tmp_path: Path
) -> None:
    task, scores = read_task(_TASKS / "replace-a-word.json"), []
    for saving in (True, False):
        folder = tmp_path / f"machine-{saving}"
        async with osworld_episode(
            task, image, folder=folder, clock=SystemClock(), fetch=_document
        ) as episode:
            scores.append(await _replaced(episode, saving=saving))
            with pytest.raises(ProofwalkError) as caught:
                await episode.step(a.TaskComplete())
            assert caught.value.code == "osworld.over"
    assert scores == [1.0, 0.0], "what was not saved is not there"


async def test_keys_that_are_held_are_let_go_at_the_end(image: Image, tmp_path: Path) -> None:
    async with desktop(image, tmp_path / "machine") as (machine, session):
        await session.perform(a.KeyDown(key="Shift"))
        await session.close()
        other = DesktopSession(session.seat, clock=SystemClock())
        await session.seat.guest.start(
            ["/usr/bin/xterm", "-e", f"/bin/sh -c 'read line; echo \"$line\" > {_EDITED}'"]
        )
        await asyncio.sleep(0)
        assert (await other.perform(a.Wait(seconds=8))).ok
        await other.perform(a.TypeFocused(text="abc"))
        await session.seat.press(Chord(("ret",)))
        assert (await other.perform(a.Wait(seconds=1))).ok
        assert await session.seat.guest.read(_EDITED) == b"abc\n"
        assert await machine.is_alive(5)
