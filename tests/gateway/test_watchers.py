"""Many streams of events against real servers: what they may use up, and what goes on
beside them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.api.rollout.v1.rollout_pb2_grpc import RolloutStub
from proofwalk.chassis.database import Database
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway import main as gateway_main
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.jobs import JobState
from proofwalk.rollout import main as rollout_main
from proofwalk.rollout import usecases
from proofwalk.rollout.settings import RolloutSettings
from tests.rollout.setting import verification

KEY = "pw_ci_of_the_tests_alone"
STREAMS = 205
ROLLOUT_WATCHERS = 128
PATH = "/v1/verifications/ver_1"
SSE = {"Accept": "text/event-stream"}


@asynccontextmanager
async def serving(
    settings: ProcessSettings, limits: LimitSettings
) -> AsyncIterator[tuple[Process, httpx2.AsyncClient]]:
    """Gateway and rollout with one verification that somebody works on, and a client of
    the key that it belongs to."""
    keys = {"ci": SecretStr(KEY)}
    gateway = gateway_main.role(
        GatewaySettings(address="127.0.0.1:0", api_keys=keys, limits=limits)
    )
    rollout = rollout_main.role(RolloutSettings(reconcile_s=0.2), environment={})
    settings = settings.model_copy(update={"drain_grace_s": 1.0})
    async with Process(settings, [rollout, gateway]) as process:
        await process.channel("rollout").wait_until_ready(10)
        now = datetime.now(UTC)
        held: dict[str, Any] = {
            "claim_holder": "elsewhere",
            "claim_epoch": 1,
            "claim_expires_at": now + timedelta(days=1),
        }
        db = Database(settings.database_url_of("rollout"))
        await usecases.create_verification(
            db, verification(principal="ci", created_at=now, state=JobState.RUNNING, **held)
        )
        await db.close()
        url = (settings.home / "run" / "gateway.url").read_text()
        headers = {"Authorization": f"Bearer {KEY}"}
        bounds = httpx2.Limits(max_connections=STREAMS + 20)
        async with httpx2.AsyncClient(
            base_url=url,
            headers=headers,
            limits=bounds,
            timeout=60,
            trust_env=False,
            verify=system_trust(),
        ) as client:
            yield process, client


async def is_well(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/readyz")).status_code == 200
    assert (await client.get(PATH)).status_code == 200
    assert (await client.get("/v1/targets")).status_code == 200


@pytest.mark.slow
async def test_the_streams_of_one_key_use_up_its_places_and_nothing_else(
    process_settings: ProcessSettings,
) -> None:
    async with (
        serving(process_settings, LimitSettings()) as (_, client),
        AsyncExitStack() as streams,
    ):

        async def watch() -> int:
            response = await streams.enter_async_context(
                client.stream("GET", f"{PATH}/events", headers=SSE)
            )
            return int(response.status_code)

        answers: Counter[int] = Counter()
        for _ in range(STREAMS // 41):
            answers.update(await asyncio.gather(*(watch() for _ in range(41))))
        assert answers == {200: 20, 429: STREAMS - 20}
        await is_well(client)


@pytest.mark.slow
async def test_rollout_keeps_room_for_calls_and_health_beside_its_watchers(
    process_settings: ProcessSettings,
) -> None:
    unbounded = LimitSettings(watchers=0, requests_at_once=0, requests_per_s=0)
    async with serving(process_settings, unbounded) as (process, client):
        stub = RolloutStub(process.channel("rollout").grpc)
        request = pb.WatchEventsRequest(verification_id="ver_1", caller=pb.Caller(principal="ci"))
        calls = [stub.WatchEvents(request, timeout=60) for _ in range(STREAMS)]

        async def first(call: Any) -> str:
            try:
                async for event in call:
                    return str(event.type)
            except ProofwalkError as error:
                return error.code
            return "ended"

        told = Counter(await asyncio.gather(*(first(call) for call in calls)))
        assert told == {
            "verification_queued": ROLLOUT_WATCHERS,
            "rpc.too_many_watchers": STREAMS - ROLLOUT_WATCHERS,
        }
        await is_well(client)
        # A stream that finds no room says so to its reader, who comes again later.
        async with client.stream("GET", f"{PATH}/events", headers=SSE) as response:
            lines = [line async for line in response.aiter_lines()]
        assert "event: reconnect" in lines
        for call in calls:
            call.cancel()
        async with asyncio.timeout(20):
            while await first(stub.WatchEvents(request, timeout=10)) != "verification_queued":
                await asyncio.sleep(0.05)
