"""Collections, inspections and items as messages of the contract
(`proto/proofwalk/api/inspection/v1`): mapping only. What is said of a
collection: `orders.collection_contract`."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import OUTCOMES, moment_to_pb
from proofwalk.inspection.calendar import Calendar
from proofwalk.inspection.coverage import Coverage
from proofwalk.inspection.domain import ENDED, Collection, Inputs, Item
from proofwalk.inspection.sources.errors import ENVIRONMENT
from proofwalk.inspection.usecases import Standing
from proofwalk.orders.collection import Budget
from proofwalk.orders.collection_contract import spec_to_pb


def budget_message(budget: Budget) -> pb.Budget:
    """A bound, or what was used."""
    return pb.Budget(walks=budget.walks, cost=budget.cost, seconds=budget.seconds)


def collection_message(collection: Collection) -> pb.Collection:
    """A collection."""
    return pb.Collection(
        collection_id=collection.id,
        principal=collection.principal,
        spec=spec_to_pb(collection.spec),
        created_at=moment_to_pb(collection.created_at),
        next_run_at=_stamp(collection.next_run_at),
    )


def inspection_message(standing: Standing) -> pb.Inspection:
    """An inspection with how far it is."""
    row, progress = standing.inspection, standing.progress
    return pb.Inspection(
        inspection_id=row.id,
        collection_id=row.collection_id,
        principal=row.principal,
        state=row.state.value,
        started_by=row.started_by.value,
        created_at=moment_to_pb(row.created_at),
        started_at=_stamp(row.started_at),
        finished_at=_stamp(row.finished_at),
        code=row.code,
        reason=row.reason,
        progress=pb.Progress(
            done=progress.done,
            total=progress.total,
            skipped=progress.skipped,
            seconds_left=progress.seconds_left,
            measured=progress.measured,
            waits_for=progress.waits_for,
        ),
        spent=budget_message(progress.spent),
        everything=row.everything,
        cause=_cause(row.code) if row.state in ENDED else "",
        outcomes=dict(progress.outcomes),
    )


def item_message(item: Item) -> pb.Item:
    """An item."""
    ending = item.ending
    return pb.Item(
        inspection_id=item.inspection_id,
        number=item.number,
        procedure_id=item.procedure_id,
        page=item.page,
        title=item.title,
        due=item.due.value,
        state=item.state.value,
        how=item.how.value if item.how and item.verification_id else "",
        why=item.why,
        code=item.code,
        verification_id=item.verification_id,
        outcome=OUTCOMES.to_pb(ending.outcome if ending else None),
        reason=ending.reason if ending else "",
        cost=ending.cost if ending else 0.0,
        seconds=ending.seconds if ending else 0.0,
        changed=item.changed,
        inputs=_inputs(item.inputs),
        asked_at=_stamp(item.asked_at),
        finished_at=_stamp(item.finished_at),
    )


def coverage_message(coverage: Coverage, *, limit: int) -> pb.GetCoverageResponse:
    """Coverage, with the first `limit` procedures that are due."""
    listed_by = coverage.listed_by
    return pb.GetCoverageResponse(
        inspection_id=listed_by.id if listed_by else "",
        listed_at=_stamp(listed_by.created_at if listed_by else None),
        folders=[
            pb.FolderCoverage(
                folder=one.path,
                procedures=one.procedures,
                outcomes={outcome.value: count for outcome, count in one.outcomes.items()},
                unreached=one.unreached,
                unreadable=one.unreadable,
            )
            for one in coverage.folders
        ],
        due=[
            pb.DueProcedure(
                procedure_id=one.assessment.candidate.procedure_id,
                page=one.assessment.candidate.page,
                title=one.title,
                due=one.assessment.due.value,
                why=one.assessment.why,
                outcome=OUTCOMES.to_pb(one.outcome),
            )
            for one in coverage.due[:limit]
        ],
        due_counts=Counter(one.assessment.due.value for one in coverage.due),
    )


def calendar_message(calendar: Calendar) -> pb.GetCalendarResponse:
    """What a calendar has."""
    return pb.GetCalendarResponse(
        entries=[
            pb.CalendarEntry(
                collection_id=one.collection.id,
                collection=one.collection.spec.name,
                at=moment_to_pb(one.at),
                inspection_id=one.inspection.id if one.inspection else "",
                state=one.inspection.state.value if one.inspection else "",
            )
            for one in calendar.entries
        ],
        more=calendar.more,
    )


def _cause(code: str) -> str:
    """What ended an inspection that has not looked: the surroundings of its source, or
    what was asked for."""
    if not code:
        return ""
    return "environment" if code in ENVIRONMENT else "request"


def _inputs(inputs: Inputs) -> pb.Inputs:
    return pb.Inputs(
        document=inputs.document,
        meta=inputs.meta,
        rule=inputs.rule,
        map=inputs.map,
        target=inputs.target,
        blob=inputs.blob,
    )


def _stamp(moment: datetime | None) -> Timestamp | None:
    return None if moment is None else moment_to_pb(moment)
