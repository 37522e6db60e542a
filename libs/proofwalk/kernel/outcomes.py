"""What can come of an episode, a sub-step and a job: the vocabulary that runs from the
provisioner to the gradient.

`UNPROVEN` is a walk to its end that nothing contradicts and nothing proves: a claim is
no evidence. Only `VERIFIED`, `DOC_DEFECT` and `AGENT_FAILURE` say anything about the
document or the policy; the rest are excluded from every statistic, and are retried or
reported as what they are. An exception is never a reward of 0, and the agent's own
claim that it is done carries no weight. What an outcome earns, and on which evidence,
says `reward`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class OutcomeKind(StrEnum):
    """How an episode ended."""

    VERIFIED = "verified"
    UNPROVEN = "unproven"
    """Walked to its end; nothing contradicts it, and nothing that was accepted as
    evidence proves it."""
    DOC_DEFECT = "doc_defect"
    """A finding with two witnesses: seen in two episodes, and not contradicted by the
    log."""
    SUSPECTED = "suspected"
    """A finding with one witness, or with a contradiction."""
    AGENT_FAILURE = "agent_failure"
    ENV_FAILURE = "env_failure"
    JUDGE_SPLIT = "judge_split"
    CANCELLED = "cancelled"


class EnvCause(StrEnum):
    """Which part of the environment failed; set exactly when the kind is
    `ENV_FAILURE`."""

    PROVISION = "provision"
    QUOTA = "quota"
    ACCOUNT = "account"
    SANDBOX = "sandbox"
    MODEL = "model"
    AUDIT_LATE = "audit_late"


class Blame(StrEnum):
    """Who has to act on the result."""

    NOBODY = "nobody"
    DOCUMENT = "document"
    AGENT = "agent"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """An episode's typed end. `reason` is one plain sentence; `code` is the stable code
    of the error behind it, if any."""

    kind: OutcomeKind
    reason: str
    cause: EnvCause | None = None
    code: str = ""

    def __post_init__(self) -> None:
        if (self.kind is OutcomeKind.ENV_FAILURE) != (self.cause is not None):
            raise ValueError(
                f"an environment failure, and only that, names its cause: {self.kind} {self.cause}"
            )

    @property
    def retryable(self) -> bool:
        """Whether another attempt could say more: the environment's failures, and the
        agent's."""
        return self.kind in (
            OutcomeKind.ENV_FAILURE,
            OutcomeKind.AGENT_FAILURE,
            OutcomeKind.JUDGE_SPLIT,
        )

    @property
    def blame(self) -> Blame:
        match self.kind:
            case (
                OutcomeKind.VERIFIED
                | OutcomeKind.UNPROVEN
                | OutcomeKind.SUSPECTED
                | OutcomeKind.CANCELLED
            ):
                return Blame.NOBODY
            case OutcomeKind.DOC_DEFECT:
                return Blame.DOCUMENT
            case OutcomeKind.AGENT_FAILURE | OutcomeKind.JUDGE_SPLIT:
                return Blame.AGENT
            case OutcomeKind.ENV_FAILURE:
                return Blame.ENVIRONMENT


class Goal(StrEnum):
    """Whether what the procedure is for was reached, whatever is wrong with the
    document."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"
    """Neither a rule over the log nor agreeing judges say so."""


class Decision(StrEnum):
    """What the audit log says of an episode, or, where no rule exists, two judges."""

    CONFIRMED = "confirmed"
    DENIED = "denied"
    AUDIT_LATE = "audit_late"
    NO_AUDIT_LOG = "no_audit_log"
    NO_RULE = "no_rule"
    """Nobody was asked: there is no rule, and there are no judges."""
    JUDGED_SUCCESS = "judged_success"
    JUDGED_FAILURE = "judged_failure"
    JUDGE_SPLIT = "judge_split"
    JUDGE_AWAY = "judge_away"
    RULE_TOO_COSTLY = "rule_too_costly"
    ANSWER_WRONG = "answer_wrong"
    """The agent told something else than what the rule expects; of free text, two
    judges agree that it did."""
    ANSWER_MISSING = "answer_missing"
    ANSWER_NOT_JUDGED = "answer_not_judged"
    """All that can be compared is right; the rest is free text that nobody judged."""

    @property
    def tells(self) -> bool:
        """Whether it says that the task was done, or that it was not."""
        return self in (
            Decision.CONFIRMED,
            Decision.DENIED,
            Decision.JUDGED_SUCCESS,
            Decision.JUDGED_FAILURE,
            Decision.ANSWER_WRONG,
            Decision.ANSWER_MISSING,
        )

    @property
    def reward(self) -> int | None:
        """r of Eq. 1 (`kernel.reward`): 1 for success, 0 for failure; None, the
        equation's -1, where it cannot be told."""
        if not self.tells:
            return None
        return int(self in (Decision.CONFIRMED, Decision.JUDGED_SUCCESS))

    @property
    def is_final(self) -> bool:
        """Whether the same question has this answer for good; else asking again may say
        more."""
        return self not in (Decision.AUDIT_LATE, Decision.JUDGE_AWAY)


