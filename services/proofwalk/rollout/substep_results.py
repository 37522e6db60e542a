"""Results of sub-steps, and the audit events that are theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.outcomes import (
    Evidence,
    Outcome,
    SubStepStatus,
)
from proofwalk.rollout.facts import WalkedSubStep, WalkFacts
from proofwalk.rollout.judgement import Judgement, SubStepResult


def nothing_shown(walk: WalkFacts, outcome: Outcome) -> Judgement:
    """An outcome that says nothing about the document: no sub-step is verified by it,
    whatever was executed."""
    results = tuple(
        SubStepResult(
            number=step.number,
            text=step.text,
            line=step.line,
            status=SubStepStatus.NOT_VERIFIED,
            reason=(
                f"executed, but {outcome.reason}"
                if step.executed
                else (step.reason or outcome.reason)
            ),
            steps=step.steps,
            unplaced=step.unplaced,
            sightings=step.sightings,
            reading=step.reading,
        )
        for step in walk.substeps
    )
    return Judgement(outcome=outcome, evidence=Evidence.NONE, substeps=results)


def result_of(
    step: WalkedSubStep,
    events: Mapping[str, tuple[str, ...]],
    *,
    status: SubStepStatus | None = None,
    reason: str = "",
) -> SubStepResult:
    if status is None:
        status = SubStepStatus.VERIFIED if step.executed else SubStepStatus.NOT_VERIFIED
    return SubStepResult(
        number=step.number,
        text=step.text,
        line=step.line,
        status=status,
        reason=reason or step.reason,
        steps=step.steps,
        audit_events=events.get(step.number, ()),
        unplaced=step.unplaced,
        sightings=step.sightings,
        reading=step.reading,
    )


def attribute(
    substeps: Sequence[WalkedSubStep], events: Sequence[AuditEvent]
) -> Mapping[str, tuple[str, ...]]:
    """Which events fell into which sub-step, by sub-step number.

    Audit logs keep whole seconds, so a sub-step begins at its second; an event goes to
    the last sub-step that had begun by then and to no other.
    """
    by_number: dict[str, tuple[str, ...]] = {}
    for event in events:
        begun = [
            step
            for step in substeps
            if step.started_at is not None and step.started_at.replace(microsecond=0) <= event.time
        ]
        if begun:
            by_number[begun[-1].number] = (*by_number.get(begun[-1].number, ()), event.id)
    return by_number
