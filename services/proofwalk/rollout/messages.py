"""Rows and judgements as messages of the rollout contract
(`proto/proofwalk/api/rollout/v1`): mapping only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import (
    BLAMES,
    CAUSES,
    EVIDENCE,
    GOALS,
    OUTCOMES,
    SUB_STEP_STATUSES,
    answered_to_pb,
    citation_to_pb,
    finding_to_pb,
    moment_to_pb,
)
from proofwalk.kernel.expectations import Sighting
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.readings import SubStepReading
from proofwalk.orders.contract import show
from proofwalk.rollout.episode_repository import EpisodeRow
from proofwalk.rollout.group_repository import GroupRow
from proofwalk.rollout.groups import Member
from proofwalk.rollout.judgement import FindingSighting, JudgeAnswer, SubStepResult, Verdict
from proofwalk.rollout.repository import EventRow, VerificationRow
from proofwalk.rollout.selections import Summary


def verification_message(row: VerificationRow, episodes: Sequence[EpisodeRow]) -> pb.Verification:
    """A verification as the contract shows it."""
    message = pb.Verification(
        verification_id=row.id,
        state=row.state.value,
        document=row.document_name,
        title=row.document_title,
        created_at=moment_to_pb(row.created_at),
        finished_at=_stamp(row.finished_at),
        progress=pb.Progress(done=row.done, total=row.total, message=row.message),
        verdict=None if row.verdict is None else verdict_message(row.verdict),
        episodes=[_episode_message(episode) for episode in episodes],
        principal=row.principal,
        group_id=row.group_id,
        kept_meta=row.kept_meta,
        signed_in_as=(
            None if row.signed_in_as is None else pb.SignedInAs(**row.signed_in_as.to_stored())
        ),
    )
    show(row.order, message)
    message.procedure_id = row.procedure_id
    return message


def summary_message(summary: Summary) -> pb.SummariseVerificationsResponse:
    """Counts of verifications."""
    return pb.SummariseVerificationsResponse(
        queued=summary.unfinished.get(JobState.QUEUED, 0),
        running=summary.unfinished.get(JobState.RUNNING, 0),
        cancelling=summary.unfinished.get(JobState.CANCELLING, 0),
        verdicts=[
            pb.VerdictCount(day=one.day, outcome=OUTCOMES.to_pb(one.outcome), count=one.count)
            for one in summary.verdicts
        ],
        documents=[
            pb.DocumentDrift(
                document=one.document,
                verdicts=one.verdicts,
                defects=one.defects,
                last_finished_at=moment_to_pb(one.last_finished_at),
            )
            for one in summary.documents
        ],
    )


def group_message(row: GroupRow) -> pb.Group:
    """A group."""
    return pb.Group(
        group_id=row.id,
        episodes=row.size,
        finished=row.finished,
        created_at=moment_to_pb(row.created_at),
    )


def member_message(member: Member) -> pb.GroupMember:
    """A member that is finished."""
    judgement = member.judgement
    outcome = judgement.outcome
    return pb.GroupMember(
        sequence=member.sequence,
        verification_id=member.verification_id,
        number=member.number,
        outcome=OUTCOMES.to_pb(outcome.kind),
        cause=CAUSES.to_pb(outcome.cause),
        code=outcome.code,
        reason=outcome.reason,
        finding=None if judgement.finding is None else finding_to_pb(judgement.finding),
        policy_versions=member.policy_versions,
        episode=member.episode,
        met=member.met,
        missing=member.missing,
        forbidden=member.forbidden,
        evidence=EVIDENCE.to_pb(judgement.evidence),
        completed=member.completed,
    )


def verdict_message(verdict: Verdict) -> pb.Verdict:
    """A verdict as the contract shows it."""
    judgement = verdict.judgement
    outcome = judgement.outcome
    return pb.Verdict(
        outcome=OUTCOMES.to_pb(outcome.kind),
        cause=CAUSES.to_pb(outcome.cause),
        code=outcome.code,
        reason=outcome.reason,
        blame=BLAMES.to_pb(outcome.blame),
        evidence=EVIDENCE.to_pb(judgement.evidence),
        finding=None if judgement.finding is None else finding_to_pb(judgement.finding),
        audit_events=judgement.audit_events,
        substeps=[_substep(step) for step in judgement.substeps],
        seconds=verdict.seconds,
        cost=verdict.cost,
        judges=[_judge(one) for one in judgement.judges],
        goal=GOALS.to_pb(judgement.goal),
        sightings=[_sighting_of_finding(one) for one in judgement.sightings],
        second_sighting_seconds=judgement.second_sighting_seconds,
        noted=[finding_to_pb(one) for one in judgement.noted],
        answer=judgement.answer,
        answered=[answered_to_pb(one) for one in judgement.answered],
    )


def _substep(step: SubStepResult) -> pb.SubStepResult:
    return pb.SubStepResult(
        number=step.number,
        text=step.text,
        line=step.line,
        status=SUB_STEP_STATUSES.to_pb(step.status),
        reason=step.reason,
        steps=step.steps,
        audit_events=step.audit_events,
        unplaced=step.unplaced,
        sightings=[_sighting(one) for one in step.sightings],
        reading=None if step.reading is None else _reading(step.reading),
    )


def _sighting(one: Sighting) -> pb.Sighting:
    wanted = one.expectation
    return pb.Sighting(
        expectation=pb.Expectation(
            kind=wanted.kind.value,
            text=wanted.text,
            subject=wanted.subject,
            said_by=wanted.said_by.value,
            line=wanted.line,
            sentence=wanted.sentence,
        ),
        seen=one.seen,
        step=one.step,
        grounded=one.grounded,
        fresh=one.fresh,
        after_last_act=one.after_last_act,
    )


def _reading(reading: SubStepReading) -> pb.SubStepReading:
    return pb.SubStepReading(
        acts=[
            pb.ReadAct(asked=act.asked, executed=act.executed, waived=act.waived)
            for act in reading.acts
        ],
        not_understood=[
            pb.Span(file=one.file, line=one.line, text=one.text) for one in reading.not_understood
        ],
    )


def _sighting_of_finding(one: FindingSighting) -> pb.FindingSighting:
    return pb.FindingSighting(
        episode=one.episode,
        outcome=OUTCOMES.to_pb(one.outcome),
        code=one.code,
        reason=one.reason,
        goal=GOALS.to_pb(one.goal),
        finding=None if one.finding is None else finding_to_pb(one.finding),
        seconds=one.seconds,
    )


def _judge(one: JudgeAnswer) -> pb.Judge:
    return pb.Judge(
        judge=one.judge,
        family=one.family,
        model=one.model,
        verdict=one.verdict,
        reason=one.reason,
        evidence=[citation_to_pb(item) for item in one.evidence],
        tokens_in=one.tokens_in,
        tokens_out=one.tokens_out,
        cost=one.cost,
        currency=one.currency,
    )


def _episode_message(row: EpisodeRow) -> pb.Episode:
    return pb.Episode(
        episode_id=row.id,
        number=row.number,
        phase=row.phase.value,
        outcome=OUTCOMES.to_pb(row.outcome),
        cause=CAUSES.to_pb(row.cause),
        reason=row.reason,
        steps=row.steps,
        started_at=moment_to_pb(row.started_at),
        finished_at=_stamp(row.finished_at),
        trace_id=row.facts.get("trace_id", ""),
    )


def event_message(row: EventRow) -> pb.Event:
    """An entry of a verification's history."""
    return pb.Event(
        sequence=row.sequence,
        type=row.type,
        time=moment_to_pb(row.time),
        episode_id=row.episode_id,
        data_json=json.dumps(row.data, ensure_ascii=False, sort_keys=True),
    )


def _stamp(moment: datetime | None) -> Timestamp | None:
    return None if moment is None else moment_to_pb(moment)
