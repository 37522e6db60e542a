"""Walks a week against the mean delay: full inspection's curve, and what is due."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchmarks.inspection.world import DAYS
from proofwalk.charts.drawing import PALE, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZE = 620, 360
_MOST_DAYS, _MOST_WALKS = 22, 1000
Means = Mapping[str, Mapping[str, float]]


def plotted(every: Mapping[int, Means], due: Mapping[str, Means]) -> str:
    """The picture, as SVG. Points are means over worlds."""
    lines = (
        ("everything, every so many days", list(every.values()), "#c0392b"),
        ("what is due", [one for name, one in due.items() if "maps" not in name], "#1b6ca8"),
        ("what is due, with maps", [one for name, one in due.items() if "maps" in name], "#2a8f4f"),
    )

    def draw(figure: Figure) -> None:
        figure.set_layout_engine("constrained", w_pad=8 / 72, h_pad=6 / 72)
        axes = figure.subplots()
        for label, points, colour in lines:
            axes.plot(
                [one["delay_days"]["mean"] for one in points],
                [one["looks"]["mean"] / (DAYS / 7) for one in points],
                marker="o",
                markersize=4,
                linewidth=1.8,
                color=colour,
                label=label,
            )
        axes.set_xlim(0, _MOST_DAYS)
        axes.set_ylim(0, _MOST_WALKS)
        axes.grid(axis="y")
        axes.set_title("Walks a week")
        axes.set_xlabel("mean delay until drift is found, days", color=PALE, loc="right")
        axes.legend(loc="upper right")

    return picture("Walks a week against the delay of detection", _SIZE, draw)
