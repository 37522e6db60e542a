"""Devcloud as the vendor's cloud: a resource directory, and targets of the adapter
`alicloud` over it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.alicloud.adapter import alicloud
from proofwalk.cloud.ports import AccessKey, Cloud, CloudAccount, ConsoleLogin
from proofwalk.cloud.target import Target
from proofwalk.kernel.clock import Clock, SystemClock
from tests.cloud.devcloud_bench import DevcloudBench, serving

USER = "agent"
REGION = "cn-hangzhou"


def account_of(made: Mapping[str, str]) -> CloudAccount:
    """An account as `/admin` tells it when it is made."""
    return CloudAccount(
        external_id=made["account_id"],
        login=ConsoleLogin(
            fields={
                "user": SecretStr(made["user_name"]),
                "password": SecretStr(made["password"]),
            }
        ),
        access_key=AccessKey(
            key_id=made["access_key_id"], secret=SecretStr(made["access_key_secret"])
        ),
    )


def target_of(*, folder: Path = Path(), **options: Any) -> Target:
    """A target of the adapter with these options."""
    return Target.model_validate(
        {
            "id": "vendor",
            "title": "The vendor's cloud",
            "console": {"url": "http://127.0.0.1:9"},
            "adapter": "alicloud",
            "regions": [REGION, "cn-shanghai"],
            "folder": folder,
            "options": options,
        }
    )


@dataclass(kw_only=True)
class AlicloudWorld:
    """A directory of one management account and some members."""

    bench: DevcloudBench
    management: CloudAccount
    members: list[CloudAccount]

    def directory(self, **changes: Any) -> dict[str, Any]:
        """The options of a target whose accounts are the members."""
        key = self.management.access_key
        assert key is not None
        return {
            "management": self.management.external_id,
            "access_key": {"id": key.key_id, "secret": key.secret.get_secret_value()},
            "members": [one.external_id for one in self.members],
            **changes,
        }

    def target(self, **options: Any) -> Target:
        """Over the directory, or with other options."""
        given = options or {"directory": self.directory(), "user": USER}
        return target_of(endpoint=self.bench.url, delivery_bound_s=2, **given)

    async def faults(self, account: CloudAccount, **plan: Any) -> None:
        await self.bench.admin(f"/accounts/{account.external_id}/faults", plan)


@asynccontextmanager
async def world(folder: Path, **settings: Any) -> AsyncIterator[AlicloudWorld]:
    """A directory with two members."""
    async with serving(folder, **settings) as bench:
        made = (await bench.admin("/accounts", {"count": 3}))["accounts"]
        management, *members = map(account_of, made)
        ids = [one.external_id for one in members]
        await bench.admin("/directory", {"management": management.external_id, "members": ids})
        yield AlicloudWorld(bench=bench, management=management, members=members)


@asynccontextmanager
async def opened(target: Target, clock: Clock | None = None) -> AsyncIterator[Cloud]:
    """The target's cloud, by this adapter, whatever is installed."""
    async with open_cloud(
        target, clock=clock or SystemClock(), adapters={"alicloud": alicloud}
    ) as cloud:
        yield cloud
