"""The loop: what ends it, what it records, and whose failure a failure is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from proofwalk.agent.core.endings import (
    ActionFailures,
    BudgetExhausted,
    Cancelled,
    Completed,
    EnvironmentFailed,
    Unachievable,
)
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.policy import Decision, Turn, Undecided
from proofwalk.agent.core.walk_budget import Budget
from proofwalk.agent.core.walk_record import WalkStatus
from proofwalk.console.actions import (
    Action,
    Click,
    Provision,
    SubStepComplete,
    TaskComplete,
    TaskUnachievable,
    Wait,
)
from proofwalk.kernel.errors import ProofwalkError, Status, exhausted, invalid, unavailable
from proofwalk.kernel.needs import Report
from proofwalk.kernel.outcomes import EnvCause, Finding, FindingKind
from proofwalk.models.client import AnswerForm, Completion, Exchange
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, Outcome

WAIT = Wait(seconds=1)


class Scripted:
    """Answers with its actions one after the other, then with the last one for ever."""

    name = "scripted"

    def __init__(self, *actions: Action | Exception, finding: Finding | None = None) -> None:
        self._actions: Sequence[Action | Exception] = actions
        self._finding = finding
        self.turns: list[Turn] = []

    async def decide(self, turn: Turn) -> Decision:
        action = self._actions[min(len(self.turns), len(self._actions) - 1)]
        self.turns.append(turn)
        if isinstance(action, Exception):
            raise action
        return Decision(
            thought="because", action=action, finding=self._finding, unplaced=("word",), cost=0.5
        )

    async def close(self) -> None:
        pass


class Failing(FakeConsole):
    """A console whose calls fail."""

    looking: Exception | None = None
    acting: Exception | None = None

    async def observe(self):  # type: ignore[no-untyped-def]
        if self.looking:
            raise self.looking
        return await super().observe()

    async def perform(self, action):  # type: ignore[no-untyped-def]
        if self.acting:
            raise self.acting
        return (
            Outcome(ok=False, message="refused")
            if isinstance(action, Click)
            else await super().perform(action)
        )


async def test_the_walk_completes_with_its_last_substep_and_records_each() -> None:
    events: list[StepEvent] = []
    policy = Scripted(WAIT, SubStepComplete(), SubStepComplete())
    walked = await run(FakeConsole(), "One.", "Two.", policy=policy, events=events)
    assert isinstance(walked.ending, Completed)
    assert [(record.number, record.status, record.steps) for record in walked.records] == [
        ("1", WalkStatus.DONE, 2),
        ("2", WalkStatus.DONE, 1),
    ]
    assert walked.records[0].unplaced == ("word",)
    assert walked.final is not None
    assert walked.final.url in walked.records[0].evidence
    assert walked.cost == pytest.approx(1.5)
    assert [event.substep for event in events] == ["1", "1", "2"]
    assert events[0].action == WAIT.model_dump_json()
    assert events[0].ok
    assert walked.started_at <= walked.ended_at


async def test_the_policy_sees_history_and_the_steps_that_are_left() -> None:
    policy = Scripted(WAIT, SubStepComplete(), SubStepComplete())
    await run(FakeConsole(), "One.", "Two.", policy=policy, budget=Budget(steps_per_substep=7))
    assert [turn.steps_left for turn in policy.turns] == [7, 6, 7]
    assert [past.action for past in policy.turns[2].history] == [WAIT, SubStepComplete()]


async def test_task_complete_before_the_end_leaves_the_rest_not_executed() -> None:
    walked = await run(
        FakeConsole(), "One.", "Two.", policy=Scripted(TaskComplete(note="all done"))
    )
    assert walked.ending == Completed(note="all done")
    assert walked.records[1].status is WalkStatus.NOT_EXECUTED
    assert walked.records[1].reason


async def test_a_finding_makes_the_substep_a_defect() -> None:
    finding = Finding(
        file="doc.md", line=1, sentence="One.", kind=FindingKind.MISSING, message="no such button"
    )
    walked = await run(
        FakeConsole(),
        "One.",
        "Two.",
        policy=Scripted(TaskUnachievable(reason="gone"), finding=finding),
    )
    assert walked.finding == finding
    assert [record.status for record in walked.records] == [
        WalkStatus.DEFECT,
        WalkStatus.NOT_EXECUTED,
    ]


async def test_unachievable_without_a_finding_blames_no_document() -> None:
    walked = await run(FakeConsole(), "One.", policy=Scripted(TaskUnachievable(reason="lost")))
    assert walked.ending == Unachievable(substep="1", reason="lost")
    assert walked.records[0].status is WalkStatus.NOT_EXECUTED


async def test_the_step_budget_counts_per_substep() -> None:
    actions: list[Action] = [*[WAIT] * 3, SubStepComplete(), WAIT]
    walked = await run(
        FakeConsole(), "One.", "Two.", policy=Scripted(*actions), budget=Budget(steps_per_substep=4)
    )
    assert isinstance(walked.ending, BudgetExhausted)
    assert walked.ending.substep == "2"
    assert [record.steps for record in walked.records] == [4, 4]


async def test_consecutive_failures_end_the_walk_and_waits_do_not_count() -> None:
    class Deaf(FakeConsole):
        async def perform(self, action: Action) -> Outcome:
            return Outcome(ok=False, message="refused")

    actions: list[Action] = [Click(id=1), WAIT, Click(id=1), WAIT, Click(id=1), Click(id=1)]
    walked = await run(Deaf(), "One.", policy=Scripted(*actions))
    assert isinstance(walked.ending, ActionFailures)
    assert walked.steps == 5


async def test_a_malformed_answer_counts_as_a_failed_action() -> None:
    walked = await run(
        FakeConsole(), "One.", policy=Scripted(invalid("action.malformed", "id: missing"))
    )
    assert isinstance(walked.ending, ActionFailures)
    assert "id: missing" in walked.ending.reason


async def test_what_a_model_wrote_to_no_use_goes_with_its_step() -> None:
    answer = Completion(
        text="no", finish_reason="stop", model="tiny", tokens_in=9, tokens_out=1, token_ids=(7,)
    )
    exchange = Exchange(messages=(), form=AnswerForm.TEXT, completion=answer, error="it is no JSON")
    events: list[StepEvent] = []
    error = Undecided("model.malformed", "it is no JSON", exchanges=(exchange,))
    await run(FakeConsole(), "One.", policy=Scripted(error, SubStepComplete()), events=events)
    assert [event.all_exchanges for event in events] == [(exchange,), ()]


@pytest.mark.parametrize(
    ("break_", "cause"),
    [
        (
            lambda console: setattr(
                console, "looking", unavailable("browser.disconnected", "gone")
            ),
            EnvCause.SANDBOX,
        ),
        (
            lambda console: setattr(console, "looking", invalid("browser.odd", "odd")),
            EnvCause.SANDBOX,
        ),
        (
            lambda console: setattr(console, "acting", unavailable("browser.disconnected", "gone")),
            EnvCause.SANDBOX,
        ),
    ],
)
async def test_a_failing_browser_is_the_environments(
    break_: Callable[[Failing], None], cause: EnvCause
) -> None:
    console = Failing()
    break_(console)
    walked = await run(console, "One.", policy=Scripted(Click(id=1)))
    assert isinstance(walked.ending, EnvironmentFailed)
    assert walked.ending.cause is cause
    assert walked.records[0].status is WalkStatus.NOT_EXECUTED


async def test_an_action_that_the_console_rules_out_is_the_policys() -> None:
    console = Failing()
    console.acting = invalid("action.no_mark", "no such mark")
    walked = await run(console, "One.", policy=Scripted(Click(id=99)))
    assert isinstance(walked.ending, ActionFailures)


async def test_a_model_that_is_away_is_the_environments() -> None:
    walked = await run(
        FakeConsole(), "One.", policy=Scripted(unavailable("model.away", "no answer"))
    )
    assert isinstance(walked.ending, EnvironmentFailed)
    assert walked.ending.cause is EnvCause.MODEL
    assert walked.ending.error.code == "model.away"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (unavailable("provision.failed", "no"), EnvCause.PROVISION),
        (exhausted("quota.vpc", "full"), EnvCause.QUOTA),
        (ProofwalkError("rpc.late", "late", status=Status.DEADLINE_EXCEEDED), EnvCause.PROVISION),
        (ProofwalkError("lease.stale_epoch", "gone", status=Status.ABORTED), EnvCause.PROVISION),
        (ProofwalkError("provision.bug", "oh", status=Status.INTERNAL), EnvCause.PROVISION),
    ],
)
async def test_a_failing_provisioner_is_the_environments(
    error: ProofwalkError, cause: EnvCause
) -> None:
    def refuse(need: str) -> str:
        raise error

    walked = await run(
        FakeConsole(), "One.", policy=Scripted(Provision(need="a VPC")), provision=refuse
    )
    assert isinstance(walked.ending, EnvironmentFailed)
    assert walked.ending.cause is cause


async def test_a_report_reaches_the_turns_that_follow() -> None:
    policy = Scripted(Provision(need="a VPC"), SubStepComplete())
    walked = await run(FakeConsole(), "One.", policy=policy, provision=lambda need: f"made {need}")
    assert [turn.reports for turn in policy.turns] == [(), (Report(text="made a VPC"),)]
    assert walked.reports == (Report(text="made a VPC"),)


async def test_cancellation_is_asked_for_before_each_step() -> None:
    steps: list[int] = []

    def should_stop() -> bool:
        steps.append(1)
        return len(steps) > 2

    walked = await run(FakeConsole(), "One.", policy=Scripted(WAIT), should_stop=should_stop)
    assert walked.ending == Cancelled(substep="1")
    assert walked.steps == 2


async def test_a_hanging_policy_is_late_and_a_spent_wall_is_the_budget() -> None:
    class Hanging(Scripted):
        async def decide(self, turn: Turn) -> Decision:
            await asyncio.Event().wait()
            raise AssertionError

    late = await run(
        FakeConsole(), "One.", policy=Hanging(WAIT), budget=Budget(decide_seconds=0.01)
    )
    assert isinstance(late.ending, EnvironmentFailed)
    assert late.ending.cause is EnvCause.MODEL
    assert late.ending.error.status is Status.DEADLINE_EXCEEDED
    spent = await run(FakeConsole(), "One.", policy=Hanging(WAIT), budget=Budget(wall_seconds=0.01))
    assert isinstance(spent.ending, BudgetExhausted)


async def test_a_bug_in_a_policy_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        await run(FakeConsole(), "One.", policy=Scripted(ZeroDivisionError()))
