"""Patches of wrong documents: proposed from their findings, proven by a walk, written.

A document's patch has the edits of all its findings from which any follow. It is made
in the file in which the sentence stands. It is proven with the text that was sent,
which for a page of a folder has its includes in place: the same edits are made in that
text, and the same order is given with it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from proofwalk.chassis.readers import Reading
from proofwalk.cli.documents import Request
from proofwalk.cli.report_options import Reports
from proofwalk.cli.verification import Progress, Result, verify_requests
from proofwalk.findings.attempts import Refusal
from proofwalk.findings.confined import Patcher
from proofwalk.findings.patching import (
    Observed,
    Patch,
    Proposal,
    Refused,
    joined,
    patched,
)
from proofwalk.findings.source import Source
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.outcomes import Finding, OutcomeKind
from proofwalk.orders.verification import VerdictBody, finding_of
from proofwalk.platform.client import Client


@dataclass(frozen=True, kw_only=True)
class DocumentPatch:
    """The patch of one document: a file's edits for each file that changes, and the
    text to walk for its proof (empty if there is none)."""

    result: Result
    files: tuple[Patch, ...]
    text: str

    @property
    def diff(self) -> bytes:
        return b"".join(one.diff for one in self.files)


@dataclass(kw_only=True)
class Proposals:
    """What is proposed for each finding, and for each document."""

    by_finding: dict[tuple[str, Finding], Patch | Refused] = field(default_factory=dict)
    by_document: list[DocumentPatch] = field(default_factory=list)

    def of(self, document: str, finding: Finding) -> Patch | Refused | None:
        """Return what is proposed for a finding; None if nobody asked."""
        return self.by_finding.get((document, finding))

    def drop(self, proposal: DocumentPatch, why: Refused) -> None:
        """Take a document's patch back, and say so at its findings."""
        self.by_document.remove(proposal)
        for key, patch in self.by_finding.items():
            if key[0] == proposal.result.document and isinstance(patch, Patch):
                self.by_finding[key] = why


async def propose(
    client: Client,
    results: Sequence[Result],
    reports: Reports,
    reading: Reading,
    *,
    ids: IdSource,
    progress: Progress,
) -> Proposals:
    """Return what follows from the findings of these results, proven if the options ask
    for it; nothing if they ask for no patch."""
    proposals = Proposals()
    if not reports.wants_patches:
        return proposals
    for result in results:
        await _propose_one(result, Patcher(reading=reading), proposals)
    if reports.prove:
        await prove(client, proposals, ids=ids, progress=progress)
    return proposals


async def prove(client: Client, proposals: Proposals, *, ids: IdSource, progress: Progress) -> None:
    """Walk every patched document with its own order. Drop the patches after which a
    document is not verified, or its walk notes what no walk before it did."""
    walkable = [one for one in proposals.by_document if one.text]
    results = await verify_requests(
        client, [_patched_request(one) for one in walkable], ids=ids, progress=progress
    )
    ends = {one.result.document: end for one, end in zip(walkable, results, strict=True)}
    for proposal in tuple(proposals.by_document):
        end = ends.get(proposal.result.document)
        reason = _why_not(proposals, proposal, end)
        if reason:
            proposals.drop(proposal, Refused(code=Refusal.NOT_PROVEN, reason=reason))


def patch_files(proposals: Proposals) -> dict[str, bytes]:
    """Return the patches by the names of their files."""
    names = [_stem(one.result) for one in proposals.by_document]
    times = Counter(names)
    return {
        f"{name}{'' if times[name] == 1 else f'-{number}'}.patch": proposal.diff
        for number, (name, proposal) in enumerate(
            zip(names, proposals.by_document, strict=True), start=1
        )
    }


