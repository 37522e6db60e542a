"""What the keyboard does: typing into fields, emptying them, keys and chords, keys that
stay down, and typed confirmations.

Secrets are inserted here and nowhere else, only while the element's document is on an
allowed host, and passwords only into a password field. Text is inserted as an input
method does. A field that then shows something else gets the text key by key.
"""

from __future__ import annotations

import re
from typing import Any

from proofwalk.console import actions as a
from proofwalk.console.acting.controls import Controls
from proofwalk.console.acting.pointing import Pointing, Spot, fresh_element, refuse_disabled
from proofwalk.console.acting.results import Done
from proofwalk.console.acting.stage import Stage
from proofwalk.console.faults import Refused, WorldGone
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Element, Observation, State
from proofwalk.console.tab.page import ConsolePage

_TEXTUAL = frozenset({"textbox", "combobox", "spinbutton"})
_TYPED_INTO = _TEXTUAL | {"searchbox"}
_TICKED = frozenset({"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"})
NATIVE_DATES = frozenset({"date", "time", "datetime-local", "month", "week"})
_ASKED = (
    re.compile(
        r"""(?:type|enter|input|write|输入)[^"“'‘`「]{0,40}["“'‘`「]([^"”'’`」]{1,80})["”'’`」]""",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:type|enter|input|write)\s+(?:the\s+(?:word|name|text|id)\s+)?(\S{1,80})\s+(?:to\s|below|in\s)",
        re.IGNORECASE,
    ),
)
_DISMISS = re.compile(r"^(cancel|close|back|no|not now|取消|关闭)$", re.IGNORECASE)
_CONFIRM = re.compile(
    r"^(ok|yes|confirm|delete|release|remove|submit|continue|确定|确认|删除)\b", re.IGNORECASE
)


