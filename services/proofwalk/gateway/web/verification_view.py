"""What the page of a verification shows, from what rollout tells of it. Pure.

`view_of` puts one episode's walk beside the procedure: the chosen step, the sub-step
that it was taken for, and below what the verdict rests on. Everything is text; the
templates escape it. Numbers that the reader gives and there are not choose what a
reader sees without them. Next: `verification_steps`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import (
    EVIDENCE,
    FINDING_KINDS,
    GOALS,
    OUTCOMES,
    SUB_STEP_STATUSES,
    moment_from_pb,
)
from proofwalk.gateway.walks import MOST_STEPS, Walk
from proofwalk.gateway.web.listing import Row, row_of
from proofwalk.gateway.web.verification_steps import ShownStep, shown_step

_LINE_END = re.compile(r"\r\n|\r|\n")
"""As the readers of documents count lines."""
_MOST_LINES = 2000


@dataclass(frozen=True, kw_only=True)
class ShownSubStep:
    """A sub-step of the procedure, with what became of it."""

    number: str
    text: str
    line: int
    first_step: int
    """Number of the first step that was taken for it; 0 for none."""
    status: str = ""
    """A word of `kernel.outcomes.SubStepStatus`; empty before the verdict."""
    verdict: pb.SubStepResult | None = None


@dataclass(frozen=True, kw_only=True)
class ShownFinding:
    """A wrong sentence. `differing` is its part between `before` and `after`."""

    finding: common.Finding
    kind: str
    before: str
    differing: str
    after: str


@dataclass(frozen=True, kw_only=True)
class ShownSighting:
    """One episode's word on the finding."""

    sighting: pb.FindingSighting
    outcome: str


@dataclass(frozen=True, kw_only=True)
class ShownEvent:
    """An event of the log of the walk's window."""

    window: pb.WindowEvent
    at: datetime


@dataclass(frozen=True, kw_only=True)
class ShownEpisode:
    """An episode, to choose from."""

    number: int
    outcome: str
    phase: str
    reason: str
    steps: int


@dataclass(frozen=True, kw_only=True)
class WalkView:
    """The page."""

    row: Row
    verification: pb.Verification
    evidence: str
    """A word of `kernel.outcomes.Evidence`; empty before the verdict. So is `goal`."""
    goal: str
    is_open: bool
    is_cut: bool
    """There are further steps, which are not shown."""
    episode: int
    episodes: Sequence[ShownEpisode]
    steps: Sequence[ShownStep]
    chosen: ShownStep | None
    substeps: Sequence[ShownSubStep]
    lines: Sequence[str]
    """Of the document; as many as are shown."""
    findings: Sequence[ShownFinding]
    """The verdict's, then those that did not stop the walk."""
    sightings: Sequence[ShownSighting]
    events: Sequence[ShownEvent]
    log: pb.GetEvidenceResponse
    longest_phase_s: float

    def line_of(self, step: ShownStep) -> int:
        """Where the step's sub-step begins in the document; 0 where nobody tells."""
        return next((one.line for one in self.substeps if one.number == step.substep), 0)


def view_of(walk: Walk, *, step: int) -> WalkView:
    """The page of a walk with a step chosen; 0 leaves the choice to `_chosen`."""
    verification = walk.verification
    verdict = verification.verdict
    steps = [shown_step(one) for one in walk.steps]
    findings = [verdict.finding] if verdict.HasField("finding") else []
    evidence, goal = EVIDENCE.from_pb(verdict.evidence), GOALS.from_pb(verdict.goal)
    return WalkView(
        row=row_of(verification),
        verification=verification,
        evidence=evidence.value if evidence else "",
        goal=goal.value if goal else "",
        is_open=walk.is_open,
        is_cut=len(steps) >= MOST_STEPS,
        episode=walk.episode,
        episodes=[_episode(one) for one in verification.episodes],
        steps=steps,
        chosen=_chosen(steps, step),
        substeps=_substeps(walk, steps),
        lines=_LINE_END.split(walk.document.text)[:_MOST_LINES] if walk.document else (),
        findings=[shown_finding(one) for one in (*findings, *verdict.noted)],
        sightings=[
            ShownSighting(sighting=one, outcome=OUTCOMES.require(one.outcome).value)
            for one in verdict.sightings
        ],
        events=[
            ShownEvent(window=one, at=moment_from_pb(one.event.time))
            for one in walk.evidence.events
        ],
        log=walk.evidence,
        longest_phase_s=max((one.seconds for one in walk.evidence.phases), default=0.0),
    )


def phases_of(*views: WalkView) -> Sequence[tuple[str, Sequence[float | None]]]:
    """Seconds of each phase, a column for each walk; None where a walk had none."""
    columns = [{one.phase: one.seconds for one in view.log.phases} for view in views]
    names = sorted(set().union(*columns))
    return [(name, [column.get(name) for column in columns]) for name in names]


def _chosen(steps: Sequence[ShownStep], number: int) -> ShownStep | None:
    """The step with a number; where there is none, the last, at which a walk that goes
    on is, and at which one that is over was decided."""
    return next((one for one in steps if one.number == number), steps[-1] if steps else None)


def _substeps(walk: Walk, steps: Sequence[ShownStep]) -> Sequence[ShownSubStep]:
    """Those of the procedure, in its order; where nobody tells them, those that steps
    name."""
    first: dict[str, int] = {}
    for one in steps:
        first.setdefault(one.substep, one.number)
    told = walk.document.substeps if walk.document else ()
    verdicts: Mapping[str, pb.SubStepResult] = {
        one.number: one for one in walk.verification.verdict.substeps
    }
    named = [(one.number, one.text, one.line) for one in told or verdicts.values()]
    if not named:
        named = [(number, "", 0) for number, _ in itertools.groupby(one.substep for one in steps)]
    return [
        ShownSubStep(
            number=number,
            text=text,
            line=line,
            first_step=first.get(number, 0),
            status=_status(verdicts[number]) if number in verdicts else "",
            verdict=verdicts.get(number),
        )
        for number, text, line in named
    ]


def _status(verdict: pb.SubStepResult) -> str:
    status = SUB_STEP_STATUSES.from_pb(verdict.status)
    return status.value if status else ""


def shown_finding(finding: common.Finding) -> ShownFinding:
    """A finding with its differing words set apart in its sentence."""
    words = finding.asked
    before, differing, after = finding.sentence.partition(words) if words else ("",) * 3
    return ShownFinding(
        finding=finding,
        kind=FINDING_KINDS.require(finding.kind).value,
        before=before if differing else finding.sentence,
        differing=differing,
        after=after,
    )


def _episode(episode: pb.Episode) -> ShownEpisode:
    outcome = OUTCOMES.from_pb(episode.outcome)
    return ShownEpisode(
        number=episode.number,
        outcome=outcome.value if outcome else "",
        phase=episode.phase,
        reason=episode.reason,
        steps=episode.steps,
    )
