"""A cloud that answers a byte now and then is one that does not answer
(`benchmarks.faults.proxy`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from benchmarks.faults.conditions import Slow
from benchmarks.faults.proxy import FaultProxy
from proofwalk.chassis.http import HttpServer, split_address
from proofwalk.chassis.trust import system_trust
from proofwalk.cloud import devcloud
from proofwalk.cloud.devcloud import AdminDoor
from proofwalk.cloud.logs import http
from proofwalk.cloud.logs.http import opened_endpoint
from proofwalk.cloud.logs.options import HttpSource
from proofwalk.kernel.errors import ProofwalkError

DEADLINE_S = 0.4
# Several bytes within what one read may take.
RATE = Slow(20)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def answering(scope: Any, receive: Any, send: Any) -> None:
    head = [(b"content-type", b"application/json"), (b"content-length", b"400")]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": b"[" + b" " * 398 + b"]"})


@pytest.fixture
async def slow() -> AsyncIterator[str]:
    """Address of a server whose answer takes half a minute."""
    async with (
        HttpServer(answering, "127.0.0.1:0") as server,
        FaultProxy(split_address(server.url.removeprefix("http://"))) as proxy,
    ):
        proxy.condition = RATE
        yield f"http://{proxy.target}"


async def test_the_embedded_clouds_side_door_has_a_deadline_over_all_of_an_answer(
    slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devcloud, "CALL_DEADLINE_S", DEADLINE_S)
    async with httpx2.AsyncClient(
        base_url=slow, timeout=20, trust_env=False, verify=system_trust()
    ) as client:
        with pytest.raises(ProofwalkError) as caught:
            await AdminDoor(client, SecretStr("t")).accounts()
    assert (caught.value.code, caught.value.retryable) == ("cloud.unavailable", True)


@pytest.mark.parametrize("whole", [False, True])
async def test_a_declared_log_has_a_deadline_over_all_of_an_answer(
    slow: str, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    source = HttpSource(url=f"{slow}/records")
    async with opened_endpoint(source) as records:
        monkeypatch.setattr(http, "CALL_DEADLINE_S", DEADLINE_S)
        with pytest.raises(ProofwalkError) as caught:
            if whole:
                await records.records("a", start=NOW, end=NOW)
            else:
                await records.first_answer("a", start=NOW, end=NOW)
    assert (caught.value.code, caught.value.retryable) == ("cloud.unavailable", True)
