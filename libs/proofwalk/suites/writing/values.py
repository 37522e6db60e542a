"""The values of a unit's parameters, drawn for one task.

All tasks of a family draw from one order, which the family's id gives, and the task's
number says how far into it: their values differ as long as there are enough. Numbers
inside names are the task's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from proofwalk.suites.writing.provision import NAMES
from proofwalk.suites.writing.rendering import ParameterValue, Renderer, Scope
from proofwalk.suites.writing.units import Link, Parameter, Unit


@dataclass(frozen=True, kw_only=True)
class Values:
    """Draws for one unit of one task. `own` and `common` seed what is the task's and
    what is the family's."""

    link: Link
    unit: Unit
    renderer: Renderer
    number: int
    own: str
    common: str

    def draw(self, name: str, scope: Scope) -> ParameterValue:
        """The value of a parameter; `scope` is what its templates may use. Raises
        `suite.source_invalid`."""
        parameter = self.unit.params[name]
        if name in self.link.params:
            return self._given(parameter, self.link.params[name], scope)
        order = Random(f"{self.common}/{name}")  # noqa: S311  # not for secrets
        if parameter.choose:
            option = parameter.choose[
                (order.randrange(len(parameter.choose)) + self.number) % len(parameter.choose)
            ]
            return self._labelled(_text(option.value), option.label, scope)
        if parameter.range is not None:
            first, last, *step = parameter.range
            values = range(first, last + 1, step[0] if step else 1)
            value = str(
                values[
                    (order.randrange(len(values)) + self.number * max(1, len(values) // 7))
                    % len(values)
                ]
            )
            return ParameterValue(value, value)
        words = parameter.words or NAMES
        word = words[(order.randrange(len(words)) + self.number) % len(words)]
        number = Random(f"{self.own}/{self.common}/{name}").randrange(10, 100)  # noqa: S311
        form = parameter.form or "{word}-{n}"
        if "{{" in form:
            text = self.renderer.text(form, {**scope, "word": word, "n": number})
        else:
            text = form.replace("{word}", word).replace("{n}", str(number))
        return ParameterValue(text, text)

    def _given(self, parameter: Parameter, given: Any, scope: Scope) -> ParameterValue:
        """A value that the family fixes; its label is the choice's, where it is one."""
        option = given if isinstance(given, dict) else {"value": given}
        raw = option["value"]
        value = self.renderer.text(raw, scope) if isinstance(raw, str) else _text(raw)
        label = option.get("label") or next(
            (known.label for known in parameter.choose if _text(known.value) == value), None
        )
        return self._labelled(value, label, scope)

    def _labelled(self, value: str, label: str | None, scope: Scope) -> ParameterValue:
        if label is None:
            return ParameterValue(value, value)
        if not label.startswith("option:"):
            return ParameterValue(self.renderer.text(label, {**scope, "value": value}), value)
        product = self.renderer.product
        types = [made.type for made in self.unit.makes.values()] + list(self.unit.on.values())
        resources = [
            kind.partition("/")[0].partition(".")[2]
            for kind in types
            if kind.startswith(f"{product}.")
        ]
        found = self.renderer.labels.option_of(
            product, label.removeprefix("option:"), value, resources
        )
        return ParameterValue(found.text, value, at=found.at)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
