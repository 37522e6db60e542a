"""From a mark to a point on the screen: found again by identity, scrolled into view, and hit-tested where the click will land.

A mark whose element was swapped by a re-render is found again when exactly one element of a fresh look has the same description;
otherwise it is stale (`action.stale_mark`), and something else at the point is `action.occluded`, never a click on the wrong thing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proofwalk.console.changes import name_of
from proofwalk.console.faults import Refused, WorldGone
from proofwalk.console.observation import Element, Observation, State
from proofwalk.console.page import ConsolePage
from proofwalk.console.worlds import FrameWorld

if TYPE_CHECKING:
    from proofwalk.console.session import ConsoleSession


@dataclass(frozen=True, kw_only=True)
class Spot:
    """An element, found again."""

    element: Element
    world: FrameWorld
    id: int
    x: float
    y: float
    facts: dict[str, Any]


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


class Pointing:
    """Resolves marks of a session's latest observation."""

    def __init__(self, session: ConsoleSession, tab: ConsolePage, seen: Observation) -> None:
        self._session = session
        self._tab = tab
        self._seen = seen

    def element(self, mark: int) -> Element:
        """The element with this mark in the latest observation."""
        found = self._seen.element(mark)
        if found is None:
            raise Refused(
                "action.no_such_mark",
                f"there is no element [{mark}] in the latest observation; marks are 1 to {len(self._seen.elements)}",
            )
        return found

    async def spot(self, element: Element, *, hit: bool = True) -> Spot:
        """Where the element is now, scrolled into view; with `hit`, at a point where a click reaches it."""
        found = await self._locate(element)
        if found is None:
            element = await self._again(element)
            found = await self._locate(element)
        if found is None:
            raise Refused("action.stale_mark", f"{name_of(element)} is no longer on the page; look again")
        world, number, facts = found
        point = facts["point"]
        if hit and point is None:
            await self._tab.wait_quiet(2.0)
            found = await self._locate(element)
            if found is not None:
                world, number, facts = found
                point = facts["point"]
        if point is None:
            if hit:
                if not facts["shown"] or not facts["inside"]:
                    raise Refused("action.not_visible", f"{name_of(element)} is not visible and cannot be scrolled into view")
                raise Refused("action.occluded", f"{name_of(element)} is covered by {facts['by']}; deal with that first")
            box = facts["box"]
            point = [box[0] + box[2] / 2, box[1] + box[3] / 2]
        x, y = await self._origin(world)
        x, y = x + point[0], y + point[1]
        if hit and not world.main:
            main = (await self._tab.worlds.all(self._tab.seconds))[0]
            if not (await self._tab.worlds.call(main, "frameHits", [[x, y]], seconds=self._tab.seconds))[0]:
                raise Refused(
                    "action.occluded", f"{name_of(element)} is covered by something over its frame; deal with that first"
                )
        return Spot(element=element, world=world, id=number, x=x, y=y, facts=facts)

    async def _locate(self, element: Element) -> tuple[FrameWorld, int, dict[str, Any]] | None:
        key, _, number = element.identity.rpartition("-")
        world = self._tab.worlds.find(key)
        if world is None:
            return None
        try:
            facts = await self._tab.worlds.call(world, "locate", int(number), True, seconds=self._tab.seconds)
        except WorldGone:
            return None
        return (world, int(number), facts) if facts["found"] else None

    async def _again(self, element: Element) -> Element:
        """The one element of a fresh look that has the same description."""
        fresh = await self._session.look()
        same = [other for other in fresh.elements if _signature(other) == _signature(element)]
        if len(same) == 1:
            return same[0]
        raise Refused("action.stale_mark", f"{name_of(element)} is no longer on the page; look again")

    async def _origin(self, world: FrameWorld) -> tuple[float, float]:
        if world.main:
            return 0.0, 0.0
        place = (await self._tab.worlds.offsets([world], self._tab.seconds))[0]
        if place is None:
            raise Refused("action.stale_mark", "the frame of this element is no longer shown; look again")
        return place[0], place[1]

    async def control(self, spot: Spot, what: str, argument: object = None) -> dict[str, Any]:
        """Drive a control through `act.js`."""
        try:
            answer = await self._tab.unless_dialog(
                self._tab.worlds.call(spot.world, "control", spot.id, what, argument, seconds=self._tab.seconds),
                "driving a control",
            )
        except WorldGone:
            answer = {"found": True, "done": True, "gone": True}
        if answer.get("done") is None and not answer.get("found", True):
            raise Refused("action.stale_mark", f"{name_of(spot.element)} is no longer on the page; look again")
        return dict(answer)


def refuse_disabled(element: Element) -> None:
    """Raise when a person could not use this element."""
    if State.DISABLED in element.states:
        why = f": {element.hint}" if element.hint else ""
        raise Refused("action.disabled", f"{name_of(element)} is disabled{why}")


async def fresh_element(session: ConsoleSession, identity: str) -> Element | None:
    """The element with this identity as it is now."""
    await asyncio.sleep(0)
    return next((element for element in (await session.look()).elements if element.identity == identity), None)
