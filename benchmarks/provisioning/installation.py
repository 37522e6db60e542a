"""Three roles on a home that is thrown away: the embedded cloud and the account pool in
this process, the provisioner in one of its own, which can be killed as Terraform can.

The provisioner's process is started again whenever it is gone. Accounts keep their
credentials between leases, so that the provider of each stays warm.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx2
import psutil

from proofwalk.api.account_pool.v1.account_pool_pb2_grpc import AccountPoolStub
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import PREFIX
from proofwalk.platform.installation import free_port, quiet
from proofwalk.platform.roles import NAMES, choose
from proofwalk.platform.settings import read_settings

ROLE = "resource_provisioner"
_HERE = ("devcloud", "account_pool")
_START_S = 120.0
_SPEED = 20.0


@dataclass(kw_only=True)
class Provisioner:
    """The provisioner's process."""

    home: Path
    environment: dict[str, str]
    child: ChildProcess | None = None
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def start(self) -> None:
        """Start it, if it does not run."""
        async with self.starting:
            if self.child is not None and self.child.returncode is None:
                return
            with (self.home / "provisioner.log").open("ab") as log:
                self.child = await start_child(
                    [sys.executable, "-m", "proofwalk.cli.main", "serve", ROLE],
                    name=ROLE,
                    env=self.environment,
                    stdout=log,
                    stderr=log,
                )

    async def kill(self) -> int:
        """SIGKILL, and start it again; how many processes were killed."""
        killed = 0
        if self.child is not None and self.child.returncode is None:
            killed = _kill(_role_processes(self.child.pid))
            await self.child.wait()
        await self.start()
        return killed

    def kill_terraform(self, provisioning: str) -> int:
        """SIGKILL to every Terraform that works in a provisioning's folder."""
        folder = str(self.home / "state" / ROLE / "work" / provisioning)
        found = []
        for process in psutil.process_iter(["cmdline", "cwd"]):
            command = process.info["cmdline"] or []
            if process.info["cwd"] == folder and any("terraform" in word for word in command):
                found.append(process)
        return _kill(found)


def _role_processes(guard: int) -> Sequence[psutil.Process]:
    """The process of the role itself, and not the guard that ends what it leaves."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(guard)
        children = [one for one in process.children() if "serve" in one.cmdline()]
        return children or [process]
    return []


def _kill(processes: Sequence[psutil.Process]) -> int:
    killed = 0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGKILL)
            killed += 1
    return killed


class Killer(Protocol):
    """Ends processes as nobody could prevent it; tells how many."""

    async def kill(self) -> int:
        """The provisioner's, which is started again."""
        ...

    def kill_terraform(self, provisioning: str) -> int:
        """Every Terraform of a provisioning."""
        ...


class Place(Protocol):
    """What cycles talk to."""

    accounts: Any
    """The account pool's stub."""
    resources: Any
    """The provisioner's stub."""

    @property
    def provisioner(self) -> Killer: ...

    async def inventory(self, external_id: str) -> dict[str, str]:
        """What the account holds: type and id, with the name."""
        ...

    async def external_ids(self) -> list[str]:
        """All accounts."""
        ...

    async def set_faults(self, external_id: str, plan: Any) -> None:
        """Begin a plan of faults; an empty one ends it."""
        ...

    async def bill(self, external_id: str) -> Sequence[Mapping[str, Any]]:
        """The lines of the account's bill, as the cloud's host has them."""
        ...


@dataclass(kw_only=True)
class Installation:
    """A `Place` of running roles."""

    accounts: AccountPoolStub
    resources: ResourceProvisionerStub
    provisioner: Provisioner
    http: httpx2.AsyncClient = field(repr=False)

    async def inventory(self, external_id: str) -> dict[str, str]:
        answer = await self._admin("GET", f"/accounts/{external_id}/inventory")
        return {
            f"{item['product']}/{item['resource_type']} {item['id']}": str(item["name"])
            for item in answer["resources"]
        }

    async def external_ids(self) -> list[str]:
        answer = await self._admin("GET", "/accounts")
        return [str(account["account_id"]) for account in answer["accounts"]]

    async def set_faults(self, external_id: str, plan: Any) -> None:
        await self._admin("POST", f"/accounts/{external_id}/faults", dict(plan))

    async def bill(self, external_id: str) -> Sequence[Mapping[str, Any]]:
        answer = await self._admin("GET", f"/accounts/{external_id}/bill")
        lines: Sequence[Mapping[str, Any]] = answer["lines"]
        return lines

    async def _admin(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.http.request(method, f"/admin{path}", json=body)
        answer.raise_for_status()
        return answer.json()


@asynccontextmanager
async def installation(
    home: Path, *, terraform: Path, accounts: int, parallel: int, warm: bool
) -> AsyncIterator[Installation]:
    """Start the roles; `terraform` is a folder for the provider's mirror that outlives
    the home."""
    given = {
        "HOME": str(home),
        "DEVCLOUD__PORT": str(free_port()),
        "DEVCLOUD__ACCOUNTS": str(accounts),
        "DEVCLOUD__SPEED": str(_SPEED),
        "ACCOUNT_POOL__ROTATE_AFTER_LEASE": "false",
        "ACCOUNT_POOL__PROOF_POLL_S": "0.5",
        "ACCOUNT_POOL__REAP_S": "1",
        "ACCOUNT_POOL__SWEEP_S": "2",
        "ACCOUNT_POOL__BILLING_S": "5",
        "RESOURCE_PROVISIONER__CACHE": str(terraform),
        "RESOURCE_PROVISIONER__CONCURRENCY": str(parallel),
        "RESOURCE_PROVISIONER__WARM_PROVIDERS": str(accounts if warm else 0),
        "RESOURCE_PROVISIONER__RECONCILE_S": "1",
        "RESOURCE_PROVISIONER__ABANDONED_S": "5",
        "LOG__LEVEL": "warning",
    }
    variables = {f"{PREFIX}{name}": value for name, value in given.items()}
    others = [name for name in NAMES if name not in _HERE]
    settings, roles = choose("all", read_settings(variables), without=others)
    redis = home / "run" / "redis.sock"
    outside = {key: value for key, value in os.environ.items() if not key.startswith(PREFIX)}
    environment = {**outside, **variables, f"{PREFIX}REDIS_URL": f"unix://{redis}"}
    token = settings.devcloud.admin_token.get_secret_value()
    base = f"http://{settings.devcloud.host}:{settings.devcloud.port}"
    async with Process(settings, roles, redaction=quiet(settings)) as process:
        provisioner = Provisioner(home=home, environment=environment)
        try:
            await provisioner.start()
            channel = process.channel(ROLE)
            await channel.wait_until_ready(_START_S)
            async with httpx2.AsyncClient(
                base_url=base,
                headers={"Authorization": f"Bearer {token}"},
                timeout=30,
                trust_env=False,
            ) as http:
                yield Installation(
                    accounts=AccountPoolStub(process.channel("account_pool").grpc),
                    resources=ResourceProvisionerStub(channel.grpc),
                    provisioner=provisioner,
                    http=http,
                )
        finally:
            if provisioner.child is not None:
                await asyncio.shield(provisioner.child.terminate())
