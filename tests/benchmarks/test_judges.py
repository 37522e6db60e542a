"""What a consensus should come to, trajectories with a known truth, and a small run
through the real panel."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.judges.__main__ import of_arm
from benchmarks.judges.court import judge_all
from benchmarks.judges.erring import FAMILIES, RATES, Draws
from benchmarks.judges.theory import Rates, expected, together
from benchmarks.judges.trajectories import Kind, Labelled, labelled
from proofwalk.suites.storage import load_suite

ROOT = Path(__file__).parents[2]
SEED = 7


@pytest.fixture(scope="module")
def some() -> Labelled:
    tasks = load_suite(ROOT / "suites" / "console-278").tasks
    return labelled(tasks, of_each=4, seed=SEED)


@pytest.mark.parametrize(("p", "q"), [(0.1, 0.1), (0.3, 0.05), (0.0, 0.4)])
def test_the_theory_is_what_all_cases_come_to(p: float, q: float) -> None:
    chances = {
        (one, two): (p if one else 1 - p) * (q if two else 1 - q)
        for one, two in itertools.product((True, False), repeat=2)
    }
    found = expected(Rates(first=p, second=q), 50)
    told = chances[True, True] + chances[False, False]
    assert found.ensemble_error == pytest.approx(chances[True, True] / told)
    assert found.excluded == pytest.approx(1 - told)


def test_judges_that_always_go_by_one_draw_are_worth_one() -> None:
    found = expected(Rates(first=0.2, second=0.2), 10, shared=1.0)
    assert found.ensemble_error == pytest.approx(0.2)
    assert found.excluded == pytest.approx(0)


def test_classes_count_by_their_trajectories() -> None:
    good = expected(Rates(first=0.0, second=0.0), 30)
    split = expected(Rates(first=0.0, second=1.0), 10)
    assert together([good, split]).excluded == pytest.approx(0.25)


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
def test_each_judge_keeps_its_rate_however_alike_they_err(some: Labelled, shared: float) -> None:
    one = next(each for each in some.trajectories if each.kind is Kind.INJECTED_TEXT)
    tries = 4000
    draws = [Draws(seed=seed, shared=shared) for seed in range(tries)]
    rates = RATES[Kind.INJECTED_TEXT]
    wrong = {
        family: sum(draw.is_wrong(family, one) for draw in draws) / tries for family in FAMILIES
    }
    assert wrong["first"] == pytest.approx(rates.first, abs=0.03)
    assert wrong["second"] == pytest.approx(rates.second, abs=0.03)
    both = sum(all(draw.is_wrong(family, one) for family in FAMILIES) for draw in draws) / tries
    assert both == pytest.approx(expected(rates, 1, shared=shared).wrong, abs=0.03)


def test_every_class_is_there_and_its_label_is_the_rules(some: Labelled) -> None:
    assert some.not_confirmed == 0
    assert Counter(one.kind for one in some.trajectories) == dict.fromkeys(Kind, 4)
    assert all(one.succeeded == (one.kind is Kind.SUCCESS) for one in some.trajectories)
    assert len({one.id for one in some.trajectories}) == len(some.trajectories)
    for one in some.trajectories:
        one.walk.check()
        assert one.kind.value not in one.walk.console, "a question does not tell the class"
    again = labelled(load_suite(ROOT / "suites" / "console-278").tasks, of_each=4, seed=SEED)
    assert [one.id for one in again.trajectories] == [one.id for one in some.trajectories]


async def test_the_panel_tells_what_both_say_and_excludes_the_rest(
    some: Labelled, tmp_path: Path
) -> None:
    draws = Draws(seed=SEED, shared=0.0)
    rows = await judge_all(some.trajectories, draws, tmp_path)
    assert len(rows) == len(some.trajectories)
    for row in rows:
        one = row.trajectory
        wrong = [draws.is_wrong(family, one) for family in FAMILIES]
        expected_told = None if wrong[0] != wrong[1] else one.succeeded is not wrong[0]
        assert row.succeeded is expected_told
    figures = of_arm(rows, shared=0.0)
    excluded = sum(row.succeeded is None for row in rows)
    assert (figures["n"], figures["excluded"]["count"]) == (len(rows), excluded)
    assert sum(part["n"] for part in figures["classes"].values()) == len(rows)
