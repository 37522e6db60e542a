"""Curves as inline SVG. No script, no font, no network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

_WIDTH, _HEIGHT = 520, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 12, 10, 24
_BLUE, _GREY = "#2f6feb", "#d0d7de"
_MOST_POINTS = 800
"""A curve is thinned to about so many: more cannot be seen."""
_DOTS = 40
"""So few points are drawn as dots, too."""


def curve(title: str, points: Sequence[tuple[int, float]], *, note: str = "") -> str:
    """One quantity over steps; what is not finite leaves a gap. Empty when there is nothing to show."""
    finite = [value for _, value in points if math.isfinite(value)]
    if not finite:
        return ""
    low, high = min(finite), max(finite)
    if high == low:
        low, high = low - (abs(low) * 0.1 or 0.5), high + (abs(high) * 0.1 or 0.5)
    first, last = points[0][0], max(points[-1][0], points[0][0] + 1)

    def x(step: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (step - first) / (last - first)

    def y(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low)

    parts = [
        f'<figure><figcaption>{escape(title)} <span class="muted">{escape(note)}</span> <b>{finite[-1]:.4g}</b></figcaption>',
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">',
    ]
    for share in (0.0, 0.5, 1.0):
        level = low + (high - low) * share
        parts.append(f'<line x1="{_LEFT}" y1="{y(level):.1f}" x2="{_WIDTH - _RIGHT}" y2="{y(level):.1f}" stroke="{_GREY}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y(level) + 4:.1f}" text-anchor="end">{level:.3g}</text>')
    for step in dict.fromkeys((first, points[-1][0])):
        parts.append(f'<text x="{x(step):.1f}" y="{_HEIGHT - 6}" text-anchor="middle">{step}</text>')
    shown = points[:: max(1, len(points) // _MOST_POINTS)]
    if shown[-1] != points[-1]:
        shown = [*shown, points[-1]]
    for line in _unbroken(shown):
        path = " ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_BLUE}" stroke-width="1.5"/>')
        if len(shown) <= _DOTS:
            parts += [f'<circle cx="{x(step):.1f}" cy="{y(value):.1f}" r="2.5" fill="{_BLUE}"/>' for step, value in line]
    return "".join(parts) + "</svg></figure>"


def _unbroken(points: Sequence[tuple[int, float]]) -> list[list[tuple[int, float]]]:
    lines: list[list[tuple[int, float]]] = [[]]
    for step, value in points:
        if math.isfinite(value):
            lines[-1].append((step, value))
        elif lines[-1]:
            lines.append([])
    return [line for line in lines if line]
