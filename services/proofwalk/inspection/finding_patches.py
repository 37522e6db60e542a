"""The patch of a stored finding: proposed anew each time, from the text that its newest
walk read.

A patch is proven if a walk has verified a document with exactly this edit: that walk is
the one that showed the finding to be gone (`Life.proof`), and its document's text is
the patched text. Anything else that was changed with it proves nothing of the edit
alone. How an edit follows from a finding: `proofwalk.findings.patching`.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofwalk.chassis.readers import Reading
from proofwalk.findings.confined import Patcher
from proofwalk.findings.patching import Observed, Refused, patched
from proofwalk.inspection.finding_domain import Certainty
from proofwalk.inspection.finding_reports import FetchDocument
from proofwalk.inspection.finding_usecases import Findings
from proofwalk.kernel.callers import Caller

NO_DOCUMENT = "patch.no_document"


@dataclass(frozen=True, kw_only=True)
class ProposedPatch:
    """An edit as a unified diff, or why there is none."""

    verification_id: str
    """Whose document is edited; empty where none is named."""
    diff: str = ""
    code: str = ""
    reason: str = ""
    proven_by: str = ""
    """The verification of the patched document; empty where none is known."""


class Patches:
    """Proposes patches of stored findings."""

    def __init__(self, *, findings: Findings, document: FetchDocument, reading: Reading) -> None:
        self._findings = findings
        self._document = document
        self._patcher = Patcher(reading=reading)

    async def propose(self, finding_id: str, *, caller: Caller) -> ProposedPatch:
        """Raises `finding.not_found`, and what the document's text is refused for."""
        history = await self._findings.read(finding_id, caller=caller)
        stored, newest = history.finding, next(iter(history.sightings), None)
        if newest is None:
            return _none("", NO_DOCUMENT, "no walk is named that saw it")
        text = await self._document(newest.verification_id, caller)
        if text is None:
            reason = "the text that the walk read is not kept any more, or is too long"
            return _none(newest.verification_id, NO_DOCUMENT, reason)
        body = text.encode()
        observed = Observed(finding=stored.finding, went_on=newest.certainty is Certainty.NOTED)
        (options,) = await self._patcher.options([observed], body)
        proposal = options.proposal
        if isinstance(proposal, Refused):
            return _none(newest.verification_id, proposal.code, proposal.reason)
        patch = patched(stored.finding.file, body, proposal)
        proof = stored.life.proof
        is_proven = bool(proof) and await self._document(proof, caller) == patch.patched.decode()
        return ProposedPatch(
            verification_id=newest.verification_id,
            diff=patch.diff.decode(),
            proven_by=proof if is_proven else "",
        )


def _none(verification_id: str, code: str, reason: str) -> ProposedPatch:
    return ProposedPatch(verification_id=verification_id, code=code, reason=reason)
