"""Panels side by side as one SVG file: each series a mean and the range of its
curves."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proofwalk.charts.drawing import PALE, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#1b6ca8", "#2a8f4f", "#c0392b")
_PANEL, _HEIGHT = 344, 290


@dataclass(frozen=True, kw_only=True)
class Series:
    """Curves of one kind, of the same length."""

    label: str
    curves: Sequence[Sequence[float]]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes."""

    title: str
    series: Sequence[Series]
    low: float
    high: float
    line: float
    """A height that is marked."""


def plotted(panels: Sequence[Panel], *, below: str) -> str:
    """The whole picture."""

    def draw(figure: Figure) -> None:
        figure.set_layout_engine("constrained", w_pad=8 / 72, h_pad=6 / 72)
        places = figure.subplots(1, len(panels), squeeze=False)[0]
        for axes, panel in zip(places, panels, strict=True):
            axes.set_title(panel.title)
            axes.axhline(panel.line, color="#888888", linewidth=1, linestyle="--")
            for series, colour in zip(panel.series, COLOURS, strict=False):
                columns = list(zip(*series.curves, strict=True))
                steps = range(len(columns))
                axes.fill_between(
                    steps,
                    [min(column) for column in columns],
                    [max(column) for column in columns],
                    color=colour,
                    alpha=0.15,
                    linewidth=0,
                )
                axes.plot(
                    steps,
                    [statistics.fmean(column) for column in columns],
                    color=colour,
                    linewidth=1.8,
                    label=series.label,
                )
            axes.set_ylim(panel.low, panel.high)
            axes.set_xlim(0, len(panel.series[0].curves[0]) - 1)
            axes.grid(axis="y")
        places[-1].set_xlabel(below, color=PALE, loc="right")
        figure.legend(
            *places[0].get_legend_handles_labels(), loc="outside lower left", ncols=len(COLOURS)
        )

    return picture(panels[0].title, (_PANEL * len(panels), _HEIGHT), draw)
