"""Bars with intervals, and a histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proofwalk.charts.drawing import BLUE, INK, Chart, inline

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH = 640
_LABEL, _NOTE = 170, 120
"""Room left of the bars, and right of them."""
_ROW = 24
_FOOT = 30
_TALL = 180


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar of a chart of shares."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


def bars(
    title: str, rows: Sequence[Bar], *, most: float = 1.0, percent: bool = True
) -> Chart | None:
    """Horizontal bars from 0 to `most`, with whiskers where an interval is known."""
    if not rows:
        return None
    height = _ROW * len(rows) + _FOOT
    places = range(len(rows))
    form = "{:.1%}" if percent else "{:g}"

    def draw(figure: Figure) -> None:
        wide = (_WIDTH - _LABEL - _NOTE) / _WIDTH
        axes = figure.add_axes((_LABEL / _WIDTH, _FOOT / height, wide, 1 - _FOOT / height))
        axes.barh(places, [row.value for row in rows], height=0.62, color=BLUE)
        for place, row in zip(places, rows, strict=True):
            if row.low is not None and row.high is not None:
                reach = [[row.value - row.low], [row.high - row.value]]
                axes.errorbar(row.value, place, xerr=reach, color=INK, capsize=3.5, elinewidth=1)
            told = f"{form.format(row.value)} {row.note}".rstrip()
            axes.text(1.02, place, told, transform=axes.get_yaxis_transform(), va="center_baseline")
        ticks = [most * quarter / 4 for quarter in range(5)]
        axes.set_xticks(ticks, [f"{tick:.0%}" if percent else f"{tick:g}" for tick in ticks])
        axes.set_yticks(places, [row.label for row in rows])
        axes.set_xlim(0, most or 1.0)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="x")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)

    return Chart(title=title, svg=inline(title, (_WIDTH, height), draw))


def histogram(
    title: str, values: Sequence[float], *, bins: int = 16, unit: str = ""
) -> Chart | None:
    """How often values fall into equal steps from 0 to the greatest."""
    if not values:
        return None
    most = max(values) or 1.0

    def draw(figure: Figure) -> None:
        axes = figure.add_axes((0.06, _FOOT / _TALL, 0.9, 0.9 - _FOOT / _TALL))
        counts, _, drawn = axes.hist(values, bins=bins, range=(0, most), rwidth=0.94, color=BLUE)
        axes.bar_label(drawn, [f"{count:g}" if count else "" for count in counts], fontsize=10)  # type: ignore[arg-type]
        ticks = (0.0, most / 2, most)
        axes.set_xticks(ticks, [f"{tick:g}{unit}" for tick in ticks])
        axes.set_xlim(0, most)
        axes.set_yticks([])
        axes.tick_params(length=0)
        axes.spines["left"].set_visible(False)

    return Chart(title=title, svg=inline(title, (_WIDTH, _TALL), draw))
