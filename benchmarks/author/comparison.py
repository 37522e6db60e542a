"""A proposed rule beside the one that a person wrote for the same task.

Both judge the oracle's recording and the near misses of it. *Equivalent*: the proposed
rule confirms the recording and denies every near miss of the person's rule. What it
denies beyond that is counted as `stricter`, by the kind of near miss: that is how much
more it asks for, rightly or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from benchmarks import record
from benchmarks.author.parts import is_held_out, is_unsaid, parts
from proofwalk.authoring.documents import text_about
from proofwalk.authoring.grounds import lines_of
from proofwalk.experiments.authoring import Knowledge, Material
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Decision
from proofwalk.suites.model import Task
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.near_misses import NearMiss, near_misses


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What a rule came to beside the person's."""

    task: str
    held_out: bool
    unsaid: bool = False
    confirmed: bool = False
    near_misses: int = 0
    """Of the person's rule."""
    accepted: tuple[str, ...] = ()
    """Those of them that the proposed rule confirms."""
    own_near_misses: int = 0
    own_accepted: int = 0
    stricter: Mapping[str, int] | None = None
    """Near misses of the proposed rule that the person's confirms, by kind."""
    refused: str = ""
    """Why there is no rule: a code."""

    @property
    def equivalent(self) -> bool:
        """Whether it stands for the person's."""
        return self.confirmed and not self.accepted


def refused(task: Task, code: str) -> Compared:
    """What there is to say of a task that has no rule."""
    return Compared(task=task.id, held_out=is_held_out(task), unsaid=is_unsaid(task), refused=code)


def proposed(task: Task, known: Knowledge) -> str:
    """The rule that the oracle's recording proposes. Raises `author.*`."""
    text = text_about(
        task.document,
        name=task.document_name,
        media_type=task.media_type,
        procedure_id=task.procedure_id,
    )
    material = Material(rule_id=task.id, document=lines_of(text), meta_yaml=task.meta_yaml)
    return material.proposal(recording_of(task), known).text


def recording_of(task: Task) -> Recording:
    """The oracle's."""
    assert task.recording is not None, f"{task.id} has no recording"
    return task.recording


def compared(task: Task, known: Knowledge, rule_yaml: str) -> Compared:
    """Hold a rule beside the task's own. It names META's outputs as the task's record
    does."""
    recording = recording_of(task)
    ours, persons = known.judging(rule_yaml), known.judging(task.rule_yaml)

    def confirms(judge: Any, miss: NearMiss) -> bool:
        return judge(replace(recording, events=miss.events)) is Decision.CONFIRMED

    misses = near_misses(yaml.safe_load(task.rule_yaml), recording)
    own = near_misses(yaml.safe_load(rule_yaml), recording)
    return Compared(
        task=task.id,
        held_out=is_held_out(task),
        unsaid=is_unsaid(task),
        confirmed=ours(recording) is Decision.CONFIRMED,
        near_misses=len(misses),
        accepted=tuple(f"{one.place}: {one.why}" for one in misses if confirms(ours, one)),
        own_near_misses=len(own),
        own_accepted=sum(confirms(ours, one) for one in own),
        stricter=dict(Counter(one.kind for one in own if confirms(persons, one))),
    )


def from_recordings(tasks: Sequence[Task], known: Knowledge) -> list[Compared]:
    """Every task's, from the oracle's recording alone."""
    found = []
    for task in tasks:
        try:
            found.append(compared(task, known, proposed(task, known)))
        except ProofwalkError as error:
            found.append(refused(task, error.code))
    return found


def figures_of(rows: Sequence[Compared]) -> dict[str, Any]:
    """Shares of the tasks, with their intervals."""
    stricter: Counter[str] = Counter()
    for row in rows:
        stricter.update(row.stricter or {})
    return {
        "n": len(rows),
        "rule_equivalent": record.share(sum(row.equivalent for row in rows), len(rows)),
        "confirmed": sum(row.confirmed for row in rows),
        "refused": dict(Counter(row.refused for row in rows if row.refused)),
        "near_misses": sum(row.near_misses for row in rows),
        "accepted_wrong": sum(len(row.accepted) for row in rows),
        "own_near_misses": sum(row.own_near_misses for row in rows),
        "own_accepted": sum(row.own_accepted for row in rows),
        "stricter": dict(stricter),
    }


def parts_of(rows: Sequence[Compared]) -> dict[str, Any]:
    """The figures of each part."""
    return {name: figures_of(part) for name, part in parts(rows).items()}
