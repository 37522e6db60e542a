"""The role's bounds on prices, over gRPC: settings and request, the row, what is
left."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.cloud.money import Money, Price
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.outcomes import EnvCause
from tests.resource_provisioner.conftest import META, Stage

VPC = "alicloud_vpc"


def priced(stage: Stage, per_hour: float) -> None:
    stage.cloud.prices[VPC] = Price(per_hour=Money.of(per_hour, "CNY"), at_once=Money.of(10, "CNY"))


async def provision(stage: Stage, request_id: str = "r1", **limits: float) -> Any:
    request = pb.ProvisionRequest(
        request_id=request_id,
        lease=stage.lease(),
        meta=pb.Meta(yaml=META),
        limits=pb.Limits(**limits),
    )
    return (await stage.call("Provision", request)).provisioning


async def refused(stage: Stage, request_id: str = "r1", **limits: float) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await provision(stage, request_id, **limits)
    return caught.value


async def test_what_was_made_is_told_with_its_price_and_what_has_none(stage: Stage) -> None:
    priced(stage, 1.5)
    made = await provision(stage)
    expected = pb.Price(
        currency="CNY", per_hour=1.5, at_once=10, unpriced=["alicloud_vswitch.main"]
    )
    assert made.price == expected
    assert (await stage.get()).price == expected


async def test_what_is_too_dear_is_not_made_and_is_the_environments(stage: Stage) -> None:
    priced(stage, 51)
    error = await refused(stage)
    assert (error.code, error.status, error.cause, error.retryable) == (
        "provision.too_dear",
        Status.FAILED_PRECONDITION,
        EnvCause.PROVISION,
        False,
    )
    assert "51.00 CNY an hour (50.00 allowed)" in error.message
    assert await stage.inventory() == []
    row = await stage.get()
    assert (row.state, row.error_code) == ("failed", "provision.too_dear")
    assert not row.HasField("price")


async def test_a_request_lowers_a_bound_and_never_raises_it(stage: Stage) -> None:
    priced(stage, 5)
    assert "(4.00 allowed)" in (await refused(stage, "r1", max_per_hour=4)).message
    assert "(9.00 allowed)" in (await refused(stage, "r2", max_at_once=9)).message
    assert (await provision(stage, "r3", max_per_hour=5, max_at_once=10)).state == "ready"
    priced(stage, 60)
    assert "(50.00 allowed)" in (await refused(stage, "r4", max_per_hour=100)).message


@pytest.mark.parametrize("amount", [-1, float("nan"), float("inf"), 1e10])
async def test_a_limit_that_is_no_amount_is_refused(stage: Stage, amount: float) -> None:
    error = await refused(stage, max_per_hour=amount)
    assert (error.code, error.status) == ("provision.bad_limit", Status.INVALID_ARGUMENT)
    assert stage.runner.calls == []


async def test_prices_that_cannot_be_read_are_the_environments(stage: Stage) -> None:
    priced(stage, 1)
    stage.cloud.fail("price")
    error = await refused(stage)
    assert (error.code, error.cause) == ("provision.price_unread", EnvCause.PROVISION)
    assert await stage.inventory() == []


async def test_without_bounds_nothing_waits_for_prices(stage: Stage) -> None:
    await stage.stop()
    stage.own = stage.own.model_copy(update={"max_price_per_hour": 0, "max_price_at_once": 0})
    await stage.start()
    stage.cloud.fail("price")
    made = await provision(stage)
    assert made.state == "ready"
    assert list(made.price.unpriced) == ["alicloud_vpc.main", "alicloud_vswitch.main"]
