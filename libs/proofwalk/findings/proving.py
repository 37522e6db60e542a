"""Looks for a text of a document that a walk verifies: patches what a walk found, walks
the patched text, patches what that walk found further on.

The search is best first. What waits to be walked is ordered by how many of its edits
are hypotheses, then by how many rounds led to it, then by the order of
`patching.options_of`. A text is proven if its walk is verified and notes nothing but
what had no patch before; with a hypothesis in it the audit log must be what verifies
it. A walk that says nothing is made once more. If that one says nothing either, the
search ends without a result: a weaker text may be verified only because the better one
was never walked. The walks are bounded by document (`Bounds`).

Pure but for `Walk` and `Look`, which the caller brings.
"""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from proofwalk.findings.attempts import Refusal
from proofwalk.findings.hypotheses import Candidate
from proofwalk.findings.patching import Options, Refused, touch
from proofwalk.findings.source import Edit, Source
from proofwalk.findings.walked import Walked, WalkEnd
from proofwalk.kernel.outcomes import Finding

Walk = Callable[[str], Awaitable[Walked]]
"""Walks a text of the document with the document's own order."""
Look = Callable[[Walked, str], Awaitable[Sequence[Options]]]
"""Returns what may be edited in this text for each finding of its walk."""
Fault = tuple[str, str]
"""Kind and sentence of a finding."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How much is walked for one document."""

    walks: int = 6
    rounds: int = 3
    """Walks of which each found what the next text mends."""
    guesses: int = 2
    """Hypotheses in one text: the more there are, the less their proof says of each."""


@dataclass(frozen=True, kw_only=True)
class Hunk:
    """The edit for one finding, in the text of its round (the first is 1)."""

    finding: Finding
    candidate: Candidate
    round: int


