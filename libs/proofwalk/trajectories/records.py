"""What a trajectory holds, as types: one `EpisodeRecord`, a `StepRecord` for each step,
one `EndingRecord`.

A step is kept so that training and replay see exactly what inference saw: the
observation whole, the messages as they were sent (history compressed as it was then),
the answer with its tokens and log-probabilities where the model served them, and what
the action led to. Pictures are content addresses (`chassis.blobs`): one that is seen
twice is stored once. No secret is in any of it: observations come masked, and
`recorder` masks every text again. `schema` says how these types lie in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from proofwalk.console.observation import Observation


@dataclass(frozen=True, kw_only=True)
class SubStepText:
    """A sub-step of the procedure, as the policy was given it."""

    number: str
    text: str
    line: int
    optional: bool = False


@dataclass(frozen=True, kw_only=True)
class EpisodeRecord:
    """What is known when an episode's walk begins."""

    episode_id: str
    verification_id: str = ""
    number: int = 1
    """The episode's number within its verification, from 1."""
    trace_id: str = ""
    """Of the distributed trace that logs and spans carry."""
    target: str = ""
    policy: str = ""
    document: str = ""
    document_digest: str = ""
    procedure_id: str = ""
    title: str = ""
    substeps: tuple[SubStepText, ...] = ()
    scenario: str = ""
    region: str = ""
    seed: str = ""
    resources: str = ""
    """What was provisioned, in words."""
    viewport: tuple[int, int] = (0, 0)
    """Width and height in CSS pixels, at scale 1: pictures have the same size."""
    started_at: datetime


@dataclass(frozen=True, kw_only=True)
class EndingRecord:
    """How the episode ended. What that earns is not stored: `kernel.reward` says it."""

    outcome: str = ""
    """An `OutcomeKind`; empty when nobody judged it."""
    cause: str = ""
    code: str = ""
    reason: str = ""
    evidence: str = ""
    """What the outcome rests on: an `Evidence`; empty in files of schema version 1."""
    complete: bool = True
    """False when the recording broke off: the worker died, and at most the step that it
    was at is missing."""


@dataclass(frozen=True, kw_only=True)
class MessageRecord:
    """One message of a question to a model."""

    role: str
    text: str
    images: tuple[str, ...] = ()
    """Content addresses of the pictures behind the text, in their order."""


@dataclass(frozen=True, kw_only=True)
class ExchangeRecord:
    """One question and its answer; those whose answer could not be used are kept
    too."""

    messages: tuple[MessageRecord, ...]
    form: str = ""
    """How the answer was constrained: schema, json or text."""
    text: str = ""
    finish_reason: str = ""
    model: str = ""
    """As its endpoint names it, version included where the endpoint does so."""
    prompt_token_ids: tuple[int, ...] = ()
    token_ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    """Natural logarithms, one for each of `token_ids`; empty when none were served."""
    constrained_logprobs: tuple[float, ...] = ()
    """Likewise, among the tokens that the answer's form left."""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    counted: bool = True
    """Whether the endpoint counted the tokens; else they are estimated."""
    seconds: float = 0.0
    error: str = ""
    """Why the answer could not be used; empty when it could."""


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Where a step's time went, in milliseconds."""

    observe_ms: float = 0.0
    """One look, the wait for a quiet page included."""
    settle_ms: float | None = None
    """The part of `observe_ms` that was that wait; None when the environment does not
    tell."""
    decide_ms: float = 0.0
    perform_ms: float = 0.0


@dataclass(frozen=True, kw_only=True)
class StepRecord:
    """One step: a look, a decision, an action, a result."""

    step: int
    """Number within the episode, from 1."""
    substep: str
    substep_index: int
    thought: str
    action: str
    """The action as JSON; `{}` when the policy's answer could not be read."""
    result: str
    ok: bool
    url: str
    title: str
    started_at: datetime
    ended_at: datetime
    timing: Timing = field(default_factory=Timing)
    observation: Observation | None = None
    """Without pictures, which are the two addresses below."""
    screenshot: str = ""
    """Content address of the JPEG with marks, as a policy gets it; empty when none was
    taken."""
    raw_screenshot: str = ""
    """The same without marks."""
    exchanges: tuple[ExchangeRecord, ...] = ()
    confidence: float = 1.0
    cost: float = 0.0
    currency: str = ""
    by: str = ""
    """Who decided, where several may."""
    notes: tuple[str, ...] = ()
    model: str = ""
    malformed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
