"""Actions that read: the text of an element or of the page, and a row of a table that
draws only what is in view.

The page's text is taken from a look, so text that no person sees (hidden or covered) is
not included. All output is data of the page; the caller masks secrets.
"""

from __future__ import annotations

from typing import Any

from proofwalk.console import actions as a
from proofwalk.console.acting.pointing import Pointing
from proofwalk.console.acting.results import Done
from proofwalk.console.acting.stage import Stage
from proofwalk.console.faults import Refused, WorldGone
from proofwalk.console.looking.changes import name_of
from proofwalk.console.observation import Element, Observation, TextRun
from proofwalk.console.tab.page import ConsolePage

EXTRACT_LIMIT = 6000
"""Most characters of one extraction. The result says where the next one starts."""
_LINKS = 200
_LINE = 8.0


def page_text(seen: Observation) -> str:
    """Return the text of a look as plain lines, in reading order. Texts on one line are
    joined with ` | `."""
    items: list[tuple[float, float, str]] = []
    parts: list[TextRun | Element] = [*seen.texts, *seen.elements]
    for item in parts:
        words = _words_of(item)
        if words:
            items.append((item.box.y + item.box.height / 2, item.box.x, words))
    items.sort(key=lambda one: one[0])
    lines: list[list[tuple[float, str]]] = []
    at = float("-inf")
    for y, x, words in items:
        if y - at > _LINE:
            lines.append([])
            at = y
        lines[-1].append((x, words))
    return "\n".join(" | ".join(words for _, words in sorted(line)) for line in lines)


def _words_of(item: TextRun | Element) -> str:
    if isinstance(item, TextRun):
        return item.text
    if item.value:
        return f"{item.label or item.name}: {item.value}" if item.label or item.name else item.value
    return "" if item.role in {"textbox", "combobox"} else item.name


class Reading:
    """Reads one tab."""

    def __init__(self, stage: Stage, tab: ConsolePage, pointing: Pointing) -> None:
        self._stage = stage
        self._tab = tab
        self._pointing = pointing

    async def extract(self, action: a.Extract) -> Done:
        """Return the text of an element or of the page, from `start` on, at most
        `EXTRACT_LIMIT` characters."""
        if action.id is None:
            seen = await self._stage.look()
            what, text = f'page "{seen.title[:80]}"', page_text(seen)
            links = await self._links(None, 0) if action.links else []
        else:
            spot = await self._pointing.spot(self._pointing.element(action.id), hit=False)
            inner = await self._tab.worlds.call(
                spot.world, "textWithin", spot.id, seconds=self._tab.seconds
            )
            text = str(inner["text"] or "").strip() or _words_of(spot.element)
            if spot.element.input_type == "password":
                text = ""
            elif spot.facts["value"] and spot.element.role in {
                "textbox",
                "combobox",
                "spinbutton",
                "slider",
            }:
                text = str(spot.facts["value"])
            what = name_of(spot.element)
            links = await self._links(spot.world, spot.id) if action.links else []
        text = self._stage.secrets.mask(text)
        part = text[action.start : action.start + EXTRACT_LIMIT]
        end = action.start + len(part)
        more = (
            f" (characters {action.start} to {end} of {len(text)})" if len(part) < len(text) else ""
        )
        listed = "\nLinks:\n" + "\n".join(links) if links else ""
        return Done(
            message=f"text of {what}{more}:\n{part}{listed}", text=part + listed, reading=True
        )

    async def _links(self, world: Any, number: int) -> list[str]:
        links: list[str] = []
        for one in [world] if world is not None else await self._tab.worlds.all(self._tab.seconds):
            try:
                pairs = await self._tab.worlds.call(one, "links", number, seconds=self._tab.seconds)
            except WorldGone:
                continue
            links += [f"{text}: {address}" for text, address in pairs]
        return links[:_LINKS]

    async def find_row(self, action: a.FindRow) -> Done:
        """Scroll containers until the text is seen, first on from where they are, then
        from their start."""
        tab = self._tab
        if action.id is None:
            worlds, root = await tab.worlds.all(tab.seconds), 0
        else:
            spot = await self._pointing.spot(self._pointing.element(action.id), hit=False)
            worlds, root = [spot.world], spot.id
        left, containers = action.scrolls, 0
        for world in worlds:
            try:
                boxes = await tab.worlds.call(world, "rowContainers", root, seconds=tab.seconds)
                for number in boxes:
                    containers += 1
                    row, left = await self._seek(world, number, action.text, left)
                    if row is not None:
                        return Done(message=f'found: "{row}"')
            except WorldGone:
                continue
        if not containers:
            seen = await self._stage.look()
            if action.text.casefold() in page_text(seen).casefold():
                return Done(message=f'"{action.text}" is in view')
            raise Refused(
                "action.not_found", f'"{action.text}" is not on the page, and nothing on it scrolls'
            )
        spent = f"; stopped after {action.scrolls} scrolls" if left <= 0 else ""
        raise Refused(
            "action.not_found",
            f'"{action.text}" did not come into view in {containers} scrolled containers{spent}',
        )

    async def _seek(self, world: Any, number: int, text: str, left: int) -> tuple[str | None, int]:
        """Scroll through one container. Return the row's text, or None, and the scrolls
        that are left."""
        turned, began = False, None
        while True:
            step = await self._tab.worlds.call(
                world, "seek", number, text, 1, seconds=self._tab.seconds
            )
            if step.get("gone"):
                return None, left
            if step["found"]:
                await self._stage.wait_quiet()
                return str(step["row"]), left
            began = step["top"] if began is None else began
            if left <= 0 or (turned and (not step["moved"] or step["top"] > began)):
                return None, left
            if not step["moved"]:
                turned = True
                await self._tab.worlds.call(
                    world, "seek", number, text, 0, seconds=self._tab.seconds
                )
            left -= 1
            await self._stage.wait_quiet()
