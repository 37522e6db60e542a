"""An installation of its own for a bench: every role in this process, on a home that is
thrown away, with as many accounts as it needs.

It is talked to over REST, like any other; only scenarios of the console are registered
and what accounts hold is looked at by the embedded cloud's side door, and only what the
judge has stored is read from the judge's rows. Several benches may run side by side:
each has its own home, and only Terraform's mirror is shared. Homes of processes that
are gone are removed.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import httpx2
import psutil
import yaml

from proofwalk.chassis.database import Database
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.trust import system_trust
from proofwalk.chassis.yaml_documents import write_yaml
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.json_values import JsonObject
from proofwalk.platform.bindings import binds_of
from proofwalk.platform.client import Client
from proofwalk.platform.installation import client_key, embedded
from proofwalk.platform.settings import Settings
from proofwalk.reward_service import repository as judgements
from proofwalk.suites.model import Task
from proofwalk.suites.recording import Recording

TARGET = "devcloud"
TARGET_KIND = "devcloud"
"""`Target.kind` of the embedded cloud."""
WORK = Path("build/bench")
"""Where laboratories have their homes and caches, unless told otherwise."""
_SPARE_ACCOUNTS = 2
"""An account that was released is proven clean before it is free again."""
_DEADLINE_S = 15.0


class Scenarios:
    """The console's scenarios, at the embedded cloud's `/admin`."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def register(self, task: Task, *, level: str, seed: int) -> str:
        """The name of the scenario for a run of a task. Also where the console is to be
        as it is: it decides what a model draws, too."""
        language = task.scenario.language if task.scenario is not None else task.language
        patches = (
            [dict(patch) for patch in task.scenario.patches] if task.scenario is not None else []
        )
        content: JsonObject = {
            "level": level,
            "seed": seed,
            "language": language,
            "patches": patches,
        }
        digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]
        name = f"{task.id[:100]}-{digest}"
        await _ask(self._http, "POST", "/admin/scenarios", {"id": name, **content})
        return name


class Accounts:
    """What accounts hold, at the embedded cloud's `/admin`."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    async def holdings(self) -> Mapping[str, Sequence[ResourceRef]]:
        """What each account holds, by its number. Raises `cloud.unavailable`."""
        accounts = await _ask(self._http, "GET", "/admin/accounts")
        return {
            account["account_id"]: await self._inventory(account["account_id"])
            for account in accounts["accounts"]
        }

    async def _inventory(self, account_id: str) -> Sequence[ResourceRef]:
        answer = await _ask(self._http, "GET", f"/admin/accounts/{account_id}/inventory")
        return [
            ResourceRef(
                product=item["product"],
                type=item["resource_type"],
                id=item["id"],
                name=item["name"],
                state=item["state"] or "",
                attributes={"created": str(item["created"])},
            )
            for item in answer["resources"]
        ]


async def _ask(
    http: httpx2.AsyncClient, method: str, path: str, body: JsonObject | None = None
) -> Any:
    try:
        response = await http.request(method, path, json=body)
    except httpx2.HTTPError as error:
        raise unavailable(
            "cloud.unavailable", f"the embedded cloud gives no answer: {type(error).__name__}"
        ) from error
    if response.status_code >= 300:
        raise unavailable(
            "bench.cloud_refused",
            f"the embedded cloud refuses {method} {path}: {response.text[:400]}",
        )
    return response.json()


@dataclass(frozen=True, kw_only=True)
class Laboratory:
    """A running installation."""

    client: Client
    scenarios: Scenarios
    accounts: Accounts
    judged: Database
    walked: Database
    """The rollout role's rows, to read from."""
    process: Process
    """The roles: for calls that the gateway does not offer."""
    target: str = TARGET

    async def recording(self, episode_id: str) -> Recording | None:
        """What the judge saw of an episode; None when it was not judged."""
        async with self.judged.read() as tx:
            found = await judgements.find(tx, f"{episode_id}:judge")
        if found is None:
            return None
        return Recording(
            start=found.start,
            end=found.end,
            outputs=dict(found.outputs),
            events=tuple(found.events),
            answer=found.answer,
        )

    def binds(
        self, task: Task, outputs: Mapping[str, str] | None, listed: Sequence[str]
    ) -> Mapping[str, str] | None:
        """What the document's phrases stood for (`bindings`)."""
        return binds_of(task, outputs, listed)


@asynccontextmanager
async def laboratory(
    settings: Settings,
    *,
    folder: Path,
    parallel: int,
    home: Path | None = None,
    lasting: Sequence[str] = (),
    apart: Sequence[str] = (),
) -> AsyncIterator[Laboratory]:
    """Start one for `parallel` episodes at a time; homes and caches lie in `folder`.

    In a `home` of its own (one laboratory at a time) the roles `lasting` find their
    rows and files again the next time; all else is thrown away. Roles `apart` have
    processes of their own.
    """
    async with (
        _home((home or _fresh_home(folder)).absolute(), folder, lasting) as at,
        _running(_for_bench(settings, at, folder, parallel), apart) as place,
    ):
        yield place


