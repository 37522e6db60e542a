"""The cascade: literal first, the model where it is unsure, within a budget, and the
literal policy again after it."""

from __future__ import annotations

import asyncio

import pytest

from proofwalk.agent.core.budget import Spent
from proofwalk.agent.core.endings import Completed, EnvironmentFailed, Unachievable
from proofwalk.agent.core.policy import Decision, Policy, Turn
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.cascade.policy import CascadePolicy
from proofwalk.agent.policies.cascade.settings import CascadeSettings
from proofwalk.agent.policies.literal.policy import LiteralPolicy
from proofwalk.console.actions import (
    Action,
    Click,
    SubStepComplete,
    TaskComplete,
    TaskUnachievable,
    Wait,
)
from proofwalk.kernel.clock import ManualClock, SystemClock
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.outcomes import EnvCause, Finding, FindingKind
from proofwalk.models.asking import Usage
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeForm

START = "Log on to the [ECS console](https://ecs.example.com)."
OPEN = "In the left-side navigation pane, choose **Instances & Images** > **Instances**."
FOREIGN = "Найдите нужный экземпляр и остановите его."
CONFIRM = "In the dialog box that appears, click **OK**."
FINDING = Finding(
    file="doc.md", line=1, sentence="One.", kind=FindingKind.RENAMED, message="it is called Halt"
)
GIVE_UP = TaskUnachievable(reason="lost")
LOOK = Wait(seconds=1)


class Reader:
    """Decides as it is told; an exception is raised. Stands for the literal policy."""

    name = "literal"

    def __init__(self, *said: Decision | Exception) -> None:
        self._said = list(said)
        self.turns: list[Turn] = []
        self.closed = 0

    async def decide(self, turn: Turn) -> Decision:
        self.turns.append(turn)
        said = self._said.pop(0) if len(self._said) > 1 else self._said[0]
        if isinstance(said, Exception):
            raise said
        return said

    async def close(self) -> None:
        self.closed += 1


class Adviser:
    """Stands for a model: its actions one after the other, each with a price."""

    name = "llm"

    def __init__(
        self, *actions: Action | Exception, finding: Finding | None = None, hangs: bool = False
    ) -> None:
        self._actions = list(actions)
        self._finding = finding
        self._hangs = hangs
        self.usage = Usage()
        self.advice: list[str] = []
        self.closed = 0

    async def decide(self, turn: Turn, *, advice: str = "") -> Decision:
        self.advice.append(advice)
        if self._hangs:
            await asyncio.Event().wait()
        self.usage.calls += 1
        self.usage.cost += 0.5
        action = self._actions.pop(0)
        if isinstance(action, Exception):
            raise action
        finding = self._finding if isinstance(action, TaskUnachievable) else None
        return Decision(thought="I see.", action=action, finding=finding, by="llm", cost=0.5)

    async def close(self) -> None:
        self.closed += 1


class Kept:
    """Keeps the decisions of a policy."""

    name = "kept"

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.decisions: list[Decision] = []

    async def decide(self, turn: Turn) -> Decision:
        decision = await self._policy.decide(turn)
        self.decisions.append(decision)
        return decision

    async def close(self) -> None:
        await self._policy.close()

    @property
    def by(self) -> list[str]:
        return [decision.by for decision in self.decisions]


def sure(action: Action, confidence: float = 1.0, finding: Finding | None = None) -> Decision:
    return Decision(thought="I know.", action=action, confidence=confidence, finding=finding)


def cascade(literal: Policy, model: Adviser, **settings: float) -> Kept:
    return Kept(
        CascadePolicy(literal, model, CascadeSettings.model_validate(settings), clock=ManualClock())
    )


def console() -> FakeConsole:
    return FakeConsole(
        rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")],
        forms={"Stop": lambda: FakeForm(title="Stop Instance")},
    )


async def walk(policy: Kept, *steps: str) -> Walk:
    return await run(console(), *(steps or ("One.", "Two.")), policy=policy)


async def test_a_document_that_the_literal_policy_reads_costs_no_question() -> None:
    model = Adviser()
    policy = cascade(LiteralPolicy(), model)
    place = console()
    steps = (
        START,
        OPEN,
        "Find the instance that you want to stop and click **Stop** in the **Actions** column.",
        CONFIRM,
    )
    walked = await run(
        place, *steps, policy=policy, binds={"the instance that you want to stop": "b"}
    )
    assert isinstance(walked.ending, Completed)
    assert place.log == ["enter Instances", "Stop b", "submit Stop Instance"]
    assert set(policy.by) == {"literal"}
    assert model.advice == []


