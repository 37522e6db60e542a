"""What a task of a family has been given so far: its labels, the resources of its
roles, and the phrases that are bound to them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from proofwalk.suites.writing.labels import Console
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.roles import Role
from proofwalk.suites.writing.units import Family


def task_ids(family: Family) -> tuple[str, ...]:
    """The ids of a family's tasks."""
    return (
        (family.id,)
        if family.tasks == 1
        else tuple(f"{family.id}-{number}" for number in range(1, family.tasks + 1))
    )


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What drafts are composed of and for."""

    library: Library
    console: Console
    seed: int
    language: str = "en"
    share_roles: bool = True
    """Whether a need of a fixture may be met by a role's fixture."""
    complete: bool = False
    """Whether every optional step is written."""


class TaskNames:
    """A task's labels, roles and bound phrases while its draft is composed."""

    def __init__(self, family: Family, number: int, setting: Setting) -> None:
        self.complete = setting.complete
        self.family = family
        self.number = number
        self.library = setting.library
        self.language = setting.language
        self.seed = setting.seed
        self.id = task_ids(family)[number]
        self.plain = setting.console.labels(setting.language)
        patches = family.scenario.patches
        self.shown = setting.console.labels(setting.language, patches) if patches else self.plain
        self.roles: dict[str, Role] = {}
        self.binds: dict[str, str] = {}
        self.made: dict[str, tuple[str, str]] = {}

    def random(self, *what: object) -> Random:
        """Return the random numbers for what `what` names in this task."""
        source = f"{self.seed}/{self.id}/{'/'.join(map(str, what))}"
        return Random(source)  # noqa: S311  # not for secrets
