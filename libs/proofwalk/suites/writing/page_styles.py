"""Styles of pages: what authors differ in without saying anything else."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, kw_only=True)
class Style:
    """An author's habits."""

    numbered: bool
    """rst: `1.` rather than `#.`"""
    guilabel: bool
    underline: str
    note: int
    """Which of the format's forms of a callout."""
    strong: str
    """html: the element of a label."""
    paragraphs: bool
    """html: list items hold paragraphs."""
    wrapper: str
    front_matter: bool


def draw_style(random: Random) -> Style:
    """The habits of one author."""
    return Style(
        numbered=random.random() < 0.4,
        guilabel=random.random() < 0.4,
        underline=random.choice("=-~"),
        note=random.randrange(3),
        strong=random.choice(("b", "strong", "strong")),
        paragraphs=random.random() < 0.5,
        wrapper=random.choice(("main", "article", 'div id="content"')),
        front_matter=random.random() < 0.3,
    )
