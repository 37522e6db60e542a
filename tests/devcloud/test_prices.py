"""What a configuration would cost is what the bill says once it is there."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.devcloud.engine.state.faults import CloudError
from tests.devcloud.conftest import Bench
from tests.devcloud.test_billing import ACCOUNT, available, buy, network
from tests.devcloud.test_metering import bill, month_of, rent

INSTANCE = {
    "InstanceType": "InstanceType:ecs.g7.large,IoOptimized:optimized",
    "SystemDisk": "SystemDisk.Category:cloud_essd,SystemDisk.Size:40",
    "DataDisk": "DataDisk.Category:cloud_essd,DataDisk.Size:100",
}
DATABASE = {
    "DBInstanceClass": "DBInstanceClass:mysql.n2.medium.1,Engine:MySQL,EngineVersion:8.0",
    "DBInstanceStorage": "DBInstanceStorage:100,Region:cn-hangzhou",
}


def ask(bench: Bench, modules: dict[str, str], product: str = "ecs", **more: Any) -> dict[str, Any]:
    lists = {
        f"ModuleList.{number}.{name}": value
        for number, (code, config) in enumerate(modules.items(), start=1)
        for name, value in (("ModuleCode", code), ("Config", config))
    }
    subscribed = "ServicePeriodUnit" in more
    operation = "GetSubscriptionPrice" if subscribed else "GetPayAsYouGoPrice"
    asked = {
        "ProductCode": product,
        "SubscriptionType": "Subscription" if subscribed else "PayAsYouGo",
        **({"OrderType": "NewOrder"} if subscribed else {}),
        **lists,
        **more,
    }
    data: dict[str, Any] = bench.call(ACCOUNT, "expenses", operation, **asked)["Data"]
    return data


def costs(data: dict[str, Any]) -> list[float]:
    return [one["CostAfterDiscount"] for one in data["ModuleDetails"]["ModuleDetail"]]


def test_an_hour_is_priced_by_module_as_it_is_metered(bench: Bench) -> None:
    data = ask(bench, INSTANCE)
    assert data["Currency"] == "CNY"
    assert costs(data) == [pytest.approx(188 / 480, abs=1e-4), pytest.approx(40 / 480, abs=1e-4), 0]
    rent(bench, network(bench))
    bench.clock.advance(3600)
    (row,) = bill(bench, month_of(bench))
    assert row["PretaxAmount"] == pytest.approx(sum(costs(data)), abs=2e-4)


def test_a_subscription_is_priced_for_its_whole_period(bench: Bench) -> None:
    data = ask(bench, INSTANCE, ServicePeriodUnit="Month", ServicePeriodQuantity=12)
    assert data["TradePrice"] == 12 * 228
    assert ask(bench, INSTANCE, ServicePeriodUnit="Year", ServicePeriodQuantity=1) == data
    before = available(bench)
    buy(bench, network(bench), Period=12)
    assert before - available(bench) == data["TradePrice"]
    twice = ask(bench, INSTANCE, ServicePeriodUnit="Month", ServicePeriodQuantity=1, Quantity=2)
    assert (twice["TradePrice"], twice["Quantity"]) == (2 * 228, 2)


def test_a_database_has_a_price_by_class_and_storage(bench: Bench) -> None:
    data = ask(bench, DATABASE, "rds", ServicePeriodUnit="Month", ServicePeriodQuantity=1)
    assert costs(data) == [190, 120]


@pytest.mark.parametrize(
    ("product", "modules", "more", "code"),
    [
        ("cdn", INSTANCE, {}, "InvalidProductCode"),
        ("ecs", {}, {}, "MissingParameter"),
        ("ecs", {"InstanceType": ""}, {}, "MissingParameter"),
        ("ecs", {"InstanceType": "Colour:red"}, {}, "InvalidModuleCode"),
        ("ecs", {"Colour": "Colour:red"}, {}, "InvalidConfigCode"),
        (
            "ecs",
            {"InstanceType": "InstanceType:ecs.nosuch"},
            {},
            "PRICE.PRICING_PLAN_RESULT_NOT_FOUND",
        ),
        ("ecs", INSTANCE, {"SubscriptionType": "Subscription"}, "InvalidParameter"),
        ("ecs", INSTANCE, {"ModuleList.1.PriceType": "Usage"}, "InvalidParameter"),
        ("ecs", INSTANCE, {"ServicePeriodUnit": "Week"}, "InvalidParameter"),
        (
            "ecs",
            INSTANCE,
            {"ServicePeriodUnit": "Month", "ServicePeriodQuantity": "0"},
            "InvalidParameter",
        ),
        ("ecs", INSTANCE, {"ServicePeriodUnit": "Month", "OrderType": "Gift"}, "InvalidParameter"),
    ],
)
def test_what_has_no_price_is_refused(
    bench: Bench, product: str, modules: dict[str, str], more: dict[str, str], code: str
) -> None:
    with pytest.raises(CloudError) as caught:
        ask(bench, modules, product, **more)
    assert caught.value.code == code


def test_asking_for_a_price_buys_nothing(bench: Bench) -> None:
    before = available(bench)
    ask(bench, INSTANCE, ServicePeriodUnit="Month", ServicePeriodQuantity=1)
    assert available(bench) == before
    assert bill(bench, month_of(bench)) == []
