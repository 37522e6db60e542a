"""Hands files over.

A file that lies in the episode's folder is handed over as it is. One that the document
names, or whose text it gives, and that nobody prepared is made on the spot: the action
carries its text, so the trajectory keeps it and a replay makes the same file. Only
kinds that any reader could write are made; a certificate or a picture has to be
prepared, and the walk ends there without a finding.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from proofwalk.agent.page import page_fields, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import Match, match
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent, ScopeKind
from proofwalk.console.actions import Upload
from proofwalk.console.observation import Element

_TAKES_FILES = re.compile(
    r"\b(?:upload|browse|(?:select|choose) (?:a )?files?)\b|上传|(?:选择|浏览)文件", re.I
)
_NAME = re.compile(r"[\w()-][\w .()-]*\.[A-Za-z][A-Za-z0-9]{0,7}")
_OF_TEXT = "text.txt"
"""What a file is called whose text alone the document gives."""
_LINE = "This file was made for a walk of the documentation."
_MADE = {
    ".conf": f"# {_LINE}\n",
    ".csv": "name,value\nfirst,1\n",
    ".htm": f"<!DOCTYPE html>\n<title>{_LINE}</title>\n",
    ".html": f"<!DOCTYPE html>\n<title>{_LINE}</title>\n",
    ".ini": f"; {_LINE}\n",
    ".json": "{}\n",
    ".log": f"{_LINE}\n",
    ".md": f"{_LINE}\n",
    ".ps1": f"# {_LINE}\nexit 0\n",
    ".py": f"# {_LINE}\n",
    ".sh": f"#!/bin/sh\n# {_LINE}\nexit 0\n",
    ".sql": f"-- {_LINE}\n",
    ".txt": f"{_LINE}\n",
    ".xml": f"<!-- {_LINE} -->\n<root/>\n",
    ".yaml": f"# {_LINE}\n{{}}\n",
    ".yml": f"# {_LINE}\n{{}}\n",
}
"""The text of a file by how its name ends: the least that is well-formed."""


def file_of(value: str) -> tuple[str, str]:
    """Return a file's name and the text that it is made with: of its name, or of the
    text that is to be in it. The text is empty for a kind that cannot be made."""
    if _NAME.fullmatch(value):
        return value, _MADE.get(PurePosixPath(value).suffix.lower(), "")
    return _OF_TEXT, value


def taker(scene: DocumentScene, label: str) -> Element | None:
    """Return what takes files under this name in front: a file input, or a button like
    *Upload File* beside it."""
    if not label:
        return None
    inputs = [one for one in _inputs(scene) if match(label, one.label) is not Match.NONE]
    buttons = page_fields.beside(
        scene.page, label, lambda one: one.role == "button" and _opens_files(one)
    )
    return next(iter([*inputs, *buttons]), None)


def upload(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Hand a file to a file input, or to *Upload File*. Raises `Stuck`."""
    place = intent.scope(ScopeKind.FIELD)
    label = intent.label or (place.label if place else "")
    takers = _inputs(scene) or [
        element
        for element in regions.reachable(scene.page, scene.page.elements)
        if element.role == "button" and _opens_files(element)
    ]
    named = taker(scene, label) or next(
        (one for one in takers if match(label, one.label) is not Match.NONE), None
    )
    chosen = named or next(iter(takers), None)
    if chosen is None or intent.value is None:
        raise Stuck(f"nothing here takes {intent.value or 'a file'}")
    yield from hand_over(scene, chosen, intent.value)


def hand_over(scene: DocumentScene, element: Element, value: str) -> Script[None]:
    """Give a file to a control. `value` is its name, or the text that is to be in it.
    Raises `Stuck` if the control does not take it."""
    name, text = file_of(value)
    past = yield from scene.act(
        f"I upload {name}."
        if not text
        else f"I upload {name}; where nobody prepared it I make it.",
        Upload(id=element.mark, file=name, content=text),
    )
    if not past.ok:
        raise Stuck(f"“{name}” could not be uploaded: {past.result}")


def _opens_files(element: Element) -> bool:
    return _TAKES_FILES.search(element.name) is not None


def _inputs(scene: DocumentScene) -> list[Element]:
    front = regions.reachable(scene.page, scene.page.elements)
    return [element for element in front if element.input_type == "file"]
