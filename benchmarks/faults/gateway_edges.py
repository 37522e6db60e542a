"""Edges with REST at one end: a client's to the gateway, and the gateway's to the roles
whose answers its routes give.

A gateway of its own is between the bench and the role, so that what is measured is a
whole request: what the route promises, and the problem that the reader is told.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from benchmarks.faults.edges import Call, Edge, turns
from benchmarks.faults.place import Place, endpoint_of
from benchmarks.faults.proxy import FaultProxy
from benchmarks.faults.role_edges import NOBODY
from proofwalk.chassis.role_process import Process
from proofwalk.gateway.keys import KEY_FILE, URL_FILE
from proofwalk.gateway.main import role
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.platform.client import PATIENCE_S, REQUEST_S, Client
from proofwalk.platform.installation import client_key

ROUTE_S = 10.0
"""What a route gives the role behind it."""
_LATEST_S = 60.0


def gateway_edges(place: Place) -> list[Edge]:
    """REST, before and behind the gateway."""
    return [
        _client_edge(place),
        _route_edge(place, "rollout", "ListVerifications", "/v1/verifications"),
        _route_edge(place, "inspection", "ListCollections", "/v1/collections"),
    ]


def _client_edge(place: Place) -> Edge:
    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        async with Client(f"http://{proxy.target}", client_key(place.settings)) as client:

            async def call() -> None:
                try:
                    await client.get(NOBODY)
                except ProofwalkError as error:
                    if error.status is not Status.NOT_FOUND:
                        raise

            yield call

    return Edge(
        caller="client",
        callee="gateway",
        operation="GET a verification",
        deadline_s=PATIENCE_S + REQUEST_S,
        upstream=endpoint_of(place.url.removeprefix("http://")),
        opened=opened,
        attempts=turns,
    )


def _route_edge(place: Place, callee: str, method: str, path: str) -> Edge:
    @asynccontextmanager
    async def opened(proxy: FaultProxy) -> AsyncIterator[Call]:
        async with _gateway(place, callee, proxy) as client:

            async def call() -> None:
                answer = await client.get(path)
                if answer.status_code != 200:
                    raise _problem(answer)

            yield call

    async def attempts(_: FaultProxy) -> int:
        return place.served(method)

    return Edge(
        caller="gateway",
        callee=callee,
        operation=f"GET {path}",
        deadline_s=ROUTE_S,
        upstream=endpoint_of(place.settings.address_of(callee)),
        opened=opened,
        attempts=attempts,
    )


@asynccontextmanager
async def _gateway(
    place: Place, callee: str, proxy: FaultProxy
) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a gateway that reaches one role through the proxy."""
    with tempfile.TemporaryDirectory(prefix="pw-faults-gw-") as name:
        home = Path(name)
        settings = place.settings.model_copy(
            update={"home": home, "addresses": {callee: proxy.target}}
        )
        async with Process(settings, [role(settings.gateway)]):
            key = (home / KEY_FILE).read_text().strip()
            async with httpx2.AsyncClient(
                base_url=(home / "run" / URL_FILE).read_text().strip(),
                headers={"Authorization": f"Bearer {key}"},
                timeout=_LATEST_S,
                trust_env=False,
            ) as client:
                yield client


def _problem(answer: httpx2.Response) -> ProofwalkError:
    """What a reader of the problem document is told. Raises ValueError, KeyError where
    the answer is none."""
    body = answer.json()
    return ProofwalkError(body["code"], body["detail"], status=Status.UNAVAILABLE)
