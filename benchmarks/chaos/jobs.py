"""The work that goes on while parts fail: documents to be verified for two tenants, by
clients that repeat what got no answer, ask twice, and sometimes change their mind.

A client's calls are noted before they are made and after they were answered, so that
the checks know what was promised to whom.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.chaos.history import History, Said
from benchmarks.record import ROOT
from proofwalk.cli.documents import asked_of
from proofwalk.cli.order_options import Given
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.order import Order
from proofwalk.orders.verification import VerificationBody
from proofwalk.platform.client import Client

TENANTS = ("ant", "bee")
DOCUMENTS = {
    "01-vpc-create-vpc.md": "verified",
    "02-vpc-create-vswitch.rst": "verified",
    "05-ecs-add-security-group-rule.rst": "verified",
    "06-rds-configure-whitelist.html": "verified",
    "09-ecs-create-disk.rst": "doc_defect",
}
"""Example documents, each with the verdict that is the right one."""
_ORDER = Order(target="devcloud", attempts=3)
_POLL_S = 0.4
_PAUSE_S = 1.0
_SPREAD_S = 12.0


@dataclass(frozen=True, kw_only=True)
class Job:
    """A document that a tenant wants verified. `twice`: it is asked for two times at
    once under one key; `cancel_s`: seconds after which its client takes it back."""

    number: int
    tenant: str
    document: str
    after_s: float
    twice: bool = False
    cancel_s: float | None = None

    @property
    def key(self) -> str:
        """The key under which it is asked for."""
        return f"job-{self.number}"


class Clients(Protocol):
    """Makes a client of a tenant."""

    def __call__(self, tenant: str) -> Client: ...


def plan_jobs(seed: int, *, many: int) -> Sequence[Job]:
    """The jobs of a round: the quick document often, each other one now and then."""
    chance = random.Random(f"jobs/{seed}")
    names = list(DOCUMENTS)
    jobs = []
    for number in range(many):
        is_taken_back = chance.random() < 0.08
        jobs.append(
            Job(
                number=number,
                tenant=chance.choice(TENANTS),
                document=chance.choices(names, weights=(5, 4, 2, 2, 1))[0],
                after_s=round(chance.uniform(0, _SPREAD_S), 2),
                twice=chance.random() < 0.3,
                cancel_s=round(chance.uniform(0.5, 20.0), 2) if is_taken_back else None,
            )
        )
    return jobs


async def carry_through(job: Job, clients: Clients, history: History, *, until: float) -> None:
    """Ask for a job and wait for its end; gives up `until` (the loop's time). Whatever
    fails is noted and tried again."""
    await asyncio.sleep(job.after_s)
    async with clients(job.tenant) as client:
        asked = [_create(job, client, history, until=until) for _ in range(1 + job.twice)]
        ids = await asyncio.gather(*asked)
        found = next(filter(None, ids), None)
        if found is None:
            return
        async with asyncio.TaskGroup() as group:
            if job.cancel_s is not None:
                group.create_task(_take_back(job, client, history, found))
            group.create_task(_follow(job, client, history, found, until=until))


async def read_again(job: Job, clients: Clients, history: History, verification_id: str) -> None:
    """One more look at the end of a round: a verdict that was told must not change."""
    async with clients(job.tenant) as client:
        await _get(job, client, history, verification_id)


async def _create(job: Job, client: Client, history: History, *, until: float) -> str | None:
    path = ROOT / "examples" / "docs" / job.document
    request = await asyncio.to_thread(asked_of, str(path), Given(order=_ORDER))
    while asyncio.get_running_loop().time() < until:
        history.add(job.key, Said.INVOKED, "create", tenant=job.tenant, document=job.document)
        try:
            made = await client.create(request, key=job.key)
        except ProofwalkError as error:
            history.add(job.key, Said.FAILED, "create", code=error.code, retryable=error.retryable)
            await asyncio.sleep(_PAUSE_S)
            continue
        history.add(job.key, Said.OK, "create", verification_id=made["verification_id"])
        return str(made["verification_id"])
    return None


async def _follow(
    job: Job, client: Client, history: History, verification_id: str, *, until: float
) -> None:
    while asyncio.get_running_loop().time() < until:
        found = await _get(job, client, history, verification_id, quiet=True)
        if found is not None and found["state"] == "finished":
            await _get(job, client, history, verification_id)
            return
        await asyncio.sleep(_POLL_S)


async def _get(
    job: Job, client: Client, history: History, verification_id: str, *, quiet: bool = False
) -> VerificationBody | None:
    try:
        found = await client.get(verification_id)
    except ProofwalkError as error:
        history.add(job.key, Said.FAILED, "get", code=error.code, retryable=error.retryable)
        return None
    if not quiet:
        history.add(
            job.key,
            Said.OK,
            "get",
            verification_id=verification_id,
            state=found["state"],
            outcome=_told(found, "outcome"),
            reason=_told(found, "reason"),
        )
    return found


def _told(found: VerificationBody, member: str) -> str:
    """A member of its verdict; empty before there is one."""
    return str(dict(found.get("verdict", {})).get(member, ""))


async def _take_back(job: Job, client: Client, history: History, verification_id: str) -> None:
    assert job.cancel_s is not None
    await asyncio.sleep(job.cancel_s)
    history.add(job.key, Said.INVOKED, "cancel", verification_id=verification_id)
    try:
        await client.cancel(verification_id)
    except ProofwalkError as error:
        history.add(job.key, Said.FAILED, "cancel", code=error.code, retryable=error.retryable)
    else:
        history.add(job.key, Said.OK, "cancel", verification_id=verification_id)
