"""Whose verification is next, on both databases (`rollout.turns`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from proofwalk.rollout import usecases
from tests.rollout.setting import Setting

TTL = timedelta(seconds=30)


async def ask(rows: Setting, principal: str, *names: str) -> None:
    for name in names:
        await rows.create(f"ver_{name}", principal=principal)
        rows.clock.advance(1)


async def in_turn(
    rows: Setting, *, limit: int = 99, shares: Mapping[str, float] | None = None
) -> Sequence[str]:
    found = await usecases.waiting(rows.db, clock=rows.clock, limit=limit, shares=shares)
    return [one.removeprefix("ver_") for one in found]


async def take(rows: Setting, *names: str) -> None:
    for name in names:
        claim = usecases.claim(rows.db, f"ver_{name}", holder="w", ttl=TTL, clock=rows.clock)
        assert await claim is not None


async def test_who_asks_for_many_does_not_stand_before_who_asks_for_one(rows: Setting) -> None:
    await ask(rows, "many", "m1", "m2", "m3", "m4")
    await ask(rows, "one", "o1")
    assert await in_turn(rows) == ["m1", "o1", "m2", "m3", "m4"]


async def test_what_workers_hold_counts(rows: Setting) -> None:
    await ask(rows, "many", "m1", "m2", "m3", "m4")
    await ask(rows, "few", "f1", "f2", "f3")
    await take(rows, "m1", "m2")
    assert await in_turn(rows) == ["f1", "f2", "m3", "f3", "m4"]


async def test_one_that_is_alone_gets_every_place_in_the_order_of_asking(rows: Setting) -> None:
    await ask(rows, "a", "3", "1", "2")
    assert await in_turn(rows, limit=2) == ["3", "1"]


async def test_a_share_of_two_gets_two_places_of_three(rows: Setting) -> None:
    await ask(rows, "a", "a1", "a2", "a3")
    await ask(rows, "b", "b1", "b2", "b3", "b4", "b5", "b6")
    order = await in_turn(rows, shares={"b": 2.0})
    assert order == ["b1", "a1", "b2", "b3", "a2", "b4", "b5", "a3", "b6"]


async def test_what_a_silent_worker_left_goes_before_what_has_not_begun(rows: Setting) -> None:
    await ask(rows, "a", "a1", "a2", "a3")
    await ask(rows, "b", "b1")
    await take(rows, "a2")
    rows.clock.advance(31)
    assert await in_turn(rows) == ["a2", "b1", "a1", "a3"]
