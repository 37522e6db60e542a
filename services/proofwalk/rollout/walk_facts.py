"""From what the agent's loop left (`agent.core.walk_record.Walk`) to the facts that
`domain.judge` decides on."""

from __future__ import annotations

from dataclasses import replace

from proofwalk.agent.core.endings import (
    ActionFailures,
    BudgetExhausted,
    Cancelled,
    Completed,
    EnvironmentFailed,
    Unachievable,
)
from proofwalk.agent.core.sightings import acts
from proofwalk.agent.core.walk_record import Walk, WalkStatus
from proofwalk.console.actions import GoBack, GoForward, GoTo, OpenTab, Reload, SwitchTab
from proofwalk.kernel.outcomes import FindingKind
from proofwalk.procedures.model import Procedure
from proofwalk.rollout.facts import WalkedSubStep, WalkEnding, WalkFacts

_LOADING = (GoTo, GoBack, GoForward, Reload, SwitchTab, OpenTab)
"""Actions that bring up another page, or the same one again: a second look."""


_BY_THE_WALK = (
    WalkEnding.COMPLETED,
    WalkEnding.FINDING,
    WalkEnding.GAVE_UP,
    WalkEnding.BUDGET,
    WalkEnding.ACTION_FAILURES,
)
"""Endings that are the walk's own: neither the environment's nor somebody's wish."""


def facts_of(walk: Walk, procedure: Procedure) -> WalkFacts:
    """The walk's ending and what became of each sub-step, in the document's order."""
    return _with_the_first_finding(walk, replace(_ended(walk, procedure), noted=walk.noted))


def _with_the_first_finding(walk: Walk, facts: WalkFacts) -> WalkFacts:
    """A walk that took something under another name than the document's and went on has
    found that, however it ended: what stopped it later may follow from it. What only
    stands elsewhere is no such finding."""
    renamed = next(
        (
            (one.number, found)
            for one in walk.records
            for found in one.noted
            if found.kind is FindingKind.RENAMED
        ),
        None,
    )
    if renamed is None or facts.ending not in _BY_THE_WALK:
        return facts
    number, finding = renamed
    return replace(
        facts,
        ending=WalkEnding.FINDING,
        reason=finding.message,
        code="",
        finding=finding,
        finding_substep=number,
        went_on=True,
        touched=_touched(walk),
        noted=tuple(one for one in facts.noted if not one.repeats(finding)),
    )


def _touched(walk: Walk) -> bool:
    """Whether the walk acted, or loaded a page for a second look: what it says of the
    console is else a claim."""
    return any(acts(past.action) or isinstance(past.action, _LOADING) for past in walk.history)


def _ended(walk: Walk, procedure: Procedure) -> WalkFacts:
    substeps = tuple(
        WalkedSubStep(
            number=substep.number,
            text=substep.text,
            line=substep.span.line,
            executed=record.status is WalkStatus.DONE,
            optional=substep.optional,
            reason=record.reason,
            steps=record.steps,
            started_at=record.started_at,
            ended_at=record.ended_at,
            unplaced=record.unplaced,
            sightings=record.sightings,
            reading=record.reading,
        )
        for substep, record in zip(procedure.substeps, walk.records, strict=True)
    )
    match walk.ending:
        case Completed(note=note, answer=told):
            completed = WalkFacts(ending=WalkEnding.COMPLETED, reason=note, substeps=substeps)
            return replace(completed, touched=_touched(walk), answer=told)
        case Unachievable(substep=number, reason=reason, finding=None, obstacle=obstacle):
            code = f"walk.{obstacle.kind.value}" if obstacle is not None else "walk.gave_up"
            told = f"sub-step {number}: {reason}"
            if obstacle is not None and obstacle.remedy:
                told = f"{told}; {obstacle.remedy}"
            return WalkFacts(ending=WalkEnding.GAVE_UP, reason=told, substeps=substeps, code=code)
        case Unachievable(substep=number, reason=reason, finding=finding):
            return WalkFacts(
                ending=WalkEnding.FINDING,
                reason=reason,
                substeps=substeps,
                finding=finding,
                finding_substep=number,
                touched=_touched(walk),
            )
        case BudgetExhausted(reason=reason):
            return WalkFacts(
                ending=WalkEnding.BUDGET, reason=reason, substeps=substeps, code="walk.budget"
            )
        case ActionFailures(reason=reason):
            return WalkFacts(
                ending=WalkEnding.ACTION_FAILURES,
                reason=reason,
                substeps=substeps,
                code="walk.action_failures",
            )
        case EnvironmentFailed(cause=cause, error=error):
            return WalkFacts(
                ending=WalkEnding.ENVIRONMENT,
                reason=error.message,
                substeps=substeps,
                cause=cause,
                code=error.code,
            )
        case Cancelled():
            return WalkFacts(
                ending=WalkEnding.CANCELLED, reason="cancelled by request", substeps=substeps
            )
