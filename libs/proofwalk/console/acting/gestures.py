"""What the pointer does: clicks, hovers, drags, wheels, and the slide-to-verify
captcha.

By mark, a click goes through `Pointing.click`, which reaches the marked element or
nothing. By coordinates there is no mark to check, so the result names what lay there. A
captcha's slider is dragged like a hand drags, and the page's text says whether that was
accepted.
"""

from __future__ import annotations

import re

from proofwalk.console import actions as a
from proofwalk.console.acting.pointing import Pointing, fresh_element, refuse_disabled
from proofwalk.console.acting.results import Done
from proofwalk.console.acting.stage import Stage
from proofwalk.console.faults import Refused
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Element, Observation
from proofwalk.console.tab.devices import Point, human, straight
from proofwalk.console.tab.page import ConsolePage

_CAPTCHA = re.compile(r"\b(slide|drag|swipe)\b|captcha|verif|滑块|拖动|验证", re.IGNORECASE)
_PASSED = re.compile(
    r"\b(verified|success(ful(ly)?)?|passed|complete[d]?)\b|通过|成功", re.IGNORECASE
)
_FAILED = re.compile(r"fail|try again|error|incorrect|失败|重试", re.IGNORECASE)
_CAPTCHA_TRIES = 3


class Gestures:
    """Moves one tab's pointer."""

    def __init__(
        self, stage: Stage, tab: ConsolePage, pointing: Pointing, seen: Observation
    ) -> None:
        self._stage = stage
        self._tab = tab
        self._pointing = pointing
        self._seen = seen

    async def click(self, action: a.Click) -> Done:
        """Click an element."""
        element = self._pointing.element(action.id)
        refuse_disabled(element)
        spot = await self._pointing.click(
            element, button=action.button, count=action.count, modifiers=action.modifiers
        )
        return Done(identity=spot.element.identity)

    async def click_at(self, action: a.ClickAt) -> Done:
        """Click a point."""
        point = self._point(action.x, action.y)
        landing = await self._pointing.at(*point)
        await self._tab.devices.click(*point, button=action.button, count=action.count)
        return Done(identity=landing.identity, message=f"clicked {landing.name}")

    async def move_to(self, action: a.MoveTo) -> Done:
        """Move to a point."""
        landing = await self._pointing.at(action.x, action.y)
        await self._tab.devices.move(action.x, action.y)
        self._stage.hovered = landing.identity
        return Done(identity=landing.identity, message=f"the pointer is on {landing.name}")

    async def hover(self, action: a.Hover) -> Done:
        """Move onto an element."""
        spot = await self._pointing.spot(self._pointing.element(action.id))
        await self._tab.devices.move(spot.x, spot.y)
        self._stage.hovered = spot.element.identity
        return Done(identity=spot.element.identity)

    async def mouse_down(self, action: a.MouseDown) -> Done:
        """Press and hold."""
        point = self._point(action.x, action.y)
        landing = await self._pointing.at(*point)
        await self._tab.devices.move(*point)
        await self._tab.devices.press(*point, button=action.button)
        return Done(identity=landing.identity, message=f"pressed on {landing.name}")

    async def mouse_up(self, action: a.MouseUp) -> Done:
        """Let go."""
        held = self._tab.devices.button
        if held != action.button:
            raise Refused(
                "action.not_held",
                f"the {action.button} mouse button is not held; held: {held or 'none'}",
            )
        point = self._point(action.x, action.y)
        await self._tab.devices.move(*point)
        await self._tab.devices.release(*point)
        return Done()

    def _point(self, x: float | None, y: float | None) -> Point:
        return self._tab.devices.pointer if x is None or y is None else (x, y)

    async def drag(self, action: a.Drag) -> Done:
        """Drag an element by a distance."""
        element = self._pointing.element(action.id)
        refuse_disabled(element)
        spot = await self._pointing.spot(element)
        start = (spot.x, spot.y)
        await self._tab.devices.drag(
            start, straight(start, (spot.x + action.dx, spot.y + action.dy))
        )
        return Done(identity=spot.element.identity)

    async def drag_to(self, action: a.DragTo) -> Done:
        """Drag from one place to another."""
        source = None if action.from_id is None else self._pointing.element(action.from_id)
        target = None if action.id is None else self._pointing.element(action.id)
        if source is not None:
            refuse_disabled(source)
        if target is not None:
            # Bring the end into view before the start, which may move it again; both
            # are asked for once more below.
            await self._pointing.spot(target, hit=False)
        start = await self._place(source, self._point(action.from_x, action.from_y), hit=True)
        end = await self._place(target, self._point(action.x, action.y), hit=False)
        if source is not None:
            start = await self._place(source, start, hit=True)
        for point, what in ((start, "start"), (end, "end")):
            width, height = self._seen.viewport
            if not (0 <= point[0] < width and 0 <= point[1] < height):
                raise Refused(
                    "action.outside",
                    f"the {what} of the drag is outside the viewport; scroll so that both ends are"
                    " in it",
                )
        await self._tab.devices.drag(start, straight(start, end))
        return Done(identity=source.identity if source else "")

    async def _place(self, element: Element | None, point: Point, *, hit: bool) -> Point:
        if element is None:
            return point
        spot = await self._pointing.spot(element, hit=hit)
        return spot.x, spot.y

    async def scroll(self, action: a.Scroll) -> Done:
        """Scroll the page, a container, or what lies at a point."""
        tab = self._tab
        if action.x is not None and action.y is not None:
            return await self._wheel(action.x, action.y, action.dx, action.dy)
        if action.id is None:
            main = (await tab.worlds.all(tab.seconds))[0]
            if not await tab.worlds.call(
                main, "scrollPage", action.dx, action.dy, seconds=tab.seconds
            ):
                raise Refused("action.no_effect", "the page does not scroll any further that way")
            return Done()
        spot = await self._pointing.spot(self._pointing.element(action.id), hit=False)
        if (
            not action.into_view
            and not (await self._pointing.control(spot, "scroll", [action.dx, action.dy]))["done"]
        ):
            raise Refused("action.no_effect", "nothing scrolls any further that way")
        return Done(identity=spot.element.identity)

    async def _wheel(self, x: float, y: float, dx: float, dy: float) -> Done:
        tab = self._tab
        landing = await self._pointing.at(x, y)
        await tab.devices.wheel(x, y, dx, dy)
        main = (await tab.worlds.all(tab.seconds))[0]
        await tab.unless_dialog(
            tab.worlds.evaluate(main, "__proofwalk.rested()", tab.seconds), "scrolling"
        )
        return Done(message=f"turned the wheel over {landing.name}")

    # captcha

    async def solve_slider(self, action: a.SolveSliderCaptcha) -> Done:
        """Slide a captcha's handle to its end until the page accepts it."""
        element = (
            self._pointing.element(action.id)
            if action.id is not None
            else self._captcha_handle(await self._stage.look())
        )
        told = ""
        for _ in range(_CAPTCHA_TRIES):
            spot = await self._pointing.spot(element)
            box, track = (
                spot.facts["box"],
                (await self._pointing.control(spot, "track")).get("track"),
            )
            if track is None:
                raise Refused("action.wrong_kind", f"{name_of(element)} does not slide on a track")
            known = self._words(await self._stage.look())
            itself = track[2] <= box[2] + 1
            distance = track[2] - 16 if itself else track[0] + track[2] - box[0] - box[2]
            start = (spot.x - box[2] / 2 + 8 if itself else spot.x, spot.y)
            await self._tab.devices.drag(start, human(start, (start[0] + distance, start[1])))
            await self._stage.wait_quiet()
            fresh = " ".join(self._words(await self._stage.look()) - known)
            told = fresh or told
            now = await fresh_element(self._stage, spot.element.identity)
            if _FAILED.search(fresh):
                continue
            if now is None or _PASSED.search(fresh) or _PASSED.search(now.name):
                return Done(identity=spot.element.identity, message="the captcha is solved")
            if now.box.x - (spot.x - box[2] / 2) >= 0.9 * distance > 0:
                return Done(
                    identity=spot.element.identity,
                    message="the captcha's handle stays at the end of its track",
                )
        says = f'; the page says: "{told[:120]}"' if told else ""
        raise Refused(
            "action.captcha_unsolved",
            f"the captcha did not take {_CAPTCHA_TRIES} slides to its end{says}",
        )

    @staticmethod
    def _captcha_handle(seen: Observation) -> Element:
        elements = [e for e in seen.elements if not e.offscreen]
        named = [
            e for e in elements if _CAPTCHA.search(f"{e.name} {e.label} {e.hint} {e.container}")
        ]
        found = [e for e in named if e.role == "slider"] or [
            e for e in named if e.role == "button" and e.box.width < 80
        ]
        if not found:
            raise Refused(
                "action.no_captcha",
                "no slide-to-verify captcha is on the page; give the mark of its handle",
            )
        return found[0]

    @staticmethod
    def _words(seen: Observation) -> frozenset[str]:
        return frozenset([*(text.text for text in seen.texts), *seen.alerts])
