"""The figures of runs: what counts, what does not, and what is reported apart."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.verification import VerificationBody
from proofwalk.suites.counting.comparison import compare
from proofwalk.suites.counting.results import (
    drift_figures_of,
    figures_of,
    names_sentence,
    read_result,
)
from proofwalk.suites.counting.rows import Found, Row, read_row, row_json, row_of
from proofwalk.suites.model import Defect, Difficulty, Scenario, Task


def row(task: str, run: int, outcome: str = "verified", **more: Any) -> Row:
    fields: dict[str, Any] = {
        "policy": "literal",
        "product": "ecs",
        "difficulty": "standard",
        "language": "en",
        "digest": "d",
        "steps": 4,
    }
    return Row(task=task, run=run, outcome=outcome, **{**fields, **more})


def task(name: str, defect: Defect | None = None) -> Task:
    return Task(
        id=name,
        suite="s",
        family=name,
        product="ecs",
        difficulty=Difficulty.STANDARD,
        document_name=f"{name}.md",
        media_type="text/markdown",
        document="1. Click **Stop**.",
        meta_yaml="",
        rule_yaml="",
        script_yaml="- []",
        expected=defect,
    )


ROWS = [
    row("a", 1),
    row("a", 2),
    row("a", 3, "agent_failure", code="walk.gave_up"),
    row(
        "b",
        1,
        "doc_defect",
        finding=Found(kind="renamed", line=3, sentence="x"),
        difficulty="hard",
        product="rds",
        language="zh",
    ),
    row(
        "b",
        2,
        "agent_failure",
        code="reward.denied",
        difficulty="hard",
        product="rds",
        language="zh",
    ),
    row(
        "b",
        3,
        "env_failure",
        cause="quota",
        difficulty="hard",
        product="rds",
        language="zh",
        retried=3,
    ),
]


def test_pass_rates_leave_out_what_the_environment_failed() -> None:
    figures = figures_of(ROWS, k=3)
    # run 1: 1 of 2, run 2: 1 of 2, run 3: 0 of 1
    assert figures["pass1_mean"] == pytest.approx((0.5 + 0.5 + 0) / 3, abs=1e-4)
    assert figures["pass1_std"] == pytest.approx(0.2887, abs=1e-4)
    assert figures["pass3"] == 1.0  # only `a` has three runs that say something
    assert figures["runs"] == 5
    assert figures["environment"] == {
        "runs_lost": 1,
        "retries": 3,
        "causes": {"env_failure: quota": 1},
    }


def test_slices_and_classes_of_failure() -> None:
    figures = figures_of(ROWS, k=3)
    assert figures["standard"]["pass1"] == pytest.approx(0.6667)
    assert (figures["hard"]["pass1"], figures["hard"]["pass3"], figures["hard"]["tasks"]) == (
        0.0,
        None,
        1,
    )
    assert list(figures["by_product"]) == ["ecs", "rds"]
    assert figures["by_language"]["zh"]["pass1"] == 0.0
    assert figures["failures"] == {
        "agent_failure: walk.gave_up": 1,
        "doc_defect: renamed": 1,
        "agent_failure: reward.denied": 1,
    }


def test_what_proves_nothing_is_counted_apart_and_is_no_success_either() -> None:
    once = Found(kind="missing", line=3, sentence="x")
    more = [
        row("c", 1, "unproven", code="walk.not_understood"),
        row("c", 2, "suspected", finding=once, second_sighting=12.5),
        row("d", 1, "doc_defect", finding=once, second_sighting=20.0),
        row("d", 2, "verified", evidence="page"),
    ]
    figures = figures_of([*ROWS, *more], k=3)
    assert figures["runs"] == 6, "the defect counts, the others do not"
    assert figures["unproven"] == {"runs": 1, "causes": {"unproven: walk.not_understood": 1}}
    assert figures["suspected"] == {"runs": 1, "causes": {"suspected: missing": 1}}
    assert figures["environment"]["runs_lost"] == 1
    assert figures["second_sighting"]["max"] == 20.0
    # Of the runs that ended, 5 + 4, three were verified, one of them on the page alone,
    # which pass@1 does not count; of the English ones, 3 + 4, one blamed a faithful
    # document.
    assert figures["pass1_of_all_ended"] == pytest.approx(3 / 9, abs=1e-4)
    assert (figures["false_alarms"]["hits"], figures["false_alarms"]["of"]) == (1, 7)


def test_false_alarms_are_counted_over_english_runs_that_the_environment_did_not_fail() -> None:
    alarm = found()
    rows = [
        *(row(f"t{n}", 1) for n in range(7)),
        row("wrongly", 1, "doc_defect", finding=alarm),
        row("wrongly", 2, "doc_defect", finding=alarm),
        row("gave-up", 1, "agent_failure"),
        row("lost", 1, "env_failure", cause="quota"),
        row("unproven", 1, "unproven", code="walk.unproven"),
        row("chinese", 1, "doc_defect", finding=alarm, language="zh"),
    ]
    assert figures_of(rows, k=1)["false_alarms"] == {
        "value": 0.1818,
        "low": 0.0514,
        "high": 0.477,
        "of": 11,
        "hits": 2,
    }


def test_no_false_alarm_still_has_an_upper_bound() -> None:
    figures = figures_of([row(f"t{n}", 1) for n in range(100)], k=1)
    assert (figures["false_alarms"]["value"], figures["false_alarms"]["low"]) == (0.0, 0.0)
    assert 0.03 < figures["false_alarms"]["high"] < 0.04


def test_suspicions_are_counted_apart_from_alarms() -> None:
    figures = figures_of([row("a", 1), row("b", 1, "suspected", finding=found())], k=1)
    assert figures["suspected"] == {"runs": 1, "causes": {"suspected: renamed": 1}}
    assert figures["false_alarms"]["hits"] == 0


def test_nothing_told_has_no_rate() -> None:
    figures = figures_of([row("a", 1, "env_failure", cause="sandbox")], k=1)
    assert (figures["pass1_mean"], figures["pass1"], figures["runs"]) == (None, None, 0)


WRONG = Defect(kind="renamed", sentence="Click **Stop** in the **Actions** column.", line=12)


def found(kind: str = "renamed", line: int = 12, sentence: str = "other") -> Found:
    return Found(kind=kind, line=line, sentence=sentence)


def test_drift_figures() -> None:
    tasks = {
        one.id: one
        for one in (
            task("good1"),
            task("good2"),
            task("bad1", WRONG),
            task("bad2", WRONG),
            task("bad3", WRONG),
        )
    }
    rows = [
        row("good1", 1),
        row("good2", 1, "doc_defect", finding=found()),
        row("bad1", 1, "doc_defect", finding=found()),
        row("bad2", 1, "doc_defect", finding=found(kind="missing", line=3)),
        row("bad3", 1, "agent_failure", code="walk.gave_up"),
    ]
    figures = drift_figures_of(rows, tasks)
    assert (figures["precision"]["hits"], figures["precision"]["of"]) == (2, 3)
    assert (figures["recall"]["hits"], figures["recall"]["of"]) == (2, 3)
    assert (figures["right_sentence"]["hits"], figures["right_sentence"]["of"]) == (1, 2)
    assert (
        figures["precision"]["low"] < figures["precision"]["value"] < figures["precision"]["high"]
    )
    assert figures["by_kind"]["renamed"]["recall"]["of"] == 3
    assert figures["by_kind"]["renamed"]["right_kind"]["hits"] == 1
    assert figures["faithful"] == {"false_reports": 1, "verified": 1, "runs": 2}


def test_what_was_noted_on_the_way_is_a_report_and_the_walk_may_pass_all_the_same() -> None:
    tasks = {
        "a": task("a", Defect(kind="moved", line=12, sentence="Choose X > Y.")),
        "b": task("b"),
    }
    moved = found("moved", 12)
    rows = [row("a", 1, noted=(moved,)), row("b", 1, noted=(moved,))]
    assert [one.passed for one in rows] == [True, True]
    figures = drift_figures_of(rows, tasks)
    assert (figures["recall"]["hits"], figures["right_sentence"]["hits"]) == (1, 1)
    assert (figures["precision"]["hits"], figures["precision"]["of"]) == (1, 2)
    assert figures["faithful"] == {"false_reports": 1, "verified": 1, "runs": 1}
    assert read_row(row_json(rows[0])) == rows[0]


@pytest.mark.parametrize(
    ("report", "right"),
    [
        (found(line=12), True),
        (found(line=2, sentence="Click Stop in the Actions column"), True),
        (found(line=2, sentence="Click Start in the Actions column."), False),
        (found(line=2, sentence=""), False),
    ],
)
def test_a_report_names_the_sentence_by_its_line_or_its_words(report: Found, right: bool) -> None:
    assert names_sentence(row("bad", 1, "doc_defect", finding=report), task("bad", WRONG)) is right


def test_rows_survive_json_and_damaged_results_are_refused() -> None:
    for one in ROWS:
        assert read_row(row_json(one)) == one
    with pytest.raises(ProofwalkError) as caught:
        read_result('{"rows": [{"nonsense": 1}]}', name="x.json")
    assert caught.value.code == "bench.bad_result"


def test_the_row_of_a_verification() -> None:
    verification: VerificationBody = {
        "verdict": {
            "outcome": "doc_defect",
            "cause": "",
            "code": "",
            "reason": "no Stop",
            "seconds": 3.5,
            "cost": 0.0,
            "finding": {"kind": "missing", "line": 7, "sentence": "Click Stop.", "file": "a.md"},
        },
        "episodes": [{"steps": 9}, {"steps": 5}],
    }
    made = row_of(task("a"), run=2, policy="literal", verification=verification, retried=1)
    assert (made.failure, made.steps, made.retried) == ("doc_defect: missing", 5, 1)
    assert made.finding == Found(kind="missing", line=7, sentence="Click Stop.")
    assert made.told
    assert not made.passed


def test_two_results_are_compared_by_their_shared_tasks() -> None:
    a = [row(f"t{n}", run, "agent_failure") for n in range(10) for run in (1, 2)] + [
        row("only-a", 1)
    ]
    b = [
        row(f"t{n}", run, "verified" if n < 5 else "agent_failure")
        for n in range(10)
        for run in (1, 2)
    ]
    b += [row("t0", 1, digest="changed"), row("t9", 3, "env_failure", cause="quota")]
    seen = compare(a, b, chance=Random(1), resamples=500)
    assert (seen.tasks, seen.left_out, seen.pass1_a, seen.pass1_b) == (10, 1, 0.0, 0.5)
    assert seen.difference.value == 0.5
    assert 0 < seen.difference.low < 0.5 < seen.difference.high < 1
    assert seen.difference.p < 0.02
    assert seen.better == tuple(f"t{n}" for n in range(5))
    assert seen.worse == ()
    with pytest.raises(ValueError, match="no task"):
        compare(a, [row("elsewhere", 1)], chance=Random(1))


def test_whether_the_goal_was_reached_is_apart_from_what_is_wrong_with_the_document() -> None:
    renamed = found()
    rows = [
        row("a", 1, goal="yes"),
        row("moved", 1, "doc_defect", finding=renamed, goal="yes", changed=True),
        row("elsewhere", 1, noted=(renamed,), goal="yes", changed=True),
        row("blamed", 1, "doc_defect", finding=renamed, goal="no"),
        row("lost", 1, "env_failure", cause="quota", goal="yes"),
    ]
    figures = figures_of(rows, k=1)
    assert figures["goal_reached"] == 0.75
    assert figures["pass1_of_all_ended"] == 0.5
    assert figures["told_of_changed_consoles"] == {
        "changed": {"runs": 2, "of": 2},
        "unchanged": {"runs": 1, "of": 2},
    }


def test_a_row_says_whether_its_console_was_changed() -> None:
    verification: VerificationBody = {"verdict": {"outcome": "verified", "goal": "yes"}}
    changed = replace(
        task("t"), scenario=Scenario(patches=({"at": "slb/menu/acls", "set": {"label": "Lists"}},))
    )
    made = [
        row_of(one, run=1, policy="literal", verification=verification, retried=0)
        for one in (task("t"), changed)
    ]
    assert [(one.goal, one.changed) for one in made] == [("yes", False), ("yes", True)]
    assert [read_row(row_json(one)) for one in made] == made
