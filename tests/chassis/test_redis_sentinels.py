"""A client that follows the master of real sentinels through a failover, and URLs that
cannot be used."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from proofwalk.chassis.redis_connections import connect
from proofwalk.chassis.redis_server import server_program
from proofwalk.chassis.streams import Doorbell
from proofwalk.kernel.errors import ProofwalkError
from tests.fixtures.servers import await_port, free_port, guarded

FAILOVER_S = 30.0
PASSWORD = "of/the:servers@all"
_QUOTED = "of%2Fthe%3Aservers%40all"


@dataclass(frozen=True, kw_only=True)
class Servers:
    """A master, a replica and three sentinels."""

    pids: dict[int, int]
    """Process groups of the two servers by port."""
    sentinels: list[int]

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.sentinels)
        return f"redis+sentinel://:{_QUOTED}@{hosts}/main/0"


@pytest.fixture
def servers() -> Iterator[Servers]:
    program = str(server_program())
    with tempfile.TemporaryDirectory(prefix="pw-sentinel-") as name, contextlib.ExitStack() as on:
        folder = Path(name)

        def start(port: int, *options: str) -> int:
            log = folder / f"{port}.log"
            argv = [program, *options, "--port", str(port), "--bind", "127.0.0.1", "--dir", name]
            process = on.enter_context(guarded(argv, log))
            await_port(port, process, log)
            return process.pid

        secret = ("--requirepass", PASSWORD, "--masterauth", PASSWORD, "--save", "")
        master, replica = free_port(), free_port()
        pids = {master: start(master, *secret)}
        pids[replica] = start(replica, *secret, "--replicaof", "127.0.0.1", str(master))
        sentinels = [free_port() for _ in range(3)]
        for port in sentinels:
            settings = folder / f"{port}.conf"
            settings.write_text(
                f"sentinel monitor main 127.0.0.1 {master} 2\n"
                f'sentinel auth-pass main "{PASSWORD}"\n'
                "sentinel down-after-milliseconds main 500\n"
                "sentinel failover-timeout main 3000\n"
            )
            start(port, str(settings), "--sentinel")
        yield Servers(pids=pids, sentinels=sentinels)


@pytest.fixture
async def client(servers: Servers) -> AsyncIterator[Redis]:
    followed = connect(servers.url)
    yield followed
    await followed.aclose()


async def _ring(doorbell: Doorbell) -> None:
    """Ring until somebody hears it."""
    async with asyncio.timeout(FAILOVER_S):
        while True:
            with contextlib.suppress(ProofwalkError):
                await doorbell.ring("verifications", {"id": "ver_1"})
                return
            await asyncio.sleep(0.1)


async def test_rings_go_to_the_master_of_the_day(servers: Servers, client: Redis) -> None:
    doorbell = Doorbell(client)
    await doorbell.ring("verifications", {"id": "ver_0"})
    info = await client.info("replication")
    assert info["role"] == "master"
    master = (await client.info("server"))["tcp_port"]
    async with asyncio.timeout(FAILOVER_S):
        while (await client.info("replication"))["connected_slaves"] < 1:
            await asyncio.sleep(0.05)
    os.killpg(servers.pids[master], signal.SIGKILL)
    await _ring(doorbell)
    now = (await client.info("server"))["tcp_port"]
    assert now in servers.pids
    assert now != master
    assert await client.xlen("proofwalk:stream:verifications") >= 1


async def test_a_sentinel_that_is_away_is_passed_over(servers: Servers) -> None:
    gone = Servers(pids=servers.pids, sentinels=[free_port(), *servers.sentinels])
    client = connect(gone.url)
    assert await client.ping()
    await client.aclose()


async def test_a_service_that_no_sentinel_knows_is_an_error_of_redis(servers: Servers) -> None:
    client = connect(servers.url.replace("/main/", "/other/"))
    with pytest.raises(RedisError, match="other"):
        await client.ping()
    await client.aclose()


def test_what_a_url_of_sentinels_says_is_kept() -> None:
    client = connect(
        f"rediss+sentinel://walker:{_QUOTED}@a:1,[::1]:2,b/main/3"
        "?sentinel_username=s&sentinel_password=p%20q&ssl_ca_certs=/ca"
    )
    pool: Any = client.connection_pool
    assert pool.service_name == "main"
    kept = pool.connection_kwargs
    assert (kept["username"], kept["password"], kept["db"]) == ("walker", PASSWORD, 3)
    assert kept["ssl_ca_certs"] == "/ca"
    assert "SSL" in pool.connection_class.__name__
    asked = [one.connection_pool.connection_kwargs for one in pool.sentinel_manager.sentinels]
    assert [(one["host"], one["port"]) for one in asked] == [("a", 1), ("::1", 2), ("b", 26379)]
    assert {(one["username"], one["password"], one["ssl_ca_certs"]) for one in asked} == {
        ("s", "p q", "/ca")
    }


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel://a:26379",
        "redis+sentinel:///main",
        "redis+sentinel://a:x/main",
        "redis+sentinel://a,,b/main",
        "sentinel://a/main",
        "http://a",
        "redis://a?socket_timeout=soon",
    ],
)
def test_a_url_that_cannot_be_used_says_what_can(url: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        _ = connect(url)
    assert caught.value.code == "redis.bad_url"
    assert "redis+sentinel://" in (caught.value.hint or "")
