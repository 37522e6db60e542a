"""What proves that a completed walk had its effect."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.kernel.expectations import Sighting
from proofwalk.kernel.outcomes import (
    Decision,
    Evidence,
    Outcome,
    OutcomeKind,
)
from proofwalk.rollout.facts import RewardFacts, WalkedSubStep, WalkFacts


def proof_of(walk: WalkFacts, reward: RewardFacts) -> tuple[Evidence, str]:
    """Return how strong the proof of a completed walk is, and the proof in words: by
    the log, else by the judges, else by the page."""
    if reward.decision is Decision.CONFIRMED:
        return Evidence.AUDIT, reward.reason or "the audit log confirms the rule"
    if reward.decision is Decision.JUDGED_SUCCESS:
        without = "" if reward.rule else "no rule was given, and "
        return Evidence.JUDGES, f"walked to its end; {without}{reward.reason}"
    return _by_the_page(walk, reward)


def _by_the_page(walk: WalkFacts, reward: RewardFacts) -> tuple[Evidence, str]:
    """Return what the page proves where neither the log nor a judge says anything, and
    the proof in words."""
    why = (
        "no rule was given"
        if reward.decision is Decision.NO_RULE
        else "the target has no audit log"
    )
    shown = page_proof(walk.substeps)
    if shown is None:
        return (
            Evidence.NONE,
            f"walked to its end; {why}, and nothing on the page was seen to prove it",
        )
    told = f"walked to its end; {why}, so this rests on the page alone (weaker evidence)"
    return (
        Evidence.PAGE,
        f"{told}: “{shown.expectation.text}” was looked for after the last act, and seen",
    )


def page_proof(substeps: Sequence[WalkedSubStep]) -> Sighting | None:
    """The sighting that proves the procedure's effect. Behind it stand only sub-steps
    whose reading says that nothing more was asked than was done: one that nobody read
    may have asked for an act."""
    for step in reversed(substeps):
        found = next((one for one in reversed(step.sightings) if one.proves), None)
        if found is not None:
            return found
        read = step.reading is not None and step.reading.complete
        if not read and not (step.optional and not step.executed):
            return None
    return None


def unread_outcome(step: WalkedSubStep) -> Outcome | None:
    """Why a sub-step that was declared done is not: a span that nobody understood, or
    an act that nobody did."""
    if step.reading is None or step.reading.complete or not step.executed:
        return None
    kind = OutcomeKind.UNPROVEN
    if step.reading.not_understood:
        span = step.reading.not_understood[0]
        return Outcome(
            kind=kind,
            reason=f"line {span.line} was not understood: “{span.text}”",
            code="walk.not_understood",
        )
    asked = step.reading.undone[0].asked
    return Outcome(
        kind=kind,
        reason=f"sub-step {step.number} asks to {asked}, and that was not done",
        code="walk.not_executed",
    )
