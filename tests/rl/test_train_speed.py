"""`make bench-train` times equal work alone."""

from __future__ import annotations

import math

import pytest

from benchmarks.training.__main__ import AGREED, Cell, refuse_other_work


def cell(precision: str) -> Cell:
    return Cell(method="sft", shape="ragged", precision=precision, passes=1)


@pytest.mark.parametrize("precision", sorted(AGREED))
def test_a_side_whose_first_gradient_is_another_fails_the_comparison(precision: str) -> None:
    within, *beyond = (
        8.0 * (1 + 0.9 * AGREED[precision]),
        8.0 * (1 - 1.1 * AGREED[precision]),
        math.nan,
    )
    refuse_other_work(cell(precision), {"ours": {"grad_norm": 8.0}, "trl": {"grad_norm": within}})
    for norm in beyond:
        with pytest.raises(RuntimeError, match="trl_as_shipped has a gradient norm"):
            refuse_other_work(
                cell(precision), {"ours": {"grad_norm": 8.0}, "trl_as_shipped": {"grad_norm": norm}}
            )
