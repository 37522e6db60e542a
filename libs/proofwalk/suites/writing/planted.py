"""Defects in documents: their kinds, the findings that name them, and the sentence that
is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.suites.model import Patch
from proofwalk.suites.writing.drafts import Item
from proofwalk.suites.writing.rendering import Use


class DefectKind(StrEnum):
    """What is wrong."""

    RENAMED = "renamed"
    MOVED = "moved"
    REMOVED = "removed"
    ADDED_STEP = "added_step"
    CHANGED_DEFAULT = "changed_default"
    CHANGED_VALUES = "changed_values"
    WRONG_ORDER = "wrong_order"
    WRONG_OUTCOME = "wrong_outcome"


FINDINGS: Mapping[str, frozenset[str]] = {
    DefectKind.RENAMED: frozenset({"renamed"}),
    DefectKind.MOVED: frozenset({"moved", "missing", "renamed"}),
    DefectKind.REMOVED: frozenset({"missing", "renamed"}),
    DefectKind.ADDED_STEP: frozenset({"missing_step"}),
    DefectKind.CHANGED_DEFAULT: frozenset({"wrong_value"}),
    DefectKind.CHANGED_VALUES: frozenset({"wrong_value"}),
    DefectKind.WRONG_ORDER: frozenset({"missing", "missing_step", "disabled"}),
    DefectKind.WRONG_OUTCOME: frozenset({"wrong_outcome"}),
}
"""Which kinds of finding name a defect rightly."""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A defect in a document: `items` are the document's steps (changed for defects of
    the document), `at` the touched node, `item` the step whose sentence is wrong,
    `label` the marked text in that sentence."""

    kind: DefectKind
    items: tuple[Item, ...]
    item: int
    label: str
    at: str = ""
    patches: tuple[Patch, ...] = ()


def touches(at: str, use: Use) -> bool:
    """Whether a use rests on the node or on something inside it."""
    return use.at == at or use.at.startswith(f"{at}/")


def is_sole(items: Sequence[Item], at: str) -> bool:
    """Whether exactly one step rests on the node or on something inside it, and names
    it once."""
    return sum(touches(at, use) for item in items for use in item.uses) == 1


def named_labels(items: Sequence[Item]) -> Iterator[tuple[int, Use, list[str]]]:
    """Labels that a step marks, with the parts of their path."""
    for number, item in enumerate(items):
        for use in item.uses:
            if "/" in use.at and f"**{use.text}**" in item.text:
                yield number, use, use.at.split("/")
