"""Starts an installation's parts, and waits until they can be asked for work."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sqlite3
from collections.abc import Callable, Mapping

import asyncpg

from benchmarks.chaos.cluster import ACCOUNTS, Cluster
from benchmarks.chaos.members import CLOUD, DATABASE, GATEWAY, REDIS, ROLES
from benchmarks.chaos.rows import Reader

LISTENS_S, READY_S = 120.0, 120.0
_LOOK_S = 0.05


async def start_all(cluster: Cluster, *, reached_at: Mapping[str, str] | None = None) -> None:
    """Start every part and wait until the gateway is ready and all accounts are free.
    Roles are told `reached_at` in place of the parts' real addresses. Raises
    AssertionError with the logs."""
    for name in (DATABASE, REDIS) if cluster.postgres else (REDIS,):
        await started(cluster, name)
    cluster.reached_at = reached_at or {}
    async with asyncio.TaskGroup() as group:
        for role in ROLES:
            group.create_task(started(cluster, role))
    end = asyncio.get_running_loop().time() + READY_S
    async with cluster.client() as client:
        while not (await client.is_ready() and await _accounts_are_free(cluster)):
            if asyncio.get_running_loop().time() > end:
                raise AssertionError(f"the installation is not ready:\n{cluster.logs()}")
            await asyncio.sleep(_LOOK_S)


async def started(cluster: Cluster, name: str) -> None:
    """Start a part and wait until it listens. Raises AssertionError with the logs."""
    await asyncio.to_thread(cluster.start, name)
    if not await _until(lambda: _listens(cluster, name), LISTENS_S):
        raise AssertionError(f"{name} does not listen:\n{cluster.logs()}")


async def _accounts_are_free(cluster: Cluster) -> bool:
    query = "select state from account_pool_account"
    # The role may not have made its tables yet.
    with contextlib.suppress(asyncpg.UndefinedTableError, sqlite3.OperationalError):
        rows = await Reader(cluster).fetch("account_pool", query)
        return [row["state"] for row in rows] == ["free"] * ACCOUNTS
    return False


def _listens(cluster: Cluster, name: str) -> bool:
    if name in (CLOUD, GATEWAY):
        port = cluster.cloud_port if name == CLOUD else cluster.gateway_port
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1.0)
        return client.connect_ex(str(cluster.socket_of(name))) == 0


async def _until(holds: Callable[[], bool], seconds: float) -> bool:
    """Whether it held within so many seconds."""
    end = asyncio.get_running_loop().time() + seconds
    while not await asyncio.to_thread(holds):
        if asyncio.get_running_loop().time() > end:
            return False
        await asyncio.sleep(_LOOK_S)
    return True
