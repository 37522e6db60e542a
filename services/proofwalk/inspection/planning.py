"""What an inspection is to look at: a listing, held against history, as items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from proofwalk.inspection.documents import Listing
from proofwalk.inspection.domain import (
    Collection,
    Due,
    Inputs,
    Inspection,
    Item,
    ItemState,
)
from proofwalk.inspection.due import Assessment, Candidate, assess
from proofwalk.inspection.finding_fingerprint import document_key


def planned(
    inspection: Inspection,
    collection: Collection,
    listing: Listing,
    past: Mapping[str, Sequence[Item]],
    *,
    now: datetime,
    fixes: frozenset[tuple[str, str]] = frozenset(),
) -> list[Item]:
    """An item for each procedure, numbered in the order of asking; what is not due, and
    pages that cannot be read, are skipped with the reason. `fixes`: document keys and
    procedures of which somebody says that a finding is fixed."""
    titles = {one.procedure_id: one.title for one in listing.procedures}
    candidates = [
        Candidate(
            procedure_id=one.procedure_id,
            page=one.page,
            inputs=one.inputs,
            fixed=(document_key(one.page), one.request.procedure_id) in fixes,
        )
        for one in listing.procedures
    ]
    assessed = assess(candidates, past, collection.spec, now=now, everything=inspection.everything)
    items = [
        _item(inspection, number, one, titles[one.candidate.procedure_id])
        for number, one in enumerate(assessed, 1)
    ]
    return items + [
        Item(
            inspection_id=inspection.id,
            number=number,
            collection_id=inspection.collection_id,
            procedure_id=one.page,
            page=one.page,
            title="",
            due=Due.NOT_DUE,
            state=ItemState.SKIPPED,
            why=one.error.message,
            code=one.error.code,
            inputs=Inputs(document=""),
        )
        for number, one in enumerate(listing.refused, len(items) + 1)
    ]


def _item(inspection: Inspection, number: int, one: Assessment, title: str) -> Item:
    return Item(
        inspection_id=inspection.id,
        number=number,
        collection_id=inspection.collection_id,
        procedure_id=one.candidate.procedure_id,
        page=one.candidate.page,
        title=title,
        due=one.due,
        state=ItemState.SKIPPED if one.due is Due.NOT_DUE else ItemState.WAITING,
        why=one.why,
        how=None if one.due is Due.NOT_DUE else one.how,
        inputs=one.candidate.inputs,
        changed=one.changed,
        expected_s=one.expected_s,
        expected_cost=one.expected_cost,
    )
