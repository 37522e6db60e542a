"""The rollout contract (`proto/proofwalk/api/rollout/v1`) over the use cases: mapping
only."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import timedelta
from typing import Any

import grpc

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutServicer
from proofwalk.chassis.blobs import Blobs
from proofwalk.chassis.database import Database
from proofwalk.chassis.rpc.page_tokens import page_token, read_page_token
from proofwalk.chassis.rpc.vocabulary import OUTCOMES
from proofwalk.cloud.sign_in_steps import SignInStep
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid, not_found
from proofwalk.kernel.jobs import JobState
from proofwalk.orders.contract import request_from_pb
from proofwalk.rollout import replays, usecases, walk_reading
from proofwalk.rollout.conclusion import decisive
from proofwalk.rollout.episode_repository import EpisodeRow
from proofwalk.rollout.event_streams import EventStreams
from proofwalk.rollout.groups import Groups
from proofwalk.rollout.intake import Intake, Submission
from proofwalk.rollout.messages import (
    group_message,
    member_message,
    summary_message,
    verification_message,
)
from proofwalk.rollout.recordings import artefact
from proofwalk.rollout.report.page import Report
from proofwalk.rollout.repository import VerificationRow
from proofwalk.rollout.selections import Selection, summarise
from proofwalk.rollout.targets import TargetInfo
from proofwalk.rollout.walk_messages import document_message, evidence_message, steps_message

_CHUNK = 256 * 1024
_MAX_PAGE = 200
_SUMMARY_DAYS = 14
_MOST_SUMMARY_DAYS = 92


class RolloutApi(RolloutServicer):
    """Serves the contract."""

    def __init__(
        self,
        *,
        db: Database,
        clock: Clock,
        intake: Intake,
        groups: Groups,
        report: Report,
        blobs: Blobs,
        targets: Callable[[], Sequence[TargetInfo]],
        sign_in: Callable[[str], Sequence[SignInStep]],
        rung: Callable[[str], Awaitable[None]],
    ) -> None:
        self._db = db
        self._clock = clock
        self._intake = intake
        self._groups = groups
        self._report = report
        self._blobs = blobs
        self._targets = targets
        self._sign_in = sign_in
        self._rung = rung
        self._streams = EventStreams(db)

    async def CreateVerification(
        self, request: pb.CreateVerificationRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.CreateVerificationResponse:
        row = await self._intake.accept(_submission(request))
        return pb.CreateVerificationResponse(verification=verification_message(row, ()))

    async def GetVerification(
        self, request: pb.GetVerificationRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.GetVerificationResponse:
        row, episodes = await usecases.read_verification(
            self._db, request.verification_id, caller=_caller(request.caller)
        )
        return pb.GetVerificationResponse(verification=verification_message(row, episodes))

    async def ListVerifications(
        self, request: pb.ListVerificationsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListVerificationsResponse:
        limit = min(request.limit if request.limit > 0 else 50, _MAX_PAGE)
        before = read_page_token(request.page_token) if request.page_token else None
        rows = await usecases.page_of_verifications(
            self._db,
            caller=_caller(request.caller),
            limit=limit + 1,
            before=before,
            selection=Selection(
                group_id=request.group_id,
                with_members=request.with_members,
                principal=request.principal,
                state=_state(request.state),
                outcome=OUTCOMES.from_pb(request.outcome),
                target=request.target,
            ),
        )
        page = rows[:limit]
        token = page_token(page[-1][0].created_at, page[-1][0].id) if len(rows) > limit else ""
        return pb.ListVerificationsResponse(
            verifications=[verification_message(row, episodes) for row, episodes in page],
            next_page_token=token,
        )

    async def SummariseVerifications(
        self,
        request: pb.SummariseVerificationsRequest,
        context: grpc.aio.ServicerContext[Any, Any],
    ) -> pb.SummariseVerificationsResponse:
        days = min(request.days if request.days > 0 else _SUMMARY_DAYS, _MOST_SUMMARY_DAYS)
        today = self._clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
        since = today - timedelta(days=days - 1)
        caller = _caller(request.caller)
        return summary_message(await summarise(self._db, caller=caller, since=since))

    async def CancelVerification(
        self, request: pb.CancelVerificationRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.CancelVerificationResponse:
        row = await usecases.request_cancel(
            self._db, request.verification_id, caller=_caller(request.caller), clock=self._clock
        )
        await self._rung(row.id)
        return pb.CancelVerificationResponse(verification=verification_message(row, ()))

    async def WatchEvents(
        self, request: pb.WatchEventsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.Event]:
        watching = self._streams.watch(
            request.verification_id,
            caller=_caller(request.caller),
            after=request.after,
            stored_only=request.stored_only,
        )
        async with aclosing(watching) as events:
            async for event in events:
                yield event

    async def GetReport(
        self, request: pb.GetReportRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.ReportChunk]:
        row, episodes = await usecases.read_verification(
            self._db, request.verification_id, caller=_caller(request.caller)
        )
        if row.state is not JobState.FINISHED:
            raise conflict(
                "verification.not_finished",
                f"verification {row.id} is {row.state}; there is no report yet",
                hint="wait for its end",
            )
        page = (await self._report.render(row, episodes)).encode()
        for start in range(0, len(page), _CHUNK):
            yield pb.ReportChunk(data=page[start : start + _CHUNK])

    async def GetScript(
        self, request: pb.GetScriptRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.GetScriptResponse:
        row = await replays.read_script(
            self._db, request.verification_id, caller=_caller(request.caller)
        )
        steps = [step.model_dump(mode="json") for step in self._sign_in(row.target)]
        return pb.GetScriptResponse(
            script_json=row.script, sign_in_json=json.dumps(steps, ensure_ascii=False)
        )

    async def GetArtefact(
        self, request: pb.GetArtefactRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.ReportChunk]:
        row, episodes = await usecases.read_verification(
            self._db, request.verification_id, caller=_caller(request.caller)
        )
        data = await artefact(
            request.kind, row, _episode_of(row, episodes, request.episode), blobs=self._blobs
        )
        for start in range(0, len(data), _CHUNK):
            yield pb.ReportChunk(data=data[start : start + _CHUNK])

    async def ListSteps(
        self, request: pb.ListStepsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListStepsResponse:
        walked = await walk_reading.read_walked_steps(
            self._db,
            request.verification_id,
            caller=_caller(request.caller),
            episode=request.episode,
            after=request.after,
        )
        return steps_message(walked)

    async def GetPicture(
        self, request: pb.GetPictureRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.ReportChunk]:
        picture = await walk_reading.read_picture(
            self._db,
            self._blobs,
            request.verification_id,
            caller=_caller(request.caller),
            address=request.address,
        )
        for start in range(0, len(picture), _CHUNK):
            yield pb.ReportChunk(data=picture[start : start + _CHUNK])

    async def GetDocument(
        self, request: pb.GetDocumentRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.GetDocumentResponse:
        document = await walk_reading.read_verified_document(
            self._db, self._blobs, request.verification_id, caller=_caller(request.caller)
        )
        return document_message(document)

    async def GetEvidence(
        self, request: pb.GetEvidenceRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.GetEvidenceResponse:
        evidence = await walk_reading.read_evidence(
            self._db,
            request.verification_id,
            caller=_caller(request.caller),
            episode=request.episode,
        )
        return evidence_message(evidence)

    async def ListTargets(
        self, request: pb.ListTargetsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListTargetsResponse:
        return pb.ListTargetsResponse(
            targets=[
                pb.Target(
                    id=target.id,
                    title=target.title,
                    console_url=target.console_url,
                    adapter=target.adapter,
                    has_audit_log=target.has_audit_log,
                    has_provisioning=target.has_provisioning,
                    has_scenarios=target.has_scenarios,
                )
                for target in self._targets()
            ]
        )

    async def RunGroup(
        self, request: pb.RunGroupRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.RunGroupResponse:
        group = await self._groups.run(
            request.group_id,
            _submission(request.task),
            size=request.episodes,
            temperature=request.temperature if request.HasField("temperature") else None,
        )
        return pb.RunGroupResponse(group=group_message(group))

    async def WatchGroup(
        self, request: pb.WatchGroupRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.GroupMember]:
        async for member in self._groups.watch(
            request.group_id, caller=_caller(request.caller), after=request.after
        ):
            yield member_message(member)

    async def CancelGroup(
        self, request: pb.CancelGroupRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.CancelGroupResponse:
        group = await self._groups.cancel(request.group_id, caller=_caller(request.caller))
        return pb.CancelGroupResponse(group=group_message(group))


def _caller(caller: pb.Caller) -> Caller:
    """Raises `caller.missing`: a call that says for nobody that it is made sees
    nothing."""
    if not caller.principal and not caller.operator:
        raise _nobody("the call does not say for whom it is made")
    return Caller(principal=caller.principal, is_operator=caller.operator)


def _state(word: str) -> JobState | None:
    """Raises `verification.unknown_state`."""
    if word and word not in list(JobState):
        raise invalid(
            "verification.unknown_state",
            f"no verification is ever {word[:40]!r}",
            hint=f"one of {', '.join(JobState)}",
        )
    return JobState(word) if word else None


def _nobody(message: str) -> ProofwalkError:
    return invalid(
        "caller.missing", message, hint="name the principal; compare the versions of the roles"
    )


def _submission(message: pb.CreateVerificationRequest) -> Submission:
    if not message.principal:
        raise _nobody("the request names no principal, and every verification belongs to one")
    return Submission(
        verification_id=message.verification_id,
        request=request_from_pb(message),
        principal=message.principal,
        max_unfinished=max(0, message.max_unfinished),
    )


def _episode_of(
    row: VerificationRow, episodes: Sequence[EpisodeRow], number: int
) -> EpisodeRow | None:
    """The episode with this number; with 0 the one that the verdict rests on, as the
    report has it."""
    if number:
        found = next((episode for episode in episodes if episode.number == number), None)
        if found is None:
            raise not_found(
                "episode.not_found",
                f"verification {row.id} has {len(episodes)} episodes, and no episode {number}",
            )
        return found
    return decisive(episodes)
