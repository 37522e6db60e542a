"""What a mapping makes of records is counted: events, others' records, what is left out
and why."""

from __future__ import annotations

from datetime import UTC, datetime

from proofwalk.cloud.field_mapping import EventMapping, Test
from proofwalk.cloud.mapping_coverage import coverage

NOW = datetime(2026, 6, 1, tzinfo=UTC)
MAPPING = EventMapping.model_validate(
    {
        "id": "id",
        "time": {"path": "at", "format": "epoch_s"},
        "service": {"const": "shop"},
        "name": "what",
        "actor": "who",
        "request": "params",
        "account": "tenant",
    }
)


def record(number: int, **more: object) -> dict[str, object]:
    return {"id": number, "at": 1_700_000_000 + number, "what": "add", "tenant": "1", **more}


def test_each_record_is_counted_once_and_events_come_newest_first() -> None:
    seen = coverage(
        [record(1), record(2, who="ada"), record(3, tenant="2"), record(4, at="soon"), "text"],
        MAPPING,
        "1",
        now=NOW,
    )
    assert (seen.records, seen.others) == (5, 1)
    assert [event.id for event in seen.events] == ["2", "1"]
    assert seen.refused == {"at is no time of the format epoch_s": 1, "it is no object": 1}


def test_a_mapped_field_that_no_event_has_is_empty_and_an_unmapped_one_is_not_missed() -> None:
    assert coverage([record(1)], MAPPING, "1", now=NOW).empty == ["actor", "request"]
    assert coverage([record(1, who="ada", params={"a": 1})], MAPPING, "1", now=NOW).empty == []
    assert coverage([], MAPPING, "1", now=NOW).empty == []


def test_records_that_do_not_count_are_told_apart() -> None:
    mapping = MAPPING.model_copy(
        update={"only": (Test.model_validate({"path": "what", "eq": "add"}),)}
    )
    seen = coverage([record(1), record(2, what="look")], mapping, "1", now=NOW)
    assert [event.id for event in seen.events] == ["1"]
    assert seen.refused == {"`only` leaves it out": 1}