@asynccontextmanager
async def shared_account(
    settings: Settings, *, folder: Path, home: Path | None = None
) -> AsyncIterator[Laboratory]:
    """Start one with a single account, for one episode at a time, that each walk gets
    as the last one left it: nobody sweeps it or proves it clean. META cannot be
    verified there. In a `home` of its own the account is there again the next time,
    with what it held."""
    lasting = ("devcloud",) if home is not None else ()
    async with _home((home or _fresh_home(folder)).absolute(), folder, lasting) as at:
        alone = _for_bench(settings, at, folder, 1)
        targets = at / "targets"
        await asyncio.to_thread(write_unseen_target, targets)
        devcloud = alone.devcloud.model_copy(update={"accounts": 1})
        changes = {"devcloud": devcloud, "targets": targets}
        async with _running(alone.model_copy(update=changes), ()) as place:
            yield place


def _fresh_home(folder: Path) -> Path:
    """Of this process alone."""
    return folder / f"home-{os.getpid()}"


def write_unseen_target(folder: Path) -> None:
    """The embedded cloud's target, without an inventory."""
    builtin = resources.files("proofwalk.cloud").joinpath(f"targets/{TARGET}.yaml")
    target = yaml.safe_load(builtin.read_text(encoding="utf-8"))
    target["options"]["inventory"] = False
    folder.mkdir(parents=True)
    (folder / f"{TARGET}.yaml").write_text(write_yaml(target), encoding="utf-8")


@asynccontextmanager
async def _home(home: Path, folder: Path, lasting: Sequence[str]) -> AsyncIterator[Path]:
    """A home that is thrown away, but for the state of roles that are `lasting`."""
    await asyncio.to_thread(_remove_left_homes, folder)
    await asyncio.to_thread(_clear, home, lasting)
    try:
        yield home
    finally:
        await asyncio.to_thread(_clear, home, lasting)


@asynccontextmanager
async def _running(settings: Settings, apart: Sequence[str]) -> AsyncIterator[Laboratory]:
    async with embedded(settings, apart=apart) as here:
        devcloud = here.settings.devcloud
        headers = {"Authorization": f"Bearer {devcloud.admin_token.get_secret_value()}"}
        base = f"http://{devcloud.host}:{devcloud.port}"
        judged = Database(here.settings.database_url_of("reward_service"))
        walked = Database(here.settings.database_url_of("rollout"))
        try:
            async with (
                httpx2.AsyncClient(
                    base_url=base,
                    headers=headers,
                    timeout=_DEADLINE_S,
                    trust_env=False,
                    verify=system_trust(),
                ) as http,
                Client(here.url, client_key(here.settings)) as client,
            ):
                yield Laboratory(
                    client=client,
                    scenarios=Scenarios(http),
                    accounts=Accounts(http),
                    judged=judged,
                    walked=walked,
                    process=here.process,
                )
        finally:
            await judged.close()
            await walked.close()


def _for_bench(settings: Settings, home: Path, folder: Path, parallel: int) -> Settings:
    """No pictures, a light browser ready for who comes next, accounts for all that keep
    their keys (and so their warm provider), and one mirror of Terraform's for every
    bench. Preparing mostly waits for the cloud: it keeps up with the walks."""
    provisioner = settings.resource_provisioner
    changes = {
        "home": home,
        "rollout": settings.rollout.model_copy(
            update={"concurrency": parallel, "screenshots": False}
        ),
        "sandbox_scheduler": settings.sandbox_scheduler.model_copy(
            update={
                "warm": 1,
                "quota": parallel + 2,
            }
        ),
        "account_pool": settings.account_pool.model_copy(
            update={"rotate_after_lease": False, "proof_poll_s": 0.5}
        ),
        "devcloud": settings.devcloud.model_copy(update={"accounts": parallel + _SPARE_ACCOUNTS}),
        "resource_provisioner": provisioner.model_copy(
            update={
                "concurrency": max(provisioner.concurrency, parallel),
                "cache": provisioner.cache or (folder / "terraform").absolute(),
                "warm_providers": max(provisioner.warm_providers, parallel + _SPARE_ACCOUNTS),
            }
        ),
    }
    return settings.model_copy(update=changes)


def _clear(home: Path, lasting: Sequence[str]) -> None:
    """Remove a home, but for the state of some roles."""
    if not lasting:
        shutil.rmtree(home, ignore_errors=True)
        return
    kept = [home / "state" / role for role in lasting]
    databases = tuple(f"{role}.sqlite3" for role in lasting)
    for path in (*home.glob("*"), *(home / "state").glob("*")):
        if (
            path == home / "state"
            or path in kept
            or (path.parent.name == "state" and path.name.startswith(databases))
        ):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _remove_left_homes(folder: Path) -> None:
    for home in folder.glob("home-*"):
        pid = home.name.removeprefix("home-")
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(home, ignore_errors=True)
