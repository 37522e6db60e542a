"""References in META: `${output.name}`, `${var.name_prefix}`, `${var.region}`.

`complaint` finds what nothing will ever put in, before anything is begun; `filled` puts
values in; `missing` says which outputs a text waits for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Set

from proofwalk.kernel.json_values import JsonValue

NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
VARIABLES = ("region", "name_prefix")
_REFERENCE = re.compile(r"\$\{([^}]*)\}")
_OUTPUT = re.compile(rf"output\.({NAME})")


def complaint(text: str, outputs: Collection[str]) -> str:
    """Say what is wrong with the references of `text`, where `outputs` are those that
    there are; empty if nothing is."""
    for reference in _REFERENCE.findall(text):
        output = _OUTPUT.fullmatch(reference)
        if output is None and reference.removeprefix("var.") not in VARIABLES:
            variables = ", ".join(f"var.{name}" for name in VARIABLES)
            return f"${{{reference}}} is neither ${{output.…}} nor one of {variables}"
        if output is None and not reference.startswith("var."):
            return f"${{{reference}}} is written ${{var.{reference}}}"
        if output is not None and output.group(1) not in outputs:
            names = ", ".join(sorted(outputs)) or "none"
            return f"there is no output {output.group(1)!r} here (there is: {names})"
    return ""


def missing(text: str, outputs: Collection[str]) -> Set[str]:
    """Return the outputs that `text` refers to and that are not among `outputs`."""
    names = {match.group(1) for match in map(_OUTPUT.fullmatch, _REFERENCE.findall(text)) if match}
    return names - set(outputs)


def filled(
    text: str,
    *,
    outputs: Mapping[str, str],
    variables: Mapping[str, str],
    quote: Callable[[str], str] = str,
) -> str:
    """Return `text` with its references replaced by values, each of them quoted."""

    def value(match: re.Match[str]) -> str:
        reference = match.group(1)
        output = _OUTPUT.fullmatch(reference)
        if output is not None:
            return quote(outputs.get(output.group(1), ""))
        return quote(variables.get(reference.removeprefix("var."), ""))

    return _REFERENCE.sub(value, text)


def filled_json(
    value: JsonValue, *, outputs: Mapping[str, str], variables: Mapping[str, str]
) -> JsonValue:
    """Return a copy of `value` with the references of its texts replaced; keys stay."""
    if isinstance(value, str):
        return filled(value, outputs=outputs, variables=variables)
    if isinstance(value, Mapping):
        return {
            key: filled_json(item, outputs=outputs, variables=variables)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [filled_json(item, outputs=outputs, variables=variables) for item in value]
    return value


def texts_of(value: JsonValue) -> list[str]:
    """Return every text inside `value`."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in texts_of(item)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in texts_of(item)]
    return []
