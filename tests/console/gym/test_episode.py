"""Episodes end in typed outcomes: reached, lost, three failures, spent, claimed, and
the browser's own failures."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from proofwalk.chassis.tracing import Tracing
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import CallApi
from proofwalk.console.functions import FunctionCard
from proofwalk.gym.episode import ConsoleEpisode, console_episode
from proofwalk.gym.episode_limits import Limits
from proofwalk.gym.tasks import resolve
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import EnvCause, OutcomeKind
from tests.console.conftest import Site
from tests.console.gym.conftest import SiteTask, click

Open = Callable[..., ConsoleEpisode]
NO_SUCH = '{"type": "click", "id": 99}'


async def test_reaching_the_task_ends_it_with_its_reward(open_episode: Open, site: Site) -> None:
    episode = open_episode(SiteTask(site))
    begun = await episode.reset(5)
    assert begun.goal == "Click Right of task 5"
    idle = await episode.step(click(begun.observation, "Idle"))
    assert (idle.reward, idle.outcome, idle.terminated, idle.truncated) == (0.0, None, False, False)
    stepped = await episode.step(click(idle.observation, "Right"))
    assert (stepped.reward, stepped.terminated, stepped.truncated, stepped.reward_valid) == (
        1.0,
        True,
        False,
        True,
    )
    assert stepped.outcome is not None
    assert stepped.outcome.kind is OutcomeKind.VERIFIED
    with pytest.raises(ProofwalkError, match=r"gym\.not_reset"):
        await episode.step(NO_SUCH)


async def test_losing_the_task_is_the_agents_failure_and_a_valid_zero(
    open_episode: Open, site: Site
) -> None:
    episode = open_episode(SiteTask(site))
    begun = await episode.reset(0)
    stepped = await episode.step(click(begun.observation, "Wrong"))
    assert stepped.outcome is not None
    assert (stepped.outcome.kind, stepped.reward, stepped.reward_valid) == (
        OutcomeKind.AGENT_FAILURE,
        0.0,
        True,
    )


async def test_three_failed_actions_in_a_row_end_the_episode(
    open_episode: Open, site: Site
) -> None:
    episode = open_episode(SiteTask(site))
    begun = await episode.reset(0)
    steps = [await episode.step(NO_SUCH), await episode.step("click the button")]
    assert [step.result.code for step in steps] == ["action.no_such_mark", "action.malformed"]
    # a success begins the count anew
    steps.append(await episode.step(click(begun.observation, "Idle")))
    steps += [await episode.step(NO_SUCH), await episode.step(NO_SUCH)]
    steps.append(await episode.step('{"type": "wait", "text": "never", "seconds": 0.05}'))
    assert all(step.outcome is None for step in steps)
    last = await episode.step(click(begun.observation, "Off"))
    assert (last.terminated, last.truncated, last.reward) == (True, False, 0.0)
    assert last.outcome is not None
    assert (last.outcome.kind, last.outcome.code) == (
        OutcomeKind.AGENT_FAILURE,
        "episode.action_failures",
    )


async def test_the_step_limit_truncates(open_episode: Open, site: Site) -> None:
    episode = open_episode(SiteTask(site), limits=Limits(steps=2))
    begun = await episode.reset(0)
    first = await episode.step(click(begun.observation, "Idle"))
    second = await episode.step(click(first.observation, "Idle"))
    assert (first.truncated, second.truncated, second.terminated) == (False, True, False)
    assert second.outcome is not None
    assert (second.outcome.code, second.reward_valid) == ("episode.step_limit", True)


async def test_a_claim_ends_the_episode_and_proves_nothing(open_episode: Open, site: Site) -> None:
    task = SiteTask(site)
    episode = open_episode(task)
    await episode.reset(0)
    stepped = await episode.step('{"type": "task_complete", "note": "all done"}')
    assert (stepped.terminated, stepped.reward) == (True, 0.0)
    assert [(claim.kind, claim.text) for claim in task.claims] == [("complete", "all done")]
    await episode.reset(0)
    await episode.step('{"type": "task_unachievable", "reason": "no such page"}')
    assert [claim.kind for claim in task.claims] == ["unachievable"]


async def test_a_dialog_holds_the_judgement_back_and_is_no_fault(
    open_episode: Open, site: Site
) -> None:
    episode = open_episode(
        SiteTask(site, "<button onclick=\"alert('Sure?'); window.reached = 1\">Ask</button>")
    )
    begun = await episode.reset(0)
    asked = await episode.step(click(begun.observation, "Ask"))
    assert (asked.outcome, asked.observation.browser_dialog) == (None, "alert: Sure?")
    answered = await episode.step('{"type": "answer_dialog", "accept": true}')
    assert answered.reward == 1.0


def _browsers() -> list[psutil.Process]:
    """Chromiums below this process, without their renderers."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if (
                "--remote-debugging-port=0" in words
                and "python" not in words[0]
                and not any("--type=" in w for w in words)
            ):
                found.append(process)
    return found


