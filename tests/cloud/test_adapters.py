"""The adapters keep the contract: the memory cloud, devcloud in this process, and the
generic one over a made-up console's log."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proofwalk.chassis.http import HttpServer
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.money import Money
from proofwalk.cloud.ports import CloudAccount, ResourceRef
from proofwalk.cloud.target import parse_target
from proofwalk.kernel.account_pools import SERVES_ALL, dedicated
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.evidence import AuditEvent
from tests.cloud.contract import AdapterContract, Bench, Done
from tests.cloud.devcloud_bench import TOKEN, serving
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


class TestDevcloud(AdapterContract):
    @pytest.fixture
    async def bench(self, tmp_path: Path) -> AsyncIterator[Bench]:
        async with serving(tmp_path, accounts=2) as bench:
            environment = {"DEVCLOUD_URL": bench.url, "DEVCLOUD_ADMIN_TOKEN": TOKEN}
            text = BUILTIN.read_text().replace("delivery_bound_s: 10", "delivery_bound_s: 2")
            target = parse_target(text, path=BUILTIN, environment=environment)
            async with open_cloud(target, clock=SystemClock()) as cloud:
                bench.cloud = cloud
                yield bench


async def test_accounts_of_the_embedded_cloud_are_set_aside_in_the_order_of_their_making(
    tmp_path: Path,
) -> None:
    pools = """
  pools:
    - {accounts: 2, purposes: [training]}
    - {accounts: 1, site: intl}
"""
    async with serving(tmp_path, accounts=4) as bench:
        environment = {"DEVCLOUD_URL": bench.url, "DEVCLOUD_ADMIN_TOKEN": TOKEN}
        text = BUILTIN.read_text().replace("\noptions:\n", f"\noptions:{pools}", 1)
        target = parse_target(text, path=BUILTIN, environment=environment)
        async with open_cloud(target, clock=SystemClock()) as cloud:
            assert [one.dedication for one in await cloud.accounts.accounts()] == [
                *[dedicated(purposes=["training"])] * 2,
                dedicated(site="intl"),
                SERVES_ALL,
            ]


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
