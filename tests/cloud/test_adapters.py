"""The adapters keep the contract: the memory cloud, devcloud in this process, and the
generic one over a made-up console's log."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alibabacloud_rds20140815.client import Client as RdsClient
from alibabacloud_rds20140815.models import CreateDBInstanceRequest
from alibabacloud_tea_openapi.models import Config
from alibabacloud_vpc20160428.client import Client as VpcClient
from alibabacloud_vpc20160428.models import (
    CreateVpcRequest,
    CreateVSwitchRequest,
)
from pydantic import SecretStr

from proofwalk.chassis.http import HttpServer
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import CloudAccount, ResourceRef
from proofwalk.cloud.target import parse_target
from proofwalk.devcloud.main import RunningDevcloud, run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.ids import RandomIds
from tests.cloud.contract import AdapterContract, Bench, Done
from tests.cloud.shop import ShopLog

BUILTIN = Path(__file__).parents[2] / "libs/proofwalk/cloud/targets/devcloud.yaml"
EXAMPLE = Path(__file__).parents[2] / "examples/targets/shop.yaml"


class MemoryBench(Bench):
    def __init__(self) -> None:
        self.world = MemoryCloud(
            clock=SystemClock(),
            accounts=3,
            deletion_s=0.05,
            audit_lag_s=0.05,
            delivery_bound_s=1,
            self_recording=True,
        )
        self.cloud = self.world.cloud()

    async def make(self, account: CloudAccount) -> ResourceRef:
        resource = ResourceRef(product="ecs", type="instance", id=f"i-{uuid.uuid4().hex[:8]}")
        self.world.put(account.external_id, resource)
        return resource

    async def act(self, account: CloudAccount) -> Done:
        event = AuditEvent(
            id=uuid.uuid4().hex,
            time=datetime.now(UTC),
            service="Ecs",
            name="StopInstance",
            kind="ApiCall",
            write=True,
            ok=True,
            request={"InstanceId": "i-1"},
            raw={"eventName": "StopInstance"},
        )
        self.world.record(account.external_id, event)
        return Done(service="Ecs", name="StopInstance", target="i-1")

    async def spend(self, account: CloudAccount) -> Money:
        self.world.charge(account.external_id, 12.34)
        return Money.of("12.34", "CNY")

    async def break_down(self) -> None:
        for call in ("accounts", "list", "events", "balance", "spend"):
            self.world.fail(call)


class TestMemory(AdapterContract):
    @pytest.fixture
    def bench(self) -> Bench:
        return MemoryBench()


class DevcloudBench(Bench):
    def __init__(self, running: RunningDevcloud) -> None:
        self.running = running
        self.stop = asyncio.Event()
        self.stopped = asyncio.Event()

    def _config(self, account: CloudAccount) -> Config:
        assert account.access_key is not None
        return Config(
            access_key_id=account.access_key.key_id,
            access_key_secret=account.access_key.secret.get_secret_value(),
            endpoint=self.running.url.removeprefix("http://"),
            protocol="HTTP",
        )

    def _create(self, account: CloudAccount) -> str:
        request = CreateVpcRequest(
            region_id="cn-hangzhou", cidr_block="172.16.0.0/12", vpc_name="made-by-the-contract"
        )
        return str(VpcClient(self._config(account)).create_vpc(request).body.vpc_id)

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
        config = self._config(account)
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


class TestDevcloud(AdapterContract):
    @pytest.fixture
    async def bench(self, tmp_path: Path) -> AsyncIterator[Bench]:
        clock = SystemClock()
        ready: asyncio.Future[RunningDevcloud] = asyncio.get_running_loop().create_future()
        settings = DevcloudSettings(
            accounts=2, audit_lag_s=0.2, speed=1e6, admin_token=SecretStr("t" * 30)
        )

        async def serve() -> None:
            async with run(
                settings, clock=clock, ids=RandomIds(clock), state_dir=tmp_path
            ) as running:
                ready.set_result(running)
                await bench_stop.wait()

        bench_stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            server = group.create_task(serve())
            running = await ready
            bench = DevcloudBench(running)
            bench.stop = bench_stop
            server.add_done_callback(lambda _: bench.stopped.set())
            environment = {"DEVCLOUD_URL": running.url, "DEVCLOUD_ADMIN_TOKEN": "t" * 30}
            text = BUILTIN.read_text().replace("delivery_bound_s: 10", "delivery_bound_s: 2")
            target = parse_target(text, path=BUILTIN, environment=environment)
            async with open_cloud(target, clock=clock) as cloud:
                bench.cloud = cloud
                yield bench
            bench_stop.set()


class GenericBench(Bench):
    """Somebody's web shop: JSON lines with its own words."""

    def __init__(self, log: Path) -> None:
        self.log = log

    async def make(self, account: CloudAccount) -> ResourceRef:
        raise NotImplementedError("this cloud has no inventory")

    async def spend(self, account: CloudAccount) -> Money:
        raise NotImplementedError("this cloud has no bill")

    async def act(self, account: CloudAccount) -> Done:
        record = {
            "uid": uuid.uuid4().hex,
            "when": datetime.now(UTC).timestamp(),
            "area": "orders",
            "what": "order.cancel",
            "tenant": account.external_id,
            "who": {"login": "walker"},
            "status": 200,
            "params": json.dumps({"order": "o-17", "refund": True}),
        }
        with self.log.open("a") as file:
            file.write(
                "not json\n"
                + json.dumps({"tenant": account.external_id})
                + "\n"
                + json.dumps(record)
                + "\n"
            )
        return Done(service="Orders", name="order.cancel", target="o-17")

    async def break_down(self) -> None:
        self.log.unlink(missing_ok=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """The example's folder with its files as a person would keep them."""
    (tmp_path / "shop-accounts.yaml").write_text(
        (EXAMPLE.parent / "shop-accounts.yaml").read_text()
    )
    (tmp_path / "secrets").mkdir()
    for name in ("first", "second"):
        (tmp_path / "secrets" / name).write_text(f"password of the {name}\n")
    (tmp_path / "shop-audit.jsonl").touch()
    return tmp_path


class TestGenericFile(AdapterContract):
    @pytest.fixture
    async def bench(self, shop: Path) -> AsyncIterator[Bench]:
        bench = GenericBench(shop / "shop-audit.jsonl")
        target = parse_target(EXAMPLE.read_text(), path=shop / "shop.yaml", environment={})
        async with open_cloud(target, clock=SystemClock()) as cloud:
            bench.cloud = cloud
            yield bench


class HttpBench(GenericBench):
    def __init__(self, log: Path, source: ShopLog) -> None:
        super().__init__(log)
        self.source = source

    async def break_down(self) -> None:
        self.source.broken = True


class TestGenericHttp(AdapterContract):
    @pytest.fixture
    async def bench(self, shop: Path) -> AsyncIterator[Bench]:
        source = ShopLog(shop / "shop-audit.jsonl", token="log-token")
        async with HttpServer(source.app(), "127.0.0.1:0") as server:
            bench = HttpBench(shop / "shop-audit.jsonl", source)
            text = EXAMPLE.read_text().replace(
                "jsonl: shop-audit.jsonl", source.options(server.url)
            )
            target = parse_target(
                text, path=shop / "shop.yaml", environment={"LOG_TOKEN": "log-token"}
            )
            async with open_cloud(target, clock=SystemClock()) as cloud:
                bench.cloud = cloud
                yield bench
