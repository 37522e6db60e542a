"""Secrets never leave the executor: every text of an observation or a result passes through here.

A policy writes `<secret:NAME>`; `reveal` puts the value in at the last moment, and `mask` turns a value that shows up anywhere
(also URL-encoded) back into that form. Values whose box is known are blacked out in the screenshot as well.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

from proofwalk.console.faults import Refused

_REFERENCE = re.compile(r"<secret:([A-Za-z0-9_.-]+)>")


class Secrets:
    """The secrets of one episode, by name."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = {name: value for name, value in values.items() if value}
        forms: dict[str, str] = {}
        for name, value in self._values.items():
            for form in (value, quote(value, safe=""), quote(value), quote_plus(value), html.escape(value)):
                forms.setdefault(form, f"<secret:{name}>")
        self._forms = forms
        ordered = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(re.escape(form) for form in ordered)) if ordered else None

    def __repr__(self) -> str:
        return f"Secrets({', '.join(sorted(self._values))})"

    def mask(self, text: str) -> str:
        """`text` with every secret value replaced by its reference."""
        if self._pattern is None or not text:
            return text
        return self._pattern.sub(lambda match: self._forms[match.group()], text)

    def shows(self, text: str) -> bool:
        """Whether a secret value occurs in `text`."""
        return self._pattern is not None and self._pattern.search(text) is not None

    def names_in(self, text: str) -> tuple[str, ...]:
        """The secrets that `text` refers to."""
        return tuple(_REFERENCE.findall(text))

    def reveal(self, text: str) -> str:
        """`text` with references replaced by values; raises `Refused` for a name that the episode does not have."""

        def value(match: re.Match[str]) -> str:
            name = match.group(1)
            if name not in self._values:
                raise Refused(
                    "action.unknown_secret",
                    f"there is no secret named {name}; known: {', '.join(sorted(self._values)) or 'none'}",
                )
            return self._values[name]

        return _REFERENCE.sub(value, text)
