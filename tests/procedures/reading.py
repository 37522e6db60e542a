"""Short ways to look at what a document became."""

from __future__ import annotations

import textwrap

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import Block, Document, Procedure, SubStep


def read(text: str, name: str = "doc.md") -> Document:
    """The document of an indented text that begins on its second line."""
    return load(name, textwrap.dedent(text).lstrip("\n").encode())


def only(document: Document) -> Procedure:
    """The one procedure of a document."""
    assert len(document.procedures) == 1, [procedure.id for procedure in document.procedures]
    return document.procedures[0]


def outline(document: Document) -> list[tuple[str, int, str]]:
    """(number, line, text) of every sentence of the one procedure."""
    return [
        (step.number, sentence.span.line, sentence.text)
        for step in only(document).substeps
        for sentence in step.sentences
    ]


def step(document: Document, number: str) -> SubStep:
    """A sub-step by its number."""
    return next(one for one in only(document).substeps if one.number == number)


def text(block: Block) -> str:
    """A block's running text."""
    return "".join(run.text for run in block.inlines)


def refused(
    body: bytes, name: str = "doc.md", media_type: str | None = None, **options: int
) -> ProofwalkError:
    """The error with which `load` refuses a document."""
    with pytest.raises(ProofwalkError) as caught:
        load(name, body, media_type, **options)
    return caught.value


def outcome(name: str, body: bytes) -> Document | None:
    """The document, or nothing if it was refused with a code of its own. Any other
    exception is a failure."""
    try:
        return load(name, body)
    except ProofwalkError as error:
        if not error.code.startswith("document."):
            raise
        return None
