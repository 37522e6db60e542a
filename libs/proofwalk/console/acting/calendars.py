"""Date and time pickers, however they are built.

A native field takes its value. A box that can be typed into is typed into in the format
that it shows, and trusted only if it then shows the date. Otherwise the open calendar
is used: `act.js` reads the months on show, the days, the arrows, the columns of hours
and minutes, and the confirming button. An arrow is judged by how it changed the months,
not by its name. The result is always compared with the box.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from proofwalk.console import actions as a
from proofwalk.console.acting.pointing import Pointing, Spot, refuse_disabled
from proofwalk.console.acting.results import Done
from proofwalk.console.acting.stage import Stage
from proofwalk.console.browser.worlds import FrameWorld
from proofwalk.console.faults import Refused, WorldGone
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Element, State
from proofwalk.console.tab.page import ConsolePage

_TURNS = 80
"""Most clicks on a calendar's arrows."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TOKENS = re.compile(r"y{4}|m{1,2}|d{1,2}|h{1,2}|s{1,2}", re.IGNORECASE)


@dataclass(frozen=True)
class Moment:
    """A date, a time of day, or both."""

    day: date | None
    at: time | None

    def text(self) -> str:
        """Return the ISO form, with a space before the time."""
        return " ".join(
            part
            for part in (str(self.day) if self.day else "", str(self.at) if self.at else "")
            if part
        )

    def shown_in(self, text: str) -> bool:
        """Return True if a box with `text` shows this moment, in any order and
        language."""
        low = text.casefold()
        numbers = [int(number) for number in re.findall(r"\d+", low)]
        if self.day is not None:
            month = self.day.month in numbers or _MONTHS[self.day.month - 1] in low
            if not (month and self.day.day in numbers and self.day.year in numbers):
                return False
            if self.at is None or ":" not in low:
                return True
        return self.at is None or f"{self.at:%H:%M}" in low or f"{self.at.hour}:{self.at:%M}" in low


def read_moment(text: str) -> Moment | None:
    """Read `2026-12-24`, `2026-12-24 10:30[:00]` (or with `T`) or `10:30[:00]`. Return
    None for anything else."""
    parts = text.strip().replace("T", " ").split()
    day = at = None
    try:
        for part in parts:
            if ":" in part and at is None:
                at = time.fromisoformat(part)
            elif day is None and at is None:
                day = date.fromisoformat(part)
            else:
                return None
    except ValueError:
        return None
    return Moment(day, at) if parts else None


def in_pattern(moment: Moment, pattern: str) -> str | None:
    """Write the moment like `YYYY-MM-DD HH:mm:ss` or `dd.mm.yyyy`. Return None for a
    pattern without a year or hour, or with a part that the moment lacks."""
    found = [token.lower() for token in _TOKENS.findall(pattern)]
    if "yyyy" not in found and not any(token[0] == "h" for token in found):
        return None
    timed = False

    def token(match: re.Match[str]) -> str:
        nonlocal timed
        word = match.group().lower()
        timed = timed or word[0] in "hs"
        kind = (
            "minute"
            if word[0] == "m" and timed
            else {"y": "year", "m": "month", "d": "day", "h": "hour", "s": "second"}[word[0]]
        )
        value = getattr(
            moment.at if kind in {"hour", "minute", "second"} else moment.day, kind, None
        )
        if value is None and moment.day is not None and moment.at is None:
            value = 0
        return str(value).zfill(len(word))

    written = _TOKENS.sub(token, pattern.strip())
    return None if "None" in written else written


