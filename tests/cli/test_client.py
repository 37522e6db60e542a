"""The REST client where a key's limits are met: it waits as it is told, and asks no
more than that."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from proofwalk.chassis.http import HttpServer
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform import client as module
from proofwalk.platform.client import Client


@dataclass
class Gateway:
    """Says what it is told to, then that there are no targets."""

    answers: deque[tuple[int, str, bool]] = field(default_factory=deque)
    asked: int = 0
    url: str = ""

    async def answer(self, _: Request) -> Response:
        self.asked += 1
        if not self.answers:
            return JSONResponse({"targets": []})
        status, code, retryable = self.answers.popleft()
        body: dict[str, Any] = {"code": code, "detail": "no", "hint": "", "retryable": retryable}
        if status == 429:
            body["details"] = {"retry_after_s": "7"}
        return JSONResponse(body, status_code=status, headers={"Retry-After": "7"})


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    gateway = Gateway()
    async with HttpServer(
        Starlette(routes=[Route("/v1/targets", gateway.answer)]), "127.0.0.1:0", grace_s=1
    ) as http:
        gateway.url = http.url
        yield gateway


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client waited; it does not really."""
    pauses: list[float] = []

    class Loop:
        timeout = staticmethod(asyncio.timeout)

        async def sleep(self, seconds: float) -> None:
            pauses.append(seconds)

    monkeypatch.setattr(module, "asyncio", Loop())
    return pauses


async def ask(gateway: Gateway) -> Any:
    async with Client(gateway.url, "key") as client:
        return await client.targets()


async def test_a_limit_is_waited_for_as_long_as_it_says(
    gateway: Gateway, waited: list[float]
) -> None:
    gateway.answers.extend([(429, "limit.jobs", True)] * 9)
    assert await ask(gateway) == []
    assert (gateway.asked, waited) == (10, [7.0] * 9)


async def test_what_will_not_change_is_not_asked_again(
    gateway: Gateway, waited: list[float]
) -> None:
    gateway.answers.append((503, "fetch.http_error", False))
    with pytest.raises(ProofwalkError) as caught:
        await ask(gateway)
    assert (caught.value.code, gateway.asked, waited) == ("fetch.http_error", 1, [])
