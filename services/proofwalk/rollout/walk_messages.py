"""What a reader is shown of a walk, as messages of the rollout contract: mapping
only."""

from __future__ import annotations

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import event_to_pb, moment_to_pb
from proofwalk.rollout.episode_repository import StepRow
from proofwalk.rollout.judgement import WindowEvent
from proofwalk.rollout.walk_reading import EpisodeEvidence, ReadDocument, WalkedSteps


def steps_message(walked: WalkedSteps) -> pb.ListStepsResponse:
    """Steps of an episode."""
    return pb.ListStepsResponse(
        episode=walked.episode,
        steps=[_step(one) for one in walked.steps],
        more=walked.has_more,
        open=walked.is_open,
    )


def document_message(document: ReadDocument) -> pb.GetDocumentResponse:
    """A document with its procedure's sub-steps."""
    return pb.GetDocumentResponse(
        name=document.name,
        media_type=document.media_type,
        text=document.text,
        size=document.size,
        substeps=[
            pb.DocumentSubStep(number=one.number, text=one.text, line=one.line)
            for one in document.substeps
        ],
    )


def evidence_message(evidence: EpisodeEvidence) -> pb.GetEvidenceResponse:
    """What an episode's judgement rests on."""
    message = pb.GetEvidenceResponse(
        episode=evidence.episode,
        provisions=[
            pb.Provision(
                meta=one.meta, text=one.text, resources=one.resources, on_demand=one.on_demand
            )
            for one in evidence.provisions
        ],
    )
    judgement = evidence.judgement
    if judgement is not None:
        message.events.extend(_window_event(one) for one in judgement.events)
        message.missing.extend(judgement.missing)
        message.phases.extend(
            pb.PhaseTime(phase=name, seconds=seconds)
            for name, seconds in sorted(judgement.seconds.items())
        )
        message.cost = judgement.cost
    return message


def _step(row: StepRow) -> pb.Step:
    return pb.Step(
        number=row.number,
        substep=row.substep,
        thought=row.thought,
        action_json=row.action,
        result=row.result,
        ok=row.ok,
        url=row.url,
        picture=row.screenshot,
        started_at=moment_to_pb(row.started_at),
        ended_at=moment_to_pb(row.ended_at),
    )


def _window_event(one: WindowEvent) -> pb.WindowEvent:
    return pb.WindowEvent(
        event=event_to_pb(one.event, expectation=one.expectation),
        matched=one.matched,
        forbidden=one.forbidden,
    )