async def _propose_one(result: Result, patcher: Patcher, proposals: Proposals) -> None:
    if result.verification is None or result.as_sent is None or result.request is None:
        return
    at_home = _observed(result.document, result.verification["verdict"])
    as_sent = _observed(result.document, result.as_sent)
    files: list[Patch] = []
    accepted: list[Observed] = []
    for name in dict.fromkeys(one.finding.file for one in at_home):
        pairs = [
            (home, sent)
            for home, sent in zip(at_home, as_sent, strict=True)
            if home.finding.file == name
        ]
        body = await asyncio.to_thread(_body, name)
        edits = await _edits(patcher, [home for home, _ in pairs], name, body)
        for (home, sent), one in zip(pairs, edits, strict=True):
            key = (result.document, home.finding)
            if isinstance(one, Refused):
                proposals.by_finding[key] = one
            elif body is not None:
                proposals.by_finding[key] = patched(name, body, one)
                accepted.append(sent)
        if body is not None and joined(edits):
            files.append(patched(name, body, joined(edits)))
    if files:
        text = await _text_to_walk(patcher, accepted, result.request)
        proposals.by_document.append(DocumentPatch(result=result, files=tuple(files), text=text))


async def _edits(
    patcher: Patcher, observed: Sequence[Observed], name: str, body: bytes | None
) -> list[Proposal]:
    if body is None:
        return [_no_file(name)] * len(observed)
    try:
        return await patcher.propose(observed, body)
    except ProofwalkError as error:
        return [Refused(code=Refusal.UNREADABLE, reason=error.message)] * len(observed)


async def _text_to_walk(patcher: Patcher, observed: Sequence[Observed], request: Request) -> str:
    """Return the text that was sent with the same edits; empty if one cannot be
    made."""
    body = (request.asked.document.text if request.asked is not None else "").encode("utf-8")
    edits = await _edits(patcher, observed, request.name, body)
    if any(isinstance(one, Refused) for one in edits):
        return ""
    return Source.read(body).edited(joined(edits)).text


def _observed(document: str, verdict: VerdictBody) -> list[Observed]:
    ended = verdict.get("finding")
    bodies = [(ended, False)] if ended else []
    bodies += [(one, True) for one in verdict.get("noted", ())]
    return [
        Observed(finding=finding_of(body, document=document), went_on=went_on)
        for body, went_on in bodies
    ]


def _no_file(name: str) -> Refused:
    return Refused(code=Refusal.NO_FILE, reason=f"{name} is no file that can be read")


def _body(file: str) -> bytes | None:
    try:
        return None if "://" in file else Path(file).read_bytes()
    except OSError:
        return None


def _patched_request(proposal: DocumentPatch) -> Request:
    request = proposal.result.request
    assert request is not None, "a proposal is of what was asked for"
    assert request.asked is not None, "and of what was walked"
    document = request.asked.document.model_copy(update={"text": proposal.text})
    asked = request.asked.model_copy(update={"document": document})
    return replace(request, asked=asked, name=f"{request.name} (patched)", expansion=None)


def _why_not(proposals: Proposals, proposal: DocumentPatch, end: Result | None) -> str:
    """Return why a walk proves no patch; empty if it does. What is still noted must be
    what had no patch."""
    if end is None:
        return "the patch could not be made in the text that was walked"
    if end.verification is None or end.as_sent is None:
        return f"the patched document was refused: {end.error}"
    verdict = end.verification["verdict"]
    if end.outcome != OutcomeKind.VERIFIED:
        return f"the patched document ended {end.outcome}: {verdict.get('reason', '')}"
    unpatched = {
        (finding.kind, finding.sentence)
        for (document, finding), patch in proposals.by_finding.items()
        if document == proposal.result.document and isinstance(patch, Refused)
    }
    for one in _observed(end.document, end.as_sent):
        if (one.finding.kind, one.finding.sentence) not in unpatched:
            return f"the walk of the patched document notes: {one.finding.message}"
    return ""


def _stem(result: Result) -> str:
    return result.request.report if result.request is not None else "document"
