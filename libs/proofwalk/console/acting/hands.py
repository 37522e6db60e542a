"""Performs GUI actions as a person does: finds the element again, makes sure that the
pointer reaches it, acts, waits, reports what changed.

This module has one entry per action. How each is done is elsewhere: `gestures`
(pointer), `fields` (keyboard), `choices`, `calendars`, `controls` (sliders, files),
`reading`. A `Refused` becomes a failed `ActionResult`; failures of the browser pass
through. Every result has what the action itself reports, what changed between the looks
before and after, and what is held down.
"""

from __future__ import annotations

import asyncio
import contextlib

from proofwalk.console import actions as a
from proofwalk.console.acting.calendars import Calendars
from proofwalk.console.acting.choices import Choices
from proofwalk.console.acting.controls import Controls
from proofwalk.console.acting.fields import Fields
from proofwalk.console.acting.gestures import Gestures
from proofwalk.console.acting.pointing import Pointing
from proofwalk.console.acting.reading import Reading
from proofwalk.console.acting.results import ActionResult, Done
from proofwalk.console.acting.stage import Stage
from proofwalk.console.faults import Refused, translate
from proofwalk.console.looking.changes import NOTHING, describe_changes, name_of
from proofwalk.console.observation import Element, Observation
from proofwalk.console.tab.page import ConsolePage, DialogOpened
from proofwalk.kernel.errors import ProofwalkError

Pointed = (
    a.Click
    | a.ClickAt
    | a.MoveTo
    | a.MouseDown
    | a.MouseUp
    | a.Hover
    | a.Drag
    | a.DragTo
    | a.Scroll
)
Filled = a.Type | a.TypeFocused | a.Clear | a.Focus | a.ConfirmTyped | a.SetChecked | a.Press
_OPTIONS_SAID = 40


