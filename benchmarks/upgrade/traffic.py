"""Documents that are verified all the time, one after another for each of two tenants,
while the roles under them are replaced."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.chaos.history import History
from benchmarks.chaos.jobs import TENANTS, Clients, Job, carry_through

_JOB_S = 400.0
_DOCUMENTS = (
    "01-vpc-create-vpc.md",
    "02-vpc-create-vswitch.rst",
    "01-vpc-create-vpc.md",
    "05-ecs-add-security-group-rule.rst",
    "06-rds-configure-whitelist.html",
    "01-vpc-create-vpc.md",
    "09-ecs-create-disk.rst",
)


@dataclass(frozen=True, kw_only=True)
class Carried:
    """A job from its beginning to its end, in seconds of the history."""

    job: Job
    began: float
    ended: float


class Traffic:
    """The jobs that were begun, and those that have ended."""

    def __init__(self, clients: Clients, history: History) -> None:
        self._clients = clients
        self._history = history
        self._numbers = itertools.count()
        self._stopping = False
        self._news = asyncio.Condition()
        self.jobs: list[Job] = []
        self.carried: list[Carried] = []

    async def flow(self) -> None:
        """Carry jobs through, one of each tenant at a time, until `stop`."""
        async with asyncio.TaskGroup() as group:
            for tenant in TENANTS:
                group.create_task(self._of_tenant(tenant))

    def stop(self) -> None:
        """Begin no more jobs."""
        self._stopping = True

    async def pass_through(self, many: int) -> Sequence[Carried]:
        """Wait until so many jobs have ended that began after this call."""
        since = self._history.now()
        async with self._news:
            await self._news.wait_for(lambda: len(self._begun_after(since)) >= many)
        return self._begun_after(since)

    def _begun_after(self, since: float) -> Sequence[Carried]:
        return [one for one in self.carried if one.began >= since]

    async def _of_tenant(self, tenant: str) -> None:
        for document in _endless(_DOCUMENTS):
            if self._stopping:
                return
            job = Job(number=next(self._numbers), tenant=tenant, document=document, after_s=0.0)
            self.jobs.append(job)
            began = self._history.now()
            until = asyncio.get_running_loop().time() + _JOB_S
            await carry_through(job, self._clients, self._history, until=until)
            async with self._news:
                self.carried.append(Carried(job=job, began=began, ended=self._history.now()))
                self._news.notify_all()


def _endless(names: Sequence[str]) -> Iterator[str]:
    return itertools.cycle(names)
