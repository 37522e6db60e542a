"""The inspection role as the gateway's tests have it: findings and collections that a
test puts in, decided on and moved as the contract says, and errors when it asks for
them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.inspection.v1 import findings_pb2, inspection_pb2
from proofwalk.api.inspection.v1 import findings_pb2_grpc as findings_grpc
from proofwalk.api.inspection.v1 import inspection_pb2_grpc as inspection_grpc
from proofwalk.chassis.rpc import RpcService
from proofwalk.kernel.errors import ProofwalkError, Status, invalid, not_found

ACTS = {
    "open": ["accept", "reject", "fix", "assign", "comment"],
    "accepted": ["reject", "fix", "reopen", "assign", "comment"],
    "rejected": ["accept", "reopen", "assign", "comment"],
    "fixed": ["reopen", "assign", "comment"],
}
_STATES = {"accept": "accepted", "reject": "rejected", "fix": "fixed", "reopen": "open"}


@dataclass
class Failing:
    """Raises what a test has put in, at the next calls of a method."""

    errors: dict[str, deque[Exception]] = field(default_factory=dict)

    def fail(self, method: str) -> None:
        if self.errors.get(method):
            raise self.errors[method].popleft()


@dataclass
class FakeFindings(Failing, findings_grpc.FindingsServicer):
    """Findings by id, in order."""

    stored: dict[str, findings_pb2.StoredFinding] = field(default_factory=dict)
    events: dict[str, list[findings_pb2.FindingEvent]] = field(default_factory=dict)
    precisions: list[findings_pb2.Precision] = field(default_factory=list)
    weeks: list[findings_pb2.WeeklyPrecision] = field(default_factory=list)
    patch: findings_pb2.ProposePatchResponse = field(
        default_factory=lambda: findings_pb2.ProposePatchResponse(
            code="patch.no_evidence", reason="the finding does not say what is right"
        )
    )
    listed: list[findings_pb2.ListFindingsRequest] = field(default_factory=list)
    next_page_token: str = ""

    def has(self, finding_id: str = "fnd_1", **values: Any) -> findings_pb2.StoredFinding:
        """A finding that is there from now on."""
        told = values.pop("finding", None) or common.Finding(
            file="stop.md",
            line=4,
            sentence=f"Click **OK** of {finding_id}.",
            kind=common.FINDING_KIND_RENAMED,
            message="The button is called Confirm.",
            asked="OK",
            offered="Confirm",
        )
        fields = {"state": "open", "version": 1, "sightings": 2, "certainty": "proven"}
        fields |= {"document": "stop.md", "policy": "literal", "target": "devcloud"}
        made = findings_pb2.StoredFinding(
            finding_id=finding_id, finding=told, **{**fields, **values}
        )
        made.acts[:] = ACTS[made.state]
        made.seen_at.FromSeconds(1_767_225_600)
        self.stored[finding_id] = made
        self.events[finding_id] = [
            findings_pb2.FindingEvent(number=1, act="found", state="open", verification_id="ver_1")
        ]
        return made

    async def ListFindings(self, request: Any, context: Any) -> findings_pb2.ListFindingsResponse:
        self.listed.append(request)
        self.fail("ListFindings")
        rows = [one for one in self.stored.values() if one.state in (request.states or ACTS)]
        return findings_pb2.ListFindingsResponse(
            findings=rows, next_page_token=self.next_page_token
        )

    async def GetFinding(self, request: Any, context: Any) -> findings_pb2.GetFindingResponse:
        self.fail("GetFinding")
        stored = self._find(request.finding_id)
        return findings_pb2.GetFindingResponse(
            finding=stored,
            events=self.events[request.finding_id],
            sightings=[
                findings_pb2.FindingSeen(
                    verification_id="ver_1", policy="literal", certainty="proven", line=4
                )
            ],
        )

    async def ReviewFinding(self, request: Any, context: Any) -> findings_pb2.ReviewFindingResponse:
        self.fail("ReviewFinding")
        stored = self._decided(request.finding_id, request.version, request.decision)
        return findings_pb2.ReviewFindingResponse(finding=stored)

    async def ReviewFindings(
        self, request: Any, context: Any
    ) -> findings_pb2.ReviewFindingsResponse:
        self.fail("ReviewFindings")
        _check(request.decision)
        reply = findings_pb2.ReviewFindingsResponse()
        for one in request.findings:
            row = reply.findings.add(finding_id=one.finding_id)
            try:
                stored = self._decided(one.finding_id, one.version, request.decision)
                row.finding.CopyFrom(stored)
            except ProofwalkError as error:
                row.code, row.reason = error.code, error.message
        return reply

    async def GetPrecision(self, request: Any, context: Any) -> findings_pb2.GetPrecisionResponse:
        self.fail("GetPrecision")
        return findings_pb2.GetPrecisionResponse(precisions=self.precisions)

    async def GetWeeklyPrecision(
        self, request: Any, context: Any
    ) -> findings_pb2.GetWeeklyPrecisionResponse:
        self.fail("GetWeeklyPrecision")
        return findings_pb2.GetWeeklyPrecisionResponse(weeks=self.weeks)

    async def ProposePatch(self, request: Any, context: Any) -> findings_pb2.ProposePatchResponse:
        self.fail("ProposePatch")
        return self.patch

    def _decided(
        self, finding_id: str, version: int, decision: findings_pb2.Decision
    ) -> findings_pb2.StoredFinding:
        _check(decision)
        stored = self._find(finding_id)
        if version != stored.version:
            raise ProofwalkError(
                "finding.stale_version",
                f"the decision is about version {version}, which is at {stored.version} by now",
                status=Status.ABORTED,
                hint="look at the finding again",
            )
        stored.version += 1
        stored.state = _STATES.get(decision.act, stored.state)
        stored.acts[:] = ACTS[stored.state]
        if decision.act == "assign":
            stored.assignee = decision.words
        self.events[finding_id].append(
            findings_pb2.FindingEvent(
                number=stored.version, act=decision.act, state=stored.state, words=decision.words
            )
        )
        return stored

    def _find(self, finding_id: str) -> findings_pb2.StoredFinding:
        if finding_id not in self.stored:
            raise not_found("finding.not_found", f"there is no finding {finding_id!r}")
        return self.stored[finding_id]


def _check(decision: findings_pb2.Decision) -> None:
    if decision.act == "reject" and not decision.words:
        raise invalid("finding.no_reason", "a finding is rejected with a reason")


@dataclass
class FakeInspections(Failing, inspection_grpc.InspectionsServicer):
    """Collections with their runs."""

    collections: dict[str, inspection_pb2.Collection] = field(default_factory=dict)
    runs: dict[str, inspection_pb2.Inspection] = field(default_factory=dict)
    items: list[inspection_pb2.Item] = field(default_factory=list)
    coverage: inspection_pb2.GetCoverageResponse = field(
        default_factory=inspection_pb2.GetCoverageResponse
    )
    calendar: inspection_pb2.GetCalendarResponse = field(
        default_factory=inspection_pb2.GetCalendarResponse
    )
    spans: list[inspection_pb2.GetCalendarRequest] = field(default_factory=list)

    def has(self, collection_id: str = "col_1", **spec: Any) -> inspection_pb2.Collection:
        """A collection that is there from now on."""
        made = inspection_pb2.Collection(
            collection_id=collection_id,
            principal="local",
            spec=inspection_pb2.CollectionSpec(
                **{"name": "ECS", "source": {"kind": "folder", "address": "/documents/ecs"}, **spec}
            ),
        )
        self.collections[collection_id] = made
        return made

    def ran(self, inspection_id: str = "insp_1", **values: Any) -> inspection_pb2.Inspection:
        """A run of the first collection."""
        fields = {"collection_id": "col_1", "state": "running", "started_by": "request"}
        made = inspection_pb2.Inspection(inspection_id=inspection_id, **{**fields, **values})
        self.runs[inspection_id] = made
        return made

    async def ListCollections(
        self, request: Any, context: Any
    ) -> inspection_pb2.ListCollectionsResponse:
        self.fail("ListCollections")
        return inspection_pb2.ListCollectionsResponse(collections=list(self.collections.values()))

    async def GetCollection(
        self, request: Any, context: Any
    ) -> inspection_pb2.GetCollectionResponse:
        return inspection_pb2.GetCollectionResponse(
            collection=_one(self.collections, "collection", request.collection_id)
        )

    async def UpdateCollection(
        self, request: Any, context: Any
    ) -> inspection_pb2.UpdateCollectionResponse:
        known = _one(self.collections, "collection", request.collection_id)
        known.spec.CopyFrom(request.spec)
        return inspection_pb2.UpdateCollectionResponse(collection=known)

    async def StartInspection(
        self, request: Any, context: Any
    ) -> inspection_pb2.StartInspectionResponse:
        _one(self.collections, "collection", request.collection_id)
        run = self.ran(request.inspection_id, state="planned", everything=request.everything)
        return inspection_pb2.StartInspectionResponse(inspection=run)

    async def GetInspection(
        self, request: Any, context: Any
    ) -> inspection_pb2.GetInspectionResponse:
        return inspection_pb2.GetInspectionResponse(
            inspection=_one(self.runs, "inspection", request.inspection_id)
        )

    async def ListInspections(
        self, request: Any, context: Any
    ) -> inspection_pb2.ListInspectionsResponse:
        self.fail("ListInspections")
        runs = [one for one in self.runs.values() if one.collection_id == request.collection_id]
        return inspection_pb2.ListInspectionsResponse(inspections=runs[: request.limit])

    async def CancelInspection(
        self, request: Any, context: Any
    ) -> inspection_pb2.CancelInspectionResponse:
        run = _one(self.runs, "inspection", request.inspection_id)
        run.state = "cancelling"
        return inspection_pb2.CancelInspectionResponse(inspection=run)

    async def ListItems(self, request: Any, context: Any) -> inspection_pb2.ListItemsResponse:
        self.fail("ListItems")
        return inspection_pb2.ListItemsResponse(items=self.items)

    async def ListHistory(self, request: Any, context: Any) -> inspection_pb2.ListHistoryResponse:
        self.fail("ListHistory")
        return inspection_pb2.ListHistoryResponse(
            items=[one for one in self.items if one.procedure_id == request.procedure_id]
        )

    async def GetCoverage(self, request: Any, context: Any) -> inspection_pb2.GetCoverageResponse:
        self.fail("GetCoverage")
        return self.coverage

    async def GetCalendar(self, request: Any, context: Any) -> inspection_pb2.GetCalendarResponse:
        self.spans.append(request)
        self.fail("GetCalendar")
        return self.calendar


def _one(rows: dict[str, Any], what: str, row_id: str) -> Any:
    if row_id not in rows:
        raise not_found(f"{what}.not_found", f"there is no {what} {row_id!r}")
    return rows[row_id]


def services(findings: FakeFindings, inspections: FakeInspections) -> list[RpcService]:
    """Both as services of one server."""
    return [
        RpcService(
            descriptor=findings_pb2.DESCRIPTOR.services_by_name["Findings"],
            register=findings_grpc.add_FindingsServicer_to_server,
            servicer=findings,
        ),
        RpcService(
            descriptor=inspection_pb2.DESCRIPTOR.services_by_name["Inspections"],
            register=inspection_grpc.add_InspectionsServicer_to_server,
            servicer=inspections,
        ),
    ]
