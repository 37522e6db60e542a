"""Mapping between the contract and the use cases; nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.common.v1 import common_pb2 as common_pb
from proofwalk.api.reward_service.v1 import reward_service_pb2 as pb
from proofwalk.api.reward_service.v1 import reward_service_pb2_grpc as pb_grpc
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.rpc.vocabulary import (
    DECISIONS,
    answered_to_pb,
    citation_to_pb,
    event_to_pb,
    lease_from_pb,
    moment_from_pb,
    moment_to_pb,
)
from proofwalk.kernel.answers import MAX_ANSWER
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.evidence import AuditEvent, Pause, WalkWindow
from proofwalk.models.client import Image
from proofwalk.reward_service.confined import Cited
from proofwalk.reward_service.judges.answers import JudgeAnswer
from proofwalk.reward_service.judges.case import Step, SubStep, WalkToJudge
from proofwalk.reward_service.judges.free_text import FreeText
from proofwalk.reward_service.judges.panel import Panel, PanelOrder
from proofwalk.reward_service.repository import Judged
from proofwalk.reward_service.rescoring import Rescoring
from proofwalk.reward_service.usecases import JudgeOrder, Judging


class RewardServicer(pb_grpc.RewardServiceServicer):
    """The calls of the contract."""

    def __init__(self, judging: Judging, panel: Panel) -> None:
        self._judging = judging
        self._panel = panel
        self._free_text = FreeText(panel=panel)
        self._rescoring = Rescoring(
            database=judging.database, rules=judging.rules, clock=judging.clock
        )

    async def ValidateRule(
        self, request: pb.ValidateRuleRequest, context: Any
    ) -> pb.ValidateRuleResponse:
        return pb.ValidateRuleResponse(rule=await self._judging.check(request.rule_yaml))

    async def Judge(self, request: pb.JudgeRequest, context: Any) -> pb.JudgeResponse:
        order = JudgeOrder(
            request_id=request.request_id,
            lease=lease_from_pb(request.lease),
            rule_yaml=request.rule_yaml,
            start=_moment(request.start, "start"),
            end=_moment(request.end, "end"),
            outputs=dict(request.outputs),
            pauses=_pauses(request.pauses),
            answer=_bounded(request.answer),
            clock_off_s=_finite(request.clock_off_s),
        )
        return _response(await self._judging.judge(order))

    async def ListEvents(
        self, request: pb.ListEventsRequest, context: Any
    ) -> pb.ListEventsResponse:
        window = WalkWindow(
            start=_moment(request.start, "start"),
            end=_moment(request.end, "end"),
            pauses=_pauses(request.pauses),
        )
        events = await self._judging.events(lease_from_pb(request.lease), window)
        return pb.ListEventsResponse(events=[event_to_pb(event) for event in events])

    async def Rescore(self, request: pb.RescoreRequest, context: Any) -> pb.JudgeResponse:
        return _response(await self._rescoring.rescore(request.request_id, request.rule_yaml))

    async def ListJudgements(
        self, request: pb.ListJudgementsRequest, context: Any
    ) -> pb.ListJudgementsResponse:
        page, token = await self._rescoring.list(request.page_token, request.limit)
        return pb.ListJudgementsResponse(
            judgements=[
                pb.StoredJudgement(
                    request_id=one.request_id,
                    target=one.target,
                    rule=one.rule,
                    decision=DECISIONS.to_pb(one.decision),
                    judged_at=moment_to_pb(one.judged_at),
                )
                for one in page
            ],
            next_page_token=token,
        )

    async def JudgeByModels(
        self, request: pb.JudgeByModelsRequest, context: Any
    ) -> pb.JudgeResponse:
        self._panel.check_set()
        order = PanelOrder(
            request_id=request.request_id,
            lease=lease_from_pb(request.lease),
            start=_moment(request.start, "start"),
            end=_moment(request.end, "end"),
            walk=_walk(request.walk),
            pauses=_pauses(request.pauses),
            clock_off_s=_finite(request.clock_off_s),
        )
        return _response(await self._panel.judge(order))

    async def JudgeFreeText(
        self, request: pb.JudgeFreeTextRequest, context: Any
    ) -> pb.JudgeResponse:
        return _response(await self._free_text.judge(request.request_id, _walk(request.walk)))


def service(judging: Judging, panel: Panel) -> RpcService:
    """The service of this role."""
    return RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["RewardService"],
        register=pb_grpc.add_RewardServiceServicer_to_server,
        servicer=RewardServicer(judging, panel),
    )


def _moment(stamp: Timestamp, name: str) -> datetime:
    if not stamp.seconds:
        raise invalid("reward.bad_window", f"{name} is not set")
    return moment_from_pb(stamp)


def _bounded(answer: str) -> str:
    if len(answer) > MAX_ANSWER:
        raise invalid("reward.long_answer", f"an answer has at most {MAX_ANSWER} characters")
    return answer


def _finite(seconds: float) -> float:
    if not math.isfinite(seconds):
        raise invalid("reward.bad_window", "a clock is off by a finite number of seconds")
    return seconds


def _pauses(pauses: Iterable[pb.Pause]) -> tuple[Pause, ...]:
    return tuple(
        Pause(start=_moment(one.start, "a pause's start"), end=_moment(one.end, "a pause's end"))
        for one in pauses
    )


def _walk(walk: pb.Walked) -> WalkToJudge:
    page = walk.page
    screenshot = (
        Image(jpeg=page.screenshot, width=page.width, height=page.height)
        if page.screenshot
        else None
    )
    return WalkToJudge(
        title=walk.title,
        console=walk.console,
        prepared=walk.prepared,
        binds=dict(walk.binds),
        substeps=tuple(
            SubStep(number=one.number, text=one.text, optional=one.optional)
            for one in walk.substeps
        ),
        steps=tuple(
            Step(
                number=one.number,
                substep=one.substep,
                action=one.action,
                element=one.element,
                result=one.result,
                ok=one.ok,
            )
            for one in walk.steps
        ),
        page=page.text,
        screenshot=screenshot,
    )


def _response(judged: Judged) -> pb.JudgeResponse:
    events = {event.id: event for event in judged.events}
    return pb.JudgeResponse(
        decision=DECISIONS.to_pb(judged.decision),
        reason=judged.reason,
        rule=judged.rule,
        matched=_cited(judged.matched, events),
        missing=judged.missing,
        violations=_cited(judged.violations, events),
        observed=[event_to_pb(event) for event in judged.events if event.write],
        polls=judged.polls,
        answers=[_answer(answer) for answer in judged.answers],
        answered=[answered_to_pb(one) for one in judged.answered],
    )


def _answer(answer: JudgeAnswer) -> pb.JudgeAnswer:
    return pb.JudgeAnswer(
        judge=answer.judge,
        family=answer.family,
        model=answer.model,
        verdict=answer.verdict.value,
        reason=answer.reason,
        substeps=[pb.JudgedSubStep(number=one.number, done=one.done) for one in answer.substeps],
        fields=[pb.JudgedField(name=one.name, right=one.right) for one in answer.fields],
        evidence=[citation_to_pb(one) for one in answer.evidence],
        calls=answer.calls,
        malformed=answer.malformed,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost=answer.cost,
        currency=answer.currency,
    )


def _cited(cited: Sequence[Cited], events: Mapping[str, AuditEvent]) -> list[common_pb.AuditEvent]:
    return [
        event_to_pb(events[item.event_id], expectation=item.expectation)
        for item in cited
        if item.event_id in events
    ]
