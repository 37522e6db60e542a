"""Runs of a text with inline marks: what is a label, what is code, what is plain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """How a run of text is set."""

    TEXT = "text"
    STRONG = "strong"
    CODE = "code"
    LINK = "link"


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of one role."""

    role: Role
    text: str
    target: str = ""


_MARK = re.compile(
    r"\*\*(?P<strong>.+?)\*\*|`(?P<code>[^`]+)`|\[(?P<link>[^\]\[]+)\]\((?P<target>[^)\s]+)\)"
)


def runs(text: str) -> list[Run]:
    """The runs of a neutral text."""
    found: list[Run] = []
    at = 0
    for mark in _MARK.finditer(text):
        if mark.start() > at:
            found.append(Run(role=Role.TEXT, text=text[at : mark.start()]))
        if mark["strong"] is not None:
            found.append(Run(role=Role.STRONG, text=mark["strong"]))
        elif mark["code"] is not None:
            found.append(Run(role=Role.CODE, text=mark["code"]))
        else:
            found.append(Run(role=Role.LINK, text=mark["link"], target=mark["target"]))
        at = mark.end()
    if at < len(text):
        found.append(Run(role=Role.TEXT, text=text[at:]))
    return found


def visible(text: str) -> str:
    """What a reader sees of a neutral text."""
    return "".join(run.text for run in runs(text))
