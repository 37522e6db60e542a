"""Findings in documents written out, and what is proposed for them."""

from __future__ import annotations

from proofwalk.findings.attempts import Refusal
from proofwalk.findings.patching import Observed, Patch, Refused, options_of, patched
from proofwalk.kernel.outcomes import Finding, FindingKind


def finding(
    kind: FindingKind, line: int, sentence: str, asked: str = "", offered: str = ""
) -> Finding:
    """A finding in a document that `patch_of` names."""
    return Finding(
        file="a.md",
        line=line,
        sentence=sentence,
        kind=kind,
        message="it differs",
        asked=asked,
        offered=offered,
    )


def patch_of(one: Finding, body: bytes, *, went_on: bool = False) -> Patch | Refused:
    (options,) = options_of([Observed(finding=one, went_on=went_on)], body)
    proposal = options.proposal
    return proposal if isinstance(proposal, Refused) else patched(one.file, body, proposal)


def text_of(one: Finding, text: str, *, went_on: bool = False) -> str:
    """The patched text; there is a patch."""
    patch = patch_of(one, text.encode(), went_on=went_on)
    assert isinstance(patch, Patch), patch
    return patch.patched.decode()


def refusal_of(one: Finding, body: bytes, *, went_on: bool = False) -> Refusal:
    """The code; there is no patch."""
    patch = patch_of(one, body, went_on=went_on)
    assert isinstance(patch, Refused), patch.patched.decode()
    assert patch.reason
    return patch.code
