"""Verdicts on episodes and steps: the rules that drop them, by name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EpisodeRule(StrEnum):
    """Why an episode gives no sample."""

    UNTOLD = "untold"
    """It says nothing about the policy: the environment failed, the judges disagreed,
    it was cancelled or refused."""
    AGENT_FAILURE = "agent_failure"
    FALSE_REPORT = "false_report"
    """It blames a document in which nothing is wrong."""
    WRONG_SENTENCE = "wrong_sentence"
    """The document is wrong, but not where or not in the way that it says."""
    MISSED_DEFECT = "missed_defect"
    """It was verified although something is wrong in the document: the teacher passed
    over it."""
    BROKEN_OFF = "broken_off"
    """The recording is not whole."""
    UNPREPARED = "unprepared"
    """What the document's phrases stood for is not known, so that what a policy was
    told cannot be rebuilt."""


class StepRule(StrEnum):
    """Why a step of a kept episode gives no sample."""

    UNREADABLE = "unreadable"
    """The answer could not be read."""
    UNSEEN = "unseen"
    """The recording does not hold the page."""
    CALL = "call"
    """It called a function, and a sample's question tells of none."""
    FAILED = "failed"
    INEFFECTIVE = "ineffective"
    """Nothing changed and nothing was read."""
    VAIN_LOOK = "vain_look"
    """It scrolled or pointed, and what the next step acts on was there before."""
    DETOUR = "detour"
    """It led to where the walk had been, without a trace."""
    UNFOUNDED = "unfounded"
    """It gives up with a finding that the document does not bear out, or with none."""
    JUDGED = "judged"
    BEFORE_REFUSAL = "before_refusal"
    """A step of a walk that gave up rightly, before it did, where only the refusal is
    to be learned."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What becomes of a step; `rule` is None for one that is kept."""

    rule: StepRule | None = None
    why: str = ""


KEPT = Verdict()
