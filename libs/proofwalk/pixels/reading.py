"""What a picture of a page says: controls and texts, without identities, marks or
masking.

`PixelReader` is the seam: any detector that answers with a `PixelReading` can stand in
for `layout.LayoutReader`. Reading is a pure function of the image; caches may make it
quicker and never other. Boxes are in pixels of the image, which are CSS pixels at scale
1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proofwalk.console.observation import Box, State

Pixels = NDArray[np.uint8]
"""Height x width x 3, red green blue."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A run of text, its box tight around the ink."""

    text: str
    box: Box


@dataclass(frozen=True, kw_only=True)
class Control:
    """Something that looks as if it could be clicked or typed into."""

    role: str
    """button, link, textbox, combobox, checkbox, tab, menuitem, or text for short words
    that may be any of them."""
    name: str
    box: Box
    value: str = ""
    placeholder: str = ""
    label: str = ""
    states: frozenset[State] = frozenset()
    row: str = ""
    shows: str = ""
    """All text in and beside it, unshortened: what is looked through for secrets."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """A text that is no control."""

    text: str
    box: Box
    role: str = ""
    """cell, or empty."""
    row: str = ""


@dataclass(frozen=True, kw_only=True)
class PixelReading:
    """One picture, read; both in reading order."""

    controls: tuple[Control, ...]
    words: tuple[Words, ...]


class PixelReader(Protocol):
    """Reads pictures."""

    def read(self, image: Pixels) -> PixelReading:
        """Controls and texts of the picture; may take seconds, and is called from one
        thread at a time."""
        ...


class TextEngine(Protocol):
    """Finds and reads lines of text."""

    def find(self, image: Pixels) -> list[Box]:
        """Boxes around lines, a little too large."""
        ...

    def read(self, crops: list[Pixels]) -> list[tuple[str, float]]:
        """The text of each crop, which shows one line, and how sure that is (0 to
        1)."""
        ...