@dataclass(frozen=True, kw_only=True)
class Version:
    """A text of the document, with what led to it."""

    text: str
    hunks: tuple[Hunk, ...]
    unpatched: frozenset[Fault] = frozenset()
    """What was found and has no edit in this text."""

    @property
    def guesses(self) -> int:
        return sum(hunk.candidate.is_hypothesis for hunk in self.hunks)

    @property
    def rounds(self) -> int:
        return max((hunk.round for hunk in self.hunks), default=0)

    @property
    def what(self) -> str:
        """What its edits do, in a few words."""
        return "; ".join(hunk.candidate.what for hunk in self.hunks)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A version that was walked, and how that ended."""

    version: Version
    end: WalkEnd
    reason: str = ""


@dataclass(kw_only=True)
class Proof:
    """What came of a search."""

    version: Version | None = None
    """The text that a walk verifies."""
    trials: list[Trial] = field(default_factory=list)
    is_cut_short: bool = False
    """The environment failed a walk twice."""

    @property
    def refusal(self) -> Refused:
        """Why nothing is proven."""
        if self.is_cut_short:
            return Refused(code=Refusal.PROOF_FAILED, reason=self.trials[-1].reason)
        if not self.trials:
            reason = "nothing can be edited for what ends the walk"
            return Refused(code=Refusal.NOT_PROVEN, reason=reason)
        reasons = [f"{trial.version.what}: {trial.reason}" for trial in self.trials]
        return Refused(code=Refusal.NOT_PROVEN, reason=" | ".join(reasons))


async def prove(
    first: Walked, text: str, *, walk: Walk, look: Look, bounds: Bounds | None = None
) -> Proof:
    """Look for a verified text. `first` is the walk of `text` as it is written."""
    bounds = bounds or Bounds()
    search = _Search(walk=walk, look=look, bounds=bounds)
    await search.expand(Version(text=text, hunks=()), first)
    await search.run()
    return search.proof


@dataclass(kw_only=True)
class _Search:
    walk: Walk
    look: Look
    bounds: Bounds
    proof: Proof = field(default_factory=Proof)
    waiting: list[tuple[int, int, int, Version]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    order: Iterator[int] = field(default_factory=count)

    async def run(self) -> None:
        while self.waiting and len(self.proof.trials) < self.bounds.walks:
            version = heapq.heappop(self.waiting)[-1]
            walked = await self._walked(version)
            if self.proof.is_cut_short:
                return
            if walked.end is WalkEnd.VERIFIED and not _why_not(version, walked):
                self.proof.version = version
                return
            if version.rounds < self.bounds.rounds:
                await self.expand(version, walked)

    async def _walked(self, version: Version) -> Walked:
        while True:
            walked = await self.walk(version.text)
            reason = _why_not(version, walked)
            self.proof.trials.append(Trial(version=version, end=walked.end, reason=reason))
            if walked.end is not WalkEnd.UNTOLD:
                return walked
            is_second = sum(one.version is version for one in self.proof.trials) == 2
            if is_second or len(self.proof.trials) == self.bounds.walks:
                self.proof.is_cut_short = True
                return walked

    async def expand(self, version: Version, walked: Walked) -> None:
        """Put what may be edited after this walk among what waits, if it found anything
        that no walk before it did."""
        known = {_fault(hunk.finding) for hunk in version.hunks} | version.unpatched
        if all(_fault(one.finding) in known for one in walked.observed):
            return
        options = await self.look(walked, version.text)
        for hunks in _choices(walked, options, version.rounds + 1):
            edits = [edit for hunk in hunks for edit in hunk.candidate.edits]
            text = Source.read(version.text.encode("utf-8")).edited(edits).text
            if text in self.seen:
                continue
            self.seen.add(text)
            patched = {_fault(hunk.finding) for hunk in hunks}
            found = {_fault(one.finding) for one in walked.observed}
            longer = Version(
                text=text,
                hunks=(*version.hunks, *hunks),
                unpatched=version.unpatched | (found - patched),
            )
            if longer.guesses > self.bounds.guesses:
                continue
            rank = (longer.guesses, longer.rounds, next(self.order))
            heapq.heappush(self.waiting, (*rank, longer))


def _choices(walked: Walked, options: Sequence[Options], round_: int) -> Iterator[tuple[Hunk, ...]]:
    """Yield the edits to make together: all that have evidence, then each hypothesis
    with the evident edits of the other findings. Where a finding ended the walk, all
    have an edit for it, since another walk would end there again."""
    ending = next((one.finding for one in walked.observed if not one.went_on), None)
    pairs = list(zip(walked.observed, options, strict=True))
    evident = [
        Hunk(finding=one.finding, candidate=option.candidates[0], round=round_)
        for one, option in pairs
        if option.refusal is None
    ]
    if evident and (ending is None or any(hunk.finding is ending for hunk in evident)):
        yield tuple(evident)
    for one, option in pairs:
        for candidate in option.candidates:
            if not candidate.is_hypothesis:
                continue
            others = [
                hunk
                for hunk in evident
                if hunk.finding is not one.finding
                and not touch(candidate.edits, hunk.candidate.edits)
            ]
            yield (Hunk(finding=one.finding, candidate=candidate, round=round_), *others)


def _why_not(version: Version, walked: Walked) -> str:
    """Return why a walk does not prove a version; empty if it does."""
    if walked.end is not WalkEnd.VERIFIED:
        return f"the patched document ended {walked.reason}"
    if version.guesses and not walked.by_audit:
        return "the patched document is verified, but not by the audit log"
    for one in walked.observed:
        if _fault(one.finding) not in version.unpatched:
            return f"the walk of the patched document notes: {one.finding.message}"
    return ""


def _fault(finding: Finding) -> Fault:
    return finding.kind.value, finding.sentence


def edits_of(hunks: Sequence[Hunk], round_: int) -> list[Edit]:
    """Return the edits of one round."""
    return [edit for hunk in hunks if hunk.round == round_ for edit in hunk.candidate.edits]
