"""Patches of wrong documents: proposed from their findings, proven by walks, written.

What may be edited is looked for in the text that was walked, and taken over to the file
that the sentence stands in, which for a page of a folder may be an included one.
Without `--prove` a document's patch has the edits of all its findings from which any
follow. With it, the patch is a text that a walk verifies (`findings.proving`); what
that text mends may have been found by several walks, each one further on.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from proofwalk.chassis.readers import Reading
from proofwalk.cli.documents import Request
from proofwalk.cli.report_options import Reports
from proofwalk.cli.verification import Progress, Result, verify_requests
from proofwalk.findings.attempts import NoPatch, Refusal
from proofwalk.findings.confined import Patcher
from proofwalk.findings.manuscript import Manuscript, lines_of
from proofwalk.findings.patching import Options, Patch, Refused, patched
from proofwalk.findings.proving import Bounds, Hunk, Proof, edits_of, prove
from proofwalk.findings.source import unified_diff
from proofwalk.findings.walked import Walked, WalkEnd, walked_of
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.outcomes import Finding
from proofwalk.platform.client import Client

_AT_ONCE = 8
"""Documents whose patches are proven at a time."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """A file before and after a document's patch."""

    file: str
    before: bytes
    after: bytes

    @property
    def diff(self) -> bytes:
        return unified_diff(self.before, self.after, self.file.removeprefix("./").lstrip("/"))


@dataclass(frozen=True, kw_only=True)
class DocumentPatch:
    """The patch of one document: the files that change, and why each edit is made."""

    result: Result
    files: tuple[FileChange, ...]
    hunks: tuple[Hunk, ...] = ()

    @property
    def diff(self) -> bytes:
        """The diffs, behind comments that tell what each edit rests on. A proven edit
        of a later round names the line of the text that its walk walked."""
        lines = [_comment(hunk) for hunk in self.hunks]
        return "".join(lines).encode() + b"".join(one.diff for one in self.files)


@dataclass(kw_only=True)
class Proposals:
    """What is proposed for each finding, and for each document."""

    by_finding: dict[tuple[str, Finding], Patch | Refused] = field(default_factory=dict)
    by_document: list[DocumentPatch] = field(default_factory=list)

    def of(self, document: str, finding: Finding) -> Patch | Refused | None:
        """Return what is proposed for a finding; None if nobody asked."""
        return self.by_finding.get((document, finding))


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
    turns = asyncio.Semaphore(_AT_ONCE)
    walks = _Walks(client=client, ids=ids, progress=progress)
    bounds = Bounds(walks=reports.proof_walks) if reports.prove else None

    async def one(work: _Work) -> None:
        async with turns:
            await work.propose(walks, bounds)

    async with asyncio.TaskGroup() as tasks:
        for result in results:
            work = await _work_of(result, Patcher(reading=reading), proposals)
            if work is not None:
                tasks.create_task(one(work))
    order = [result.document for result in results]
    proposals.by_document.sort(key=lambda patch: order.index(patch.result.document))
    return proposals


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


@dataclass(frozen=True, kw_only=True)
class _Walks:
    """Walks other texts of a document with its own order."""

    client: Client
    ids: IdSource
    progress: Progress

    async def walk(self, request: Request, text: str) -> Walked:
        assert request.asked is not None, "a patch is of what was walked"
        document = request.asked.document.model_copy(update={"text": text})
        asked = request.asked.model_copy(update={"document": document})
        again = replace(request, asked=asked, name=f"{request.name} (patched)", expansion=None)
        (end,) = await verify_requests(self.client, [again], ids=self.ids, progress=self.progress)
        if end.as_sent is None:
            is_passing = end.error is not None and end.error.retryable
            reason = f"refused: {end.error}"
            return Walked(end=WalkEnd.UNTOLD if is_passing else WalkEnd.NOT_VERIFIED, reason=reason)
        return walked_of(end.as_sent, document=request.name)


