"""What a sub-step asks for, as a policy read it, beside what was executed for it.

A reading has one `ReadAct` for each thing that the sub-step asks for, in its order, and
a `Span` for each instruction that was not understood. Prose asks for nothing and leaves
no trace here. A sub-step whose reading is not `complete` is never verified, whatever
the audit log says of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Span:
    """Words of the document: `text` stands on `line` of `file`."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class ReadAct:
    """One thing that a sub-step asks for, and what was done for it, both in plain
    words."""

    asked: str
    """As the policy read it: `click “Stop” in the row of “the instance”`."""
    executed: str = ""
    """What was executed for it, or seen where it asks to look: `clicked “Stop”`. Empty
    when nothing was."""
    waived: str = ""
    """Why nothing had to be executed: it is optional, its condition does not hold, it
    held already."""

    @property
    def done(self) -> bool:
        """Whether it was executed, or did not have to be."""
        return bool(self.executed or self.waived)


@dataclass(frozen=True, kw_only=True)
class SubStepReading:
    """A whole sub-step, read."""

    acts: tuple[ReadAct, ...] = ()
    not_understood: tuple[Span, ...] = ()

    @property
    def undone(self) -> tuple[ReadAct, ...]:
        """What was asked for and neither executed nor waived."""
        return tuple(act for act in self.acts if not act.done)

    @property
    def complete(self) -> bool:
        """Whether everything was understood and done."""
        return not self.not_understood and not self.undone
