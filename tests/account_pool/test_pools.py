"""Accounts leased by site and purpose, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from sqlalchemy import text

from proofwalk.account_pool import queue
from proofwalk.account_pool.domain import Account, Terms
from proofwalk.account_pool.gauges import PoolMetrics
from proofwalk.account_pool.pool import Pool
from proofwalk.account_pool.repository import counts
from proofwalk.chassis.database import Database
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.account_pools import Dedication, Demand, dedicated
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, Status
from tests.account_pool.conftest import opened

CHECK = Demand()
TRAINING = Demand(purpose="training")
AUTHORING = Demand(purpose="authoring")
ONLY_TRAINING = dedicated(purposes=["training"])
ONLY_CHECKS = dedicated(purposes=["verification"])


@pytest.fixture
def cloud(clock: ManualClock) -> MemoryCloud:
    cloud = MemoryCloud(clock=clock, accounts=3)
    cloud.dedication_of.update({"1002": ONLY_CHECKS, "1003": ONLY_TRAINING})
    return cloud


@pytest.fixture
async def pools(
    migrated: Database, cloud: MemoryCloud, tmp_path: Path, clock: ManualClock
) -> AsyncIterator[Pool]:
    """1001 serves all, 1002 verification, 1003 training."""
    async with opened(migrated, cloud, tmp_path, clock) as pool:
        await pool.sync("memory")
        yield pool


async def ask(pool: Pool, name: str, demand: Demand, wait_s: float = 60.0) -> str | None:
    """The account's number, or None where the caller has to wait."""
    try:
        return (await lease(pool, name, demand, wait_s)).external_id
    except ProofwalkError as error:
        if error.code != "account.none_free":
            raise
        return None


async def lease(pool: Pool, name: str, demand: Demand, wait_s: float = 0.0) -> Account:
    return await pool.acquire(
        request_id=name,
        target="memory",
        holder=f"ep_{name}",
        ttl_s=600,
        demand=demand,
        terms=Terms(wait_s=wait_s),
    )


async def refusal(pool: Pool, demand: Demand) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as refused:
        await lease(pool, f"refused {demand}", demand, 600)
    return refused.value


async def test_a_dedicated_account_goes_first_and_one_for_all_when_it_is_taken(
    pools: Pool,
) -> None:
    assert await ask(pools, "t1", TRAINING) == "1003"
    assert await ask(pools, "v1", CHECK) == "1002"
    assert await ask(pools, "t2", TRAINING) == "1001"
    assert await ask(pools, "t3", TRAINING) is None
    assert await ask(pools, "v2", CHECK) is None


async def test_training_never_gets_what_is_kept_for_verification(pools: Pool) -> None:
    for name in ("t1", "t2"):
        assert await ask(pools, name, TRAINING) is not None
    for name in ("t3", "t4", "t5"):
        assert await ask(pools, name, TRAINING) is None
    assert await ask(pools, "v1", CHECK) == "1002", "those who wait for training do not block it"


async def test_two_at_once_get_the_narrow_one_and_the_one_for_all(pools: Pool) -> None:
    leases = await asyncio.gather(*(lease(pools, name, CHECK) for name in ("v1", "v2")))
    assert {one.external_id for one in leases} == {"1001", "1002"}


async def test_who_waited_first_is_served_first_from_what_both_could_use(
    pools: Pool, clock: ManualClock
) -> None:
    held = {
        name: await lease(pools, name, demand)
        for name, demand in (("t1", TRAINING), ("v1", CHECK), ("a1", AUTHORING))
    }
    assert held["a1"].external_id == "1001"
    for name, demand in (("t2", TRAINING), ("v2", CHECK), ("t3", TRAINING)):
        clock.advance(1)
        assert await ask(pools, name, demand) is None
    await pools.release(lease_id=held["a1"].lease_id, epoch=held["a1"].epoch)
    assert await ask(pools, "v2", CHECK) is None, "t2 came first, and 1001 serves it"
    assert await ask(pools, "t3", TRAINING) is None
    await pools.release(lease_id=held["v1"].lease_id, epoch=held["v1"].epoch)
    assert await ask(pools, "v2", CHECK) == "1002"
    assert await ask(pools, "t2", TRAINING) == "1001"


async def test_what_no_account_serves_is_refused_at_once_with_what_they_serve(
    pools: Pool, cloud: MemoryCloud
) -> None:
    cloud.dedication_of["1001"] = dedicated(site="cn", purposes=["verification"])
    assert await pools.sync("memory") == 0
    none = await refusal(pools, AUTHORING)
    assert (none.code, none.status) == ("account.no_pool", Status.NOT_FOUND)
    assert "serves authoring" in none.message
    assert "they serve: verification at the site 'cn'; training; verification" in none.message
    assert "purposes: [authoring]" in none.hint
    cloud.dedication_of.update({"1002": dedicated(site="cn"), "1003": dedicated(site="cn")})
    await pools.sync("memory")
    away = await refusal(pools, Demand(site="intl"))
    assert (away.code, "'intl'" in away.message) == ("account.no_pool", True)
    assert "site: intl" in away.hint
    assert (await lease(pools, "here", Demand(site="cn"))).dedication.site == "cn"


async def test_a_site_is_asked_for_or_any_serves(pools: Pool, cloud: MemoryCloud) -> None:
    cloud.dedication_of = {"1001": dedicated(site="cn"), "1002": dedicated(site="intl")}
    await pools.sync("memory")
    assert await ask(pools, "i1", Demand(site="intl")) == "1002"
    assert await ask(pools, "i2", Demand(site="intl")) == "1003", "it is of no site"
    assert await ask(pools, "i3", Demand(site="intl")) is None
    assert await ask(pools, "any", CHECK) == "1001"


