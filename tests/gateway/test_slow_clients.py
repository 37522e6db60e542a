"""A byte now and then keeps neither side waiting for ever: the gateway for a body, the
client for an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from benchmarks.faults.conditions import Slow
from benchmarks.faults.proxy import FaultProxy
from proofwalk.chassis.http import split_address
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform import client as client_module
from proofwalk.platform.client import Client
from tests.gateway.conftest import KEY, Gateway


async def begun(gateway: Gateway, path: str, headers: Mapping[str, str]) -> str:
    """What a request whose body does not come is answered with."""
    host, port = split_address(gateway.url.removeprefix("http://"))
    reader, writer = await asyncio.open_connection(host, port)
    try:
        lines = [f"POST {path} HTTP/1.1", f"Host: {host}:{port}", "Content-Length: 100"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", "{"]).encode())
        async with asyncio.timeout(10):
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            return (head + await reader.readexactly(length)).decode()
    finally:
        writer.transport.abort()


@pytest.mark.parametrize("path", ["/v1/verifications", "/v1/collections"])
async def test_a_body_that_does_not_come_is_given_up(gateway: Gateway, path: str) -> None:
    parts = gateway.app.state.parts
    quick = parts.settings.model_copy(update={"body_s": 0.2})
    gateway.app.state.parts = replace(parts, settings=quick)
    answer = await begun(gateway, path, {"Authorization": f"Bearer {KEY}"})
    assert answer.startswith("HTTP/1.1 408 ")
    assert '"code":"request.too_slow"' in answer


async def test_who_has_no_key_is_refused_before_a_body_is_waited_for(gateway: Gateway) -> None:
    answer = await begun(gateway, "/v1/verifications", {})
    assert answer.startswith("HTTP/1.1 401 ")


async def test_a_client_gives_up_an_answer_that_comes_a_byte_at_a_time(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "PATIENCE_S", 0.0)
    async with FaultProxy(split_address(gateway.url.removeprefix("http://"))) as proxy:
        proxy.condition = Slow(20)
        async with Client(f"http://{proxy.target}", KEY) as client:
            with pytest.raises(ProofwalkError) as caught:
                await client.send("GET", "/v1/targets", within_s=0.4)
    assert (caught.value.code, caught.value.retryable) == ("client.unreachable", True)
