"""Collections of teachers' episodes, kept by the bench's runner as they end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from proofwalk.datasets.budget import Spectrum
from proofwalk.datasets.collection import Collection, Notes, finding_of
from proofwalk.experiments.bench.running import Work
from proofwalk.experiments.platform import Platform, SuiteOf
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.orders.verification import VerificationBody
from proofwalk.suites.counting.rows import Row, row_of
from proofwalk.suites.model import Task

ORACLE = "oracle"
"""What people call the policy that plays a task's script."""
EVALUATION = ("console-278", "drift-200")
"""The suites that measure: nothing that they are known from is learned."""


async def evaluation_tasks(suite_of: SuiteOf, names: Sequence[str] = ()) -> list[Task]:
    """The tasks of the suites that measure, or of those named. Raises `suite.*`."""
    suites = [await asyncio.to_thread(suite_of, name) for name in names or EVALUATION]
    return [task for suite in suites for task in suite.tasks]


class Collector:
    """Keeps what a finished verification left: called by the bench's runner before the
    row is written."""

    def __init__(self, place: Platform, collection: Collection, console: str) -> None:
        self._place = place
        self._collection = collection
        self._console = console

    @classmethod
    async def of(cls, place: Platform, collection: Collection) -> Collector:
        """One for a platform; asks it what its console is called, which policies are
        told."""
        targets = await place.client.targets()
        return cls(
            place,
            collection,
            next((str(one["title"]) for one in targets if one["id"] == place.target), ""),
        )

    async def __call__(self, work: Work, verification: VerificationBody) -> JsonObject:
        name, episodes = verification.get("verification_id"), verification["episodes"]
        if not name or not episodes:
            return {"unrecorded": "there was no episode"}
        client = self._place.client
        try:
            bundle = await client.artefact(name, "trajectory?images=true")
            provisioned = [
                event["data"]
                for event in await client.events(name)
                if event["type"] == "resources_provisioned"
            ]
        except ProofwalkError as error:
            if error.retryable:
                raise
            return {"unrecorded": error.code}
        seen = await self._place.recording(str(episodes[-1]["episode_id"]))
        listed = [str(line) for data in provisioned[-1:] for line in data.get("resources", ())]
        row = row_of(
            work.task, run=work.run, policy=work.policy, verification=verification, retried=0
        )
        notes = Notes(
            row=row,
            console=self._console,
            binds=self._place.binds(work.task, None if seen is None else seen.outputs, listed),
            finding=finding_of(verification["verdict"].get("finding")),
            writes=(
                None if seen is None else tuple(event.time for event in seen.events if event.write)
            ),
        )
        await asyncio.to_thread(self._collection.keep, notes, bundle, seen)
        return {"episode": notes.name}


Walk = Callable[[Sequence[Work]], Awaitable[Sequence[Row]]]
"""Walks what is not walked yet, and returns every row in order; fewer than were asked
for where it stops."""


async def walked_within(
    budget: Spectrum,
    wanted: Sequence[tuple[Task, str]],
    walk: Walk,
    *,
    level: str,
    first: int = 1,
) -> list[Row]:
    """Walks each task by each policy as often as its budget says (`datasets.budget`),
    all of one level of it before any of the next, until `walk` stops. Runs are numbered
    from `first`."""
    rows: dict[tuple[str, str], Sequence[Row]] = {(task.id, name): () for task, name in wanted}
    while True:
        works = [
            Work(task=task, policy=name, run=first + number, level=level)
            for task, name in wanted
            for number in range(budget.runs_for([_passed(row) for row in rows[task.id, name]]))
        ]
        if len(works) == sum(map(len, rows.values())):
            return [row for some in rows.values() for row in some]
        works.sort(key=lambda work: work.run)
        walked = await walk(works)
        if len(walked) < len(works):
            return list(walked)
        for key in rows:
            rows[key] = [row for row in walked if (row.task, row.policy) == key]


def _passed(row: Row) -> bool | None:
    return row.passed if row.told else None
