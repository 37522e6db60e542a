"""Which faults are dealt, and which of them count (`benchmarks.chaos`)."""

from __future__ import annotations

from pathlib import Path

from benchmarks.chaos.counting import figures_of, keep, read
from benchmarks.chaos.effects import Struck, recovery_s
from benchmarks.chaos.faults import Fault, FaultKind, deal
from benchmarks.chaos.history import Entry, Said
from benchmarks.chaos.jobs import plan_jobs
from benchmarks.chaos.rounds import Result, Round, Strike

FAULT = Fault(kind=FaultKind.KILL, target="rollout", gap_s=1.0)
STRUCK = Struck(fault=FAULT, began=5.0, lifted=8.0, touched=1, under_way=("a", "b"))


def seen(at: float, who: str, act: str = "step_taken") -> Entry:
    return Entry(at=at, who=who, said=Said.SEEN, act=act, about={})


def test_every_kind_comes_before_one_comes_again() -> None:
    kinds = len(FaultKind)
    dealt = deal(7, first=0, many=2 * kinds)
    assert {one.kind for one in dealt[:kinds]} == set(FaultKind)
    assert {one.kind for one in dealt[kinds:]} == set(FaultKind)
    assert deal(7, first=5, many=3) == dealt[5:8]
    assert {one.kind for one in deal(7, first=0, many=50, without=[FaultKind.CLOCK])} == {
        *FaultKind
    } - {FaultKind.CLOCK}


def test_every_clock_is_moved_the_clouds_too() -> None:
    clocks = {one.target for one in deal(7, first=0, many=999) if one.kind is FaultKind.CLOCK}
    assert {"devcloud", "rollout", "account_pool", "reward_service"} < clocks


def test_a_fault_that_nothing_met_or_that_found_no_work_does_not_count() -> None:
    assert STRUCK.is_effective
    assert not Struck(fault=FAULT, began=5, lifted=8, touched=0, under_way=("a",)).is_effective
    assert not Struck(fault=FAULT, began=5, lifted=8, touched=9, under_way=()).is_effective


def test_recovery_ends_when_the_last_job_under_way_has_gone_on() -> None:
    entries = [seen(6.0, "a"), seen(9.0, "a"), seen(9.5, "c"), seen(11.0, "b"), seen(12.0, "a")]
    assert recovery_s(STRUCK, entries) == 3.0
    assert recovery_s(STRUCK, entries[:3]) is None
    ended = [seen(6.0, "b", "verification_finished"), seen(9.0, "a")]
    assert recovery_s(STRUCK, ended) == 1.0


def test_a_round_is_kept_as_it_was_and_counted(tmp_path: Path) -> None:
    plan = Round(number=3, jobs=plan_jobs(1, many=2), faults=[FAULT, FAULT])
    idle = Struck(fault=FAULT, began=1.0, lifted=2.0, touched=0, under_way=())
    result = Result(
        round=plan,
        strikes=[Strike(struck=STRUCK, recovery_s=3.0), Strike(struck=idle, recovery_s=0.0)],
        violations=["two_holders: 1"],
        untold={"env_failure": 1},
        seconds=9.0,
    )
    kept = keep(tmp_path / "build" / "journal.jsonl", result)
    assert read(tmp_path / "build" / "journal.jsonl") == [kept]
    figures = figures_of([kept])
    assert (figures["faults"], figures["effective_faults"], figures["kinds"]) == (2, 1, 1)
    assert (figures["violations"], figures["p50_s"]) == (1, 3.0)
