"""What is said to be seen on a page, and what was seen when it was looked for.

An `Expectation` is the document's ("the status changes to **Stopped**") or the
operation's own (a released instance is gone from its list). A policy names it; whether
it holds is never the policy's word. `agent.core.sightings` looks for it on the
observation that the policy decided on, and the walk keeps what it saw as a `Sighting`.
Page evidence is a sighting that `proves`; the rest is a claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Seen(StrEnum):
    """What kind of thing is looked for."""

    TEXT = "text"
    """A page, a heading, a message with these words."""
    ROW = "row"
    """A row of a list with these words."""
    STATE = "state"
    """The row of `subject`, or without a subject any text, shows this state."""
    VALUE = "value"
    """The field or the line called `subject` shows this value."""
    GONE = "gone"
    """No row of the list with this word any more."""


class SaidBy(StrEnum):
    """Where an expectation comes from."""

    DOCUMENT = "document"
    OPERATION = "operation"
    """The operation's own effect, whether or not the document speaks of it."""


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """Something that is to be seen. `line` and `sentence` say where the document says
    so; an operation's own effect names the line that asked for the operation."""

    kind: Seen
    text: str
    subject: str = ""
    """What has the state or the value: the row's id or name, the field's label."""
    said_by: SaidBy = SaidBy.DOCUMENT
    line: int = 0
    sentence: str = ""


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """What the walk saw of an expectation, in its own look at the page."""

    expectation: Expectation
    seen: str = ""
    """The words of the page that show it; empty when it was looked for and not seen."""
    step: int = 0
    """The step whose look it was, from 1."""
    grounded: bool = False
    """Its words stand in the document, name a provisioned resource, or were typed:
    nobody made them up."""
    fresh: bool = False
    """It did not hold before the walk acted: the check could have failed."""
    after_last_act: bool = False
    """Nothing was done to the page after it but looking."""

    @property
    def proves(self) -> bool:
        """Whether it is page evidence that the procedure had its effect."""
        return bool(self.seen) and self.grounded and self.fresh and self.after_last_act
