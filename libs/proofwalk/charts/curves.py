"""Curves: one quantity over steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from proofwalk.charts.drawing import BLUE, Chart, inline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZE = 520, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 12, 10, 24
_MOST_POINTS = 800
"""A curve is thinned to about so many: more cannot be seen."""
_DOTS = 40
"""So few points are drawn as dots, too."""


def curve(title: str, points: Sequence[tuple[int, float]], *, note: str = "") -> Chart | None:
    """A line that is broken where a value is not finite. None when there is nothing to
    show."""
    finite = [value for _, value in points if math.isfinite(value)]
    if not finite:
        return None
    shown = points[:: max(1, len(points) // _MOST_POINTS)]
    if shown[-1] != points[-1]:
        shown = [*shown, points[-1]]
    low, high = min(finite), max(finite)
    if high == low:
        low, high = low - (abs(low) * 0.1 or 0.5), high + (abs(high) * 0.1 or 0.5)
    first, last = points[0][0], points[-1][0]

    def draw(figure: Figure) -> None:
        wide, tall = _SIZE
        axes = figure.add_axes(
            (
                _LEFT / wide,
                _BOTTOM / tall,
                (wide - _LEFT - _RIGHT) / wide,
                (tall - _TOP - _BOTTOM) / tall,
            )
        )
        axes.plot(
            [step for step, _ in shown],
            [value if math.isfinite(value) else math.nan for _, value in shown],
            color=BLUE,
            linewidth=1.5,
            marker="o" if len(shown) <= _DOTS else "",
            markersize=5,
            clip_on=False,
        )
        axes.set_xlim(first, max(last, first + 1))
        axes.set_ylim(low, high)
        axes.set_xticks(list(dict.fromkeys((first, last))))
        levels = (low, (low + high) / 2, high)
        axes.set_yticks(levels, [f"{level:.3g}" for level in levels])
        axes.grid(axis="y")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    return Chart(title=title, note=note, last=f"{finite[-1]:.4g}", svg=inline(title, _SIZE, draw))
