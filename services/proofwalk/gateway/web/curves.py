"""Curves over steps, as what an SVG of a template needs: points, bounds, words.

Pictures of the `charts` extra have inline styles, which the console's policy refuses,
and one set of colours. These have presentation attributes and the page's own colours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 480, 120
_MARGIN = 4
_MOST_POINTS = 400
"""A curve is thinned to about so many: more cannot be seen."""

Point = tuple[int, float]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One measured quantity over the steps of a run."""

    name: str
    lines: Sequence[str]
    """`points` of SVG polylines; a new line begins behind a value that is not
    finite."""
    low: float
    high: float
    first: int
    """Its first step, and its last."""
    last: int
    latest: float
    """The newest finite value."""


def curve(name: str, points: Sequence[Point]) -> Curve | None:
    """The curve through points that are in the order of their steps; None where none is
    finite."""
    finite = [value for _, value in points if math.isfinite(value)]
    if not finite:
        return None
    low, high = min(finite), max(finite)
    first, last = points[0][0], points[-1][0]
    shown = points[:: max(1, len(points) // _MOST_POINTS)]
    if shown[-1] != points[-1]:
        shown = [*shown, points[-1]]
    lines: list[list[str]] = [[]]
    for step, value in shown:
        if not math.isfinite(value):
            lines.append([])
            continue
        across = _MARGIN + (WIDTH - 2 * _MARGIN) * _share(step, first, last)
        down = HEIGHT - _MARGIN - (HEIGHT - 2 * _MARGIN) * _share(value, low, high)
        lines[-1].append(f"{across:.1f},{down:.1f}")
    # A line of one point would not be seen: it is drawn to itself, with round ends.
    drawn = [" ".join(line if len(line) > 1 else line * 2) for line in lines if line]
    return Curve(
        name=name, lines=drawn, low=low, high=high, first=first, last=last, latest=finite[-1]
    )


def _share(value: float, low: float, high: float) -> float:
    # Halved, so that the width of huge bounds does not overflow.
    width = high / 2 - low / 2
    return 0.5 if width == 0 else (value / 2 - low / 2) / width
