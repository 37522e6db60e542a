"""Batches of cycles side by side; sweeps of orphans run among them all the time, and
one comes at the end, when every lease is over. What is left after that has leaked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from google.protobuf.duration_pb2 import Duration

from benchmarks.provisioning import bills, plans
from benchmarks.provisioning.bills import Spending
from benchmarks.provisioning.counting import Batch, Row, Speed
from benchmarks.provisioning.cycle import TARGET, Cycles
from benchmarks.provisioning.installation import Place, installation
from benchmarks.provisioning.plans import Plan
from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts
from proofwalk.kernel.errors import ProofwalkError

_SPARE_ACCOUNTS = 6
"""Those that are being proven, swept, or wait for an abandoned lease to end."""
_AMONG_S = 5.0
_REST_S = 300.0
_SWEEP_S = 600.0
_BILLED_S = 30.0
_PAUSE_S = 1.0


async def batch(
    home: Path, *, terraform: Path, first: int, cycles: int, parallel: int, seed: int
) -> Batch:
    """Carry out the cycles from `first` on, in an installation of their own."""
    number = parallel + _SPARE_ACCOUNTS
    async with installation(
        home, terraform=terraform, accounts=number, parallel=parallel, warm=True
    ) as place:
        running = Cycles(place=place, own=await _ready(place, number))
        chosen = [plans.drawn(one, seed=seed) for one in range(first, first + cycles)]
        return await carried_out(running, chosen, parallel=parallel)


async def carried_out(running: Cycles, chosen: Sequence[Plan], *, parallel: int) -> Batch:
    """Cycles side by side, the rest after them, one sweep, and what is left then."""
    began = time.monotonic()
    place, own = running.place, running.own
    live: list[str] = []
    async with asyncio.TaskGroup() as group:
        among = group.create_task(_sweep_among(running, live))
        rows = await _rows(running, chosen, parallel)
        among.cancel()
    await _at_rest(place)
    before = await _beyond(place, own)
    answer = await _orphans(place)
    unusable = await _at_rest(place)
    return Batch(
        first=chosen[0].number,
        rows=await _with_bills(place, rows),
        before_sweep=before,
        swept=sum(one.fate == "deleted" for one in answer),
        leaked=await _beyond(place, own),
        live_swept=live,
        unusable=unusable,
        seconds=round(time.monotonic() - began, 1),
    )


async def speed(home: Path, *, terraform: Path, runs: int) -> Speed:
    """Seconds of provisioning a network, one after the other, with a provider that
    stays and without."""
    seconds: dict[bool, list[float]] = {}
    for warm in (True, False):
        async with installation(
            home / f"{warm}", terraform=terraform, accounts=2, parallel=1, warm=warm
        ) as place:
            running = Cycles(place=place, own=await _ready(place, 2))
            calm = Plan(
                number=0,
                record="network",
                faults={},
                victim="",
                phase="provision",
                after_s=0,
                end="destroyed",
            )
            # The first run of each account starts its provider.
            rows = [await running.run(plans.at(calm, number)) for number in range(runs + 2)]
        failed = [row.provisioned for row in rows if row.provisioned != "ready"]
        if failed:
            raise RuntimeError(f"a network could not be provisioned: {failed}")
        seconds[warm] = [row.provision_s for row in rows[2:]]
    return Speed(warm=seconds[True], cold=seconds[False])


async def _rows(running: Cycles, chosen: Sequence[Plan], parallel: int) -> list[Row]:
    turns = asyncio.Semaphore(parallel)

    async def one(plan: Plan) -> Row:
        async with turns:
            row = await running.run(plan)
            print(
                f"[{row.number}] {row.record} {row.provisioned} {row.ended}"
                f" {row.victim}{row.killed or ''} {row.provision_s:.1f} s",
                flush=True,
            )
            return row

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(plan)) for plan in chosen]
    return [task.result() for task in tasks]


async def _ready(place: Place, number: int) -> Mapping[str, frozenset[str]]:
    """What each account holds by itself, once all of them are free."""
    async with asyncio.timeout(_REST_S):
        while True:
            listed = await _states(place)
            if len(listed) == number and set(listed.values()) == {"free"}:
                break
            await asyncio.sleep(0.2)
    return {
        external_id: frozenset(await place.inventory(external_id))
        for external_id in await place.external_ids()
    }


async def _states(place: Place) -> dict[str, str]:
    answer = await place.accounts.ListAccounts(
        accounts.ListAccountsRequest(target=TARGET), timeout=10
    )
    return {account.external_id: account.state for account in answer.accounts}


async def _at_rest(place: Place) -> list[str]:
    """Wait until every account is free; those that are not within the bound."""
    until = time.monotonic() + _REST_S
    while True:
        busy = [
            f"{one} {state}" for one, state in (await _states(place)).items() if state != "free"
        ]
        if not busy or time.monotonic() > until:
            return busy
        await asyncio.sleep(0.5)


async def _beyond(place: Place, own: Mapping[str, frozenset[str]]) -> list[str]:
    """What accounts hold that is not their own."""
    return [
        f"{external_id} {item}"
        for external_id, mine in own.items()
        for item in sorted(set(await place.inventory(external_id)) - mine)
    ]


async def _with_bills(place: Place, rows: Sequence[Row]) -> list[Row]:
    """Each row with what its lease cost. A bill that gave no answer at the lease's end
    is read later by the pool, so what is apart is looked at again for a while."""
    until = time.monotonic() + _BILLED_S
    while True:
        spent = await _spendings(place)
        billed = [replace(row, spending=spent.get(row.lease)) for row in rows]
        apart = [row for row in billed if row.spending is None or row.spending.error > bills.BOUND]
        if not apart or time.monotonic() > until:
            return billed
        await asyncio.sleep(_PAUSE_S)


async def _spendings(place: Place) -> dict[str, Spending]:
    """What every lease of every account cost, by its id."""
    listed = await place.accounts.ListAccounts(
        accounts.ListAccountsRequest(target=TARGET), timeout=10
    )
    spent: dict[str, Spending] = {}
    for account in listed.accounts:
        request = accounts.ListLeasesRequest(account_id=account.account_id, limit=1000)
        answer = await place.accounts.ListLeases(request, timeout=10)
        leases = [bills.line_of(line) for line in answer.leases]
        spent |= bills.spending(leases, await place.bill(account.external_id), now=time.time())
    return spent


async def _orphans(place: Place) -> Sequence[accounts.Orphan]:
    """Sweep whatever a run left, however young."""
    request = accounts.SweepOrphansRequest(target=TARGET, older_than=Duration(), dry_run=False)
    answer = await place.accounts.SweepOrphans(request, timeout=_SWEEP_S)
    return list(answer.orphans)


async def _sweep_among(running: Cycles, live: list[str]) -> None:
    """Sweep again and again. What goes from an account that the same cycle held before
    and after the sweep, its lease not over, went while it was live. A lease that ends
    while the sweep is on its way is not told of: who abandons has a short one."""
    while True:
        await asyncio.sleep(_AMONG_S)
        held = dict(running.held)
        try:
            found = await _orphans(running.place)
        except ProofwalkError as error:
            print(f"sweep among cycles: {error}", flush=True)
            continue
        for one in found:
            number, _ = held.get(one.external_id, (-1, 0.0))
            if one.fate == "deleted" and running.is_live(one.external_id, number):
                live.append(f"{one.external_id} {one.resource.type} {one.resource.id}")
