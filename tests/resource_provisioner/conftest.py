"""The role with a runner and a cloud in memory: `Stage` starts it, stops it and calls
it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.clock import SystemClock
from proofwalk.resource_provisioner.main import role
from proofwalk.resource_provisioner.on_demand import CoderMakers
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings
from tests.fixtures.templates import place_migrated
from tests.resource_provisioner.fakes import ACCOUNT, FakeRunner, OneLease

TARGET = (
    "id: memory\ntitle: In memory\nadapter: memory\nconsole: {url: 'http://127.0.0.1:1'}\nregions:"
    " [local]\n"
)
META = """
id: one-vpc
description: A VPC with a vSwitch
create: |
  resource "alicloud_vpc" "main" {}
  resource "alicloud_vswitch" "main" {}
  output "id" {
    value = alicloud_vswitch.main.id
  }
verify:
  - {product: vpc, type: vswitch, id: "${output.id}", state: Available}
binds: {"the vSwitch": "${output.id} in ${var.region}"}
"""


class Stage:
    """The role, its neighbours, and calls by name."""

    def __init__(self, settings: ProcessSettings) -> None:
        targets = settings.home / "targets"
        targets.mkdir(exist_ok=True)
        (targets / "memory.yaml").write_text(TARGET)
        self._settings = settings
        self.own = ResourceProvisionerSettings(
            targets=targets, verify_s=1, sweep_s=1, reconcile_s=0.5
        )
        self.cloud = MemoryCloud(clock=SystemClock())
        self.runner = FakeRunner(self.cloud)
        self.pool = OneLease(self.cloud.account(ACCOUNT))
        self.environment: Mapping[str, str] = {}
        self.coders: CoderMakers = {}
        self._stack = AsyncExitStack()
        self.process: Process | None = None

    async def start(self) -> None:
        provisioner = role(
            self.own,
            environment=self.environment,
            adapters={"memory": self.cloud.adapter},
            runner=self.runner,
            coders=self.coders,
        )
        self.process = await self._stack.enter_async_context(
            Process(self._settings, [self.pool.role(), provisioner])
        )

    async def stop(self) -> None:
        """As a crash, as far as the rows and the folder tell: what runs is cancelled
        where it stands."""
        await self._stack.aclose()

    async def call(self, name: str, request: Any, timeout_s: float = 20) -> Any:
        assert self.process is not None
        stub = ResourceProvisionerStub(self.process.channel("resource_provisioner").grpc)
        return await getattr(stub, name)(request, timeout=timeout_s)

    async def provision(self, request_id: str = "r1", meta: str = META, epoch: int = 1) -> Any:
        request = pb.ProvisionRequest(
            request_id=request_id, lease=self.lease(epoch), meta=pb.Meta(yaml=meta)
        )
        return (await self.call("Provision", request)).provisioning

    def lease(self, epoch: int = 1) -> common.LeaseRef:
        return common.LeaseRef(lease_id="lease_1", epoch=epoch, target="memory")

    async def get(self, request_id: str = "r1") -> Any:
        return (
            await self.call("GetProvisioning", pb.GetProvisioningRequest(request_id=request_id))
        ).provisioning

    async def inventory(self) -> list[ResourceRef]:
        return list(await self.cloud.list(self.cloud.account(ACCOUNT)))

    @property
    def work_folder(self) -> Path:
        return self._settings.state_path("resource_provisioner") / "work"


@pytest.fixture
async def process_settings(
    process_settings: ProcessSettings, tmp_path_factory: pytest.TempPathFactory
) -> ProcessSettings:
    """Those of every test, with the role's tables there."""
    await place_migrated("resource_provisioner", process_settings, tmp_path_factory)
    return process_settings


@pytest.fixture
async def stage(process_settings: ProcessSettings) -> AsyncIterator[Stage]:
    made = Stage(process_settings)
    await made.start()
    yield made
    await made.stop()
