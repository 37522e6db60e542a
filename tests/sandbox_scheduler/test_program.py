"""The program of a sandbox's pod as a process with a real browser: opened, used through
its relay, and ended with its browser."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
import psutil
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from prometheus_client import CollectorRegistry
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.trust import system_trust
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.installation import free_port
from proofwalk.sandbox_scheduler.main import role
from proofwalk.sandbox_scheduler.pod.main import ticket_key
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings
from proofwalk.sandbox_scheduler.tickets import Purpose, Ticket, TicketOffice
from tests.sandbox_scheduler.setting import FakeBackend

pytestmark = [pytest.mark.browser]

OFFICE = TicketOffice(Ed25519PrivateKey.generate())
GRANT = Ticket(instance="pod-uid.0", epoch=1, address="127.0.0.1", purpose=Purpose.DEVTOOLS)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A running program."""

    child: ChildProcess
    devtools: str
    control: str


@pytest.fixture
async def program(home: Path) -> AsyncIterator[Program]:
    devtools, control = free_port(), free_port()
    environment = {
        **os.environ,
        "PROOFWALK_HOME": str(home),
        "PROOFWALK_SANDBOX__PUBLIC_KEY": OFFICE.public_key,
        "PROOFWALK_SANDBOX__POD_UID": "pod-uid",
        "PROOFWALK_SANDBOX__DEVTOOLS_ADDRESS": f"127.0.0.1:{devtools}",
        "PROOFWALK_SANDBOX__CONTROL_ADDRESS": f"127.0.0.1:{control}",
        "PROOFWALK_SANDBOX__CHECK_S": "0.2",
    }
    child = await start_child(
        [sys.executable, "-m", "proofwalk.cli.main", "serve", "sandbox"], env=environment
    )
    try:
        made = Program(
            child=child,
            devtools=f"ws://127.0.0.1:{devtools}",
            control=f"http://127.0.0.1:{control}",
        )
        await until_ready(made)
        yield made
    finally:
        await child.terminate()
    assert not list((home / "profiles").glob("*"))


async def until_ready(program: Program) -> None:
    async with (
        asyncio.timeout(60),
        httpx2.AsyncClient(trust_env=False, verify=system_trust()) as client,
    ):
        while True:
            assert program.child.returncode is None
            try:
                if (await client.get(f"{program.control}/readyz")).status_code == 200:
                    return
            except httpx2.TransportError:
                await asyncio.sleep(0.05)


async def test_a_holder_uses_a_real_browser_through_the_relay(program: Program) -> None:
    ticket = OFFICE.issue(GRANT)
    with pytest.raises(InvalidStatus) as caught:
        await connect(f"{program.devtools}/devtools/{ticket}", proxy=None)
    assert caught.value.response.status_code == 403
    bearer = {"Authorization": f"Bearer {OFFICE.issue(replace(GRANT, purpose=Purpose.CONTROL))}"}
    async with httpx2.AsyncClient(trust_env=False, verify=system_trust()) as client:
        answer = await client.put(
            f"{program.control}/v1/allowed-hosts", json={"hosts": ["127.0.0.1:9"]}, headers=bearer
        )
        assert answer.status_code == 200
        async with connect(
            f"{program.devtools}/devtools/{ticket}", proxy=None, max_size=None
        ) as socket:

            async def ask(number: int, method: str, **told: object) -> dict[str, object]:
                await socket.send(json.dumps({"id": number, "method": method, "params": told}))
                while (said := json.loads(await socket.recv())).get("id") != number:
                    continue
                return dict(said["result"])

            assert "Chrome" in str((await ask(1, "Browser.getVersion"))["product"])
            # What is not on its list, it does not reach.
            await ask(2, "Target.createTarget", url="http://refused.example/")
            # The browser may have been refused hosts of its own before.
            async with asyncio.timeout(30):
                refused = f"{program.control}/v1/refused-hosts"
                while (
                    "refused.example:80"
                    not in (await client.get(refused, headers=bearer)).json()["hosts"]
                ):
                    await asyncio.sleep(0.05)


async def test_it_ends_when_its_browser_does(program: Program) -> None:
    family = psutil.Process(program.child.pid).children(recursive=True)
    browser = next(
        each
        for each in family
        if "--user-data-dir" in " ".join(each.cmdline())
        and "--type=" not in " ".join(each.cmdline())
    )
    browser.kill()
    async with asyncio.timeout(60):
        assert await program.child.wait() != 0


async def test_without_a_key_it_says_so(home: Path) -> None:
    environment = {**os.environ, "PROOFWALK_HOME": str(home)}
    child = await start_child(
        [sys.executable, "-m", "proofwalk.cli.main", "serve", "sandbox"],
        env=environment,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        _, said = await child.communicate()
    assert b"sandbox.no_public_key" in said
    assert child.returncode != 0


async def test_the_gateway_asks_the_scheduler_for_its_key(
    process_settings: ProcessSettings,
) -> None:
    backend = FakeBackend()
    backend.tool = replace(backend.tool, ticket_key=OFFICE.public_key)
    metrics = RpcMetrics(CollectorRegistry())
    async with Process(process_settings, [role(SandboxSchedulerSettings(), backend=backend)]):
        address = process_settings.address_of("sandbox_scheduler")
        assert await ticket_key(address, within_s=30, metrics=metrics) == OFFICE.public_key
    with pytest.raises(ProofwalkError) as caught:
        await ticket_key(address, within_s=0.5, metrics=metrics)
    assert caught.value.code.startswith("rpc.")