class Calendars:
    """Drives one tab's date and time pickers."""

    def __init__(self, stage: Stage, tab: ConsolePage, pointing: Pointing) -> None:
        self._stage = stage
        self._tab = tab
        self._pointing = pointing

    @staticmethod
    def read(text: str) -> Moment | None:
        """Read a moment in ISO form. Return None for any other text."""
        return read_moment(text)

    async def set(self, action: a.SetDate) -> Done:
        """Bring a picker to a moment, or to a range."""
        element = self._pointing.element(action.id)
        refuse_disabled(element)
        moments = [
            self._required(action.value),
            *([self._required(action.end)] if action.end else []),
        ]
        if element.input_type in {"date", "time", "datetime-local", "month", "week"}:
            return await self._native(element, moments[0])
        spot = await self._pointing.click(element)
        await self._stage.wait_quiet()
        if not (
            len(moments) == 1 and await self._typed(spot, moments[0])
        ) and not await self.choose(spot, *moments):
            raise Refused(
                "action.wrong_kind", f"{name_of(element)} opens no calendar and takes no typed date"
            )
        return Done(identity=spot.element.identity)

    @staticmethod
    def _required(text: str) -> Moment:
        moment = read_moment(text)
        if moment is None:
            raise Refused(
                "action.bad_value",
                f"{text!r} is no date or time; write 2026-12-24, 2026-12-24 10:30 or 10:30",
            )
        return moment

    async def _native(self, element: Element, moment: Moment) -> Done:
        kind, day = element.input_type, moment.day
        at = moment.at or (time() if kind == "datetime-local" else None)
        written = {
            "date": day and str(day),
            "time": at and f"{at:%H:%M}",
            "datetime-local": day and at and f"{day}T{at:%H:%M}",
            "month": day and f"{day:%Y-%m}",
            "week": day and f"{day:%G-W%V}",
        }[kind]
        spot = await self._pointing.spot(element)
        if not written or not (await self._pointing.control(spot, "value", written))["done"]:
            raise Refused(
                "action.bad_value",
                f"{name_of(element)} does not take {moment.text()!r}; it is a {kind} field",
            )
        return Done(identity=spot.element.identity)

    async def _typed(self, spot: Spot, moment: Moment) -> bool:
        """Type into the box itself. Return False if it cannot be typed into, or did not
        keep the date."""
        if not spot.facts["editable"]:
            return False
        hint = spot.element.placeholder
        text = in_pattern(moment, hint) or (
            None if re.search(r"\d", str(spot.facts["value"])) else moment.text()
        )
        if text is None and re.match(r"\d{4}-\d\d-\d\d|\d\d:\d\d", str(spot.facts["value"])):
            text = moment.text()
        if text is None:
            return False
        await self._pointing.control(spot, "empty")
        await self._tab.devices.insert(text)
        await self._tab.devices.key("Enter")
        await self._stage.wait_quiet()
        seen = await self._calendar()
        if seen is not None and seen[1]["confirm"]:
            await self._press(seen[0], seen[1]["confirm"], "OK")
        return await self._shows(spot, moment) and await self._stays(spot, moment)

    async def _stays(self, spot: Spot, moment: Moment) -> bool:
        """Return True if the date is still there without the focus: a picker may undo a
        typed date."""
        await self._tab.devices.key("Tab")
        await self._stage.wait_quiet()
        return await self._shows(spot, moment)

    async def choose(self, spot: Spot, *moments: Moment) -> bool:
        """Choose the moments in the calendar, which is opened if needed. Return False
        if there is none. Raises `Refused` if a day is not on offer."""
        seen = await self._calendar()
        if seen is None:
            # Many open theirs when the box gets the focus, which it has by now.
            await self._pointing.control(spot, "blur")
            await self._stage.wait_quiet()
            await self._pointing.click(spot.element)
            await self._stage.wait_quiet()
            seen = await self._calendar()
            if seen is None:
                return False
        for moment in moments:
            if moment.day is not None:
                await self._day(moment.day)
            if moment.at is not None:
                await self._time(moment.at)
        seen = await self._calendar()
        if seen is not None and seen[1]["confirm"]:
            await self._press(seen[0], seen[1]["confirm"], "OK")
        if not await self._shows(spot, moments[0]):
            value = (await self._pointing.control(spot, "facts")).get("value", "")
            raise Refused(
                "action.no_effect",
                f'{name_of(spot.element)} shows "{value}" after {moments[0].text()} was chosen',
            )
        return True

    async def _calendar(self) -> tuple[FrameWorld, dict[str, Any]] | None:
        """Return the open calendar or time list, and its document."""
        for world in await self._tab.worlds.all(self._tab.seconds):
            try:
                found = await self._tab.worlds.call(world, "calendar", seconds=self._tab.seconds)
            except WorldGone:
                continue
            if found["months"] or found["times"] or found["twelve"]:
                return world, found
        return None

    async def _day(self, day: date) -> None:
        wanted = day.year * 12 + day.month
        dead: set[int] = set()
        for _ in range(_TURNS):
            seen = await self._calendar()
            if seen is None or not seen[1]["months"]:
                raise Refused(
                    "action.no_effect", "the calendar closed before the day was chosen; look again"
                )
            world, calendar = seen
            shown = [month["year"] * 12 + month["month"] for month in calendar["months"]]
            if wanted in shown:
                cells = calendar["months"][shown.index(wanted)]["days"]
                cell = next((one for one in cells if one["day"] == day.day), None)
                if cell is None or cell["off"]:
                    raise Refused("action.bad_value", f"{day} cannot be chosen in this calendar")
                await self._press(world, cell["id"], f"{day:%d %B %Y}")
                return
            back = wanted < shown[0]
            gap = shown[0] - wanted if back else wanted - shown[-1]
            arrows = [
                one for one in calendar["arrows"] if one["back"] == back and one["id"] not in dead
            ]
            # Years first while they do not overshoot; the last arrow is the one of the
            # last month on show.
            years = [one for one in arrows if one["year"]] if gap >= 12 else []
            months = [one for one in arrows if not one["year"]]
            if not (years or months or arrows):
                raise Refused("action.bad_value", f"the calendar does not turn to {day:%B %Y}")
            arrow = (years or months or arrows)[0 if back else -1]
            await self._press(world, arrow["id"], "the calendar's arrow")
            after = await self._calendar()
            if (
                after is not None
                and [m["year"] * 12 + m["month"] for m in after[1]["months"]] == shown
            ):
                dead.add(arrow["id"])
        raise Refused(
            "action.bad_value", f"the calendar did not reach {day:%B %Y} in {_TURNS} turns"
        )

    async def _time(self, at: time) -> None:
        seen = await self._calendar()
        if seen is None or not seen[1]["times"]:
            if not await self._time_typed(at):
                why = (
                    "has hours of am and pm, which cannot be set"
                    if seen and seen[1]["twelve"]
                    else "offers no time"
                )
                raise Refused("action.bad_value", f"the picker {why}; choose it by hand")
            return
        for index, number in enumerate((at.hour, at.minute, at.second)):
            seen = await self._calendar()
            if seen is None or index >= len(seen[1]["times"]):
                return
            cell = next((one for one in seen[1]["times"][index] if one["value"] == number), None)
            if cell is None:
                raise Refused("action.bad_value", f"{number:02} is not on offer for {at}")
            await self._press(seen[0], cell["id"], f"{number:02}")

    async def _time_typed(self, at: time) -> bool:
        """Type into the box that the popup has for the time."""
        known = (
            {element.identity for element in self._stage.latest.elements}
            if self._stage.latest
            else set()
        )
        fields = [
            e
            for e in (await self._stage.look()).elements
            if e.role == "textbox" and e.identity not in known and State.READONLY not in e.states
        ]
        timed = [
            e
            for e in fields
            if re.search(r"time|\d:\d\d|时间", f"{e.placeholder} {e.value} {e.name}", re.IGNORECASE)
        ]
        if not timed:
            return False
        spot = await self._pointing.click(timed[-1])
        await self._pointing.control(spot, "empty")
        await self._tab.devices.insert(
            in_pattern(Moment(None, at), spot.element.placeholder) or str(at)
        )
        await self._tab.devices.key("Enter")
        await self._stage.wait_quiet()
        return True

    async def _press(self, world: FrameWorld, number: int, name: str) -> None:
        await self._pointing.click(self._pointing.stand_in(world, number, name))
        await self._stage.wait_quiet()

    async def _shows(self, spot: Spot, moment: Moment) -> bool:
        facts = await self._pointing.control(spot, "facts")
        return bool(facts.get("gone")) or moment.shown_in(
            str(facts.get("value") or facts.get("text") or "")
        )
