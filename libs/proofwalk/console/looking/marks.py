"""Numbered marks on a screenshot, beside the page: Pillow on the JPEG, label sprites
cached.

A mark is a thin outline and a small number. The number goes where it hides the least
text: candidates around the element are weighed on a coarse occupancy grid of all
visible text and of numbers already drawn. Boxes that show secrets are blacked out here.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from proofwalk.console.observation import Box, Element, TextRun

_CELL = 4
_OUTSIDE = 10_000
_COLORS = ((214, 39, 40), (31, 90, 200), (0, 120, 60), (148, 60, 180), (180, 95, 0), (0, 115, 130))
_CONTROLS = frozenset({"textbox", "combobox", "spinbutton", "slider", "switch"})


@lru_cache(maxsize=4096)
def _sprite(number: int) -> Image.Image:
    font = ImageFont.load_default(size=10)
    left, top, right, bottom = font.getbbox(str(number))
    sprite = Image.new(
        "RGB", (int(right - left) + 4, int(bottom - top) + 3), _COLORS[number % len(_COLORS)]
    )
    ImageDraw.Draw(sprite).text((2 - left, 1 - top), str(number), fill=(255, 255, 255), font=font)
    return sprite


class _Grid:
    """Records which cells of the picture are taken, by text or by a number."""

    def __init__(self, width: int, height: int) -> None:
        self.columns, self.rows = width // _CELL + 1, height // _CELL + 1
        self._cells = [bytearray(self.columns) for _ in range(self.rows)]
        self._taken = b"\x01" * self.columns

    def fill(self, x: float, y: float, width: float, height: float) -> None:
        first, last = max(int(x) // _CELL, 0), min(int(x + width) // _CELL + 1, self.columns)
        if last > first:
            taken = self._taken[: last - first]
            for cells in self._cells[
                max(int(y) // _CELL, 0) : max(int(y + height) // _CELL + 1, 0)
            ]:
                cells[first:last] = taken

    def cost(self, x: float, y: float, width: int, height: int) -> int:
        """Return how many taken cells a number at this place would cover."""
        if x < 0 or y < 0 or x + width >= self.columns * _CELL or y + height >= self.rows * _CELL:
            return _OUTSIDE
        first, last = int(x) // _CELL, int(x + width) // _CELL + 1
        return sum(
            [
                cells.count(1, first, last)
                for cells in self._cells[int(y) // _CELL : int(y + height) // _CELL + 1]
            ]
        )


def _text_part(element: Element) -> Box:
    """Return the part of an element's box where its words are likely to be."""
    box = element.box
    pad_x = (
        8
        if box.width > 40 and element.tag in {"button", "input", "select", "textarea", "li", "td"}
        else 0
    )
    pad_y = (box.height - 16) / 2 if box.height > 24 else 0
    return Box(
        x=box.x + pad_x, y=box.y + pad_y, width=box.width - 2 * pad_x, height=box.height - 2 * pad_y
    )


def _places(box: Box, width: int, height: int) -> Iterable[tuple[float, float]]:
    left, right, top, bottom = box.x, box.x + box.width, box.y, box.y + box.height
    yield left - width, top
    yield left, top - height
    yield right + 1, top
    yield right - width, top - height
    yield left - width, top - height
    yield left - width, bottom - height
    yield right + 1, bottom - height
    yield left, bottom
    yield right - width, bottom
    yield right - width, top
    yield left + box.width / 2, top - height


def draw_marks(
    jpeg: bytes, elements: Iterable[Element], texts: Iterable[TextRun], *, quality: int = 80
) -> bytes:
    """Return the screenshot with an outline and a number for every element in view."""
    image = Image.open(io.BytesIO(jpeg))
    image.load()
    grid = _Grid(image.width, image.height)
    shown = [element for element in elements if not element.offscreen]
    for text in texts:
        grid.fill(text.box.x, text.box.y, text.box.width, text.box.height)
    for element in shown:
        part = _text_part(element)
        if element.role not in _CONTROLS or element.value or element.placeholder:
            grid.fill(part.x, part.y, part.width, part.height)
    pen = ImageDraw.Draw(image)
    for element in shown:
        box, sprite = element.box, _sprite(element.mark)
        pen.rectangle(
            (box.x - 1, box.y - 1, box.x + box.width, box.y + box.height),
            outline=_COLORS[element.mark % len(_COLORS)],
        )
        best, price = (box.x, box.y), _OUTSIDE
        for x, y in _places(box, sprite.width, sprite.height):
            cost = grid.cost(x, y, sprite.width, sprite.height)
            if cost < price:
                best, price = (x, y), cost
            if cost == 0:
                break
        x, y = max(int(best[0]), 0), max(int(best[1]), 0)
        image.paste(sprite, (x, y))
        grid.fill(x, y, sprite.width, sprite.height)
    return _jpeg(image, quality)


def black_out(jpeg: bytes, boxes: Iterable[Box], *, quality: int = 80) -> bytes:
    """Return the screenshot with these boxes filled black."""
    image = Image.open(io.BytesIO(jpeg))
    image.load()
    pen = ImageDraw.Draw(image)
    for box in boxes:
        pen.rectangle(
            (box.x - 2, box.y - 2, box.x + box.width + 2, box.y + box.height + 2), fill=(0, 0, 0)
        )
    return _jpeg(image, quality)


def _jpeg(image: Image.Image, quality: int) -> bytes:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality)
    return out.getvalue()