class SubStepStatus(StrEnum):
    """How a sub-step ended. There is no fourth way: what was not executed is
    `NOT_VERIFIED` with a reason."""

    VERIFIED = "verified"
    DEFECT = "defect"
    NOT_VERIFIED = "not_verified"


class FindingKind(StrEnum):
    """In which way the document differs from the console."""

    RENAMED = "renamed"
    """The element exists under another name."""
    MISSING = "missing"
    """No such element, page or step exists (any more)."""
    MOVED = "moved"
    """The element exists under its name, in another place than the document says."""
    WRONG_VALUE = "wrong_value"
    """The named value or choice is not offered or is refused."""
    WRONG_OUTCOME = "wrong_outcome"
    """The step works, but what the document says follows does not."""
    MISSING_STEP = "missing_step"
    """The console demands something that the document does not mention."""
    DISABLED = "disabled"
    """The element exists and cannot be used in the state that the document
    describes."""


@dataclass(frozen=True)
class LaterKind:
    """A kind of finding for which this release has no word: a later release made it. It
    is shown by its own word, and nothing is concluded from it."""

    value: str


def finding_kind(word: str) -> FindingKind | LaterKind:
    """Return the kind that a release calls so, whether or not this one knows it."""
    return FindingKind(word) if word in list(FindingKind) else LaterKind(word)


class Evidence(StrEnum):
    """What a verdict rests on, strongest first."""

    AUDIT = "audit"
    VALIDATOR = "validator"
    """A program of the task looked at what was left behind, and says so."""
    JUDGES = "judges"
    """Two models of different families agree."""
    PAGE = "page"
    """What was to be seen after the last act was looked for by the walk itself, and
    seen."""
    NONE = "none"
    """A claim."""

    def reaches(self, rung: Evidence) -> bool:
        """Whether it is at least as strong."""
        ladder = list(Evidence)
        return ladder.index(self) <= ladder.index(rung)


ACCEPTABLE = (Evidence.AUDIT, Evidence.JUDGES, Evidence.PAGE)
"""Rungs that somebody may accept as proof, strongest first."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A sentence of the document that is wrong, and the evidence for it."""

    file: str
    line: int
    sentence: str
    kind: FindingKind | LaterKind
    """The second of what a later release told alone: no walk of this one finds it."""
    message: str
    """The difference as one or two sentences for the document's author."""
    candidates: tuple[str, ...] = field(default=())
    """The nearest things that the console does offer, best first."""
    asked: str = ""
    """The document's own words for what differs (a label, a value or a way): a part of
    `sentence`, letter for letter. Empty where the sentence as a whole differs, or does
    not say it in these words."""
    offered: str = ""
    """What the console has in the place of `asked`: the new label, value or way. Of a
    `MISSING_STEP`, the label of what the console demands. Empty if nothing is known to
    stand for it; what is merely near is in `candidates`."""
    place: str = ""
    """Where it was looked for: the title of the dialog or the heading of the page."""
    way: tuple[str, ...] = field(default=())
    """Of a `MOVED` element: the labels that lead to it now, in order and with its own,
    if the walk knows them."""

    def repeats(self, other: Finding) -> bool:
        """Whether both tell one fault, whatever page each was seen on."""
        words, others = self.asked or self.message, other.asked or other.message
        return (self.file, self.line, self.sentence) == (
            other.file,
            other.line,
            other.sentence,
        ) and (self.kind, words, self.offered) == (other.kind, others, other.offered)


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings in order, each fault once: as it was seen first."""
    unique: list[Finding] = []
    for one in findings:
        if not any(one.repeats(other) for other in unique):
            unique.append(one)
    return tuple(unique)
