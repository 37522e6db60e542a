"""Blocks of a page before it is marked up: headings, paragraphs, lists, notes, tables
and steps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading; level 1 is the title."""

    level: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Bullets:
    """An unordered list."""

    items: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Note:
    """A callout: note, important, warning."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table with a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An item of the procedure with what stands below it."""

    text: str
    table: Table | None = None
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Steps:
    """The procedure's ordered list."""

    entries: tuple[Entry, ...]


Block = Heading | Paragraph | Bullets | Note | Table | Steps
