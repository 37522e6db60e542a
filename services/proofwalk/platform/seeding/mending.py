"""The made-up documents as they read once somebody has mended them: with the very edit
that the inspection role proposes for the finding. Pure.

A walk of a mended document that is verified proves the patch, since the page of a
finding compares the two texts.
"""

from __future__ import annotations

from functools import cache

from proofwalk.findings.patching import Observed, Refused, options_of, patched
from proofwalk.kernel.outcomes import Finding
from proofwalk.platform.seeding.documents import SampleDocument


@cache
def mended(document: SampleDocument, fault: Finding) -> str:
    """The text without the fault; as it is where no edit follows from the finding."""
    body = document.text.encode()
    (options,) = options_of([Observed(finding=fault)], body)
    proposal = options.proposal
    if isinstance(proposal, Refused):
        return document.text
    return patched(fault.file, body, proposal).patched.decode()
