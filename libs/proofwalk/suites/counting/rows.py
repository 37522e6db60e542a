"""One run of one task: what is kept of it, and what it says.

A row is made from a finished verification (`row_of`) and travels as JSON (`row_json`,
`read_row`). Next: `results`, which makes figures of rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import Evidence, OutcomeKind
from proofwalk.kernel.reward import DocumentTruth, Excluded, Reward, reward_of
from proofwalk.orders.verification import FindingBody, VerificationBody
from proofwalk.suites.model import Task

VERIFIED = OutcomeKind.VERIFIED.value
UNPROVEN = OutcomeKind.UNPROVEN.value
DEFECT = OutcomeKind.DOC_DEFECT.value
SUSPECTED = OutcomeKind.SUSPECTED.value
ENVIRONMENT = OutcomeKind.ENV_FAILURE.value


@dataclass(frozen=True, kw_only=True)
class Found:
    """A defect that a run reported."""

    kind: str
    line: int
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One run of one task by one policy."""

    task: str
    digest: str
    """The task's, so that a row of another task under the same name is not taken for
    it."""
    run: int
    policy: str
    product: str
    difficulty: str
    language: str
    outcome: str
    """As a verification ends: verified, unproven, doc_defect, suspected, agent_failure,
    env_failure, judge_split, cancelled."""
    goal: str = ""
    """As a verdict's: whether the log shows that the goal was reached, whatever is
    wrong with the document; empty in rows of earlier releases."""
    changed: bool = False
    """Whether the task's scenario changes the console after the document was written:
    an entry that has moved or has another name is there to be told."""
    evidence: str = ""
    """As a verdict's; empty in rows of earlier releases, which ran tasks with rules
    alone."""
    cause: str = ""
    code: str = ""
    reason: str = ""
    finding: Found | None = None
    noted: tuple[Found, ...] = ()
    """What in the document was not so while the walk went on."""
    steps: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    second_sighting: float = 0.0
    """Seconds that a second episode took, where the first ended with a finding."""
    retried: int = 0
    """How often the environment failed before this end."""
    extra: JsonObject = field(default_factory=dict)
    """What a command keeps beside it."""

    @property
    def told(self) -> bool:
        """Whether it says anything about the policy."""
        return self.outcome != SUSPECTED and isinstance(self.reward(DocumentTruth.RIGHT), Reward)

    def reward(self, truth: DocumentTruth) -> Reward | Excluded:
        """What it earns where this is known of the document (`kernel.reward`)."""
        try:
            kind = OutcomeKind(self.outcome)
        except ValueError:
            return Excluded(why=self.outcome)
        return reward_of(kind, Evidence(self.evidence or Evidence.AUDIT), truth)

    @property
    def final(self) -> bool:
        """Whether another run of it would be no second try but a repetition: only what
        the environment failed is tried again."""
        return self.told or self.outcome in (VERIFIED, UNPROVEN, SUSPECTED)

    @property
    def passed(self) -> bool:
        return self.outcome == VERIFIED

    @property
    def found(self) -> tuple[Found, ...]:
        """Everything that it says is wrong with the document."""
        told = (self.finding,) if self.finding is not None and self.outcome == DEFECT else ()
        return (*told, *self.noted)

    @property
    def reports(self) -> bool:
        """Whether it says that something is wrong with the document, at its end or
        beside it."""
        return bool(self.found) or self.outcome == DEFECT

    @property
    def failure(self) -> str:
        """The class of a failure: outcome, and what it was for; empty for a pass."""
        if self.passed:
            return ""
        detail = self.finding.kind if self.finding is not None else self.cause or self.code
        return f"{self.outcome}: {detail}" if detail else self.outcome


def row_of(
    task: Task,
    *,
    run: int,
    policy: str,
    verification: VerificationBody,
    retried: int,
    extra: JsonObject | None = None,
) -> Row:
    """The row of a finished verification, as the REST API shows it."""
    verdict = verification["verdict"]
    finding = verdict.get("finding")
    return Row(
        task=task.id,
        digest=task.digest,
        run=run,
        policy=policy,
        product=task.product,
        difficulty=str(task.difficulty),
        language=task.language,
        outcome=str(verdict["outcome"]),
        goal=str(verdict.get("goal", "")),
        changed=task.scenario is not None and bool(task.scenario.patches),
        evidence=str(verdict.get("evidence", "")),
        cause=str(verdict.get("cause", "")),
        code=str(verdict.get("code", "")),
        reason=str(verdict.get("reason", ""))[:600],
        finding=_found(finding) if finding else None,
        noted=tuple(_found(one) for one in verdict.get("noted", ())),
        steps=sum(int(episode["steps"]) for episode in verification.get("episodes", ())[-1:]),
        seconds=float(verdict.get("seconds", 0.0)),
        cost=float(verdict.get("cost", 0.0)),
        second_sighting=float(verdict.get("second_sighting_seconds", 0.0)),
        retried=retried,
        extra=dict(extra or {}),
    )


def _found(finding: FindingBody) -> Found:
    return Found(kind=finding["kind"], line=int(finding["line"]), sentence=finding["sentence"])


def row_json(row: Row) -> dict[str, Any]:
    """The row as JSON; what is empty is left out."""
    return {
        name: value
        for name, value in asdict(row).items()
        if value not in ("", None, {}, (), 0, 0.0) or name == "run"
    }


def read_row(members: JsonObject) -> Row:
    """The row that `row_json` wrote. Raises `TypeError`, `KeyError`."""
    values: dict[str, Any] = dict(members)
    finding = values.get("finding")
    noted = tuple(Found(**one) for one in values.get("noted", ()))
    return Row(**{**values, "finding": Found(**finding) if finding else None, "noted": noted})
