"""The null and the random policy: they claim, they wander, and chance is repeatable."""

from __future__ import annotations

from proofwalk.agent.choosing import MODEL_POLICIES, POLICIES, Choice, make_policy
from proofwalk.agent.core.endings import Completed
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeForm

STEPS = ("Open the list.", "Find the instance and click **Stop**.")


def console() -> FakeConsole:
    return FakeConsole(
        rows=[FakeRow(id="i-1", name="a")], forms={"Stop": lambda: FakeForm(title="Stop Instance")}
    )


async def test_null_claims_at_once_and_does_nothing() -> None:
    place = console()
    walked = await run(place, *STEPS, policy=make_policy("null", Choice()))
    assert isinstance(walked.ending, Completed)
    assert (walked.steps, place.log) == (1, [])


async def test_random_acts_a_bounded_number_of_times_and_the_same_seed_acts_the_same() -> None:
    logs = []
    for seed in ("one", "one", "two"):
        place = console()
        walked = await run(place, *STEPS, policy=make_policy("random", Choice(seed=seed)))
        assert isinstance(walked.ending, Completed)
        assert walked.steps == 26
        logs.append([past.action for past in walked.history])
    assert logs[0] == logs[1] != logs[2]


def test_every_policy_can_be_made() -> None:
    assert {"literal", "scripted", "null", "random"} <= POLICIES - MODEL_POLICIES
    for name in POLICIES - MODEL_POLICIES:
        assert make_policy(name, Choice(script_yaml="- []")).name == name
