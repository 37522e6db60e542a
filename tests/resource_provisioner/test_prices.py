"""A plan is priced before it is applied, and one that costs too much is not applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.money import Money, Price
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.json_values import JsonObject
from proofwalk.resource_provisioner.domain import Appraisal
from proofwalk.resource_provisioner.payment import planned_resources
from proofwalk.resource_provisioner.prices import PriceBounds, PriceDesk

BOUNDS = PriceBounds(per_hour=10, at_once=1000, months=12)
NO_BOUNDS = PriceBounds(per_hour=0, at_once=0, months=0)
INSTANCE = "alicloud_instance"
PREPAID = {"instance_charge_type": "PrePaid"}


def cny(amount: float) -> Money:
    return Money.of(amount, "CNY")


@pytest.fixture
def cloud() -> MemoryCloud:
    made = MemoryCloud(clock=ManualClock())
    made.prices = {
        INSTANCE: Price(per_hour=cny(0.5), at_once=cny(0)),
        "alicloud_vpc": Price(
            per_hour=Money(micros=0, currency=""), at_once=Money(micros=0, currency="")
        ),
        "alicloud_db_instance": Price(per_hour=cny(0), at_once=cny(200)),
    }
    made.priced_by = {INSTANCE: frozenset({"instance_type", "data_disks"})}
    return made


def plan(
    resources: Mapping[str, Mapping[str, Any]], unknown: Mapping[str, Any] | None = None
) -> JsonObject:
    """`unknown`: of the first resource; its values are given and not known yet."""
    hidden = [dict(unknown or {})] + [{}] * len(resources)
    return {
        "resource_changes": [
            {
                "address": address,
                "mode": "managed",
                "type": address.partition(".")[0],
                "change": {
                    "actions": ["create"],
                    "after": dict(values),
                    "after_unknown": {
                        name: value
                        for name, value in {"id": True, "period": True, **hides}.items()
                        if name not in values
                    },
                },
            }
            for (address, values), hides in zip(resources.items(), hidden, strict=False)
        ],
        "configuration": {
            "root_module": {
                "resources": [
                    {
                        "address": address.partition("[")[0],
                        "expressions": {key: {} for key in [*values, *hides]},
                    }
                    for (address, values), hides in zip(resources.items(), hidden, strict=False)
                ]
            }
        },
    }


async def appraised(
    cloud: MemoryCloud, document: JsonObject, bounds: PriceBounds = BOUNDS, *, priced: bool = True
) -> Appraisal:
    desk = PriceDesk(
        pricing=cloud if priced else None,
        account=cloud.account("1001"),
        region="local",
        bounds=bounds,
    )
    return await desk.appraised(list(planned_resources(document)))


async def refused(cloud: MemoryCloud, document: JsonObject, **more: Any) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await appraised(cloud, document, **more)
    return caught.value


async def test_a_plan_costs_the_sum_of_what_it_makes(cloud: MemoryCloud) -> None:
    wanted: dict[str, dict[str, str]] = {
        "alicloud_vpc.v": {},
        f"{INSTANCE}.web[0]": {},
        f"{INSTANCE}.web[1]": {},
    }
    price = await appraised(cloud, plan(wanted))
    assert price == Appraisal(per_hour=cny(1), at_once=cny(0))
    assert cloud.calls.count("price:1001") == 2, "what is alike is asked for once"


async def test_what_has_no_price_is_told_and_passes(cloud: MemoryCloud) -> None:
    price = await appraised(cloud, plan({"alicloud_slb_load_balancer.a": {}, "alicloud_vpc.v": {}}))
    assert price == Appraisal(unpriced=("alicloud_slb_load_balancer.a",))
    without = await appraised(cloud, plan({f"{INSTANCE}.web": {}}), priced=False)
    assert without == Appraisal(unpriced=(f"{INSTANCE}.web",))


async def test_too_much_an_hour_is_refused_with_the_amounts_and_the_dearest(
    cloud: MemoryCloud,
) -> None:
    wanted: dict[str, dict[str, str]] = {f"{INSTANCE}.web[{index}]": {} for index in range(21)}
    error = await refused(cloud, plan({"alicloud_vpc.v": {}, **wanted}))
    assert error.code == "provision.too_dear"
    assert "10.50 CNY an hour (10.00 allowed)" in error.message
    assert f"{INSTANCE}.web[0] 0.50 CNY an hour" in error.message
    assert "and 16 more" in error.message
    assert "alicloud_vpc" not in error.message
    assert "MAX_PRICE_PER_HOUR" in error.hint
    assert (await appraised(cloud, plan(wanted), NO_BOUNDS)).per_hour == cny(10.5)
    exact: dict[str, dict[str, str]] = {f"{INSTANCE}.web[{index}]": {} for index in range(20)}
    assert (await appraised(cloud, plan(exact))).per_hour == cny(10), "as much as is allowed"


async def test_a_subscription_costs_its_whole_period_at_once(cloud: MemoryCloud) -> None:
    database = "alicloud_db_instance.d"
    payment = {"instance_charge_type": "Prepaid"}
    short = await appraised(cloud, plan({database: {**payment, "period": 5}}))
    assert short.at_once == cny(1000)
    error = await refused(cloud, plan({database: {**payment, "period": "6"}}))
    assert error.code == "provision.too_dear"
    assert "1200.00 CNY at once (1000.00 allowed)" in error.message
    assert f"{database} 1200.00 CNY at once for 6 months" in error.message


@pytest.mark.parametrize(
    ("payment", "months"),
    [
        ({}, 0),
        ({"period": 36}, 0),
        ({"payment_type": "PayAsYouGo", "period": 36}, 0),
        (PREPAID, 1),
        ({**PREPAID, "period": 36}, 36),
        ({"payment_type": "Subscription", "period": 3, "pricing_cycle": "Year"}, 36),
        ({"payment_type": "PrePay", "period": "2", "period_unit": "Year"}, 24),
        ({**PREPAID, "period": 3, "period_unit": "Week"}, 1),
        ({**PREPAID, "period": 5, "period_unit": "Week"}, 2),
    ],
)
def test_months_are_told_from_payment_period_and_unit(
    payment: Mapping[str, Any], months: int
) -> None:
    (resource,) = planned_resources(plan({f"{INSTANCE}.web": payment}))
    assert resource.months == months


@pytest.mark.parametrize("type_", [INSTANCE, "alicloud_slb_load_balancer"])
async def test_a_long_subscription_is_refused_whatever_its_price(
    cloud: MemoryCloud, type_: str
) -> None:
    error = await refused(cloud, plan({f"{type_}.a": {**PREPAID, "period": 36}}))
    assert error.code == "provision.subscription_too_long"
    assert f"{type_}.a would be subscribed for 36 months; 12 are allowed" in error.message
    assert (await appraised(cloud, plan({f"{type_}.a": {**PREPAID, "period": 12}}))) is not None


@pytest.mark.parametrize(
    ("known", "unknown"),
    [
        ({}, {"instance_type": True}),
        ({}, {"instance_charge_type": True}),
        (PREPAID, {"period": True}),
        (PREPAID, {"period_unit": True}),
        ({}, {"data_disks": [{"size": True}]}),
    ],
)
async def test_what_decides_the_price_must_be_known(
    cloud: MemoryCloud, known: Mapping[str, Any], unknown: Mapping[str, Any]
) -> None:
    error = await refused(cloud, plan({f"{INSTANCE}.web": known}, unknown))
    assert error.code == "provision.price_unknown"
    assert next(iter(unknown)) in error.message


async def test_what_is_left_to_the_cloud_hides_nothing(cloud: MemoryCloud) -> None:
    document = plan({f"{INSTANCE}.web": PREPAID}, {"vswitch_id": True, "data_disks": [{}]})
    assert (await appraised(cloud, document)).unpriced == ()


@pytest.mark.parametrize("payment", [{"period": "long"}, {"period": 1, "period_unit": "Decade"}])
async def test_a_period_that_nobody_can_read_is_refused(
    cloud: MemoryCloud, payment: Mapping[str, Any]
) -> None:
    error = await refused(cloud, plan({f"{INSTANCE}.web": {**PREPAID, **payment}}))
    assert error.code == "provision.price_unknown"


async def test_prices_that_cannot_be_read_stop_what_has_a_bound(cloud: MemoryCloud) -> None:
    cloud.fail("price")
    error = await refused(cloud, plan({f"{INSTANCE}.web": {}, "alicloud_vpc.v": {}}))
    assert (error.code, error.status) == ("provision.price_unread", Status.UNAVAILABLE)
    assert not error.retryable, "the row has ended: the same call gets the same answer"
    price = await appraised(cloud, plan({f"{INSTANCE}.web": {}}), NO_BOUNDS)
    assert price == Appraisal(unpriced=(f"{INSTANCE}.web",))


async def test_prices_in_several_currencies_are_no_sum(cloud: MemoryCloud) -> None:
    dollars = Money.of(1, "USD")
    cloud.prices["alicloud_vpc"] = Price(per_hour=dollars, at_once=dollars)
    error = await refused(cloud, plan({f"{INSTANCE}.web": {}, "alicloud_vpc.v": {}}))
    assert error.code == "provision.price_unread"


def test_an_appraisal_is_kept_as_it_is() -> None:
    for price in (
        Appraisal(),
        Appraisal(per_hour=cny(1.25), at_once=cny(0), unpriced=("a.b",)),
    ):
        assert Appraisal.of_stored(price.stored()) == price
