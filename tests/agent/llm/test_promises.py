"""Claims that something else follows: only of a sentence that tells what follows, of
what was done for it, and not of what is in view."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.policy import PastStep
from proofwalk.agent.policies.llm.promises import tells_what_follows
from proofwalk.console.actions import Click
from tests.agent.llm.kit import page, policy_of, turn_of
from tests.agent.llm.test_policy import blame
from tests.models.fake_endpoint import FakeEndpoint, serving

STEPS = ("Set the name.", "Click **OK**. The pump **otter** is shown as **Running**.")


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Click **OK**.", False),
        ("Click **Create VPC** and set the **Name**.", False),
        ("点击**确定**。", False),
        ("The dialog closes.", True),
        ("Check that the pump runs.", True),
        ("Wait until the status becomes **Running**.", True),
        ("实例状态变为**运行中**。", True),
        ("Klicken Sie auf **OK**.", True),  # In a language that is not looked into.
    ],
)
def test_an_instruction_promises_nothing(text: str, tells: bool) -> None:
    assert tells_what_follows(text) is tells


@pytest.mark.parametrize(
    ("done_in", "shown", "why"),
    [
        ("2", ("Start", "Stop"), ""),
        ("1", ("Start", "Stop"), "nothing was done yet"),
        ("2", ("otter", "Running"), "the page shows what"),
        ("2", ("otter", "Idle"), ""),
    ],
)
async def test_a_promise_is_broken_where_it_is_not_in_view(
    done_in: str, shown: tuple[str, str], why: str
) -> None:
    past = PastStep(substep=done_in, thought="t", action=Click(id=1), result="clicked", ok=True)
    endpoint = FakeEndpoint(
        blame("The pump **otter** is shown as **Running**.", kind="wrong_outcome")
    )
    async with serving(endpoint), policy_of(endpoint) as policy:
        decision = await policy.decide(
            turn_of(*STEPS, history=(past,), index=1, observation=page(*shown))
        )
    assert (decision.finding is None) is bool(why)
    assert all(why in note for note in decision.notes)


@pytest.mark.parametrize(
    ("quote", "done_in", "candidates", "is_founded"),
    [
        ("Click **Drain**.", "1", [], False),
        ("Click **Drain**.", "1", ["Halt"], True),
        ("Click **Drain**.", "1", ["Halten"], False),
        ("Click **Drain**.", "2", [], True),
        ("Click **Fill**.", "2", [], True),
        ("Click **Leave**.", "2", [], False),  # Nobody has come to it.
    ],
)
async def test_another_sub_step_lacks_something_only_where_its_place_is_in_view(
    quote: str, done_in: str, candidates: list[str], is_founded: bool
) -> None:
    past = PastStep(substep=done_in, thought="t", action=Click(id=1), result="clicked", ok=True)
    told = blame(quote, *candidates, kind="missing")
    endpoint = FakeEndpoint(told)
    async with serving(endpoint), policy_of(endpoint) as policy:
        decision = await policy.decide(
            turn_of(
                "Click **Drain**.",
                "Click **Fill**.",
                "Click **Leave**.",
                history=(past,),
                index=1,
                observation=page("Start", "Halt"),
            )
        )
    assert (decision.finding is not None) is is_founded
