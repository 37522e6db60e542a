"""Desktops from the scheduler, as children of its process: `make test-desktop`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Gauge

from proofwalk.chassis.database import Database
from proofwalk.chassis.tasks import end as end_tasks
from proofwalk.desktop.image import Image
from proofwalk.desktop.seat import Seat, endpoint
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.desktop import SandboxedDesktop
from proofwalk.sandbox_scheduler.local import LocalBackend
from proofwalk.sandbox_scheduler.settings import SandboxSchedulerSettings
from proofwalk.sandbox_scheduler.worker import tend
from tests.fixtures.templates import copy_migrated
from tests.sandbox_scheduler.worlds import TTL

_SCREEN = (1280, 800)


async def test_an_address_is_read_as_it_was_written_and_another_one_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "a folder? with = signs"
    with pytest.raises(ProofwalkError) as caught:
        await Seat.at(endpoint(folder, _SCREEN))
    assert caught.value.code == "desktop.gone", "it was read, and nothing is there"
    for address in ("ws://127.0.0.1:1/devtools", "desktop:relative?screen=1x1", endpoint(folder, _SCREEN) + "&more=1"):
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

    backend = LocalBackend(start, tool="desktop", version=image.version, ids=ids, start_s=60, check_s=0.5, hang_s=10)
    settings = SandboxSchedulerSettings(warm=0, quota=2, start_s=60)
    cluster = Cluster(backend, db=sqlite_db, clock=clock, ids=ids, settings=settings, owner="one")
    gauge = Gauge("sandboxes", "Sandboxes by state.", ["state"], registry=CollectorRegistry())
    tending = asyncio.create_task(tend(cluster, backend.pulse, check_s=0.2, gauge=gauge))
    try:
        held = await cluster.acquire(tool="desktop", request_id="r1", holder="test", ttl=TTL, allowed_hosts=())
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
