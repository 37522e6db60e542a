"""The role with real Terraform, the embedded provider and the embedded cloud, over
gRPC."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cloud.sweeping import RUN_TAG
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner.main import role
from proofwalk.resource_provisioner.on_demand import CoderMakers
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings
from tests.resource_provisioner.fakes import OneLease
from tests.terraform.world import TOKEN, World, world

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]
EXAMPLES = Path(__file__).parents[2] / "examples" / "docs"


class Site:
    """The role's process beside a devcloud."""

    def __init__(
        self,
        settings: ProcessSettings,
        cloud: World,
        folder: Path,
        *,
        warm: int = 4,
        coders: CoderMakers | None = None,
    ) -> None:
        own = ResourceProvisionerSettings(
            verify_s=20, sweep_s=20, reconcile_s=0.5, warm_providers=warm, cache=folder / "cache"
        )
        environment = {"DEVCLOUD_URL": cloud.url, "DEVCLOUD_ADMIN_TOKEN": TOKEN}
        self.cloud = cloud
        self.settings = settings
        self.pool = OneLease(cloud.account)
        provisioner = role(own, environment=environment, coders=coders)
        self.process = Process(settings, [self.pool.role(), provisioner])
        self.lease = common.LeaseRef(lease_id="lease_1", epoch=1, target="devcloud")

    async def call(self, name: str, request: Any) -> Any:
        stub = ResourceProvisionerStub(self.process.channel("resource_provisioner").grpc)
        return await getattr(stub, name)(request, timeout=90)

    async def provision(self, meta: str, request_id: str = "r1") -> Any:
        request = pb.ProvisionRequest(
            request_id=request_id, lease=self.lease, meta=pb.Meta(yaml=meta)
        )
        return (await self.call("Provision", request)).provisioning

    async def destroy(self, made: Any) -> None:
        await self.call(
            "Destroy", pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=self.lease)
        )

    def providers(self) -> list[psutil.Process]:
        """Attached providers that run."""
        found = []
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                # The program itself, not what confines or guards it.
                if "--attach" in child.cmdline() and child.cmdline()[1] == "-P":
                    found.append(child)
        return found

    def terraform_pids(self) -> list[int]:
        found = []
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if child.name() == "terraform":
                    found.append(child.pid)
        return found


@pytest.fixture
async def site(process_settings: ProcessSettings, tmp_path: Path) -> AsyncIterator[Site]:
    async with world(tmp_path) as cloud:
        made = Site(process_settings, cloud, tmp_path)
        async with made.process:
            yield made


async def test_an_examples_record_is_made_tagged_verified_and_destroyed(site: Site) -> None:
    made = await site.provision((EXAMPLES / "04-ecs-release-instance.meta.yaml").read_text())
    assert made.state == "ready"
    assert made.binds["the name of the instance"] == made.outputs["instance_name"]
    assert {item.type for item in made.resources} == {
        "vpc",
        "vswitch",
        "security_group",
        "instance",
    }
    there = [item for item in await site.cloud.inventory() if item.type != "disk"]
    assert all(item.tags == {RUN_TAG: made.provisioning_id} for item in there)
    secret = site.cloud.account.access_key
    assert secret is not None
    kept = [
        path
        for path in site.settings.state_path("resource_provisioner").rglob("*")
        if path.is_file()
    ]
    assert kept
    assert not [
        path for path in kept if secret.secret.get_secret_value().encode() in path.read_bytes()
    ]
    await site.destroy(made)
    assert list(await site.cloud.inventory()) == []


async def test_the_values_of_k_are_made_and_found_in_the_cloud(site: Site) -> None:
    made = await site.provision(
        """
        id: one-vswitch
        description: A vSwitch
        attributes:
          resources:
          - type: alicloud_vswitch
            address: alicloud_vswitch.main
            state: Available
            values: {zone: cn-hangzhou-i, cidr: 10.7.0.0/24, vpc_id: "${output.vpc_id}"}
            variables: {zone: zone, cidr: cidr}
        create: |
          variable "zone" {
            default = "cn-hangzhou-h"
          }
          variable "cidr" {
            default = "10.0.1.0/24"
          }
          resource "alicloud_vpc" "main" {
            vpc_name   = "${var.name_prefix}-vpc"
            cidr_block = "10.0.0.0/8"
          }
          resource "alicloud_vswitch" "main" {
            vswitch_name = "${var.name_prefix}-vsw"
            vpc_id       = alicloud_vpc.main.id
            zone_id      = var.zone
            cidr_block   = var.cidr
          }
          output "vpc_id" {
            value = alicloud_vpc.main.id
          }
          output "vswitch_id" {
            value = alicloud_vswitch.main.id
          }
        """
    )
    assert made.state == "ready"
    switch = next(item for item in await site.cloud.inventory() if item.type == "vswitch")
    assert (switch.attributes["zone"], switch.attributes["cidr"]) == (
        "cn-hangzhou-i",
        "10.7.0.0/24",
    )
    await site.destroy(made)
    assert list(await site.cloud.inventory()) == []


