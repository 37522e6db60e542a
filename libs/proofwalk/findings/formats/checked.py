"""What every format is written from: documents that were verified, and what came of
each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from proofwalk.findings.patching import Patch, Refused
from proofwalk.kernel.outcomes import Finding, FindingKind, LaterKind, OutcomeKind, SubStepStatus

REFUSED = "refused"
"""Outcome of a document that could not be verified at all."""
_TOLD_NOTHING = (
    OutcomeKind.ENV_FAILURE,
    OutcomeKind.AGENT_FAILURE,
    OutcomeKind.JUDGE_SPLIT,
    OutcomeKind.CANCELLED,
)

TITLES = {
    FindingKind.RENAMED: "The console has it under another name",
    FindingKind.MISSING: "The console does not have it",
    FindingKind.MOVED: "The console has it in another place",
    FindingKind.WRONG_VALUE: "The console does not offer the value",
    FindingKind.WRONG_OUTCOME: "The console shows something else afterwards",
    FindingKind.MISSING_STEP: "The document leaves out what the console demands",
    FindingKind.DISABLED: "The console has it, but it cannot be used",
}
"""Each kind of finding in words, for the headings of reports."""
_LATER = "The console differs in a way that this release has no word for"


def title_of(kind: FindingKind | LaterKind) -> str:
    """Return a kind in words, for a heading."""
    return _LATER if isinstance(kind, LaterKind) else TITLES[kind]


class Level(StrEnum):
    """How much a finding weighs."""

    ERROR = "error"
    """Seen in two episodes, and not contradicted by the log."""
    WARNING = "warning"
    """Seen by one episode alone."""
    NOTE = "note"
    """Beside the walk, which went on."""


@dataclass(frozen=True, kw_only=True)
class Reported:
    """A finding, and what could be proposed. `patch` is None if nobody asked."""

    finding: Finding
    level: Level
    patch: Patch | Refused | None = None


@dataclass(frozen=True, kw_only=True)
class StepEnd:
    """What became of a sub-step."""

    number: str
    text: str
    line: int
    status: SubStepStatus
    reason: str


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One document's end. `reason` says why it ended so; `code` is an error's."""

    document: str
    outcome: str
    reason: str
    code: str = ""
    seconds: float = 0.0
    steps: tuple[StepEnd, ...] = ()
    findings: tuple[Reported, ...] = ()

    @property
    def told_nothing(self) -> bool:
        """True if the verification says nothing of the document."""
        return self.outcome == REFUSED or self.outcome in _TOLD_NOTHING
