"""Finds the point of a mark on the screen, and presses there so that the marked element
is hit or nothing is.

A mark is found again by identity. If its node is gone, or has become something else
(another name, role or table row, as in lists that recycle their nodes), a fresh look
decides: exactly one element of the same description replaces it, else the mark is stale
(`action.stale_mark`). An element that only moved is followed. If something else lies at
its point, the action is refused as `action.covered`.

Between that hit test and the press the page may still change. So `locate` arms a guard
in the element's document (`act.js`) that stops a press landing elsewhere before the
page can see it. The press is then tried once more, and refused as `action.intercepted`.
A click costs two round trips: locate with the hit test, then all pointer events
together with the guard's answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from dataclasses import dataclass
from typing import Any

from proofwalk.console.acting.stage import Stage
from proofwalk.console.actions import Button
from proofwalk.console.browser.worlds import FrameWorld
from proofwalk.console.faults import Refused, WorldGone
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Box, Element, Observation, State
from proofwalk.console.tab.page import ConsolePage

_LANDING_S = 0.5
"""Seconds for the guard to answer after the browser has processed a click."""


@dataclass(frozen=True, kw_only=True)
class Spot:
    """An element, found again."""

    element: Element
    world: FrameWorld
    id: int
    x: float
    y: float
    facts: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Landing:
    """What lies at a point of the viewport."""

    name: str
    """`button "Save"`, or words for what the place shows."""
    identity: str = ""
    input_type: str = ""


def _signature(element: Element) -> tuple[str, ...]:
    return (
        element.role,
        element.tag,
        element.name,
        element.label,
        element.container,
        element.row,
        element.column,
        element.group,
        element.frame,
    )


def _row_key(element: Element) -> str:
    """Return the cell that names a row: its first."""
    return " ".join(element.row.split(" | ")[0].split())


def _same(then: Element, now: Element) -> bool:
    return (then.role, then.name, _row_key(then)) == (now.role, now.name, _row_key(now))


class Pointing:
    """Resolves marks of a session's latest observation."""

    def __init__(self, stage: Stage, tab: ConsolePage, seen: Observation) -> None:
        self._stage = stage
        self._tab = tab
        self._seen = seen

    def element(self, mark: int) -> Element:
        """Return the element with this mark in the latest observation."""
        found = self._seen.element(mark)
        if found is None:
            raise Refused(
                "action.no_such_mark",
                f"there is no element [{mark}] in the latest observation; marks are 1 to"
                f" {len(self._seen.elements)}",
            )
        return found

    def stand_in(self, world: FrameWorld, number: int, name: str, role: str = "cell") -> Element:
        """Return an element for a part of a widget that has no mark. It never counts as
        stale."""
        nowhere = Box(x=0, y=0, width=0, height=0)
        return Element(
            mark=0, identity=f"{world.key}-{number}", role=role, tag="", name=name, box=nowhere
        )

    async def spot(self, element: Element, *, hit: bool = True, arm: bool = False) -> Spot:
        """Return where the element is now, scrolled into view. With `hit`, at a point
        where a click reaches it; `arm` sets the guard."""
        found = await self._locate(element, arm)
        if found is None or not self._unchanged(element, found[2]):
            element = await self._again(element)
            found = await self._locate(element, arm)
        if found is None:
            raise Refused(
                "action.stale_mark", f"{name_of(element)} is no longer on the page; look again"
            )
        world, number, facts = found
        point = facts["point"]
        if hit and point is None:
            await self._tab.wait_quiet(2.0)
            found = await self._locate(element, arm)
            if found is not None:
                world, number, facts = found
                point = facts["point"]
        if point is None:
            if hit:
                if not facts["shown"] or not facts["inside"]:
                    raise Refused(
                        "action.not_visible",
                        f"{name_of(element)} is not visible and cannot be scrolled into view",
                    )
                raise Refused(
                    "action.covered",
                    f"{name_of(element)} is covered by {facts['by']}; deal with that first",
                )
            box = facts["box"]
            point = [box[0] + box[2] / 2, box[1] + box[3] / 2]
        x, y = await self._origin(world)
        x, y = x + point[0], y + point[1]
        if hit and not world.main:
            main = (await self._tab.worlds.all(self._tab.seconds))[0]
            if not (
                await self._tab.worlds.call(main, "frameHits", [[x, y]], seconds=self._tab.seconds)
            )[0]:
                raise Refused(
                    "action.covered",
                    f"{name_of(element)} is covered by something over its frame; deal with that"
                    " first",
                )
        return Spot(element=element, world=world, id=number, x=x, y=y, facts=facts)

    async def _locate(
        self, element: Element, arm: bool
    ) -> tuple[FrameWorld, int, dict[str, Any]] | None:
        key, _, number = element.identity.rpartition("-")
        world = self._tab.worlds.find(key)
        if world is None:
            return None
        how = {"reveal": True, "arm": arm, "role": element.role}
        try:
            facts = await self._tab.worlds.call(
                world, "locate", int(number), how, seconds=self._tab.seconds
            )
        except WorldGone:
            return None
        return (world, int(number), facts) if facts["found"] else None

    def _unchanged(self, element: Element, facts: dict[str, Any]) -> bool:
        """Return True if a node surely still shows what the mark was set on."""
        if element.mark == 0:
            return True
        mask = self._stage.secrets.mask
        name, row, key = facts["name"], mask(facts["row"]), _row_key(element)
        if name is not None and mask(name) != element.name:
            return False
        if facts["explicit"] and facts["explicit"] not in {element.role, "searchbox"}:
            return False
        return (
            not key
            or re.search(rf"(?<!\w){re.escape(key)}(?!\w)", " ".join(row.split())) is not None
        )

    async def _again(self, element: Element) -> Element:
        """Return the element of a fresh look that the mark stands for. Raises
        `action.stale_mark`."""
        fresh = await self._stage.look()
        now = next((other for other in fresh.elements if other.identity == element.identity), None)
        if now is not None and _same(element, now):
            return now
        same = [other for other in fresh.elements if _signature(other) == _signature(element)]
        if len(same) == 1:
            return same[0]
        became = ""
        if now is not None:
            row = f' in row "{_row_key(now)}"' if _row_key(now) != _row_key(element) else ""
            became = f"has become {name_of(now)}{row}"
        raise Refused(
            "action.stale_mark",
            f"{name_of(element)} {became or 'is no longer on the page'}; look again",
        )

    async def _origin(self, world: FrameWorld) -> tuple[float, float]:
        if world.main:
            return 0.0, 0.0
        place = (await self._tab.worlds.offsets([world], self._tab.seconds))[0]
        if place is None:
            raise Refused(
                "action.stale_mark", "the frame of this element is no longer shown; look again"
            )
        return place[0], place[1]

    async def click(
        self,
        element: Element,
        *,
        button: Button = "left",
        count: int = 1,
        modifiers: tuple[str, ...] = (),
    ) -> Spot:
        """Click the element itself. Raises `Refused` if the press cannot reach it; then
        nothing was clicked."""
        wrong = ""
        for _ in range(2):
            spot = await self.spot(element, arm=True)
            if "disabled" in spot.facts["states"]:
                raise Refused("action.disabled", f"{name_of(spot.element)} is disabled")
            wrong = await self._press(spot, button, count, modifiers)
            if not wrong:
                return spot
            await self._tab.wait_quiet(2.0)
            element = spot.element
        raise Refused(
            "action.intercepted",
            f"the press on {name_of(element)} came down on {wrong}; nothing was clicked, look"
            " again",
        )

    async def _press(
        self, spot: Spot, button: Button, count: int, modifiers: tuple[str, ...]
    ) -> str:
        """Click at the spot. Return what was hit instead; empty if the press reached
        the element."""
        asked = asyncio.create_task(self._landed(spot))
        try:
            await self._tab.devices.click(
                spot.x, spot.y, button=button, count=count, modifiers=modifiers
            )
            async with asyncio.timeout(_LANDING_S):
                answer = await asyncio.shield(asked)
        except TimeoutError:
            answer = {"pressed": False}
        finally:
            asked.add_done_callback(_forget)
            asked.cancel()
        if answer["pressed"]:
            return str(answer["wrong"])
        return (
            "something over its frame"
            if not spot.world.main
            else "nothing that belongs to the page"
        )

    async def _landed(self, spot: Spot) -> dict[str, Any]:
        try:
            return dict(
                await self._tab.worlds.call(spot.world, "landed", seconds=self._tab.seconds)
            )
        except WorldGone:
            # A click that led to another page has reached its element: the guard lets
            # nothing else through.
            return {"pressed": True, "wrong": ""}

    async def at(self, x: float, y: float) -> Landing:
        """Return what a press at this point of the viewport would reach. Raises
        `Refused` for a point outside."""
        width, height = self._seen.viewport
        if not (0 <= x < width and 0 <= y < height):
            raise Refused(
                "action.outside",
                f"({x:g}, {y:g}) is outside the viewport of {width}x{height} pixels; scroll first",
            )
        worlds = await self._tab.worlds.all(self._tab.seconds)
        found, world = (
            await self._tab.worlds.call(worlds[0], "at", x, y, seconds=self._tab.seconds),
            worlds[0],
        )
        if found.get("frame"):
            places = await self._tab.worlds.offsets(worlds[1:], self._tab.seconds)
            for inner, place in zip(worlds[1:], places, strict=True):
                if (
                    place is not None
                    and place[0] <= x < place[0] + place[2]
                    and place[1] <= y < place[1] + place[3]
                ):
                    with contextlib.suppress(WorldGone):
                        here = await self._tab.worlds.call(
                            inner, "at", x - place[0], y - place[1], seconds=self._tab.seconds
                        )
                        if here["found"]:
                            found, world = here, inner
        if not found["found"]:
            return Landing(name="nothing")
        words = self._stage.secrets.mask(found["name"])[:80]
        name = f'{found["role"]} "{words}"' if found["role"] and words else found["role"] or words
        return Landing(
            name=name,
            identity=f"{world.key}-{found['id']}" if found["id"] else "",
            input_type=found.get("type", ""),
        )

    async def control(self, spot: Spot, what: str, argument: object = None) -> dict[str, Any]:
        """Drive a control through `act.js`."""
        try:
            answer = await self._tab.unless_dialog(
                self._tab.worlds.call(
                    spot.world, "control", spot.id, what, argument, seconds=self._tab.seconds
                ),
                "driving a control",
            )
        except WorldGone:
            answer = {"found": True, "done": True, "gone": True}
        if answer.get("done") is None and not answer.get("found", True):
            raise Refused(
                "action.stale_mark", f"{name_of(spot.element)} is no longer on the page; look again"
            )
        return dict(answer)


def _forget(asked: asyncio.Task[dict[str, Any]]) -> None:
    """Retrieve the result of a call that nobody awaits, so that its failure is not
    logged."""
    if not asked.cancelled():
        asked.exception()


def refuse_disabled(element: Element) -> None:
    """Raise `Refused` if the element is disabled."""
    if State.DISABLED in element.states:
        why = f": {element.hint}" if element.hint else ""
        raise Refused("action.disabled", f"{name_of(element)} is disabled{why}")


async def fresh_element(stage: Stage, identity: str) -> Element | None:
    """Return the element with this identity as it is now, or None."""
    return next(
        (element for element in (await stage.look()).elements if element.identity == identity), None
    )
