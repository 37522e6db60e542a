"""Who is let in over TLS: real servers on loopback, with certificates made here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from proofwalk.chassis.rpc import RpcServer
from proofwalk.chassis.rpc.authority import Authority
from proofwalk.chassis.rpc.identity import caller
from proofwalk.chassis.rpc.mutual_tls import MutualTls
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, Status
from tests.chassis.certified import authority, certified, soon, write
from tests.chassis.wire import connected, request, serving

_ANYWHERE = "127.0.0.1:0"


@pytest.fixture(scope="module")
def signer() -> Authority:
    return authority()


class Served:
    """The account pool's server, and whom it saw."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.entered = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def behave(self, _request: Any, _context: Any) -> None:
        self.seen.append(caller().role)
        self.entered.set()
        await self.go_on.wait()


@asynccontextmanager
async def pool(
    tls: MutualTls | None, tracing: Tracing, **options: Any
) -> AsyncIterator[tuple[Served, RpcServer]]:
    served = Served()
    async with serving(_ANYWHERE, served.behave, tracing, tls=tls, **options) as server:
        yield served, server


async def refusal(
    server: RpcServer, tracing: Tracing, tls: MutualTls | None, *, name: str = "account_pool"
) -> ProofwalkError:
    towards = None if tls is None else tls.towards(name)
    async with connected(server.address, tracing, tls=towards) as (_, stub):
        with pytest.raises(ProofwalkError) as caught:
            await stub.AcquireLease(request(), timeout=0.5)
    return caught.value


async def test_a_caller_of_the_table_is_let_in_and_known(
    tmp_path: Path, tracing: Tracing, signer: Authority
) -> None:
    rollout = certified(tmp_path / "rollout", "rollout", signer)
    async with pool(certified(tmp_path / "pool", "account_pool", signer), tracing) as (
        served,
        server,
    ):
        towards = rollout.towards("account_pool")
        async with connected(server.address, tracing, tls=towards) as (channel, stub):
            await channel.wait_until_ready(5)
            reply = await stub.AcquireLease(request("a"), timeout=5)
    assert reply.lease.lease_id == "lease_a"
    assert served.seen == ["rollout"]


@pytest.mark.parametrize("role", ["gateway", "sandbox_scheduler", "nobody"])
async def test_a_role_without_a_place_in_the_row_gets_nothing_but_health(
    tmp_path: Path, tracing: Tracing, signer: Authority, role: str
) -> None:
    own = certified(tmp_path / role, role, signer)
    async with pool(certified(tmp_path / "pool", "account_pool", signer), tracing) as (
        served,
        server,
    ):
        error = await refusal(server, tracing, own)
        towards = own.towards("account_pool")
        async with connected(server.address, tracing, tls=towards) as (channel, _):
            await channel.wait_until_ready(5)
    assert (error.code, error.status) == ("rpc.caller_not_allowed", Status.PERMISSION_DENIED)
    assert served.seen == []


async def test_a_certificate_of_another_trust_domain_is_of_nobody(
    tmp_path: Path, tracing: Tracing, signer: Authority
) -> None:
    # Signed by the same authority, which serves several installations.
    own = certified(tmp_path / "rollout", "rollout", signer)
    other = write(tmp_path / "pool", "account_pool", signer).model_copy(
        update={"trust_domain": "other.internal"}
    )
    guard = own.guard()

    class Connection:
        def auth_context(self) -> dict[str, list[bytes]]:
            elsewhere = Authority("other.internal", now=soon(0), days=1).issue("rollout")
            return {"x509_pem_cert": [elsewhere.certificate]}

    with pytest.raises(ProofwalkError) as caught:
        guard.admit("proofwalk.api.account_pool.v1.AccountPool/AcquireLease", Connection())
    assert caught.value.code == "rpc.caller_unknown"
    with pytest.raises(ProofwalkError) as caught:
        MutualTls(other, clock=ManualClock())
    assert caught.value.code == "rpc.bad_certificate"


async def test_a_connection_does_not_outlive_its_certificate(
    tmp_path: Path, tracing: Tracing, signer: Authority
) -> None:
    clock = ManualClock(soon(0))
    rollout = certified(tmp_path / "rollout", "rollout", signer, until=soon(60))
    tls = certified(tmp_path / "pool", "account_pool", signer, clock=clock)
    async with pool(tls, tracing) as (served, server):
        towards = rollout.towards("account_pool")
        async with connected(server.address, tracing, tls=towards) as (_, stub):
            await stub.AcquireLease(request(), timeout=5)
            clock.advance(61)
            with pytest.raises(ProofwalkError) as caught:
                await stub.AcquireLease(request(), timeout=5)
    assert (caught.value.code, caught.value.status) == (
        "rpc.caller_expired",
        Status.UNAUTHENTICATED,
    )
    assert len(served.seen) == 1


