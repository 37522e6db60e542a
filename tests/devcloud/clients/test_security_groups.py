"""The official ECS client, unchanged: security groups and their rules."""

from __future__ import annotations

import pytest
from alibabacloud_ecs20140526 import models as e
from alibabacloud_ecs20140526.client import Client as Ecs

from tests.devcloud.clients.calls import make_network, refused
from tests.devcloud.conftest import REGION, Backend


@pytest.fixture
def ecs(backend: Backend, account: dict[str, str]) -> Ecs:
    return Ecs(backend.config(account))


@pytest.fixture
def group(backend: Backend, account: dict[str, str], ecs: Ecs) -> str:
    vpc_id, _ = make_network(backend, account)
    request = e.CreateSecurityGroupRequest(region_id=REGION, vpc_id=vpc_id)
    return str(ecs.create_security_group(request).body.security_group_id)


def ssh(group: str, port_range: str = "22/22") -> e.AuthorizeSecurityGroupRequest:
    """A rule that lets everybody in at one port range."""
    return e.AuthorizeSecurityGroupRequest(
        region_id=REGION,
        security_group_id=group,
        ip_protocol="tcp",
        port_range=port_range,
        source_cidr_ip="0.0.0.0/0",
    )


def authorize(ecs: Ecs, group: str) -> None:
    """Add three rules inwards, one of them twice, and one outwards."""
    ecs.authorize_security_group(ssh(group))
    ecs.authorize_security_group(ssh(group))
    ecs.authorize_security_group(
        e.AuthorizeSecurityGroupRequest(
            region_id=REGION,
            security_group_id=group,
            permissions=[
                e.AuthorizeSecurityGroupRequestPermissions(
                    ip_protocol="TCP", port_range=f"{p}/{p}", source_cidr_ip="10.0.0.0/8"
                )
                for p in (80, 443)
            ],
        )
    )
    ecs.authorize_security_group_egress(
        e.AuthorizeSecurityGroupEgressRequest(
            region_id=REGION,
            security_group_id=group,
            ip_protocol="all",
            port_range="-1/-1",
            dest_cidr_ip="0.0.0.0/0",
            policy="drop",
        )
    )


def rules(ecs: Ecs, group: str, direction: str) -> list[tuple[str, str]]:
    request = e.DescribeSecurityGroupAttributeRequest(
        region_id=REGION, security_group_id=group, direction=direction
    )
    permissions = ecs.describe_security_group_attribute(request).body.permissions.permission
    return [(p.port_range, p.policy) for p in permissions]


def test_rules_are_listed_once_by_direction(ecs: Ecs, group: str) -> None:
    authorize(ecs, group)
    assert rules(ecs, group, "ingress") == [
        ("22/22", "Accept"),
        ("80/80", "Accept"),
        ("443/443", "Accept"),
    ]
    assert rules(ecs, group, "egress") == [("-1/-1", "Drop")]
    assert len(rules(ecs, group, "all")) == 4


def test_a_port_range_has_two_ends(ecs: Ecs, group: str) -> None:
    refused("InvalidPortRange.Malformed", ecs.authorize_security_group, ssh(group, "22"))
    assert rules(ecs, group, "all") == []


def test_a_rule_is_revoked(ecs: Ecs, group: str) -> None:
    authorize(ecs, group)
    ecs.revoke_security_group(
        e.RevokeSecurityGroupRequest(
            region_id=REGION,
            security_group_id=group,
            ip_protocol="tcp",
            port_range="22/22",
            source_cidr_ip="0.0.0.0/0",
        )
    )
    assert rules(ecs, group, "ingress") == [("80/80", "Accept"), ("443/443", "Accept")]


def test_a_group_is_deleted_with_its_rules(
    ecs: Ecs, backend: Backend, account: dict[str, str], group: str
) -> None:
    authorize(ecs, group)
    ecs.delete_security_group(
        e.DeleteSecurityGroupRequest(region_id=REGION, security_group_id=group)
    )
    assert [r["resource_type"] for r in backend.inventory(account)] == ["vpc", "vswitch"]
