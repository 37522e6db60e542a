"""Prices with real Terraform, the embedded provider and the embedded cloud: what a plan
was said to cost, and the instance that is subscribed for years."""

from __future__ import annotations

import pytest

from proofwalk.kernel.errors import ProofwalkError
from tests.resource_provisioner.test_role import EXAMPLES, Site, site

__all__ = ["site"]
pytestmark = [pytest.mark.terraform, pytest.mark.timeout(120)]
RECORD = (EXAMPLES / "04-ecs-release-instance.meta.yaml").read_text()
AS_YOU_GO = 'instance_charge_type = "PostPaid"'


async def test_a_record_has_the_price_of_its_plan(site: Site) -> None:
    made = await site.provision(RECORD)
    assert (made.price.currency, made.price.at_once) == ("CNY", 0)
    assert made.price.per_hour == pytest.approx((188 + 40) / 480, abs=2e-4)
    assert list(made.price.unpriced) == []
    await site.destroy(made)


@pytest.mark.parametrize(
    ("period", "code"),
    [
        ("36", "provision.subscription_too_long"),
        ("length(alicloud_vpc.main.router_id)", "provision.price_unknown"),
    ],
)
async def test_an_instance_that_is_subscribed_for_years_is_not_made(
    site: Site, period: str, code: str
) -> None:
    assert RECORD.count(AS_YOU_GO) == 1
    prepaid = f'instance_charge_type = "PrePaid"\n    period = {period}'
    with pytest.raises(ProofwalkError) as caught:
        await site.provision(RECORD.replace(AS_YOU_GO, prepaid))
    assert caught.value.code == code, caught.value
    assert "alicloud_instance.main" in caught.value.message
    assert list(await site.cloud.inventory()) == []
