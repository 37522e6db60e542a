"""Subscriptions are orders that the balance pays, wait unpaid, renew and end;
pay-as-you-go needs a minimum balance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products.catalogue import ProductError
from proofwalk.devcloud.products.files import read_folder
from proofwalk.devcloud.products.indexing import build
from tests.devcloud.conftest import IMAGE, Backend, Bench, HttpFailure, make_bench

ACCOUNT = "1000000000000001"
PASSWORD = "Passw0rd-1"


def network(bench: Bench, account: str = ACCOUNT) -> dict[str, str]:
    vpc = bench.call(account, "vpc", "CreateVpc", CidrBlock="10.0.0.0/8", VpcName="v")["VpcId"]
    bench.clock.advance(5)
    made = bench.call(
        account,
        "vpc",
        "CreateVSwitch",
        VpcId=vpc,
        ZoneId="cn-hangzhou-h",
        CidrBlock="10.1.0.0/16",
        VSwitchName="s",
    )
    group = bench.call(account, "ecs", "CreateSecurityGroup", VpcId=vpc, SecurityGroupName="front")[
        "SecurityGroupId"
    ]
    bench.clock.advance(5)
    return {"VSwitchId": made["VSwitchId"], "SecurityGroupId": group}


def buy(bench: Bench, net: dict[str, str], **more: Any) -> dict[str, Any]:
    asked = {
        **net,
        "ImageId": IMAGE,
        "InstanceType": "ecs.g7.large",
        "InstanceChargeType": "PrePaid",
        "Period": 1,
        "InstanceName": "web-1",
        "Password": PASSWORD,
        **more,
    }
    return bench.call(ACCOUNT, "ecs", "RunInstances", **asked)


def ids(answer: dict[str, Any]) -> list[str]:
    found: list[str] = answer["InstanceIdSets"]["InstanceIdSet"]
    return found


def available(bench: Bench, account: str = ACCOUNT) -> float:
    return float(bench.call(account, "expenses", "QueryAccountBalance")["Data"]["AvailableAmount"])


def orders(bench: Bench, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = bench.call(ACCOUNT, "expenses", "QueryOrders", **more)["Data"][
        "OrderList"
    ]["Order"]
    return found


def subscriptions(bench: Bench, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = bench.call(
        ACCOUNT, "expenses", "QueryAvailableInstances", **more
    )["Data"]["InstanceList"]
    return found


def code(bench: Bench, product: str, action: str, **params: Any) -> str:
    with pytest.raises(CloudError) as caught:
        bench.call(ACCOUNT, product, action, **params)
    return caught.value.code


def test_a_subscription_is_an_order_that_the_balance_pays(bench: Bench) -> None:
    net = network(bench)
    assert available(bench) == 10_000
    answer = buy(bench, net, Period=2, Amount=2, InternetMaxBandwidthOut=5)
    price = 2 * 2 * (188 + 40 + 5 * 20)
    assert answer["TradePrice"] == price
    assert available(bench) == 10_000 - price
    (order,) = orders(bench)
    assert order["OrderId"] == answer["OrderId"]
    assert (order["PaymentStatus"], order["OrderType"], order["PretaxAmount"]) == (
        "Paid",
        "New",
        f"{price:.2f}",
    )
    (detail,) = bench.call(ACCOUNT, "expenses", "GetOrderDetail", OrderId=answer["OrderId"])[
        "Data"
    ]["OrderList"]["Order"]
    assert detail["Quantity"] == 2
    assert all(one in detail["InstanceIDs"] for one in ids(answer))
    assert {s["InstanceID"] for s in subscriptions(bench)} == set(ids(answer))
    assert answer["OrderId"].isdigit()


def test_what_the_balance_does_not_cover_is_refused_and_changes_nothing(bench: Bench) -> None:
    net = network(bench)
    bench.cloud.set_balance(ACCOUNT, 200)
    before = {r.id for r in bench.cloud.world.inventory(ACCOUNT)}
    with pytest.raises(CloudError) as caught:
        buy(bench, net)
    assert (caught.value.code, caught.value.status) == (
        "InvalidAccountStatus.NotEnoughBalance",
        403,
    )
    assert {r.id for r in bench.cloud.world.inventory(ACCOUNT)} == before
    assert available(bench) == 200
    refused = [e for e in bench.events(ACCOUNT) if e["eventName"] == "RunInstances"]
    assert [e["errorCode"] for e in refused] == ["InvalidAccountStatus.NotEnoughBalance"]


def test_pay_as_you_go_costs_nothing_at_once_and_needs_a_minimum(bench: Bench) -> None:
    net = network(bench)
    answer = buy(bench, net, InstanceChargeType="PostPaid")
    assert answer["OrderId"] == ""
    assert answer["TradePrice"] == round(228 / 480, 4)
    assert (available(bench), orders(bench), subscriptions(bench)) == (10_000, [], [])
    bench.cloud.set_balance(ACCOUNT, 99.99)
    with pytest.raises(CloudError, match="NotEnoughBalance"):
        buy(bench, net, InstanceChargeType="PostPaid")


def test_an_unpaid_order_provides_nothing_until_it_is_paid(bench: Bench) -> None:
    net = network(bench)
    answer = buy(bench, net, AutoPay="false")
    assert available(bench) == 10_000
    assert (
        code(bench, "ecs", "DescribeInstanceAttribute", InstanceId=ids(answer)[0])
        == "InvalidInstanceId.NotFound"
    )
    assert [o["PaymentStatus"] for o in orders(bench, PaymentStatus="Unpaid")] == ["Unpaid"]
    kept = bench.cloud.world.find(ACCOUNT, answer["OrderId"])
    assert kept is not None
    assert PASSWORD not in str(kept.fields)
    bench.cloud.set_balance(ACCOUNT, 10)
    assert (
        code(bench, "expenses", "PayOrder", OrderId=answer["OrderId"])
        == "InvalidAccountStatus.NotEnoughBalance"
    )
    bench.cloud.set_balance(ACCOUNT, 1000)
    bench.call(ACCOUNT, "expenses", "PayOrder", OrderId=answer["OrderId"])
    assert (
        bench.call(ACCOUNT, "ecs", "DescribeInstanceAttribute", InstanceId=ids(answer)[0])[
            "InstanceName"
        ]
        == "web-1"
    )
    assert available(bench) == 1000 - 228
    assert [o["PaymentStatus"] for o in orders(bench)] == ["Paid"]
    assert code(bench, "expenses", "PayOrder", OrderId=answer["OrderId"]) == "InvalidOrderStatus"
    paid = next(
        e for e in bench.events(ACCOUNT) if e["eventName"] == "PayOrder" and "errorCode" not in e
    )
    assert paid["referencedResources"]["ACS::ECS::Instance"] == ids(answer)


def test_a_canceled_order_cannot_be_paid(bench: Bench) -> None:
    answer = buy(bench, network(bench), AutoPay="false")
    assert (
        bench.call(ACCOUNT, "expenses", "CancelOrder", OrderId=answer["OrderId"])["Success"] is True
    )
    assert code(bench, "expenses", "PayOrder", OrderId=answer["OrderId"]) == "InvalidOrderStatus"
    assert code(bench, "expenses", "CancelOrder", OrderId=answer["OrderId"]) == "InvalidOrderStatus"
    assert code(bench, "expenses", "CancelOrder", OrderId="nope") == "InvalidOrderId.NotFound"
    assert subscriptions(bench) == []


def test_renewal_by_either_product_moves_the_end_and_costs_as_much(bench: Bench) -> None:
    instance = ids(buy(bench, network(bench)))[0]
    first = subscriptions(bench)[0]["EndTime"]
    bench.call(
        ACCOUNT, "expenses", "RenewInstance", InstanceId=instance, RenewPeriod=1, ProductCode="ecs"
    )
    second = subscriptions(bench)[0]["EndTime"]
    bench.call(ACCOUNT, "ecs", "RenewInstance", InstanceId=instance, Period=1)
    third = subscriptions(bench)[0]["EndTime"]
    assert first < second < third
    attribute = bench.call(ACCOUNT, "ecs", "DescribeInstanceAttribute", InstanceId=instance)
    assert attribute["ExpiredTime"] == third
    assert available(bench) == 10_000 - 3 * 228
    assert [o["OrderType"] for o in orders(bench)] == ["New", "Renew", "Renew"]
    assert (
        code(bench, "expenses", "RenewInstance", InstanceId=instance, RenewPeriod=5)
        == "InvalidParameter"
    )
    assert code(bench, "expenses", "RenewInstance", InstanceId=instance) == "MissingParameter"
    assert (
        code(bench, "expenses", "RenewInstance", InstanceId="i-none", RenewPeriod=1)
        == "ResourceNotExists"
    )


def test_auto_renewal_is_one_setting_wherever_it_is_made(bench: Bench) -> None:
    instance = ids(buy(bench, network(bench)))[0]
    assert subscriptions(bench)[0]["RenewStatus"] == "ManualRenewal"
    asked = {
        "InstanceIDs": instance,
        "RenewalStatus": "AutoRenewal",
        "RenewalPeriod": 3,
        "RenewalPeriodUnit": "M",
    }
    bench.call(ACCOUNT, "expenses", "SetRenewal", **asked)
    shown = bench.call(ACCOUNT, "ecs", "DescribeInstanceAutoRenewAttribute", InstanceId=instance)
    (attribute,) = shown["InstanceRenewAttributes"]["InstanceRenewAttribute"]
    assert (attribute["AutoRenewEnabled"], attribute["Duration"]) == (True, 3)
    assert [s["InstanceID"] for s in subscriptions(bench, RenewStatus="AutoRenewal")] == [instance]
    bench.call(
        ACCOUNT, "ecs", "ModifyInstanceAutoRenewAttribute", InstanceId=instance, AutoRenew="false"
    )
    assert subscriptions(bench)[0]["RenewStatus"] == "ManualRenewal"
    bench.call(ACCOUNT, "expenses", "SetRenewal", InstanceIDs=instance, RenewalStatus="NotRenewal")
    assert subscriptions(bench)[0]["RenewStatus"] == "NotRenewal"
    assert (
        code(bench, "expenses", "SetRenewal", InstanceIDs=instance, RenewalStatus="AutoRenewal")
        == "MissingParameter"
    )
    assert (
        code(bench, "expenses", "SetRenewal", InstanceIDs=instance, RenewalStatus="Perhaps")
        == "InvalidParameter"
    )


def test_what_the_host_removes_is_refunded_and_books_begin_again(bench: Bench) -> None:
    answer = buy(bench, network(bench), Amount=2)
    instance = bench.cloud.world.find(ACCOUNT, ids(answer)[0])
    assert instance is not None
    bench.cloud.remove(instance)
    assert available(bench) == 10_000 - 228
    assert len(subscriptions(bench)) == 1
    bench.cloud.set_balance(ACCOUNT, 3)
    bench.cloud.forget_orders(ACCOUNT)
    assert (available(bench), orders(bench)) == (10_000, [])


def test_the_ledger_survives_a_restart_and_is_the_accounts_own(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    answer = buy(bench, network(bench))
    bench.cloud.store.close()
    again = make_bench(tmp_path)
    assert available(again) == 10_000 - 228
    assert available(again, "1000000000000002") == 10_000
    assert [o["OrderId"] for o in orders(again)] == [answer["OrderId"]]
    again.cloud.store.close()


def test_the_console_buys_pays_and_renews(backend: Backend, account: dict[str, str]) -> None:
    def rows(kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = browser.get(f"/console/api/r/expenses/{kind}")["rows"]
        return found

    browser = backend.browser(account)
    vpc = browser.post("/console/api/r/vpc/vpc", {"name": "v", "cidr": "10.0.0.0/8"})["id"]
    backend.clock.advance(5)
    switch = browser.post(
        "/console/api/r/vpc/vswitch",
        {"name": "s", "vpc_id": vpc, "zone": "cn-hangzhou-h", "cidr": "10.1.0.0/16"},
    )["id"]
    backend.clock.advance(5)
    database = browser.post(
        "/console/api/r/rds/instance",
        {
            "billing": "Prepaid",
            "period": 1,
            "period_unit": "Month",
            "engine": "MySQL",
            "version": "8.0",
            "edition": "Basic",
            "storage_type": "cloud_essd",
            "zone": "cn-hangzhou-h",
            "class": "mysql.n2.medium.1",
            "storage": 50,
            "vpc_id": vpc,
            "vswitch_id": switch,
            "agree": True,
        },
    )["id"]
    assert rows("balance")[0]["available"] == 10_000 - 250
    (subscription,) = rows("subscription")
    assert (subscription["instance_id"], subscription["renewal"]) == (database, "ManualRenewal")
    path = f"/console/api/r/expenses/subscription/{subscription['id']}"
    browser.post(f"{path}/set_renewal", {"renewal": "AutoRenewal", "renewal_period": 6})
    browser.post(f"{path}/renew", {"months": 2, "agree": True})
    (subscription,) = rows("subscription")
    assert (subscription["renewal"], subscription["renewal_period"]) == ("AutoRenewal", 6)
    assert rows("balance")[0]["available"] == 10_000 - 750
    with pytest.raises(HttpFailure) as caught:
        browser.post(f"{path}/renew", {"months": 1, "agree": False})
    assert caught.value.body["code"] == "MissingParameter"
    paid, first = rows("order")
    assert (paid["type"], first["type"]) == ("Renewal", "New")
    with pytest.raises(HttpFailure) as caught:
        browser.post(f"/console/api/r/expenses/order/{paid['id']}/cancel")
    assert caught.value.body["code"] == "InvalidOrderStatus"
    assert all(r["product"] != "expenses" for r in backend.inventory(account))


def test_a_charge_without_a_ledger_is_refused() -> None:
    raw = read_folder(PRODUCTS)
    del raw["expenses"]
    with pytest.raises(ProductError, match="no product keeps a"):
        build(raw)
