"""What is dropped, by which rule, and what no rule may touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proofwalk.console import actions as a
from proofwalk.console.observation import State
from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.filters import episode_rule, step_rules
from proofwalk.datasets.opinions import Opinion, with_judge
from proofwalk.datasets.verdicts import EpisodeRule, StepRule
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.suites.counting.rows import Found
from proofwalk.suites.model import Defect
from proofwalk.suites.writing.planted import FINDINGS
from proofwalk.trajectories.records import StepRecord
from tests.datasets.kit import MOMENT, collect, element, opened, page, row_for, step, task_of

MENU = element(1, "Storage", "option", states=frozenset({State.COLLAPSED}))
NAME = element(2, "Name", "textbox")
SAVE = element(3, "Save")
HOME = page("home", MENU, NAME, SAVE)
OPEN = page("home", opened(MENU), NAME, SAVE, element(4, "Disks", "option"))
NAMED = page("home", MENU, replace(NAME, value="a"), SAVE)
DONE = page("done", element(1, "Back", "link"))
END = a.TaskComplete()


def rules(*steps: StepRecord, writes: Sequence[int] | None = None) -> list[StepRule | None]:
    moments = (
        None
        if writes is None
        else [MOMENT + timedelta(seconds=second, milliseconds=500) for second in writes]
    )
    return [verdict.rule for verdict in step_rules(steps, writes=moments)]


def test_a_plain_walk_is_kept_whole() -> None:
    found = rules(
        step(1, a.Type(id=2, text="a"), HOME), step(2, a.Click(id=3), NAMED), step(3, END, DONE)
    )
    assert found == [None, None, None]


def test_each_kind_of_useless_step_has_its_rule() -> None:
    failed = step(2, a.Click(id=3), HOME, ok=False, result="Save is disabled")
    found = step_rules(
        [
            step(1, None, HOME, ok=False),
            failed,
            step(3, a.Click(id=3), HOME),
            step(4, END, HOME),
            step(5, END, None),
        ]
    )
    assert [one.rule for one in found] == [
        StepRule.UNREADABLE,
        StepRule.FAILED,
        StepRule.INEFFECTIVE,
        None,
        StepRule.UNSEEN,
    ]
    assert found[1].why == "Save is disabled"
    assert all(one.why for one in found if one.rule is not None)


def test_a_call_of_a_function_is_no_sample_since_no_question_tells_of_it() -> None:
    call = step(1, a.CallApi(name="save_all"), HOME)
    assert rules(call, step(2, END, DONE)) == [StepRule.CALL, None]


def test_reading_is_worth_something_although_nothing_changes() -> None:
    for action in (
        a.ListOptions(id=2),
        a.Extract(),
        a.Note(text="the id is i-1"),
        a.Provision(need="a disk"),
    ):
        assert rules(step(1, action, HOME), step(2, END, HOME)) == [None, None]
    assert rules(step(1, a.Wait(), HOME), step(2, END, HOME)) == [StepRule.INEFFECTIVE, None]
    assert rules(step(1, a.Wait(), replace(HOME, quiet=False)), step(2, END, HOME)) == [None, None]


def test_the_focus_is_an_effect_for_a_field_and_none_for_a_button() -> None:
    def focused(mark: int) -> StepRecord:
        elements = [
            replace(one, states=one.states | {State.FOCUSED}) if one.mark == mark else one
            for one in HOME.elements
        ]
        return step(2, END, replace(HOME, elements=tuple(elements)))

    assert rules(step(1, a.Click(id=2), HOME), focused(2)) == [None, None]
    assert rules(step(1, a.Click(id=3), HOME), focused(3)) == [StepRule.INEFFECTIVE, None]


def test_a_detour_is_dropped_unless_it_left_a_trace_in_the_log() -> None:
    there = step(1, a.Click(id=1), HOME)
    back = step(2, a.Click(id=1), OPEN)
    rest = [
        step(3, a.Type(id=2, text="a"), HOME),
        step(4, a.Click(id=3), NAMED),
        step(5, END, DONE),
    ]
    detour = [StepRule.DETOUR, StepRule.DETOUR, None, None, None]
    assert rules(there, back, *rest) == detour
    assert rules(there, back, *rest, writes=[4]) == detour
    assert rules(there, back, *rest, writes=[1]) == [None, StepRule.DETOUR, None, None, None]


def test_what_was_set_unseen_counts_as_set() -> None:
    secret = replace(NAME, input_type="password")
    form = page(
        "form",
        secret,
        element(5, "Size", "combobox"),
        element(6, "Agree", "checkbox", states=frozenset({State.CHECKED})),
    )
    size = page("form", *form.elements, element(7, "Large", "option", container="Size"))
    end = step(9, END, form)
    assert rules(step(1, a.Type(id=2, text="<secret:password>"), form), end) == [None, None]
    assert rules(step(1, a.Select(id=5, option="Large"), form), end) == [None, None]
    assert rules(step(1, a.Click(id=5), form), step(2, a.Click(id=7), size), end) == [
        None,
        None,
        None,
    ], "the list does not say what it stands at"
    assert rules(step(1, a.Click(id=5), form), step(2, a.Press(key="Escape"), size), end) == [
        StepRule.DETOUR
    ] * 2 + [None]
    assert rules(step(1, a.SetChecked(id=6, checked=True), form), end) == [
        StepRule.INEFFECTIVE,
        None,
    ]
    assert rules(step(1, a.SetChecked(id=6, checked=False), form), end) == [None, None]
    named = page("form", replace(NAME, value="a"))
    assert rules(step(1, a.Type(id=2, text="a"), named), step(2, END, named)) == [
        StepRule.INEFFECTIVE,
        None,
    ]


def test_waiting_is_learned_once_and_only_where_something_came_of_it() -> None:
    def wait(number: int, text: str = "Running", *, ok: bool = False) -> StepRecord:
        return step(number, a.Wait(text=text), HOME, ok=ok)

    failed = step(3, a.Click(id=3), HOME, ok=False)
    again = in_vain = StepRule.INEFFECTIVE
    found = rules(wait(1), wait(2), failed, wait(4), wait(5, "Stopped"), step(6, END, HOME))
    assert found == [in_vain, again, StepRule.FAILED, again, in_vain, None]
    assert rules(wait(1), wait(2), step(3, END, DONE)) == [None, again, None]
    assert rules(wait(1), wait(2), step(3, a.Wait(text="Running"), HOME), step(4, END, DONE)) == [
        None,
        again,
        None,
        None,
    ]


def test_a_wait_inside_a_detour_goes_with_it() -> None:
    busy = replace(OPEN, quiet=False)
    walk = [
        step(1, a.Click(id=1), HOME),
        step(2, a.Wait(), busy),
        step(3, a.Click(id=1), OPEN),
        step(4, a.Click(id=3), HOME),
    ]
    assert rules(*walk, step(5, END, DONE)) == [StepRule.DETOUR] * 3 + [None, None]


def test_looking_is_vain_when_what_comes_next_was_there_before() -> None:
    below = replace(HOME, scroll=(0, 300, 1440, 900))
    assert (
        rules(step(1, a.Scroll(dy=300), HOME), step(2, a.Click(id=3), below), step(3, END, DONE))[0]
        is StepRule.VAIN_LOOK
    )
    fresh = replace(below, elements=(*HOME.elements, element(9, "Delete")))
    assert (
        rules(step(1, a.Scroll(dy=300), HOME), step(2, a.Click(id=9), fresh), step(3, END, DONE))[0]
        is None
    )


def test_an_interruption_that_was_answered_is_learned() -> None:
    banner = element(9, "Accept", container="We use cookies")
    over = replace(HOME, elements=(*HOME.elements, banner), modal="We use cookies")
    assert rules(
        step(1, a.Click(id=9), over), step(2, a.Click(id=3), HOME), step(3, END, DONE)
    ) == [None, None, None]


PAGES = [
    HOME,
    OPEN,
    NAMED,
    DONE,
    page("list", element(1, "Row", row="a | b"), element(2, "Next", "link")),
]
ACTIONS = st.sampled_from(
    [
        a.Click(id=1), a.Click(id=3), a.Type(id=2, text="a"), a.GoTo(url="http://console.test/home"), a.Wait(), a.Scroll(dy=100),
        a.ListOptions(id=2), a.SubStepComplete(), a.Press(key="Escape"), None,
    ]
)  # fmt: skip
STEPS = st.lists(
    st.tuples(ACTIONS, st.sampled_from(PAGES), st.booleans(), st.integers(0, 1)),
    min_size=1,
    max_size=12,
)


def walk_of(drawn: Sequence[tuple[a.Action | None, object, bool, int]]) -> list[StepRecord]:
    index, made = 0, []
    for number, (action, seen, ok, more) in enumerate(drawn, start=1):
        made.append(
            step(
                number * 10,
                action,
                seen,  # type: ignore[arg-type]
                ok=ok or action is None,
                substep_index=index,
                substep=str(index + 1),
            )
        )
        index += more
    return made


@settings(max_examples=80, deadline=None)
@given(STEPS)
def test_every_drop_is_named_and_what_failed_always_goes(
    drawn: list[tuple[a.Action | None, object, bool, int]],
) -> None:
    steps = walk_of(drawn)
    found = step_rules(steps)
    assert len(found) == len(steps)
    for one, verdict, (action, *_) in zip(steps, found, drawn, strict=True):
        if action is None:
            assert verdict.rule is StepRule.UNREADABLE
        elif not one.ok and not isinstance(action, a.Wait):
            assert verdict.rule is StepRule.FAILED
        elif isinstance(action, a.SubStepComplete | a.ListOptions):
            assert verdict.rule is not StepRule.INEFFECTIVE
        if isinstance(action, a.SubStepComplete) and one.ok:
            assert verdict.rule is None


@settings(max_examples=80, deadline=None)
@given(STEPS, st.integers(0, 12))
@example([(a.Wait(seconds=10), PAGES[0], False, 0), (a.Wait(seconds=10), PAGES[0], True, 0)], 1)
def test_a_step_that_failed_says_nothing_about_the_others(
    drawn: list[tuple[a.Action | None, object, bool, int]], where: int
) -> None:
    steps = walk_of(drawn)
    at = min(where, len(steps) - 1)
    # It fails on the page that the next step sees, in its sub-step.
    failed = replace(
        step(steps[at].step - 5, a.Click(id=3), steps[at].observation, ok=False),
        substep_index=steps[at].substep_index,
    )
    found = rules(*steps[:at], failed, *steps[at:])
    assert found[at] is StepRule.FAILED
    assert found[:at] + found[at + 1 :] == rules(*steps)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_a_step_that_wrote_is_never_a_detour(
    drawn: list[tuple[a.Action | None, object, bool, int]],
) -> None:
    steps = walk_of(drawn)
    for verdict in step_rules(steps, writes=[one.started_at for one in steps]):
        assert (
            verdict.rule not in (StepRule.DETOUR, StepRule.VAIN_LOOK)
            or verdict.why == "it waited inside of a detour"
        )


# episodes


async def test_only_successes_and_true_inconsistencies_are_kept(tmp_path: Path) -> None:
    task = task_of()
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task)

    def ended(outcome: str, expected: Defect | None = None, **more: Any) -> EpisodeRule | None:
        row = row_for(task, outcome, **more)
        return episode_rule(
            replace(
                episode,
                notes=replace(episode.notes, row=row),
                task=replace(task, expected=expected),
            )
        )

    planted = Defect(kind="rename", sentence="Find the instance and click Stop.", line=5)
    right, elsewhere = (
        Found(kind="renamed", line=6, sentence="x"),
        Found(kind="renamed", line=5, sentence="other words"),
    )
    assert ended("verified") is None
    assert ended("verified", planted) is EpisodeRule.MISSED_DEFECT
    assert ended("agent_failure") is EpisodeRule.AGENT_FAILURE
    for outcome in ("env_failure", "judge_split", "cancelled", "refused"):
        assert ended(outcome) is EpisodeRule.UNTOLD
    assert ended("doc_defect", finding=right) is EpisodeRule.FALSE_REPORT
    assert ended("doc_defect", planted, finding=elsewhere) is EpisodeRule.WRONG_SENTENCE
    assert (
        ended("doc_defect", planted, finding=replace(right, kind="no such kind"))
        is EpisodeRule.WRONG_SENTENCE
    )
    assert (
        episode_rule(replace(episode, ending=replace(episode.ending, complete=False)))
        is EpisodeRule.BROKEN_OFF
    )
    assert (
        episode_rule(replace(episode, notes=replace(episode.notes, binds=None)))
        is EpisodeRule.UNPREPARED
    )


async def test_a_report_of_the_planted_sentence_is_kept(tmp_path: Path) -> None:
    planted, kinds = next(iter(FINDINGS.items()))
    task = task_of(
        expected=Defect(kind=str(planted), sentence="Find the instance and click Stop.", line=5)
    )
    finding = Finding(
        file="f",
        line=5,
        sentence="Find the instance and click Stop.",
        kind=FindingKind(sorted(kinds)[0]),
        message="m",
    )
    episode = await collect(
        Collection(tmp_path / "c"), tmp_path, task, outcome="doc_defect", finding=finding
    )
    assert episode.notes.row.finding == Found(
        kind=finding.kind.value, line=5, sentence=finding.sentence
    )
    assert episode_rule(episode) is None


class Strict:
    """Finds one step useless, and fails where it is told to."""

    def __init__(self, useless: int, *, away: bool = False) -> None:
        self.useless, self.away = useless, away
        self.asked: list[int] = []

    async def judge(self, episode: Episode, at: int) -> Opinion:
        self.asked.append(at)
        if self.away:
            raise unavailable("model.unavailable", "no answer")
        return Opinion(useful=at != self.useless, why="it looked around")


async def test_a_judge_is_asked_about_what_rules_kept_and_an_absent_one_drops_nothing(
    tmp_path: Path,
) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    verdicts = step_rules(episode.steps)
    asked = [
        at
        for at, one in enumerate(episode.steps)
        if "complete" not in one.action and verdicts[at].rule is None
    ]
    judge = Strict(asked[0])
    judged = await with_judge(episode, verdicts, judge)
    assert judge.asked == asked
    assert (judged[asked[0]].rule, judged[asked[0]].why) == (StepRule.JUDGED, "it looked around")
    assert [one for at, one in enumerate(judged) if at != asked[0]] == [
        one for at, one in enumerate(verdicts) if at != asked[0]
    ]
    with pytest.raises(ProofwalkError):
        await with_judge(episode, verdicts, Strict(0, away=True))
