"""Doing GUI actions the way a person does: find the element again, make sure the pointer reaches it, act, wait, say what changed.

One method per action; choosing among options is `choices`, sliders and files are `controls`. A `Refused` becomes a failed
`ActionResult`; failures of the browser pass through. Secrets are put in here and nowhere else, only while the element's document
is on an allowed host, and those that are passwords only into a password field.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from proofwalk.console import actions as a
from proofwalk.console.changes import describe_changes, name_of
from proofwalk.console.choices import Choices
from proofwalk.console.controls import Controls
from proofwalk.console.faults import Refused, translate
from proofwalk.console.observation import Element, Observation, State
from proofwalk.console.page import ConsolePage, DialogOpened
from proofwalk.console.pointing import Pointing, Spot, fresh_element, refuse_disabled
from proofwalk.console.results import ActionResult
from proofwalk.kernel.errors import ProofwalkError

if TYPE_CHECKING:
    from proofwalk.console.session import ConsoleSession

_TEXTUAL = frozenset({"textbox", "combobox", "spinbutton"})


class Hands:
    """Performs actions in a session's active tab."""

    def __init__(self, session: ConsoleSession) -> None:
        self._session = session

    async def perform(self, action: a.GuiAction) -> ActionResult:
        """Do it and report; see `ConsoleSession.perform`."""
        session = self._session
        mask = session.secrets.mask
        refused_before = session.guard.count
        seen = session.latest or await session.look()
        before = session.recent or seen
        target = ""
        try:
            async with asyncio.timeout(session.deadlines.action):
                try:
                    target = await self._do(action, seen)
                except DialogOpened:
                    target = ""
                busy = not await session.wait_quiet()
                after = session.recent = await session.look()
        except Refused as refusal:
            details = {"options": mask("\n".join(refusal.options))} if refusal.options else {}
            options = tuple(mask(option) for option in refusal.options)
            return ActionResult(ok=False, message=mask(refusal.message), code=refusal.code, options=options, details=details)
        except ProofwalkError as error:
            if error.code in {"browser.blocked_host", "browser.navigation"}:
                return ActionResult(ok=False, message=mask(error.message), code=error.code, details={"hint": error.hint})
            raise
        except TimeoutError as error:
            raise translate(error, f"the action {action.type}") from error
        stopped = [refusal for refusal in session.guard.since(refused_before) if refusal.document]
        if stopped:
            return ActionResult(
                ok=False,
                message=f"the page wanted to go to {mask(stopped[-1].url)[:200]}, which is not allowed; stayed here",
                code="browser.blocked_host",
            )
        changed = describe_changes(before, after, target)
        if busy and not after.browser_dialog:
            changed += "; the page is still busy"
        return ActionResult(ok=True, message=changed)

    async def _do(self, action: a.GuiAction, seen: Observation) -> str:
        """Perform the action; returns the identity of the element that it was about."""
        session = self._session
        tab = await session.current()
        if isinstance(action, a.AnswerDialog):
            await tab.answer_dialog(action.accept, session.secrets.reveal(action.text))
            return ""
        if tab.dialog is not None and not isinstance(action, a.SwitchTab | a.Wait):
            raise Refused("action.dialog_open", f'a browser dialog is open and must be answered first: "{tab.dialog_text[:200]}"')
        pointing = Pointing(session, tab, seen)
        if not isinstance(action, a.Hover):
            session.hovered = ""
        match action:
            case a.Click():
                return await self._click(tab, pointing, action)
            case a.Type():
                return await self._type(tab, pointing, action)
            case a.Select():
                return await Choices(session, tab, pointing).select(pointing.element(action.id), action.option)
            case a.SetChecked():
                return await self._check(tab, pointing, action)
            case a.SetSlider():
                return await Controls(session, tab, pointing).slide(pointing.element(action.id), action.value)
            case a.Upload():
                return await Controls(session, tab, pointing).upload(pointing.element(action.id), action.file)
            case a.Drag():
                element = pointing.element(action.id)
                refuse_disabled(element)
                spot = await pointing.spot(element)
                await tab.drag(spot.x, spot.y, action.dx, action.dy)
                return spot.element.identity
            case a.Hover():
                element = pointing.element(action.id)
                spot = await pointing.spot(element)
                await tab.move(spot.x, spot.y)
                session.hovered = spot.element.identity
                return spot.element.identity
            case a.Scroll():
                return await self._scroll(tab, pointing, action)
            case a.Press():
                return await self._press(tab, pointing, action)
            case _:
                await self._browse(tab, action)
                return ""

    async def _click(self, tab: ConsolePage, pointing: Pointing, action: a.Click) -> str:
        element = pointing.element(action.id)
        refuse_disabled(element)
        spot = await pointing.spot(element)
        if "disabled" in spot.facts["states"]:
            raise Refused("action.disabled", f"{name_of(element)} is disabled")
        await tab.click(spot.x, spot.y, button="right" if action.right else "left", count=2 if action.double else 1)
        return spot.element.identity

    async def _check(self, tab: ConsolePage, pointing: Pointing, action: a.SetChecked) -> str:
        element = pointing.element(action.id)
        refuse_disabled(element)
        if element.role not in {"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"}:
            raise Refused("action.wrong_kind", f"{name_of(element)} is not a checkbox or switch")
        spot = await pointing.spot(element)
        if ("checked" in spot.facts["states"]) == action.checked:
            return spot.element.identity
        await tab.click(spot.x, spot.y)
        await self._session.wait_quiet()
        now = await fresh_element(self._session, spot.element.identity)
        if now is not None and (State.CHECKED in now.states) != action.checked:
            raise Refused(
                "action.no_effect", f"{name_of(element)} is still {'unchecked' if action.checked else 'checked'} after a click"
            )
        return spot.element.identity

    async def _type(self, tab: ConsolePage, pointing: Pointing, action: a.Type) -> str:
        element = pointing.element(action.id)
        refuse_disabled(element)
        if element.role not in _TEXTUAL and element.tag not in {"input", "textarea"}:
            raise Refused("action.wrong_kind", f"{name_of(element)} does not take text")
        text = self._revealed(tab, element, action.text)
        spot = await pointing.spot(element)
        controls = Controls(self._session, tab, pointing)
        if element.input_type in {"date", "time", "datetime-local", "month", "week", "color"}:
            answer = await pointing.control(spot, "value", text)
            if not answer["done"]:
                raise Refused(
                    "action.bad_value", f"{name_of(element)} does not take {action.text!r}; it is a {element.input_type} field"
                )
            return spot.element.identity
        await tab.click(spot.x, spot.y)
        if not spot.facts["editable"]:
            await controls.type_elsewhere(spot, text)
        else:
            await self._enter(tab, pointing, spot, text, clear=action.clear)
        if action.submit:
            await tab.key("Enter")
        elif action.text and spot.facts["editable"]:
            await controls.commit_date(spot, text)
        return spot.element.identity

    async def _enter(self, tab: ConsolePage, pointing: Pointing, spot: Spot, text: str, *, clear: bool) -> None:
        facts = await pointing.control(spot, "empty" if clear else "focus")
        if not clear:
            await tab.key("End")
            text_after = str(facts.get("value", "")) + text
        else:
            text_after = text
        if text:
            await tab.insert(text)
        else:
            await tab.key("Delete")
        if spot.element.input_type == "password" or "<secret:" in self._session.secrets.mask(text):
            return
        now = await pointing.control(spot, "facts")
        value = str(now.get("value", text_after))
        if now.get("gone") or value.split() == text_after.split() or not text:
            return
        if clear:
            await pointing.control(spot, "empty")
            await tab.key("Delete")
            await tab.type_keys(text)

    def _revealed(self, tab: ConsolePage, element: Element, text: str) -> str:
        names = self._session.secrets.names_in(text)
        if not names:
            return text
        origin = element.frame or tab.page.url
        if not self._session.guard.hosts.allows(origin):
            raise Refused("action.secret_refused", "secrets are only typed on the target's own hosts")
        if (
            any(word in name.lower() for name in names for word in ("password", "passwd", "secret"))
            and element.input_type != "password"
        ):
            raise Refused("action.secret_refused", f"{name_of(element)} is not a password field; a password is not typed there")
        return self._session.secrets.reveal(text)

    async def _scroll(self, tab: ConsolePage, pointing: Pointing, action: a.Scroll) -> str:
        if action.id is None:
            main = (await tab.worlds.all(tab.seconds))[0]
            if not await tab.worlds.call(main, "scrollPage", action.dx, action.dy, seconds=tab.seconds):
                raise Refused("action.no_effect", "the page does not scroll any further that way")
            return ""
        spot = await pointing.spot(pointing.element(action.id), hit=False)
        if not action.into_view and not (await pointing.control(spot, "scroll", [action.dx, action.dy]))["done"]:
            raise Refused("action.no_effect", "nothing scrolls any further that way")
        return spot.element.identity

    async def _press(self, tab: ConsolePage, pointing: Pointing, action: a.Press) -> str:
        identity = ""
        if action.id is not None:
            spot = await pointing.spot(pointing.element(action.id), hit=False)
            await pointing.control(spot, "focus")
            identity = spot.element.identity
        await tab.key(action.key)
        return identity

    async def _browse(self, tab: ConsolePage, action: a.GuiAction) -> None:
        session = self._session
        match action:
            case a.GoTo():
                await session.open(action.url)
            case a.OpenTab():
                await session.open_tab(action.url)
            case a.SwitchTab():
                await session.switch_tab(action.index)
            case a.CloseTab():
                await session.close_tab(action.index)
            case a.GoBack():
                seconds = session.deadlines.navigation
                if (
                    await tab.unless_dialog(
                        tab.page.go_back(wait_until="commit", timeout=seconds * 1000), "going back", seconds + 1
                    )
                    is None
                    and tab.page.url == "about:blank"
                ):
                    raise Refused("action.no_effect", "there is no page to go back to")
            case a.Wait():
                await self._wait(action)
            case _:
                raise Refused("action.unknown", f"{action.type} is not an action of the hands")

    async def _wait(self, action: a.Wait) -> None:
        session = self._session
        if not action.text:
            await session.wait_quiet(action.seconds)
            return
        wanted = " ".join(action.text.split()).casefold()
        end = session.clock.monotonic() + action.seconds
        while True:
            left = end - session.clock.monotonic()
            seen = await session.look()
            words = " ".join(
                [seen.title, *seen.alerts, *(t.text for t in seen.texts), *(f"{e.name} {e.value}" for e in seen.elements)]
            )
            if (wanted in " ".join(words.split()).casefold()) != action.gone:
                return
            if left <= 0:
                state = "still there" if action.gone else "not there"
                raise Refused("action.wait_timeout", f'"{action.text}" is {state} after {action.seconds:g} seconds')
            tab = await session.current()
            await tab.changed(min(left, 1.0))
