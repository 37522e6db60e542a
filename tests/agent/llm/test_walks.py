"""Whole walks of a console in memory, driven by a scripted model over real sockets."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from proofwalk.agent.choosing import Choice, make_policy
from proofwalk.agent.core.endings import ActionFailures, Completed, EnvironmentFailed, Unachievable
from proofwalk.agent.core.environment import StepEvent
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import EnvCause, FindingKind
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeForm
from tests.agent.llm.kit import model_of
from tests.models.fake_endpoint import FakeEndpoint, Reply, act, refuse, serving

STEPS = (
    "In the left-side navigation pane, choose **Instances**.",
    "Find the instance and click **Stop**.",
    "In the dialog box that appears, click **OK**.",
)
Step = Callable[[str], Reply]


def console() -> FakeConsole:
    rows = [FakeRow(id="i-1", name="web-1"), FakeRow(id="i-2", name="web-2")]
    return FakeConsole(rows=rows, forms={"Stop": lambda: FakeForm(title="Stop Instance")})


def click(line: str, *, after: str = "") -> Step:
    """Click the element whose line on the page now is `line`, behind the text
    `after`."""

    def answer(page: str) -> Reply:
        found = re.search(
            re.escape(line) + r" \[(\d+)\]", page[page.index(after) :] if after else page
        )
        assert found, f"{line!r} is not on the page:\n{page}"
        return act(f"I click {line}.", type="click", id=int(found[1]))

    return answer


def say(reply: Reply) -> Step:
    return lambda page: reply


DONE = say(act("Done.", type="sub_step_complete"))


def scripted(*steps: Step) -> FakeEndpoint:
    """A model that looks at the page that it is shown and takes one step after the
    other."""
    left = list(steps)

    def answering(asked: dict[str, Any]) -> Reply:
        user = [message["content"] for message in asked["messages"] if message["role"] == "user"]
        texts = [content if isinstance(content, str) else content[0]["text"] for content in user]
        page = next(text for text in reversed(texts) if "The page now:" in text)
        return left.pop(0)(page.split("The page now:")[1])

    return FakeEndpoint(answering=answering)


async def test_a_walk_to_its_end_through_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    endpoint = scripted(
        click('link "Elastic Compute Service"'),
        say(Reply(text="I think I should click something.")),
        click('option "Instances"'),
        say(refuse("overloaded", 503)),
        DONE,
        say(refuse("slow down", 429, Retry_After="0.01")),
        click('button "Stop"', after="i-2 web-2"),
        DONE,
        say(Reply(cut=True)),
        click('button "OK"'),
        say(act("All done.", type="task_complete")),
    )
    place, events = console(), list[StepEvent]()
    async with serving(endpoint), model_of(endpoint) as model:
        policy = make_policy("llm", Choice(model=model))
        walked = await run(
            place, *STEPS, policy=policy, binds={"the instance": "web-2"}, events=events
        )
    assert isinstance(walked.ending, Completed), walked.ending
    assert place.log == ["enter Instances", "Stop web-2", "submit Stop Instance"]
    assert [event.thought for event in events if event.ok][-1] == "All done."
    assert len(events) == 7
    assert len(endpoint.asked) == 11
    assert "web-2" in endpoint.text_of(0), "what was prepared is told"


async def test_a_finding_of_the_model_ends_the_walk_as_a_defect() -> None:
    finding = {
        "kind": "renamed",
        "quote": "click **Halt**.",
        "observed": "The action is called Stop.",
        "candidates": ["Stop"],
    }
    endpoint = scripted(
        click('link "Elastic Compute Service"'),
        click('option "Instances"'),
        DONE,
        say(
            act(
                "There is no Halt.", finding, type="task_unachievable", reason="no Halt in the list"
            )
        ),
    )
    async with serving(endpoint), model_of(endpoint) as model:
        walked = await run(
            console(),
            STEPS[0],
            "Find the instance and click **Halt**.",
            policy=make_policy("llm", Choice(model=model)),
        )
    assert isinstance(walked.ending, Unachievable)
    assert walked.finding is not None
    assert (walked.finding.kind, walked.finding.line, walked.finding.candidates) == (
        FindingKind.RENAMED,
        2,
        ("Stop",),
    )


async def test_a_model_that_never_answers_in_form_fails_as_the_policy() -> None:
    endpoint = FakeEndpoint(Reply(text="Certainly!"))
    async with serving(endpoint), model_of(endpoint, malformed_retries=1) as model:
        walked = await run(console(), *STEPS, policy=make_policy("llm", Choice(model=model)))
    assert isinstance(walked.ending, ActionFailures)
    assert "no action" in walked.ending.reason
    assert len(endpoint.asked) == 6


@pytest.mark.parametrize(
    "fault",
    [refuse("oops", 500), refuse("slow down", 429, Retry_After="0.01"), refuse("who?", 401)],
)
async def test_a_model_that_is_away_fails_as_the_environment(
    fault: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    endpoint = FakeEndpoint(fault)
    async with serving(endpoint), model_of(endpoint, retries=1) as model:
        walked = await run(console(), *STEPS, policy=make_policy("llm", Choice(model=model)))
    assert isinstance(walked.ending, EnvironmentFailed)
    assert walked.ending.cause is EnvCause.MODEL


@pytest.mark.parametrize("name", ["llm", "cascade"])
def test_without_a_model_the_policies_that_ask_one_say_so(name: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        make_policy(name, Choice())
    assert (caught.value.code, caught.value.status) == (
        "policy.no_model",
        Status.FAILED_PRECONDITION,
    )
    assert "PROOFWALK_ROLLOUT__MODEL__ENDPOINT" in caught.value.hint


async def test_every_episode_has_a_code_of_its_own() -> None:
    endpoint = FakeEndpoint(act("Done.", type="task_complete"))
    async with serving(endpoint), model_of(endpoint) as model:
        for _ in range(2):
            await run(console(), *STEPS, policy=make_policy("llm", Choice(model=model)))
    codes = [re.findall(r"<<<(\w{16}) page", endpoint.text_of(index))[0] for index in range(2)]
    assert codes[0] != codes[1]


async def test_the_cascade_asks_over_the_wire_where_the_document_is_in_another_language() -> None:
    endpoint = scripted(click('button "Stop"', after="i-2 web-2"), DONE)
    place = console()
    steps = (
        "Log on to the [ECS console](https://ecs.example.com).",
        "In the left-side navigation pane, choose **Instances & Images** > **Instances**.",
        "Найдите нужный экземпляр и остановите его.",
        "In the dialog box that appears, click **OK**.",
    )
    async with serving(endpoint), model_of(endpoint) as model:
        walked = await run(place, *steps, policy=make_policy("cascade", Choice(model=model)))
    assert isinstance(walked.ending, Completed), walked.ending
    assert place.log == ["enter Instances", "Stop web-2", "submit Stop Instance"]
    assert len(endpoint.asked) == 2
    assert "in neither" in endpoint.text_of(0)
