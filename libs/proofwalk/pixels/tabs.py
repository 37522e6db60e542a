"""Tabs of a page: a row of words of which one has a bar under it."""

from __future__ import annotations

import numpy as np

from proofwalk.console.observation import Box, State
from proofwalk.pixels.layout_page import LayoutPage
from proofwalk.pixels.reading import Control


def _bar_under(page: LayoutPage, box: Box, first: int, last: int) -> float:
    """Largest share of a line's width over which a straight line lies `first` to `last`
    pixels under it."""
    bottom = round(box.y + box.height)
    columns = slice(max(round(box.x), 0), max(round(box.x + box.width), 0))
    band = page.shapes.across[bottom + first : bottom + last, columns]
    return float(band.mean(axis=1).max()) if band.size else 0.0


def _ends(page: LayoutPage, box: Box, last: int) -> bool:
    """Whether the line under a box is no longer than a tab: it does not go on far to
    either side."""
    bottom = round(box.y + box.height)
    for x in (box.x - 60, box.x + box.width + 60):
        band = page.shapes.across[bottom : bottom + last, max(round(x), 0) : max(round(x) + 1, 0)]
        if (
            band.size
            and band.any()
            and _bar_color(page, bottom, last, round(x))
            == _bar_color(page, bottom, last, round(box.center[0]))
        ):
            return False
    return True


def _bar_color(page: LayoutPage, bottom: int, last: int, x: int) -> bool:
    """Whether what is under this point is strongly coloured."""
    x = min(max(x, 0), page.image.shape[1] - 1)
    pixels = page.image[bottom : bottom + last, x].astype(np.int16)
    return bool(len(pixels) and (pixels.max(axis=1) - pixels.min(axis=1)).max() > 60)


def read_tabs(page: LayoutPage) -> None:
    for line in list(page.free):
        box = line.box
        bottom = round(box.y + box.height)
        if line not in page.free or len(line.text) > 40 or _bar_under(page, box, 4, 20) < 0.9:
            continue
        if not _bar_color(page, bottom, 20, round(box.center[0])) or not _ends(page, box, 20):
            continue
        level = sorted(
            (other for other in page.free if abs(other.box.center[1] - box.center[1]) <= 5),
            key=lambda other: other.box.x,
        )
        group, at = [line], level.index(line)
        for others in (level[at + 1 :], level[:at][::-1]):
            last = box
            for other in others:
                gap = max(other.box.x - last.x - last.width, last.x - other.box.x - other.box.width)
                if gap > 80 or len(other.text) > 40:
                    break
                group.append(other)
                last = other.box
        if len(group) < 2:
            continue
        page.claim(group)
        for one in group:
            states = frozenset({State.SELECTED}) if one is line else frozenset()
            page.controls.append(
                Control(role="tab", name=one.text, box=one.box, states=states, shows=one.text)
            )
