"""Drafts: tasks before they are written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofwalk.suites.model import Scenario
from proofwalk.suites.rules.documents import RuleDocument
from proofwalk.suites.writing.provision import FixtureUse
from proofwalk.suites.writing.rendering import (
    Action,
    Use,
)
from proofwalk.suites.writing.units import Family


@dataclass(frozen=True, kw_only=True)
class Item:
    """A written step: its text with inline marks (`**label**`, `` `value` ``), what the
    oracle does, which labels the text rests on."""

    text: str
    do: tuple[Action, ...]
    uses: tuple[Use, ...]
    unit: int
    """Position of its unit in the chain."""
    step: int
    """Position in the unit's steps."""
    vague: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    """What one written unit of the chain says."""

    unit: int
    name: str
    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A task before it is written down."""

    id: str
    family: Family
    product: str
    language: str
    title: str
    title_en: str
    preamble: tuple[str, ...]
    prerequisites: tuple[str, ...]
    notes: tuple[str, ...]
    sections: tuple[Section, ...]
    fixtures: tuple[FixtureUse, ...]
    """In an order in which each comes after what it needs."""
    binds: Mapping[str, str]
    rule: RuleDocument
    scenario: Scenario | None
    related: tuple[str, ...] = ()
    """Titles of other operations of the product."""

    @property
    def items(self) -> tuple[Item, ...]:
        """The written steps in order."""
        return tuple(item for section in self.sections for item in section.items)
