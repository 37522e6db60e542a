"""Ending tasks: none survives because a cancellation was lost, or because whoever ended
it was cancelled too."""

from __future__ import annotations

import asyncio

import pytest

from proofwalk.chassis.tasks import end


async def deaf(times: int, entered: asyncio.Event) -> None:
    """Loses that many cancellations."""
    entered.set()
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            times -= 1
            if times < 0:
                raise


async def test_a_task_that_loses_a_cancellation_is_asked_again() -> None:
    entered = asyncio.Event()
    task = asyncio.create_task(deaf(1, entered))
    await asyncio.wait_for(entered.wait(), 5)
    await asyncio.wait_for(end([task]), 10)
    assert task.cancelled()


async def test_what_it_raised_is_not_raised_here() -> None:
    async def broken() -> None:
        raise ValueError("broken")

    task = asyncio.create_task(broken())
    await asyncio.wait_for(end([task]), 5)
    assert isinstance(task.exception(), ValueError)


async def test_being_cancelled_leaves_no_task_without_an_owner() -> None:
    entered = asyncio.Event()
    task = asyncio.create_task(deaf(2, entered))
    await asyncio.wait_for(entered.wait(), 5)
    ending = asyncio.create_task(end([task]))
    await asyncio.wait({ending}, timeout=0.01)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(ending), 10)
    assert task.cancelled()
