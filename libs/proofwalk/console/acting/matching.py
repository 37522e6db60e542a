"""Which of the choices on offer a wanted text means."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proofwalk.console.faults import Refused
from proofwalk.console.observation import Element

_MAKES = re.compile(
    r"^\s*(?:add|create|new|use)(?: (?:new|tag|option|item))*\b\s*:?", re.IGNORECASE
)
_PARTS = re.compile(r"\s[/|]\s|\s\((?=[^()]*\)$)")


def normal(text: str) -> str:
    """Return the normal form of a visible text, without case, spaces and
    punctuation."""
    return " ".join(re.sub(r"[^\w%+.]+", " ", text.casefold()).split()).strip(" .")


def match_option(wanted: str, offered: Iterable[Element]) -> Element | None:
    """Return the option that shows `wanted`: exactly, else in normal form, else as a
    whole part of the only `name / id` or `name (remark)` that has it."""
    options = list(offered)
    for option in options:
        if option.name.strip() == wanted.strip():
            return option
    same = [option for option in options if normal(option.name) == normal(wanted)]
    if same:
        return same[0]
    parts = [
        option
        for option in options
        if normal(wanted) in {normal(part) for part in _PARTS.split(option.name)}
    ]
    if len(parts) > 1:
        names = tuple(option.name for option in parts)
        raise Refused(
            "action.ambiguous_option",
            f'"{wanted}" could be any of: {", ".join(names[:8])}; give the whole text',
            options=names,
        )
    return parts[0] if parts else None


def maker_of(wanted: str, offered: Iterable[Element]) -> Element | None:
    """Return the entry that makes a new choice of what was typed: `Add "wanted"`."""
    return next(
        (
            option
            for option in offered
            if _MAKES.match(option.name) and normal(_MAKES.sub("", option.name)) == normal(wanted)
        ),
        None,
    )
