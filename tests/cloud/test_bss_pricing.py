"""Terraform's arguments become modules and configurations; an answer becomes a price,
and what the cloud tells no price for becomes none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from proofwalk.chassis.http import HttpServer
from proofwalk.cloud.bss_pricing import FREE, PRICED, BssPricing
from proofwalk.cloud.money import Money, Price
from proofwalk.cloud.ports import Specification
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner.allowed_types import RESOURCE_TYPES
from tests.cloud.test_bss import ACCOUNT

WEB: Mapping[str, Any] = {
    "instance_type": "ecs.g7.large",
    "system_disk_size": 60,
    "internet_max_bandwidth_out": 5,
    "data_disks": [{"size": 100, "name": "a"}, {"size": 20, "category": "cloud_ssd"}],
}


class FakeBss:
    """BssOpenApi that answers with what it is given."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.answer: dict[str, Any] = {}
        self.status = 200

    async def reply(self, request: Request) -> JSONResponse:
        self.asked.append({"Action": request.headers["x-acs-action"], **request.query_params})
        return JSONResponse(self.answer, status_code=self.status)

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/", self.reply, methods=["POST"])])


@pytest.fixture
def fake() -> FakeBss:
    return FakeBss()


@pytest.fixture
async def pricing(fake: FakeBss) -> AsyncIterator[BssPricing]:
    async with HttpServer(fake.app(), "127.0.0.1:0") as server:
        made = BssPricing(
            endpoint=server.url.removeprefix("http://"),
            protocol="HTTP",
            region="cn-hangzhou",
            clock=SystemClock(),
            deadline_s=5.0,
        )
        yield made
        made.close()


def modules(asked: Mapping[str, str]) -> dict[str, str]:
    return {
        f"{number} {asked[f'ModuleList.{number}.ModuleCode']}": asked[f"ModuleList.{number}.Config"]
        for number in range(1, 51)
        if f"ModuleList.{number}.ModuleCode" in asked
    }


def cny(amount: float) -> Money:
    return Money.of(amount, "CNY")


async def test_pay_as_you_go_is_the_sum_of_its_modules(fake: FakeBss, pricing: BssPricing) -> None:
    details = [{"CostAfterDiscount": 0.25}, {"CostAfterDiscount": "0.5"}]
    fake.answer = {"Data": {"Currency": "CNY", "ModuleDetails": {"ModuleDetail": details}}}
    wanted = Specification(type="alicloud_instance", arguments=WEB, region="cn-beijing")
    assert await pricing.price(ACCOUNT, wanted) == Price(per_hour=cny(0.75), at_once=cny(0))
    (asked,) = fake.asked
    assert asked["Action"] == "GetPayAsYouGoPrice"
    assert (asked["ProductCode"], asked["SubscriptionType"]) == ("ecs", "PayAsYouGo")
    assert (asked["Region"], asked["ModuleList.1.PriceType"]) == ("cn-beijing", "Hour")
    assert modules(asked) == {
        "1 InstanceType": "InstanceType:ecs.g7.large,IoOptimized:IoOptimized,ImageOs:linux",
        "2 SystemDisk": "SystemDisk.Category:cloud_essd,SystemDisk.Size:60",
        "3 DataDisk": "DataDisk.Category:cloud_essd,DataDisk.Size:100",
        "4 DataDisk": "DataDisk.Category:cloud_ssd,DataDisk.Size:20",
        "5 InternetMaxBandwidthOut": "InternetMaxBandwidthOut:5",
    }


async def test_a_subscription_is_asked_for_its_months(fake: FakeBss, pricing: BssPricing) -> None:
    fake.answer = {"Success": True, "Data": {"Currency": "CNY", "TradePrice": 8208}}
    arguments: Mapping[str, Any] = {
        "instance_type": "mysql.n2.medium.1",
        "instance_storage": 20,
        "engine": "MySQL",
    }
    wanted = Specification(type="alicloud_db_instance", arguments=arguments, months=36)
    assert await pricing.price(ACCOUNT, wanted) == Price(per_hour=cny(0), at_once=cny(8208))
    (asked,) = fake.asked
    assert (asked["Action"], asked["OrderType"]) == ("GetSubscriptionPrice", "NewOrder")
    assert (asked["ServicePeriodUnit"], asked["ServicePeriodQuantity"]) == ("Month", "36")
    assert (asked["ProductCode"], asked["ProductType"]) == ("rds", "rds")
    assert modules(asked) == {
        "1 DBInstanceClass": "DBInstanceClass:mysql.n2.medium.1,Engine:MySQL",
        "2 DBInstanceStorage": "DBInstanceStorage:20",
    }


async def test_what_is_free_or_has_no_price_is_not_asked_for(
    fake: FakeBss, pricing: BssPricing
) -> None:
    free = await pricing.price(ACCOUNT, Specification(type="alicloud_vpc", arguments={}))
    assert free is not None
    assert free.per_hour.micros == free.at_once.micros == 0
    assert (
        await pricing.price(ACCOUNT, Specification(type="alicloud_nat_gateway", arguments={}))
        is None
    )
    assert fake.asked == []


@pytest.mark.parametrize(
    ("status", "code", "is_told"),
    [
        (400, "PRICE.PRICING_PLAN_RESULT_NOT_FOUND", False),
        (200, "InvalidModuleCode", False),
        (400, "NotApplicable", True),
        (200, "InternalError", True),
        (403, "NotAuthorized", True),
    ],
)
async def test_no_price_is_none_and_no_answer_is_an_error(
    fake: FakeBss, pricing: BssPricing, status: int, code: str, is_told: bool
) -> None:
    fake.status, fake.answer = status, {"Code": code, "Message": "no", "Success": False}
    wanted = Specification(type="alicloud_instance", arguments=WEB)
    if is_told:
        with pytest.raises(ProofwalkError):
            await pricing.price(ACCOUNT, wanted)
    else:
        assert await pricing.price(ACCOUNT, wanted) is None


@pytest.mark.parametrize(
    "data", [{}, {"Currency": "CNY"}, {"Currency": "CNY", "ModuleDetails": {"ModuleDetail": [{}]}}]
)
async def test_an_answer_of_another_form_is_no_price(
    fake: FakeBss, pricing: BssPricing, data: dict[str, Any]
) -> None:
    fake.answer = {"Data": data}
    with pytest.raises(ProofwalkError) as caught:
        await pricing.price(ACCOUNT, Specification(type="alicloud_instance", arguments=WEB))
    assert caught.value.code == "cloud.bad_answer"


def test_the_arguments_that_decide_a_price_are_named() -> None:
    pricing = BssPricing(endpoint="x", protocol="HTTP", region="r", clock=SystemClock())
    assert pricing.arguments("alicloud_vpc") == frozenset()
    assert pricing.arguments("alicloud_instance") == {
        "instance_type",
        "system_disk_category",
        "system_disk_size",
        "data_disks",
        "internet_max_bandwidth_out",
    }
    pricing.close()


def test_types_are_those_that_templates_may_declare_and_of_one_kind() -> None:
    assert FREE | set(PRICED) <= RESOURCE_TYPES
    assert not FREE & set(PRICED)
