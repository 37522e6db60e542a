"""The page of a differential analysis: one file, which opens offline, without a script.

Pictures are in it for the row where two walks parted and for one row on either side;
the others would make it too large to open, and lie in the collection.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofwalk.charts.pages import rendered
from proofwalk.datasets.differential import Comparison, Differential, Frame, Pairing, partings
from proofwalk.kernel.errors import ProofwalkError

Picture = Callable[[str, str], bytes]
"""The JPEG of an episode at a content address. Raises `trajectory.*`."""
_TEMPLATE = Path(__file__).with_name("differential.html.j2")
_AROUND = 1
_KINDS = 20


@dataclass(frozen=True, kw_only=True)
class ShownFrame:
    """A frame with its picture, as a data URL; empty where none is shown."""

    frame: Frame | None
    source: str


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    """A row of the page."""

    failed: ShownFrame
    reference: ShownFrame
    parted: bool


def page(heading: str, differentials: Sequence[Differential], picture: Picture) -> str:
    """The page. A picture that is missing or damaged is left out."""
    return rendered(
        _TEMPLATE,
        heading=heading,
        tasks=[
            (
                one,
                one.pass_at,
                [(comparison, list(_rows(comparison, picture))) for comparison in one.comparisons],
            )
            for one in differentials
        ],
        kinds=partings(differentials).most_common(_KINDS),
    )


def _rows(comparison: Comparison, picture: Picture) -> Iterator[ShownRow]:
    at = next((i for i, row in enumerate(comparison.rows) if row.parted), None)
    for number, row in enumerate(comparison.rows):
        near = at is not None and abs(number - at) <= _AROUND
        yield _shown(row, comparison, picture if near else _nothing)


def _shown(row: Pairing, comparison: Comparison, picture: Picture) -> ShownRow:
    return ShownRow(
        failed=_framed(row.failed, comparison.episode, picture),
        reference=_framed(row.reference, comparison.reference, picture),
        parted=row.parted,
    )


def _framed(frame: Frame | None, episode: str, picture: Picture) -> ShownFrame:
    jpeg = b""
    if frame is not None and frame.picture:
        try:
            jpeg = picture(episode, frame.picture)
        except ProofwalkError:
            jpeg = b""
    source = f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}" if jpeg else ""
    return ShownFrame(frame=frame, source=source)


def _nothing(_episode: str, _address: str) -> bytes:
    return b""
