"""The contract of findings (`proto/proofwalk/api/inspection/v1/findings.proto`) over
the use cases: mapping only."""

from __future__ import annotations

from proofwalk.api.inspection.v1 import findings_pb2 as pb
from proofwalk.api.inspection.v1 import findings_pb2_grpc as pb_grpc
from proofwalk.chassis.rpc import RpcService
from proofwalk.chassis.rpc.page_tokens import page_token, read_page_token
from proofwalk.chassis.rpc.vocabulary import FINDING_KINDS, finding_to_pb, moment_to_pb
from proofwalk.inspection.finding_domain import Certainty, Sighting, StoredFinding
from proofwalk.inspection.finding_life import (
    DECISIONS,
    Decision,
    Event,
    FindingState,
    possible,
)
from proofwalk.inspection.finding_patches import Patches
from proofwalk.inspection.finding_precision import Precision, WeeklyPrecision
from proofwalk.inspection.finding_reports import FetchVerification, report_of
from proofwalk.inspection.finding_repository import Filter, Order, Position
from proofwalk.inspection.finding_usecases import Findings, Reviewed
from proofwalk.inspection.grpc_api import Context, caller_of
from proofwalk.kernel.callers import Caller
from proofwalk.kernel.errors import invalid

MOST_AT_ONCE = 200
_MAX_PAGE, _USUAL_PAGE = 200, 50
_MOST_WEEKS, _USUAL_WEEKS = 26, 6


class FindingsApi(pb_grpc.FindingsServicer):
    """Serves the contract."""

    def __init__(
        self, findings: Findings, *, verification: FetchVerification, patches: Patches
    ) -> None:
        self._findings = findings
        self._verification = verification
        self._patches = patches

    async def ListFindings(
        self, request: pb.ListFindingsRequest, context: Context
    ) -> pb.ListFindingsResponse:
        limit = min(request.limit if request.limit > 0 else _USUAL_PAGE, _MAX_PAGE)
        asked = Filter(
            states=[_state(word) for word in request.states],
            kinds=[FINDING_KINDS.require(kind) for kind in request.kinds],
            product=request.product,
            path=request.path,
            target=request.target,
            assignee=request.assignee,
            policy=request.policy,
            text=request.text,
        )
        order = _order(request.order)
        rows = await self._findings.page(
            asked,
            caller=caller_of(request.caller),
            limit=limit + 1,
            order=order,
            after=_position(request.page_token) if request.page_token else None,
        )
        page = rows[:limit]
        more = len(rows) > limit
        return pb.ListFindingsResponse(
            findings=[_finding(row) for row in page],
            next_page_token=_token(page[-1]) if more else "",
        )

    async def GetFinding(
        self, request: pb.GetFindingRequest, context: Context
    ) -> pb.GetFindingResponse:
        history = await self._findings.read(request.finding_id, caller=caller_of(request.caller))
        return pb.GetFindingResponse(
            finding=_finding(history.finding),
            events=[_event(event) for event in history.events],
            sightings=[_sighting(sighting) for sighting in history.sightings],
        )

    async def ReviewFinding(
        self, request: pb.ReviewFindingRequest, context: Context
    ) -> pb.ReviewFindingResponse:
        caller = caller_of(request.caller)
        stored = await self._findings.decide(
            request.finding_id,
            _decision(request.decision, caller),
            version=request.version,
            caller=caller,
        )
        return pb.ReviewFindingResponse(finding=_finding(stored))

    async def ReviewFindings(
        self, request: pb.ReviewFindingsRequest, context: Context
    ) -> pb.ReviewFindingsResponse:
        caller = caller_of(request.caller)
        if len(request.findings) > MOST_AT_ONCE:
            raise invalid(
                "finding.too_many",
                f"{len(request.findings)} findings are named; at most {MOST_AT_ONCE} are decided"
                " on at a time",
                hint="decide on them in several calls",
            )
        reviewed = await self._findings.decide_all(
            [(one.finding_id, one.version) for one in request.findings],
            _decision(request.decision, caller),
            caller=caller,
        )
        return pb.ReviewFindingsResponse(findings=[_reviewed(one) for one in reviewed])

    async def RecordVerification(
        self, request: pb.RecordVerificationRequest, context: Context
    ) -> pb.RecordVerificationResponse:
        caller = caller_of(request.caller)
        verification = await self._verification(request.verification_id, caller)
        recorded = await self._findings.record(report_of(verification, product=request.product))
        return pb.RecordVerificationResponse(findings=[_finding(one) for one in recorded])

    async def GetPrecision(
        self, request: pb.GetPrecisionRequest, context: Context
    ) -> pb.GetPrecisionResponse:
        rows = await self._findings.precision(caller=caller_of(request.caller))
        return pb.GetPrecisionResponse(precisions=[_precision(row) for row in rows])

    async def GetWeeklyPrecision(
        self, request: pb.GetWeeklyPrecisionRequest, context: Context
    ) -> pb.GetWeeklyPrecisionResponse:
        weeks = min(request.weeks if request.weeks > 0 else _USUAL_WEEKS, _MOST_WEEKS)
        rows = await self._findings.weekly_precision(caller=caller_of(request.caller), weeks=weeks)
        return pb.GetWeeklyPrecisionResponse(weeks=map(_weekly, rows))

    async def ProposePatch(
        self, request: pb.ProposePatchRequest, context: Context
    ) -> pb.ProposePatchResponse:
        patch = await self._patches.propose(request.finding_id, caller=caller_of(request.caller))
        return pb.ProposePatchResponse(
            diff=patch.diff,
            code=patch.code,
            reason=patch.reason,
            verification_id=patch.verification_id,
            proven_by=patch.proven_by,
        )


