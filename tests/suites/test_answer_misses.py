"""Near misses of an answer are rejected by the judge, every one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from proofwalk.platform.judging import judging
from proofwalk.suites import recording as recordings
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.answer_misses import answer_misses
from proofwalk.suites.rules.sharpness import sharpness_of

RULE = "{id: r, version: 1, delta_s: 5, answer: {ip: {exact: $meta.ip}, zone: {exact: b}}}"
AT = datetime(2026, 1, 1, tzinfo=UTC)
ANSWERED = Recording(
    start=AT, end=AT, outputs={"ip": "10.0.0.1"}, events=(), answer="ip: 10.0.0.1\nzone: b"
)


def test_each_field_is_missed_by_value_and_by_absence_and_the_walk_by_a_change() -> None:
    found = sharpness_of(RULE, ANSWERED, judging)
    assert (found.confirmed, found.near_misses, found.accepted) == (True, 5, ())


def test_a_rule_without_an_answer_has_none_of_these() -> None:
    assert list(answer_misses({"all": [{"event": "StopInstance"}]}, ANSWERED)) == []


def test_a_recording_keeps_the_answer_and_one_without_is_written_as_ever() -> None:
    assert recordings.from_json(recordings.to_json(ANSWERED), name="r") == ANSWERED
    assert "answer" not in recordings.to_json(replace(ANSWERED, answer=""))
