"""Answers that fill in fields, act and end their sub-step: what is carried out without
a further question, and what makes the model be asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from proofwalk.agent.core.policy import PastStep, Turn
from proofwalk.agent.policies.llm.answers import (
    BEFORE_ACTION,
    Answer,
    answer_schema,
    read_answer,
)
from proofwalk.agent.policies.llm.batch import DONE, Batch
from proofwalk.console.actions import (
    Action,
    Click,
    ClickAt,
    DragTo,
    Select,
    SubStepComplete,
    TaskUnachievable,
    Type,
)
from proofwalk.console.observation import Box, Element, Observation, State
from proofwalk.kernel.errors import ProofwalkError
from tests.agent.llm.kit import page, policy_of, turn_of
from tests.models.fake_endpoint import FakeEndpoint, Reply, serving

NAME = Type(id=1, text="web-1")
ZONE = Select(id=2, option="Zone A")
OK = Click(id=3)
ANSWER = Answer(thought="I fill it in.", fields=(NAME, ZONE), action=OK, done=True)


def form(*identities: str, **changes: Any) -> Observation:
    """A form whose elements are marked from 1."""
    shown = page(*(identities or ("name", "zone", "ok")))
    return replace(shown, **{"modal": "Create", **changes})


def reached(turn: Turn, *actions: Action, ok: bool = True, **changes: Any) -> Turn:
    """The turn after these actions, the last of which went as `ok` says."""
    history = tuple(
        PastStep(
            substep="1",
            thought="",
            action=action,
            result="",
            ok=ok or number + 1 < len(actions),
        )
        for number, action in enumerate(actions)
    )
    return replace(turn, history=turn.history + history, **changes)


START = turn_of(observation=form())


def carried_out(answer: Answer, pages: Sequence[Observation]) -> list[Action | None]:
    """The actions that a batch gives while the console shows these pages."""
    batch = Batch()
    actions: list[Action | None] = [batch.begin(answer, START)]
    for shown in pages:
        done = [one for one in actions if one is not None]
        actions.append(batch.proceed(reached(START, *done, observation=shown)))
    return actions


def test_fields_come_before_the_action_and_the_end_of_the_sub_step_after_it() -> None:
    closed = form("list", modal="")
    assert carried_out(ANSWER, [form(), form(), closed, closed]) == [NAME, ZONE, OK, DONE, None]


def test_marks_follow_their_elements() -> None:
    moved = form("hint", "name", "zone", "ok")
    assert carried_out(ANSWER, [form(), moved]) == [NAME, ZONE, OK.model_copy(update={"id": 4})]


UNEXPECTED = {
    "an element that is gone": form("name", "ok"),
    "two elements of one identity": form("zone", "zone", "ok"),
    "a dialog of the browser": form(browser_dialog="Leave the page?"),
    "another dialog of the page": form(modal="Are you sure?"),
    "a message of an error": form(alerts=("The name is invalid.",)),
    "a page that is busy": form(quiet=False),
}


@pytest.mark.parametrize("shown", UNEXPECTED.values(), ids=UNEXPECTED)
def test_the_model_is_asked_when_the_console_is_not_as_expected(shown: Observation) -> None:
    assert carried_out(ANSWER, [shown, form(), form()]) == [NAME, None, None, None]


def test_a_field_that_is_marked_as_wrong_ends_the_batch() -> None:
    wrong = Element(
        mark=1,
        identity="name",
        role="textbox",
        tag="input",
        name="Name",
        box=Box(x=1, y=1, width=90, height=30),
        states=frozenset({State.INVALID}),
    )
    shown = form()
    broken = replace(shown, elements=(wrong, *shown.elements[1:]))
    assert carried_out(ANSWER, [broken]) == [NAME, None]


def test_a_message_of_success_is_expected() -> None:
    created = form("list", modal="", alerts=("Created.",))
    assert carried_out(ANSWER, [form(), form(), created])[-1] == DONE


@pytest.mark.parametrize(("index", "end"), [(0, DONE), (1, None)])
def test_a_dialog_may_open_at_the_end_of_a_sub_step_but_of_the_last(
    index: int, end: Action | None
) -> None:
    turn = turn_of("Click **Delete**.", "Click **OK**.", observation=form(modal=""), index=index)
    batch = Batch()
    batch.begin(Answer(thought="I delete it.", action=OK, done=True), turn)
    assert batch.proceed(reached(turn, OK, observation=form(modal="Delete?"))) == end


def test_an_action_that_failed_and_another_sub_step_end_the_batch() -> None:
    for turn in (
        reached(START, NAME, ok=False),
        replace(reached(START, NAME), index=1),
        reached(START, NAME, ZONE),
    ):
        batch = Batch()
        batch.begin(ANSWER, START)
        assert batch.proceed(turn) is None
        assert batch.proceed(reached(START, NAME)) is None, "what was left is forgotten"


NEXT = SubStepComplete()
OVER_TWO = Answer(thought="I fill it in.", fields=(NAME, NEXT, ZONE), action=OK, done=True)


def test_an_answer_goes_on_into_the_next_sub_step_of_its_page() -> None:
    batch = Batch()
    done: list[Action] = [batch.begin(OVER_TWO, START)]
    for index in (0, 1, 1, 1):
        action = batch.proceed(reached(START, *done, observation=form(modal=""), index=index))
        assert action is not None
        done.append(action)
    assert done == [NAME, NEXT, ZONE, OK, DONE]


def test_an_answer_that_begins_with_an_end_counts_on_the_next_sub_step() -> None:
    batch = Batch()
    assert batch.begin(replace(OVER_TWO, fields=(NEXT, ZONE)), START) == NEXT
    assert batch.proceed(reached(START, NEXT, observation=form(), index=1)) == ZONE


def test_a_walk_that_does_not_go_on_to_the_next_sub_step_ends_the_batch() -> None:
    batch = Batch()
    batch.begin(OVER_TWO, START)
    assert batch.proceed(reached(START, NAME, observation=form())) == NEXT
    assert batch.proceed(reached(START, NAME, NEXT, observation=form(), index=0)) is None


def test_nothing_is_filled_in_by_who_gives_up() -> None:
    given_up = TaskUnachievable(reason="there is no such zone")
    answer = replace(ANSWER, action=given_up)
    assert carried_out(answer, [form()]) == [given_up, None]


def test_a_mark_that_was_not_on_the_page_is_never_acted_on() -> None:
    answer = replace(ANSWER, fields=(NAME, Select(id=9, option="Zone A")))
    assert carried_out(answer, [form()]) == [NAME, None]


@pytest.mark.parametrize("action", [ClickAt(x=10, y=20), DragTo(from_id=1, id=2)])
def test_a_point_and_a_second_element_are_of_one_look(action: Action) -> None:
    answer = replace(ANSWER, fields=(NAME,), action=action)
    assert carried_out(answer, [form()]) == [NAME, None]


async def test_one_question_for_a_whole_sub_step() -> None:
    text = json.dumps(
        {
            "thought": "I fill it in.",
            "fields": [{"type": "type", "id": 1, "text": "web-1"}],
            "action": {"type": "click", "id": 3},
            "done": True,
        }
    )
    endpoint = FakeEndpoint(Reply(text=text))
    async with serving(endpoint), policy_of(endpoint) as policy:
        first = await policy.decide(START)
        second = await policy.decide(reached(START, first.action))
        third = await policy.decide(reached(START, first.action, second.action))
        assert len(endpoint.asked) == 1
        await policy.decide(replace(reached(START, NAME, OK, DONE), index=0))
    assert [first.action, second.action, third.action] == [NAME, OK, DONE]
    assert (first.tokens_in, second.tokens_in, third.tokens_in) == (100, 0, 0)
    assert (len(first.exchanges), second.exchanges, third.exchanges) == (1, (), ())
    assert len(endpoint.asked) == 2
    assert "done: true" in endpoint.text_of(0)


async def test_without_batches_an_answer_is_one_action() -> None:
    text = json.dumps({"thought": "x", "action": {"type": "click", "id": 3}, "done": True})
    endpoint = FakeEndpoint(Reply(text=text))
    async with serving(endpoint), policy_of(endpoint, batches=False) as policy:
        first = await policy.decide(START)
        await policy.decide(reached(START, first.action))
    assert len(endpoint.asked) == 2
    assert "done: true" not in endpoint.text_of(0)


def test_the_schema_takes_fields_before_the_action_and_done_after_it() -> None:
    schema: Any = answer_schema("normal", batches=True)
    assert list(schema["properties"]) == ["thought", "fields", "action", "done", "finding"]
    assert schema["required"] == ["thought", "action"]
    field = schema["properties"]["fields"]["items"]
    assert set(field["properties"]["type"]["enum"]) == set(BEFORE_ACTION)
    assert set(field["properties"]) >= {"id", "text", "option", "checked", "value"}


def test_the_flat_action_has_the_members_of_every_action_and_is_short() -> None:
    flat: Any = answer_schema("normal", batches=True)["properties"]
    single: Any = answer_schema("normal")["properties"]
    members = {name for one in single["action"]["anyOf"] for name in one["properties"]}
    assert set(flat["action"]["properties"]) == members
    assert flat["action"]["required"] == ["type"]
    assert 3 * len(json.dumps(flat["action"])) < len(json.dumps(single["action"]))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"type": "click", "id": 1}, "fields is not a list"),
        ([{"type": "click", "id": 1}], "fields holds a click"),
        ([{"type": "type", "id": 1, "text": "x"}] * 21, "at most 20"),
    ],
)
def test_fields_that_cannot_be_read_say_why(fields: Any, reason: str) -> None:
    text = json.dumps({"thought": "x", "fields": fields, "action": {"type": "go_back"}})
    with pytest.raises(ProofwalkError, match=reason):
        read_answer(text)
