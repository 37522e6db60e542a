"""Runs of Terraform for an account: at most so many at a time, with the account's
credentials in the environment, on a provider that stays for the next run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from proofwalk.cloud.ports import Cloud, CloudAccount
from proofwalk.resource_provisioner.alicloud_warm import WarmProviders
from proofwalk.resource_provisioner.runner import Runner

T = TypeVar("T")


class TerraformRuns:
    """Runs commands of a runner."""

    def __init__(
        self,
        runner: Runner,
        *,
        environment: Mapping[str, str],
        warm: WarmProviders | None,
        concurrency: int,
    ) -> None:
        self.runner = runner
        self._plain = environment
        self._warm = warm
        self._turns = asyncio.Semaphore(concurrency)

    async def run(
        self,
        command: Callable[[Path, Mapping[str, str]], Awaitable[T]],
        folder: Path,
        cloud: Cloud,
        account: CloudAccount,
        *,
        region: str,
    ) -> T:
        """Run one command in a folder. Where it does not end well, its warm provider
        ends too: it may still be making what a Terraform that was killed has asked
        for."""
        async with self._turns:
            environment = await self._environment(cloud, account, region)
            try:
                return await command(folder, environment)
            except BaseException:
                if self._warm is not None:
                    await asyncio.shield(self._warm.end(environment))
                raise

    async def _environment(
        self, cloud: Cloud, account: CloudAccount, region: str
    ) -> dict[str, str]:
        assert cloud.provisioning is not None
        secret = cloud.provisioning.environment(account, region=region)
        plain = {name: value.get_secret_value() for name, value in secret.items()}
        attached = await self._warm.attachment(plain) if self._warm is not None else {}
        return {**self._plain, **plain, **attached}
