"""What a desktop shows as an observation: the screen, and of what its programs tell of
themselves (AT-SPI) what can be acted on, with marks.

Windows stand where a console has tabs, the active one first. A program that tells
nothing is seen on the screenshot alone and is acted on by coordinates. Where an
element's programs say nothing stable of it, its place in the tree is its identity.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping, Sequence
from datetime import datetime

from PIL import Image as Picture

from proofwalk.console.looking.marks import draw_marks
from proofwalk.console.observation import Box, BrowserTab, Element, Observation, State, TextRun
from proofwalk.desktop.guest import Look, Node

_JPEG_QUALITY = 80
_ROLES: Mapping[str, str] = {
    "push button": "button",
    "toggle button": "button",
    "button": "button",
    "check box": "checkbox",
    "check menu item": "menuitemcheckbox",
    "radio button": "radio",
    "radio menu item": "menuitemradio",
    "menu item": "menuitem",
    "menu": "menuitem",
    "text": "textbox",
    "entry": "textbox",
    "password text": "textbox",
    "terminal": "textbox",
    "document text": "textbox",
    "combo box": "combobox",
    "list item": "option",
    "table cell": "cell",
    "tree item": "treeitem",
    "page tab": "tab",
    "link": "link",
    "slider": "slider",
    "spin button": "spinbutton",
    "switch": "switch",
    "icon": "button",
}
"""ARIA's names for AT-SPI's."""
_STATES: Mapping[str, State] = {
    "checked": State.CHECKED,
    "selected": State.SELECTED,
    "expanded": State.EXPANDED,
    "focused": State.FOCUSED,
    "pressed": State.PRESSED,
    "read-only": State.READONLY,
    "required": State.REQUIRED,
}
_SPEAKING = frozenset({"label", "static", "heading", "paragraph", "status bar", "info bar"})


def observation(
    look: Look,
    screen: bytes,
    *,
    size: tuple[int, int],
    taken_at: datetime,
    before: Observation | None,
    pictures: bool,
) -> Observation:
    """One look. `screen` is the PNG of it; `pictures`: keep it, as JPEG, with marks and
    without."""
    known = {element.identity for element in before.elements} if before is not None else set()
    seen = [node for node in look.nodes if _within(node, size)]
    actionable = sorted(
        (node for node in seen if node.actions), key=lambda node: (node.box[1] // 8, node.box[0])
    )
    elements = tuple(
        _element(node, mark=number, new=before is not None and identity_of(node) not in known)
        for number, node in enumerate(actionable, start=1)
    )
    texts = tuple(
        TextRun(text=node.text or node.name, box=_box(node), container=node.window)
        for node in seen
        if not node.actions and node.role in _SPEAKING and (node.text or node.name)
    )
    raw = _jpeg(screen) if pictures else b""
    active = look.windows[0] if look.windows else ""
    return Observation(
        url=f"desktop:{active}",
        title=active,
        taken_at=taken_at,
        elements=elements,
        texts=texts,
        tabs=tuple(
            BrowserTab(index=index, url=f"desktop:{title}", title=title, active=not index)
            for index, title in enumerate(look.windows)
        ),
        viewport=size,
        scroll=(0, 0, *size),
        screenshot=draw_marks(raw, elements, texts) if raw else b"",
        raw_screenshot=raw,
    )


async def looked(
    look: Look,
    screen: bytes,
    *,
    size: tuple[int, int],
    taken_at: datetime,
    before: Observation | None,
    pictures: bool,
) -> Observation:
    """The same, in a thread: pictures take their time."""
    return await asyncio.to_thread(
        observation, look, screen, size=size, taken_at=taken_at, before=before, pictures=pictures
    )


def identity_of(node: Node) -> str:
    """The same for the same thing in the next look."""
    return f"{node.program}/{node.path}/{node.role}/{node.name}"


def _element(node: Node, *, mark: int, new: bool) -> Element:
    return Element(
        mark=mark,
        identity=identity_of(node),
        role=_ROLES.get(node.role, node.role),
        tag=node.role,
        name=node.name,
        value="" if node.role == "password text" else node.text,
        input_type="password" if node.role == "password text" else "",
        states=_states(node.states),
        box=_box(node),
        container=node.window,
        new=new,
    )


def _states(told: frozenset[str]) -> frozenset[State]:
    found = {_STATES[name] for name in told if name in _STATES}
    # Sensitive is how a toolkit says that something can be used now.
    if "sensitive" not in told:
        found.add(State.DISABLED)
    if "expandable" in told and "expanded" not in told:
        found.add(State.COLLAPSED)
    return frozenset(found)


def _box(node: Node) -> Box:
    x, y, width, height = node.box
    return Box(x=x, y=y, width=width, height=height)


def _within(node: Node, size: Sequence[int]) -> bool:
    x, y, width, height = node.box
    return (
        width > 0 and height > 0 and 0 <= x + width / 2 < size[0] and 0 <= y + height / 2 < size[1]
    )


def _jpeg(png: bytes) -> bytes:
    made = io.BytesIO()
    with Picture.open(io.BytesIO(png)) as picture:
        picture.convert("RGB").save(made, "JPEG", quality=_JPEG_QUALITY)
    return made.getvalue()