async def test_the_literal_policy_goes_on_after_the_models_substep() -> None:
    class Looking(Adviser):
        async def decide(self, turn: Turn, *, advice: str = "") -> Decision:
            stop = [
                one for one in turn.observation.elements if one.name == "Stop" and "i-2" in one.row
            ]
            self._actions = [
                SubStepComplete() if turn.observation.modal else Click(id=stop[0].mark)
            ]
            return await super().decide(turn, advice=advice)

    model = Looking()
    policy = cascade(LiteralPolicy(), model)
    place = console()
    walked = await run(place, START, OPEN, FOREIGN, CONFIRM, policy=policy)
    assert isinstance(walked.ending, Completed), walked.ending
    assert place.log == ["enter Instances", "Stop b", "submit Stop Instance"]
    asked = [decision for decision in policy.decisions if decision.by == "llm"]
    assert [decision.action for decision in asked[1:]] == [SubStepComplete()]
    assert policy.by[-1] == "literal"
    assert "in neither" in model.advice[0]
    assert model.advice[1] == "", "the sub-step is the model's"
    assert walked.cost == pytest.approx(1.0)


async def test_the_model_is_asked_below_the_threshold_alone() -> None:
    reader = Reader(sure(LOOK, 0.5), sure(LOOK, 0.49), sure(TaskComplete()))
    model = Adviser(LOOK)
    policy = cascade(reader, model)
    walked = await walk(policy)
    assert isinstance(walked.ending, Completed)
    assert policy.by == [
        "literal",
        "literal+llm",
        "literal",
    ], "both wanted the same, so the literal policy goes on"
    assert "0.49" in model.advice[0]
    assert reader.closed == 0


async def test_another_action_makes_the_substep_the_models() -> None:
    reader = Reader(sure(Click(id=9), 0.1), sure(TaskComplete()))
    policy = cascade(reader, Adviser(LOOK, LOOK, SubStepComplete()))
    walked = await walk(policy)
    assert isinstance(walked.ending, Completed)
    assert policy.by == ["llm", "llm", "llm", "literal"]
    assert [turn.index for turn in reader.turns] == [0, 1]
    assert reader.closed == 1, (
        "its script is ended, for it would take the model's results for its own"
    )


async def test_a_finding_with_confidence_is_told_and_one_without_is_asked_about() -> None:
    model = Adviser()
    walked = await walk(cascade(Reader(sure(GIVE_UP, 0.8, FINDING)), model))
    assert walked.finding == FINDING
    assert model.advice == []
    model = Adviser(GIVE_UP)
    policy = cascade(Reader(sure(GIVE_UP, 0.6, FINDING)), model)
    walked = await walk(policy)
    assert walked.finding == FINDING
    assert policy.by == ["literal+llm"]
    assert "it is called Halt (renamed)" in model.advice[0]


async def test_the_model_may_see_a_way_where_the_document_would_be_blamed() -> None:
    policy = cascade(
        Reader(sure(GIVE_UP, 0.6, FINDING), sure(TaskComplete())), Adviser(LOOK, SubStepComplete())
    )
    walked = await walk(policy)
    assert isinstance(walked.ending, Completed)


async def test_who_gives_up_without_blame_is_helped_or_joined() -> None:
    other = Finding(
        file="doc.md", line=2, sentence="Two.", kind=FindingKind.MISSING, message="gone"
    )
    walked = await walk(
        cascade(Reader(sure(GIVE_UP)), Adviser(TaskUnachievable(reason="gone"), finding=other))
    )
    assert walked.finding == other
    walked = await walk(cascade(Reader(sure(GIVE_UP)), Adviser(TaskUnachievable(reason="me too"))))
    assert walked.ending == Unachievable(substep="1", reason="me too")


async def test_after_a_step_of_the_model_every_finding_is_asked_about() -> None:
    reader = Reader(sure(LOOK, 0.1), sure(GIVE_UP, 1.0, FINDING))
    model = Adviser(SubStepComplete(), GIVE_UP)
    policy = cascade(reader, model)
    walked = await walk(policy)
    assert policy.by == ["llm", "literal+llm"]
    assert walked.finding == FINDING


