"""Which steps of a walk its script keeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from proofwalk.agent.core.policy import PastStep
from proofwalk.agent.policies.replay.pruning import StepWithPages, worth_keeping
from proofwalk.console.actions import Action, Click, Press, Select
from proofwalk.console.observation import Box, Element, Observation

LIST = Element(
    mark=1,
    identity="d1-1",
    role="combobox",
    tag="input",
    name="Server Group",
    box=Box(x=0, y=100, width=200, height=30),
)
OPTION = Element(
    mark=2,
    identity="d1-2",
    role="option",
    tag="li",
    name="orders",
    container="menu",
    box=Box(x=0, y=140, width=200, height=30),
)


def page(*elements: Element) -> Observation:
    return Observation(
        url="https://console.example.com/",
        title="Listeners",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=elements,
        texts=(),
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 1440, 900),
        modal="Add Listener",
    )


def step(action: Action, before: Observation, after: Observation) -> StepWithPages:
    return StepWithPages(
        before=before,
        past=PastStep(substep="1", thought="", action=action, result="", ok=True),
        after=after,
    )


CLOSED, OPENED = page(LIST), page(LIST, OPTION)
SHOWN = page(replace(LIST, value="orders"))


@pytest.mark.parametrize("after", [CLOSED, SHOWN])
def test_a_choice_is_kept_whether_or_not_the_page_shows_it(after: Observation) -> None:
    walked = [step(Click(id=1), CLOSED, OPENED), step(Click(id=2), OPENED, after)]
    assert worth_keeping(walked) == walked


def test_a_selection_that_is_not_shown_is_kept() -> None:
    walked = [step(Select(id=1, option="orders"), CLOSED, CLOSED)]
    assert worth_keeping(walked) == walked


def test_a_list_that_was_only_looked_into_is_dropped() -> None:
    assert (
        worth_keeping(
            [step(Click(id=1), CLOSED, OPENED), step(Press(key="Escape"), OPENED, CLOSED)]
        )
        == []
    )


def test_a_choice_that_was_shown_and_lost_again_is_dropped() -> None:
    walked = [
        step(Click(id=1), CLOSED, OPENED),
        step(Click(id=2), OPENED, SHOWN),
        step(Press(key="Escape"), SHOWN, CLOSED),
    ]
    assert worth_keeping(walked) == []
