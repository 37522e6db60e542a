"""What an inspection is to look at: a listing, held against history, as items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from proofwalk.inspection.documents import Listing
from proofwalk.inspection.domain import (
    DOCUMENT_GONE,
    PROCEDURE_GONE,
    Collection,
    Due,
    Inputs,
    Inspection,
    Item,
    ItemState,
)
from proofwalk.inspection.due import Assessment, Candidate, assess
from proofwalk.inspection.finding_fingerprint import document_key


@dataclass(frozen=True, kw_only=True)
class History:
    """What is known of a collection's procedures."""

    walks: Mapping[str, Sequence[Item]] = field(default_factory=dict)
    """The last walks of each, newest first."""
    last: Sequence[Item] = ()
    """What was told last of each, whether it was walked or not."""
    fixes: frozenset[tuple[str, str]] = frozenset()
    """Document keys and procedures of which somebody says that a finding is fixed."""


def planned(
    inspection: Inspection,
    collection: Collection,
    listing: Listing,
    history: History,
    *,
    now: datetime,
) -> list[Item]:
    """An item for each procedure, numbered in the order of asking; what is not due,
    what is gone, and pages that cannot be read, are skipped with the reason."""
    titles = {one.procedure_id: one.title for one in listing.procedures}
    candidates = [
        Candidate(
            procedure_id=one.procedure_id,
            page=one.page,
            inputs=one.inputs,
            fixed=(document_key(one.page), one.request.procedure_id) in history.fixes,
        )
        for one in listing.procedures
    ]
    assessed = assess(
        candidates, history.walks, collection.spec, now=now, everything=inspection.everything
    )
    items = [
        _item(inspection, number, one, titles[one.candidate.procedure_id])
        for number, one in enumerate(assessed, 1)
    ]
    skipped = _absent(listing, history.last)
    away = {one.page for one in skipped}
    skipped += [
        _Skipped(
            procedure_id=one.page,
            page=one.page,
            title="",
            why=one.error.message,
            code=one.error.code,
        )
        for one in listing.refused
        if one.page not in away
    ]
    return items + [
        Item(
            inspection_id=inspection.id,
            number=number,
            collection_id=inspection.collection_id,
            procedure_id=one.procedure_id,
            page=one.page,
            title=one.title,
            due=Due.NOT_DUE,
            state=ItemState.SKIPPED,
            why=one.why,
            code=one.code,
            inputs=Inputs(document=""),
        )
        for number, one in enumerate(skipped, len(items) + 1)
    ]


@dataclass(frozen=True, kw_only=True)
class _Skipped:
    procedure_id: str
    page: str
    title: str
    why: str
    code: str


def _absent(listing: Listing, before: Sequence[Item]) -> list[_Skipped]:
    """What was there and is gone, each told once: its page, or only the procedure. Of a
    page that cannot be read, and of a source of which not everything was seen, nobody
    knows."""
    listed = {one.procedure_id for one in listing.procedures}
    pages = {one.page for one in listing.procedures}
    refused = {one.page for one in listing.refused if one.error.code != DOCUMENT_GONE}
    certain = {one.page for one in listing.refused} - refused
    absent: list[_Skipped] = []
    for one in before:
        is_known = one.code in (DOCUMENT_GONE, PROCEDURE_GONE) or one.procedure_id in listed
        if is_known or one.page in refused:
            continue
        code, why = DOCUMENT_GONE, "the document is no longer in the source"
        if one.page in pages:
            if one.procedure_id == one.page:
                continue
            code, why = PROCEDURE_GONE, "the procedure is no longer in its document"
        elif not (listing.complete or one.page in certain):
            continue
        absent.append(
            _Skipped(
                procedure_id=one.procedure_id, page=one.page, title=one.title, why=why, code=code
            )
        )
    return absent


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
