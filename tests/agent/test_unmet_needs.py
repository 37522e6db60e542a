"""A need that cannot be met is a refused action: the walk goes on, and nothing goes
round for ever."""

from __future__ import annotations

import pytest

from proofwalk.agent.choosing import Choice, make_policy
from proofwalk.agent.core.endings import (
    ActionFailures,
    BudgetExhausted,
    Completed,
    EnvironmentFailed,
    Unachievable,
)
from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.policies.cascade.policy import CascadePolicy
from proofwalk.agent.policies.cascade.settings import CascadeSettings
from proofwalk.agent.policies.literal.policy import LiteralPolicy
from proofwalk.console.actions import (
    Action,
    Note,
    Provision,
    SubStepComplete,
    TaskComplete,
    TaskUnachievable,
)
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict
from proofwalk.kernel.needs import Report
from proofwalk.kernel.outcomes import EnvCause
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole
from tests.agent.fake_forms import FakeField, FakeForm
from tests.agent.llm.kit import model_of
from tests.agent.replay.walks import STOPPING, binds, compiled, replayed, stopping
from tests.agent.test_cascade import OPEN, START, Adviser
from tests.agent.test_walk import Scripted
from tests.models.fake_endpoint import FakeEndpoint, act, serving

REFUSED = "no template meets the need"
RESTART = (
    "Find the running instance that you want to restart and click **Restart** in the **Actions**"
    " column."
)
VPC = Provision(need="a VPC")


class Refusing:
    """A provisioner that can meet nothing, and counts how often it is asked."""

    def __init__(self, status: Status = Status.FAILED_PRECONDITION) -> None:
        self._status = status
        self.needs: list[str] = []

    def __call__(self, need: str) -> str:
        self.needs.append(need)
        raise ProofwalkError("provision.no_template", REFUSED, status=self._status)


@pytest.mark.parametrize(
    "status",
    [
        Status.INVALID_ARGUMENT,
        Status.NOT_FOUND,
        Status.FAILED_PRECONDITION,
        Status.PERMISSION_DENIED,
        Status.UNIMPLEMENTED,
    ],
)
async def test_what_says_not_this_is_a_refused_action_and_the_walk_goes_on(status: Status) -> None:
    policy, events = Scripted(VPC, SubStepComplete(), TaskComplete()), list[StepEvent]()
    walked = await run(
        FakeConsole(), "One.", "Two.", policy=policy, provision=Refusing(status), events=events
    )
    assert isinstance(walked.ending, Completed)
    assert [(event.ok, REFUSED in event.result) for event in events[:2]] == [
        (False, True),
        (True, False),
    ]
    assert not policy.turns[1].history[0].ok
    assert REFUSED in policy.turns[1].history[0].result
    assert walked.reports == ()


async def test_a_bound_of_the_environments_ends_the_walk_as_its_failure() -> None:
    def provide(need: str) -> str:
        raise ProofwalkError(
            "provision.too_dear",
            REFUSED,
            status=Status.FAILED_PRECONDITION,
            cause=EnvCause.PROVISION,
        )

    walked = await run(
        FakeConsole(), "One.", policy=Scripted(VPC, TaskComplete()), provision=provide
    )
    assert isinstance(walked.ending, EnvironmentFailed)
    assert walked.ending.cause is EnvCause.PROVISION
    assert walked.ending.error.code == "provision.too_dear"


async def test_a_need_that_was_refused_is_not_asked_for_again() -> None:
    refusing = Refusing()
    again = Provision(need="A  vpc")
    walked = await run(
        FakeConsole(), "One.", policy=Scripted(VPC, again, VPC, TaskComplete()), provision=refusing
    )
    assert isinstance(walked.ending, ActionFailures)
    assert "asked for before and cannot be had" in walked.ending.reason
    assert REFUSED in walked.ending.reason
    assert refusing.needs == ["a VPC"]


async def test_asking_for_the_same_between_other_actions_ends_with_the_budget() -> None:
    refusing = Refusing()
    actions: list[Action] = [VPC, Note(text="a")] * 30
    walked = await run(FakeConsole(), "One.", policy=Scripted(*actions), provision=refusing)
    assert isinstance(walked.ending, BudgetExhausted)
    assert len(refusing.needs) == 1


async def test_another_need_is_still_met_after_one_that_was_refused() -> None:
    def provide(need: str) -> str:
        if need == "a VPC":
            raise conflict("provision.no_template", REFUSED)
        return f"made {need}"

    walked = await run(
        FakeConsole(),
        "One.",
        policy=Scripted(VPC, Provision(need="a disk"), TaskComplete()),
        provision=provide,
    )
    assert isinstance(walked.ending, Completed)
    assert walked.reports == (Report(text="made a disk"),)


async def test_the_literal_policy_asks_once_and_says_what_it_could_not_have() -> None:
    refusing = Refusing()
    walked = await run(FakeConsole(), START, OPEN, RESTART, provision=refusing)
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert REFUSED in walked.ending.reason
    assert "running instance" in walked.ending.reason
    assert len(refusing.needs) == 1


async def test_a_form_whose_list_stays_empty_is_given_up_without_blame() -> None:
    def form() -> FakeForm:
        return FakeForm(
            title="Create Instance",
            fields=[FakeField(label="VPC", kind="select", required=True)],
            modal=False,
        )

    refusing = Refusing()
    walked = await run(
        FakeConsole(forms={"Create Instance": form}),
        START,
        OPEN,
        "Click **Create Instance**.",
        "Select the VPC that you created from the **VPC** drop-down list.",
        provision=refusing,
    )
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is None
    assert REFUSED in walked.ending.reason
    assert len(refusing.needs) == 1


async def test_the_cascade_asks_its_model_when_a_need_was_refused() -> None:
    model = Adviser(TaskUnachievable(reason="there is no instance"))
    policy = CascadePolicy(LiteralPolicy(), model, CascadeSettings(), clock=ManualClock())
    refusing = Refusing()
    walked = await run(FakeConsole(), START, OPEN, RESTART, policy=policy, provision=refusing)
    assert isinstance(walked.ending, Unachievable)
    assert "it gave up" in model.advice[0]
    assert REFUSED in model.advice[0]
    assert len(refusing.needs) == 1


async def test_a_model_that_asks_for_the_same_for_ever_is_ended_and_told_why() -> None:
    endpoint = FakeEndpoint(act("I need one.", type="provision", need="a VPC"))
    refusing = Refusing()
    async with serving(endpoint), model_of(endpoint) as model:
        walked = await run(
            FakeConsole(),
            "One.",
            policy=make_policy("llm", Choice(model=model)),
            provision=refusing,
        )
    assert isinstance(walked.ending, ActionFailures)
    assert refusing.needs == ["a VPC"]
    assert len(endpoint.asked) == 3
    assert REFUSED in endpoint.text_of(1)


async def test_a_replay_whose_instance_is_gone_falls_back_and_is_refused_once() -> None:
    script = await compiled(stopping(), *STOPPING, bound=binds())
    console = stopping("another-one")
    console.rows.clear()
    again = await replayed(
        console, script, *STOPPING, bound=binds(), provision=(refusing := Refusing())
    )
    assert isinstance(again.walk.ending, Unachievable)
    assert REFUSED in again.walk.ending.reason
    assert again.report.handovers
    assert len(refusing.needs) == 1
