"""Mapping between the contract and the use cases; nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.reward_service.v1 import reward_service_pb2 as pb
from proofwalk.api.reward_service.v1 import reward_service_pb2_grpc as pb_grpc
from proofwalk.chassis.rpc import RpcService
from proofwalk.cloud.ports import AuditEvent
from proofwalk.kernel.errors import invalid, unimplemented
from proofwalk.reward_service.domain import Decision
from proofwalk.reward_service.repository import Cited, Judged
from proofwalk.reward_service.rules import parse_rule
from proofwalk.reward_service.usecases import JudgeOrder, Judging, LeaseRef


class RewardServicer(pb_grpc.RewardServiceServicer):
    """The five calls."""

    def __init__(self, judging: Judging) -> None:
        self._judging = judging

    async def ValidateRule(self, request: pb.ValidateRuleRequest, context: Any) -> pb.ValidateRuleResponse:
        return pb.ValidateRuleResponse(rule=parse_rule(request.rule_yaml).name)

    async def Judge(self, request: pb.JudgeRequest, context: Any) -> pb.JudgeResponse:
        order = JudgeOrder(
            request_id=request.request_id,
            lease=_lease(request.lease),
            rule_yaml=request.rule_yaml,
            start=_moment(request.start, "start"),
            end=_moment(request.end, "end"),
            outputs=dict(request.outputs),
        )
        return _response(await self._judging.judge(order))

    async def ListEvents(self, request: pb.ListEventsRequest, context: Any) -> pb.ListEventsResponse:
        start, end = _moment(request.start, "start"), _moment(request.end, "end")
        events = await self._judging.events(_lease(request.lease), start, end)
        return pb.ListEventsResponse(events=[_event(event) for event in events])

    async def Rescore(self, request: pb.RescoreRequest, context: Any) -> pb.JudgeResponse:
        return _response(await self._judging.rescore(request.request_id, request.rule_yaml))

    async def JudgeByModels(self, request: pb.JudgeByModelsRequest, context: Any) -> pb.JudgeResponse:
        raise unimplemented(
            "judge.not_built", "judging by models is not built", hint="write a rule; see the reward service's README"
        )


def service(judging: Judging) -> RpcService:
    """The service of this role."""
    return RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["RewardService"],
        register=pb_grpc.add_RewardServiceServicer_to_server,
        servicer=RewardServicer(judging),
    )


def _lease(ref: pb.LeaseRef) -> LeaseRef:
    return LeaseRef(lease_id=ref.lease_id, epoch=ref.epoch, target=ref.target)


def _moment(stamp: Timestamp, name: str) -> datetime:
    if not stamp.seconds:
        raise invalid("reward.bad_window", f"{name} is not set")
    return stamp.ToDatetime(UTC)


def _response(judged: Judged) -> pb.JudgeResponse:
    events = {event.id: event for event in judged.events}
    return pb.JudgeResponse(
        reward=Decision(judged.decision).reward,
        decision=judged.decision,
        reason=judged.reason,
        rule=judged.rule,
        matched=_cited(judged.matched, events),
        missing=judged.missing,
        violations=_cited(judged.violations, events),
        observed=[_event(event) for event in judged.events if event.write],
        polls=judged.polls,
    )


def _cited(cited: Sequence[Cited], events: Mapping[str, AuditEvent]) -> list[pb.AuditEvent]:
    return [_event(events[item.event_id], item.expectation) for item in cited if item.event_id in events]


def _event(event: AuditEvent, expectation: str = "") -> pb.AuditEvent:
    stamp = Timestamp()
    stamp.FromDatetime(event.time)
    return pb.AuditEvent(
        id=event.id,
        time=stamp,
        service=event.service,
        name=event.name,
        kind=event.kind,
        ok=event.ok,
        error_code=event.error_code,
        actor=event.actor,
        request_json=json.dumps(dict(event.request), ensure_ascii=False),
        resources=list(event.resources),
        expectation=expectation,
    )
