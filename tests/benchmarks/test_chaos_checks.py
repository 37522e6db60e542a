"""Each check of the chaos driver finds what it is for, and nothing in a round where all
is well (`benchmarks.chaos.checks`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmarks.chaos.checks import CHECKS, Record, untold, violations
from benchmarks.chaos.history import Entry, Said
from benchmarks.chaos.jobs import Job
from benchmarks.chaos.rows import Change, Lease, Row, Rows

JOB = Job(number=0, tenant="ant", document="01-vpc-create-vpc.md", after_s=0.0)
KINDS = ("verification_queued", "episode_started", "episode_finished", "verification_finished")


def answered(act: str, **about: str) -> Entry:
    return Entry(at=1.0, who=JOB.key, said=Said.OK, act=act, about={**about})


def events(*kinds: str) -> Sequence[Row]:
    return [
        {"verification_id": "ver_1", "sequence": number, "type": kind}
        for number, kind in enumerate(kinds, 1)
    ]


CREATED = answered("create", verification_id="ver_1")
TOLD = answered("get", verification_id="ver_1", state="finished", outcome="verified")
WELL = Record(
    jobs=[JOB],
    entries=[CREATED, TOLD, TOLD],
    rows=Rows(
        verifications=[{"id": "ver_1", "state": "finished", "outcome": "verified"}],
        events=events(*KINDS),
        leases=[
            Lease(account="1", epoch=1, holder="a", granted=10.0, ended=20.0),
            Lease(account="1", epoch=2, holder="b", granted=20.0, ended=30.0),
        ],
        changes=[Change(account="1", at=19.0, name="CreateVpc", user="a")],
    ),
)


def with_rows(**changed: object) -> Record:
    return replace(WELL, rows=replace(WELL.rows, **changed))  # type: ignore[arg-type]


OVERLAPPING = [WELL.rows.leases[0], replace(WELL.rows.leases[1], granted=19.0)]
OF_ONE_EPOCH = [WELL.rows.leases[0], replace(WELL.rows.leases[1], epoch=1)]
BROKEN = {
    "job_lost": [
        with_rows(verifications=[]),
        with_rows(verifications=[{"id": "ver_1", "state": "running", "outcome": None}]),
    ],
    "key_doubled": [
        replace(WELL, entries=[CREATED, answered("create", verification_id="ver_2")]),
        with_rows(
            verifications=[*WELL.rows.verifications, {"id": "x", "state": "finished"}],
        ),
    ],
    "decided_again": [
        with_rows(events=events(*KINDS, "verification_finished")),
        with_rows(events=events(*KINDS, "step_taken")),
        with_rows(events=events(*KINDS[:2], "verification_finished")),
        replace(WELL, entries=[CREATED, TOLD, replace(TOLD, about={**TOLD.about, "outcome": "x"})]),
    ],
    "history_broken": [with_rows(events=WELL.rows.events[1:])],
    "two_holders": [with_rows(leases=OVERLAPPING), with_rows(leases=OF_ONE_EPOCH)],
    "stale_write": [with_rows(changes=[Change(account="1", at=40.0, name="X", user="a")])],
    "wrong_verdict": [
        replace(
            WELL,
            entries=[CREATED, replace(TOLD, about={**TOLD.about, "outcome": "doc_defect"})],
        )
    ],
    "nothing_seen": [with_rows(events=[]), with_rows(leases=[]), with_rows(changes=[])],
    "left_behind": [replace(WELL, left=["sandbox_scheduler {'id': 'sbx_1'}"])],
}


def names(record: Record) -> set[str]:
    return {found.partition(":")[0] for found in violations(record)}


def test_a_round_where_all_is_well_breaks_nothing() -> None:
    assert violations(WELL) == []


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_finds_what_it_is_for(name: str) -> None:
    for record in BROKEN[name]:
        assert name in names(record)


def test_a_moved_clock_makes_times_say_nothing_and_epochs_still_do() -> None:
    pool = frozenset({"account_pool"})
    assert names(replace(with_rows(leases=OVERLAPPING), skewed=pool)) == set()
    assert names(replace(with_rows(leases=OF_ONE_EPOCH), skewed=pool)) == {"two_holders"}
    for stale in BROKEN["stale_write"]:
        assert "stale_write" not in names(replace(stale, skewed=frozenset({"devcloud"})))
        assert "stale_write" in names(replace(stale, skewed=frozenset({"rollout"})))


def test_a_job_that_the_environment_failed_is_untold_and_breaks_nothing() -> None:
    failed = [{"id": "ver_1", "state": "finished", "outcome": "env_failure"}]
    told = replace(TOLD, about={**TOLD.about, "outcome": "env_failure"})
    record = replace(with_rows(verifications=failed), entries=[CREATED, told])
    assert (violations(record), untold(record)) == ([], {"env_failure": 1})
