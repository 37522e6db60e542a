"""A planned walk as the rollout role's rows: its verification, episodes and steps.
Pure.

What came of a walk is not written here: the facts of a walk (`WalkFacts`,
`RewardFacts`) go through the role's own judgement and conclusion, so that outcomes,
reasons and evidence are those that such a walk has. There are no pictures, no
trajectory and no report of resources: nothing was recorded, and each episode says so.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from proofwalk.agent.core.budget import Spent
from proofwalk.kernel.clock import isoformat
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.jobs import EpisodePhase, JobState
from proofwalk.orders.order import DocumentSource, Order, VerificationRequest
from proofwalk.orders.stored import request_digest
from proofwalk.platform.seeding.endings import SUBSTEP_S, facts_of, rule_of
from proofwalk.platform.seeding.history import Ending, Failure, PlannedWalk
from proofwalk.rollout.conclusion import concluded
from proofwalk.rollout.domain import judge
from proofwalk.rollout.episode_repository import EpisodeRow, StepRow
from proofwalk.rollout.evidence import with_evidence
from proofwalk.rollout.facts import RewardFacts, WalkEnding, WalkFacts
from proofwalk.rollout.judgement import Verdict
from proofwalk.rollout.repository import VerificationRow
from proofwalk.rollout.stored import EpisodeFacts

_NOT_RECORDED = "a sample of the made-up history; nothing was recorded"
_RECORDINGS = ("trajectory", "trace", "har")


@dataclass(frozen=True, kw_only=True)
class WalkRows:
    """All that rollout stores of a finished verification."""

    verification: VerificationRow
    episodes: Sequence[EpisodeRow]
    steps: Sequence[StepRow]


@dataclass(frozen=True, kw_only=True)
class _Episode:
    row: EpisodeRow
    steps: Sequence[StepRow]


def rows_of(walk: PlannedWalk, ids: IdSource, *, document_digest: str) -> WalkRows:
    """The rows of a walk. `document_digest` is the address of its document's text."""
    source = random.Random(walk.seed)  # noqa: S311 - a fixed sequence is what is asked for
    began = walk.at + timedelta(seconds=source.uniform(1, 8))
    verification_id = ids.new("ver")
    episodes: list[_Episode] = []
    # A finding is looked for a second time, in an episode of its own.
    for number in range(1, 3 if walk.ending is Ending.DEFECT else 2):
        episodes.append(_walked(walk, verification_id, number, began, source, ids))
        ended = episodes[-1].row.finished_at
        assert ended is not None, "the episode is over"
        began = ended + timedelta(seconds=1)
    rows = [one.row for one in episodes]
    judgement = concluded(rows)
    finished_at = began + timedelta(seconds=1)
    cost = round(sum(one.judgement.cost for one in rows if one.judgement), 4)
    verdict = Verdict(
        judgement=judgement,
        seconds=round((finished_at - walk.at).total_seconds(), 3),
        cost=cost,
        episodes=len(rows),
    )
    done = sum(one.executed for one in facts_of(walk, began)[0].substeps)
    row = replace(
        _queued(walk, verification_id, document_digest),
        state=JobState.FINISHED,
        finished_at=finished_at,
        claim_epoch=1,
        done=done,
        total=len(walk.document.sentences),
        message=judgement.outcome.reason[:500],
        verdict=verdict,
        cancel_requested_at=walk.at if walk.failure is Failure.CANCELLED else None,
    )
    return WalkRows(
        verification=row,
        episodes=rows,
        steps=[step for one in episodes for step in one.steps],
    )


def _queued(walk: PlannedWalk, verification_id: str, document_digest: str) -> VerificationRow:
    document = walk.document
    order = Order(
        target=walk.target,
        policy=walk.policy,
        accept="page",
        rule=rule_of(document),
    )
    request = VerificationRequest(
        document=DocumentSource(name=document.page, text=walk.text, media_type="text/markdown"),
        **dict(order),
    )
    return VerificationRow(
        id=verification_id,
        state=JobState.QUEUED,
        request_digest=request_digest(request, principal=walk.owner),
        document_name=document.page,
        document_digest=document_digest,
        document_title=document.title,
        media_type="text/markdown",
        procedure_id=document.slug,
        order=order,
        principal=walk.owner,
        created_at=walk.at,
    )


def _walked(
    walk: PlannedWalk,
    verification_id: str,
    number: int,
    began: datetime,
    source: random.Random,
    ids: IdSource,
) -> _Episode:
    episode_id = ids.new("ep")
    started = began + timedelta(seconds=source.uniform(4, 9))
    facts, reward = facts_of(walk, started)
    steps = list(_steps(walk, episode_id, facts, started, source))
    ended = (steps[-1].ended_at if steps else started) + timedelta(seconds=source.uniform(5, 8))
    asks_model = walk.policy in ("llm", "cascade") and steps
    judgement = with_evidence(
        judge(
            facts,
            RewardFacts(
                decision=reward.decision,
                reason=reward.reason,
                rule=reward.rule,
                matched=tuple(one.event for one in reward.matched),
                observed=tuple(reward.observed),
            ),
        ),
        reward,
        seconds={
            "lease": round(source.uniform(0.1, 0.6), 3),
            "provision": round(source.uniform(1.5, 4.0), 3),
            "walk": round((ended - started).total_seconds(), 3),
            "judge": round(source.uniform(1.0, 5.0), 3),
            "destroy": round(source.uniform(1.0, 3.0), 3),
        },
        cost=round(source.uniform(0.004, 0.03), 4) if asks_model else 0.0,
        spent=Spent(),
    )
    outcome = judgement.outcome
    row = EpisodeRow(
        id=episode_id,
        verification_id=verification_id,
        number=number,
        phase=EpisodePhase.DONE,
        facts=EpisodeFacts(
            start=isoformat(started),
            end=isoformat(ended),
            artefacts_missing=dict.fromkeys(_RECORDINGS, _NOT_RECORDED),
            completed=facts.ending is WalkEnding.COMPLETED,
        ),
        judgement=judgement,
        outcome=outcome.kind,
        cause=outcome.cause,
        code=outcome.code,
        reason=outcome.reason,
        steps=len(steps),
        started_at=began,
        finished_at=ended,
    )
    return _Episode(row=row, steps=steps)


def _steps(
    walk: PlannedWalk, episode_id: str, facts: WalkFacts, started: datetime, source: random.Random
) -> Iterator[StepRow]:
    """A click for every sub-step that was executed, and the look at which a finding was
    made."""
    document = walk.document
    labels = (document.menu, document.button, document.choice, "OK")
    for at, (substep, label) in enumerate(zip(facts.substeps, labels, strict=True), 1):
        is_fault = substep.number == facts.finding_substep
        if not substep.executed and not is_fault:
            return
        began = started + timedelta(seconds=SUBSTEP_S * at)
        yield StepRow(
            episode_id=episode_id,
            number=at,
            substep=substep.number,
            thought=f"There is no “{label}” here." if is_fault else f"“{label}” is there.",
            action='{"type": "task_unachievable"}'
            if is_fault
            else f'{{"type": "click", "id": {source.randint(1, 60)}}}',
            result=walk.fault.message if is_fault else f"clicked “{label}”",
            ok=not is_fault,
            url=f"https://console.example/{document.product}/{document.slug}",
            screenshot="",
            started_at=began,
            ended_at=began + timedelta(seconds=round(source.uniform(0.8, 2.6), 2)),
        )
