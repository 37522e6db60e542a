"""Sliders, files and typed dates: controls that need more than a click or a text.

A slider is moved by keys if it is focusable (exact), else by dragging its handle
towards the value and correcting by what it then shows. A file is put into an input
without telling the browser its path: into the input near by, into the one that a click
requests, or by dropping it. A date is typed into the box of the picker's popup if its
own box is read-only. If the popup has none, `calendars` chooses it.
"""

from __future__ import annotations

import asyncio
import base64
import mimetypes
from pathlib import Path
from typing import TYPE_CHECKING

from proofwalk.console.acting.calendars import Calendars
from proofwalk.console.acting.pointing import Pointing, Spot, refuse_disabled
from proofwalk.console.acting.stage import Stage
from proofwalk.console.faults import Refused, bounded
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Element
from proofwalk.console.tab.page import ConsolePage

if TYPE_CHECKING:
    from playwright.async_api import FileChooser, FilePayload

_FILE_LIMIT = 10 * 2**20
_KEY_LIMIT = 120
_CHOOSER_S = 2.5
"""Seconds for a page to ask for a file after a click."""


def _number(text: object) -> float | None:
    try:
        return float(str(text).strip().rstrip("%"))
    except ValueError:
        return None


class Controls:
    """Drives one tab's special controls."""

    def __init__(self, stage: Stage, tab: ConsolePage, pointing: Pointing) -> None:
        self._stage = stage
        self._tab = tab
        self._pointing = pointing

    # sliders

    async def slide(self, element: Element, value: float) -> str:
        """Bring a slider or number field to `value`."""
        refuse_disabled(element)
        if element.role not in {"slider", "spinbutton"}:
            raise Refused("action.wrong_kind", f"{name_of(element)} is not a slider")
        spot = await self._pointing.spot(element, hit=False)
        low, high = _number(spot.facts["min"]), _number(spot.facts["max"])
        if (low is not None and value < low) or (high is not None and value > high):
            raise Refused(
                "action.bad_value",
                (
                    f"{name_of(element)} goes from {low:g} to {high:g}"
                    if low is not None and high is not None
                    else f"{value:g} is out of range"
                ),
            )
        if element.tag == "input" and element.input_type in {"range", "number"}:
            await self._pointing.control(spot, "value", f"{value:g}")
        elif not await self._slide_by_keys(spot, value):
            await self._slide_by_drag(spot, value, low, high)
            await self._slide_by_keys(spot, value)
        now = await self._now(spot)
        if now is None or abs(now - value) > 1e-6:
            raise Refused(
                "action.bad_value",
                f"{name_of(element)} stays at {'nothing' if now is None else format(now, 'g')}; it"
                f" does not take {value:g}",
            )
        return spot.element.identity

    async def _now(self, spot: Spot) -> float | None:
        await self._tab.wait_quiet(2.0)
        return _number((await self._pointing.control(spot, "facts")).get("now"))

    async def _slide_by_keys(self, spot: Spot, value: float) -> bool:
        await self._pointing.control(spot, "focus")
        start = await self._now(spot)
        if start is None:
            return False
        if start == value:
            return True
        forward, back = ("ArrowRight", "ArrowLeft")
        await self._tab.devices.key(forward if value > start else back)
        now = await self._now(spot)
        if now is None or now == start or (now - start) * (value - start) < 0:
            return False
        step = abs(now - start)
        presses = round(abs(value - now) / step)
        if presses > _KEY_LIMIT:
            return False
        for _ in range(presses):
            await self._tab.devices.key(forward if value > now else back)
        return await self._now(spot) == value

    async def _slide_by_drag(
        self, spot: Spot, value: float, low: float | None, high: float | None
    ) -> None:
        box = spot.facts["box"]
        tracks = await self._pointing.control(spot, "track")
        track = tracks.get("track") or box
        origin_x, origin_y = spot.x - (box[0] + box[2] / 2), spot.y - (box[1] + box[3] / 2)
        least, most = (low if low is not None else 0.0), (high if high is not None else 100.0)
        y = origin_y + box[1] + box[3] / 2
        start_x = origin_x + box[0] + box[2] / 2 if track is not box else origin_x + track[0]
        guess = origin_x + track[0] + track[2] * (value - least) / (most - least or 1)
        await self._tab.devices.move(start_x, y)
        await self._tab.devices.press(start_x, y)
        x = guess
        per_unit = track[2] / (most - least or 1)
        for _ in range(8):
            await self._tab.devices.move(x, y)
            now = _number((await self._pointing.control(spot, "facts")).get("now"))
            if now is None or now == value:
                break
            x += (value - now) * per_unit * 0.9
        await self._tab.devices.release(x, y)

    # files

    async def upload(self, element: Element, name: str, text: str = "") -> str:
        """Put a file of the episode's folder into a file input, or use a button that
        opens one. Of a `text`, a file that is not in the folder is made."""
        refuse_disabled(element)
        folder = self._stage.artifacts.resolve()
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            raise Refused("action.no_such_file", f"{name!r} is not in the episode's folder")
        content = await asyncio.to_thread(_content, path, text)
        spot = await self._pointing.spot(element, hit=False)
        mime = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        given = {"name": path.name, "mime": mime, "data": base64.b64encode(content).decode()}
        if (await self._pointing.control(spot, "file", given))["done"]:
            return spot.element.identity
        if await self._choose_file(
            element, {"name": path.name, "mimeType": mime, "buffer": content}
        ):
            return spot.element.identity
        if (await self._pointing.control(spot, "drop", given))["done"]:
            return spot.element.identity
        raise Refused("action.wrong_kind", f"{name_of(element)} does not take a file")

    async def _choose_file(self, element: Element, payload: FilePayload) -> bool:
        """Click, and answer the file dialog that opens. Return False if none does."""
        choosers: asyncio.Queue[FileChooser] = asyncio.Queue(maxsize=4)
        page = self._tab.page
        page.on("filechooser", choosers.put_nowait)
        try:
            # Listening begins with a message that is not answered; a question behind it
            # is, and then the page's dialog is caught.
            await bounded(page.title(), self._tab.seconds, "watching for a file dialog")
            await self._pointing.click(element)
            async with asyncio.timeout(_CHOOSER_S):
                chooser = await choosers.get()
        except TimeoutError:
            return False
        finally:
            page.remove_listener("filechooser", choosers.put_nowait)
        await bounded(chooser.set_files([payload]), self._tab.seconds, "handing over a file")
        return True

    # dates

    async def type_elsewhere(self, spot: Spot, text: str) -> None:
        """Type into a field of the popup, since the box itself is read-only. Without a
        field, use the popup's calendar."""
        await self._stage.wait_quiet()
        seen = await self._stage.look()
        known = (
            {element.identity for element in self._stage.latest.elements}
            if self._stage.latest
            else set()
        )
        fields = [
            e
            for e in seen.elements
            if e.role == "textbox" and e.identity not in known and "readonly" not in e.states
        ]
        if not fields:
            calendars = Calendars(self._stage, self._tab, self._pointing)
            moment = calendars.read(text)
            if moment is not None and await calendars.choose(spot, moment):
                return
            hint = "; use select for it" if spot.element.role == "combobox" else ""
            raise Refused("action.readonly", f"{name_of(spot.element)} cannot be typed into{hint}")
        parts = text.split() if len(fields) > 1 else [text]
        for field, part in zip(fields, parts, strict=False):
            inner = await self._pointing.click(field)
            await self._pointing.control(inner, "empty")
            await self._tab.devices.insert(part)
        await self._tab.devices.key("Enter")

    async def commit_date(self, spot: Spot, text: str) -> None:
        """Confirm a typed date with Enter and the OK of its panel, without which a
        picker ignores it. Does nothing unless a calendar is open."""
        seen = await self._stage.look()
        known = (
            {element.identity for element in self._stage.latest.elements}
            if self._stage.latest
            else set()
        )
        cells = [
            e
            for e in seen.elements
            if e.identity not in known and e.role in {"cell", "button"} and e.name.isdigit()
        ]
        if len(cells) < 20:
            return
        await self._tab.devices.key("Enter")
        await self._stage.wait_quiet()
        seen = await self._stage.look()
        confirm = [
            e
            for e in seen.elements
            if e.identity not in known
            and e.role == "button"
            and e.name.casefold() == "ok"
            and "disabled" not in e.states
        ]
        if confirm:
            await self._pointing.click(confirm[0])


def _content(path: Path, text: str) -> bytes:
    """What the file has, or the `text` where there is no file."""
    if text and not path.exists():
        return text.encode()
    try:
        if path.stat().st_size > _FILE_LIMIT:
            raise Refused(
                "action.bad_value", f"{path.name} is larger than {_FILE_LIMIT // 2**20} MB"
            )
        return path.read_bytes()
    except OSError as error:
        raise Refused(
            "action.no_such_file", f"there is no file {path.name!r} in the episode's folder"
        ) from error
