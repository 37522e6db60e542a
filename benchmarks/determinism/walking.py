"""A mode: the same tasks by the same oracle in one kind of world, and what is left in
the accounts when the last one is done."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from benchmarks import record
from benchmarks.determinism.names import Name, bound
from benchmarks.determinism.plans import Plan, confirmed, on_request, with_meta, without_meta
from benchmarks.determinism.sayings import Sayings
from benchmarks.determinism.turns import Turns
from proofwalk.agent.policies.scripted.needs import reported
from proofwalk.experiments.bench.running import Work, run_work
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.needs import MadeResource, Report
from proofwalk.orders.order import SCRIPTED
from proofwalk.orders.verification import VerificationBody
from proofwalk.platform.laboratory import Laboratory
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Task

_LEVEL = "calm"
_SWEPT_S = 120.0
"""How long accounts may take to be swept after the last task, where they are."""
_LOOK_S = 2.0


class Mode(StrEnum):
    """The worlds, by their names in the result."""

    EMPTY = "i"
    SHARED = "ii"
    META = "iii"
    ON_DEMAND = "iv"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A task of the sample."""

    task: Task
    names: tuple[Name, ...]
    sayings: Sayings
    gap: bool
    """Whether the platform has no record of it, where it has records."""


@dataclass(frozen=True, kw_only=True)
class Done:
    """A mode that is over."""

    mode: Mode
    rows: Sequence[Row]
    seconds: float
    parallel: int
    load: str = field(default_factory=lambda: str(record.Load.now()))
    """Of the machine at the end, over 1, 5 and 15 minutes."""
    commit: str = ""
    """Of the code that walked."""
    left: Mapping[str, int] = field(default_factory=dict)
    """What accounts held at the end and not at the beginning: how many of each kind."""


Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Walking:
    """Has cases walked in one place."""

    place: Laboratory
    ids: IdSource
    say: Say

    async def in_parallel(self, mode: Mode, cases: Sequence[Case], *, parallel: int) -> Done:
        """Each on an account of its own, which is swept and proven clean after it."""
        queue = list(reversed(cases))
        rows: dict[str, Row] = {}
        before = await self._holdings()
        began = time.monotonic()

        async def worker() -> None:
            while queue:
                case = queue.pop()
                rows[case.task.id] = await self._walked(mode, _plan(mode, case))

        async with asyncio.TaskGroup() as group:
            for number in range(parallel):
                group.create_task(worker(), name=f"determinism worker {number}")
        seconds = time.monotonic() - began
        until = time.monotonic() + _SWEPT_S
        while True:
            left = await self._holdings() - before
            if not left or time.monotonic() > until:
                break
            await asyncio.sleep(_LOOK_S)
        return Done(
            mode=mode,
            rows=[rows[case.task.id] for case in cases],
            seconds=seconds,
            parallel=parallel,
            left=left,
        )

    async def in_turn(self, cases: Sequence[Case], turns: Turns) -> Done:
        """All on the one account that there is, each in what the earlier ones left;
        those that an earlier run walked are not walked again."""
        before = await asyncio.to_thread(turns.begin, await self._holdings())
        began = time.monotonic()
        for case in cases:
            if case.task.id in turns.rows:
                continue
            (there,) = (await self.place.accounts.holdings()).values()
            plan = without_meta(case.task, case.names, bound(case.names, there))
            row = await self._walked(Mode.SHARED, plan)
            await asyncio.to_thread(turns.add, row, at=time.monotonic() - began)
        return Done(
            mode=Mode.SHARED,
            rows=[turns.rows[case.task.id] for case in cases],
            seconds=turns.seconds + time.monotonic() - began,
            parallel=1,
            left=await self._holdings() - before,
        )

    async def _walked(self, mode: Mode, plan: Plan) -> Row:
        work = Work(task=plan.task, policy=SCRIPTED, run=1, level=_LEVEL)
        row = await run_work(self.place, work, ids=self.ids, examine=partial(self._examined, plan))
        self.say(f"({mode}) {row.task}: {row.failure or row.outcome} ({row.seconds:.0f} s)")
        return row

    async def _examined(self, plan: Plan, work: Work, verification: VerificationBody) -> JsonObject:
        extra: JsonObject = {"record": plan.record, "lacks": list(plan.lacks)}
        if plan.asks is None or not verification["episodes"]:
            return extra
        events = await self.place.client.events(verification["verification_id"])
        reports = [
            Report(
                text=event["data"]["report"],
                resources=tuple(MadeResource(**one) for one in event["data"]["resources"]),
            )
            for event in events
            if event["type"] == "on_demand_provisioned"
        ]
        names = reported(reports, plan.asks)
        recording = await self.place.recording(verification["episodes"][-1]["episode_id"])
        return {
            **extra,
            "reports": len(reports),
            "lacks": sorted(plan.asks.keys() - names.keys()),
            "confirmed": confirmed(plan, recording, names),
        }

    async def _holdings(self) -> Counter[str]:
        return Counter(
            f"{one.product}.{one.type}"
            for resources in (await self.place.accounts.holdings()).values()
            for one in resources
        )


def _plan(mode: Mode, case: Case) -> Plan:
    if mode is Mode.EMPTY or (mode is Mode.META and case.gap):
        return without_meta(case.task, case.names, {})
    return on_request(case.task, case.names, case.sayings) if case.gap else with_meta(case.task)


Open = Callable[[], AbstractAsyncContextManager[Laboratory]]


async def walked(
    mode: Mode, cases: Sequence[Case], *, place: Open, parallel: int, ids: IdSource, say: Say
) -> Done:
    """A mode but `SHARED`, in an installation of its own."""
    async with place() as here:
        walking = Walking(place=here, ids=ids, say=say)
        return await walking.in_parallel(mode, cases, parallel=parallel)


@dataclass(frozen=True, kw_only=True)
class Share:
    """Cases that are walked in turn on the one account of a place."""

    cases: Sequence[Case]
    turns: Turns
    place: Open


async def walked_in_turn(shares: Sequence[Share], *, ids: IdSource, say: Say) -> Done:
    """`SHARED`, the shares side by side. Their places are opened one by one, because
    migrations of one process run one at a time."""
    async with AsyncExitStack() as exits:
        walks = [
            (Walking(place=await exits.enter_async_context(share.place()), ids=ids, say=say), share)
            for share in shares
        ]
        async with asyncio.TaskGroup() as group:
            parts = [
                group.create_task(
                    walking.in_turn(share.cases, share.turns), name=f"determinism share {number}"
                )
                for number, (walking, share) in enumerate(walks)
            ]
        return side_by_side([part.result() for part in parts])


def side_by_side(parts: Sequence[Done]) -> Done:
    """A mode whose cases were dealt out to `parts`, which were walked at the same
    time."""
    return Done(
        mode=parts[0].mode,
        rows=[row for part in parts for row in part.rows],
        seconds=max(part.seconds for part in parts),
        parallel=sum(part.parallel for part in parts),
        left=sum((Counter(part.left) for part in parts), Counter()),
    )
