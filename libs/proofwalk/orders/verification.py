"""A verification as `/v1/verifications` shows it, as far as clients read it.

The contract is `rollout.v1.Verification`. Members that are not `Required` are missing
in answers of earlier releases, or until the verification is finished.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Required, TypedDict

from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import Finding, finding_kind


class FindingBody(TypedDict, total=False):
    """What is wrong with the document, and where."""

    kind: Required[str]
    line: Required[int]
    sentence: Required[str]
    file: str
    message: str
    candidates: Sequence[str]
    asked: str
    offered: str
    place: str
    way: Sequence[str]


def finding_of(body: FindingBody, *, document: str) -> Finding:
    """Return the finding that a body shows. `document` is its file if it names
    none."""
    return Finding(
        file=body.get("file") or document,
        line=int(body["line"]),
        sentence=body["sentence"],
        kind=finding_kind(body["kind"]),
        message=body.get("message", ""),
        candidates=tuple(body.get("candidates", ())),
        asked=body.get("asked", ""),
        offered=body.get("offered", ""),
        place=body.get("place", ""),
        way=tuple(body.get("way", ())),
    )


class VerdictBody(TypedDict, total=False):
    """How a verification ended."""

    outcome: Required[str]
    goal: str
    evidence: str
    cause: str
    code: str
    reason: str
    blame: str
    finding: FindingBody | None
    noted: Sequence[FindingBody]
    sightings: Sequence[SightingBody]
    second_sighting_seconds: float
    audit_events: Sequence[str]
    answer: str
    answered: Sequence[AnsweredFieldBody]
    judges: Sequence[JsonObject]
    substeps: Sequence[SubstepBody]
    seconds: float
    cost: float


class AnsweredFieldBody(TypedDict, total=False):
    """One field that was asked for, with what was answered."""

    name: Required[str]
    value: str
    verdict: Required[str]
    criterion: str


class SightingBody(TypedDict, total=False):
    """One episode's word on a finding."""

    episode: int
    outcome: str
    finding: FindingBody | None


class SubstepBody(TypedDict, total=False):
    """What became of one sub-step."""

    number: str
    text: str
    line: Required[int]
    status: str
    reason: str


class EpisodeBody(TypedDict, total=False):
    """An episode of a verification."""

    episode_id: str
    steps: int


class ProgressBody(TypedDict):
    """How far a walk is, in sub-steps."""

    done: int
    total: int
    message: str


class SignedInAsBody(TypedDict, total=False):
    """The role whose account signs in, and why that one."""

    role: str
    asked_by: str
    why: str
    code: str


class VerificationBody(TypedDict, total=False):
    """A verification."""

    verification_id: str
    document: str
    title: str
    target: str
    created_at: str
    state: str
    scenario: str
    signed_in_as: SignedInAsBody
    kept_meta: str
    """`ID@VERSION` of the META record that was kept for the document; empty for
    none."""
    progress: ProgressBody
    verdict: Required[VerdictBody]
    """Only of a finished one."""
    episodes: Sequence[EpisodeBody]
