"""One cycle, as an episode does it: lease an account, provision, take back, have the
lease's leftovers swept, release. Somebody may be killed meanwhile.

Two things are looked at on the way, at the cloud itself: what the account holds at the
grant (anything beyond its own is a dirty lease), and, before anything is taken back,
whether all that the run had made is still there (what is gone was swept while it was
live).
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from google.protobuf.duration_pb2 import Duration

from benchmarks.provisioning.counting import Row
from benchmarks.provisioning.installation import Place
from benchmarks.provisioning.plans import Plan
from benchmarks.provisioning.templates import RECORDS
from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.kernel.errors import ProofwalkError, Status

TARGET = "devcloud"
ABANDONED_TTL_S = 20
_TTL_S = 900
_CALL_S = 400.0
_WITHIN_S = 600.0
"""A call is made again for so long while its role is away."""
_PAUSE_S = 0.5
_FIND_S = 30.0
Call = Callable[[], Coroutine[Any, Any, Any]]


@dataclass(kw_only=True)
class Cycles:
    """Carries cycles out in one installation."""

    place: Place
    own: Mapping[str, frozenset[str]]
    """What each account holds by itself, by its external id."""
    held: dict[str, tuple[int, float]] = field(default_factory=dict)
    """The accounts that a cycle holds at the moment: its number, and when the lease
    ends by itself, on the monotonic clock."""

    def is_live(self, account: str, number: int) -> bool:
        """Whether the cycle of that number holds the account now. Nobody renews a
        lease here, so that one whose time is over is not live, even if its holder is
        still at work."""
        holder, until = self.held.get(account, (-1, 0.0))
        return holder == number and time.monotonic() < until

    async def run(self, plan: Plan) -> Row:
        """What came of a cycle."""
        row = Row(
            number=plan.number,
            record=plan.record,
            victim=plan.victim,
            end=plan.end,
            faulty=bool(plan.faults),
        )
        lease = await self._lease(plan)
        account = lease.external_id
        row = replace(row, lease=lease.lease_id, account=account)
        try:
            present = await self.place.inventory(account)
            row = replace(row, dirty=sorted(set(present) - self.own[account]))
            await self.place.set_faults(account, plan.faults)
            row = await self._provision(plan, lease, row)
            row = await self._take_back(plan, lease, row)
        finally:
            self.held.pop(account, None)
            await self.place.set_faults(account, {})
        return row

    async def _lease(self, plan: Plan) -> accounts.Lease:
        ttl_s = ABANDONED_TTL_S if plan.end == "abandoned" else _TTL_S
        request = accounts.AcquireLeaseRequest(
            request_id=f"cycle-{plan.number}",
            target=TARGET,
            holder=f"cycle-{plan.number}",
            ttl=Duration(seconds=ttl_s),
        )
        until = time.monotonic() + _WITHIN_S
        while True:
            asked = time.monotonic()
            try:
                answer = await self.place.accounts.AcquireLease(request, timeout=30)
                self.held[answer.lease.external_id] = plan.number, asked + ttl_s
                lease: accounts.Lease = answer.lease
                return lease
            except ProofwalkError as error:
                if error.code != "account.none_free" or time.monotonic() > until:
                    raise
            await asyncio.sleep(_PAUSE_S)

    async def _provision(self, plan: Plan, lease: accounts.Lease, row: Row) -> Row:
        request = pb.ProvisionRequest(
            request_id=f"cycle-{plan.number}",
            lease=_reference(lease),
            meta=pb.Meta(yaml=RECORDS[plan.record]),
        )
        began = time.monotonic()
        async with self._killing(plan, "provision") as killed:
            code, answer = await self._until_answered(
                lambda: self.place.resources.Provision(request, timeout=_CALL_S)
            )
        row = replace(
            row,
            provisioned=code or "ready",
            killed=row.killed + sum(killed),
            provision_s=round(time.monotonic() - began, 3),
        )
        if code or plan.end == "abandoned":
            return row
        made = {f"{one.product}/{one.type} {one.id}" for one in answer.provisioning.resources}
        present = await self.place.inventory(lease.external_id)
        return replace(row, lost=sorted(made - set(present)))

    async def _take_back(self, plan: Plan, lease: accounts.Lease, row: Row) -> Row:
        if plan.end == "abandoned":
            return replace(row, ended="abandoned")
        began = time.monotonic()
        code = ""
        async with self._killing(plan, "destroy") as killed:
            if plan.end == "destroyed" and row.provisioned == "ready":
                code = await self._destroy(plan, lease)
            swept = await self._sweep(lease)
        row = replace(row, killed=row.killed + sum(killed))
        if row.provisioned == "ready":
            row = replace(row, destroy_s=round(time.monotonic() - began, 3))
        request = accounts.ReleaseLeaseRequest(lease_id=lease.lease_id, epoch=lease.epoch)
        released, _ = await self._until_answered(
            lambda: self.place.accounts.ReleaseLease(request, timeout=120)
        )
        return replace(row, ended=code or swept or released or plan.end)

    async def _destroy(self, plan: Plan, lease: accounts.Lease) -> str:
        known = await self._provisioning(plan)
        request = pb.DestroyRequest(provisioning_id=known, lease=_reference(lease))
        code, _ = await self._until_answered(
            lambda: self.place.resources.Destroy(request, timeout=_CALL_S)
        )
        return code

    async def _sweep(self, lease: accounts.Lease) -> str:
        """As an episode ends: what is beyond the baseline goes."""
        inspect = accounts.InspectAccountRequest(lease_id=lease.lease_id, epoch=lease.epoch)
        code, found = await self._until_answered(
            lambda: self.place.accounts.InspectAccount(inspect, timeout=60)
        )
        if code:
            return code
        resources = [
            pb.Resource(
                product=one.product, type=one.type, id=one.id, name=one.name, region=one.region
            )
            for one in found.leftovers
        ]
        request = pb.SweepRequest(lease=_reference(lease), resources=resources)
        code, _ = await self._until_answered(
            lambda: self.place.resources.Sweep(request, timeout=_CALL_S)
        )
        return code

    async def _until_answered(self, call: Call) -> tuple[str, Any]:
        """The code of the error, or the answer; made again while the role is away."""
        until = time.monotonic() + _WITHIN_S
        while True:
            try:
                return "", await call()
            except ProofwalkError as error:
                away = error.status in (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED)
                if not away or time.monotonic() > until:
                    return error.code, None
            await asyncio.sleep(_PAUSE_S)

    async def _provisioning(self, plan: Plan) -> str:
        """The id of the cycle's provisioning; empty while it is not known."""
        request = pb.GetProvisioningRequest(request_id=f"cycle-{plan.number}")
        with contextlib.suppress(ProofwalkError):
            found = await self.place.resources.GetProvisioning(request, timeout=10)
            return str(found.provisioning.provisioning_id)
        return ""

    @asynccontextmanager
    async def _killing(self, plan: Plan, phase: str) -> AsyncIterator[list[int]]:
        """Kill the plan's victim in the phase that runs inside, if it lasts so long;
        the list gets how many processes that were."""
        killed: list[int] = []
        if plan.phase != phase or not plan.victim:
            yield killed
            return
        task = asyncio.create_task(self._kill(plan, killed))
        try:
            yield killed
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _kill(self, plan: Plan, killed: list[int]) -> None:
        await asyncio.sleep(plan.after_s)
        if plan.victim == "role":
            killed.append(await self.place.provisioner.kill())
            return
        until = time.monotonic() + _FIND_S
        while not sum(killed) and time.monotonic() < until:
            known = await self._provisioning(plan)
            if known:
                killing = self.place.provisioner.kill_terraform
                killed.append(await asyncio.to_thread(killing, known))
            await asyncio.sleep(0.1)


def _reference(lease: accounts.Lease) -> common.LeaseRef:
    return common.LeaseRef(lease_id=lease.lease_id, epoch=lease.epoch, target=TARGET)
