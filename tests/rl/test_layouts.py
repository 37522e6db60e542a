"""The layouts that `benchmarks.layouts` compares say the same in other words, and are asked and answered alike."""

from __future__ import annotations

import pytest

from benchmarks.layouts import LAYOUTS, answer, question
from proofwalk.agent.llm.answers import read_answer
from proofwalk.console.actions import Click

SYSTEM = 'Elements: `<role> name [mark]`. Actions: …\nAnswer with one JSON object: {"thought":"what comes next → name [mark]","action":{…}}'
PAGE = """<<<honuri page
Dialog: Delete
<textbox> Enter “a [1]” to confirm [12] ="a <b> [3]" (required)
<button> OK [2]
“<b> a text [4]”
honuri>>>"""
ANSWER = '{"thought":"I click “OK” → now. → OK [2]","action":{"type":"click","id":2}}'


def test_the_compact_layout_is_left_as_it_is() -> None:
    assert (question(SYSTEM, "restated"), question(PAGE, "restated"), answer(ANSWER, "restated")) == (SYSTEM, PAGE, ANSWER)


def test_without_restating_the_thought_ends_before_its_target() -> None:
    assert question(PAGE, "name_first") == PAGE
    assert "next → name" not in question(SYSTEM, "name_first")
    assert answer(ANSWER, "name_first") == '{"thought":"I click “OK” → now.","action":{"type":"click","id":2}}'


def test_the_mark_goes_before_its_element_and_nothing_else_moves() -> None:
    lines = question(PAGE, "mark_first").splitlines()
    assert lines[3] == "[2] <button> OK"
    assert lines[2].endswith('="a <b> [3]" (required)')
    assert [lines[at] for at in (0, 1, 4, 5)] == [PAGE.splitlines()[at] for at in (0, 1, 4, 5)]
    assert "`[mark] <role> name`" in question(SYSTEM, "mark_first")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_answer_means_the_same_in_every_layout(layout: str) -> None:
    assert read_answer(answer(ANSWER, layout)).action == Click(id=2)
