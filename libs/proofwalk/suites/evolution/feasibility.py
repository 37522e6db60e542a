"""What can be told of a task without walking it: whether its script can prove its rule.

Each operation that the rule asks for must be one that a control of the console sends
which the script uses, and the walker must be able to know each constant
(`rules.constants`). An operation of which the console's files name no control is not
held against the script. What a walk meets is not looked at: a state that refuses, a
resource that something else needs. That is for the oracle to show.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Protocol

import yaml

from proofwalk.suites.model import Task
from proofwalk.suites.rules.constants import Console, unfounded
from proofwalk.suites.rules.documents import groups_of, operations_of, rule_of

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Controls(Protocol):
    """What the console's buttons are called."""

    def controls(self, service: str, event: str, language: str) -> Set[str]:
        """Labels of the actions and forms that send the operation; empty where none is
        known."""
        ...


class Material(Controls, Console, Protocol):
    """A console, by the names of the audit log."""


def shortcoming(task: Task, material: Material) -> str:
    """Why the task's script does not prove its rule; empty where it does."""
    language = task.scenario.language if task.scenario else "en"
    used = set(_texts(yaml.load(task.script_yaml, Loader=_LOADER)))  # noqa: S506  # safe loaders
    for clause in groups_of(rule_of(task))["all"]:
        service = str(clause.get("service", ""))
        labels = {
            label
            for event in operations_of(clause)
            for label in material.controls(service, event, language)
        }
        if labels and not labels & used:
            return f"the script uses no control of {service} {clause['event']}"
    return "; ".join(map(str, unfounded(task, material)))


def _texts(tree: object) -> Iterator[str]:
    """Every name and text of a script."""
    if isinstance(tree, dict):
        for name, member in tree.items():
            yield str(name)
            yield from _texts(member)
    elif isinstance(tree, list):
        for member in tree:
            yield from _texts(member)
    else:
        yield str(tree)