async def test_a_lease_stays_when_its_account_is_set_aside_for_something_else(
    pools: Pool, cloud: MemoryCloud
) -> None:
    held = await lease(pools, "t1", TRAINING)
    cloud.dedication_of["1003"] = ONLY_CHECKS
    await pools.sync("memory")
    again = await lease(pools, "t1", TRAINING)
    assert (again.lease_id, again.epoch) == (held.lease_id, held.epoch)
    assert {one.external_id: one.dedication for one in await pools.accounts("memory")} == {
        "1001": Dedication(),
        "1002": ONLY_CHECKS,
        "1003": ONLY_CHECKS,
    }


async def test_a_caller_that_asks_for_something_else_waits_anew(
    pools: Pool, clock: ManualClock
) -> None:
    for name, demand in (("t1", TRAINING), ("t2", TRAINING), ("v1", CHECK)):
        assert await ask(pools, name, demand) is not None
    assert await ask(pools, "turncoat", CHECK) is None
    clock.advance(1)
    assert await ask(pools, "t3", TRAINING) is None
    clock.advance(1)
    assert await ask(pools, "turncoat", TRAINING) is None
    held = await lease(pools, "t1", TRAINING)
    await pools.release(lease_id=held.lease_id, epoch=held.epoch)
    assert await ask(pools, "turncoat", TRAINING) is None
    assert await ask(pools, "t3", TRAINING) == "1003"


async def test_rows_of_before_serve_all_and_who_waited_asked_for_a_verification(
    pools: Pool,
) -> None:
    at, until = "2000-01-01 00:00:00.000000", "2999-01-01 00:00:00.000000"
    async with pools.database.transaction() as transaction:
        await transaction.execute(text("update account_pool_account set site = '', purposes = ''"))
        waits = (
            "insert into account_pool_ticket (request_id, target, role, holder, asked_at,"
            f" gives_up_at, until) values ('old', 'memory', '', 'h', '{at}', '{until}', '{until}')"
        )
        await transaction.execute(text(waits))
    assert {one.dedication for one in await pools.accounts()} == {Dedication()}
    assert await ask(pools, "a1", AUTHORING) is not None
    assert await ask(pools, "a2", AUTHORING) is not None
    assert await ask(pools, "a3", AUTHORING) is None, "the old ticket stands before it"
    assert await ask(pools, "old", CHECK) is not None


async def test_the_ledger_tells_what_a_lease_was_asked_for_and_where(
    pools: Pool, cloud: MemoryCloud
) -> None:
    cloud.dedication_of["1003"] = dedicated(site="intl", purposes=["training"])
    await pools.sync("memory")
    await lease(pools, "t1", TRAINING)
    (line,) = await pools.spending.ledger(target="memory", account_id="", limit=10)
    assert (line.site, line.purpose) == ("intl", "training")


async def test_the_gauge_tells_pools_and_one_that_is_empty_shows_none(
    pools: Pool, cloud: MemoryCloud
) -> None:
    registry = CollectorRegistry()
    metrics = PoolMetrics(registry)

    async def shown() -> str:
        async with pools.database.read() as transaction:
            metrics.show(await counts(transaction))
        return generate_latest(registry).decode()

    free = (
        'proofwalk_account_pool_accounts{{purposes="{}",site="{}",state="free",target="memory"}} {}'
    )
    before = await shown()
    assert free.format("", "", "1.0") in before
    assert free.format("training", "", "1.0") in before
    cloud.dedication_of["1003"] = dedicated(site="intl", purposes=["training"])
    await pools.sync("memory")
    after = await shown()
    assert free.format("training", "", "0.0") in after
    assert free.format("training", "intl", "1.0") in after


async def test_the_gauge_tells_who_waits_for_how_long_and_shows_none_when_all_have_gone(
    pools: Pool, cloud: MemoryCloud, clock: ManualClock
) -> None:
    cloud.dedication_of["1003"] = dedicated(site="intl", purposes=["training"])
    await pools.sync("memory")
    registry = CollectorRegistry()
    metrics = PoolMetrics(registry)

    async def shown() -> str:
        async with pools.database.read() as transaction:
            metrics.show(await counts(transaction))
            now = pools.clock.now()
            metrics.show_waits(await queue.waits(transaction, now=now), now=now)
        return generate_latest(registry).decode()

    line = 'proofwalk_account_pool_{}{{purpose="training",site="{}",target="memory"}} {}'
    assert "proofwalk_account_pool_waiting{" not in await shown()
    await lease(pools, "t1", TRAINING)
    await lease(pools, "t2", TRAINING)
    at_intl = Demand(site="intl", purpose="training")
    elsewhere = Demand(site="nobodys", purpose="training")
    assert await ask(pools, "t3", at_intl) is None
    clock.advance(4)
    assert await ask(pools, "t4", TRAINING) is None
    assert await ask(pools, "t5", elsewhere) is None
    clock.advance(3)
    text = await shown()
    assert line.format("waiting", "intl", "1.0") in text
    assert line.format("longest_wait_seconds", "intl", "7.0") in text
    assert line.format("waiting", "", "2.0") in text
    assert line.format("longest_wait_seconds", "", "3.0") in text
    assert "nobodys" not in text
    clock.advance(60)
    text = await shown()
    assert line.format("waiting", "intl", "0.0") in text
    assert line.format("longest_wait_seconds", "", "0.0") in text
