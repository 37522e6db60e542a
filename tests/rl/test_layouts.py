"""The layouts that `benchmarks.layouts` compares say the same in other words, and are
asked and answered alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.layouts import LAYOUTS, answer, compared, question, shares
from proofwalk.agent.policies.llm.answers import read_answer
from proofwalk.console.actions import Click
from proofwalk.datasets.singlestep import Pair, Score
from tests.trainer.kit import chat_samples

SYSTEM = (
    'Elements: `<role> name [mark]`. Actions: …\nAnswer with one JSON object: {"thought":"what'
    ' comes next → name [mark]","action":{…}}'
)
PAGE = """<<<honuri page
Dialog: Delete
<textbox> Enter “a [1]” to confirm [12] ="a <b> [3]" (required)
<button> OK [2]
“<b> a text [4]”
honuri>>>"""
ANSWER = '{"thought":"I click “OK” → now. → OK [2]","action":{"type":"click","id":2}}'


def test_the_compact_layout_is_left_as_it_is() -> None:
    assert (
        question(SYSTEM, "restated"),
        question(PAGE, "restated"),
        answer(ANSWER, "restated"),
    ) == (SYSTEM, PAGE, ANSWER)


def test_without_restating_the_thought_ends_before_its_target() -> None:
    assert question(PAGE, "name_first") == PAGE
    assert "next → name" not in question(SYSTEM, "name_first")
    assert (
        answer(ANSWER, "name_first")
        == '{"thought":"I click “OK” → now.","action":{"type":"click","id":2}}'
    )


def test_the_mark_goes_before_its_element_and_nothing_else_moves() -> None:
    lines = question(PAGE, "mark_first").splitlines()
    assert lines[3] == "[2] <button> OK"
    assert lines[2].endswith('="a <b> [3]" (required)')
    assert [lines[at] for at in (0, 1, 4, 5)] == [PAGE.splitlines()[at] for at in (0, 1, 4, 5)]
    assert "`[mark] <role> name`" in question(SYSTEM, "mark_first")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_answer_means_the_same_in_every_layout(layout: str) -> None:
    assert read_answer(answer(ANSWER, layout)).action == Click(id=2)


def test_layouts_are_compared_over_documents_whatever_their_number_of_decisions() -> None:
    told = compared(
        {
            "restated": {"a": 1.0, "b": 0.75},
            "name_first": {"a": 0.5, "b": 0.25},
            "mark_first": {"a": 0.0, "b": 1.0},
        },
        seed=1,
    )
    assert list(told) == [
        "restated - name_first",
        "restated - mark_first",
        "name_first - mark_first",
    ]
    assert (told["restated - name_first"]["value"], told["restated - name_first"]["low"]) == (
        50.0,
        50.0,
    )
    assert told["restated - mark_first"]["value"] == 37.5
    assert told["restated - mark_first"]["low"] < 0 < told["restated - mark_first"]["high"]


def test_a_documents_decisions_are_one_share() -> None:
    right, wrong = Score(readable=True, right=True), Score(readable=True)
    tasks = zip(("a", "a", "b"), chat_samples(3), strict=True)
    pairs = [
        Pair(id=sample.episode, sample=replace(sample, task_digest=task), right=(), walks=1)
        for task, sample in tasks
    ]
    assert shares(pairs, [[right], [wrong], [right]]) == {"a": 0.5, "b": 1.0}
