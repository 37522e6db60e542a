"""The fields of an event are found in records that nobody described, whatever they are
called and wherever they stand."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.cloud.field_mapping import EventMapping
from proofwalk.cloud.mapping_inference import (
    ACTORS,
    IDS,
    NAMES,
    REQUESTS,
    TIMES,
    NoMapping,
    declared,
    guess_mapping,
)
from proofwalk.cloud.record_columns import list_path
from proofwalk.kernel.json_values import JsonObject, JsonValue

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
USER = "walker@shop.example"


def mapping_of(records: list[JsonObject], *, user: str = USER) -> EventMapping:
    guesses = guess_mapping(records, user=user, now=NOW)
    return EventMapping.model_validate(declared(guesses, service="shop"))


UNLEASH: list[JsonObject] = [
    {
        "id": number,
        "type": kind,
        "createdBy": who,
        "createdAt": f"2026-05-31T10:0{number}:00.123Z",
        "createdByUserId": 1 if who == "admin" else -42,
        "data": {"name": f"flag-{number}", "enabled": True},
        "preData": None,
        "tags": [],
        "featureName": f"flag-{number}",
        "project": "default",
        "environment": None,
    }
    for number, kind, who in (
        (9, "feature-created", "admin"),
        (8, "feature-updated", "admin"),
        (7, "segment-created", "system"),
    )
]


def test_a_feature_console_s_events_are_read() -> None:
    assert declared(guess_mapping(UNLEASH, user="admin", now=NOW), service="unleash") == {
        "id": "id",
        "time": {"path": "createdAt"},
        "name": "type",
        "actor": "createdBy",
        "request": "data",
        "account": "createdBy",
        "service": {"const": "unleash"},
    }
    event = mapping_of(UNLEASH, user="admin").event(UNLEASH[0])
    assert (event.id, event.name, event.actor) == ("9", "feature-created", "admin")
    assert event.request == {"name": "flag-9", "enabled": True}


def test_a_choice_of_a_list_of_changes_names_what_happened_and_no_object_s_own_name() -> None:
    records: list[JsonObject] = [
        {
            "id": f"c-{number}",
            "object_type": "log.change",
            "action": {"label": "Created", "value": "create"},
            "changed_object_type": "tenancy.tenant",
            "time": f"2026-05-31T10:0{number}:00Z",
            "user_name": USER,
            "object_data": {"name": f"Tenant {number}"},
            "object_data_v2": {"name": f"Tenant {number}", "object_type": "tenancy.tenant"},
        }
        for number in (3, 2, 1)
    ]
    event = mapping_of(records).event(records[0])
    assert (event.service, event.name) == ("tenancy.tenant", "create")
    assert event.request == {"name": "Tenant 3"}


def test_a_log_of_requests_is_read_with_what_changed_and_what_worked() -> None:
    records: list[JsonObject] = [
        {
            "ts": 1780300000 + number,
            "user": USER,
            "method": verb,
            "path": "/api/queues",
            "status": status,
            "request": json.dumps({"durable": True}),
        }
        for number, (verb, status) in enumerate((("PUT", 201), ("GET", 200), ("DELETE", 404)))
    ]
    mapping = mapping_of(records)
    events = [mapping.event(record) for record in records]
    assert [event.name for event in events] == ["PUT", "GET", "DELETE"]
    assert [event.write for event in events] == [True, False, True]
    assert [event.ok for event in events] == [True, True, False]
    assert events[0].request == {"durable": True}
    assert len({event.id for event in events}) == 3


@pytest.mark.parametrize(
    ("more", "of_success", "of_failure"),
    [
        ("success", True, False),
        ("outcome", "Success", "Failure"),
        ("errorCode", None, "Denied"),
    ],
)
def test_an_outcome_is_read_however_it_is_written(
    more: str, of_success: JsonValue, of_failure: JsonValue
) -> None:
    base: JsonObject = {"when": 1780300000, "event": "create", "actor": {"name": USER}}
    records: list[JsonObject] = [{**base, more: of_success}, {**base, more: of_failure}]
    mapping = mapping_of(records)
    assert [mapping.event(record).ok for record in records] == [True, False]


def test_the_offset_of_times_without_a_zone_is_seen_from_a_change_just_made() -> None:
    records: list[JsonObject] = [{"time": "2026-06-01 20:00:02", "action": "add"}]
    guesses = guess_mapping(records, user="", now=NOW, recorded=NOW)
    assert guesses["time"].place == {"path": "time", "utc_offset": "+08:00"}
    mapping = EventMapping.model_validate(declared(guesses, service="shop"))
    assert mapping.event(records[0]).time == NOW + timedelta(seconds=2)


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([], "no entries"),
        ([{"id": 1, "what": "add"}], "reads as a time"),
        ([{"day": "2026-06-01", "what": "add"}], "reads as a time"),
        ([{"at": 1780300000, "count": 3}], "names what happened"),
    ],
)
def test_what_cannot_be_seen_is_refused_with_the_reason(
    records: list[JsonObject], why: str
) -> None:
    with pytest.raises(NoMapping, match=why):
        guess_mapping(records, user=USER, now=NOW)


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        ([{"a": 1}], ""),
        ({"events": [{"a": 1}, {"a": 2}], "tags": [{"b": 1}]}, "events"),
        ({"page": {"rows.all": [{"a": 1}]}, "names": ["a", "b"]}, "page.rows\\.all"),
        ({"total": 0, "names": ["a"]}, None),
        ("text", None),
    ],
)
def test_the_list_of_an_answer_is_the_longest_one_of_objects(
    answer: object, path: str | None
) -> None:
    assert list_path(answer) == path


def written(moment: datetime, style: str) -> JsonValue:
    match style:
        case "iso":
            return moment.isoformat()
        case "epoch_s":
            return moment.timestamp()
        case "epoch_ms":
            return int(moment.timestamp() * 1000)
        case _:
            return moment.strftime("%d/%b/%Y:%H:%M:%S +0000")


@given(
    keys=st.tuples(*map(st.sampled_from, (IDS, TIMES, NAMES, ACTORS, REQUESTS))).filter(
        lambda keys: len(set(keys)) == len(keys)
    ),
    style=st.sampled_from(["iso", "epoch_s", "epoch_ms", "clf"]),
    folders=st.tuples(*(st.sampled_from(["", "entry", "a.b"]) for _ in range(4))),
    number=st.integers(2, 30),
    noise=st.dictionaries(
        st.from_regex(r"x_[a-z]{1,5}", fullmatch=True), st.integers(0, 50), max_size=4
    ),
    others=st.booleans(),
)
def test_fields_are_found_whatever_they_are_called_and_wherever_they_stand(
    keys: tuple[str, ...],
    style: str,
    folders: tuple[str, ...],
    number: int,
    noise: dict[str, int],
    others: bool,
) -> None:
    identity, time, name, actor, request = keys
    records: list[JsonObject] = []
    for index in range(number):
        fields: tuple[tuple[str, JsonValue], ...] = (
            (time, written(NOW - timedelta(minutes=index), style)),
            (name, ("create", "update", "delete")[index % 3]),
            (actor, "system" if others and index == 1 else USER),
            (request, {"x_first": index, "x_second": f"value-{index}"}),
        )
        below: dict[str, dict[str, JsonValue]] = {}
        for folder, (key, value) in zip(folders, fields, strict=True):
            below.setdefault(folder, {})[key] = value
        root = below.pop("", {})
        records.append({identity: f"e-{index}", **noise, **root, **below})
    mapping = mapping_of(records)
    events = [mapping.event(record) for record in records]
    assert [event.id for event in events] == [f"e-{index}" for index in range(number)]
    assert [event.time for event in events] == [
        NOW - timedelta(minutes=index) for index in range(number)
    ]
    assert events[0].name == "create"
    assert events[0].actor == USER
    assert events[0].request == {"x_first": 0, "x_second": "value-0"}
    assert [mapping.concerns(record, USER) for record in records] == [
        event.actor == USER for event in events
    ]
