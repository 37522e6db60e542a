"""Which groups an update learns from where rollouts stream."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.trainer.group_order import (
    BegunGroup,
    GroupOrder,
    batch_of,
    most_under_way,
    rarest,
)


def group(number: int, at: int = 0) -> BegunGroup:
    return BegunGroup(number=number, task=f"task-{number}", at=at)


@pytest.mark.parametrize(
    ("ended", "step", "batch"),
    [
        ((), 0, None),
        ((2,), 0, None),
        ((2, 0), 0, (0, 2)),
        ((3, 2, 1), 0, (1, 2, 3)),
        ((2, 3), 1, None),  # 0 and 1 would be too old for the update after this one
        ((0, 1, 3), 1, (0, 1, 3)),
    ],
)
def test_an_update_takes_what_has_ended_and_waits_for_what_would_be_too_old(
    ended: tuple[int, ...], step: int, batch: tuple[int, ...] | None
) -> None:
    waiting = [group(0), group(1), group(2, at=1), group(3, at=1)]
    assert batch_of(waiting, ended, step=step, per_step=2, max_staleness=1) == batch


def test_nothing_is_begun_that_no_update_is_left_for() -> None:
    allowed = [
        most_under_way(per_step=4, max_staleness=2, updates_left=left) for left in (9, 3, 2, 1, 0)
    ]
    assert allowed == [12, 12, 8, 4, 0]


def test_tasks_are_begun_as_often_as_each_other_in_an_order_of_the_seed() -> None:
    tasks = [f"task-{number}" for number in range(5)]
    begun: list[str] = []
    for _ in range(23):
        begun.append(rarest(begun, [task for task in tasks if task not in begun[-2:]], seed=3))
    times = Counter(begun)
    assert max(times.values()) - min(times.values()) <= 1
    assert begun[:5] != tasks, "and not that of the suite"
    assert rarest(begun[:7], tasks, seed=3) == rarest(begun[:7], tasks, seed=3)
    firsts = {rarest([], tasks, seed=seed) for seed in range(30)}
    assert len(firsts) > 2


@given(
    seed=st.integers(0, 10_000),
    per_step=st.integers(1, 3),
    max_staleness=st.integers(1, 3),
    slow=st.floats(0, 1),
)
def test_no_group_is_ever_too_old_and_none_is_lost(
    seed: int, per_step: int, max_staleness: int, slow: float
) -> None:
    """Groups end in any order, and while an update is computed too; some of them only
    when nothing else is left to end."""
    random = Random(seed)
    steps = 8
    groups: list[BegunGroup] = []
    ended: set[int] = set()

    def waiting() -> list[BegunGroup]:
        return [one for one in groups if one.step is None]

    def begin(at: int, left: int) -> None:
        bound = most_under_way(per_step=per_step, max_staleness=max_staleness, updates_left=left)
        while len(waiting()) < bound:
            groups.append(group(len(groups), at=at))

    for step in range(steps):
        while True:
            begin(step, steps - step)
            batch = batch_of(
                waiting(), ended, step=step, per_step=per_step, max_staleness=max_staleness
            )
            if batch is not None:
                break
            running = [one.number for one in waiting() if one.number not in ended]
            quick = [number for number in running if number % 10 >= 10 * slow]
            ended.add(random.choice(quick or running))
        assert len(batch) >= per_step
        for number in batch:
            assert step - groups[number].at <= max_staleness
            groups[number] = replace(groups[number], step=step)
        # The update is computed: what it took is replaced at once, by the same weights.
        begin(step, steps - step - 1)
        assert len(waiting()) <= (max_staleness + 1) * per_step
    lost = [one for one in waiting() if steps - 1 - one.at >= max_staleness]
    assert lost == []


def test_what_is_written_is_read_again_and_a_damaged_file_is_said_to_be(tmp_path: Path) -> None:
    order = GroupOrder(tmp_path)
    assert order.read() == []
    for number in range(3):
        order.begin(group(number, at=number))
    order.take(4, [0, 2])
    assert GroupOrder(tmp_path).read() == [
        replace(group(0), step=4),
        group(1, at=1),
        replace(group(2, at=2), step=4),
    ]
    with pytest.raises(Exception, match="UNIQUE"):
        order.begin(group(1))
    path = tmp_path / "order.sqlite3"
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM groups").fetchone() == (3,)
    path.write_bytes(b"SQLite format 3\0 and then something else" * 100)
    with pytest.raises(ProofwalkError) as caught:
        order.read()
    assert caught.value.code == "trainer.order_damaged"
