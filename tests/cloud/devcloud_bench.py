"""A devcloud for adapters to be tested against on the wire, and hands to do things in
its accounts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from alibabacloud_rds20140815.client import Client as RdsClient
from alibabacloud_rds20140815.models import CreateDBInstanceRequest
from alibabacloud_tea_openapi.models import Config
from alibabacloud_vpc20160428.client import Client as VpcClient
from alibabacloud_vpc20160428.models import (
    CreateVpcRequest,
    CreateVSwitchRequest,
)
from pydantic import SecretStr

from proofwalk.chassis.trust import system_trust
from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import CloudAccount, ResourceRef
from proofwalk.devcloud.main import RunningDevcloud, run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import Clock, SystemClock
from proofwalk.kernel.ids import RandomIds
from tests.cloud.contract import Bench, Done

TOKEN = "t" * 30


class DevcloudBench(Bench):
    """A devcloud on a port of its own, and the official clients."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.stop = asyncio.Event()
        self.stopped = asyncio.Event()

    async def admin(self, path: str, body: dict[str, Any]) -> Any:
        """What the host's side door answers."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(
            base_url=self.url, trust_env=False, verify=system_trust()
        ) as client:
            reply = await client.post(f"/admin{path}", json=body, headers=headers)
            assert reply.status_code == 200, reply.text
            return reply.json()

    def config(self, account: CloudAccount) -> Config:
        key = account.access_key
        assert key is not None
        return Config(
            access_key_id=key.key_id,
            access_key_secret=key.secret.get_secret_value(),
            endpoint=self.url.removeprefix("http://"),
            protocol="HTTP",
            security_token=key.security_token and key.security_token.get_secret_value(),
        )

    def _create(self, account: CloudAccount) -> str:
        request = CreateVpcRequest(
            region_id="cn-hangzhou", cidr_block="172.16.0.0/12", vpc_name="made-by-the-contract"
        )
        return str(VpcClient(self.config(account)).create_vpc(request).body.vpc_id)

    async def make(self, account: CloudAccount) -> ResourceRef:
        assert self.cloud.inventory is not None
        vpc_id = await asyncio.to_thread(self._create, account)
        # A VPC brings a route table of its own where the cloud makes one.
        return next(item for item in await self.cloud.inventory.list(account) if item.id == vpc_id)

    async def act(self, account: CloudAccount) -> Done:
        await asyncio.to_thread(self._create, account)
        return Done(service="Vpc", name="CreateVpc", target="made-by-the-contract")

    async def spend(self, account: CloudAccount) -> Money:
        return Money.of(await asyncio.to_thread(self._subscribe, account), "CNY")

    def _subscribe(self, account: CloudAccount) -> str:
        config = self.config(account)
        vpc_id = self._create(account)
        switch = VpcClient(config).create_vswitch(
            CreateVSwitchRequest(
                region_id="cn-hangzhou",
                zone_id="cn-hangzhou-h",
                cidr_block="172.16.1.0/24",
                vpc_id=vpc_id,
            )
        )
        database = RdsClient(config).create_dbinstance(
            CreateDBInstanceRequest(
                region_id="cn-hangzhou",
                zone_id="cn-hangzhou-h",
                engine="MySQL",
                engine_version="8.0",
                category="Basic",
                dbinstance_class="mysql.n2.medium.1",
                dbinstance_storage=50,
                dbinstance_storage_type="cloud_essd",
                dbinstance_net_type="Intranet",
                security_iplist="10.0.0.0/8",
                pay_type="Prepaid",
                period="Month",
                used_time="1",
                vpcid=vpc_id,
                v_switch_id=switch.body.v_switch_id,
            )
        )
        assert database.body.order_id
        return "250"

    async def break_down(self) -> None:
        self.stop.set()
        await self.stopped.wait()


@asynccontextmanager
async def serving(
    folder: Path, *, accounts: int = 0, clock: Clock | None = None, clock_skew_s: float = 900.0
) -> AsyncIterator[DevcloudBench]:
    """Serve a devcloud until the block is left, or the bench breaks it down. Its
    `cloud` is for the caller to set."""
    chosen = clock or SystemClock()
    settings = DevcloudSettings(
        accounts=accounts,
        audit_lag_s=0.2,
        speed=1e6,
        admin_token=SecretStr(TOKEN),
        clock_skew_s=clock_skew_s,
    )
    ready: asyncio.Future[RunningDevcloud] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()

    async def serve() -> None:
        async with run(settings, clock=chosen, ids=RandomIds(chosen), state_dir=folder) as running:
            ready.set_result(running)
            await stop.wait()

    async with asyncio.TaskGroup() as group:
        server = group.create_task(serve())
        bench = DevcloudBench((await ready).url)
        bench.stop = stop
        server.add_done_callback(lambda _: bench.stopped.set())
        yield bench
        stop.set()