def findings_service(api: FindingsApi) -> RpcService:
    """The service of findings."""
    return RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Findings"],
        register=pb_grpc.add_FindingsServicer_to_server,
        servicer=api,
    )


def _state(word: str) -> FindingState:
    """Raises `finding.bad_state`."""
    for state in FindingState:
        if state.value == word:
            return state
    raise invalid(
        "finding.bad_state",
        f"no finding is {word[:64]!r}",
        hint=f"states are {', '.join(FindingState)}",
    )


def _order(word: str) -> Order:
    """Raises `finding.bad_order`."""
    for order in Order:
        if order.value == (word or Order.NEWEST):
            return order
    raise invalid(
        "finding.bad_order",
        f"findings are not sorted by {word[:64]!r}",
        hint=f"one of {', '.join(Order)}",
    )


def _token(last: StoredFinding) -> str:
    """The token of the page behind this finding, in either order."""
    place = f"{last.certainty.value}.{last.life.sightings}.{last.finding_id}"
    return page_token(last.created_at, place)


def _position(token: str) -> Position:
    """Raises `page.bad_token`."""
    created_at, place = read_page_token(token)
    certainty, _, further = place.partition(".")
    sightings, _, finding_id = further.partition(".")
    if certainty not in list(Certainty) or not sightings.isdecimal():
        raise invalid(
            "page.bad_token",
            "the page token is not one of findings",
            hint="start again without a token",
        )
    return Position(
        certainty=Certainty(certainty),
        sightings=int(sightings),
        created_at=created_at,
        finding_id=finding_id,
    )


def _decision(message: pb.Decision, caller: Caller) -> Decision:
    """Raises `finding.bad_act`, and what is wrong with its words."""
    for act in DECISIONS:
        if act.value == message.act:
            return Decision(act=act, actor=caller.principal, words=message.words)
    raise invalid(
        "finding.bad_act",
        f"{message.act[:64]!r} is nothing that is done to a finding",
        hint=f"one of {', '.join(DECISIONS)}",
    )


def _finding(stored: StoredFinding) -> pb.StoredFinding:
    life = stored.life
    return pb.StoredFinding(
        finding_id=stored.finding_id,
        principal=stored.principal,
        fingerprint=stored.fingerprint,
        target=stored.target,
        document=stored.document,
        procedure_id=stored.procedure_id,
        product=stored.product,
        policy=stored.policy,
        finding=finding_to_pb(stored.finding),
        certainty=stored.certainty.value,
        state=life.state.value,
        review=life.review.value,
        assignee=life.assignee,
        version=life.version,
        sightings=life.sightings,
        fixed_by=life.proof,
        created_at=moment_to_pb(stored.created_at),
        seen_at=moment_to_pb(stored.seen_at),
        acts=[act.value for act in possible(life.state)],
    )


def _event(event: Event) -> pb.FindingEvent:
    return pb.FindingEvent(
        number=event.number,
        act=event.act.value,
        state=event.state.value,
        at=moment_to_pb(event.at),
        actor=event.actor,
        words=event.words,
        verification_id=event.verification_id,
    )


def _sighting(sighting: Sighting) -> pb.FindingSeen:
    return pb.FindingSeen(
        verification_id=sighting.verification_id,
        at=moment_to_pb(sighting.at),
        policy=sighting.policy,
        certainty=sighting.certainty.value,
        line=sighting.line,
        message=sighting.message,
    )


def _reviewed(one: Reviewed) -> pb.ReviewedFinding:
    return pb.ReviewedFinding(
        finding_id=one.finding_id,
        finding=None if one.finding is None else _finding(one.finding),
        code=one.refusal.code if one.refusal else "",
        reason=one.refusal.message if one.refusal else "",
    )


def _weekly(row: WeeklyPrecision) -> pb.WeeklyPrecision:
    return pb.WeeklyPrecision(
        week=row.week.isoformat(),
        product=row.product,
        accepted=row.accepted,
        rejected=row.rejected,
        waiting=row.waiting,
    )


def _precision(row: Precision) -> pb.Precision:
    share = row.share
    return pb.Precision(
        facet=row.facet.value if row.facet else "",
        name=row.name,
        accepted=row.accepted,
        rejected=row.rejected,
        waiting=row.waiting,
        share=share.value if share else None,
        low=share.low if share else None,
        high=share.high if share else None,
    )
