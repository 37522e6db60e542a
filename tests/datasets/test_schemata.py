"""Which kind of thought a step asks for, on walks that were worked through by hand."""

from __future__ import annotations

from dataclasses import replace

from proofwalk.console import actions as a
from proofwalk.console.observation import State
from proofwalk.datasets.hindsight.schemata import Schema, StepSchema, schemata_of
from proofwalk.datasets.verdicts import KEPT, StepRule, Verdict
from proofwalk.trajectories.records import StepRecord
from tests.datasets.kit import element, page, step

LIST = page("list", element(1, "Create VPC"), element(2, "Refresh"))
FORM = page("form", element(1, "Name", "textbox"), element(2, "OK"))
DONE = page("list", element(1, "Create VPC"), texts=["lab-1"])


def schemata(*steps: StepRecord, substeps: int = 1, **verdicts: Verdict) -> list[StepSchema]:
    """The schemata of a walk; `verdicts` by the step's number: `_2=…`."""
    ruled = [verdicts.get(f"_{one.step}", KEPT) for one in steps]
    return schemata_of(steps, ruled, substeps=substeps)


def kinds(*steps: StepRecord, substeps: int = 1, **verdicts: Verdict) -> list[Schema]:
    return [one.schema for one in schemata(*steps, substeps=substeps, **verdicts)]


def test_an_ordinary_walk_begins_with_the_goal_and_ends_with_its_reasons() -> None:
    assert kinds(
        step(1, a.Click(id=1), LIST),
        step(2, a.Type(id=1, text="lab-1"), FORM),
        step(3, a.Click(id=2), FORM),
        step(4, a.Wait(text="lab-1"), LIST),
        step(5, a.Extract(), DONE),
        step(6, a.TaskComplete(), DONE),
    ) == [
        Schema.GOAL,
        Schema.OBSERVATION,
        Schema.OBSERVATION,
        Schema.VERIFICATION,
        Schema.VERIFICATION,
        Schema.TERMINATION,
    ]


def test_a_look_before_the_last_change_is_an_ordinary_step() -> None:
    assert kinds(
        step(1, a.Click(id=1), LIST),
        step(2, a.Scroll(dy=400), FORM),
        step(3, a.Click(id=2), FORM),
        step(4, a.TaskComplete(), DONE),
    )[1] is Schema.OBSERVATION  # fmt: skip


def test_the_end_of_a_substep_is_verified_and_that_of_the_last_one_ends_the_walk() -> None:
    third, fourth = (
        replace(one, substep="2", substep_index=1)
        for one in (step(3, a.Click(id=2), FORM), step(4, a.SubStepComplete(), DONE))
    )
    assert kinds(
        step(1, a.Click(id=1), LIST),
        step(2, a.SubStepComplete(), FORM),
        third,
        fourth,
        substeps=2,
    ) == [Schema.GOAL, Schema.VERIFICATION, Schema.OBSERVATION, Schema.TERMINATION]


def test_a_walk_that_only_reads_has_nothing_to_verify_by_looking() -> None:
    assert kinds(
        step(1, a.Extract(), LIST),
        step(2, a.Scroll(dy=400), LIST),
        step(3, a.TaskComplete(), LIST),
    ) == [Schema.GOAL, Schema.OBSERVATION, Schema.TERMINATION]


def test_a_refusal_is_an_ending_also_as_the_first_step() -> None:
    assert kinds(step(1, a.TaskUnachievable(reason="no such page"), LIST)) == [Schema.TERMINATION]


def test_an_answer_that_could_not_be_read_is_not_where_the_walk_begins() -> None:
    found = kinds(
        step(1, None, LIST, ok=False, result="no action"),
        step(2, a.Click(id=1), LIST),
        step(3, None, FORM, ok=False, result="no action"),
        step(4, a.Click(id=2), FORM),
    )
    assert found[1] is Schema.GOAL
    assert found[3] is Schema.OBSERVATION, "nothing was done at the step before"


def test_what_follows_a_failed_step_reflects_on_its_result() -> None:
    _, second = schemata(
        step(1, a.Click(id=1), LIST, ok=False, result="the button is greyed out"),
        step(2, a.Click(id=2), LIST),
    )
    assert second == StepSchema(schema=Schema.REFLECTION, cause="the button is greyed out")


def test_what_follows_a_step_of_no_use_reflects_on_why_it_was_none() -> None:
    useless = Verdict(rule=StepRule.DETOUR, why="the page was returned to without a trace")
    _, _, third = schemata(
        step(1, a.Click(id=1), LIST),
        step(2, a.Press(key="Escape"), FORM),
        step(3, a.Click(id=2), LIST),
        _2=useless,
    )
    assert third == StepSchema(schema=Schema.REFLECTION, cause=useless.why)


def test_what_follows_an_error_of_the_page_reflects_on_its_words() -> None:
    told = replace(FORM, alerts=("The name is invalid.",))
    marked = page(
        "form",
        element(1, "Name", "textbox", states=frozenset({State.INVALID})),
        element(2, "OK"),
    )
    for now, cause in (
        (told, "the page says: The name is invalid."),
        (marked, 'the page does not accept textbox "Name"'),
    ):
        walk = schemata(
            step(1, a.Click(id=1), LIST),
            step(2, a.Click(id=2), FORM),
            step(3, a.Type(id=1, text="lab-2"), now),
            step(4, a.Click(id=2), now),
        )
        assert walk[2] == StepSchema(schema=Schema.REFLECTION, cause=cause)
        assert walk[3].schema is Schema.OBSERVATION, "an error that was there is no news"


def test_a_failure_before_the_end_does_not_hide_the_end() -> None:
    assert kinds(
        step(1, a.Click(id=1), LIST, ok=False, result="gone"),
        step(2, a.TaskUnachievable(reason="there is no such button"), LIST),
    ) == [Schema.GOAL, Schema.TERMINATION]


def test_what_a_dialog_warns_of_as_it_opens_is_no_error() -> None:
    warning = ("A deleted user cannot be recovered.",)
    asking = replace(page("list", element(1, "OK")), modal="Delete User", alerts=warning)
    refused = replace(asking, alerts=(*warning, "The user cannot be deleted."))
    found = schemata(
        step(1, a.Click(id=1), LIST),
        step(2, a.Click(id=2), LIST),
        step(3, a.Click(id=1), asking),
        step(4, a.Click(id=1), refused),
    )
    assert found[2].schema is Schema.OBSERVATION
    assert found[3].cause == "the page says: The user cannot be deleted."
