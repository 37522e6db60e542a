"""Terraform for the rows: each run in its row's folder, with the credentials of the
leased account, at most so many at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from proofwalk.chassis.egress import EgressDoors
from proofwalk.cloud.ports import Cloud, CloudAccount
from proofwalk.kernel.json_values import JsonObject
from proofwalk.resource_provisioner.alicloud_warm import WarmProviders
from proofwalk.resource_provisioner.repository import ProvisioningRow
from proofwalk.resource_provisioner.runner import Applied, Review, Runner


class TerraformRuns:
    """Plans, applies and destroys."""

    def __init__(
        self,
        runner: Runner,
        *,
        folder: Path,
        environment: Mapping[str, str],
        warm: WarmProviders | None,
        doors: EgressDoors | None = None,
        concurrency: int,
    ) -> None:
        """`folder` holds those of the rows; `environment` is added to every run;
        through `doors` it reaches the cloud's hosts and no others."""
        self._runner = runner
        self._folder = folder
        self._environment = environment
        self._warm = warm
        self._doors = doors
        self._free = asyncio.Semaphore(concurrency)

    def folder_of(self, row: ProvisioningRow) -> Path:
        """Where its configuration and its state are."""
        return self._folder / row.id

    async def plan(
        self, folder: Path, cloud: Cloud, account: CloudAccount, *, region: str
    ) -> JsonObject:
        """Plan in a folder that is no row's; the plan's document. Raises
        `TerraformFailed`."""
        async with self._run(cloud, account, region) as environment:
            return await self._runner.plan(folder, environment)

    async def apply(
        self, cloud: Cloud, account: CloudAccount, row: ProvisioningRow, review: Review
    ) -> Applied:
        """Raises `TerraformFailed`, and what `review` raises."""
        async with self._run(cloud, account, row.region) as environment:
            return await self._runner.apply(self.folder_of(row), environment, review)

    async def destroy(self, cloud: Cloud, account: CloudAccount, row: ProvisioningRow) -> None:
        """Raises `TerraformFailed`."""
        async with self._run(cloud, account, row.region) as environment:
            await self._runner.destroy(self.folder_of(row), environment)

    @asynccontextmanager
    async def _run(
        self, cloud: Cloud, account: CloudAccount, region: str
    ) -> AsyncIterator[Mapping[str, str]]:
        """The environment of a run. Where it does not end well, its warm provider ends
        too: it may still be making what a Terraform that was killed has asked for."""
        async with self._free:
            environment = await self._environment_of(cloud, account, region)
            try:
                yield environment
            except BaseException:
                if self._warm is not None:
                    await asyncio.shield(self._warm.end(environment))
                raise

    async def _environment_of(
        self, cloud: Cloud, account: CloudAccount, region: str
    ) -> Mapping[str, str]:
        assert cloud.provisioning is not None
        secret = await cloud.provisioning.environment(account, region=region)
        plain = {name: value.get_secret_value() for name, value in secret.items()}
        hosts = cloud.provisioning.hosts
        if hosts and self._doors is not None:
            plain["HTTPS_PROXY"] = await self._doors.url_for(hosts)
        attached = await self._warm.attachment(plain) if self._warm is not None else {}
        return {**self._environment, **plain, **attached}
