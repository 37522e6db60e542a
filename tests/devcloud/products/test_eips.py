"""EIPs: orders, binding to a NAT gateway, changes, protection and release."""

from __future__ import annotations

from typing import Any

import pytest
from alibabacloud_vpc20160428 import models as v
from alibabacloud_vpc20160428.client import Client

from tests.devcloud.clients.calls import make_network, refused
from tests.devcloud.conftest import REGION, Backend
from tests.devcloud.products.vpc import Vpc, make_eip, make_nat


@pytest.fixture
def client(backend: Backend, account: dict[str, str]) -> Any:
    return Client(backend.config(account))


@pytest.fixture
def vpc(backend: Backend, account: dict[str, str]) -> Vpc:
    return Vpc(backend, account)


@pytest.fixture
def nat(backend: Backend, account: dict[str, str], vpc: Vpc) -> str:
    return str(make_nat(backend, vpc, *make_network(backend, account))["NatGatewayId"])


@pytest.fixture
def eip(client: Any) -> str:
    order = v.AllocateEipAddressRequest(
        region_id=REGION, bandwidth="20", name="web-eip", internet_charge_type="PayByBandwidth"
    )
    return str(client.allocate_eip_address(order).body.allocation_id)


@pytest.fixture
def bound_eip(client: Any, backend: Backend, eip: str, nat: str) -> str:
    client.associate_eip_address(association(eip, nat))
    backend.clock.advance(2)
    return eip


def association(eip: str, nat: str) -> v.AssociateEipAddressRequest:
    return v.AssociateEipAddressRequest(allocation_id=eip, instance_id=nat, instance_type="Nat")


def protection(eip: str, kind: str, *, on: bool) -> v.DeletionProtectionRequest:
    return v.DeletionProtectionRequest(
        region_id=REGION, instance_id=eip, type=kind, protection_enable=on
    )


def describe(client: Any, eip: str) -> Any:
    request = v.DescribeEipAddressesRequest(region_id=REGION, allocation_id=eip)
    return client.describe_eip_addresses(request).body.eip_addresses.eip_address[0]


def test_an_eip_is_as_it_was_ordered(client: Any, eip: str) -> None:
    row = describe(client, eip)
    assert row.ip_address.startswith("198.51.100.")
    assert (row.status, row.bandwidth, row.charge_type) == ("Available", "20", "PostPaid")
    assert row.internet_charge_type == "PayByBandwidth"


def test_an_allocation_answers_with_the_address(client: Any) -> None:
    order = v.AllocateEipAddressRequest(region_id=REGION, bandwidth="20")
    eip = client.allocate_eip_address(order).body
    assert eip.eip_address.startswith("198.51.100.")
    assert describe(client, eip.allocation_id).ip_address == eip.eip_address


def test_an_eip_is_bound_to_a_nat_gateway(
    client: Any, backend: Backend, eip: str, nat: str
) -> None:
    refused(
        "InvalidInstanceId.NotFound", client.associate_eip_address, association(eip, "ngw-none")
    )
    client.associate_eip_address(association(eip, nat))
    assert describe(client, eip).status == "Associating"
    refused("IncorrectEipStatus", client.associate_eip_address, association(eip, nat))
    backend.clock.advance(2)
    row = describe(client, eip)
    assert (row.status, row.instance_id, row.instance_type) == ("InUse", nat, "Nat")


def test_bandwidth_and_name_change_while_an_eip_is_in_use(client: Any, bound_eip: str) -> None:
    client.modify_eip_address_attribute(
        v.ModifyEipAddressAttributeRequest(allocation_id=bound_eip, bandwidth="50", name="api-eip")
    )
    too_much = v.ModifyEipAddressAttributeRequest(allocation_id=bound_eip, bandwidth="900")
    refused("InvalidBandwidth.Malformed", client.modify_eip_address_attribute, too_much)
    row = describe(client, bound_eip)
    assert (row.bandwidth, row.name) == ("50", "api-eip")


def test_an_eip_is_released_once_it_is_unbound(
    client: Any, backend: Backend, bound_eip: str, nat: str
) -> None:
    release = v.ReleaseEipAddressRequest(allocation_id=bound_eip)
    refused("IncorrectEipStatus", client.release_eip_address, release)
    client.unassociate_eip_address(
        v.UnassociateEipAddressRequest(
            allocation_id=bound_eip, instance_id=nat, instance_type="Nat"
        )
    )
    backend.clock.advance(2)
    client.release_eip_address(release)
    backend.clock.advance(2)
    refused("InvalidAllocationId.NotFound", client.release_eip_address, release)


def test_a_protected_eip_is_not_released(client: Any, backend: Backend, eip: str) -> None:
    release = v.ReleaseEipAddressRequest(allocation_id=eip)
    client.deletion_protection(protection(eip, "EIP", on=True))
    refused("InvalidOperation.DeletionProtection", client.release_eip_address, release)
    client.deletion_protection(protection(eip, "EIP", on=False))
    client.release_eip_address(release)
    backend.clock.advance(2)
    refused("InvalidParameter.Type", client.deletion_protection, protection(eip, "VPNGW", on=False))


def test_a_subscription_eip_cannot_be_released(vpc: Vpc, backend: Backend) -> None:
    eip = make_eip(
        backend, vpc, InstanceChargeType="PrePaid", PricingCycle="Month", Period=1, AutoPay=True
    )
    vpc.refuses(
        "Forbidden.ChargeTypeIsPrepaid", "ReleaseEipAddress", AllocationId=eip["AllocationId"]
    )
