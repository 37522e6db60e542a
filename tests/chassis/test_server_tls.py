"""TLS and passwords of PostgreSQL and Redis are said by their URLs: what a server sees
that speaks the beginning of each protocol."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import RedisError

from proofwalk.chassis.database import Database
from proofwalk.chassis.redis_connections import connect
from proofwalk.chassis.rpc.authority import Authority
from proofwalk.kernel.errors import ProofwalkError
from tests.chassis.certified import authority, soon

_SSL_REQUEST = (8).to_bytes(4) + (80877103).to_bytes(4)
Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


@pytest.fixture(scope="module")
def signer() -> Authority:
    return Authority("localhost", now=soon(0), days=1)


def context(folder: Path, signer: Authority) -> ssl.SSLContext:
    issued = signer.issue("db")
    (folder / "crt").write_bytes(issued.certificate)
    (folder / "key").write_bytes(issued.key)
    (folder / "ca").write_bytes(signer.certificate)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder / "crt", folder / "key")
    return made


@asynccontextmanager
async def listening(handle: Handle, **options: Any) -> AsyncIterator[int]:
    server = await asyncio.start_server(handle, "127.0.0.1", 0, **options)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@pytest.mark.parametrize("trusted", [True, False])
async def test_postgresqls_sslmode_is_kept(
    tmp_path: Path, signer: Authority, trusted: bool
) -> None:
    tls = context(tmp_path, signer)
    startups: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readexactly(8) == _SSL_REQUEST
        writer.write(b"S")
        await writer.drain()
        try:
            await writer.start_tls(tls)
            startups.append(await reader.read(1000))
        except (ssl.SSLError, ConnectionError):
            pass
        writer.close()

    if not trusted:
        (tmp_path / "ca").write_bytes(authority().certificate)
    async with listening(handle) as port:
        url = f"postgresql://walker:hunter2@127.0.0.1:{port}/walks"
        database = Database(f"{url}?sslmode=verify-ca&sslrootcert={tmp_path / 'ca'}")
        with pytest.raises(ProofwalkError):
            async with database.read():
                pass
        await database.close()
    assert any(b"walker" in startup for startup in startups) is trusted


@pytest.mark.parametrize("trusted", [True, False])
async def test_rediss_gives_the_password_to_a_known_server_alone(
    tmp_path: Path, signer: Authority, trusted: bool
) -> None:
    tls = context(tmp_path, signer)
    heard: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(1000))
        writer.write(b"-WRONGPASS no\r\n")
        writer.close()

    if not trusted:
        (tmp_path / "ca").write_bytes(authority().certificate)
    async with listening(handle, ssl=tls) as port:
        redis = connect(
            f"rediss://:hunter2@127.0.0.1:{port}/0?ssl_ca_certs={tmp_path / 'ca'}"
            "&ssl_check_hostname=false"
        )
        with pytest.raises((RedisError, OSError)):
            await redis.get("x")
        await redis.aclose()
    assert any(b"hunter2" in one for one in heard) is trusted
