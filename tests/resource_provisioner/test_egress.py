"""Which way out a run of Terraform has: the role's own proxy to the cloud's hosts, or
the cloud's one address."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from proofwalk.chassis.child_environment import connect_ports, has_proxy
from proofwalk.chassis.egress import EgressDoors
from proofwalk.cloud.alicloud.provisioning import AlicloudProvisioning
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.json_values import JsonObject
from proofwalk.resource_provisioner.terraform_runs import TerraformRuns
from tests.resource_provisioner.fakes import ACCOUNT, FakeRunner


class Noted(FakeRunner):
    """Notes the environment."""

    environment: Mapping[str, str] = {}

    async def plan(self, folder: Path, environment: Mapping[str, str]) -> JsonObject:
        self.environment = environment
        return {}


async def environment_of(cloud: MemoryCloud, folder: Path, doors: EgressDoors) -> Mapping[str, str]:
    runner = Noted(cloud)
    runs = TerraformRuns(
        runner, folder=folder, environment={}, warm=None, doors=doors, concurrency=1
    )
    await runs.plan(folder, cloud.cloud(), cloud.account(ACCOUNT), region="local")
    return runner.environment


async def test_the_clouds_hosts_are_reached_through_the_door_and_by_no_other_port(
    tmp_path: Path,
) -> None:
    cloud = MemoryCloud(clock=SystemClock())
    async with EgressDoors() as doors:
        assert "HTTPS_PROXY" not in await environment_of(cloud, tmp_path, doors)
        cloud.hosts = ("*.aliyuncs.example",)
        environment = await environment_of(cloud, tmp_path, doors)
        door = await doors.url_for(cloud.hosts)
    assert environment["HTTPS_PROXY"] == door
    assert connect_ports(environment) == (int(door.rpartition(":")[2]),)


@pytest.mark.parametrize(
    ("provisioning", "hosts"),
    [
        (AlicloudProvisioning(), ("*.aliyuncs.com",)),
        (AlicloudProvisioning(hosts=["ecs.own.example"]), ("*.aliyuncs.com", "ecs.own.example")),
        (AlicloudProvisioning(endpoint_url="http://127.0.0.1:8123", hosts=["x"]), ()),
    ],
)
def test_one_address_for_everything_needs_no_door(
    provisioning: AlicloudProvisioning, hosts: tuple[str, ...]
) -> None:
    assert tuple(provisioning.hosts) == hosts


@pytest.mark.parametrize(
    ("environment", "has"),
    [
        ({}, False),
        ({"HTTPS_PROXY": ""}, False),
        ({"NO_PROXY": "localhost"}, False),
        ({"https_proxy": "http://p:3128"}, True),
        ({"HTTP_PROXY": "http://p:3128"}, True),
    ],
)
def test_a_proxy_of_the_environment_is_known(environment: dict[str, str], has: bool) -> None:
    assert has_proxy(environment) is has