class Hands:
    """Performs actions in a session's active tab."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def perform(self, action: a.GuiAction) -> ActionResult:
        """Perform `action` and return what changed; see `ConsoleSession.perform`."""
        stage = self._stage
        mask = stage.secrets.mask
        refused_before = stage.guard.count
        seen = stage.latest or await stage.look()
        before = stage.recent or seen
        done = Done()
        try:
            async with asyncio.timeout(stage.deadlines.action):
                with contextlib.suppress(DialogOpened):
                    done = await self._do(action, seen)
                await stage.glimpse()
                acted = stage.clock.monotonic()
                busy = not await stage.wait_quiet()
                settle_ms = (stage.clock.monotonic() - acted) * 1000
                after = stage.recent = await stage.look(scope=stage.scope)
        except Refused as refusal:
            return self._refused(refusal)
        except ProofwalkError as error:
            if error.code in {"browser.blocked_host", "browser.navigation"}:
                return ActionResult(
                    ok=False,
                    message=mask(error.message),
                    code=error.code,
                    details={"hint": error.hint},
                )
            raise
        except TimeoutError as error:
            raise translate(error, f"the action {action.type}") from error
        stopped = [refusal for refusal in stage.guard.since(refused_before) if refusal.document]
        if stopped:
            return ActionResult(
                ok=False,
                message=(
                    f"the page wanted to go to {mask(stopped[-1].url)[:200]}, which is not allowed;"
                    " stayed here"
                ),
                code="browser.blocked_host",
            )
        return ActionResult(
            ok=True,
            message="; ".join(await self._report(done, before, after, busy=busy)),
            options=tuple(map(mask, done.options)),
            details={"text": mask(done.text)} if done.text else {},
            settle_ms=settle_ms,
        )

    def _refused(self, refusal: Refused) -> ActionResult:
        mask = self._stage.secrets.mask
        return ActionResult(
            ok=False,
            message=mask(refusal.message),
            code=refusal.code,
            options=tuple(mask(option) for option in refusal.options),
            details={"options": mask("\n".join(refusal.options))} if refusal.options else {},
        )

    async def _report(
        self, done: Done, before: Observation, after: Observation, *, busy: bool
    ) -> list[str]:
        """Return what the action itself reports, what changed, and what is held
        down."""
        report = [self._stage.secrets.mask(done.message)] if done.message else []
        changed = describe_changes(before, after, done.identity)
        if not (done.reading and changed == NOTHING):
            report.append(changed)
        if busy and not after.browser_dialog:
            report.append("the page is still busy")
        if held := (await self._stage.current()).devices.held_inputs:
            report.append(f"held down: {', '.join(held)}")
        return report

    async def _do(self, action: a.GuiAction, seen: Observation) -> Done:
        stage = self._stage
        tab = await stage.current()
        if isinstance(action, a.AnswerDialog):
            await tab.answer_dialog(
                action.accept,
                Fields(stage, tab, Pointing(stage, tab, seen)).for_dialog(action.text),
            )
            return Done()
        if tab.dialog is not None and not isinstance(action, a.SwitchTab | a.Wait):
            raise Refused(
                "action.dialog_open",
                f'a browser dialog is open and must be answered first: "{tab.dialog_text[:200]}"',
            )
        if not isinstance(action, a.Hover | a.MoveTo):
            stage.hovered = ""
        try:
            if stage.sight is not None:
                done = await stage.sight.act(stage, tab, seen, action)
                if done is not None:
                    return done
            return await self._act(tab, Pointing(stage, tab, seen), seen, action)
        except ProofwalkError as error:
            if not await stage.closed_itself(tab, error):
                raise
            return Done()  # a window that closes as soon as it is pressed has heard it
        finally:
            # Held keys belong to the keyboard: they follow the episode to another
            # tab.
            now = await stage.current() if tab.devices.keys else tab
            if now is not tab and not tab.page.is_closed() and not tab.is_stopped:
                for key in await tab.devices.let_go():
                    await now.devices.key_down(key)

    async def _act(
        self, tab: ConsolePage, pointing: Pointing, seen: Observation, action: a.GuiAction
    ) -> Done:
        stage = self._stage
        match action:
            case (
                a.Click()
                | a.ClickAt()
                | a.MoveTo()
                | a.MouseDown()
                | a.MouseUp()
                | a.Hover()
                | a.Drag()
                | a.DragTo()
                | a.Scroll()
            ):
                return await self._point(Gestures(stage, tab, pointing, seen), action)
            case a.SolveSliderCaptcha():
                return await Gestures(stage, tab, pointing, seen).solve_slider(action)
            case (
                a.Type()
                | a.TypeFocused()
                | a.Clear()
                | a.Focus()
                | a.ConfirmTyped()
                | a.SetChecked()
                | a.Press()
            ):
                return await self._fill(Fields(stage, tab, pointing), action)
            case a.KeyDown():
                await tab.devices.key_down(action.key)
                return Done()
            case a.KeyUp():
                await tab.devices.key_up(action.key)
                return Done()
            case a.Select():
                element = pointing.element(action.id)
                choices = Choices(stage, tab, pointing)
                return Done(identity=await choices.select(element, action.option))
            case a.ListOptions():
                return await self._list_options(
                    Choices(stage, tab, pointing), pointing.element(action.id)
                )
            case a.SetDate():
                return await Calendars(stage, tab, pointing).set(action)
            case a.SetSlider():
                element = pointing.element(action.id)
                controls = Controls(stage, tab, pointing)
                return Done(identity=await controls.slide(element, action.value))
            case a.Upload():
                element = pointing.element(action.id)
                controls = Controls(stage, tab, pointing)
                return Done(identity=await controls.upload(element, action.file, action.content))
            case a.Extract():
                return await Reading(stage, tab, pointing).extract(action)
            case a.FindRow():
                return await Reading(stage, tab, pointing).find_row(action)
            case _:
                await self._browse(tab, action)
                return Done()

    @staticmethod
    async def _point(gestures: Gestures, action: Pointed) -> Done:
        match action:
            case a.Click():
                return await gestures.click(action)
            case a.ClickAt():
                return await gestures.click_at(action)
            case a.MoveTo():
                return await gestures.move_to(action)
            case a.MouseDown():
                return await gestures.mouse_down(action)
            case a.MouseUp():
                return await gestures.mouse_up(action)
            case a.Hover():
                return await gestures.hover(action)
            case a.Drag():
                return await gestures.drag(action)
            case a.DragTo():
                return await gestures.drag_to(action)
            case a.Scroll():
                return await gestures.scroll(action)

    @staticmethod
    async def _fill(fields: Fields, action: Filled) -> Done:
        match action:
            case a.Type():
                return await fields.type(action)
            case a.TypeFocused():
                return await fields.type_focused(action)
            case a.Clear():
                return await fields.clear(action)
            case a.Focus():
                return await fields.focus(action)
            case a.ConfirmTyped():
                return await fields.confirm(action)
            case a.SetChecked():
                return await fields.check(action)
            case a.Press():
                return await fields.press(action)

    @staticmethod
    async def _list_options(choices: Choices, element: Element) -> Done:
        names = await choices.offers(element)
        listed = ", ".join(f'"{name[:80]}"' for name in names[:_OPTIONS_SAID]) or "nothing"
        more = f" and {len(names) - _OPTIONS_SAID} more" if len(names) > _OPTIONS_SAID else ""
        return Done(
            identity=element.identity,
            message=f"{name_of(element)} offers {listed}{more}",
            options=names,
            reading=True,
        )

    async def _browse(self, tab: ConsolePage, action: a.GuiAction) -> None:
        stage = self._stage
        seconds = stage.deadlines.navigation
        match action:
            case a.GoTo():
                await stage.open(stage.real_address(action.url))
            case a.OpenTab():
                await stage.open_tab(stage.real_address(action.url))
            case a.SwitchTab():
                await stage.switch_tab(action.index)
            case a.CloseTab():
                active = next(tab.index for tab in stage.tabs() if tab.active)
                await stage.close_tab(active if action.index is None else action.index)
            case a.GoBack() | a.GoForward():
                forward = isinstance(action, a.GoForward)
                turn = tab.page.go_forward if forward else tab.page.go_back
                where = tab.page.url
                done = await tab.unless_dialog(
                    turn(wait_until="commit", timeout=seconds * 1000),
                    "going through the history",
                    seconds + 1,
                )
                if done is None and tab.page.url in {"about:blank", where}:
                    raise Refused(
                        "action.no_effect",
                        f"there is no page to go {'forward' if forward else 'back'} to",
                    )
            case a.Reload():
                await tab.unless_dialog(
                    tab.page.reload(wait_until="commit", timeout=seconds * 1000),
                    "loading the page anew",
                    seconds + 1,
                )
            case a.Wait():
                await self._wait(action)
            case _:
                raise Refused("action.unknown", f"{action.type} is not an action of the hands")

    async def _wait(self, action: a.Wait) -> None:
        stage = self._stage
        if not action.text:
            await stage.wait_quiet(action.seconds)
            return
        wanted = " ".join(action.text.split()).casefold()
        end = stage.clock.monotonic() + action.seconds
        while True:
            left = end - stage.clock.monotonic()
            seen = await stage.look()
            words = " ".join(
                [
                    seen.title,
                    *seen.alerts,
                    *(t.text for t in seen.texts),
                    *(f"{e.name} {e.value}" for e in seen.elements),
                ]
            )
            if (wanted in " ".join(words.split()).casefold()) != action.gone:
                return
            if left <= 0:
                state = "still there" if action.gone else "not there"
                raise Refused(
                    "action.wait_timeout",
                    f'"{action.text}" is {state} after {action.seconds:g} seconds',
                )
            tab = await stage.current()
            await tab.changed(min(left, 1.0))
