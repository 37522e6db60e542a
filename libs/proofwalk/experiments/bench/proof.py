"""The proof of a suite: that every task can be solved, that nothing solves it for
nothing, and that its rule is sharp.

For each task the oracle must be verified through the console with real clicks, the null
and the random policy must not be, and the rule must confirm the oracle's events and
reject each near miss of them (`suites.rules.sharpness`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from proofwalk.experiments.bench.running import Work
from proofwalk.experiments.platform import Platform
from proofwalk.kernel.json_values import JsonObject, int_of, list_of
from proofwalk.orders.order import SCRIPTED
from proofwalk.orders.verification import VerificationBody
from proofwalk.suites.counting.rows import VERIFIED, Row
from proofwalk.suites.model import Task
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.sharpness import Judging, sharpness_of

_LEVEL = "calm"


def works_of(
    tasks: Sequence[Task], *, oracle_alone: bool = False, wandering: Sequence[Task] | None = None
) -> list[Work]:
    """Every run of a proof, the tasks' oracles first; the random policy gets the tasks
    `wandering`, or all."""
    told = (
        {SCRIPTED: tasks}
        if oracle_alone
        else {SCRIPTED: tasks, "null": tasks, "random": tasks if wandering is None else wandering}
    )
    return [
        Work(task=task, policy=policy, run=1, level=_LEVEL)
        for policy, some in told.items()
        for task in some
    ]


class Examiner:
    """Looks at what the oracle left in the log; a passing episode is handed to `keep`
    before its row is written."""

    def __init__(
        self,
        place: Platform,
        *,
        judging: Judging,
        keep: Callable[[Task, Recording], object] | None = None,
    ) -> None:
        self._place = place
        self._judging = judging
        self._keep = keep

    async def __call__(self, work: Work, verification: VerificationBody) -> JsonObject:
        if work.policy != SCRIPTED or verification["verdict"]["outcome"] != VERIFIED:
            return {}
        recording = await self._place.recording(verification["episodes"][-1]["episode_id"])
        if recording is None:
            return {"unjudged": True}
        if self._keep is not None:
            await asyncio.to_thread(self._keep, work.task, recording)
        found = await asyncio.to_thread(sharpness_of, work.task.rule_yaml, recording, self._judging)
        return {
            "confirmed": found.confirmed,
            "near_misses": found.near_misses,
            "accepted": list(found.accepted),
        }


def figures_of(rows: Sequence[Row], tasks: int) -> dict[str, Any]:
    """The proof's figures: how often each policy was verified, and how many near misses
    were rejected."""
    oracle = [row for row in rows if row.policy == SCRIPTED]
    total = sum(int_of(row.extra.get("near_misses")) for row in oracle)
    accepted = sum(len(list_of(row.extra.get("accepted"))) for row in oracle)
    return {
        "oracle": sum(row.passed for row in oracle),
        "null": sum(row.passed for row in rows if row.policy == "null"),
        "random": sum(row.passed for row in rows if row.policy == "random"),
        "null_runs": sum(row.policy == "null" for row in rows),
        "random_runs": sum(row.policy == "random" for row in rows),
        "near_misses_rejected": total - accepted,
        "near_misses": total,
        "tasks": tasks,
        "runs": len(rows),
        "environment_retries": sum(row.retried for row in rows),
    }


def failures_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Everything that is not as it must be, in words."""
    found = []
    for row in rows:
        if row.policy == SCRIPTED and not row.passed:
            found.append(_failure(row, f"the oracle ended with {row.failure}: {row.reason}"))
        elif row.policy == SCRIPTED:
            found += [
                _failure(row, f"the rule confirms a near miss: {why}")
                for why in list_of(row.extra.get("accepted"))
            ]
            if not row.extra.get("confirmed"):
                found.append(
                    _failure(row, "the rule does not confirm the oracle's recorded events")
                )
            elif not row.extra.get("near_misses"):
                found.append(_failure(row, "no near miss was made of the oracle's events"))
        elif row.passed:
            found.append(_failure(row, f"the policy {row.policy!r} was verified"))
        elif not row.final:
            found.append(
                _failure(
                    row, f"the policy {row.policy!r} could not be run: {row.failure}: {row.reason}"
                )
            )
    return found


def _failure(row: Row, what: str) -> dict[str, Any]:
    return {"task": row.task, "policy": row.policy, "what": what}
