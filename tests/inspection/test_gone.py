"""What an inspection tells of documents that are no longer there, and of a source that
cannot be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.inspection.documents import Listing, Refused
from proofwalk.inspection.domain import (
    DOCUMENT_GONE,
    PROCEDURE_GONE,
    Collection,
    Inspection,
    InspectionState,
    Item,
    ItemState,
    StartedBy,
)
from proofwalk.inspection.planning import History, planned
from proofwalk.inspection.sources.errors import ENVIRONMENT, from_fetch, unreadable
from proofwalk.kernel.errors import ProofwalkError, Status, not_found
from tests.inspection.kit import START, listed, spec_of, walked

INSPECTION = Inspection(
    id="i",
    collection_id="docs",
    principal="ann",
    state=InspectionState.PLANNED,
    started_by=StartedBy.REQUEST,
    created_at=START,
)
COLLECTION = Collection(id="docs", principal="ann", spec=spec_of(), created_at=START)
AWAY = ProofwalkError("fetch.timeout", "it is slow", status=Status.DEADLINE_EXCEEDED)


def told(listing: Listing, *before: Item) -> dict[str, str]:
    """The codes that a plan tells, by procedure."""
    items = planned(INSPECTION, COLLECTION, listing, History(last=before), now=START)
    assert [item.number for item in items] == list(range(1, len(items) + 1))
    return {item.procedure_id: item.code for item in items}


def test_a_document_that_went_is_told_once() -> None:
    listing = Listing(procedures=(listed("a#p"),))
    before = [walked("a#p"), walked("b#p"), walked("a#q")]
    expected = {"a#p": "", "b#p": DOCUMENT_GONE, "a#q": PROCEDURE_GONE}
    assert told(listing, *before) == expected
    after = [replace(one, code=expected[one.procedure_id]) for one in before]
    assert told(listing, *after) == {"a#p": ""}
    back = Listing(procedures=(listed("a#p"), listed("b#p")))
    assert told(back, *after) == {"a#p": "", "b#p": ""}


def test_nobody_knows_what_went_where_not_everything_was_seen() -> None:
    refused = Refused(page="b.md", error=AWAY)
    listing = Listing(procedures=(listed("a#p"),), refused=(refused,))
    assert told(listing, walked("b#p")) == {"a#p": "", "b.md": "fetch.timeout"}
    partly = Listing(procedures=(listed("a#p"),), complete=False)
    assert told(partly, walked("b#p"), walked("a#q")) == {"a#p": "", "a#q": PROCEDURE_GONE}


def test_a_page_that_the_site_names_and_has_not_is_told_by_its_procedures() -> None:
    gone = Refused(page="b.md", error=not_found(DOCUMENT_GONE, "404"))
    listing = Listing(procedures=(listed("a#p"),), refused=(gone,), complete=False)
    assert told(listing, walked("b#p")) == {"a#p": "", "b#p": DOCUMENT_GONE}
    assert told(listing) == {"a#p": "", "b.md": DOCUMENT_GONE}


def test_a_page_that_could_be_read_again_is_not_gone() -> None:
    page = replace(walked("a.md"), page="a.md", state=ItemState.SKIPPED, code="fetch.timeout")
    assert told(Listing(procedures=(listed("a#p"),)), page) == {"a#p": ""}


@pytest.mark.parametrize("code", ["fetch.timeout", "fetch.unreachable", "fetch.blocked_address"])
def test_a_source_that_cannot_be_read_is_never_waited_for(code: str) -> None:
    error = from_fetch(ProofwalkError(code, "no", status=Status.UNAVAILABLE))
    assert error.code in ENVIRONMENT
    assert (error.status, error.retryable) == (Status.FAILED_PRECONDITION, False)
    assert unreadable("source.unreachable", "no", hint="wait").hint == "wait"
