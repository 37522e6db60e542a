"""What counts as growing (`benchmarks.soak.slopes`)."""

from __future__ import annotations

from benchmarks.soak.slopes import Look, slopes


def looks(*sizes: float) -> list[Look]:
    return [Look(jobs=50 * number, sizes={"mb": size}) for number, size in enumerate(sizes, 1)]


def test_a_steady_growth_is_told_per_thousand_jobs() -> None:
    assert slopes(looks(*(100.0 + number for number in range(20)))) == {"mb": 20.0}


def test_the_beginning_and_an_outlier_do_not_move_it() -> None:
    level = [20.0, 60.0, 100.0, *[100.0] * 8, 900.0, *[100.0] * 4]
    assert slopes(looks(*level)) == {"mb": 0.0}


def test_one_look_tells_nothing() -> None:
    assert slopes(looks(100.0)) == {}