async def test_both_saying_that_a_substep_is_done_is_agreement() -> None:
    reader = Reader(sure(SubStepComplete(note="mine"), 0.1), sure(GIVE_UP, 1.0, FINDING))
    model = Adviser(SubStepComplete(note="so it is"))
    policy = cascade(reader, model)
    await walk(policy)
    assert policy.by == ["literal+llm", "literal"]


async def test_a_literal_policy_that_fails_is_stood_in_for() -> None:
    reader = Reader(RuntimeError("a bug"), sure(TaskComplete()))
    policy = cascade(reader, Adviser(LOOK, SubStepComplete()))
    walked = await walk(policy)
    assert isinstance(walked.ending, Completed)
    assert policy.by == ["llm", "llm", "literal"]


async def test_without_a_budget_a_failure_of_the_literal_policy_is_what_it_is() -> None:
    with pytest.raises(RuntimeError):
        await walk(cascade(Reader(RuntimeError("a bug")), Adviser(), calls=0))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"calls": 0}, "0 calls is used up"),
        ({"calls": 1}, "1 calls is used up"),
        ({"cost": 0.4}, "0.4 in cost is used up"),
        ({"seconds": 0}, "0 s is used up"),
    ],
)
async def test_with_the_budget_used_up_the_literal_policy_decides_alone_and_says_so(
    settings: dict[str, float], told: str
) -> None:
    reader = Reader(sure(LOOK, 0.1), sure(LOOK, 0.1), sure(GIVE_UP))
    model = Adviser(LOOK)
    policy = cascade(reader, model, **settings)
    walked = await walk(policy)
    assert isinstance(walked.ending, Unachievable)
    assert told in walked.ending.reason
    assert "literal policy alone" in walked.ending.reason
    assert told in policy.decisions[-2].notes[0]
    assert len(model.advice) <= 1


async def test_what_earlier_episodes_have_taken_is_gone() -> None:
    reader, model = Reader(sure(LOOK, 0.1), sure(GIVE_UP)), Adviser(LOOK)
    settings, earlier = CascadeSettings(calls=3), Spent(calls=2, cost=1.0, seconds=5.0)
    policy = CascadePolicy(reader, model, settings, clock=ManualClock(), spent=earlier)
    walked = await walk(Kept(policy))
    assert isinstance(walked.ending, Unachievable)
    assert "3 calls is used up" in walked.ending.reason
    assert policy.spent == Spent(calls=1, cost=0.5)


async def test_a_substep_that_cannot_be_read_is_asked_about() -> None:
    model = Adviser(TaskComplete())
    policy = cascade(LiteralPolicy(), model)
    place = console()
    walked = await run(
        place, START, OPEN, "Ponder the **Frobnication** for a while.", policy=policy
    )
    assert isinstance(walked.ending, Completed)
    (told,) = model.advice
    assert "it gave up: I do not understand “Ponder the Frobnication for a while.” (line 3)" in told
    assert policy.by[-1] == "llm"


async def test_a_budget_that_ends_within_a_substep_of_the_model_hands_it_back() -> None:
    reader = Reader(sure(Click(id=9), 0.1), sure(TaskComplete()))
    policy = cascade(reader, Adviser(LOOK, LOOK), calls=2)
    walked = await walk(policy)
    assert isinstance(walked.ending, Completed)
    assert policy.by == ["llm", "llm", "literal"]


async def test_a_model_that_takes_longer_than_the_budget_is_not_waited_for() -> None:
    model = Adviser(hangs=True)
    settings = CascadeSettings(seconds=0.05)
    policy = Kept(CascadePolicy(Reader(sure(GIVE_UP)), model, settings, clock=SystemClock()))
    walked = await walk(policy)
    assert isinstance(walked.ending, Unachievable)
    assert "0.05 s is used up" in walked.ending.reason


async def test_a_model_that_is_away_is_the_environments() -> None:
    walked = await walk(
        cascade(Reader(sure(GIVE_UP)), Adviser(unavailable("model.away", "no answer")))
    )
    assert isinstance(walked.ending, EnvironmentFailed)
    assert walked.ending.cause is EnvCause.MODEL


async def test_closing_ends_both() -> None:
    reader, model = Reader(sure(LOOK)), Adviser()
    await cascade(reader, model).close()
    assert (reader.closed, model.closed) == (1, 1)
