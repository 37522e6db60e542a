"""Sizes of shards: what is leased stays, the quota holds, and every owner comes to the
same split."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from proofwalk.sandbox_scheduler.domain import Sandbox, SandboxState
from proofwalk.sandbox_scheduler.reconciliation import (
    Instance,
    Limits,
    Phase,
    Policy,
    Share,
    allot,
    base_of,
    compare,
    demand,
    surplus,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LIMITS = Limits(start_s=30, end_s=60)


def row(
    ordinal: int,
    state: SandboxState,
    *,
    instance: str = "",
    age_s: float = 0.0,
    expires_in_s: float = 60.0,
) -> Sandbox:
    return Sandbox(
        id=f"sbx_{ordinal}_{instance}",
        tool="chromium",
        version="1",
        shard=0,
        ordinal=ordinal,
        place=f"pod-{ordinal}",
        instance=instance or f"uid-{ordinal}",
        state=state,
        expires_at=NOW + timedelta(seconds=expires_in_s) if state is SandboxState.LEASED else None,
        created_at=NOW - timedelta(seconds=age_s),
    )


def seen(
    ordinal: int,
    phase: Phase,
    *,
    instance: str = "",
    reason: str = "",
    since_s: float | None = None,
) -> Instance:
    since = None if since_s is None else NOW - timedelta(seconds=since_s)
    return Instance(
        id=instance or f"uid-{ordinal}",
        place=f"pod-{ordinal}",
        ordinal=ordinal,
        phase=phase,
        reason=reason,
        since=since,
    )


states = st.sampled_from(
    [SandboxState.STARTING, SandboxState.WARM, SandboxState.LEASED, SandboxState.ENDING]
)
shards = st.lists(st.lists(states, max_size=6), min_size=1, max_size=5)


def rows_of(states: list[SandboxState]) -> list[Sandbox]:
    return [row(number, state) for number, state in enumerate(states)]


@given(
    shards=shards,
    warm=st.integers(0, 6),
    waiting=st.integers(0, 6),
    ordinals=st.booleans(),
    slack=st.integers(0, 8),
)
def test_leases_keep_their_places_and_the_quota_holds(
    shards: list[list[SandboxState]], warm: int, waiting: int, ordinals: bool, slack: int
) -> None:
    """From any state within the quota, whatever order the owners decide in."""
    cluster = [rows_of(each) for each in shards]
    quota = max(1, sum(map(len, cluster)) + slack)
    policy = Policy(warm=warm, quota=quota, shard_size=6, burst=100, ordinals=ordinals)
    shares = {
        number: Share(base=base_of(rows, ordinals=ordinals), size=len(rows), present=len(rows))
        for number, rows in enumerate(cluster)
    }
    leased = sum(each.state is SandboxState.LEASED for rows in cluster for each in rows)
    wanted = demand(policy, leased=leased, waiting=waiting)
    for number, rows in enumerate(cluster):
        size = allot(shares, number, rows, wanted=wanted, policy=policy)
        assert size >= shares[number].base
        over = surplus(rows, size, ordinals=ordinals)
        assert all(each.state in (SandboxState.STARTING, SandboxState.WARM) for each in over)
        ending = 0 if ordinals else sum(each.state is SandboxState.ENDING for each in rows)
        shares[number] = Share(
            base=shares[number].base, size=size, present=max(len(rows), size + ending)
        )
        assert sum(share.taken for share in shares.values()) <= quota


@given(shards=shards, warm=st.integers(0, 6), waiting=st.integers(0, 6))
def test_the_split_meets_the_demand_when_there_is_room(
    shards: list[list[SandboxState]], warm: int, waiting: int
) -> None:
    cluster = [rows_of(each) for each in shards]
    policy = Policy(warm=warm, quota=1000, shard_size=300, burst=1000, ordinals=True)
    shares = {
        number: Share(base=base_of(rows, ordinals=True), size=len(rows), present=len(rows))
        for number, rows in enumerate(cluster)
    }
    leased = sum(each.state is SandboxState.LEASED for rows in cluster for each in rows)
    wanted = demand(policy, leased=leased, waiting=waiting)
    sizes = [
        allot(shares, number, rows, wanted=wanted, policy=policy)
        for number, rows in enumerate(cluster)
    ]
    assert sum(sizes) == max(wanted, sum(share.base for share in shares.values()))


def test_a_burst_is_bounded() -> None:
    policy = Policy(warm=100, quota=1000, shard_size=500, burst=10, ordinals=True)
    rows = [row(0, SandboxState.WARM), row(1, SandboxState.STARTING)]
    shares = {0: Share(base=0, size=2, present=2)}
    assert allot(shares, 0, rows, wanted=100, policy=policy) == 11


def test_the_first_shards_fill_first() -> None:
    policy = Policy(warm=7, quota=100, shard_size=5, burst=100, ordinals=True)
    empty = {number: Share(base=0, size=0, present=0) for number in range(3)}
    assert [allot(empty, number, [], wanted=7, policy=policy) for number in range(3)] == [5, 2, 0]


def test_where_ordinals_rule_those_beyond_the_size_go() -> None:
    rows = [
        row(0, SandboxState.WARM),
        row(1, SandboxState.LEASED),
        row(2, SandboxState.WARM),
        row(3, SandboxState.STARTING),
    ]
    assert {each.ordinal for each in surplus(rows, 2, ordinals=True)} == {2, 3}


def test_elsewhere_what_is_not_up_goes_first_and_then_the_latest() -> None:
    rows = [
        row(0, SandboxState.WARM, age_s=9),
        row(1, SandboxState.LEASED),
        row(2, SandboxState.WARM, age_s=1),
        row(3, SandboxState.STARTING, age_s=5),
    ]
    assert [each.ordinal for each in surplus(rows, 2, ordinals=False)] == [3, 2]


def test_what_is_new_gets_a_row_and_what_failed_at_once_goes() -> None:
    changes = compare(
        [],
        [seen(0, Phase.STARTING), seen(1, Phase.FAILED), seen(2, Phase.TERMINATING)],
        limits=LIMITS,
        now=NOW,
    )
    assert [each.ordinal for each in changes.add] == [0, 1]
    assert [(each.ordinal, force) for each, force in changes.discard] == [(1, False)]


def test_the_next_one_in_a_place_is_another_one() -> None:
    changes = compare(
        [row(0, SandboxState.LEASED)],
        [seen(0, Phase.READY, instance="uid-0b")],
        limits=LIMITS,
        now=NOW,
    )
    assert [each.instance for each, _ in changes.end] == ["uid-0"]
    assert [each.instance for each in changes.gone] == ["uid-0"]
    assert [each.id for each in changes.add] == ["uid-0b"]
    assert changes.discard == []


def test_a_start_that_takes_too_long_is_ended_unless_its_cause_is_known() -> None:
    rows = [
        row(0, SandboxState.STARTING, age_s=31),
        row(1, SandboxState.STARTING, age_s=31),
        row(2, SandboxState.STARTING, age_s=29),
    ]
    there = [
        seen(0, Phase.STARTING),
        seen(1, Phase.STARTING, reason="ErrImagePull"),
        seen(2, Phase.STARTING),
    ]
    changes = compare(rows, there, limits=LIMITS, now=NOW)
    assert [each.ordinal for each, _ in changes.end] == [0]


def test_what_does_not_end_is_forced() -> None:
    rows = [row(0, SandboxState.ENDING), row(1, SandboxState.ENDING)]
    there = [seen(0, Phase.TERMINATING, since_s=61), seen(1, Phase.TERMINATING, since_s=59)]
    changes = compare(rows, there, limits=LIMITS, now=NOW)
    assert [(each.ordinal, force) for each, force in changes.discard] == [(0, True)]
    assert changes.end == []


def test_a_lease_ends_by_time_by_failure_and_by_unreadiness() -> None:
    rows = [
        row(number, SandboxState.LEASED, expires_in_s=-1 if number == 0 else 60)
        for number in range(5)
    ]
    there = [
        seen(0, Phase.READY),
        seen(1, Phase.FAILED, reason="Evicted"),
        seen(2, Phase.STARTING),
        seen(3, Phase.TERMINATING),
        seen(4, Phase.READY),
    ]
    changes = compare(rows, there, limits=LIMITS, now=NOW)
    assert {each.ordinal: reason for each, reason in changes.end} == {
        0: "its lease expired",
        1: "Evicted",
        2: "it is not ready any more",
        3: "it was ended from outside",
    }
    assert {each.ordinal for each, _ in changes.discard} == {0, 1, 2}
