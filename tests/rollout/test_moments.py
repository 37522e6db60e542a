"""Which page a report shows beside a finding."""

from __future__ import annotations

from datetime import UTC, datetime

from proofwalk.kernel.outcomes import Finding, FindingKind, Outcome, OutcomeKind, SubStepStatus
from proofwalk.rollout.episode_repository import StepRow
from proofwalk.rollout.judgement import Judgement, SubStepResult
from proofwalk.rollout.report.page import Frame, moment_of

AT = datetime(2026, 1, 2, tzinfo=UTC)


def judged(*, offered: str = "", line: int = 5) -> Judgement:
    """A finding in the second of two sub-steps, which begin on lines 3 and 5."""
    finding = Finding(
        file="a.md",
        line=line,
        sentence="Click Stop.",
        kind=FindingKind.RENAMED,
        message="m",
        offered=offered,
    )
    substeps = tuple(
        SubStepResult(
            number=number, text="t", line=begins, status=SubStepStatus.VERIFIED, reason="", steps=1
        )
        for number, begins in (("1", 3), ("2", 5))
    )
    outcome = Outcome(kind=OutcomeKind.DOC_DEFECT, reason="m")
    return Judgement(outcome=outcome, substeps=substeps, finding=finding)


def frame(number: int, substep: str, thought: str = "I look.", *, pictured: bool = True) -> Frame:
    step = StepRow(
        episode_id="ep_1",
        number=number,
        substep=substep,
        thought=thought,
        action="{}",
        result="",
        ok=True,
        url="https://c.test",
        screenshot="",
        started_at=AT,
        ended_at=AT,
    )
    return Frame(step=step, action={}, image="data:," if pictured else "", seconds=0.0)


def shown(judgement: Judgement, *frames: Frame) -> int:
    moment = moment_of(judgement, frames)
    return moment.step.number if moment else 0


def test_it_is_the_last_page_of_the_sub_step_that_holds_the_line() -> None:
    walk = [frame(1, "1"), frame(2, "2"), frame(3, "2"), frame(4, "3")]
    assert shown(judged(), *walk) == 3
    assert shown(judged(line=4), *walk) == 1
    # A page without a screenshot is none to show.
    assert shown(judged(), frame(1, "2"), frame(2, "2", pictured=False)) == 1
    assert shown(judged()) == 0


def test_a_walk_that_went_on_shows_where_it_took_what_stands_there() -> None:
    walk = [frame(1, "2"), frame(2, "2", "I click “Halt”."), frame(3, "2", "It is done.")]
    assert shown(judged(offered="Halt"), *walk) == 2
