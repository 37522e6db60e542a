"""A devcloud with one account, and Terraform with the embedded provider pointed at it:
what tests of templates stand on."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from pydantic import SecretStr

from proofwalk.chassis.processes import ChildProcess, Finished, run_child, start_child
from proofwalk.chassis.trust import system_trust
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.ports import Cloud, CloudAccount, ResourceRef
from proofwalk.cloud.target import ConsoleSpec, Target
from proofwalk.devcloud.main import run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.resource_provisioner.alicloud_mirror import ensure_mirror
from proofwalk.resource_provisioner.alicloud_warm import WarmProviders
from proofwalk.resource_provisioner.terraform_process import process_environment

TOKEN = "admin-token-of-the-tests"
REGION = "cn-hangzhou"
HEADER = (
    'terraform {\n  required_providers {\n    alicloud = { source = "aliyun/alicloud" }\n  }\n}\n'
)
NETWORK = """
resource "alicloud_vpc" "main" {
  vpc_name   = "pw-vpc"
  cidr_block = "10.0.0.0/8"
}
resource "alicloud_vswitch" "main" {
  vswitch_name = "pw-vsw"
  vpc_id       = alicloud_vpc.main.id
  cidr_block   = "10.0.1.0/24"
  zone_id      = "cn-hangzhou-h"
}
resource "alicloud_security_group" "main" {
  security_group_name = "pw-sg"
  vpc_id              = alicloud_vpc.main.id
}
"""
INSTANCE = """
resource "alicloud_instance" "main" {
  instance_name   = "pw-web"
  instance_type   = "ecs.g7.large"
  image_id        = "ubuntu_24_04_x64_20G_alibase_20250722.vhd"
  vswitch_id      = alicloud_vswitch.main.id
  security_groups = [alicloud_security_group.main.id]
}
"""


@dataclass
class Work:
    """A folder with a template."""

    folder: Path
    environment: Mapping[str, str]

    def write(self, text: str) -> None:
        (self.folder / "main.tf").write_text(HEADER + text, encoding="utf-8")

    @property
    def variables(self) -> dict[str, str]:
        return process_environment(
            os.environ, self.environment, folder=self.folder, temporary=Path(tempfile.gettempdir())
        )

    async def run(self, *arguments: str, timeout_s: float = 50) -> Finished:
        return await run_child(
            ["terraform", *arguments], timeout_s=timeout_s, cwd=self.folder, env=self.variables
        )

    async def start(self, *arguments: str) -> ChildProcess:
        return await start_child(["terraform", *arguments], cwd=self.folder, env=self.variables)

    async def must(self, *arguments: str) -> str:
        done = await self.run(*arguments)
        assert done.code == 0, (done.stdout + done.stderr).decode()
        return done.stdout.decode()

    async def apply(self) -> str:
        return await self.must("apply", "-auto-approve", "-no-color", "-input=false")

    async def has_changes(self) -> bool:
        done = await self.run("plan", "-detailed-exitcode", "-no-color", "-input=false")
        assert done.code in (0, 2), (done.stdout + done.stderr).decode()
        return done.code == 2

    def resources(self) -> dict[str, dict[str, Any]]:
        """Attributes by address, from the state."""
        state = json.loads((self.folder / "terraform.tfstate").read_text())
        return {
            f"{item['type']}.{item['name']}": {
                **item["instances"][0]["attributes"],
                "_status": item["instances"][0].get("status"),
            }
            for item in state["resources"]
            if item["mode"] == "managed" and item["instances"]
        }


@dataclass(kw_only=True)
class World:
    """The cloud and its only account."""

    url: str
    cloud: Cloud
    account: CloudAccount
    environment: Mapping[str, str] = field(repr=False)
    http: httpx2.AsyncClient = field(repr=False)
    warm: WarmProviders

    async def inventory(self) -> Sequence[ResourceRef]:
        assert self.cloud.inventory is not None
        return await self.cloud.inventory.list(self.account)

    async def delete(self, id_: str) -> None:
        assert self.cloud.inventory is not None
        for resource in await self.inventory():
            if resource.id == id_:
                await self.cloud.inventory.delete(self.account, resource)

    async def attach(self, work: Work) -> Work:
        """The same work with a warm provider, which spares most of the time."""
        work.environment = {**work.environment, **await self.warm.attachment(work.environment)}
        return work

    async def tune(self, **values: float) -> None:
        reply = await self.http.post("/admin/settings", json=values)
        assert reply.status_code == 200, reply.text

    def work(self, folder: Path, text: str = "", **extra: str) -> Work:
        folder.mkdir(parents=True, exist_ok=True)
        work = Work(folder=folder, environment={**self.environment, **extra})
        work.write(text)
        return work


def target(url: str) -> Target:
    """The devcloud at `url` as a target."""
    return Target(
        id="devcloud",
        title="devcloud",
        console=ConsoleSpec(url=url),
        adapter="devcloud",
        options={"url": url, "admin_token": TOKEN},
        regions=(REGION,),
    )


@asynccontextmanager
async def world(folder: Path, *, speed: float = 40.0) -> AsyncIterator[World]:
    """A fresh devcloud in this process."""
    clock = SystemClock()
    settings = DevcloudSettings(
        admin_token=SecretStr(TOKEN), speed=speed, accounts=1, audit_lag_s=0
    )
    async with run(
        settings, clock=clock, ids=RandomIds(clock), state_dir=folder / "devcloud"
    ) as started:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            open_cloud(target(started.url), clock=clock) as cloud,
            httpx2.AsyncClient(
                base_url=started.url, headers=headers, trust_env=False, verify=system_trust()
            ) as http,
            WarmProviders() as warm,
        ):
            known = await cloud.accounts.accounts()
            account = await cloud.accounts.rotate(known[0].external_id)
            mirror = ensure_mirror(folder / "mirror")
            assert cloud.provisioning is not None
            secret = await cloud.provisioning.environment(account, region=REGION)
            yield World(
                url=started.url,
                cloud=cloud,
                account=account,
                environment={
                    "TF_CLI_CONFIG_FILE": str(mirror.config),
                    **{name: value.get_secret_value() for name, value in secret.items()},
                },
                http=http,
                warm=warm,
            )