@pytest.fixture
def strangers(tmp_path: Path, signer: Authority) -> dict[str, MutualTls | None]:
    return {
        "foreign": certified(tmp_path / "f", "rollout", authority(), trusted=signer),
        "expired": certified(tmp_path / "e", "rollout", signer, until=soon(-1)),
        "plain": None,
    }


@pytest.mark.parametrize(
    ("who", "code"),
    [
        ("foreign", "rpc.certificate_refused"),
        ("expired", "rpc.certificate_refused"),
        ("plain", "rpc.tls_required"),
    ],
)
async def test_a_stranger_is_not_connected_and_is_told_why(
    tmp_path: Path,
    tracing: Tracing,
    signer: Authority,
    strangers: dict[str, MutualTls | None],
    who: str,
    code: str,
) -> None:
    async with pool(certified(tmp_path / "pool", "account_pool", signer), tracing) as (
        served,
        server,
    ):
        error = await refusal(server, tracing, strangers[who])
    assert (error.code, error.status, error.retryable) == (code, Status.UNAVAILABLE, True)
    assert served.seen == []


async def test_whoever_shows_no_certificate_is_not_connected(
    tmp_path: Path, tracing: Tracing, signer: Authority
) -> None:
    credentials = grpc.ssl_channel_credentials(root_certificates=signer.certificate)
    name = ("grpc.ssl_target_name_override", "account-pool.test.internal")
    async with (
        pool(certified(tmp_path / "pool", "account_pool", signer), tracing) as (_, server),
        grpc.aio.secure_channel(server.address, credentials, options=[name]) as channel,
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_server_that_is_another_role_is_not_called(
    tmp_path: Path, tracing: Tracing, signer: Authority
) -> None:
    rollout = certified(tmp_path / "rollout", "rollout", signer)
    impostor = certified(tmp_path / "gateway", "gateway", signer)
    async with pool(impostor, tracing) as (served, server):
        error = await refusal(server, tracing, rollout)
    assert error.code == "rpc.server_not_trusted"
    assert served.seen == []


async def test_a_server_without_tls_is_not_called(
    tmp_path: Path, tracing: Tracing, signer: Authority
) -> None:
    async with pool(None, tracing) as (served, server):
        error = await refusal(server, tracing, certified(tmp_path / "r", "rollout", signer))
    assert error.code == "rpc.tls_not_spoken"
    assert served.seen == []


async def test_certificates_are_replaced_without_a_restart_or_a_lost_call(
    tmp_path: Path, tracing: Tracing, signer: Authority
) -> None:
    """Another authority on both sides: calls under way finish, later ones go over new
    connections, and who has the old authority's is not connected any more."""
    after = authority()
    server_tls = certified(tmp_path / "pool", "account_pool", signer)
    rollout = certified(tmp_path / "rollout", "rollout", signer)
    old = certified(tmp_path / "old", "rollout", signer, trusted=after)
    async with pool(server_tls, tracing) as (served, server):
        towards = rollout.towards("account_pool")
        async with connected(server.address, tracing, tls=towards) as (_, stub):
            served.go_on.clear()
            under_way = asyncio.ensure_future(stub.AcquireLease(request("a"), timeout=20))
            await served.entered.wait()
            write(tmp_path / "pool", "account_pool", after)
            write(tmp_path / "rollout", "rollout", after)
            server_tls.refresh()
            rollout.refresh()
            served.entered.clear()
            later = asyncio.ensure_future(stub.AcquireLease(request("b"), timeout=20))
            await served.entered.wait()
            served.go_on.set()
            ids = [(await reply).lease.lease_id for reply in (under_way, later)]
            error = await refusal(server, tracing, old)
    assert ids == ["lease_a", "lease_b"]
    assert served.seen == ["rollout", "rollout"]
    assert error.code == "rpc.certificate_refused"


@pytest.mark.parametrize("given", [False, True])
async def test_reflection_is_there_when_it_is_asked_for(
    tmp_path: Path, tracing: Tracing, given: bool
) -> None:
    async with (
        pool(None, tracing, reflect=given) as (_, server),
        grpc.aio.insecure_channel(server.address) as channel,
    ):
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)

        async def asked() -> AsyncIterator[reflection_pb2.ServerReflectionRequest]:
            # A call that the server has ended already takes no message.
            if given:
                yield reflection_pb2.ServerReflectionRequest(list_services="")

        with nullcontext() if given else pytest.raises(grpc.aio.AioRpcError, match="UNIMPL"):
            await stub.ServerReflectionInfo(asked(), timeout=5).read()
