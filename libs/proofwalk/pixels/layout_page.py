"""A page while its layout is read: its lines that nothing has claimed yet, and the
controls found so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from proofwalk.console.observation import Box
from proofwalk.pixels.reading import Control, Line, Pixels
from proofwalk.pixels.shapes import Color, Shapes, part


@dataclass
class LayoutPage:
    image: Pixels
    shapes: Shapes
    free: list[Line]
    """Lines that nothing has claimed yet."""
    controls: list[Control] = field(default_factory=list)
    colors: dict[Box, tuple[Color, Color]] = field(default_factory=dict)

    def ink(self, line: Line) -> tuple[Color, Color]:
        """Colours of a line's ground and ink."""
        if line.box not in self.colors:
            self.colors[line.box] = _colors(self.image, line.box)
        return self.colors[line.box]

    def claim(self, lines: list[Line]) -> None:
        taken = {id(line) for line in lines}
        self.free = [line for line in self.free if id(line) not in taken]


def overlap(one: Box, other: Box) -> float:
    """Pixels of height that two boxes share."""
    return min(one.y + one.height, other.y + other.height) - max(one.y, other.y)


def joined(*boxes: Box) -> Box:
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = (
        max(box.x + box.width for box in boxes),
        max(box.y + box.height for box in boxes),
    )
    return Box(x=left, y=top, width=right - left, height=bottom - top)


def text_of(lines: list[Line]) -> str:
    return " ".join(line.text for line in lines)


def _colors(image: Pixels, box: Box) -> tuple[Color, Color]:
    """Colour of the ground and of the ink: the median, and the mean of what is farthest
    from it."""
    rows, columns = part(box, image.shape)
    pixels = image[rows, columns].reshape(-1, 3).astype(np.int16)
    if not len(pixels):
        return (255, 255, 255), (0, 0, 0)
    ground = np.median(pixels, axis=0)
    apart = np.abs(pixels - ground).max(axis=1)
    ink = pixels[apart >= 0.7 * apart.max()].mean(axis=0)
    return (int(ground[0]), int(ground[1]), int(ground[2])), (int(ink[0]), int(ink[1]), int(ink[2]))


def plain_label(label: str) -> str:
    """A label without its colon and its asterisk."""
    return label.strip(":： *")


def reading_place(box: Box) -> tuple[int, float]:
    """Reading order: lines of eight pixels, then left to right."""
    return round((box.y + box.height / 2) / 8), box.x
