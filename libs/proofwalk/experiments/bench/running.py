"""Runs of tasks through an installation: in parallel, each one journalled, environment
failures tried again and told apart.

A run is one verification of one task by one policy in one scenario. What trouble it
meets is decided by a seed made of suite, task and run, so that policies meet the same,
and a repeated run too; what a model draws as well, where the inference role serves it
(`LlmPolicy`). A run that the environment failed is tried again up to `RETRIES` times;
if it fails still, its row says so and counts for nothing else.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from proofwalk.experiments.bench.journal import Journal, Key
from proofwalk.experiments.platform import Platform
from proofwalk.kernel.account_pools import TRAINING
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.json_values import JsonObject
from proofwalk.orders.verification import VerificationBody
from proofwalk.suites.counting.rows import Row, row_of
from proofwalk.suites.model import Task
from proofwalk.suites.orders import request_of

RETRIES = 3
POLL_S = 1.0
_LOOKS_PER_S = 4.0
"""Looks of all workers together: twenty workers that look every second cost the
installation a fifth of its time."""
_UNTOLD = ("env_failure", "judge_split", "cancelled")
REFUSED = "refused"
"""Outcome of a task that the installation does not take: the task is damaged."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """One run of one task."""

    task: Task
    policy: str
    run: int
    level: str
    trace: bool = False
    """Record the browser too."""

    @property
    def key(self) -> Key:
        return self.task.id, self.task.digest, self.policy, self.run

    @property
    def seed(self) -> int:
        """The same for every policy."""
        return int(
            hashlib.sha256(f"{self.task.suite}/{self.task.id}/{self.run}".encode()).hexdigest()[:8],
            16,
        )


Examine = Callable[[Work, VerificationBody], Awaitable[JsonObject]]
"""Looks further at a finished verification; what it gives is kept in the row."""
Progress = Callable[[Row, int, int], None]
"""Called with each row, how many are done and how many there are."""


async def _nothing(work: Work, verification: VerificationBody) -> JsonObject:
    return {}


async def run_all(
    place: Platform,
    works: Sequence[Work],
    journal: Journal,
    *,
    parallel: int,
    ids: IdSource,
    progress: Progress,
    examine: Examine = _nothing,
    enough: Callable[[], bool] = lambda: False,
) -> list[Row]:
    """Every row, those of the journal included; what the journal has is not run again,
    unless the environment had failed it. Once there is `enough` no run is begun any
    more."""
    known = {
        work.key: row for work in works if (row := journal.find(work.key)) is not None and row.final
    }
    left = [work for work in works if work.key not in known]
    queue: asyncio.Queue[Work] = asyncio.Queue()
    for work in left:
        queue.put_nowait(work)
    done = len(works) - len(left)
    poll_s = max(POLL_S, parallel / _LOOKS_PER_S)

    async def worker() -> None:
        nonlocal done
        while not queue.empty() and not enough():
            work = queue.get_nowait()
            row = await run_work(place, work, ids=ids, examine=examine, poll_s=poll_s)
            journal.add(row)
            done += 1
            progress(row, done, len(works))

    async with asyncio.TaskGroup() as tasks:
        for number in range(min(parallel, len(left))):
            tasks.create_task(worker(), name=f"bench worker {number}")
    return journal.rows(work.key for work in works)


async def run_work(
    place: Platform,
    work: Work,
    *,
    ids: IdSource,
    examine: Examine = _nothing,
    poll_s: float = POLL_S,
) -> Row:
    """One run to its end, tried again where the environment fails it."""
    started = time.monotonic()
    retried = 0
    while True:
        try:
            verification = await _verify(place, work, ids=ids, poll_s=poll_s)
            untold = verification["verdict"]["outcome"] in _UNTOLD
        except ProofwalkError as error:
            untold = not _is_refusal(error)
            verification = _failed(error, untold=untold, seconds=time.monotonic() - started)
        if not untold or retried == RETRIES:
            break
        retried += 1
    extra = await examine(work, verification)
    return row_of(
        work.task,
        run=work.run,
        policy=work.policy,
        verification=verification,
        retried=retried,
        extra=extra,
    )


async def _verify(place: Platform, work: Work, *, ids: IdSource, poll_s: float) -> VerificationBody:
    scenario = await place.scenarios.register(work.task, level=work.level, seed=work.seed)
    task = request_of(work.task, target=place.target, policy=work.policy, scenario=scenario)
    asked = task.model_copy(update={"account_purpose": TRAINING, "trace": work.trace})
    verification = await place.client.create(asked, key=ids.new("bench"))
    while verification["state"] != "finished":
        await asyncio.sleep(poll_s)
        verification = await place.client.get(verification["verification_id"])
    return verification


def _failed(error: ProofwalkError, *, untold: bool, seconds: float) -> VerificationBody:
    """A verification that there is none of, as far as a row needs it."""
    outcome = "env_failure" if untold else REFUSED
    return {
        "verdict": {
            "outcome": outcome,
            "code": error.code,
            "reason": error.message,
            "seconds": seconds,
        },
        "episodes": [],
    }


def _is_refusal(error: ProofwalkError) -> bool:
    """Whether a request was refused for what it says, and not for want of something."""
    passing = error.retryable or error.status in (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED)
    return not passing and error.code.split(".")[0] in {
        *(
            "document",
            "fetch",
            "meta",
            "rule",
            "script",
            "policy",
            "procedure",
            "target",
            "request",
            "verification",
        ),
    }
