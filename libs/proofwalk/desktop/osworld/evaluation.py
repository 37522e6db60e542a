"""A task's score, as OSWorld gives it: what a policy left behind, not what it said, but
for one thing: that a task cannot be done."""

from __future__ import annotations

import asyncio

from proofwalk.desktop.guest import Guest
from proofwalk.desktop.osworld import getters, metrics, setup
from proofwalk.desktop.osworld.setup import Fetch
from proofwalk.desktop.osworld.task import INFEASIBLE, Check, OsworldTask, told_by_the_task
from proofwalk.kernel.errors import ProofwalkError, Status


def check(task: OsworldTask) -> None:
    """Whether everything that the task asks for is there: before anything of it is
    done. Raises `osworld.unsupported`."""
    for step in (*task.config, *task.evaluator.postconfig):
        setup.supported_type(step)
    for part in task.evaluator.parts():
        if part.metric != INFEASIBLE and part.metric not in metrics.METRICS:
            raise ProofwalkError(
                "osworld.unsupported",
                f"tasks cannot be scored by {part.metric!r} here",
                status=Status.UNIMPLEMENTED,
                hint=f"supported are {', '.join((INFEASIBLE, *metrics.METRICS))}",
            )
        for getter in (part.result, part.expected):
            if getter is not None:
                getters.supported_type(getter)


async def evaluate(
    task: OsworldTask,
    guest: Guest,
    *,
    said_unachievable: bool,
    fetch: Fetch = setup.no_network,
    screen: tuple[int, int],
) -> float:
    """0 to 1. `said_unachievable`: the policy's last action was that the task cannot be
    done, which is right for an infeasible one alone.

    Raises what `setup.prepare` and the getters raise: then there is no score, which is
    not a score of 0.
    """
    if task.infeasible or said_unachievable:
        return float(task.infeasible and said_unachievable)
    await setup.prepare(task.evaluator.postconfig, guest, fetch=fetch, screen=screen)
    scores: list[float] = []
    for part in task.evaluator.parts():
        score = await _score(part, guest, fetch=fetch, screen=screen)
        if task.evaluator.conj == "and" and score == 0:
            return 0.0
        if task.evaluator.conj == "or" and score == 1:
            return 1.0
        scores.append(score)
    return sum(scores) / len(scores) if task.evaluator.conj == "and" else max(scores)


async def _score(part: Check, guest: Guest, *, fetch: Fetch, screen: tuple[int, int]) -> float:
    result, expected = [
        None if getter is None else await getters.get(getter, guest, fetch=fetch, screen=screen)
        for getter in (part.result, part.expected)
    ]
    if result is None:
        return 0.0
    with told_by_the_task(part.metric):
        # In a thread: comparing long texts takes its time.
        return await asyncio.to_thread(metrics.METRICS[part.metric], result, expected, part.options)
