"""Steps in words, and two runs beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.gateway.web.verification_alignment import Row, aligned
from proofwalk.gateway.web.verification_steps import ShownStep, in_words, shown_step
from proofwalk.kernel.json_values import JsonObject
from tests.gateway.web.walks import step


def run(*deeds: str) -> list[ShownStep]:
    """Steps by sub-step and what was done: `2 Stop` clicked Stop for sub-step 2."""
    return [
        shown_step(step(number, deed[0], f"clicked {deed[2:]}"))
        for number, deed in enumerate(deeds, start=1)
    ]


def told(rows: Sequence[Row]) -> list[str]:
    """A row as `left|right` by numbers of steps; `!` marks the first difference."""
    return [
        f"{'!' if row.is_first_difference else '' if row.is_same else '~'}"
        f"{row.left.number if row.left else '-'}|{row.right.number if row.right else '-'}"
        for row in rows
    ]


@pytest.mark.parametrize(
    ("left", "right", "rows"),
    [
        ([], [], []),
        (["1 A"], [], ["!1|-"]),
        (["1 A", "2 B"], ["1 A", "2 B"], ["1|1", "2|2"]),
        (["1 A", "1 X", "2 B"], ["1 A", "2 B"], ["1|1", "!2|-", "3|2"]),
        (["1 A", "2 B"], ["1 A", "2 C", "2 B"], ["1|1", "!-|2", "2|3"]),
        (["1 A", "2 B", "3 C"], ["1 A", "2 X", "3 C"], ["1|1", "!2|2", "3|3"]),
        (["1 A", "2 B", "2 C"], ["1 A", "2 X", "3 C"], ["1|1", "!2|2", "~3|-", "~-|3"]),
        (["1 A", "2 A"], ["1 A"], ["1|1", "!2|-"]),
        (["1 A"], ["2 A"], ["!1|-", "~-|1"]),
    ],
)
def test_runs_meet_where_they_did_the_same_for_the_same_sub_step(
    left: list[str], right: list[str], rows: list[str]
) -> None:
    alignment = aligned(run(*left), run(*right))
    assert told(alignment.rows) == rows
    assert alignment.same == sum("!" not in row and "~" not in row for row in rows)
    assert (alignment.first_difference is None) == all("!" not in row for row in rows)


DEEDS = st.lists(st.sampled_from([f"{number} {deed}" for number in "123" for deed in "AB"]))


@given(left=DEEDS, right=DEEDS)
def test_every_step_stands_in_one_row_and_in_its_order(left: list[str], right: list[str]) -> None:
    one, other = run(*left), run(*right)
    alignment = aligned(one, other)
    assert [row.left for row in alignment.rows if row.left] == one
    assert [row.right for row in alignment.rows if row.right] == other
    for row in alignment.rows:
        assert {side.substep for side in (row.left, row.right) if side} == {row.substep}
    marked = [at for at, row in enumerate(alignment.rows) if row.is_first_difference]
    differing = [at for at, row in enumerate(alignment.rows) if not row.is_same]
    assert marked == differing[:1]


@pytest.mark.parametrize(
    ("action", "answer", "other_action", "other_answer", "alike"),
    [
        (
            {"type": "click", "id": 3},
            "clicked Stop",
            {"type": "click", "id": 9},
            "clicked Stop",
            True,
        ),
        (
            {"type": "click", "id": 3},
            "clicked Stop",
            {"type": "click", "id": 3},
            "clicked OK",
            False,
        ),
        ({"type": "click"}, "clicked Stop; 2 new", {"type": "click"}, "clicked Stop; 9 new", True),
        ({"type": "hover"}, "Stop", {"type": "click"}, "Stop", False),
        ({"type": "type", "text": "a"}, "typed", {"type": "type", "text": "b"}, "typed", False),
        (
            {"type": "click"},
            "clicked i-bp67f00d",
            {"type": "click"},
            "clicked i-bp99a1b2",
            True,
        ),
        ({"type": "click"}, "clicked instance-1", {"type": "click"}, "clicked instance-2", False),
        (
            {"type": "sub_step_complete", "note": "it is done"},
            "noted",
            {"type": "sub_step_complete", "note": "well done"},
            "kept",
            True,
        ),
    ],
)
def test_what_was_done_does_not_depend_on_marks_names_drawn_anew_or_the_agents_own_words(
    action: JsonObject, answer: str, other_action: JsonObject, other_answer: str, alike: bool
) -> None:
    one = shown_step(step(1, "1", answer, action=action))
    other = shown_step(step(1, "1", other_answer, action=other_action))
    assert (one.deed == other.deed) == alike


def test_a_failed_step_is_not_what_succeeded() -> None:
    done, failed = step(1, "1", "clicked Stop"), step(1, "1", "clicked Stop", ok=False)
    assert shown_step(done).deed != shown_step(failed).deed


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"type": "click", "id": 3, "double": False, "modifiers": []}, "click [3]"),
        (
            {"type": "type", "id": 4, "text": "web", "clear": True},
            "type [4] text “web” clear",
        ),
        ({"type": "drag_to", "from_id": 1, "id": 2}, "drag to from id [1] [2]"),
        ({"type": "press", "keys": ["Control", "a"]}, "press keys “Control”, “a”"),
        ({"type": "set_slider", "id": 1, "value": 2.5}, "set slider [1] value 2.5"),
        ({}, ""),
    ],
)
def test_an_action_is_told_in_words(action: JsonObject, words: str) -> None:
    assert in_words(action) == words


@pytest.mark.parametrize("text", ["", "no json", "[1]", "{"])
def test_what_is_no_action_is_shown_as_it_is(text: str) -> None:
    raw = step(1, "1", "")
    raw.action_json = text
    assert shown_step(raw).action == text
