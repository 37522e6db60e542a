"""Types of resources: what Resource Center calls them, what Proofwalk does, and the
operation that deletes one.

Types that no single operation in RPC form deletes have none: object storage and log
services take REST requests, a key of KMS only goes after days, and a backup or a bill
is nobody's to delete. `tests/cloud/alicloud` holds the table to the embedded cloud's
operations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """An operation that deletes one resource."""

    product: str
    """As `openapi.VERSIONS` has it."""
    action: str
    parameter: str
    """Which parameter takes the resource's id."""
    in_array: bool = False
    """The parameter takes a JSON array of ids."""
    more: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ResourceType:
    """A type in the words of an inventory."""

    product: str
    type: str
    deletion: Deletion | None = None


def _type(
    product: str,
    type_: str,
    action: str,
    parameter: str,
    *,
    api: str = "",
    in_array: bool = False,
    **more: str,
) -> ResourceType:
    deletion = Deletion(
        product=api or product, action=action, parameter=parameter, in_array=in_array, more=more
    )
    return ResourceType(product=product, type=type_, deletion=deletion)


TYPES: Mapping[str, ResourceType] = {
    "ACS::VPC::VPC": _type("vpc", "vpc", "DeleteVpc", "VpcId"),
    "ACS::VPC::VSwitch": _type("vpc", "vswitch", "DeleteVSwitch", "VSwitchId"),
    "ACS::VPC::RouteTable": _type("vpc", "route_table", "DeleteRouteTable", "RouteTableId"),
    "ACS::EIP::EipAddress": _type("vpc", "eip", "ReleaseEipAddress", "AllocationId"),
    "ACS::NAT::NatGateway": _type(
        "vpc", "nat_gateway", "DeleteNatGateway", "NatGatewayId", Force="true"
    ),
    "ACS::ECS::Instance": _type("ecs", "instance", "DeleteInstance", "InstanceId", Force="true"),
    "ACS::ECS::Disk": _type("ecs", "disk", "DeleteDisk", "DiskId"),
    "ACS::ECS::Snapshot": _type("ecs", "snapshot", "DeleteSnapshot", "SnapshotId", Force="true"),
    "ACS::ECS::Image": _type("ecs", "image", "DeleteImage", "ImageId", Force="true"),
    "ACS::ECS::LaunchTemplate": _type(
        "ecs", "launch_template", "DeleteLaunchTemplate", "LaunchTemplateId"
    ),
    "ACS::ECS::AutoSnapshotPolicy": _type(
        "ecs", "auto_snapshot_policy", "DeleteAutoSnapshotPolicy", "autoSnapshotPolicyId"
    ),
    "ACS::ECS::KeyPair": _type("ecs", "key_pair", "DeleteKeyPairs", "KeyPairNames", in_array=True),
    "ACS::ECS::SecurityGroup": _type(
        "ecs", "security_group", "DeleteSecurityGroup", "SecurityGroupId"
    ),
    "ACS::ESS::ScalingGroup": _type(
        "ess", "scaling_group", "DeleteScalingGroup", "ScalingGroupId", ForceDelete="true"
    ),
    "ACS::RDS::DBInstance": _type("rds", "instance", "DeleteDBInstance", "DBInstanceId"),
    "ACS::Redis::DBInstance": _type(
        "redis", "instance", "DeleteInstance", "InstanceId", api="kvstore"
    ),
    "ACS::SLB::LoadBalancer": _type("slb", "load_balancer", "DeleteLoadBalancer", "LoadBalancerId"),
    "ACS::SLB::AccessControlList": _type("slb", "acl", "DeleteAccessControlList", "AclId"),
    "ACS::SLB::ServerCertificate": _type(
        "slb", "certificate", "DeleteServerCertificate", "ServerCertificateId"
    ),
    "ACS::RAM::User": _type("ram", "user", "DeleteUser", "UserName"),
    "ACS::RAM::Group": _type("ram", "group", "DeleteGroup", "GroupName"),
    "ACS::RAM::Role": _type("ram", "role", "DeleteRole", "RoleName"),
    "ACS::RAM::Policy": _type("ram", "policy", "DeletePolicy", "PolicyName"),
    "ACS::Alidns::Domain": _type("dns", "domain", "DeleteDomain", "DomainName", api="alidns"),
    "ACS::CMS::Contact": _type("cms", "contact", "DeleteContact", "ContactName"),
    "ACS::CMS::ContactGroup": _type(
        "cms", "contact_group", "DeleteContactGroup", "ContactGroupName"
    ),
    "ACS::KMS::Alias": _type("kms", "alias", "DeleteAlias", "AliasName"),
    "ACS::KMS::Key": ResourceType(product="kms", type="key"),
    "ACS::KMS::Secret": ResourceType(product="kms", type="secret"),
    "ACS::OSS::Bucket": ResourceType(product="oss", type="bucket"),
    "ACS::Log::Project": ResourceType(product="sls", type="project"),
}
"""By Resource Center's name."""


def named(api_type: str) -> ResourceType:
    """Return the type; of one that the table lacks, its own words in our form, without
    a deletion."""
    held = TYPES.get(api_type)
    if held is not None:
        return held
    product, _, name = api_type.removeprefix("ACS::").partition("::")
    words = _SNAKE.sub("_", name).lower()
    return ResourceType(product=product.lower(), type=words or "unknown")
