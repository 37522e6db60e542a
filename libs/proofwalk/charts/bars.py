"""Charts as inline SVG: bars with intervals, and a histogram. No script, no font, no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH = 640
_LABEL = 170
_ROW = 24
_BLUE, _GREY, _INK = "#2f6feb", "#d0d7de", "#1f2328"


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar of a chart of shares."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


def bars(title: str, rows: Sequence[Bar], *, most: float = 1.0, percent: bool = True) -> str:
    """Horizontal bars from 0 to `most`, with whiskers where an interval is known."""
    if not rows:
        return ""
    span = _WIDTH - _LABEL - 120
    height = _ROW * len(rows) + 34
    parts = [_head(title, height)]
    for tick in range(5):
        x = _LABEL + span * tick / 4
        shown = f"{most * tick / 4:.0%}" if percent else f"{most * tick / 4:g}"
        parts.append(f'<line x1="{x:.1f}" y1="4" x2="{x:.1f}" y2="{height - 26}" stroke="{_GREY}"/>')
        parts.append(f'<text x="{x:.1f}" y="{height - 10}" text-anchor="middle" class="tick">{shown}</text>')
    for index, row in enumerate(rows):
        y = 8 + index * _ROW
        length = span * min(row.value / most, 1.0) if most else 0.0
        parts.append(f'<text x="{_LABEL - 8}" y="{y + 12}" text-anchor="end">{escape(row.label)}</text>')
        parts.append(f'<rect x="{_LABEL}" y="{y}" width="{max(length, 0.5):.1f}" height="15" rx="2" fill="{_BLUE}"/>')
        if row.low is not None and row.high is not None:
            left, right = _LABEL + span * row.low / most, _LABEL + span * min(row.high / most, 1.0)
            parts.append(f'<line x1="{left:.1f}" y1="{y + 7.5}" x2="{right:.1f}" y2="{y + 7.5}" stroke="{_INK}"/>')
            parts += [f'<line x1="{x:.1f}" y1="{y + 4}" x2="{x:.1f}" y2="{y + 11}" stroke="{_INK}"/>' for x in (left, right)]
        shown = f"{row.value:.1%}" if percent else f"{row.value:g}"
        parts.append(f'<text x="{_LABEL + span + 8}" y="{y + 12}">{shown} {escape(row.note)}</text>')
    return "".join(parts) + "</svg>"


def histogram(title: str, values: Sequence[float], *, bins: int = 16, unit: str = "") -> str:
    """How often values fall into equal steps from 0 to the greatest."""
    if not values:
        return ""
    most = max(values) or 1.0
    counts = [0] * bins
    for value in values:
        counts[min(int(value / most * bins), bins - 1)] += 1
    width, height, top = (_WIDTH - 60) / bins, 150, max(counts)
    parts = [_head(title, height + 30)]
    for index, count in enumerate(counts):
        tall = (height - 20) * count / top
        x, y = 40 + index * width, height - tall
        parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 2:.1f}" height="{tall:.1f}" fill="{_BLUE}"/>')
        if count:
            parts.append(f'<text x="{x + width / 2 - 1:.1f}" y="{y - 3:.1f}" text-anchor="middle" class="tick">{count}</text>')
    for share in (0.0, 0.5, 1.0):
        x = 40 + (_WIDTH - 60) * share
        parts.append(
            f'<text x="{x:.1f}" y="{height + 18}" text-anchor="middle" class="tick">{most * share:g}{escape(unit)}</text>'
        )
    return "".join(parts) + "</svg>"


def _head(title: str, height: int) -> str:
    return f'<h2>{escape(title)}</h2><svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img" aria-label="{escape(title)}">'
