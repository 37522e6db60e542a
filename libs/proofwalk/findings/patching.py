"""The patch of a finding: the smallest edit of the document's own source that follows
from what the walk saw.

By the finding's kind: other words in its sentence (`wording`), a step more, or a step
less (`steps`). `propose` reads a stranger's document several times; services and
commands have it done in a process of its own (`confined`). What it returns are edits of
characters, which `patched` makes into a patch. A patch is only a proposal. It is proven
by walking the patched document, which callers do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proofwalk.findings import steps
from proofwalk.findings.attempts import Attempts, NoPatch, Refusal
from proofwalk.findings.source import Edit, NotKept, Source, unified_diff
from proofwalk.findings.units import Place, places_of, reading_of
from proofwalk.findings.wording import reworded
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.procedures.loading import HTML, MARKDOWN, RST, load
from proofwalk.procedures.model import Document

_REWORDED = (
    FindingKind.RENAMED,
    FindingKind.MOVED,
    FindingKind.WRONG_VALUE,
    FindingKind.DISABLED,
    FindingKind.WRONG_OUTCOME,
)


@dataclass(frozen=True, kw_only=True)
class Refused:
    """No edit follows from a finding."""

    code: Refusal
    reason: str


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """An edit by 1-based lines and columns, which count characters; the end is the
    place behind the last one."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A document's source with a finding's edits. `file` is as the finding names it."""

    file: str
    edits: tuple[Edit, ...]
    patched: bytes
    diff: bytes
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True, kw_only=True)
class Observed:
    """A finding of a walk. `went_on` says that the walk did without what the finding
    misses."""

    finding: Finding
    went_on: bool = False


Proposal = tuple[Edit, ...] | Refused
"""Edits of a file's text, or why there are none."""


def propose_all(
    observed: Sequence[Observed], body: bytes, media_type: str | None = None
) -> list[Proposal]:
    """Return what is proposed for each finding in one file. Edits of the second of two
    findings that touch those of the first are refused, so that all that are left can be
    made together."""
    proposals: list[Proposal] = []
    edits: list[Edit] = []
    for one in observed:
        proposal = propose(one.finding, body, media_type, went_on=one.went_on)
        if not isinstance(proposal, Refused):
            if any(
                own.begin <= other.end and other.begin <= own.end
                for own in proposal
                for other in edits
            ):
                reason = "another finding's patch changes the same words"
                proposal = Refused(code=Refusal.OVERLAPS, reason=reason)
            else:
                edits += proposal
        proposals.append(proposal)
    return proposals


def joined(proposals: Iterable[Proposal]) -> tuple[Edit, ...]:
    """Return the edits of all proposals that have any."""
    return tuple(edit for one in proposals if not isinstance(one, Refused) for edit in one)


def propose(
    finding: Finding, body: bytes, media_type: str | None = None, *, went_on: bool = False
) -> Proposal:
    """Return what is proposed for one finding. Raises nothing but `MemoryError` and the
    like."""
    try:
        document = load(finding.file, body, media_type)
        source = Source.read(body, media_type)
    except ProofwalkError as error:
        return Refused(code=Refusal.UNREADABLE, reason=error.message)
    except NotKept as error:
        return Refused(code=Refusal.NOT_KEPT, reason=str(error))
    try:
        return _edits(finding, document, source, went_on=went_on)
    except NoPatch as refusal:
        return Refused(code=refusal.code, reason=refusal.reason)


def patched(
    file: str, body: bytes, edits: tuple[Edit, ...], media_type: str | None = None
) -> Patch:
    """Return the patch of edits that `propose` returned for the same bytes."""
    source = Source.read(body, media_type)
    text = source.edited(edits).encoded()
    return Patch(
        file=file,
        edits=edits,
        patched=text,
        diff=unified_diff(body, text, file.removeprefix("./").lstrip("/")),
        replacements=tuple(_replacement(source, edit) for edit in edits),
    )


def _edits(
    finding: Finding, document: Document, source: Source, *, went_on: bool
) -> tuple[Edit, ...]:
    if document.media_type not in (MARKDOWN, RST, HTML):
        raise NoPatch(Refusal.FORMAT, f"{document.media_type} is not patched")
    place = _place(finding, document)
    attempts = Attempts(
        name=finding.file,
        media_type=document.media_type,
        source=source,
        reading=reading_of(document),
    )
    offered = " ".join(finding.offered.split())
    if finding.kind in _REWORDED:
        is_way = finding.kind is FindingKind.MOVED
        return reworded(attempts, place, finding.asked, offered, is_way=is_way)
    if finding.kind is FindingKind.MISSING_STEP:
        return steps.inserted(attempts, document, place, offered)
    if not went_on:
        reason = "the walk did not go on without it, so the step may be wrong in another way"
        raise NoPatch(Refusal.NO_EVIDENCE, reason)
    return steps.removed(attempts, document, place)


def _place(finding: Finding, document: Document) -> Place:
    places = places_of(document, finding.line, finding.sentence)
    if len(places) != 1:
        times = f"{len(places)} times" if places else "not"
        raise NoPatch(Refusal.NO_SENTENCE, f"the sentence stands {times} in {finding.file}")
    return places[0]


def _replacement(source: Source, edit: Edit) -> Replacement:
    line, column = source.position(edit.begin)
    end_line, end_column = source.position(edit.end)
    return Replacement(
        line=line, column=column, end_line=end_line, end_column=end_column, text=edit.text
    )