@dataclass(frozen=True, kw_only=True)
class _Work:
    """A document with findings: the text that was walked, and its files."""

    result: Result
    request: Request
    patcher: Patcher
    proposals: Proposals
    manuscript: Manuscript
    walked: Walked
    at_home: tuple[Finding, ...]

    async def propose(self, walks: _Walks, bounds: Bounds | None) -> None:
        """Propose what follows, and prove it within `bounds` if there are any."""
        options = await self._look(self.walked, self.manuscript.text)
        evident: list[Hunk] = []
        for one, finding, option in zip(self.walked.observed, self.at_home, options, strict=True):
            patch = self._patch(finding, option)
            self.proposals.by_finding[self.result.document, finding] = patch
            if isinstance(patch, Patch):
                candidate = option.candidates[0]
                evident.append(Hunk(finding=one.finding, candidate=candidate, round=1))
        if bounds is None:
            self._keep(evident)
        elif any(option.candidates for option in options):
            rounds = bounds.rounds if self.manuscript.is_one_file else 1
            proof = await prove(
                self.walked,
                self.manuscript.text,
                walk=lambda text: walks.walk(self.request, text),
                look=self._look,
                bounds=replace(bounds, rounds=rounds),
            )
            self._conclude(proof)

    async def _look(self, walked: Walked, text: str) -> list[Options]:
        """Return what may be edited in a text. In the one that was sent, only what can
        be taken over to the files counts."""
        walked = walked.with_values(self.request.asked.meta if self.request.asked else "")
        try:
            options = await self.patcher.options(walked.observed, text.encode(), walked.proven)
        except ProofwalkError as error:
            refusal = Refused(code=Refusal.UNREADABLE, reason=error.message)
            return [Options(refusal=refusal) for _ in walked.observed]
        if text != self.manuscript.text:
            return options
        return [self._with_home(one) for one in options]

    def _with_home(self, option: Options) -> Options:
        refusal, candidates = option.refusal, []
        for candidate in option.candidates:
            try:
                self.manuscript.edited(candidate.edits)
            except NoPatch as error:
                refusal = refusal or Refused(code=error.code, reason=error.reason)
            else:
                candidates.append(candidate)
        return Options(candidates=tuple(candidates), refusal=refusal)

    def _patch(self, finding: Finding, option: Options) -> Patch | Refused:
        """Return the patch of a finding alone, for its place in a report."""
        proposal = option.proposal
        if isinstance(proposal, Refused):
            return proposal
        edits = self.manuscript.at_home(proposal).get(finding.file, ())
        body = self.manuscript.files.get(finding.file)
        if not edits or body is None:
            return Refused(code=Refusal.NOT_IN_SOURCE, reason="the edit is in another file")
        return patched(finding.file, body, edits)

    def _conclude(self, proof: Proof) -> None:
        """Keep what is proven; else say at each patch why it is not."""
        key = self.result.document
        hunks = proof.version.hunks if proof.version is not None else ()
        for one, finding in zip(self.walked.observed, self.at_home, strict=True):
            own = [hunk for hunk in hunks if hunk.round == 1 and hunk.finding == one.finding]
            proposed = self.proposals.by_finding[key, finding]
            if own:
                option = Options(candidates=(own[0].candidate,))
                self.proposals.by_finding[key, finding] = self._patch(finding, option)
            elif isinstance(proposed, Patch) or proposed.code is Refusal.NEEDS_PROOF:
                self.proposals.by_finding[key, finding] = proof.refusal
        self._keep(hunks)

    def _keep(self, hunks: Sequence[Hunk]) -> None:
        """Keep the patch that these edits make, round by round."""
        before = after = self.manuscript
        for round_ in sorted({hunk.round for hunk in hunks}):
            after = after.edited(edits_of(hunks, round_))
        changes = [
            FileChange(file=file, before=body, after=changed)
            for file, body in before.files.items()
            if body is not None and (changed := after.files[file]) is not None and changed != body
        ]
        if changes:
            patch = DocumentPatch(result=self.result, files=tuple(changes), hunks=tuple(hunks))
            self.proposals.by_document.append(patch)


async def _work_of(result: Result, patcher: Patcher, proposals: Proposals) -> _Work | None:
    """Return the work for a document; None if nothing was found in it."""
    request = result.request
    if result.verification is None or result.as_sent is None or request is None:
        return None
    walked = walked_of(result.as_sent, document=result.document)
    at_home = walked_of(result.verification["verdict"], document=result.document)
    if not walked.observed:
        return None
    text = request.asked.document.text if request.asked is not None else ""
    origins = lines_of(request.name, text)
    if request.expansion is not None and request.root is not None:
        lines = request.expansion.lines
        origins = tuple((str(request.root / one.file), one.line) for one in lines)
    names = dict.fromkeys(file for file, _ in origins)
    files = {name: await asyncio.to_thread(_bytes_of, name) for name in names}
    return _Work(
        result=result,
        request=request,
        patcher=patcher,
        proposals=proposals,
        manuscript=Manuscript(text=text, origins=origins, files=files),
        walked=walked,
        at_home=tuple(one.finding for one in at_home.observed),
    )


def _bytes_of(file: str) -> bytes | None:
    try:
        return None if "://" in file else Path(file).read_bytes()
    except OSError:
        return None


def _comment(hunk: Hunk) -> str:
    finding, how = hunk.finding, "proven by a walk alone" if hunk.candidate.is_hypothesis else ""
    parts = [f"{finding.file}:{finding.line}", hunk.candidate.what, finding.message, how]
    if hunk.round > 1:
        parts.append(f"found by walk {hunk.round}")
    return "# " + _SPACE.sub(" ", " | ".join(part for part in parts if part)) + "\n"


def _stem(result: Result) -> str:
    return result.request.report if result.request is not None else "document"
