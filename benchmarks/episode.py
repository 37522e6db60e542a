"""`make bench-episode`: what an episode costs beside browser and model, how soon a
sandbox shows its first page, what an observation costs.

Every role runs in this process on a home of its own under the temporary folder, with
the settings that an installation has by default; documents of `examples/docs` go
through the REST API. Where the time of an episode went is read from the verdict's
`phase_seconds` and the rows and events of the rollout role:

    overhead = wall time - provision - walk (sign-in within it) - audit wait - sweep

`audit wait` is what judging spends before the log of its window can be complete (the
walk's end, the rule's `delta_s`, the log's delivery bound); what it takes beyond that
counts as overhead, as do queueing, the account, taking and ending the sandbox, and
proving the account clean. `sweep` is Terraform's and the cloud's work, as `provision`
is. See `observations` for the rest.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.observations import CLOCK, IDS, dense_observations, first_observations
from benchmarks.record import ROOT, Load, spread, spreads
from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import secret_values
from proofwalk.chassis.settings_sections import LogSettings
from proofwalk.cli.order_options import Given
from proofwalk.cli.verification import Result, verify
from proofwalk.gateway.keys import KEY_FILE, URL_FILE, local_key
from proofwalk.orders.order import Order
from proofwalk.platform.client import Client
from proofwalk.platform.installation import free_port
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import Settings, read_settings

DOCUMENTS = ("examples/docs/01-vpc-create-vpc.md", "examples/docs/02-vpc-create-vswitch.rst")
TERRAFORM_CACHE = ROOT / "build" / "demo" / "home" / "terraform"
"""Shared with `make demo`: building the provider is no part of an episode."""
ALONE = 3
"""Episodes of each document that run one after the other."""
TOGETHER = 3
"""Episodes of each document for the hourly rate."""
SANDBOXES = 8
OBSERVATIONS = 30
LIMIT_S = 900.0
_GIVEN = Given(order=Order(target="devcloud"))


@dataclass(frozen=True, kw_only=True)
class Installation:
    """A running installation."""

    settings: Settings
    process: Process
    client: Client

    @property
    def console(self) -> str:
        return f"http://{self.settings.devcloud.host}:{self.settings.devcloud.port}"

    @property
    def delivery_bound_s(self) -> float:
        """Seconds after which the embedded cloud's log is complete, as its target file
        is told."""
        return self.settings.devcloud.audit_lag_s + 1


@asynccontextmanager
async def installation(home: Path) -> AsyncIterator[Installation]:
    """Every role in this process, as the command line starts them when none runs."""
    defaults = read_settings({"PROOFWALK_HOME": str(home)})
    changes = {
        "devcloud": defaults.devcloud.model_copy(update={"port": free_port()}),
        "gateway": defaults.gateway.model_copy(update={"address": "127.0.0.1:0"}),
        "resource_provisioner": defaults.resource_provisioner.model_copy(
            update={"cache": TERRAFORM_CACHE}
        ),
    }
    settings, roles = choose("all", defaults.model_copy(update=changes))
    redaction = Redaction(secret_values(settings))
    configure_logging(LogSettings(format=settings.log.format, level="error"), redaction)
    async with Process(settings, roles, redaction=redaction) as process:
        url = (home / "run" / URL_FILE).read_text(encoding="ascii").strip()
        async with Client(url, local_key(home / KEY_FILE)) as client:
            yield Installation(settings=settings, process=process, client=client)


@asynccontextmanager
async def cold_scheduler(home: Path) -> AsyncIterator[Process]:
    """A sandbox scheduler that keeps no browser ready."""
    defaults = read_settings({"PROOFWALK_HOME": str(home)})
    none_warm = defaults.sandbox_scheduler.model_copy(update={"warm": 0})
    settings, roles = choose(
        "sandbox_scheduler", defaults.model_copy(update={"sandbox_scheduler": none_warm})
    )
    async with Process(settings, roles) as process:
        yield process


async def run_documents(place: Installation, documents: Sequence[str]) -> list[Result]:
    """Request all at once and wait for the verdicts; raises when one is not the right
    one."""
    results = await verify(
        place.client, documents, _GIVEN, ids=IDS, progress=lambda document, row: None
    )
    for result in results:
        if result.outcome != "verified" or result.verification is None:
            told = result.verification["verdict"]["reason"] if result.verification else result.error
            raise RuntimeError(f"{result.document}: {result.outcome}: {told}")
    return results


async def alone(place: Installation) -> dict[str, Any]:
    """Where the time of an episode goes when nothing else runs in the installation."""
    parts: dict[str, list[dict[str, float]]] = {document: [] for document in DOCUMENTS}
    for _ in range(ALONE):
        for document in DOCUMENTS:
            (result,) = await run_documents(place, [document])
            assert result.verification is not None
            parts[document].append(await _parts(place, str(result.verification["verification_id"])))
    every = [sample for samples in parts.values() for sample in samples]
    by_document = {Path(document).name: spreads(samples) for document, samples in parts.items()}
    return {"overhead_s": spread([sample["overhead"] for sample in every]), "phases_s": by_document}


async def _parts(place: Installation, verification_id: str) -> dict[str, float]:
    told = await asyncio.to_thread(_rows, place.settings, verification_id)
    wall, phases = told.wall, told.phases
    events = {
        event["type"]: _moment(event["time"])
        for event in await place.client.events(verification_id)
    }

    def between(first: str, second: str) -> float:
        return (events[second] - events[first]).total_seconds()

    since_walk = (events["episode_judged"] - told.walk_ended).total_seconds()
    until_complete = told.delta_s + place.delivery_bound_s - (since_walk - phases["judge"])
    audit_wait = min(phases["judge"], max(until_complete, 0.0))
    sweep = between("episode_judged", "resources_destroyed")
    outside = {
        "queue": between("verification_queued", "episode_started"),
        "account": phases["account"],
        "sandbox": phases["sandbox"],
        "sandbox_end": max(between("walk_finished", "episode_judged") - phases["judge"], 0.0),
        "judge_beyond_audit_wait": phases["judge"] - audit_wait,
        "release_and_proof": between("resources_destroyed", "account_released"),
    }
    overhead = wall - phases.get("provision", 0.0) - phases["walk"] - audit_wait - sweep
    return {
        "wall": wall,
        "overhead": overhead,
        **{f"overhead_{name}": seconds for name, seconds in outside.items()},
        "overhead_rest": overhead - sum(outside.values()),
        **({"provision": phases["provision"]} if "provision" in phases else {}),
        "sign_in": phases["sign_in"],
        "walk_after_sign_in": phases["walk"] - phases["sign_in"],
        "audit_wait": audit_wait,
        "sweep": sweep,
    }


@dataclass(frozen=True, kw_only=True)
class Rows:
    """What the roles' rows say about a verification of one episode; seconds."""

    wall: float
    """From request to verdict."""
    phases: dict[str, float]
    walk_ended: datetime
    delta_s: float
    """How far beyond the walk's end the rule has the log read."""


