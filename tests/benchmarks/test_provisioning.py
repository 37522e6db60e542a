"""The cycles of `make bench-provisioning` with a pool and a provisioner in memory,
which can be told to leave something behind."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.provisioning import counting, plans
from benchmarks.provisioning.batches import carried_out
from benchmarks.provisioning.bills import Spending
from benchmarks.provisioning.counting import Batch, Row, Speed, figures_of
from benchmarks.provisioning.cycle import Cycles
from benchmarks.provisioning.templates import RECORDS
from proofwalk.api.account_pool.v1 import account_pool_pb2 as accounts
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.kernel.errors import conflict, exhausted, unavailable
from proofwalk.resource_provisioner.meta import read_meta

OWN = "ram/user agent"


class FakePlace:
    """A pool of some accounts and a provisioner whose resources are names."""

    def __init__(self, number: int) -> None:
        self.accounts = self.resources = self
        self.provisioner = self
        self.held = {f"acc{one}": {OWN} for one in range(number)}
        self.leases: dict[str, str] = {}
        self.made: dict[str, set[str]] = {}
        self.faults: list[Any] = []
        self.killed: list[str] = []
        self.away = 0
        """So many calls of the provisioner get no answer."""
        self.leaves_behind = False
        """Whether a sweep of orphans deletes nothing."""
        self.sweeps_live = False
        """Whether resources vanish while they are in use."""
        self.forgets = False
        """Whether a release leaves what was made."""
        self.lines: dict[str, list[accounts.LedgerLine]] = {one: [] for one in self.held}
        self.bills: dict[str, list[dict[str, Any]]] = {one: [] for one in self.held}
        self.misses = 1.0
        """The part of the bill that the ledger has."""

    async def kill(self) -> int:
        self.killed.append("role")
        return 1

    def kill_terraform(self, provisioning: str) -> int:
        self.killed.append(provisioning)
        return 1

    async def inventory(self, external_id: str) -> dict[str, str]:
        return dict.fromkeys(self.held[external_id], "")

    async def external_ids(self) -> list[str]:
        return list(self.held)

    async def set_faults(self, external_id: str, plan: Any) -> None:
        self.faults.append(plan)

    async def bill(self, external_id: str) -> Any:
        return self.bills[external_id]

    async def ListLeases(self, request: Any, timeout: float) -> Any:
        return accounts.ListLeasesResponse(leases=self.lines[request.account_id])

    async def ListAccounts(self, request: Any, timeout: float) -> Any:
        return accounts.ListAccountsResponse(
            accounts=[
                accounts.Account(account_id=one, external_id=one, state="free") for one in self.held
            ]
        )

    async def AcquireLease(self, request: Any, timeout: float) -> Any:
        free = [one for one in self.held if one not in self.leases]
        if not free:
            raise exhausted("account.none_free", "all are leased")
        self.leases[free[0]] = request.request_id
        if request.ttl.seconds < 60:
            del self.leases[free[0]]
        self._note_costs(free[0], request.request_id)
        return accounts.AcquireLeaseResponse(
            lease=accounts.Lease(lease_id=request.request_id, external_id=free[0], epoch=1)
        )

    def _note_costs(self, account: str, lease: str) -> None:
        """Each lease pays 2 CNY at once."""
        at = 1000 + 10 * len(self.lines[account])
        paid = {"since": at + 1, "until": at + 1, "rate": 0, "amount": 2}
        self.bills[account].append(paid)
        line = accounts.LedgerLine(
            lease_id=lease, cost=accounts.Money(micros=round(2e6 * self.misses), currency="CNY")
        )
        line.granted_at.seconds = at
        line.ended_at.seconds = at + 5
        self.lines[account].append(line)

    def _account(self, lease: str) -> str:
        return next(
            one for one, lines in self.lines.items() if lease in {line.lease_id for line in lines}
        )

    async def Provision(self, request: Any, timeout: float) -> Any:
        if self.away:
            self.away -= 1
            raise unavailable("rpc.unavailable", "it was killed")
        if "gateway" in request.meta.yaml:
            raise conflict("provision.create_failed", "no stock")
        made = f"vpc/vpc {request.request_id}"
        self.made[request.request_id] = {made}
        self.held[self._account(request.lease.lease_id)].add(made)
        if self.sweeps_live:
            self.held[self._account(request.lease.lease_id)].discard(made)
        kind, _, id_ = made.partition(" ")
        product, _, type_ = kind.partition("/")
        resource = pb.Resource(product=product, type=type_, id=id_)
        return pb.ProvisionResponse(provisioning=pb.Provisioning(resources=[resource]))

    async def GetProvisioning(self, request: Any, timeout: float) -> Any:
        return pb.GetProvisioningResponse(
            provisioning=pb.Provisioning(provisioning_id=request.request_id)
        )

    async def Destroy(self, request: Any, timeout: float) -> Any:
        if not self.forgets:
            self.held[self._account(request.lease.lease_id)] -= self.made[request.provisioning_id]
        return pb.DestroyResponse()

    async def InspectAccount(self, request: Any, timeout: float) -> Any:
        return accounts.InspectAccountResponse()

    async def Sweep(self, request: Any, timeout: float) -> Any:
        if not self.forgets:
            self.held[self._account(request.lease.lease_id)] = {OWN}
        return pb.SweepResponse()

    async def ReleaseLease(self, request: Any, timeout: float) -> Any:
        self.leases.pop(self._account(request.lease_id), None)
        return accounts.ReleaseLeaseResponse(clean=True)

    async def SweepOrphans(self, request: Any, timeout: float) -> Any:
        assert not request.dry_run
        found = []
        for external_id, held in self.held.items():
            if external_id in self.leases or self.leaves_behind:
                continue
            found += [
                accounts.Orphan(external_id=external_id, fate="deleted") for _ in held - {OWN}
            ]
            self.held[external_id] = {OWN}
        return accounts.SweepOrphansResponse(orphans=found)


async def run(place: FakePlace, cycles: int = 20, **chosen: Any) -> Batch:
    own = {one: frozenset({OWN}) for one in place.held}
    drawn = [plans.drawn(number, seed=1) for number in range(cycles)]
    if chosen:
        drawn = [plans.Plan(**{**vars(plan), **chosen}) for plan in drawn]
    return await carried_out(Cycles(place=place, own=own), drawn, parallel=4)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.provisioning.cycle._PAUSE_S", 0.001)


async def test_cycles_that_leave_nothing_count_nothing() -> None:
    place = FakePlace(4)
    batch = await run(place, victim="")
    figures = figures_of([batch], Speed(warm=[1.0, 2.0], cold=[3.0]), parallel=4)
    assert (figures["cycles"], figures["leaked"]) == (20, 0)
    assert (figures["live_swept"], figures["unusable_accounts"]) == (0, 0)
    assert (figures["warm_s"]["median"], figures["cold_s"]["median"]) == (1.5, 3.0)
    assert set(figures["provisioned"]) == {"ready", "provision.create_failed"}
    spent = figures["bill_error"]
    assert (spent["met"], spent["value"], spent["leases_that_cost"]) == (True, 0, 20)
    assert (spent["bill_cny"], spent["ledger_cny"]) == (40, 40)
    assert place.leases == {}
    assert place.faults[-1] == {}
    assert any(place.faults)


async def test_what_a_sweep_leaves_is_a_leak_and_dirties_the_next_lease() -> None:
    place = FakePlace(1)
    place.forgets = place.leaves_behind = True
    batch = await run(place, 6, victim="", record="network", end="destroyed")
    figures = figures_of([batch], Speed(), parallel=4)
    assert (figures["leaked"], figures["dirty_leased"]) == (6, 5)
    assert figures["what_leaked"][0] == "acc0 vpc/vpc cycle-0"
    assert figures["dirty_cycles"] == [1, 2, 3, 4, 5]


async def test_what_is_gone_while_a_lease_is_live_was_swept_alive() -> None:
    place = FakePlace(2)
    place.sweeps_live = True
    batch = await run(place, 4, victim="", record="network", end="destroyed")
    assert figures_of([batch], Speed(), parallel=2)["live_swept"] == 4


async def test_a_ledger_that_is_apart_from_the_bill_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("benchmarks.provisioning.batches._BILLED_S", 0.0)
    place = FakePlace(2)
    place.misses = 0.98
    batch = await run(place, 4, victim="", record="network", end="destroyed")
    figures = figures_of([batch], Speed(), parallel=2)
    assert figures["bill_error"]["value"] == pytest.approx(0.02)
    assert figures["bill_error"]["met"] is False
    assert len(figures["wrongly_billed"]) == 4


async def test_the_victim_is_killed_and_a_call_is_made_again_while_its_role_is_away() -> None:
    place = FakePlace(1)
    place.away = 50
    batch = await run(
        place, 1, victim="role", phase="provision", after_s=0.0, record="network", end="destroyed"
    )
    assert (batch.rows[0].killed, batch.rows[0].provisioned) == (1, "ready")
    assert place.killed == ["role"]
    place.away = 50
    batch = await run(
        place, 1, victim="terraform", phase="provision", after_s=0.0, record="network", end="swept"
    )
    assert (batch.rows[0].killed, place.killed) == (1, ["role", "cycle-0"])


def test_a_number_draws_the_same_cycle_each_time_and_all_kinds_come() -> None:
    drawn = [plans.drawn(number, seed=24) for number in range(1000)]
    assert drawn == [plans.drawn(number, seed=24) for number in range(1000)]
    assert drawn != [plans.drawn(number, seed=25) for number in range(1000)]
    assert {plan.record for plan in drawn} == set(RECORDS)
    counted = Counter(plan.victim for plan in drawn)
    assert 150 < counted["terraform"] < 250
    assert 15 < counted["role"] < 50
    assert 400 < sum(bool(plan.faults) for plan in drawn) < 600
    assert {plan.end for plan in drawn} == {"destroyed", "swept", "abandoned"}


@pytest.mark.parametrize("name", RECORDS)
def test_what_is_provisioned_may_be(name: str) -> None:
    assert read_meta(RECORDS[name]).id == name


def test_a_batch_is_read_as_it_was_kept_and_a_cut_off_line_is_none(tmp_path: Path) -> None:
    row = Row(number=0, record="network", victim="", end="swept", faulty=False, dirty=["a"])
    billed = replace(row, number=1, spending=Spending(ledger=None, bill=0.5))
    batch = Batch(first=0, rows=[row, billed], leaked=["x"], seconds=1.5)
    journal = tmp_path / "deep" / "j.jsonl"
    assert counting.read(journal) == []
    counting.keep(journal, batch)
    with journal.open("a") as file:
        file.write(json.dumps({"first": 1})[:5])
    assert [one.rows[1].spending for one in counting.read(journal)] == [billed.spending]
    assert [asdict(one) for one in counting.read(journal)] == [
        json.loads(json.dumps(asdict(batch)))
    ]


def test_a_lease_whose_time_is_over_is_not_live_though_its_holder_is_at_work() -> None:
    running = Cycles(place=FakePlace(2), own={})
    now = time.monotonic()
    running.held = {"acc0": (7, now + 60), "acc1": (8, now - 1)}
    assert running.is_live("acc0", 7)
    assert not running.is_live("acc0", 6)
    assert not running.is_live("acc1", 8)
    assert not running.is_live("acc2", -1)
