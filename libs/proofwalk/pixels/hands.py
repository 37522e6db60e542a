"""Actions on what was seen by pixels: at the middle of a mark's box, by coordinates,
without a question to the page.

Before a mark is acted on, a fresh picture must show the same within its box as the one
that the mark was set on. Otherwise the page is read again, and the control with the
mark's identity is taken where it is now; when there is none the mark is stale. Typing
is a click, then text as an input method gives it, then, if that shows nowhere, key by
key. What an action changed is told by the looks before and after, as always. Actions
that need to know what is inside an element (choices, dates, sliders, files) are refused
as `action.needs_dom`.
"""

from __future__ import annotations

import re

import numpy as np

from proofwalk.console import actions as a
from proofwalk.console.acting.reading import EXTRACT_LIMIT, page_text
from proofwalk.console.acting.results import Done
from proofwalk.console.acting.stage import Stage
from proofwalk.console.faults import Refused
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Element, Observation, State
from proofwalk.console.tab.devices import Point, straight
from proofwalk.console.tab.page import ConsolePage
from proofwalk.pixels.sight import PixelSight, same_spot

_FIELDS = frozenset({"textbox", "combobox"})
_PASSWORD = re.compile(r"pass ?word|passwd|secret|密码|密碼|密钥", re.IGNORECASE)
_NEEDS_DOM = (
    a.Select,
    a.ListOptions,
    a.SetDate,
    a.SetSlider,
    a.Upload,
    a.FindRow,
    a.ConfirmTyped,
    a.SolveSliderCaptcha,
)