def _rows(settings: Settings, verification_id: str) -> Rows:
    (text,) = _one(
        settings,
        "rollout",
        "select verdict from rollout_verifications where id = ?",
        verification_id,
    )
    episode, facts = _one(
        settings,
        "rollout",
        "select id, facts from rollout_episodes where verification_id = ?",
        verification_id,
    )
    by_request = "select delta_s from reward_service_judgement where request_id = ?"
    (delta_s,) = _one(settings, "reward_service", by_request, f"{episode}:judge")
    verdict = json.loads(text)
    return Rows(
        wall=float(verdict["seconds"]),
        phases={name: float(seconds) for name, seconds in verdict["phase_seconds"].items()},
        walk_ended=_moment(json.loads(facts)["end"]),
        delta_s=float(delta_s),
    )


def _one(settings: Settings, role: str, query: str, key: str) -> tuple[Any, ...]:
    path = settings.database_url_of(role).removeprefix("sqlite:///")
    rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        found: tuple[Any, ...] = rows.execute(query, (key,)).fetchone()
        return found
    finally:
        rows.close()


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


async def together(place: Installation) -> dict[str, Any]:
    """Episodes an hour at the concurrency that an installation has by default."""
    documents = list(DOCUMENTS) * TOGETHER
    started = time.monotonic()
    results = await run_documents(place, documents)
    seconds = time.monotonic() - started
    walls = [
        float(result.verification["verdict"]["seconds"])
        for result in results
        if result.verification is not None
    ]
    return {
        "episodes_an_hour": round(len(results) / seconds * 3600, 1),
        "k": len(results),
        "concurrency": place.settings.rollout.concurrency,
        "seconds": round(seconds, 2),
        "request_to_verdict_s": spread(walls),
    }


async def measure(home: Path) -> dict[str, Any]:
    """All figures; the cheap ones first."""
    before, commit = Load.now(), record.commit()
    async with installation(home / "a") as place, cold_scheduler(home / "b") as cold:
        warm_channel = place.process.channel("sandbox_scheduler")
        _tell("dense page")
        dense = await dense_observations(warm_channel, n=OBSERVATIONS)
        _tell("first observation")
        first = await first_observations(
            warm_channel, cold.channel("sandbox_scheduler"), place.console, n=SANDBOXES
        )
        _tell("one episode of each document, not counted")
        await run_documents(place, DOCUMENTS)
        _tell("episodes one after the other")
        overhead = await alone(place)
        _tell("episodes an hour")
        rate = await together(place)
    return {
        "name": "episode",
        "n": len(DOCUMENTS) * ALONE,
        "commit": commit,
        "machine": await record.machine(),
        "taken_at": CLOCK.now().isoformat(timespec="seconds"),
        "note": (
            f"Load averages over 1/5/15 minutes: {before} before, {Load.now()} after. The run"
            " itself is part of that load; whatever else ran beside it makes every time longer. n"
            " counts the episodes run one after the other; each figure has its own n. All roles,"
            " the browsers, the embedded cloud and the benchmark share the processors."
        ),
        "figures": {
            "episode_alone": overhead,
            "first_observation_of_sign_in_page": first,
            "observation_of_dense_page": dense,
            "throughput": rate,
        },
    }


def _tell(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what} …", file=sys.stderr, flush=True)


async def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="pwb-"))
    try:
        async with asyncio.timeout(LIMIT_S):
            content = await measure(home)
    finally:
        await asyncio.to_thread(shutil.rmtree, home, ignore_errors=True)
    path = record.write("episode", content)
    print(json.dumps(content["figures"], indent=2))
    print(f"written to {path.relative_to(ROOT)}")


if __name__ == "__main__":
    asyncio.run(main())
