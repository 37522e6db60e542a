"""Links of a page: blue or underlined words."""

from __future__ import annotations

from proofwalk.console.observation import Box
from proofwalk.pixels.layout_page import LayoutPage
from proofwalk.pixels.reading import Control, Line
from proofwalk.pixels.shapes import part


def is_blueish(page: LayoutPage, line: Line) -> bool:
    ground, (red, green, blue) = page.ink(line)
    return min(ground) > 150 and blue - red > 45 and blue - green > 20


def read_links(page: LayoutPage) -> None:
    for line in list(page.free):
        rows, columns = part(line.box, page.shapes.across.shape)
        within = page.shapes.across[(rows.stop + rows.start) // 2 : rows.stop + 4, columns]
        underlined = (
            bool(within.size)
            and float(within.mean(axis=1).max()) > 0.8
            and not _bar_wider(page, line.box)
        )
        if is_blueish(page, line) or underlined:
            page.claim([line])
            page.controls.append(
                Control(role="link", name=line.text, box=line.box, shows=line.text)
            )


def _bar_wider(page: LayoutPage, box: Box) -> bool:
    """Whether the line under a word goes on beside it: a rule, no underline."""
    bottom = round(box.y + box.height)
    left, right = round(box.x) - 10, round(box.x + box.width) + 10
    band = page.shapes.across[max(bottom - 4, 0) : bottom + 4]
    return bool(
        (left >= 0 and band[:, left].any()) or (right < band.shape[1] and band[:, right].any())
    )
