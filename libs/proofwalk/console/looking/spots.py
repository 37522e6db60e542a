"""Where a page shows secrets, to the letter: boxes of the text that the browser laid
out.

A look knows the boxes of controls and of whole texts. A value may show beside them (the
words of a check box) or across several (each letter an element of its own). So when a
look read a secret anywhere, the picture's boxes are found in the browser's own layout
(CDP `DOMSnapshot`): its fragments of text, in order, with what each of them says. It
has closed shadow roots, drawings (SVG) and content of stylesheets; not the inside of
fields, whose boxes the look has, nor canvases, images and frames of other processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NotRequired, TypedDict

from proofwalk.console.observation import Box
from proofwalk.console.safety.redaction import Secrets

Bounds = Sequence[float]
"""Left, top, width, height in CSS pixels of a document."""


class FramesOfDocument(TypedDict):
    """Documents by the nodes that hold them."""

    index: Sequence[int]
    value: Sequence[int]


class Nodes(TypedDict):
    """The part of a document's tree that is read here."""

    contentDocumentIndex: FramesOfDocument


class Layout(TypedDict):
    """What is laid out: for each box its node and its text, a place in the strings."""

    nodeIndex: Sequence[int]
    bounds: Sequence[Bounds]
    text: Sequence[int]


class TextBoxes(TypedDict):
    """Fragments of texts: a part of a box's text, in units of UTF-16."""

    layoutIndex: Sequence[int]
    bounds: Sequence[Bounds]
    start: Sequence[int]
    length: Sequence[int]


class Document(TypedDict):
    """One document of a page."""

    nodes: Nodes
    layout: Layout
    textBoxes: TextBoxes
    scrollOffsetX: NotRequired[float]
    scrollOffsetY: NotRequired[float]


class Snapshot(TypedDict):
    """The answer of `DOMSnapshot.captureSnapshot`, as far as it is read here."""

    strings: Sequence[str]
    documents: Sequence[Document]


_FRAME_BORDER = 2.0
"""CSS pixels by which a frame's document may begin inside its box."""


def spots(snapshot: Snapshot, secrets: Secrets) -> tuple[Box, ...]:
    """The boxes, in CSS pixels of the viewport, of all text in which a secret
    shows."""
    strings, documents = snapshot["strings"], snapshot["documents"]
    places = _places(documents)
    boxes: list[Box] = []
    for number, document in enumerate(documents):
        fragments = list(_fragments(document, strings))
        spans = secrets.spans("".join(text for text, _ in fragments))
        if not spans or number not in places:
            continue
        x, y = places[number]
        slack = _FRAME_BORDER if number else 0.0
        at = 0
        for text, (left, top, width, height) in fragments:
            if any(start < at + len(text) and at < end for start, end in spans):
                boxes.append(
                    Box(
                        x=left + x - slack,
                        y=top + y - slack,
                        width=width + 2 * slack,
                        height=height + 2 * slack,
                    )
                )
            at += len(text)
    return tuple(boxes)


def _fragments(document: Document, strings: Sequence[str]) -> Iterator[tuple[str, Bounds]]:
    """Each line's part of each text, in the order of the layout, with its box in the
    document."""
    texts, parts = document["layout"]["text"], document["textBoxes"]
    for node, bounds, start, length in zip(
        parts["layoutIndex"], parts["bounds"], parts["start"], parts["length"], strict=True
    ):
        units = strings[texts[node]].encode("utf-16-le", "surrogatepass")
        part = units[2 * start : 2 * (start + length)]
        yield part.decode("utf-16-le", "replace"), bounds


def _places(documents: Sequence[Document]) -> dict[int, tuple[float, float]]:
    """Where each document's origin lies in the viewport. Documents whose frame is not
    laid out have no place."""
    places: dict[int, tuple[float, float]] = {}
    waiting = [(0, 0.0, 0.0)]
    while waiting:
        number, x, y = waiting.pop()
        document = documents[number]
        x -= document.get("scrollOffsetX", 0.0)
        y -= document.get("scrollOffsetY", 0.0)
        places[number] = (x, y)
        layout = document["layout"]
        bounds = dict(zip(layout["nodeIndex"], layout["bounds"], strict=True))
        frames = document["nodes"]["contentDocumentIndex"]
        for node, inner in zip(frames["index"], frames["value"], strict=True):
            if node in bounds and inner not in places:
                left, top = bounds[node][:2]
                waiting.append((inner, x + left + _FRAME_BORDER, y + top + _FRAME_BORDER))
    return places
