"""Chooses an option by its visible text, however the page builds the choice.

Native selects, radio groups, menus behind a button, and comboboxes whose list is put at
the end of the page, loads late, is searchable, scrolls, or comes in levels (a
cascader). Options are only those that appeared, or to which the combobox points; what
was open before does not count. The text must match exactly, else in normal form (case,
spaces, punctuation). A choice that is not on offer is refused as
`action.no_such_option` together with those that are, which a finding about a document
needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from proofwalk.console.acting.branches import MOST_BRANCHES, Branches
from proofwalk.console.acting.matching import maker_of, match_option, normal
from proofwalk.console.acting.pointing import Pointing, Spot, fresh_element, refuse_disabled
from proofwalk.console.acting.stage import Stage
from proofwalk.console.faults import Refused, WorldGone
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Element, Observation, State
from proofwalk.console.tab.page import ConsolePage

_OPTIONS = frozenset({"option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem"})
_LOOSE = frozenset({"button", "link", "cell"})
_LOADING = re.compile(r"^(loading|please wait)", re.IGNORECASE)
_LIST_SCROLLS = 40
_COLUMN = 20.0
"""CSS pixels by which the left edges of options in one column may differ."""
_EXPANDED_S = 0.3
"""Seconds for a list to show another next level, if it shows one already."""
_SEARCHABLE_S = 1.5
"""Seconds for a list that can be searched to show choices before anything is typed."""
_PATIENCE = 6.0
"""Seconds for a list to load its options."""


class Choices:
    """Drives the choices of one tab."""

    def __init__(self, stage: Stage, tab: ConsolePage, pointing: Pointing) -> None:
        self._stage = stage
        self._tab = tab
        self._pointing = pointing

    async def select(self, element: Element, option: str) -> str:
        """Choose `option` in `element`. Return the identity of the element that
        changed."""
        refuse_disabled(element)
        if element.tag == "select":
            return await self._native(element, option)
        if element.role == "radio":
            return await self._radio(element, option)
        if element.role in _OPTIONS and normal(element.name) == normal(option):
            await self._click(element)
            return element.identity
        return await self._listed(element, option)

    async def _click(self, element: Element) -> Spot:
        return await self._pointing.click(element)

    async def offers(self, element: Element) -> tuple[str, ...]:
        """Return the choices on offer. A list that had to be opened is closed again."""
        if element.tag == "select":
            spot = await self._pointing.spot(element, hit=False)
            return tuple((await self._pointing.control(spot, "facts"))["options"])
        if element.role == "radio":
            return tuple(e.name for e in await self._group(element))
        refuse_disabled(element)
        opened, known = await self._open_state(element)
        spot = await (self._pointing.spot(element) if opened else self._pointing.click(element))
        offered = await self._offered(element, known)
        _, more = await self._search(element, spot, "", known, offered)
        if not opened:
            await self._close(element, known)
        return tuple(dict.fromkeys(e.name for e in more if e.name))

    async def _open_state(self, element: Element) -> tuple[bool, frozenset[str]]:
        """Return whether the list is open already, and the identities that cannot be
        its options."""
        before = await self._stage.look()
        opened = (
            State.EXPANDED
            in (
                next((e for e in before.elements if e.identity == element.identity), element)
            ).states
        )
        return opened, frozenset() if opened else frozenset(e.identity for e in before.elements)

    async def _native(self, element: Element, option: str) -> str:
        spot = await self._pointing.spot(element)
        answer = await self._pointing.control(spot, "option", option)
        if not answer["done"]:
            raise self._missing(element, option, answer["options"])
        return spot.element.identity

    async def _radio(self, element: Element, option: str) -> str:
        group = await self._group(element)
        chosen = match_option(option, group)
        if chosen is None:
            raise self._missing(element, option, [e.name for e in group])
        refuse_disabled(chosen)
        await self._click(chosen)
        await self._stage.wait_quiet()
        now = await fresh_element(self._stage, chosen.identity)
        if now is not None and State.CHECKED not in now.states:
            raise Refused("action.no_effect", f"{name_of(chosen)} did not become the choice")
        return chosen.identity

    async def _group(self, element: Element) -> list[Element]:
        seen = await self._stage.look()
        mine = next((e for e in seen.elements if e.identity == element.identity), element)
        return [
            e
            for e in seen.elements
            if e.role == "radio"
            and (e.group, e.container, e.frame) == (mine.group, mine.container, mine.frame)
        ]

    async def _listed(self, element: Element, option: str) -> str:
        levels = [part.strip() for part in option.split(" / ")] if " / " in option else [option]
        opened, known = await self._open_state(element)
        spot = await (self._pointing.spot(element) if opened else self._pointing.click(element))
        if element.role == "textbox" and spot.facts["editable"]:
            await self._suggested(element, spot, option, known)
            return element.identity
        field = await self._search_field(spot) if element.role == "combobox" else None
        patience = _PATIENCE if field is None else _SEARCHABLE_S
        offered = await self._offered(element, known, patience)
        chosen = match_option(option, offered)
        if chosen is None and len(levels) > 1:
            return await self._levels(element, levels, known, offered)
        if chosen is None and len(offered) <= MOST_BRANCHES:
            branches = Branches(
                self._stage,
                self._pointing,
                lambda seen: self._options(seen, element, known),
            )
            chosen, offered = await branches.find(option, offered)
        if chosen is None:
            chosen, offered = await self._search(element, spot, option, known, offered)
        if chosen is None:
            if not opened:
                await self._close(element, known)
            raise self._missing(element, option, [e.name for e in offered])
        await self._take(element, chosen, option)
        return element.identity

    async def _suggested(
        self, element: Element, spot: Spot, option: str, known: frozenset[str]
    ) -> None:
        """Choose what a text field suggests once the option is typed. A field that
        suggests nothing is left as it was."""
        before = str(spot.facts["value"])
        await self._pointing.control(spot, "empty")
        await self._tab.devices.insert(option)
        await self._stage.wait_quiet()
        found = self._options(await self._stage.look(), element, known)
        chosen = match_option(option, found)
        if chosen is not None:
            await self._take(element, chosen, option)
            return
        await self._pointing.control(spot, "empty")
        await (self._tab.devices.insert(before) if before else self._tab.devices.key("Delete"))
        await self._stage.wait_quiet()
        if found:
            raise self._missing(element, option, [e.name for e in found])
        raise Refused(
            "action.wrong_kind",
            f"{name_of(element)} is a text field without a list; type into it",
        )

    async def _levels(
        self, element: Element, levels: list[str], known: frozenset[str], offered: list[Element]
    ) -> str:
        """Choose in a cascader. A level opens the next one when pointed at or when
        clicked. Pointing is tried first, since a click may already choose."""
        earlier_options: set[str] = set()
        left = min((e.box.x for e in offered), default=0.0)
        offered = [e for e in offered if e.box.x < left + _COLUMN]
        for depth, level in enumerate(levels):
            chosen, here = match_option(level, offered), offered
            if chosen is None:
                chosen, here = await self._further(
                    element, level, known | frozenset(earlier_options), offered
                )
            if chosen is None:
                await self._close(element, known)
                raise self._missing(element, level, [e.name for e in here])
            earlier_options.update(e.identity for e in here)
            refuse_disabled(chosen)
            if depth + 1 == len(levels):
                await self._click(chosen)
                break
            offered = await self._next_level(element, chosen, known | frozenset(earlier_options))
        await self._verify(element, levels[-1])
        return element.identity

    async def _next_level(
        self, element: Element, chosen: Element, known: frozenset[str]
    ) -> list[Element]:
        """Return the options that open beside an option. A cascader that remembers its
        value may show them already."""
        shown = self._options(await self._stage.look(), element, known)
        known = known | frozenset(e.identity for e in shown)
        spot = await self._pointing.spot(chosen)
        await self._tab.devices.move(spot.x, spot.y)
        if opened := await self._offered(element, known, 0.0):
            return opened
        await self._click(chosen)
        await self._stage.wait_quiet()
        seen = await self._stage.look()
        right = chosen.box.x + chosen.box.width - _COLUMN
        beside = [e for e in self._options(seen, element, frozenset()) if e.box.x >= right]
        column = min((e.box.x for e in beside), default=0.0)
        return await self._offered(element, known, _EXPANDED_S if beside else _PATIENCE) or [
            e for e in beside if e.box.x < column + _COLUMN
        ]

    async def _take(self, element: Element, chosen: Element, option: str) -> None:
        refuse_disabled(chosen)
        await self._click(chosen)
        await self._verify(element, option)

    async def _verify(self, element: Element, option: str) -> None:
        """Check that a combobox shows the choice. One with several choices stays open,
        and is closed."""
        await self._stage.wait_quiet()
        if element.role != "combobox":
            return
        now = await fresh_element(self._stage, element.identity)
        if now is None or not now.value or normal(option) in normal(now.value):
            if now is not None and State.EXPANDED in now.states:
                await self._tab.devices.key("Escape")
                await self._stage.wait_quiet()
            return
        raise Refused(
            "action.no_effect",
            f'{name_of(element)} shows "{now.value[:80]}" after "{option}" was chosen',
        )

    async def _offered(
        self, element: Element, known: frozenset[str], patience: float = _PATIENCE
    ) -> list[Element]:
        """Return the options on show, once the list has loaded."""
        end = self._stage.clock.monotonic() + patience
        while True:
            await self._stage.wait_quiet()
            options = self._options(await self._stage.look(), element, known)
            loading = not options or all(_LOADING.match(o.name) for o in options)
            left = end - self._stage.clock.monotonic()
            if not options and element.role == "textbox":
                raise Refused(
                    "action.wrong_kind",
                    f"{name_of(element)} is a text field without a list; type into it",
                )
            if not loading or left <= 0:
                return [] if loading else options
            await self._tab.changed(min(left, 1.0))

    @staticmethod
    def _options(seen: Observation, element: Element, known: frozenset[str]) -> list[Element]:
        fresh = [
            e
            for e in seen.elements
            if e.identity not in known
            and e.identity != element.identity
            and e.frame == element.frame
        ]
        options = [e for e in fresh if e.role in _OPTIONS]
        return options or [
            e
            for e in fresh
            if e.role in _LOOSE and e.container and e.container != element.container
        ]

    async def _search(
        self,
        element: Element,
        spot: Spot,
        option: str,
        known: frozenset[str],
        offered: list[Element],
    ) -> tuple[Element | None, list[Element]]:
        """Type into a searchable list, or scroll a long one. Return the option, and all
        options seen."""
        if option and element.role == "combobox" and (field := await self._search_field(spot)):
            await self._tab.devices.insert(option)
            found = await self._offered(element, known, 1.0 if offered else _PATIENCE)
            chosen = match_option(option, found) or maker_of(option, found)
            if chosen is None:
                await self._pointing.control(field, "empty")
                await self._tab.devices.key("Delete")
            return chosen, offered or found
        return await self._further(element, option, known, offered)

    async def _search_field(self, spot: Spot) -> Spot | None:
        """Return the field into which the list is searched: the combobox itself, or the
        one that has got the focus now that the list is open."""
        if spot.facts["editable"]:
            return spot
        try:
            found = await self._tab.worlds.call(spot.world, "focused", seconds=self._tab.seconds)
        except WorldGone:
            return None
        if not found["found"] or not found["editable"] or found["type"] == "password":
            return None
        field = self._pointing.stand_in(spot.world, found["id"], found["name"], role="textbox")
        return replace(spot, element=field, id=found["id"])

    async def _further(
        self, element: Element, option: str, known: frozenset[str], offered: list[Element]
    ) -> tuple[Element | None, list[Element]]:
        """Scroll a long list until the option shows up, or, for an empty `option`, to
        its end."""
        seen = {e.name: e for e in offered}
        for _ in range(_LIST_SCROLLS):
            if not offered:
                break
            last = await self._pointing.spot(offered[-1], hit=False)
            if not (await self._pointing.control(last, "scroll", [0, 200]))["done"]:
                break
            await self._stage.wait_quiet()
            offered = self._options(await self._stage.look(), element, known)
            seen.update((e.name, e) for e in offered)
            chosen = match_option(option, offered) if option else None
            if chosen is not None:
                return chosen, list(seen.values())
        return None, list(seen.values())

    async def _close(self, element: Element, known: frozenset[str]) -> None:
        """Close a list that was opened, so that the page is as before.

        Escape closes a list, but in a dialog it may close that as well. There the
        element is clicked again instead, and nothing is done if no list can be seen.
        """
        seen = await self._stage.look()
        if seen.modal:
            if not self._is_expanded(seen, element) and not self._options(seen, element, known):
                return
            await self._click(element)
        else:
            await self._tab.devices.key("Escape")
        await self._stage.wait_quiet()
        seen = await self._stage.look()
        if not self._is_expanded(seen, element):
            return
        if seen.modal:
            await self._tab.devices.key("Escape")
        else:
            await self._click(element)
        await self._stage.wait_quiet()

    @staticmethod
    def _is_expanded(seen: Observation, element: Element) -> bool:
        now = next((e for e in seen.elements if e.identity == element.identity), None)
        return now is not None and State.EXPANDED in now.states

    @staticmethod
    def _missing(element: Element, option: str, offered: Iterable[str]) -> Refused:
        names = tuple(dict.fromkeys(name for name in offered if name))
        if not names:
            return Refused(
                "action.no_such_option",
                f'{name_of(element)} showed no choices, so "{option}" was not chosen',
            )
        shown = ", ".join(f'"{name[:60]}"' for name in names[:12]) + (
            f" and {len(names) - 12} more" if len(names) > 12 else ""
        )
        return Refused(
            "action.no_such_option",
            f'{name_of(element)} does not offer "{option}"; on offer: {shown}',
            options=names,
        )
