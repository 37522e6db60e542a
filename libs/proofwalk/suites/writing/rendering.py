"""Templates of units rendered: Jinja2 in a sandbox, where every undefined name is an
error and every label knows its schema path.

`ui(path)` is the one function that a template has. `traced` returns the text with the
labels that it used, which is how drift knows which sentence rests on which node of the
console. `action` renders one entry of the script vocabulary and checks it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from proofwalk.kernel.json_values import JsonObject
from proofwalk.suites.writing.labels import Labels
from proofwalk.suites.writing.source_errors import source_invalid

VOCABULARY: Mapping[str, frozenset[str]] = {
    "open": frozenset(),
    "region": frozenset(),
    "press": frozenset(),
    "tab": frozenset(),
    "row": frozenset({"press", "open"}),
    "rows": frozenset({"press"}),
    "fill": frozenset(),
    "choose": frozenset(),
    "set": frozenset(),
    "slide": frozenset(),
    "date": frozenset(),
    "upload": frozenset(),
    "tags": frozenset(),
    "list": frozenset(),
    "next": frozenset(),
    "submit": frozenset(),
    "confirm": frozenset({"type"}),
    "wait": frozenset(),
    "search": frozenset(),
    "page": frozenset(),
    "read": frozenset(),
    "close": frozenset(),
}
"""What a script may do: the member that names the action, and what may stand beside
it."""

Action: TypeAlias = JsonObject
"""One act of a script: a member of `VOCABULARY` with what stands beside it."""
Scope: TypeAlias = Mapping[str, object]
"""What a template may name. `params` holds the drawn values."""

_BUTTONS = ("press", "submit", "confirm", "tab")


@dataclass(frozen=True, kw_only=True)
class Use:
    """A label that a text rests on: its node and how it reads."""

    at: str
    text: str


class ParameterValue(str):
    """A drawn value: in text what the console shows, `.value` what the rule compares;
    `at` is the option's node."""

    value: str
    at: str

    def __new__(cls, shown: str, value: str, at: str = "") -> ParameterValue:
        made = super().__new__(cls, shown)
        made.value, made.at = value, at
        return made


@lru_cache(maxsize=1)
def _environment() -> SandboxedEnvironment:
    return SandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True
    )


@lru_cache(maxsize=20_000)
def _template(text: str) -> Template:
    return _environment().from_string(text)


def plain_render(template: str, scope: Scope, *, place: str) -> str:
    """The template without `ui`. Raises `suite.source_invalid`."""
    if "{{" not in template and "{%" not in template:
        return template
    try:
        return _template(template).render(scope)
    except (TemplateError, TypeError, ValueError) as error:
        raise source_invalid(
            place, f"the template {template!r} cannot be rendered: {error}"
        ) from None


def mentions(template: str, parameter: str) -> bool:
    """Whether a template uses the parameter."""
    return re.search(rf"\bparams\.{re.escape(parameter)}\b", template) is not None


@dataclass(frozen=True)
class Renderer:
    """Templates of one product against one console."""

    labels: Labels
    product: str

    def text(self, template: str, scope: Scope, *, place: str = "") -> str:
        """The rendered text."""
        return self.traced(template, scope, place=place)[0]

    def traced(
        self, template: str, scope: Scope, *, place: str = ""
    ) -> tuple[str, tuple[Use, ...]]:
        """The rendered text and the labels that it used, in order."""
        uses: list[Use] = []

        def ui(path: object) -> str:
            label = self.labels.find(str(path), product=self.product)
            if label.at:
                uses.append(Use(at=label.at, text=label.text))
            return label.text

        text = plain_render(template, {**scope, "ui": ui}, place=place or self.product)
        params = scope.get("params")
        for value in params.values() if isinstance(params, Mapping) else ():
            if (
                isinstance(value, ParameterValue)
                and value.at
                and str(value) in text
                and not any(use.at == value.at for use in uses)
            ):
                uses.append(Use(at=value.at, text=str(value)))
        return text, tuple(uses)

    def tree(self, value: Any, scope: Scope, *, place: str) -> Any:
        """Every text of a nested value rendered, keys of mappings too."""
        if isinstance(value, str):
            return self.text(value, scope, place=place)
        if isinstance(value, Mapping):
            return {
                self.tree(key, scope, place=place): self.tree(entry, scope, place=place)
                for key, entry in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.tree(entry, scope, place=place) for entry in value]
        return value

    def action(self, action: Action, scope: Scope, *, place: str) -> dict[str, Any]:
        """One action of the oracle. The menu of `open` is given from the top, and the
        console's own words in its language."""
        kind = next((key for key in action if key in VOCABULARY), "")
        if not kind or set(action) - {kind} - VOCABULARY[kind]:
            strange = next(
                iter(set(action) - {kind} - VOCABULARY.get(kind, frozenset())), "nothing"
            )
            raise source_invalid(
                place, f"do: {strange!r} is no action", hint=f"actions: {', '.join(VOCABULARY)}"
            )
        rendered: dict[str, Any] = self.tree(action, scope, place=place)
        if kind == "open":
            rendered["open"] = self._opened(action["open"], rendered["open"], scope, place)
        for member in _BUTTONS:
            if isinstance(rendered.get(member), str):
                rendered[member] = self.labels.word(rendered[member])
        return rendered

    def _opened(self, written: Any, rendered: Any, scope: Scope, place: str) -> Any:
        """A session's revision may have moved the entry: its labels are looked up where
        it is now."""
        if not isinstance(rendered, dict) or not rendered.get("product"):
            raise source_invalid(place, "open: takes {product, menu: [labels]}")
        entries = [str(template) for template in written.get("menu", [])]
        if not entries:
            return rendered
        uses = self.traced(entries[-1], scope, place=place)[1]
        if uses and "/menu/" in uses[-1].at:
            product, *_, item = uses[-1].at.split("/")
            rendered = {**rendered, "menu": self.labels.menu_trail(product, item)}
        return rendered
