"""Accounts leased by their role, on SQLite and on PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from proofwalk.account_pool.domain import Account
from proofwalk.account_pool.pool import Pool
from proofwalk.chassis.database import Database
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.roles import AccountRole
from proofwalk.kernel.account_pools import Demand
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from tests.account_pool.conftest import opened

ROLES = {"1001": "viewer", "1002": "admin", "1003": "admin"}


@pytest.fixture
def cloud(clock: ManualClock) -> MemoryCloud:
    return MemoryCloud(clock=clock, accounts=3, roles=ROLES)


async def lease(pool: Pool, role: str = "", request_id: str = "") -> Account:
    return await pool.acquire(
        request_id=request_id or f"for {role}",
        target="memory",
        holder="ep",
        ttl_s=60,
        demand=Demand(role=role),
    )


async def refusal(pool: Pool, role: str, request_id: str = "r") -> ProofwalkError:
    with pytest.raises(ProofwalkError) as refused:
        await lease(pool, role, request_id)
    return refused.value


async def test_an_account_of_the_role_is_leased_and_without_one_of_the_first_account_s(
    migrated: Database, cloud: MemoryCloud, tmp_path: Path, clock: ManualClock
) -> None:
    async with opened(migrated, cloud, tmp_path, clock) as pool:
        await pool.sync("memory")
        admins = [await lease(pool, "admin", "r1"), await lease(pool, "Admin", "r2")]
        assert {one.external_id for one in admins} == {"1002", "1003"}
        assert (await lease(pool, request_id="r3")).external_id == "1001"
        assert await lease(pool, "admin", "r1") == admins[0]
        taken = await refusal(pool, "admin")
        assert (taken.code, "'admin'" in taken.message) == ("account.none_free", True)
        unknown = await refusal(pool, "owner")
        assert (unknown.code, "viewer, admin" in unknown.message) == ("account.no_role", True)
        roles = await pool.roles("memory")
        assert roles.roles == (AccountRole(name="viewer"), AccountRole(name="admin"))
        assert roles.default == "viewer"


async def test_a_role_that_changes_in_the_file_changes_at_the_next_look(
    migrated: Database, cloud: MemoryCloud, tmp_path: Path, clock: ManualClock
) -> None:
    async with opened(migrated, cloud, tmp_path, clock) as pool:
        # As a release without roles left them.
        await pool.sync("memory")
        forgotten = text("update account_pool_account set role = ''")
        await migrated.run(lambda transaction: transaction.execute(forgotten))
        assert (await refusal(pool, "admin")).code == "account.none_free"
        cloud.role_of["1001"] = "admin"
        assert await pool.sync("memory") == 0
        assert {one.role for one in await pool.accounts("memory")} == {"admin"}
        held = await lease(pool, "admin", "r1")
        cloud.role_of[held.external_id] = "viewer"
        await pool.sync("memory")
        assert (await lease(pool, "admin", "r1")).external_id == held.external_id
