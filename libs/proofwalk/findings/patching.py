"""The patch of a finding: the smallest edit of the document's own source that follows
from what the walk saw.

By the finding's kind: other words in its sentence (`wording`), a step more, or a step
less (`steps`). `options_of` returns every edit that is worth a walk: first the one with
evidence, then those without (`hypotheses`). It reads a stranger's document several
times; services and commands have it done in a process of its own (`confined`). An edit
is of characters, and `patched` makes a patch of it. A patch is only a proposal. Walking
the patched document proves it (`proving`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from proofwalk.findings import steps
from proofwalk.findings.attempts import Attempts, NoPatch, Refusal
from proofwalk.findings.hypotheses import MAX_CANDIDATES, Candidate, hypotheses
from proofwalk.findings.source import Edit, NotKept, Source, unified_diff
from proofwalk.findings.units import Place, places_of, reading_of
from proofwalk.findings.wording import reworded
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Finding, FindingKind, LaterKind
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
    """A finding of a walk."""

    finding: Finding
    went_on: bool = False
    """The walk did without what the finding misses."""
    is_certain: bool = False
    """Two episodes saw it."""
    values: tuple[str, ...] = ()
    """What may be set in a field that the document leaves out."""


Proposal = tuple[Edit, ...] | Refused
"""Edits of a file's text, or why there are none."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What may be edited for a finding, best first; `refusal` says why nothing follows
    from the evidence."""

    candidates: tuple[Candidate, ...] = ()
    refusal: Refused | None = None

    @property
    def proposal(self) -> Proposal:
        """What is proposed without a walk that proves it."""
        if self.refusal is None:
            return self.candidates[0].edits
        if not self.candidates:
            return self.refusal
        reason = f"{self.refusal.reason}; a walk may prove {self.candidates[0].what} (--prove)"
        return Refused(code=Refusal.NEEDS_PROOF, reason=reason)


def options_of(
    observed: Sequence[Observed],
    body: bytes,
    media_type: str | None = None,
    *,
    proven: Sequence[int] = (),
) -> list[Options]:
    """Return what may be edited for each finding in one file. The steps that begin on
    the lines `proven` stay as they are. Of two findings whose evident edits touch, the
    second has none, so that all that are left can be made together."""
    options: list[Options] = []
    edits: list[Edit] = []
    for one in observed:
        option = _options(one, body, media_type, frozenset(proven))
        if option.refusal is None:
            if touch(option.candidates[0].edits, edits):
                reason = "another finding's patch changes the same words"
                refusal = Refused(code=Refusal.OVERLAPS, reason=reason)
                option = replace(option, candidates=option.candidates[1:], refusal=refusal)
            else:
                edits += option.candidates[0].edits
        options.append(option)
    return options


def touch(edits: Iterable[Edit], others: Iterable[Edit]) -> bool:
    """True if edits of both touch each other, so that they cannot be made together."""
    others = list(others)
    return any(
        one.begin <= other.end and other.begin <= one.end for one in edits for other in others
    )


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


def _options(one: Observed, body: bytes, media_type: str | None, proven: frozenset[int]) -> Options:
    finding = one.finding
    try:
        document = load(finding.file, body, media_type)
        attempts = Attempts(
            name=finding.file,
            media_type=document.media_type,
            source=Source.read(body, media_type),
            reading=reading_of(document),
            proven=_steps_on(document, proven),
        )
        place = _place(finding, document)
    except ProofwalkError as error:
        return _refused(Refusal.UNREADABLE, error.message)
    except NotKept as error:
        return _refused(Refusal.NOT_KEPT, str(error))
    except NoPatch as refusal:
        return _refused(refusal.code, refusal.reason)
    candidates: list[Candidate] = []
    refused: Refused | None = None
    try:
        candidates.append(_evident(one, attempts, document, place))
    except NoPatch as refusal:
        refused = Refused(code=refusal.code, reason=refusal.reason)
    if one.is_certain and not one.went_on:
        candidates += hypotheses(attempts, document, place, finding, values=one.values)
    return Options(candidates=tuple(candidates[:MAX_CANDIDATES]), refusal=refused)


def _refused(code: Refusal, reason: str) -> Options:
    return Options(refusal=Refused(code=code, reason=reason))


def _evident(one: Observed, attempts: Attempts, document: Document, place: Place) -> Candidate:
    """Return the edit that follows from the evidence. Raises `NoPatch`."""
    finding = one.finding
    if isinstance(finding.kind, LaterKind):
        reason = f"a later release calls it “{finding.kind.value}”, which this one does not know"
        raise NoPatch(Refusal.NO_EVIDENCE, reason)
    offered = " ".join(finding.offered.split())
    if finding.kind in _REWORDED:
        is_way = finding.kind is FindingKind.MOVED
        edits = reworded(attempts, place, finding.asked, offered, is_way=is_way)
        return Candidate(edits=edits, what=f"“{offered}” in the place of “{finding.asked}”")
    if finding.kind is FindingKind.MISSING_STEP:
        edits = steps.inserted(attempts, document, place, offered)
        return Candidate(edits=edits, what=f"a step that sets “{offered}”")
    if not one.went_on:
        reason = "the walk did not go on without it, so the step may be wrong in another way"
        raise NoPatch(Refusal.NO_EVIDENCE, reason)
    return Candidate(edits=steps.removed(attempts, document, place), what="the step taken out")


def _steps_on(document: Document, lines: frozenset[int]) -> frozenset[tuple[int, int]]:
    return frozenset(
        (number, at)
        for number, procedure in enumerate(document.procedures)
        for at, step in enumerate(procedure.substeps)
        if step.span.line in lines
    )


def _place(finding: Finding, document: Document) -> Place:
    """Return where the finding's sentence stands. Raises `NoPatch`."""
    if document.media_type not in (MARKDOWN, RST, HTML):
        raise NoPatch(Refusal.FORMAT, f"{document.media_type} is not patched")
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
