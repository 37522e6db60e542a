"""The program in a pod: who opens it, who is let in, and what passes; the gateway in
front of pods."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from proofwalk.chassis.http import HttpServer
from proofwalk.chassis.trust import system_trust
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.sandbox_scheduler.domain import Sandbox, SandboxState
from proofwalk.sandbox_scheduler.kubernetes.doors import PodDoors
from proofwalk.sandbox_scheduler.pod.control import Door, control_app
from proofwalk.sandbox_scheduler.pod.main import lead_to_pod
from proofwalk.sandbox_scheduler.pod.relay import Relay, Way
from proofwalk.sandbox_scheduler.tickets import Purpose, Ticket, TicketCheck, TicketOffice

OFFICE = TicketOffice(Ed25519PrivateKey.generate())
CHECK = TicketCheck(OFFICE.public_key)
GRANT = Ticket(instance="uid-1.0", epoch=1, address="10.0.0.7", purpose=Purpose.DEVTOOLS)
CONTROL = replace(GRANT, purpose=Purpose.CONTROL)


class FakeBrowser:
    """DevTools that say what they were asked, and then repeat what they hear."""

    def __init__(self) -> None:
        self.port = 0
        self.path = "/devtools/browser/1"
        self.allowed: Sequence[str] = ()
        self.refused: Mapping[str, int] = {"tracker.example:443": 2}

    def allow(self, hosts: Sequence[str]) -> None:
        self.allowed = hosts

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[FakeBrowser]:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(head)
            while data := await reader.read(1000):
                writer.write(data)
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield self


@pytest.fixture
async def browser() -> AsyncIterator[FakeBrowser]:
    async with FakeBrowser().serving() as running:
        yield running


@pytest.fixture
def door(browser: FakeBrowser) -> Door:
    return Door(browser, CHECK, pod_uid="uid-1")


def code_of(work: object, *told: object) -> str:
    with pytest.raises(ProofwalkError) as caught:
        work(*told)  # type: ignore[operator]
    return caught.value.code


def test_a_sandbox_is_closed_until_it_is_opened_for_a_grant(
    door: Door, browser: FakeBrowser
) -> None:
    ticket = OFFICE.issue(GRANT)
    assert code_of(door.lead, ticket) == "sandbox.taken"
    door.open(OFFICE.issue(CONTROL), ["console.example:443"])
    assert browser.allowed == ["console.example:443"]
    assert door.lead(ticket) == Way(host="127.0.0.1", port=browser.port, path=browser.path)
    # Whoever asks again with the same grant may.
    door.open(OFFICE.issue(CONTROL), ["console.example:443"])


@pytest.mark.parametrize(
    "other", [replace(GRANT, instance="uid-1.1"), replace(GRANT, epoch=2)], ids=["restart", "epoch"]
)
def test_the_first_grant_is_the_only_one(door: Door, other: Ticket) -> None:
    door.open(OFFICE.issue(CONTROL), [])
    assert (
        code_of(door.open, OFFICE.issue(replace(other, purpose=Purpose.CONTROL)), ["evil.example"])
        == "sandbox.taken"
    )
    assert code_of(door.lead, OFFICE.issue(other)) == "sandbox.taken"


def test_a_holder_cannot_move_its_own_wall(door: Door, browser: FakeBrowser) -> None:
    assert code_of(door.open, OFFICE.issue(GRANT), ["evil.example"]) == "sandbox.bad_ticket"
    assert code_of(door.look, OFFICE.issue(GRANT)) == "sandbox.bad_ticket"
    assert browser.allowed == ()


def test_a_ticket_for_another_pod_opens_nothing(door: Door) -> None:
    elsewhere = replace(CONTROL, instance="uid-2.0")
    assert code_of(door.open, OFFICE.issue(elsewhere), []) == "sandbox.bad_ticket"


@asynccontextmanager
async def relay_to(door: Door) -> AsyncIterator[Relay]:
    relay = Relay(door.lead, most=2)
    await relay.start("127.0.0.1", 0)
    try:
        yield relay
    finally:
        await relay.close()


async def ask(
    port: int, target: str, *headers: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write("\r\n".join([f"GET {target} HTTP/1.1", *headers, "", ""]).encode())
    return reader, writer


async def test_bytes_pass_both_ways_and_the_browser_is_asked_from_its_own_machine(
    door: Door, browser: FakeBrowser
) -> None:
    door.open(OFFICE.issue(CONTROL), [])
    async with relay_to(door) as relay:
        target = f"/devtools/{OFFICE.issue(GRANT)}"
        reader, writer = await ask(
            relay.port, target, "Host: pod", "Origin: http://evil", "Upgrade: websocket"
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        assert head.splitlines()[0] == "GET /devtools/browser/1 HTTP/1.1"
        assert f"Host: 127.0.0.1:{browser.port}" in head
        assert "Upgrade: websocket" in head
        assert "evil" not in head
        assert "Host: pod" not in head
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"
        assert relay.open == 1
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/json/version", 404),
        ("/devtools/x", 401),
        (f"/devtools/{OFFICE.issue(GRANT)}", 403),
        (f"/devtools/{OFFICE.issue(CONTROL)}", 401),
    ],
    ids=["another path", "no ticket", "not open", "another purpose"],
)
async def test_who_may_not_is_told_why(door: Door, target: str, status: int) -> None:
    async with relay_to(door) as relay:
        reader, writer = await ask(relay.port, target)
        answer = (await reader.read()).decode()
        assert answer.startswith(f"HTTP/1.1 {status} ")
        assert "sandbox." in answer
        writer.close()
        await writer.wait_closed()


async def test_closing_cuts_what_is_open(door: Door) -> None:
    door.open(OFFICE.issue(CONTROL), [])
    async with relay_to(door) as relay:
        reader, writer = await ask(relay.port, f"/devtools/{OFFICE.issue(GRANT)}")
        await reader.readuntil(b"\r\n\r\n")
        await relay.close()
        assert await reader.read() == b""
        assert relay.open == 0
        writer.close()
        await writer.wait_closed()


async def test_the_scheduler_speaks_to_the_door(door: Door, browser: FakeBrowser) -> None:
    bearer = {"Authorization": f"Bearer {OFFICE.issue(CONTROL)}"}
    async with (
        HttpServer(control_app(door), "127.0.0.1:0") as server,
        httpx2.AsyncClient(trust_env=False, verify=system_trust()) as client,
    ):
        url = server.url
        assert (await client.get(f"{url}/readyz")).status_code == 200
        assert (
            await client.put(f"{url}/v1/allowed-hosts", json={"hosts": ["a:1"]})
        ).status_code == 401
        assert (
            await client.put(f"{url}/v1/allowed-hosts", json={"hosts": "a"}, headers=bearer)
        ).status_code == 422
        assert (
            await client.put(f"{url}/v1/allowed-hosts", content=b"{", headers=bearer)
        ).status_code == 422
        assert (
            await client.put(f"{url}/v1/allowed-hosts", json={"hosts": ["a:1"]}, headers=bearer)
        ).status_code == 200
        assert browser.allowed == ["a:1"]
        assert (await client.get(f"{url}/v1/refused-hosts")).status_code == 401
        refused = await client.get(f"{url}/v1/refused-hosts", headers=bearer)
        assert refused.json() == {"hosts": {"tracker.example:443": 2}}
        door.alive = False
        assert (await client.get(f"{url}/livez")).status_code == 503


def test_the_gateway_leads_to_the_pod_that_the_ticket_names() -> None:
    ticket = OFFICE.issue(GRANT)
    assert lead_to_pod(CHECK, ticket) == Way(host="10.0.0.7", port=9222, path=f"/devtools/{ticket}")
    six = OFFICE.issue(replace(GRANT, address="[fd00::7]"))
    assert lead_to_pod(CHECK, six).host == "fd00::7"


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "169.254.169.254", "[::1]", "0.0.0.0", "224.0.0.1"]
)
def test_the_gateway_leads_to_no_address_that_no_pod_has(address: str) -> None:
    assert (
        code_of(lead_to_pod, CHECK, OFFICE.issue(replace(GRANT, address=address)))
        == "sandbox.bad_ticket"
    )


async def test_a_scheduler_opens_a_pod_and_asks_what_it_refused(
    browser: FakeBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = Door(browser, CHECK, pod_uid="uid-1")
    async with HttpServer(control_app(door), "127.0.0.1:0") as server:
        monkeypatch.setattr(
            "proofwalk.sandbox_scheduler.kubernetes.doors.CONTROL_PORT",
            int(server.url.rpartition(":")[2]),
        )
        direct, carried = PodDoors(OFFICE), PodDoors(OFFICE, gateway="ws://gateway:9222/")
        held = sandbox(instance="uid-1.0")
        address = await direct.open(held, ["console.example:443"])
        assert browser.allowed == ["console.example:443"]
        start, _, ticket = address.rpartition("/devtools/")
        assert start == held.cdp_endpoint
        assert door.lead(ticket).path == browser.path
        assert (await carried.open(held, ["console.example:443"])).startswith(
            "ws://gateway:9222/devtools/"
        )
        assert await direct.refused(held) == {"tracker.example:443": 2}
        with pytest.raises(ProofwalkError) as caught:
            await direct.open(sandbox(instance="uid-2.0"), [])
        assert (caught.value.code, caught.value.retryable) == ("sandbox.start_failed", True)
        await direct.close()
        await carried.close()
    silent = PodDoors(OFFICE, within_s=0.5)
    assert await silent.refused(held) == {}
    await silent.close()


def sandbox(*, instance: str) -> Sandbox:
    """A granted sandbox in a pod on loopback."""
    return Sandbox(
        id="sbx_1",
        tool="chromium",
        version="1",
        shard=0,
        ordinal=0,
        place="pod-0",
        instance=instance,
        state=SandboxState.LEASED,
        epoch=1,
        cdp_endpoint="ws://127.0.0.1:9222",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
