"""What roles ask outside of the platform: the embedded cloud by its side door and its
audit log, an audit log that a target declares, and a model's endpoint.

The clients are the roles' own. The last two have a server of this module behind them,
which answers at once: what is measured is the client.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from benchmarks.faults.edges import Call, Edge, turns
from benchmarks.faults.place import Place, endpoint_of
from benchmarks.faults.proxy import FaultProxy
from proofwalk.chassis.http import HttpServer
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.devcloud import CALL_DEADLINE_S
from proofwalk.cloud.logs.http import CALL_DEADLINE_S as PAGE_S
from proofwalk.cloud.logs.http import opened_endpoint
from proofwalk.cloud.logs.options import HttpSource
from proofwalk.cloud.ports import Cloud, CloudAccount
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import SystemClock
from proofwalk.models.endpoint import Access, open_endpoint
from proofwalk.platform.settings import target_environment

LOOKUP_S = 20.0
"""The deadline of the vendor's client (`sdk_calls`)."""
MODEL = Access(url="", timeout_s=3.0, deadline_s=6.0, retries=2)
"""A model's manners with less patience than the settings' defaults."""
_RECORD = {"id": "e1", "time": "2026-01-01T00:00:00Z", "note": "x" * 200}
_COMPLETION = {
    "id": "c1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
    ],
}


async def _answering(scope: Any, receive: Any, send: Any) -> None:
    """The least server: records for GET, a completion for POST."""
    while (await receive()).get("more_body"):
        pass
    body = json.dumps([_RECORD] if scope["method"] == "GET" else _COMPLETION).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def cloud_edges(place: Place) -> AsyncIterator[list[Edge]]:
    """The cloud, and the two servers."""
    async with HttpServer(_answering, "127.0.0.1:0") as server:
        upstream = endpoint_of(server.url.removeprefix("http://"))
        yield [
            _door_edge(place),
            await _trail_edge(place),
            Edge(
                caller="reward_service",
                callee="declared log",
                operation="read records",
                deadline_s=PAGE_S * 2,
                upstream=upstream,
                opened=_records,
                attempts=turns,
            ),
            Edge(
                caller="rollout",
                callee="model endpoint",
                operation="chat",
                deadline_s=MODEL.deadline_s,
                upstream=upstream,
                opened=_chat,
                attempts=turns,
            ),
        ]


@asynccontextmanager
async def _cloud(place: Place, target: str) -> AsyncIterator[Cloud]:
    """The embedded cloud as roles open it, at an address."""
    environment = {**target_environment(place.settings, {}), "DEVCLOUD_URL": f"http://{target}"}
    catalog = TargetCatalog(None, environment)
    async with open_cloud(catalog.get("devcloud"), clock=SystemClock()) as cloud:
        yield cloud


def _address(place: Place) -> str:
    return f"{place.settings.devcloud.host}:{place.settings.devcloud.port}"


def _door_edge(place: Place) -> Edge:
    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        async with _cloud(place, proxy.target) as cloud:

            async def call() -> None:
                await cloud.accounts.accounts()

            yield call

    return Edge(
        caller="account_pool",
        callee="devcloud",
        operation="list accounts",
        deadline_s=CALL_DEADLINE_S,
        upstream=endpoint_of(_address(place)),
        opened=opened,
        attempts=turns,
    )


async def _trail_edge(place: Place) -> Edge:
    clock = SystemClock()
    async with _cloud(place, _address(place)) as direct:
        listed = await direct.accounts.accounts()
        # The cloud tells a key when it makes one, and at no other time.
        account: CloudAccount = await direct.accounts.rotate(listed[-1].external_id)

    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        async with _cloud(place, proxy.target) as cloud:
            assert cloud.audit is not None
            audit = cloud.audit

            async def call() -> None:
                now = clock.now()
                await audit.events(account, start=now - timedelta(minutes=1), end=now)

            yield call

    return Edge(
        caller="reward_service",
        callee="devcloud",
        operation="look up events",
        deadline_s=LOOKUP_S,
        upstream=endpoint_of(_address(place)),
        opened=opened,
        attempts=turns,
    )


@asynccontextmanager
async def _records(proxy: FaultProxy) -> AsyncIterator[Call]:
    clock = SystemClock()
    async with opened_endpoint(HttpSource(url=f"http://{proxy.target}/records")) as records:

        async def call() -> None:
            now = clock.now()
            await records.records("a", start=now - timedelta(minutes=1), end=now)

        yield call


@asynccontextmanager
async def _chat(proxy: FaultProxy) -> AsyncIterator[Call]:
    access = Access(
        url=f"http://{proxy.target}/v1",
        timeout_s=MODEL.timeout_s,
        deadline_s=MODEL.deadline_s,
        retries=MODEL.retries,
    )
    async with open_endpoint(access) as endpoint:

        async def call() -> None:
            await endpoint.chat({"model": "m", "messages": [{"role": "user", "content": "?"}]})

        yield call
