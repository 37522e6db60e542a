"""What a walk says to whoever patches its document: what it observed, which steps it
proved as they are written, and whether it proves the text that it walked.

A walk that the environment failed, on which the judges split, or that was cancelled
says nothing (`WalkEnd.UNTOLD`), and is no evidence against the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from proofwalk.chassis.yaml_documents import YamlRefused, read_yaml
from proofwalk.findings.patching import Observed
from proofwalk.kernel.outcomes import Evidence, FindingKind, OutcomeKind, SubStepStatus
from proofwalk.orders.verification import VerdictBody, finding_of

_UNTOLD = (OutcomeKind.ENV_FAILURE, OutcomeKind.JUDGE_SPLIT, OutcomeKind.CANCELLED)


class WalkEnd(StrEnum):
    """What a walk says about the text that it walked."""

    VERIFIED = "verified"
    NOT_VERIFIED = "not_verified"
    UNTOLD = "untold"


@dataclass(frozen=True, kw_only=True)
class Walked:
    """A walk that is over."""

    end: WalkEnd
    reason: str = ""
    by_audit: bool = False
    """The audit log is what verifies it."""
    observed: tuple[Observed, ...] = ()
    """The finding that ended the walk first, then those beside it."""
    proven: tuple[int, ...] = ()
    """Lines on which the steps begin that were walked as they are written, and about
    which nothing was found."""

    def with_values(self, meta: str) -> Walked:
        """Return the walk with the values that a META record binds to phrases which
        name a field that the document leaves out. A record that cannot be read has
        none."""
        binds = _binds(meta)
        observed = (replace(one, values=_values(one, binds)) for one in self.observed)
        return replace(self, observed=tuple(observed))


def walked_of(verdict: VerdictBody, *, document: str) -> Walked:
    """Return the walk of a verdict. `document` is the file of findings that name
    none."""
    ended = verdict.get("finding")
    outcome = OutcomeKind(verdict["outcome"])
    is_certain = outcome is OutcomeKind.DOC_DEFECT
    observed = [
        Observed(finding=finding_of(body, document=document), is_certain=is_certain)
        for body in ([ended] if ended else [])
    ]
    observed += [
        Observed(finding=finding_of(body, document=document), went_on=True)
        for body in verdict.get("noted", ())
    ]
    end = WalkEnd.VERIFIED if outcome is OutcomeKind.VERIFIED else WalkEnd.NOT_VERIFIED
    return Walked(
        end=WalkEnd.UNTOLD if outcome in _UNTOLD else end,
        reason=f"{outcome}: {verdict.get('reason', '')}",
        by_audit=verdict.get("evidence") == Evidence.AUDIT,
        observed=tuple(observed),
        proven=_proven(verdict, [one.finding.line for one in observed]),
    )


def _proven(verdict: VerdictBody, found_on: list[int]) -> tuple[int, ...]:
    steps = verdict.get("substeps", ())
    lines = sorted({step["line"] for step in steps})
    wrong = {max((line for line in lines if line <= one), default=0) for one in found_on}
    verified = {step["line"] for step in steps if step.get("status") == SubStepStatus.VERIFIED}
    unproven = {step["line"] for step in steps} - verified
    return tuple(sorted(verified - unproven - wrong))


def _binds(meta: str) -> dict[str, str]:
    try:
        record = read_yaml(meta) if meta else None
    except YamlRefused:
        return {}
    binds = record.get("binds") if isinstance(record, Mapping) else None
    if not isinstance(binds, Mapping):
        return {}
    return {
        phrase: value
        for phrase, value in binds.items()
        if isinstance(phrase, str) and isinstance(value, str) and "${" not in value
    }


def _values(one: Observed, binds: Mapping[str, str]) -> tuple[str, ...]:
    if one.finding.kind is not FindingKind.MISSING_STEP or not one.finding.offered:
        return ()
    field = one.finding.offered.casefold().split()
    return tuple(
        dict.fromkeys(
            value
            for phrase, value in binds.items()
            if value and set(field) <= set(phrase.casefold().split())
        )
    )
