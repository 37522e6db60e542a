"""What META a task's document needs, right and damaged, and who stops what is damaged
before anything is made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.author.damage import damaged, names
from proofwalk.authoring.coverage import coverage, makeable
from proofwalk.authoring.record_reading import read_record
from proofwalk.authoring.records import Draft, draft, needs_of
from proofwalk.authoring.resources import World
from proofwalk.authoring.things import Things
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.order import VerificationRequest
from proofwalk.platform.laboratory import TARGET
from proofwalk.procedures.loading import load
from proofwalk.procedures.selection import select
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.suites.model import Task
from proofwalk.suites.orders import request_of

RIGHT = "right"
SEED = 24


@dataclass(frozen=True, kw_only=True)
class Written:
    """A task, and the record of the catalogue's writer for it."""

    request: VerificationRequest
    task: str
    made: Draft
    composed: Things
    """What the record was composed of."""
    things: Things
    """What tracing the document has found."""
    damages: Sequence[str]


def written(tasks: Sequence[Task], world: World) -> Iterator[Written]:
    """The tasks that need something that can be made."""
    for task in tasks:
        asked = request_of(task, target=TARGET, policy="literal", scenario="")
        source = asked.document
        document = load(
            source.name or "document.md", source.text.encode(), source.media_type or None
        )
        procedure = select(document, asked.procedure_id or None)
        composed, things = (needs_of(document, procedure, world.catalogue) for _ in range(2))
        try:
            made = draft(composed, world, meta_id=task.id)
            if not makeable(things, world):
                continue
        except ProofwalkError:
            continue
        yield Written(
            request=asked.model_copy(update={"meta": "", "rule": ""}),
            task=task.id,
            made=made,
            composed=composed,
            things=things,
            damages=names(made, composed, seed=SEED),
        )


def looked_at(all_written: Sequence[Written], world: World) -> dict[str, Any]:
    """Who stops what, without an account."""
    stopped: dict[str, Counter[str]] = defaultdict(Counter)
    for one in all_written:
        stopped[RIGHT][stopped_by(one.made.yaml, one.things, world)] += 1
        for name in one.damages:
            text = damaged(name, one.made, one.composed, seed=SEED)
            assert text is not None
            stopped[name][stopped_by(text, one.things, world)] += 1
    right = stopped.pop(RIGHT)
    passed = sum(count["nobody"] for count in stopped.values())
    return {
        "records": sum(right.values()),
        "right_pass": right["nobody"],
        "damaged": sum(sum(count.values()) for count in stopped.values()),
        "damaged_pass": passed,
        "stopped_by": dict(sum(stopped.values(), Counter())),
        "kinds": {name: dict(count) for name, count in stopped.items()},
    }


def stopped_by(text: str, things: Things, world: World) -> str:
    """`guard`, `form`, `coverage`, or `nobody` for what would be made."""
    try:
        read_meta(text)
    except ProofwalkError:
        return "guard"
    try:
        read = read_record(text)
    except ProofwalkError:
        return "form"
    return "nobody" if coverage(read, things, world).holds else "coverage"