async def test_a_killed_browser_truncates_and_the_next_reset_takes_another(
    site: Site, tmp_path: Path
) -> None:
    others = set(_browsers())
    async with console_episode(SiteTask(site), clock=SystemClock(), artifacts=tmp_path) as episode:
        begun = await episode.reset(0)
        (own,) = set(_browsers()) - others
        own.kill()
        stepped = await episode.step(click(begun.observation, "Right"))
        assert (stepped.terminated, stepped.truncated, stepped.reward, stepped.reward_valid) == (
            False,
            True,
            -1.0,
            False,
        )
        assert stepped.outcome is not None
        assert (stepped.outcome.kind, stepped.outcome.cause) == (
            OutcomeKind.ENV_FAILURE,
            EnvCause.SANDBOX,
        )
        assert stepped.observation == begun.observation
        again = await episode.reset(1, "soft")
        assert again.mode == "full"
        assert (await episode.step(click(again.observation, "Right"))).reward == 1.0


async def test_a_browser_that_cannot_be_reached_fails_the_reset(
    open_episode: Open, site: Site
) -> None:
    episode = open_episode(SiteTask(site), endpoint="ws://127.0.0.1:9/devtools/browser/none")
    with pytest.raises(ProofwalkError) as caught:
        await episode.reset(0)
    assert caught.value.retryable


async def test_an_episode_has_a_trace_of_its_own(open_episode: Open, site: Site) -> None:
    spans = InMemorySpanExporter()
    tracing = Tracing("gym", exporter=spans)
    episode = open_episode(SiteTask(site), tracing=tracing)
    first = await episode.reset(0)
    await episode.step(click(first.observation, "Right"))
    second = await episode.reset(0, "soft")
    assert first.trace_id != second.trace_id
    seen = [
        (span.name, format(span.context.trace_id, "032x"))
        for span in spans.get_finished_spans()
        if span.context
    ]
    assert seen == [
        ("console.reset", first.trace_id),
        ("console.step", first.trace_id),
        ("console.reset", second.trace_id),
    ]
    tracing.shutdown()


def test_tasks_are_found_by_name_and_objects_pass(site: Site) -> None:
    task = SiteTask(site)
    assert resolve(task) is task
    assert resolve("own.x", {"own": lambda name: SiteTask(site, name)}).name == "site.buttons"
    for name in ("nothing", "nothing.here", "miniwob.no-such-page"):
        with pytest.raises(ProofwalkError, match=r"gym\.unknown_task"):
            resolve(name)


class Answers:
    """A function that answers, as a catalogue's would."""

    cards = (FunctionCard(name="which_button", description="", parameters={"type": "object"}),)

    async def call(self, action: CallApi) -> ActionResult:
        return ActionResult(ok=True, message=f"{action.name} → {dict(action.arguments)}")


async def test_an_episode_acts_by_hand_and_by_call(open_episode: Open, site: Site) -> None:
    call = '{"type": "call_api", "name": "which_button", "arguments": {"task": 5}}'
    episode = open_episode(SiteTask(site), functions=Answers())
    begun = await episode.reset(5)
    called = await episode.step(call)
    assert (called.result.ok, called.result.message) == (True, "which_button → {'task': 5}")
    assert called.outcome is None
    stepped = await episode.step(click(begun.observation, "Right"))
    assert stepped.reward == 1.0
    without = open_episode(SiteTask(site))
    await without.reset(5)
    refused = await without.step(call)
    assert (refused.result.ok, refused.result.code) == (False, "action.no_functions")
