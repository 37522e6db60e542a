"""Operations of the cloud's API that a record's steps may call.

What is paid for is made by Terraform, whose plan is priced before it is applied. So
the list has what changes the state of things that are there, and what keeps a copy of
them (a snapshot, a backup), which costs next to nothing for the hours that it stands.
It has nothing of users, roles and keys, of the audit log, of orders and bills, and
nothing that tells a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from proofwalk.cloud.alicloud.openapi import may_tell_secret
from proofwalk.cloud.steps.model import ApiCall

WRITES: Mapping[str, frozenset[str]] = {
    "alidns": frozenset({"SetDomainRecordStatus", "UpdateDomainRecordRemark"}),
    "cms": frozenset(
        {
            "DisableMetricRules",
            "DisableSiteMonitors",
            "EnableMetricRules",
            "EnableSiteMonitors",
        }
    ),
    "ecs": frozenset(
        {
            "ApplyAutoSnapshotPolicy",
            "AttachDisk",
            "AttachKeyPair",
            "CancelAutoSnapshotPolicy",
            "CreateSnapshot",
            "DeleteSnapshot",
            "DetachDisk",
            "DetachKeyPair",
            "ModifyDiskAttribute",
            "ModifyInstanceAttribute",
            "ModifyInstanceAutoReleaseTime",
            "ModifyInstanceAutoRenewAttribute",
            "RebootInstance",
            "StartInstance",
            "StopInstance",
        }
    ),
    "ess": frozenset(
        {
            "AttachInstances",
            "DetachInstances",
            "DisableScalingGroup",
            "EnableScalingGroup",
            "SetGroupDeletionProtection",
        }
    ),
    "kms": frozenset(
        {
            "CancelKeyDeletion",
            "DeleteSecret",
            "DisableKey",
            "EnableKey",
            "RestoreSecret",
            "ScheduleKeyDeletion",
            "SetDeletionProtection",
            "UpdateRotationPolicy",
        }
    ),
    "kvstore": frozenset(
        {
            "AllocateInstancePublicConnection",
            "CreateBackup",
            "DeleteBackup",
            "FlushInstance",
            "GrantAccountPrivilege",
            "ModifyBackupPolicy",
            "ModifyInstanceAutoRenewalAttribute",
            "ModifyInstanceConfig",
            "ModifyInstanceMaintainTime",
            "ModifySecurityIps",
            "ReleaseInstancePublicConnection",
            "RestartInstance",
            "RestoreInstance",
        }
    ),
    "rds": frozenset(
        {
            "AllocateInstancePublicConnection",
            "CreateBackup",
            "DeleteBackup",
            "GrantAccountPrivilege",
            "ModifyBackupPolicy",
            "ModifyDBInstanceDeletionProtection",
            "ModifyDBInstanceDescription",
            "ModifyDBInstanceMaintainTime",
            "ModifyInstanceAutoRenewalAttribute",
            "ModifyParameter",
            "ModifySecurityIps",
            "ReleaseInstancePublicConnection",
            "RestartDBInstance",
            "RevokeAccountPrivilege",
        }
    ),
    "slb": frozenset(
        {
            "AddBackendServers",
            "AddVServerGroupBackendServers",
            "RemoveBackendServers",
            "RemoveVServerGroupBackendServers",
            "SetBackendServers",
            "SetLoadBalancerDeleteProtection",
            "SetLoadBalancerStatus",
            "StartLoadBalancerListener",
            "StopLoadBalancerListener",
        }
    ),
    "vpc": frozenset(
        {
            "AssociateEipAddress",
            "AssociateRouteTable",
            "DeletionProtection",
            "UnassociateEipAddress",
            "UnassociateRouteTable",
        }
    ),
}
"""By product, as the Terraform provider calls its endpoint."""
_READ = re.compile(r"(?:Describe|List)[A-Z][A-Za-z0-9]*")


def refusal_of(call: ApiCall) -> str:
    """Return why a record may not call an operation, in words; empty where it may."""
    if call.api not in WRITES:
        names = ", ".join(sorted(WRITES))
        return f"{call.api!r} is no product whose operations may be called ({names})"
    if call.operation in WRITES[call.api]:
        return ""
    if _READ.fullmatch(call.operation):
        if may_tell_secret(call.operation):
            return f"{call} may tell a secret"
        return ""
    return (
        f"{call} may not be called: what is made and paid for is made in create, and what"
        " may be called is in allowed_operations"
    )