async def test_a_template_the_cloud_refuses_leaves_nothing_and_says_where(site: Site) -> None:
    text = (
        (EXAMPLES / "10-ecs-restart-instance.meta.yaml")
        .read_text()
        .replace("10.0.1.0/24", "192.168.0.0/24")
    )
    with pytest.raises(ProofwalkError) as caught:
        await site.provision(text)
    assert caught.value.code == "provision.create_failed"
    assert (
        "alicloud_vswitch.main line 6: CreateVSwitch failed: InvalidCidrBlock"
        in caught.value.message
    )
    assert list(await site.cloud.inventory()) == []


async def test_a_slow_creation_is_waited_for_and_its_provider_is_alone_with_its_account(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Seconds pass in one command: Terraform asks every second whether the attached
    # provider lives.
    monkeypatch.setenv("PROOFWALK_ACCOUNT_POOL__VAULT_KEY", "the vault's key")
    await site.cloud.tune(speed=1.5)
    work = asyncio.create_task(
        site.provision((EXAMPLES / "04-ecs-release-instance.meta.yaml").read_text())
    )
    async with asyncio.timeout(30):
        while not (providers := site.providers()):
            await asyncio.sleep(0.05)
    environments = [provider.environ() for provider in providers]
    assert all("ALICLOUD_SECRET_KEY" in environment for environment in environments)
    assert not [
        name
        for environment in environments
        for name in environment
        if name.startswith("PROOFWALK_")
    ]
    assert (await work).state == "ready"


async def test_a_terraform_that_is_killed_leaves_nothing_that_its_state_does_not_know(
    site: Site,
) -> None:
    await site.cloud.tune(speed=0.5)
    work = asyncio.create_task(
        site.provision((EXAMPLES / "06-rds-configure-whitelist.meta.yaml").read_text())
    )
    async with asyncio.timeout(60):
        while not any(item.type == "vpc" for item in await site.cloud.inventory()):
            await asyncio.sleep(0.05)
    # The VPC is being waited for: it is in the cloud, and in no state.
    providers = {provider.pid for provider in site.providers()}
    for pid in site.terraform_pids():
        psutil.Process(pid).kill()
    await site.cloud.tune(speed=40)
    with pytest.raises(ProofwalkError) as caught:
        await work
    assert caught.value.code == "provision.interrupted"
    # What the provider was still at ended with it.
    assert providers
    assert providers.isdisjoint(provider.pid for provider in site.providers())
    assert list(await site.cloud.inventory()) == []


async def test_a_need_is_met_with_real_resources(site: Site) -> None:
    need = (
        "a running ECS instance, because the document says: Find the instance that you want to"
        " restart."
    )
    request = pb.ProvisionOnDemandRequest(
        request_id="d1", lease=site.lease, need=need, document_context="Restart an instance"
    )
    answer = await site.call("ProvisionOnDemand", request)
    (instance,) = [item for item in answer.provisioning.resources if item.type == "instance"]
    assert instance.state == "Running"
    assert (
        answer.report.splitlines()[1]
        == f'- ecs instance {instance.id} named "{instance.name}", Running'
    )
    await site.call("Sweep", pb.SweepRequest(lease=site.lease))
    assert list(await site.cloud.inventory()) == []


async def test_without_warm_providers_it_is_the_same_only_slower(
    process_settings: ProcessSettings, tmp_path: Path
) -> None:
    async with world(tmp_path) as cloud:
        site = Site(process_settings, cloud, tmp_path, warm=0)
        async with site.process:
            made = await site.provision((EXAMPLES / "02-vpc-create-vswitch.meta.yaml").read_text())
            assert [item.type for item in made.resources] == ["vpc"]
            await site.destroy(made)
        assert list(await cloud.inventory()) == []
