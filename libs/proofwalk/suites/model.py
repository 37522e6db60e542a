"""A task and a suite, as every reader of suites knows them.

A task is a document with everything that proves it: META (what must exist), the rule
(what the audit log must show), the script (what the oracle does, aligned with the
document's sub-steps), the scenario of the console session, what the document's writer
knows to be wrong with it (drift suites), and the recording of a passing episode, where
one was made. `storage` reads and writes suites; `generation` makes them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from proofwalk.kernel.json_values import JsonObject
from proofwalk.suites.recording import Recording

SUFFIXES: Mapping[str, str] = {"text/markdown": "md", "text/x-rst": "rst", "text/html": "html"}
"""Media type of a document -> the ending of its file."""


Patch: TypeAlias = JsonObject
"""One change of a UI revision. `services/proofwalk/devcloud/console/revisions.py` reads
and checks it."""


class Difficulty(StrEnum):
    """A standard task is one unit as documented; a hard one is hard for a reason in
    `because`."""

    STANDARD = "standard"
    HARD = "hard"


class Hardness(StrEnum):
    """What makes a task hard."""

    CROSS_PRODUCT = "cross_product"
    PRECONDITION = "precondition"
    IMPLICIT_PREREQUISITE = "implicit_prerequisite"
    UNDER_SPECIFIED = "under_specified"
    MOVED_PATH = "moved_path"
    LONG_WIZARD = "long_wizard"
    ASYNC_WAIT = "async_wait"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What the console session of a task is like, besides level and seed, which a run
    chooses."""

    language: str = "en"
    patches: Sequence[Patch] = ()
    """UI revision of the session."""


@dataclass(frozen=True, kw_only=True)
class Defect:
    """The one thing that is wrong with a document: its kind, the wrong sentence and its
    line."""

    kind: str
    sentence: str
    line: int
    path: str = ""
    """The schema path that the revision touched; empty where the document was changed
    instead."""


@dataclass(frozen=True, kw_only=True)
class UnitUse:
    """A unit of a task's chain, and the task's resource for each of the unit's
    roles."""

    unit: str
    roles: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The task that a task was evolved from, and the changes that led to it, first
    one first (`evolution`)."""

    parent: str
    parent_digest: str
    changes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Task:
    """One task. Texts are the contents of its files."""

    id: str
    suite: str
    family: str
    product: str
    difficulty: Difficulty
    because: tuple[Hardness, ...] = ()
    language: str = "en"
    document_name: str
    """File name of the document, with its ending."""
    media_type: str
    document: str
    procedure_id: str = ""
    """Which procedure of the document; empty for the one that it is about."""
    meta_yaml: str
    rule_yaml: str
    script_yaml: str
    scenario: Scenario | None = None
    expected: Defect | None = None
    """Drift suites: the defect that is to be found; None: the document is faithful."""
    recording: Recording | None = field(default=None, compare=False)
    """A passing episode of the oracle; not part of the task's digest."""
    chain: tuple[UnitUse, ...] = field(default=(), compare=False)
    """The units that it was made of; empty where whoever made it does not say. Files
    keep it of tasks with an origin; the sources of a suite give it of the others."""
    origin: Origin | None = field(default=None, compare=False)

    @property
    def digest(self) -> str:
        """SHA-256 over everything that makes the task what it is."""
        scenario = (
            None
            if self.scenario is None
            else {"language": self.scenario.language, "patches": list(self.scenario.patches)}
        )
        parts = [
            self.document_name,
            self.document,
            self.meta_yaml,
            self.rule_yaml,
            self.script_yaml,
            scenario,
            *([self.procedure_id] if self.procedure_id else []),
        ]
        canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A task in a suite's index: what can be said of it without its files."""

    id: str
    family: str
    product: str
    difficulty: Difficulty
    because: tuple[Hardness, ...] = ()
    language: str
    document: str
    """File name of the document."""
    digest: str
    expected: Defect | None = None
    origin: Origin | None = None
    chain: tuple[UnitUse, ...] = ()
    """Empty without an origin."""


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A versioned set of tasks, in order of their ids."""

    id: str
    version: int
    seed: int
    tasks: tuple[Task, ...]

    def task(self, task_id: str) -> Task | None:
        """The task with this id."""
        return next((task for task in self.tasks if task.id == task_id), None)

    def only(self, ids: Sequence[str]) -> Suite:
        """The suite with these tasks alone."""
        wanted = set(ids)
        return replace(self, tasks=tuple(task for task in self.tasks if task.id in wanted))


def entry_of(task: Task) -> Entry:
    """The task's line in the index."""
    return Entry(
        id=task.id,
        family=task.family,
        product=task.product,
        difficulty=task.difficulty,
        because=task.because,
        language=task.language,
        document=task.document_name,
        digest=task.digest,
        expected=task.expected,
        origin=task.origin,
        chain=task.chain if task.origin is not None else (),
    )
