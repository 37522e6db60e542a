"""Sessions: from a start to a score, typed ends, bounds, owners."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from proofwalk.controller.owners import Owner
from proofwalk.controller.sessions import SessionLimits, Sessions
from proofwalk.controller.wire import AgentOutput, AgentStatus, SampleStatus
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from tests.controller.environments import GONE, RIGHT, WRONG, ButtonTasks, clicks, says

ANN, BOB = Owner("ann"), Owner("bob")


@pytest.fixture
async def tasks() -> ButtonTasks:
    return ButtonTasks()


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as opened:
        yield opened


async def _serving(stack: AsyncExitStack, *sets: ButtonTasks, **limits: float) -> Sessions:
    bounds = SessionLimits(**limits)  # type: ignore[arg-type]  # whole numbers and seconds
    return await stack.enter_async_context(Sessions(sets, clock=ManualClock(), limits=bounds))


async def _refusal(asking: object) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await asking  # type: ignore[misc]  # a coroutine of any result
    return caught.value


async def test_a_sample_goes_from_its_goal_to_its_score(
    stack: AsyncExitStack, tasks: ButtonTasks
) -> None:
    sessions = await _serving(stack, tasks)
    begun = await sessions.start(ANN, "buttons", "a")
    assert begun.output.status is SampleStatus.RUNNING
    first = begun.output.history[0]
    assert (first.role, "Click Right" in first.content) == ("user", True)
    assert 'button "Right" [1]' in first.content
    assert "- click (" in first.content
    went_on = await sessions.interact(ANN, begun.session_id, says('{"type": "wait"}'))
    assert [one.role for one in went_on.output.history] == ["user", "agent", "user"]
    assert went_on.output.history[-1].content.startswith("Done: nothing changed")
    over = await sessions.interact(ANN, begun.session_id, clicks(RIGHT))
    assert over.output.status is SampleStatus.COMPLETED
    assert over.output.result is not None
    assert (over.output.result.score, over.output.result.outcome, over.output.result.steps) == (
        1.0,
        "verified",
        2,
    )
    assert (tasks.alive, sessions.running("buttons")) == (0, 0), "told when its place is free"


async def test_a_wrong_end_is_a_valid_zero(stack: AsyncExitStack, tasks: ButtonTasks) -> None:
    sessions = await _serving(stack, tasks)
    begun = await sessions.start(ANN, "buttons", "a")
    over = await sessions.interact(ANN, begun.session_id, clicks(WRONG))
    assert over.output.result is not None
    assert (over.output.status, over.output.result.score) == (SampleStatus.COMPLETED, 0.0)


async def test_what_the_environment_fails_at_has_no_score(
    stack: AsyncExitStack, tasks: ButtonTasks
) -> None:
    sessions = await _serving(stack, tasks)
    for failure, code in ((GONE, "desktop.gone"), (RuntimeError("a bug"), "internal")):
        tasks.step_fails = failure
        begun = await sessions.start(ANN, "buttons", "a")
        over = await sessions.interact(ANN, begun.session_id, clicks(RIGHT))
        assert over.output.status is SampleStatus.TASK_ERROR
        assert over.output.result is not None
        end = over.output.result
        assert (end.score, end.outcome, end.cause, end.code) == (
            None,
            "env_failure",
            "sandbox",
            code,
        )
    tasks.open_fails = GONE
    begun = await sessions.start(ANN, "buttons", "a")
    assert begun.output.status is SampleStatus.TASK_ERROR
    assert sessions.running("buttons") == 0


async def test_an_environment_that_takes_too_long_failed(
    stack: AsyncExitStack, tasks: ButtonTasks
) -> None:
    sessions = await _serving(stack, tasks, step_s=0.01)
    begun = await sessions.start(ANN, "buttons", "a")
    tasks.gate.clear()
    over = await sessions.interact(ANN, begun.session_id, clicks(RIGHT))
    assert over.output.result is not None
    assert over.output.result.code == "controller.environment_late"
    assert over.output.status is SampleStatus.TASK_ERROR


async def test_answers_that_are_no_actions_end_a_sample(
    stack: AsyncExitStack, tasks: ButtonTasks
) -> None:
    sessions = await _serving(stack, tasks, malformed=2)
    begun = await sessions.start(ANN, "buttons", "a")
    refused = await sessions.interact(ANN, begun.session_id, says("I would click Right"))
    assert refused.output.history[-1].content.startswith("No action: ")
    # an action begins the count anew
    await sessions.interact(ANN, begun.session_id, says('{"type": "wait"}'))
    await sessions.interact(ANN, begun.session_id, says(""))
    over = await sessions.interact(ANN, begun.session_id, says('{"type": "fly"}'))
    assert over.output.status is SampleStatus.AGENT_VALIDATION_FAILED
    assert over.output.result is not None
    assert (over.output.result.score, over.output.result.outcome) == (0.0, "agent_failure")


@pytest.mark.parametrize(
    ("answer", "status", "score"),
    [
        (AgentStatus.CONTEXT_LIMIT, SampleStatus.AGENT_CONTEXT_LIMIT, 0.0),
        (AgentStatus.CANCELLED, SampleStatus.UNKNOWN, None),
    ],
)
async def test_an_agent_may_say_that_it_cannot_go_on(
    stack: AsyncExitStack,
    tasks: ButtonTasks,
    answer: AgentStatus,
    status: SampleStatus,
    score: float | None,
) -> None:
    sessions = await _serving(stack, tasks)
    begun = await sessions.start(ANN, "buttons", "a")
    over = await sessions.interact(ANN, begun.session_id, AgentOutput(status=answer))
    assert over.output.result is not None
    assert (over.output.status, over.output.result.score) == (status, score)


async def test_the_answers_of_a_session_are_bounded(
    stack: AsyncExitStack, tasks: ButtonTasks
) -> None:
    sessions = await _serving(stack, tasks, turns=2)
    begun = await sessions.start(ANN, "buttons", "a")
    await sessions.interact(ANN, begun.session_id, says('{"type": "wait"}'))
    over = await sessions.interact(ANN, begun.session_id, says('{"type": "wait"}'))
    assert over.output.status is SampleStatus.TASK_LIMIT_REACHED


@pytest.mark.parametrize("limit", ["idle_s", "life_s"])
async def test_a_session_that_nobody_continues_ends(
    stack: AsyncExitStack, tasks: ButtonTasks, limit: str
) -> None:
    sessions = await _serving(stack, tasks, **{limit: 0.01})
    begun = await sessions.start(ANN, "buttons", "a")
    await tasks.closed.wait()
    while sessions.running("buttons"):
        await asyncio.sleep(0)  # the loop's next turn
    told = await _refusal(sessions.interact(ANN, begun.session_id, clicks(RIGHT)))
    assert told.code == "controller.session_expired"
    assert (await _refusal(sessions.cancel(BOB, begun.session_id))).code == "controller.no_session"


async def test_places_are_bounded_in_all_for_an_owner_and_for_a_task(
    stack: AsyncExitStack, tasks: ButtonTasks
) -> None:
    other = ButtonTasks("other", capacity=9)
    sessions = await _serving(stack, tasks, other, sessions=4, sessions_each=3)
    for _ in range(2):
        await sessions.start(ANN, "buttons", "a")
    full = await _refusal(sessions.start(BOB, "buttons", "b"))
    assert (full.code, "samples of buttons" in full.message) == ("controller.no_place", True)
    last = await sessions.start(ANN, "other", "a")
    assert "of this owner" in (await _refusal(sessions.start(ANN, "other", "a"))).message
    await sessions.start(BOB, "other", "a")
    assert (await _refusal(sessions.start(BOB, "other", "a"))).retryable
    await sessions.cancel(ANN, last.session_id)
    await sessions.start(BOB, "other", "a")


async def test_another_owners_session_does_not_exist(
    stack: AsyncExitStack, tasks: ButtonTasks
) -> None:
    sessions = await _serving(stack, tasks)
    begun = await sessions.start(ANN, "buttons", "a")
    for asking in (
        sessions.interact(BOB, begun.session_id, clicks(RIGHT)),
        sessions.cancel(BOB, begun.session_id),
    ):
        assert (await _refusal(asking)).code == "controller.no_session"
    assert (len(sessions.listed(ANN)), len(sessions.listed(BOB))) == (1, 0)
    await sessions.cancel_all(BOB)
    assert tasks.alive == 1
    await sessions.cancel_all(ANN)
    assert tasks.alive == 0


async def test_one_request_at_a_time_and_a_cancellation_answers_it(
    stack: AsyncExitStack, tasks: ButtonTasks
) -> None:
    sessions = await _serving(stack, tasks)
    begun = await sessions.start(ANN, "buttons", "a")
    tasks.gate.clear()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(sessions.interact(ANN, begun.session_id, clicks(RIGHT)))
        await tasks.stepping.wait()
        assert sessions.listed(ANN)[begun.session_id].locked
        busy = await _refusal(sessions.interact(ANN, begun.session_id, clicks(RIGHT)))
        assert busy.code == "controller.session_busy"
        await sessions.cancel(ANN, begun.session_id)
    assert asking.result().output.status is SampleStatus.UNKNOWN
    told = await _refusal(sessions.interact(ANN, begun.session_id, clicks(RIGHT)))
    assert told.code == "controller.session_cancelled"


async def test_the_end_of_serving_ends_every_environment(tasks: ButtonTasks) -> None:
    async with Sessions([tasks], clock=ManualClock()) as sessions:
        await sessions.start(ANN, "buttons", "a")
        await sessions.start(BOB, "buttons", "b")
        assert tasks.alive == 2
    assert tasks.alive == 0


async def test_what_does_not_exist_is_refused(stack: AsyncExitStack, tasks: ButtonTasks) -> None:
    sessions = await _serving(stack, tasks, remembered=1)
    assert (await _refusal(sessions.start(ANN, "none", "a"))).code == "controller.unknown_task"
    assert (await _refusal(sessions.start(ANN, "buttons", "z"))).code == "controller.unknown_index"
    old = await sessions.start(ANN, "buttons", "a")
    new = await sessions.start(ANN, "buttons", "a")
    await sessions.cancel(ANN, old.session_id)
    await sessions.cancel(ANN, new.session_id)
    gone = await _refusal(sessions.interact(ANN, old.session_id, clicks(RIGHT)))
    assert gone.code == "controller.no_session", "the ended are remembered, not all of them"
