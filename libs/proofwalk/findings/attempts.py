"""Tries edits of a source and keeps those after which it reads as it should.

An edit is never trusted for how it was made. It counts if the edited source, read by
the same reader as the document, says exactly what was meant (`units.Reading`); and of
several places that would do, none is chosen. What a walk proved as it is written stays:
a meaning in which a proven step is gone, changed or behind another one is refused
before any edit is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from proofwalk.findings.source import Edit, NotKept, Source
from proofwalk.findings.units import Place, Reading, Unit, reading_of
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load

MAX_ATTEMPTS = 24
"""Most edits of one document that are tried: each reads the document again."""


class Refusal(StrEnum):
    """Why a finding has no patch."""

    NO_EVIDENCE = "patch.no_evidence"
    """The finding does not say what the document should say."""
    NEEDS_PROOF = "patch.needs_proof"
    """An edit is possible for which nothing speaks yet but a walk that proves it."""
    AS_WRITTEN = "patch.as_written"
    """The edit would change a step that the walk proved as it is written."""
    NOT_ONCE = "patch.not_once"
    """The words to replace do not stand exactly once in the sentence."""
    NO_SENTENCE = "patch.no_sentence"
    """The finding's sentence is not in the file, or several times."""
    ACROSS_TYPES = "patch.across_types"
    """The words to replace are set in several types."""
    NOT_IN_SOURCE = "patch.not_in_source"
    """No edit of the source, or more than one, gives the sentence that is meant."""
    UNSAFE_LABEL = "patch.unsafe_label"
    """The console's words would be more than words in the document's source."""
    NOT_KEPT = "patch.not_kept"
    """The file's encoding does not give its bytes back, or lacks a character."""
    NOT_A_LIST = "patch.not_a_list"
    """The step is no item of a list that can be told from its source."""
    SAYS_MORE = "patch.says_more"
    """The step says more than what is wrong."""
    NUMBERS_REFERRED = "patch.numbers_referred"
    """The document refers to steps by their numbers, which would change."""
    NO_FILE = "patch.no_file"
    """The document is no file here: it was fetched, or cannot be read."""
    OVERLAPS = "patch.overlaps"
    """Another finding's patch changes the same words."""
    NOT_PROVEN = "patch.not_proven"
    """The walk of the patched document did not end verified."""
    PROOF_FAILED = "patch.proof_failed"
    """The environment failed the walk of the patched document, which says nothing about
    the patch."""
    FORMAT = "patch.format"
    """Documents of this format are not patched."""
    UNREADABLE = "patch.unreadable"
    """The file alone is no document with a procedure."""


class NoPatch(Exception):
    """No edit follows from a finding."""

    def __init__(self, code: Refusal, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


@dataclass(kw_only=True)
class Attempts:
    """A document, what it says now, and edits of it."""

    name: str
    media_type: str
    source: Source
    reading: Reading
    proven: frozenset[tuple[int, int]] = frozenset()
    """The steps, by procedure and position, that a walk proved as they are written."""
    left: int = MAX_ATTEMPTS

    def unit(self, place: Place) -> Unit:
        return self.reading.procedures[place.procedure][place.step][place.unit]

    def units(self, place: Place, unit: Unit) -> list[Unit]:
        """Return the units of a step with another one at `place`."""
        units = list(self.reading.procedures[place.procedure][place.step])
        units[place.unit] = unit
        return units

    def only(
        self, choices: Iterable[Sequence[tuple[Edit, ...]]], goal: Reading
    ) -> tuple[Edit, ...]:
        """Return the edits after which the source reads as `goal`. `choices` are
        places, each with its spellings; exactly one place may do. Raises `NoPatch`."""
        self._check_proven(goal)
        fitting: list[tuple[Edit, ...]] = []
        lacking = ""
        for spellings in choices:
            for edits in spellings:
                try:
                    if self._reads(edits, goal):
                        fitting.append(edits)
                        break
                except NotKept as error:
                    lacking = str(error)
        if len(fitting) == 1:
            return fitting[0]
        if not fitting and lacking:
            raise NoPatch(Refusal.NOT_KEPT, lacking)
        how_many = f"{len(fitting)} edits" if fitting else "no edit"
        raise NoPatch(Refusal.NOT_IN_SOURCE, f"{how_many} of the source would say what is meant")

    def _check_proven(self, goal: Reading) -> None:
        """Raise `NoPatch` unless every proven step says in `goal` what it says now, in
        the same order."""
        for number, steps in enumerate(self.reading.procedures):
            left = iter(goal.procedures[number])
            for at, step in enumerate(steps):
                if (number, at) in self.proven and step not in left:
                    reason = "a step would change that the walk proved as it is written"
                    raise NoPatch(Refusal.AS_WRITTEN, reason)

    def _reads(self, edits: tuple[Edit, ...], goal: Reading) -> bool:
        if not self.left:
            raise NoPatch(Refusal.NOT_IN_SOURCE, f"more than {MAX_ATTEMPTS} edits are possible")
        self.left -= 1
        body = self.source.edited(edits).encoded()
        charset = "" if self.source.bom else f"; charset={self.source.charset}"
        try:
            document = load(self.name, body, self.media_type + charset)
        except ProofwalkError:
            return False
        return reading_of(document) == goal
