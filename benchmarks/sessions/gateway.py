"""What a request costs the gateway: CPU of the process that serves, by what the request
goes through.

    gateway.py serve HOME ROLLOUT      the gateway's application before the rollout contract at a unix socket, on its HTTP server
    gateway.py bare                    the least that an ASGI application can do, on the same server
    gateway.py rollout HOME            a rollout role of three answers

Each runs in a process of its own, so that neither the client nor the other role is
counted. A job is asked for under an API key (`get`), which is HTTP, routing,
authentication, a gRPC call with trace and deadline, and JSON; `create` adds the
idempotency row in SQL twice.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import psutil
from prometheus_client import CollectorRegistry

from benchmarks import record
from benchmarks.record import judged
from proofwalk.api.inspection.v1.findings_pb2_grpc import FindingsStub
from proofwalk.api.inspection.v1.inspection_pb2_grpc import InspectionsStub
from proofwalk.api.inspection.v1.webhooks_pb2_grpc import WebhooksStub
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2_grpc
from proofwalk.chassis.database import Database
from proofwalk.chassis.http import HttpServer
from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.migrations import migrate
from proofwalk.chassis.rpc import RpcChannel, RpcServer, RpcService
from proofwalk.chassis.settings_sections import LogSettings
from proofwalk.chassis.tracing import Tracing
from proofwalk.gateway.http_api import build_app
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds

KEY = "pw_bench"
BODY = {"document": {"text": "1. Click **Stop**.", "name": "a.md"}, "target": "devcloud"}
CLIENTS = 8
START_S = 60.0
SHARE_S = 12.0
"""What each kind of request may take."""


class _Rollout(rollout_pb2_grpc.RolloutServicer):
    """One job that runs, and every job that is asked for."""

    async def CreateVerification(
        self, request: pb.CreateVerificationRequest, context: Any
    ) -> pb.CreateVerificationResponse:
        made = pb.Verification(
            verification_id=request.verification_id, state="queued", target=request.target
        )
        return pb.CreateVerificationResponse(verification=made)

    async def GetVerification(
        self, request: pb.GetVerificationRequest, context: Any
    ) -> pb.GetVerificationResponse:
        found = pb.Verification(
            verification_id=request.verification_id, state="running", target="devcloud"
        )
        return pb.GetVerificationResponse(verification=found)


async def _bare(scope: Any, receive: Any, send: Any) -> None:
    body = b'{"verification_id": "ver_1", "state": "running"}'
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def _until_told() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()


async def serve_bare() -> None:
    async with HttpServer(_bare, "127.0.0.1:0", grace_s=1) as server:
        print(server.url, flush=True)
        await _until_told()


async def serve_rollout(home: Path) -> None:
    service = RpcService(
        descriptor=pb.DESCRIPTOR.services_by_name["Rollout"],
        register=rollout_pb2_grpc.add_RolloutServicer_to_server,
        servicer=_Rollout(),
    )
    address = f"unix:{home}/rollout.sock"
    server = RpcServer(
        address, [service], tracing=Tracing("rollout"), metrics=RpcMetrics(CollectorRegistry())
    )
    await server.start()
    await server.ready(True)
    print(address, flush=True)
    await _until_told()
    await server.stop(0)


async def serve_gateway(home: Path, rollout: str) -> None:
    tracing, clock = Tracing("gateway"), SystemClock()
    database = Database(f"sqlite:///{home}/gateway.sqlite3")
    await migrate(database, "proofwalk.gateway")
    channel = RpcChannel(rollout, tracing=tracing, metrics=RpcMetrics(CollectorRegistry()))

    async def ready() -> bool:
        return True

    nobody: Any = None  # No page that asks another role is loaded.
    app = build_app(
        rollout=rollout_pb2_grpc.RolloutStub(channel.grpc),
        inspections=InspectionsStub(channel.grpc),
        findings=FindingsStub(channel.grpc),
        webhooks=WebhooksStub(channel.grpc),
        neighbours=nobody,
        db=database,
        keys=Keyring({}, local=KEY),
        settings=GatewaySettings(limits=LimitSettings(requests_per_s=0, requests_at_once=0)),
        clock=clock,
        ids=RandomIds(clock),
        tracing=tracing,
        ready=ready,
    )
    async with HttpServer(app, "127.0.0.1:0", grace_s=1) as server:
        print(server.url, flush=True)
        await _until_told()
    await channel.close()
    await database.close()


@asynccontextmanager
async def _process(*arguments: str) -> Any:
    """One of the above; its process and the line that it says when it serves."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        __file__,
        *arguments,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(record.ROOT)},
        cwd=record.ROOT,
    )
    assert process.stdout is not None
    draining: asyncio.Task[bytes] | None = None
    try:
        async with asyncio.timeout(START_S):
            said = (await process.stdout.readline()).decode().strip()
        if not said:
            raise RuntimeError(f"{arguments[0]} did not start")
        # A process whose log nobody reads stands still once the pipe is full.
        draining = asyncio.create_task(process.stdout.read())
        yield psutil.Process(process.pid), said
    finally:
        if draining is not None:
            draining.cancel()
        if process.returncode is None:
            process.terminate()
        try:
            async with asyncio.timeout(10):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