class PixelHands:
    """Acts in one tab on what one observation by pixels shows."""

    def __init__(
        self, stage: Stage, sight: PixelSight, tab: ConsolePage, seen: Observation
    ) -> None:
        self._stage = stage
        self._sight = sight
        self._tab = tab
        self._seen = seen

    async def act(self, action: a.GuiAction) -> Done | None:
        """Do it; None for an action that points at nothing on the page, which is done
        as ever."""
        if isinstance(action, _NEEDS_DOM):
            raise Refused(
                "action.needs_dom",
                f"{action.type} needs the page's elements, and this observation was made from"
                " pixels; use click, type, press and scroll",
            )
        match action:
            case a.Click() | a.Hover() | a.Drag() | a.Focus() | a.SetChecked():
                return await self._on_element(action)
            case a.Type() | a.Clear():
                return await self._type(action)
            case a.ClickAt() | a.MoveTo() | a.MouseDown() | a.MouseUp():
                return await self._at_point(action)
            case a.DragTo():
                return await self._drag_to(action)
            case a.Scroll():
                return await self._scroll(action)
            case a.TypeFocused():
                text = self._revealed(None, action.text)
                await (self._tab.devices.type_keys(text) if action.keys else self._enter(text))
                return Done(message="typed where the focus is")
            case a.Press() if action.id is not None:
                element, point = await self._locate(action.id)
                if element.role not in _FIELDS:
                    raise Refused(
                        "action.needs_dom",
                        f"{name_of(element)} can only be focused by a click; press the key without"
                        " a mark",
                    )
                await self._tab.devices.click(*point)
                await self._tab.devices.key(action.key)
                return Done(identity=element.identity)
            case a.Extract():
                return await self._extract(action)
        return None

    # marks

    def _element(self, mark: int) -> Element:
        found = self._seen.element(mark)
        if found is None:
            raise Refused(
                "action.no_such_mark",
                f"there is no element [{mark}] in the latest observation; marks are 1 to"
                f" {len(self._seen.elements)}",
            )
        return found

    async def _locate(self, mark: int) -> tuple[Element, Point]:
        """The marked control and its middle now; raises `action.stale_mark`."""
        element = self._element(mark)
        marked = self._sight.marked
        if marked is not None and same_spot(
            marked, await self._sight.picture(self._tab), element.box
        ):
            return element, element.box.center
        fresh = await self._stage.look()
        now = next((other for other in fresh.elements if other.identity == element.identity), None)
        if now is None or now.role != element.role:
            raise Refused(
                "action.stale_mark", f"{name_of(element)} is no longer on the page; look again"
            )
        return now, now.box.center

    async def _on_element(
        self, action: a.Click | a.Hover | a.Drag | a.Focus | a.SetChecked
    ) -> Done:
        devices = self._tab.devices
        element, point = await self._locate(action.id)
        done = Done(identity=element.identity)
        match action:
            case a.Click():
                await devices.click(
                    *point, button=action.button, count=action.count, modifiers=action.modifiers
                )
            case a.Hover():
                await devices.move(*point)
            case a.Drag():
                await devices.drag(
                    point,
                    straight(point, self._inside((point[0] + action.dx, point[1] + action.dy))),
                )
            case a.Focus():
                if element.role not in _FIELDS:
                    raise Refused(
                        "action.needs_dom", f"{name_of(element)} can only be focused by a click"
                    )
                await devices.click(*point)
            case a.SetChecked():
                if element.role != "checkbox":
                    raise Refused(
                        "action.wrong_kind", f"{name_of(element)} is not a checkbox or switch"
                    )
                if (State.CHECKED in element.states) != action.checked:
                    await devices.click(*point)
                    await self._stage.wait_quiet()
                    after = await self._stage.look()
                    now = next(
                        (other for other in after.elements if other.identity == element.identity),
                        None,
                    )
                    if now is not None and (State.CHECKED in now.states) != action.checked:
                        state = "unchecked" if action.checked else "checked"
                        raise Refused(
                            "action.no_effect", f"{name_of(element)} is still {state} after a click"
                        )
        return done

    # points

    def _inside(self, point: Point) -> Point:
        width, height = self._seen.viewport
        x, y = point
        if not (0 <= x < width and 0 <= y < height):
            raise Refused(
                "action.outside",
                f"({x:g}, {y:g}) is outside the viewport of {width}x{height} pixels; scroll first",
            )
        return point

    def _landing(self, point: Point) -> tuple[str, str]:
        """Identity and words of what was seen at a point."""
        x, y = point
        hits = [
            e
            for e in self._seen.elements
            if e.box.x <= x < e.box.x + e.box.width and e.box.y <= y < e.box.y + e.box.height
        ]
        if hits:
            least = min(hits, key=lambda e: e.box.width * e.box.height)
            return least.identity, name_of(least)
        text = next(
            (
                t
                for t in self._seen.texts
                if t.box.x <= x < t.box.x + t.box.width and t.box.y <= y < t.box.y + t.box.height
            ),
            None,
        )
        return "", f'text "{text.text[:80]}"' if text else "a place where no element was seen"

    async def _at_point(self, action: a.ClickAt | a.MoveTo | a.MouseDown | a.MouseUp) -> Done:
        devices = self._tab.devices
        point = self._inside(
            devices.pointer if action.x is None or action.y is None else (action.x, action.y)
        )
        identity, words = self._landing(point)
        match action:
            case a.ClickAt():
                await devices.click(*point, button=action.button, count=action.count)
                return Done(identity=identity, message=f"clicked {words}")
            case a.MoveTo():
                await devices.move(*point)
                return Done(identity=identity, message=f"the pointer is on {words}")
            case a.MouseDown():
                await devices.move(*point)
                await devices.press(*point, button=action.button)
                return Done(identity=identity, message=f"pressed on {words}")
            case a.MouseUp():
                if devices.button != action.button:
                    raise Refused(
                        "action.not_held",
                        f"the {action.button} mouse button is not held; held:"
                        f" {devices.button or 'none'}",
                    )
                await devices.move(*point)
                await devices.release(*point)
                return Done()

    async def _drag_to(self, action: a.DragTo) -> Done:
        pointer, identity = self._tab.devices.pointer, ""
        if action.from_id is not None:
            source, start = await self._locate(action.from_id)
            identity = source.identity
        else:
            start = (
                pointer
                if action.from_x is None or action.from_y is None
                else (action.from_x, action.from_y)
            )
        if action.id is not None:
            _, end = await self._locate(action.id)
        else:
            end = pointer if action.x is None or action.y is None else (action.x, action.y)
        await self._tab.devices.drag(self._inside(start), straight(start, self._inside(end)))
        return Done(identity=identity)

    async def _scroll(self, action: a.Scroll) -> Done:
        if action.id is not None:
            _, point = await self._locate(action.id)
        elif action.x is not None and action.y is not None:
            point = self._inside((action.x, action.y))
        else:
            point = (self._seen.viewport[0] / 2, self._seen.viewport[1] / 2)
        before = await self._sight.picture(self._tab)
        await self._tab.devices.wheel(*point, action.dx, action.dy)
        await self._stage.wait_quiet()
        after = await self._sight.picture(self._tab)
        if np.array_equal(before, after):
            raise Refused("action.no_effect", "nothing scrolls any further that way")
        return Done(message="turned the wheel")

    # text

    def _revealed(self, field: Element | None, text: str) -> str:
        names = self._stage.secrets.names_in(text)
        if not names:
            return text
        if not self._stage.guard.hosts.allows(self._tab.page.url):
            raise Refused(
                "action.secret_refused", "secrets are only typed on the target's own hosts"
            )
        self._stage.gate.check(self._tab.page.url)
        if field is None:
            raise Refused(
                "action.secret_refused",
                "a secret is only typed into a field that has a mark, so that it can be covered",
            )
        guarded = any(
            word in secret.lower() for secret in names for word in ("password", "passwd", "secret")
        )
        if guarded and not _PASSWORD.search(f"{field.name} {field.label} {field.placeholder}"):
            raise Refused(
                "action.secret_refused",
                f"{name_of(field)} is not a password field; a password is not typed there",
            )
        return self._stage.secrets.reveal(text)

    async def _type(self, action: a.Type | a.Clear) -> Done:
        devices = self._tab.devices
        element = self._element(action.id)
        if element.role not in _FIELDS:
            raise Refused("action.wrong_kind", f"{name_of(element)} does not take text")
        text = self._revealed(element, action.text) if isinstance(action, a.Type) else ""
        element, point = await self._locate(action.id)
        await devices.click(*point)
        if isinstance(action, a.Type) and text != action.text:
            self._sight.typed_secret(element.identity, action.text)
        if element.value and (isinstance(action, a.Clear) or action.clear):
            await devices.key("Control+a")
            if not text:
                await devices.key("Delete")
        elif element.value:
            await devices.key("End")
        if text:
            await self._enter(text)
        if isinstance(action, a.Type) and action.submit:
            await devices.key("Enter")
        return Done(identity=element.identity)

    async def _enter(self, text: str) -> None:
        """Put text in where the focus is; by keys where nothing comes of it otherwise,
        as in a field drawn by the page."""
        await self._stage.wait_quiet()
        before = await self._sight.picture(self._tab)
        await self._tab.devices.insert(text)
        await self._stage.wait_quiet()
        after = await self._sight.picture(self._tab)
        apart = np.abs(before.astype(np.int16) - after.astype(np.int16)).max(axis=2) > 64
        # A caret that blinks between the two pictures is one column of a few pixels.
        if np.count_nonzero(apart.any(axis=0)) <= 3:
            await self._tab.devices.type_keys(text)

    # reading

    async def _extract(self, action: a.Extract) -> Done:
        if action.id is None:
            seen = await self._stage.look()
            what, text = f'page "{seen.title[:80]}"', page_text(seen)
        else:
            element = self._element(action.id)
            what, text = name_of(element), element.value or element.name
        part = text[action.start : action.start + EXTRACT_LIMIT]
        end = action.start + len(part)
        more = (
            f" (characters {action.start} to {end} of {len(text)})" if len(part) < len(text) else ""
        )
        return Done(message=f"text of {what}{more}:\n{part}", text=part, reading=True)
