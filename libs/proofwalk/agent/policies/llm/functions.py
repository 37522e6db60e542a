"""Functions in what a model is told and may answer: `call_api` in the schema, with the
functions that there are and no others, and a line for each in the prompt (ComputerRL
appendix C: descriptive docstrings in the system prompt). Pure.

Without functions neither differs from what every walk has. The compact layout, whose
samples have a prompt of their own, tells of none.
"""

from __future__ import annotations

from collections.abc import Iterable

from proofwalk.console.functions import FunctionCard
from proofwalk.kernel.json_values import JsonObject, list_of, object_of

_INTRODUCTION = """\
Functions, called by an action as {"type": "call_api", "name": "…", "arguments": {…}}. What one of
them does is done at once and told to you; where one does what you would do in several steps, call
it, else act by hand:"""
_DESCRIPTION = 300


def call_choices(functions: Iterable[FunctionCard]) -> list[JsonObject]:
    """A schema for a call of each function: its name goes with its arguments. Where
    actions share one schema, what does not belong together is refused when called."""
    return [
        {
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": ["call_api"]},
                "name": {"type": "string", "enum": [one.name]},
                "arguments": one.parameters,
            },
            "required": ["type", "name", "arguments"],
            "additionalProperties": False,
        }
        for one in functions
    ]


def describe_functions(functions: Iterable[FunctionCard]) -> str:
    """The part of a prompt that tells of functions; empty without any."""
    lines = [_line(one) for one in functions]
    return "\n".join([_INTRODUCTION, *lines]) if lines else ""


def _line(function: FunctionCard) -> str:
    required = list_of(function.parameters.get("required"))
    members = [
        f"{name}{'' if name in required else '?'}: {_kind(object_of(schema))}"
        for name, schema in object_of(function.parameters.get("properties")).items()
    ]
    described = " ".join(function.description.split())[:_DESCRIPTION]
    return f"- {function.name} ({', '.join(members)}): {described}"


def _kind(schema: JsonObject) -> str:
    choices = list_of(schema.get("enum"))
    if choices:
        return "|".join(map(str, choices))
    items = object_of(schema.get("items"))
    return f"list of {_kind(items)}" if items else str(schema.get("type", "value"))
