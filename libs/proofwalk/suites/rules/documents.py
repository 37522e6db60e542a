"""The document of a rule's file, as suites write it and take it apart.

`proofwalk.reward_service.rules` judges by it; here its members are read and compared.
A condition is `[path, operator, value]` or a mapping of these members.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, TypedDict

import yaml

from proofwalk.kernel.json_values import JsonObject, JsonValue
from proofwalk.suites.model import Task

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Condition: TypeAlias = Sequence[JsonValue] | JsonObject

Clause = TypedDict(
    "Clause",
    {
        "event": str,
        "service": str,
        "as": str,
        "ok": bool | None,
        "where": Sequence[Condition],
        "min": int,
        "max": int | None,
        "within": Sequence[float],
    },
    total=False,
)
"""What events must have or must not have."""


AnswerDocument: TypeAlias = Mapping[str, JsonObject]
"""Field of an answer -> what it has to be."""


class RuleDocument(TypedDict, total=False):
    """A rule."""

    id: str
    version: int
    title: str
    delta_s: float
    doc: JsonObject
    all: Sequence[Clause]
    any: Sequence[Clause]
    none: Sequence[Clause]
    order: bool
    answer: AnswerDocument


def rule_of(task: Task) -> RuleDocument:
    """Return the task's rule."""
    rule: RuleDocument = yaml.load(task.rule_yaml, Loader=_LOADER)  # noqa: S506  # safe loaders
    return rule


def groups_of(rule: RuleDocument) -> Mapping[str, Sequence[Clause]]:
    """Return the rule's clauses by group."""
    return {
        "all": rule.get("all") or (),
        "any": rule.get("any") or (),
        "none": rule.get("none") or (),
    }


def operations_of(clause: Clause) -> Iterator[str]:
    """Return the names of the operations that fit the clause."""
    return (name.strip() for name in str(clause["event"]).split("|"))


def triple_of(condition: Condition) -> tuple[str, str, JsonValue]:
    """Return path, operator and value; True where the condition has no value."""
    if isinstance(condition, Mapping):
        return str(condition["path"]), str(condition["op"]), condition.get("value", True)
    path, op, *value = condition
    return str(path), str(op), value[0] if value else True
