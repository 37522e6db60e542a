"""One POST, and how often a document's server is asked for it: through client, gateway
and rollout over their real sockets."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway import main as gateway_main
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.orders.body import read_request
from proofwalk.platform.client import Client
from proofwalk.rollout import main as rollout_main
from proofwalk.rollout.settings import RolloutSettings
from tests.gateway.conftest import Gateway

MOST = 3
ANSWERS = {
    "fails": b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
    "is busy": b"HTTP/1.1 503 No\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
    "limits": b"HTTP/1.1 429 No\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
    "breaks off": (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/markdown\r\nContent-Length: 100\r\n\r\n1. x"
    ),
    "says nothing": b"",
    "speaks otherwise": b"SSH-2.0-x\r\n\r\n",
}


class Documents:
    """A server whose every answer is the same, and that counts."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.asked = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            self.asked += 1
            writer.write(self.answer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def installation(settings: ProcessSettings, port: int) -> AsyncIterator[tuple[str, str]]:
    """Address and key of a gateway whose rollout may fetch from `port`."""
    hosts = [f"127.0.0.1:{port}"]
    rollout = rollout_main.role(
        RolloutSettings(fetch_allow_hosts=hosts, reconcile_s=0.2), environment={}
    )
    gateway = gateway_main.role(GatewaySettings(address="127.0.0.1:0"))
    async with Process(
        settings.model_copy(update={"drain_grace_s": 1.0}), [rollout, gateway]
    ) as process:
        await process.channel("rollout").wait_until_ready(10)
        yield (
            (settings.home / "run" / "gateway.url").read_text(),
            (settings.home / "gateway.key").read_text(),
        )


@pytest.mark.parametrize("what", ANSWERS)
async def test_a_failing_server_is_asked_three_times_at_most_for_one_post(
    process_settings: ProcessSettings, what: str
) -> None:
    documents = Documents(ANSWERS[what])
    server = await asyncio.start_server(documents.handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    body = {"document": {"url": f"http://127.0.0.1:{port}/stop.md"}, "target": "devcloud"}
    async with server, installation(process_settings, port) as (url, key):
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "k"}
        async with httpx2.AsyncClient(
            base_url=url, headers=headers, timeout=90, trust_env=False, verify=system_trust()
        ) as client:
            answer = await client.post("/v1/verifications", json=body)
        assert answer.status_code == 503, answer.text
        assert answer.json()["code"] in ("fetch.http_error", "fetch.unreachable")
        assert (answer.json()["retryable"], "retry-after" in answer.headers) == (False, False)
        assert 1 <= documents.asked <= MOST
        # Nor does the command line's client make it more.
        documents.asked = 0
        async with Client(url, key) as cli:
            with pytest.raises(ProofwalkError):
                await cli.create(read_request(body), key="another")
        assert 1 <= documents.asked <= MOST


async def test_rollout_is_asked_once_for_one_post_whatever_it_lacks(gateway: Gateway) -> None:
    """It may have fetched the document before it found its database away."""
    away = unavailable("database.unavailable", "the database system is starting up")
    gateway.rollout.errors["CreateVerification"] = deque([away] * 5)
    answer = await gateway.create("k")
    assert (answer.status_code, answer.json()["retryable"], answer.headers["retry-after"]) == (
        503,
        True,
        "2",
    )
    assert gateway.rollout.create_calls == 1
