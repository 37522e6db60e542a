"""Curves as one SVG, without a plotting library: panels side by side, each series a mean and the range of its curves."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#1b6ca8", "#2a8f4f", "#c0392b")
WIDTH, HEIGHT, MARGIN, GAP = 300, 190, 44, 26


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
    across = MARGIN + len(panels) * (WIDTH + MARGIN)
    down = HEIGHT + 2 * GAP + 42
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" font-family="sans-serif" font-size="11">',
        f'<rect width="{across}" height="{down}" fill="white"/>',
        *(_panel(panel, MARGIN + number * (WIDTH + MARGIN)) for number, panel in enumerate(panels)),
        *_legend(panels[0].series, HEIGHT + GAP + 40),
        f'<text x="{across - MARGIN}" y="{HEIGHT + GAP + 44}" text-anchor="end" fill="#555">{escape(below)}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _panel(panel: Panel, left: int) -> str:
    top, bottom = GAP, GAP + HEIGHT

    def y(value: float) -> float:
        inside = min(max(value, panel.low), panel.high)
        return bottom - (inside - panel.low) / (panel.high - panel.low) * HEIGHT

    def points(values: Sequence[float]) -> list[str]:
        return [f"{left + index / max(len(values) - 1, 1) * WIDTH:.1f},{y(value):.1f}" for index, value in enumerate(values)]

    parts = [f'<text x="{left}" y="{top - 9}" font-weight="bold">{escape(panel.title)}</text>']
    for share in (0, 0.25, 0.5, 0.75, 1):
        value = panel.low + share * (panel.high - panel.low)
        parts.append(f'<path d="M{left} {y(value):.1f}h{WIDTH}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{left - 5}" y="{y(value) + 4:.1f}" text-anchor="end" fill="#555">{value:.2f}</text>')
    parts.append(f'<path d="M{left} {y(panel.line):.1f}h{WIDTH}" stroke="#888" stroke-dasharray="4 3"/>')
    length = max(len(series.curves[0]) for series in panel.series)
    for share in (0, 0.5, 1):
        parts.append(
            f'<text x="{left + share * WIDTH:.0f}" y="{bottom + 15}" text-anchor="middle" fill="#555">{share * (length - 1):.0f}</text>'
        )
    for series, colour in zip(panel.series, COLOURS, strict=False):
        columns = list(zip(*series.curves, strict=True))
        upper, lower = points([max(column) for column in columns]), points([min(column) for column in columns])
        parts.append(f'<polygon points="{" ".join([*upper, *reversed(lower)])}" fill="{colour}" opacity="0.15"/>')
        middle = points([statistics.fmean(column) for column in columns])
        parts.append(f'<polyline points="{" ".join(middle)}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
    return "\n".join(parts)


def _legend(series: Sequence[Series], y: int) -> list[str]:
    parts = []
    for number, (one, colour) in enumerate(zip(series, COLOURS, strict=False)):
        x = MARGIN + number * 180
        parts.append(f'<path d="M{x} {y}h20" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 26}" y="{y + 4}">{escape(one.label)}</text>')
    return parts
