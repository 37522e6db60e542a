"""Pay-as-you-go costs by the second of a resource's life, at the rate that its fields
give it; the bill outlives the resource and the rotation of its account."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from proofwalk.devcloud.engine.billing import hourly, subscribed
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.kernel.clock import ManualClock
from tests.devcloud.conftest import Backend, Bench, make_bench
from tests.devcloud.random_operations import Author, operations
from tests.devcloud.test_billing import ACCOUNT, available, buy, ids, network

RATE = round(228 / 480, 4)
"""Of the instance that `buy` makes, in CNY for an hour."""


def rent(bench: Bench, net: dict[str, str], **more: Any) -> str:
    return ids(buy(bench, net, InstanceChargeType="PostPaid", **more))[0]


def total(bench: Bench, since: float = 0.0, until: float = float("inf")) -> float:
    bench.cloud.settle()
    now = bench.clock.now().timestamp()
    lines = bench.cloud.meters.lines(ACCOUNT, since, until)
    return round(sum(line.cost(since, until, now) for line in lines), 6)


def remove(bench: Bench, instance: str) -> None:
    resource = bench.cloud.world.find(ACCOUNT, instance)
    assert resource is not None
    bench.cloud.remove(resource)


def bill(bench: Bench, month: str, **more: Any) -> list[dict[str, Any]]:
    answer = bench.call(ACCOUNT, "expenses", "QueryBill", BillingCycle=month, **more)
    rows: list[dict[str, Any]] = answer["Data"]["Items"]["Item"]
    return rows


def month_of(bench: Bench) -> str:
    # Far from an end of the month in either zone: the bench's clock begins on a 1st at
    # noon or later than that.
    return bench.clock.now().strftime("%Y-%m")


def test_a_second_of_life_costs_a_3600th_of_an_hour(bench: Bench) -> None:
    instance = rent(bench, network(bench))
    assert total(bench) == 0
    bench.clock.advance(1000)
    assert total(bench) == pytest.approx(RATE * 1000 / 3600, abs=1e-6)
    bench.clock.advance(500)
    remove(bench, instance)
    bench.clock.advance(5000)
    assert total(bench) == pytest.approx(RATE * 1500 / 3600, abs=1e-6)


def test_a_period_has_its_part_of_a_line(bench: Bench) -> None:
    rent(bench, network(bench))
    begin = bench.clock.now().timestamp()
    bench.clock.advance(3600)
    assert total(bench, begin + 600, begin + 1800) == pytest.approx(RATE / 3, abs=1e-6)
    assert total(bench, begin - 600, begin) == 0
    assert total(bench, begin + 3600, begin + 7200) == 0


def test_a_release_ends_the_line_when_the_resource_is_gone_whoever_looks(bench: Bench) -> None:
    instance = rent(bench, network(bench))
    bench.clock.advance(600)
    bench.call(ACCOUNT, "ecs", "StopInstance", InstanceId=instance, ForceStop="true")
    bench.clock.advance(100)
    bench.call(ACCOUNT, "ecs", "DeleteInstance", InstanceId=instance)
    transition = bench.cloud.catalogue.resources["ecs.instance"].lifecycle.transitions["Releasing"]
    bench.clock.advance(3 * 86400)
    assert total(bench) == pytest.approx(RATE * (700 + transition.after) / 3600, abs=1e-6)


def test_another_rate_begins_another_line(bench: Bench) -> None:
    instance = rent(bench, network(bench))
    bench.clock.advance(3600)
    bench.call(
        ACCOUNT,
        "ecs",
        "ModifyInstanceChargeType",
        InstanceIds=f'["{instance}"]',
        InstanceChargeType="PrePaid",
        Period=1,
    )
    bench.clock.advance(7200)
    rows = bill(bench, month_of(bench))
    assert [(row["Item"], row["PretaxAmount"]) for row in rows] == [
        ("PayAsYouGoBill", RATE),
        ("SubscriptionOrder", 228.0),
    ]
    remove(bench, instance)
    assert [row["PretaxAmount"] for row in bill(bench, month_of(bench), Type="Refund")] == [-228.0]
    assert total(bench) == RATE


def test_a_refused_operation_is_not_metered(bench: Bench) -> None:
    net = network(bench)
    bench.cloud.set_balance(ACCOUNT, 99)
    with pytest.raises(CloudError, match="NotEnoughBalance"):
        rent(bench, net)
    bench.clock.advance(3600)
    assert (total(bench), bench.cloud.store.meters()) == (0, [])


def test_the_balance_pays_whole_hours_and_the_rest_at_the_end_in_cents(bench: Bench) -> None:
    instance = rent(bench, network(bench))
    bench.clock.advance(3599)
    assert available(bench) == 10_000, "what the console shows does not move by the second"
    bench.clock.advance(3601)
    assert available(bench) == 10_000 - 0.95
    bench.clock.advance(3600 + 1800)
    remove(bench, instance)
    assert available(bench) == pytest.approx(10_000 - 3.5 * RATE, abs=0.01)
    short = [rent(bench, network(bench)) for _ in range(4)]
    bench.clock.advance(60)
    for one in short:
        remove(bench, one)
    assert available(bench) == pytest.approx(10_000 - total(bench), abs=0.01)


def test_the_bill_outlives_a_restart(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    rent(bench, network(bench))
    bench.clock.advance(1800)
    bench.cloud.settle()
    bench.cloud.store.close()
    again = make_bench(tmp_path)
    again.clock = ManualClock(bench.clock.now())
    again.cloud.clock = again.clock
    again.clock.advance(1800)
    assert total(again) == pytest.approx(RATE, abs=1e-6)
    assert available(again) == 10_000 - 0.47, "the hour that ended after the restart"
    again.cloud.store.close()


def test_a_line_that_reaches_over_a_month_counts_for_its_part(bench: Bench) -> None:
    clock = ManualClock(datetime(2026, 4, 30, 15, 0, tzinfo=UTC))
    bench.clock = bench.cloud.clock = clock
    instance = rent(bench, network(bench))
    clock.advance(2 * 3600 - 10)
    remove(bench, instance)
    (april,), (may,) = bill(bench, "2026-04"), bill(bench, "2026-05")
    assert (april["UsageEndTime"], may["UsageStartTime"]) == ("2026-05-01 00:00:00",) * 2
    assert april["PretaxAmount"] + may["PretaxAmount"] == pytest.approx(total(bench), abs=1e-5)
    assert april["Status"] == "PayFinish"
    assert bill(bench, "2026-03") == []


def test_an_instance_is_told_with_its_sum_and_pages_hold(bench: Bench) -> None:
    net = network(bench)
    rented = [rent(bench, net) for _ in range(3)]
    bench.clock.advance(360)
    asked = {"BillingCycle": month_of(bench), "PageSize": 2, "PageNum": 2}
    page = bench.call(ACCOUNT, "expenses", "QueryInstanceBill", **asked)["Data"]
    assert (page["TotalCount"], [row["InstanceID"] for row in page["Items"]["Item"]]) == (
        3,
        rented[2:],
    )
    (row,) = page["Items"]["Item"]
    assert (row["ServicePeriod"], row["PretaxAmount"]) == (360, round(RATE / 10, 6))
    only = bench.call(
        ACCOUNT, "expenses", "QueryInstanceBill", **{**asked, "PageNum": 1}, InstanceID=rented[0]
    )
    assert only["Data"]["TotalCount"] == 1
    assert bill(bench, month_of(bench), ProductCode="rds") == []
    assert len(bill(bench, month_of(bench), SubscriptionType="PayAsYouGo")) == 3


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "MissingParameter"),
        ({"BillingCycle": "2026-13"}, "InvalidBillingCycle"),
        ({"BillingCycle": "2026-04", "PageSize": 101}, "InvalidParameter"),
        ({"BillingCycle": "2026-04", "PageNum": "-1"}, "InvalidParameter"),
    ],
)
def test_a_bill_that_is_asked_for_wrongly_is_refused(
    bench: Bench, params: dict[str, Any], code: str
) -> None:
    for operation in ("QueryBill", "QueryInstanceBill"):
        with pytest.raises(CloudError) as caught:
            bench.call(ACCOUNT, "expenses", operation, **params)
        assert caught.value.code == code


def test_the_bill_is_the_integral_of_what_is_there(bench: Bench) -> None:
    """Seen against the world second by second, over operations of every product."""
    author, charges = Author(bench, ACCOUNT), bench.cloud.catalogue.charges
    author.settle_in(Random(1), rounds=2)
    net = network(bench)
    rented = [rent(bench, net) for _ in range(7)]
    every, randomness, spent = operations(bench.cloud.catalogue), Random(11), 0.0
    for number in range(400):
        author.call(author.request(randomness.choice(every), Random(randomness.random())))
        if number % 60 == 59 and bench.cloud.world.find(ACCOUNT, rented[-1]) is not None:
            remove(bench, rented.pop())
        for _ in range(randomness.randrange(4)):
            bench.cloud.settle()
            spent += sum(
                hourly(charges[r.kind], r.fields) / 3600
                for r in bench.cloud.world.inventory(ACCOUNT)
                if r.kind in charges and not subscribed(charges[r.kind], r.fields)
            )
            bench.clock.advance(1)
    bench.cloud.settle()
    now = bench.clock.now().timestamp()
    lines = [line for line in bench.cloud.meters.lines(ACCOUNT, 0, now) if line.rate]
    assert len(lines) >= 7
    assert sum(line.cost(0, now, now) for line in lines) == pytest.approx(spent, rel=0.01)


def test_the_host_reads_a_bill_that_a_rotation_leaves(
    backend: Backend, account: dict[str, str]
) -> None:
    path = f"/accounts/{account['account_id']}"
    assert backend.admin("GET", f"{path}/bill")["lines"] == []
    browser = backend.browser(account)
    vpc = browser.post("/console/api/r/vpc/vpc", {"name": "v", "cidr": "10.0.0.0/8"})["id"]
    backend.clock.advance(5)
    switch = {"name": "s", "vpc_id": vpc, "zone": "cn-hangzhou-h", "cidr": "10.1.0.0/16"}
    switch_id = browser.post("/console/api/r/vpc/vswitch", switch)["id"]
    backend.clock.advance(5)
    browser.post(
        "/console/api/r/rds/instance",
        {
            "billing": "Postpaid",
            "engine": "MySQL",
            "version": "8.0",
            "edition": "Basic",
            "storage_type": "cloud_essd",
            "zone": "cn-hangzhou-h",
            "class": "mysql.n2.medium.1",
            "storage": 50,
            "vpc_id": vpc,
            "vswitch_id": switch_id,
            "agree": True,
        },
    )
    backend.clock.advance(3600)
    told = backend.admin("GET", f"{path}/bill")
    rate = round(250 / 480, 4)
    assert (told["currency"], told["total"]) == ("CNY", rate)
    backend.admin("POST", f"{path}/rotate", {})
    assert backend.admin("GET", f"{path}/balance")["available"] == 10_000
    assert backend.admin("GET", f"{path}/bill")["total"] == rate
    later = backend.clock.now().isoformat().replace("+00:00", "Z")
    backend.clock.advance(360)
    assert backend.admin("GET", f"{path}/bill?since={later}")["total"] == round(rate / 10, 6)
