"""Mapping records of any log onto events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from proofwalk.cloud.field_mapping import EventMapping, MissingField, at

RECORD: dict[str, Any] = {
    "a": {"b.c": 1, "list": [{"id": "x"}, {"id": "y"}]},
    "t": "2026-01-01T20:00:00",
    "epoch": 1767268800.25,
    "svc": "orders",
    "op": "cancel",
    "ok": "true",
    "status": 200,
    "error": None,
    "body": '{"order": 1}',
}


def mapping(**more: Any) -> EventMapping:
    return EventMapping.model_validate({"time": "epoch", "service": "svc", "name": "op", **more})


MAPPING = {"time": {"path": "epoch", "format": "epoch_s"}}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("svc", "orders"),
        ("a.b\\.c", 1),
        ("a.list.1.id", "y"),
        ("a.list.7.id", None),
        ("a.list.x", None),
        ("svc.more", None),
    ],
)
def test_paths(path: str, value: object) -> None:
    assert at(RECORD, path) == value


@pytest.mark.parametrize(
    ("time", "hour"),
    [
        ({"path": "epoch", "format": "epoch_s"}, 12),
        ({"path": "t", "utc_offset": "+08:00"}, 12),
        ({"path": "t"}, 20),
        ({"path": "t", "format": "%Y-%m-%dT%H:%M:%S", "utc_offset": "-01:00"}, 21),
    ],
)
def test_times_become_utc(time: dict[str, str], hour: int) -> None:
    event = mapping(time=time).event(RECORD)
    assert event.time.replace(microsecond=0) == datetime(2026, 1, 1, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ({"path": "status", "in": [200, 201]}, True),
        ({"path": "status", "in": [404]}, False),
        ({"path": "status", "eq": "200"}, True),
        ({"path": "ok", "eq": "true"}, True),
        ({"path": "error", "absent": True}, True),
        ({"path": "status", "absent": True}, False),
        ({"path": "status", "absent": False}, True),
        ({"path": "nowhere", "eq": 1}, False),
        ({"path": "svc", "match": "^ord"}, True),
        ({"path": "status", "match": "^4"}, False),
        ({"const": False}, False),
    ],
)
def test_success_is_what_the_target_says(test: dict[str, Any], holds: bool) -> None:
    assert mapping(**MAPPING, ok=test).event(RECORD).ok is holds


def test_constants_look_ups_and_embedded_json() -> None:
    event = mapping(
        **MAPPING,
        service={"path": "svc", "lookup": {"orders": "Orders"}},
        kind={"const": "Web"},
        request="body",
        resources=["a.list.0.id", "nowhere"],
    ).event(RECORD)
    assert (event.service, event.kind, event.request, event.resources) == (
        "Orders",
        "Web",
        {"order": 1},
        ("x",),
    )
    assert event.raw == RECORD


def test_the_first_value_that_is_there_and_a_part_of_one() -> None:
    record = {**RECORD, "path": "/api/flags/f-7/strategies/s-1", "ids": ["flag:f-7", "", "x"]}
    event = mapping(
        **MAPPING,
        name=["nowhere", {"path": "error"}, {"path": "path", "match": "^/api/(\\w+)"}],
        actor=["nowhere", {"const": "somebody"}],
        resources=[
            {"path": "path", "match": "flags/([^/]+)"},
            {"path": "path", "match": "queues/([^/]+)"},
            {"path": "ids", "match": "^flag:(.+)"},
        ],
    ).event(record)
    assert (event.name, event.actor, event.resources) == ("flags", "somebody", ("f-7",))


@pytest.mark.parametrize(
    ("text", "near", "wanted"),
    [
        ("Dec 31 23:59:58", datetime(2026, 1, 1, tzinfo=UTC), datetime(2025, 12, 31, tzinfo=UTC)),
        ("Jan  1 00:00:03", datetime(2025, 12, 31, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)),
        ("Feb 29 12:00:00", datetime(2028, 3, 1, tzinfo=UTC), datetime(2028, 2, 29, tzinfo=UTC)),
    ],
)
def test_a_time_without_a_year_is_of_the_nearest(
    text: str, near: datetime, wanted: datetime
) -> None:
    one = mapping(time={"path": "at", "format": "%b %d %H:%M:%S"})
    assert one.event({**RECORD, "at": text}, near=near).time.date() == wanted.date()


def test_a_day_that_no_year_near_has_is_no_time() -> None:
    one = mapping(time={"path": "at", "format": "%b %d %H:%M:%S"})
    with pytest.raises(MissingField):
        one.event({**RECORD, "at": "Feb 30 12:00:00"}, near=datetime(2028, 3, 1, tzinfo=UTC))


def test_a_record_without_an_id_gets_one_of_its_own() -> None:
    same = mapping(**MAPPING)
    assert same.event(RECORD).id == same.event(dict(RECORD)).id
    assert same.event(RECORD).id != same.event({**RECORD, "status": 201}).id


@pytest.mark.parametrize("gone", ["svc", "op", "epoch"])
def test_a_record_without_the_necessary_is_no_event(gone: str) -> None:
    with pytest.raises(MissingField):
        mapping(**MAPPING).event({key: value for key, value in RECORD.items() if key != gone})


@pytest.mark.parametrize(
    "bad",
    [
        {"service": {"path": "a", "const": "b"}},
        {"service": {}},
        {"ok": {"path": "a"}},
        {"ok": {"path": "a", "eq": 1, "absent": True}},
        {"ok": {"const": True, "path": "a"}},
        {"time": {"path": "t", "utc_offset": "Berlin"}},
        {"colour": "a"},
    ],
)
def test_a_mapping_that_says_too_little_or_too_much_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        mapping(**bad)
