"""Text of a picture by RapidOCR: PP-OCRv6 small models on ONNX Runtime's CPU provider.

Why this library: its wheel carries the models (10 MB to find lines, 21 MB to read them,
English and Chinese in one), so nothing is fetched at run time; code and models are
Apache-2.0 (`MODEL_LICENSES.md` in the wheel); it is released monthly.
`rapidocr-onnxruntime` 1.4.4 is its predecessor, without releases since January 2025 and
not for Python 3.13. Tesseract 5 (Debian) is a system package with a process and a
language package per script, and is made for scanned pages rather than for 11-pixel
text.

Finding runs on bands of fixed height, without their plain margins, reading on one crop
per line; both are remembered by the bytes of their pixels. What a second look shows
unchanged therefore costs nothing, and an answer never depends on what was looked at
before.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from proofwalk.console.observation import Box
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.pixels.reading import Pixels

T = TypeVar("T")

_BAND = 300
_MARGIN = 32
"""Rows of the neighbouring bands that a band is shown with, so that no line is cut; a
line belongs to the band of its middle."""
_PLAIN = 20
"""Difference of neighbouring pixels, in any channel, that no text is without."""
_BANDS_KEPT = 64
_LINES_KEPT = 8192
_THREADS = 4


class _Cache(Generic[T]):
    """Answers by the digest of the pixels they were given for; the least recently used
    go."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._answers: OrderedDict[bytes, T] = OrderedDict()

    @staticmethod
    def key(pixels: Pixels) -> bytes:
        digest = hashlib.blake2b(repr(pixels.shape).encode(), digest_size=16)
        digest.update(np.ascontiguousarray(pixels).tobytes())
        return digest.digest()

    def get(self, key: bytes) -> T | None:
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def put(self, key: bytes, answer: T) -> None:
        self._answers[key] = answer
        while len(self._answers) > self._bound:
            self._answers.popitem(last=False)


def not_installed(missing: str) -> ProofwalkError:
    """The extra's packages are not there."""
    return ProofwalkError(
        "pixels.not_installed",
        f"looking by pixels needs the package {missing}, which is not installed",
        status=Status.FAILED_PRECONDITION,
        hint="install the extra: pip install 'proofwalk[pixels]'",
    )


def _engine() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Finder, reader, and the reader's input."""
    try:
        import onnxruntime  # noqa: F401  # the finder would only miss it later
        from rapidocr import RapidOCR
        from rapidocr.ch_ppocr_rec import TextRecInput
    except ImportError as error:
        raise not_installed(error.name or "rapidocr") from error
    engine: Any = RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": min(os.cpu_count() or 1, _THREADS),
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            # As large as it is: upscaling to the default short side would make a band
            # six times as dear.
            "Det.limit_type": "max",
            "Det.limit_side_len": 4000,
            # A crop is padded to this width at least; the default of 320 is twice the
            # width of most words of a console.
            "Rec.rec_img_shape": [3, 48, 128],
        }
    )
    # The public call reads one crop at a time; the two models behind it take batches.
    # The version is pinned.
    return engine._load_det_model(), engine._load_rec_model(), TextRecInput


def _busy(band: Pixels) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what is not plain, with a margin; all zero where
    everything is."""
    shades = band.astype(np.int16)
    across = np.abs(np.diff(shades, axis=1)).max(axis=2) > _PLAIN
    down = np.abs(np.diff(shades, axis=0)).max(axis=2) > _PLAIN
    columns, rows = np.flatnonzero(across.any(axis=0)), np.flatnonzero(down.any(axis=1))
    if not len(columns) or not len(rows):
        return 0, 0, 0, 0
    left, top = max(int(columns[0]) - _MARGIN, 0), max(int(rows[0]) - _MARGIN, 0)
    return (
        left,
        top,
        min(int(columns[-1]) + _MARGIN, band.shape[1]),
        min(int(rows[-1]) + _MARGIN, band.shape[0]),
    )


class RapidText:
    """`TextEngine` of RapidOCR; raises `pixels.not_installed`."""

    def __init__(self) -> None:
        self._find, self._read, self._input = _engine()
        self._bands: _Cache[list[tuple[float, float, float, float]]] = _Cache(_BANDS_KEPT)
        self._lines: _Cache[tuple[str, float]] = _Cache(_LINES_KEPT)

    def find(self, image: Pixels) -> list[Box]:
        """Boxes around lines, top to bottom by band."""
        height = image.shape[0]
        boxes: list[Box] = []
        for top in range(0, height, _BAND):
            start, end = max(top - _MARGIN, 0), min(top + _BAND + _MARGIN, height)
            for x, y, wide, high in self._band(image[start:end]):
                if top <= start + y + high / 2 < top + _BAND:
                    boxes.append(Box(x=x, y=start + y, width=wide, height=high))
        return boxes

    def _band(self, band: Pixels) -> list[tuple[float, float, float, float]]:
        left, top, right, bottom = _busy(band)
        if right <= left:
            return []
        inner = self._detect(band[top:bottom, left:right])
        return [(left + x, top + y, wide, high) for x, y, wide, high in inner]

    def _detect(self, band: Pixels) -> list[tuple[float, float, float, float]]:
        key = self._bands.key(band)
        boxes = self._bands.get(key)
        if boxes is None:
            quads = self._find(np.ascontiguousarray(band[:, :, ::-1])).boxes
            boxes = []
            for quad in [] if quads is None else quads:
                (left, top), (right, bottom) = quad.min(axis=0), quad.max(axis=0)
                boxes.append((float(left), float(top), float(right - left), float(bottom - top)))
            self._bands.put(key, boxes)
        return boxes

    def read(self, crops: list[Pixels]) -> list[tuple[str, float]]:
        """Text and certainty of each crop."""
        keys = [self._lines.key(crop) for crop in crops]
        answers = {key: known for key in keys if (known := self._lines.get(key)) is not None}
        fresh = {key: crop for key, crop in zip(keys, crops, strict=True) if key not in answers}
        if fresh:
            said = self._read(
                self._input(img=[np.ascontiguousarray(crop[:, :, ::-1]) for crop in fresh.values()])
            )
            for key, text, score in zip(fresh, said.txts, said.scores, strict=True):
                answers[key] = (" ".join(str(text).split()), float(score))
                self._lines.put(key, answers[key])
        return [answers[key] for key in keys]
