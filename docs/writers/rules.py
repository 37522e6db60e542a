"""The reference of the rule language: fields, operators and paths, from the models that
read a rule."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import BaseModel

from docs.writers.markdown import plain, table
from docs.writers.settings import docstrings
from proofwalk.chassis.patterns import MAX_PATTERN
from proofwalk.reward_service.expected_answers import ExpectedField
from proofwalk.reward_service.rules import (
    EVENT_FIELDS,
    MAX_DELTA_S,
    MAX_RULE_BYTES,
    Clause,
    Condition,
    Operator,
    Rule,
)


def page() -> str:
    """The reference."""
    operators = ", ".join(f"`{one}`" for one in get_args(Operator))
    fields = ", ".join(f"`{one}`" for one in sorted(EVENT_FIELDS))
    return (
        f"{_HEAD}\n## A rule\n\n{_fields(Rule)}\n## A clause\n\n{_fields(Clause)}\n## A"
        " constraint\n\nA constraint is a list `[path, op,"
        f" value]`.\n\n{_fields(Condition)}\nOperators: {operators}.\n\nPaths: `request.NAME`,"
        f" `response.NAME`, `raw.NAME`, or a field of the event: {fields}.\n\n## A field of an"
        f" answer\n\n{_fields(ExpectedField)}\n## Bounds\n\nA rule has at most"
        f" {MAX_RULE_BYTES // 1024} kB, `delta_s` is at most {MAX_DELTA_S:.0f}, and a pattern of"
        f" `matches`\nhas at most {MAX_PATTERN} characters.\n"
    )


_HEAD = """# Rule language

What the fields mean together, and when a reward is given: [Your own rules](../howto/rules.md).
"""


def _fields(model: type[BaseModel]) -> str:
    meanings = docstrings(model)
    rows = [
        (f"`{field.alias or name}`", _default(field), plain(meanings.get(name, _OWN.get(name, ""))))
        for name, field in model.model_fields.items()
    ]
    return table(("field", "default", "meaning"), rows)


_OWN = {
    "path": "Where to look in the event.",
    "op": "An operator.",
    "value": "What it is held against.",
}
"""Fields of a constraint, which the class describes as a whole."""


def _default(field: Any) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True, validated_data={})
    return (
        ""
        if value in ("", (), {}) or value is None
        else f"`{str(value).lower() if isinstance(value, bool) else value}`"
    )