async def _cost(
    process: psutil.Process, client: httpx2.AsyncClient, ask: Any, n: int
) -> tuple[float, int]:
    """Microseconds of CPU of `process` for one request, and how many there were: `n`,
    or what the time allows."""
    ended, done = time.monotonic() + SHARE_S, 0

    async def some(count: int) -> None:
        nonlocal done
        for _ in range(count):
            if time.monotonic() > ended:
                return
            answer = await ask(client)
            if answer.status_code >= 300:
                raise RuntimeError(
                    f"{answer.request.url}: {answer.status_code} {answer.text[:200]}"
                )
            done += 1

    await some(10)
    done = 0
    before = process.cpu_times()
    await asyncio.gather(*(some(n // CLIENTS) for _ in range(CLIENTS)))
    after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) / done * 1e6, done


async def measure(home: Path, n: int) -> dict[str, Any]:
    """CPU of each kind of request and its ratio to the bare application's."""
    headers = {"Authorization": f"Bearer {KEY}"}
    numbers = iter(range(10**9))

    def get(path: str) -> Any:
        return lambda client: client.get(path)

    def create(client: httpx2.AsyncClient) -> Any:
        return client.post(
            "/v1/verifications", json=BODY, headers={"Idempotency-Key": f"k{next(numbers)}"}
        )

    async with AsyncExitStack() as stack:
        _, rollout = await stack.enter_async_context(_process("rollout", str(home)))
        gateway, url = await stack.enter_async_context(_process("serve", str(home), rollout))
        bare, bare_url = await stack.enter_async_context(_process("bare"))
        limits = httpx2.Limits(max_connections=CLIENTS)
        options: dict[str, Any] = {
            "headers": headers,
            "timeout": 60,
            "trust_env": False,
            "limits": limits,
        }
        ours = await stack.enter_async_context(httpx2.AsyncClient(base_url=url, **options))
        plain = await stack.enter_async_context(httpx2.AsyncClient(base_url=bare_url, **options))
        costs = {
            "bare_asgi": await _cost(bare, plain, get("/v1/verifications/ver_1"), n),
            "livez": await _cost(gateway, ours, get("/livez"), n),
            "get": await _cost(gateway, ours, get("/v1/verifications/ver_1"), n),
            "create": await _cost(gateway, ours, create, n // 2),
        }
    cost = {name: taken for name, (taken, _) in costs.items()}
    return {
        "n": {name: done for name, (_, done) in costs.items()},
        "cpu_us": {name: round(taken) for name, taken in cost.items()},
        "in_it": {
            "bare_asgi": "uvicorn and one dictionary",
            "livez": "and FastAPI, the middleware and a span",
            "get": "and the key, one gRPC call with deadline and trace, JSON of the job",
            "create": "and the body's schema, two transactions on the idempotency row",
        },
        "get_over_bare_asgi": judged(cost["get"] / cost["bare_asgi"], at_most=2.5),
        "create_over_bare_asgi": judged(cost["create"] / cost["bare_asgi"], at_most=2.5),
    }


if __name__ == "__main__":
    # a line for each call would be most of its cost
    configure_logging(LogSettings(level="error"), Redaction(()))
    match sys.argv[1:]:
        case ["bare"]:
            asyncio.run(serve_bare())
        case ["rollout", folder]:
            asyncio.run(serve_rollout(Path(folder)))
        case ["serve", folder, address]:
            asyncio.run(serve_gateway(Path(folder), address))
        case _:
            raise SystemExit(__doc__)
