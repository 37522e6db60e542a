"""Desktops from the scheduler, as children of its process: `make test-desktop`."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from prometheus_client import CollectorRegistry, Gauge

from proofwalk.chassis.database import Database
from proofwalk.chassis.processes import start_child
from proofwalk.chassis.tasks import end as end_tasks
from proofwalk.chassis.trust import system_trust
from proofwalk.desktop.image import Image
from proofwalk.desktop.seat import Seat, endpoint
from proofwalk.desktop.session import DesktopSession
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.installation import free_port
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.desktop import SandboxedDesktop
from proofwalk.sandbox_scheduler.local import LocalBackend
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings
from proofwalk.sandbox_scheduler.tickets import Purpose, Ticket, TicketOffice
from proofwalk.sandbox_scheduler.worker import tend
from tests.fixtures.templates import copy_migrated
from tests.sandbox_scheduler.worlds import TTL

_SCREEN = (1280, 800)


async def test_an_address_is_read_as_it_was_written_and_another_one_is_refused(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "a folder? with = signs"
    with pytest.raises(ProofwalkError) as caught:
        await Seat.at(endpoint(folder, _SCREEN))
    assert caught.value.code == "desktop.gone", "it was read, and nothing is there"
    for address in (
        "http://127.0.0.1:1/devtools",
        "desktop:relative?screen=1x1",
        endpoint(folder, _SCREEN) + "&more=1",
    ):
        with pytest.raises(ProofwalkError) as caught:
            await Seat.at(address)
        assert caught.value.code == "desktop.bad_endpoint"


@pytest.mark.desktop
@pytest.mark.timeout(300)
async def test_a_desktop_is_granted_used_and_gone(
    sqlite_db: Database, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    await copy_migrated("proofwalk.sandbox_scheduler", sqlite_db, tmp_path_factory)
    image, clock, ids = Image.read(Path("build/desktop")), SystemClock(), RandomIds(SystemClock())

    async def start() -> SandboxedDesktop:
        return await SandboxedDesktop.start(image, folder=tmp_path / "desktops", within_s=60)

    backend = LocalBackend(
        start, tool="desktop", version=image.version, ids=ids, start_s=60, check_s=0.5, hang_s=10
    )
    settings = SandboxSchedulerSettings(warm=0, quota=2, start_s=60)
    cluster = Cluster(backend, db=sqlite_db, clock=clock, ids=ids, settings=settings, owner="one")
    gauge = Gauge("sandboxes", "Sandboxes by state.", ["state"], registry=CollectorRegistry())
    tending = asyncio.create_task(tend(cluster, backend.pulse, check_s=0.2, gauge=gauge))
    try:
        held = await cluster.acquire(
            tool="desktop", request_id="r1", holder="test", ttl=TTL, allowed_hosts=()
        )
        seat = await Seat.at(held.cdp_endpoint)
        try:
            assert (await seat.guest.run(["/usr/bin/id", "-un"])).out == b"agent\n"
            assert (await seat.screenshot()).startswith(b"\x89PNG")
        finally:
            await seat.leave()
    finally:
        await end_tasks([tending])
        await cluster.close()
    assert not list((tmp_path / "desktops").glob("*")), "nothing of it is left"


@pytest.mark.desktop
@pytest.mark.timeout(300)
async def test_a_pods_program_serves_a_desktop_to_its_holder(home: Path) -> None:
    office = TicketOffice(Ed25519PrivateKey.generate())
    devtools, control = free_port(), free_port()
    environment = {
        **os.environ,
        "PROOFWALK_HOME": str(home),
        "PROOFWALK_SANDBOX__DESKTOP_IMAGE": str(Path("build/desktop").absolute()),
        "PROOFWALK_SANDBOX__PUBLIC_KEY": office.public_key,
        "PROOFWALK_SANDBOX__POD_UID": "pod-uid",
        "PROOFWALK_SANDBOX__DEVTOOLS_ADDRESS": f"127.0.0.1:{devtools}",
        "PROOFWALK_SANDBOX__CONTROL_ADDRESS": f"127.0.0.1:{control}",
    }
    child = await start_child(
        [sys.executable, "-m", "proofwalk.cli.main", "serve", "sandbox"], env=environment
    )
    try:
        async with (
            asyncio.timeout(120),
            httpx2.AsyncClient(trust_env=False, verify=system_trust()) as client,
        ):
            while True:
                assert child.returncode is None
                with suppress(httpx2.TransportError):
                    if (await client.get(f"http://127.0.0.1:{control}/readyz")).status_code == 200:
                        break
                await asyncio.sleep(0.1)
            grant = Ticket(
                instance="pod-uid.0", epoch=1, address="127.0.0.1", purpose=Purpose.DEVTOOLS
            )
            bearer = {
                "Authorization": f"Bearer {office.issue(replace(grant, purpose=Purpose.CONTROL))}"
            }
            opened = await client.put(
                f"http://127.0.0.1:{control}/v1/allowed-hosts", json={"hosts": []}, headers=bearer
            )
            assert opened.status_code == 200
            seat = await Seat.at(f"ws://127.0.0.1:{devtools}/devtools/{office.issue(grant)}")
            session = DesktopSession(seat, clock=SystemClock())
            look = await session.observe()
            assert look.screenshot
            await seat.guest.write("/home/agent/note.txt", "一二三 äöü".encode())
            assert (await seat.guest.read("/home/agent/note.txt")).decode() == "一二三 äöü"
            await seat.leave()
            with pytest.raises(ProofwalkError) as caught:
                await Seat.at(
                    f"ws://127.0.0.1:{devtools}/devtools/{office.issue(replace(grant, epoch=2))}"
                )
            assert caught.value.code == "desktop.gone"
    finally:
        await child.terminate()
    assert not list((home / "desktops").glob("*")), "nothing of it is left"
