"""How much of the words in a picture its marks hide."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from proofwalk.console.observation import Observation

_INK = 70
"""Difference in brightness from the box's background that counts as ink."""


def text_hidden(seen: Observation) -> float:
    """Share of the text pixels of the bare picture that the marked one shows otherwise;
    both JPEG, so small differences do not count."""
    bare = np.asarray(Image.open(io.BytesIO(seen.raw_screenshot)).convert("L"), dtype=np.int16)
    marked = np.asarray(Image.open(io.BytesIO(seen.screenshot)).convert("L"), dtype=np.int16)
    height, width = bare.shape
    boxes = [run.box for run in seen.texts] + [
        element.box for element in seen.elements if not element.offscreen
    ]
    ink = np.zeros(bare.shape, dtype=bool)
    for box in boxes:
        # The outermost pixels of a control are its border.
        left, top = max(int(box.x) + 3, 0), max(int(box.y) + 3, 0)
        right, bottom = (
            min(int(box.x + box.width) - 3, width),
            min(int(box.y + box.height) - 3, height),
        )
        if right <= left or bottom <= top:
            continue
        part = bare[top:bottom, left:right]
        ink[top:bottom, left:right] |= np.abs(part - np.median(part)) > _INK
    return float((np.abs(bare - marked)[ink] > _INK).mean()) if ink.any() else 0.0