class Fields:
    """Writes into one tab's fields."""

    def __init__(self, stage: Stage, tab: ConsolePage, pointing: Pointing) -> None:
        self._stage = stage
        self._tab = tab
        self._pointing = pointing

    async def check(self, action: a.SetChecked) -> Done:
        """Bring a checkbox or switch to a state."""
        element = self._pointing.element(action.id)
        refuse_disabled(element)
        if element.role not in _TICKED:
            raise Refused("action.wrong_kind", f"{name_of(element)} is not a checkbox or switch")
        spot = await self._pointing.spot(element)
        if ("checked" in spot.facts["states"]) == action.checked:
            return Done(identity=spot.element.identity)
        await self._pointing.click(spot.element)
        await self._stage.wait_quiet()
        now = await fresh_element(self._stage, spot.element.identity)
        if now is not None and (State.CHECKED in now.states) != action.checked:
            raise Refused(
                "action.no_effect",
                f"{name_of(element)} is still {'unchecked' if action.checked else 'checked'} after"
                " a click",
            )
        return Done(identity=spot.element.identity)

    def _field(self, mark: int) -> Element:
        element = self._pointing.element(mark)
        refuse_disabled(element)
        if element.role not in _TEXTUAL and element.tag not in {"input", "textarea"}:
            raise Refused("action.wrong_kind", f"{name_of(element)} does not take text")
        return element

    async def type(self, action: a.Type) -> Done:
        """Type into a field."""
        element = self._field(action.id)
        text = self._revealed(element.frame, element.input_type, name_of(element), action.text)
        controls = Controls(self._stage, self._tab, self._pointing)
        if element.input_type in {*NATIVE_DATES, "color"}:
            spot = await self._pointing.spot(element)
            answer = await self._pointing.control(spot, "value", text)
            if not answer["done"]:
                raise Refused(
                    "action.bad_value",
                    f"{name_of(element)} does not take {action.text!r}; it is a"
                    f" {element.input_type} field",
                )
            return Done(identity=spot.element.identity)
        spot = await self._pointing.click(element)
        if not spot.facts["editable"]:
            self._still_a_password(spot, {"gone": True}, text)
            await controls.type_elsewhere(spot, text)
        else:
            await self._enter(spot, text, clear=action.clear)
        if action.submit:
            await self._tab.devices.key("Enter")
        elif action.text and spot.facts["editable"]:
            await controls.commit_date(spot, text)
        return Done(identity=spot.element.identity)

    async def clear(self, action: a.Clear) -> Done:
        """Empty a field."""
        spot = await self._pointing.click(self._field(action.id))
        if not spot.facts["editable"]:
            raise Refused("action.readonly", f"{name_of(spot.element)} cannot be typed into")
        await self._enter(spot, "", clear=True)
        now = await self._pointing.control(spot, "facts")
        if not now.get("gone") and now.get("value") and spot.element.role == "textbox":
            raise Refused(
                "action.no_effect", f"{name_of(spot.element)} is not empty after it was emptied"
            )
        return Done(identity=spot.element.identity)

    async def focus(self, action: a.Focus) -> Done:
        """Focus an element."""
        element = self._pointing.element(action.id)
        refuse_disabled(element)
        spot = await self._pointing.spot(element, hit=False)
        await self._pointing.control(spot, "focus")
        return Done(identity=spot.element.identity)

    async def type_focused(self, action: a.TypeFocused) -> Done:
        """Type where the focus is."""
        where = await self._focused()
        if where is None:
            raise Refused(
                "action.no_focus", "no element has the keyboard focus; click or focus a field first"
            )
        mask = self._stage.secrets.mask
        name = f'{where["role"]} "{mask(where["name"])[:80]}"'
        text = self._revealed(str(where["frame"]), str(where["type"]), name, action.text)
        await (self._tab.devices.type_keys(text) if action.keys else self._tab.devices.insert(text))
        return Done(identity=str(where["identity"]), message=f"typed into {name}")

    async def _focused(self) -> dict[str, Any] | None:
        """Return the focused element of whichever document has the focus."""
        worlds = await self._tab.worlds.all(self._tab.seconds)
        for world in worlds:
            try:
                found = await self._tab.worlds.call(world, "focused", seconds=self._tab.seconds)
                url = (
                    ""
                    if world.main
                    else await self._tab.worlds.evaluate(world, "location.href", self._tab.seconds)
                )
            except WorldGone:
                continue
            if found["found"]:
                return {**found, "identity": f"{world.key}-{found['id']}", "frame": url}
        return None

    @staticmethod
    def _guards(names: tuple[str, ...]) -> bool:
        """Return True if one of these secrets is a password."""
        return any(
            word in name.lower() for name in names for word in ("password", "passwd", "secret")
        )

    def for_dialog(self, text: str) -> str:
        """Return the text for a `prompt` of the browser. Passwords are refused, since
        the prompt shows what is typed."""
        return self._revealed("", "", "the browser's dialog", text)

    def _still_a_password(self, spot: Spot, facts: dict[str, Any], text: str) -> None:
        """Refuse a password if the click changed the field or moved the focus."""
        secrets = self._stage.secrets
        if not self._guards(secrets.names_in(secrets.mask(text))):
            return
        if facts.get("gone") or facts["type"] != "password" or "focused" not in facts["states"]:
            raise Refused(
                "action.secret_refused",
                f"{name_of(spot.element)} is no password field with the focus once it has been"
                " clicked; nothing was typed",
            )

    async def _enter(self, spot: Spot, text: str, *, clear: bool) -> None:
        tab, pointing = self._tab, self._pointing
        facts = await pointing.control(spot, "empty" if clear else "focus")
        self._still_a_password(spot, facts, text)
        if not clear:
            await tab.devices.key("End")
            text_after = str(facts.get("value", "")) + text
        else:
            text_after = text
        if text:
            await tab.devices.insert(text)
        else:
            await tab.devices.key("Delete")
        if spot.element.input_type == "password" or "<secret:" in self._stage.secrets.mask(text):
            return
        now = await pointing.control(spot, "facts")
        value = str(now.get("value", text_after))
        if now.get("gone") or value.split() == text_after.split() or not text:
            return
        if "focused" not in now["states"] and await self._went_elsewhere(spot):
            return
        if clear:
            await pointing.control(spot, "empty")
            await tab.devices.key("Delete")
            await tab.devices.type_keys(text)

    async def _went_elsewhere(self, spot: Spot) -> bool:
        """Return True if another field has the focus: a box that opens a search, and
        hands over what is typed."""
        where = await self._focused()
        return (
            where is not None
            and where["role"] in _TYPED_INTO
            and where["identity"] != spot.element.identity
        )

    def _revealed(self, frame: str, input_type: str, name: str, text: str) -> str:
        names = self._stage.secrets.names_in(text)
        if not names:
            return text
        if not self._stage.guard.hosts.allows(frame or self._tab.page.url):
            raise Refused(
                "action.secret_refused", "secrets are only typed on the target's own hosts"
            )
        self._stage.gate.check(frame or self._tab.page.url)
        if self._guards(names) and input_type != "password":
            raise Refused(
                "action.secret_refused",
                f"{name} is not a password field; a password is not typed there",
            )
        return self._stage.secrets.reveal(text)

    # keys

    async def press(self, action: a.Press) -> Done:
        """Press a key or chord."""
        identity = ""
        if action.id is not None:
            spot = await self._pointing.spot(self._pointing.element(action.id), hit=False)
            await self._pointing.control(spot, "focus")
            identity = spot.element.identity
        await self._tab.devices.key(action.key)
        return Done(identity=identity)

    # typed confirmation

    async def confirm(self, action: a.ConfirmTyped) -> Done:
        """Type what a dangerous dialog asks for and press its button."""
        element = self._field(action.id)
        before = await self._stage.look()
        word = self._revealed(
            element.frame, element.input_type, name_of(element), action.text
        ) or self._asked_for(before, element)
        spot = await self._pointing.click(element)
        self._still_a_password(spot, await self._pointing.control(spot, "empty"), word)
        await self._tab.devices.key("Delete")
        await self._tab.devices.type_keys(word)
        await self._stage.wait_quiet()
        button = self._button(before, await self._stage.look(), element, action.button)
        if State.DISABLED in button.states:
            raise Refused(
                "action.no_effect", f'{name_of(button)} stays disabled after "{word}" was typed'
            )
        await self._pointing.click(button)
        return Done(
            identity=element.identity, message=f'typed "{word}" and pressed {name_of(button)}'
        )

    @staticmethod
    def _asked_for(seen: Observation, element: Element) -> str:
        """Return the word that the dialog asks for."""
        near = [text.text for text in seen.texts if text.container == element.container]
        for words in [element.label, element.placeholder, *near, " ".join(near)]:
            for pattern in _ASKED:
                if found := pattern.search(words):
                    return found.group(1).strip()
        raise Refused(
            "action.bad_value", f"nothing near {name_of(element)} says what to type; give the text"
        )

    @staticmethod
    def _button(before: Observation, after: Observation, field: Element, name: str) -> Element:
        was = {e.identity: e for e in before.elements}
        buttons = [
            e
            for e in after.elements
            if e.role in {"button", "link"} and e.container == field.container and e.name
        ]
        if name:
            buttons = [e for e in buttons if e.name.casefold() == name.casefold()]
        offered = [e for e in buttons if not _DISMISS.match(e.name)]
        woken = [
            e
            for e in offered
            if State.DISABLED not in e.states
            and e.identity in was
            and State.DISABLED in was[e.identity].states
        ]
        found = (
            woken
            or [e for e in offered if _CONFIRM.match(e.name)]
            or (offered if name or len(offered) == 1 else [])
        )
        if not found:
            names = tuple(e.name for e in offered)
            shown = ", ".join(names[:8]) or "nothing"
            raise Refused(
                "action.no_such_option",
                f"no button of the dialog confirms it; there are: {shown}",
                options=names,
            )
        return found[0]
