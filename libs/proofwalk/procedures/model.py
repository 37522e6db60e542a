"""The parts of a document: procedures, their sub-steps, and where each stands in the
source.

A *procedure* is an ordered list in a document, or what asks for steps in a section
without one (`unnumbered`); a *sub-step* is one item of it, in reading order, with
nested items flattened behind their parent and numbered `2.1`. Text
keeps its inline roles, because a writer's bold or code type says which words are labels
and values. Everything here is data from outside: it is never an instruction to a
program or a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, kw_only=True)
class SourceSpan:
    """Where a text stands: `file` as the user named it, 1-based lines, both ends
    included."""

    file: str
    line: int
    end_line: int


class InlineRole(StrEnum):
    """The type in which a run of text is set."""

    TEXT = "text"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    LINK = "link"
    IMAGE = "image"


@dataclass(frozen=True, kw_only=True)
class Inline:
    """A run of text of one role. `target` is a link's or an image's address."""

    role: InlineRole
    text: str
    target: str = ""


class BlockKind(StrEnum):
    """The kind of material under a sub-step besides its sentences."""

    PARAGRAPH = "paragraph"
    NOTE = "note"
    TABLE = "table"
    BULLETS = "bullets"
    IMAGE = "image"
    CODE = "code"


@dataclass(frozen=True, kw_only=True)
class Block:
    """Further material of a sub-step: a note, a parameter table (`rows`, the header
    first), bullets (`items`)."""

    kind: BlockKind
    span: SourceSpan
    inlines: tuple[Inline, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    items: tuple[tuple[Inline, ...], ...] = ()
    row_lines: tuple[int, ...] = ()
    """The source line of each table row or bullet."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence of a sub-step: the unit that a finding points at."""

    text: str
    span: SourceSpan
    inlines: tuple[Inline, ...]


@dataclass(frozen=True, kw_only=True)
class SubStep:
    """One item of a procedure. `number` is `3` or `3.2`; `text` is the plain text of
    the item's own sentences."""

    number: str
    text: str
    sentences: tuple[Sentence, ...]
    span: SourceSpan
    blocks: tuple[Block, ...] = ()
    optional: bool = False
    """True if the item itself says that it is optional."""


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """The steps of a document's list or section. `id` is stable: it comes from the
    headings above, not from the position."""

    id: str
    title: str
    headings: tuple[str, ...]
    substeps: tuple[SubStep, ...]
    span: SourceSpan
    introduction: tuple[Sentence, ...] = ()
    """What a reader has read when the list begins: the document's prerequisites, and
    the text under the headings above the list. At most `numbered_lists.INTRODUCTION`
    sentences, the last ones."""
    before: tuple[tuple[SubStep, ...], ...] = ()
    """How the procedures before it in the document begin, the nearest first: on a page
    to which they lead, a reader may still be."""
    is_numbered: bool = True
    """False if the steps are no ordered list of the document, but were found by the
    rule of `unnumbered`."""


@dataclass(frozen=True, kw_only=True)
class Document:
    """A parsed document. `digest` is the SHA-256 of the source bytes."""

    name: str
    title: str
    media_type: str
    digest: str
    prerequisites: tuple[Sentence, ...]
    """Sentences under a heading like *Prerequisites* or *Before you begin*."""
    procedures: tuple[Procedure, ...]
