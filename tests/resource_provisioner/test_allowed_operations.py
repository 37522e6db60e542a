"""Which operations of the cloud's API a record's steps may call."""

from __future__ import annotations

import pytest

from proofwalk.cloud.steps.model import ApiCall
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner.allowed_operations import WRITES, refusal_of
from proofwalk.resource_provisioner.meta import read_meta

RECORD = """
id: hostile
description: Nothing good
steps:
  - do: {{api: {api}, operation: {operation}}}
"""


@pytest.mark.parametrize(
    ("api", "operation"),
    [
        ("ram", "CreateAccessKey"),
        ("ram", "ListUsers"),
        ("sts", "AssumeRole"),
        ("actiontrail", "DeleteTrail"),
        ("actiontrail", "StopLogging"),
        ("bssopenapi", "QueryAccountBalance"),
        ("resourcemanager", "DeleteAccount"),
        ("ecs", "RunInstances"),
        ("ecs", "DeleteInstance"),
        ("ecs", "RunCommand"),
        ("ecs", "DescribeInstanceVncUrl"),
        ("ecs", "DescribeInstanceVncPasswd"),
        ("ecs", "DescribeUserData"),
        ("ecs", "CreateImage"),
        ("rds", "CreateDBInstance"),
        ("rds", "RenewInstance"),
        ("rds", "ResetAccountPassword"),
        ("kms", "GetSecretValue"),
        ("kms", "ListSecretVersionIds"),
        ("kms", "Decrypt"),
        ("ess", "ExecuteScalingRule"),
        ("slb", "DescribeServerCertificates"),
        ("ecs", "UntagResources"),
        ("vpc", "DescribeVpcs; DeleteVpc"),
    ],
)
def test_what_costs_opens_doors_or_tells_secrets_is_refused(api: str, operation: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        read_meta(RECORD.format(api=api, operation=operation))
    assert caught.value.code == "meta.invalid"
    assert caught.value.details["path"].startswith("steps.0.do")


@pytest.mark.parametrize(
    ("api", "operation"),
    [
        ("ecs", "StopInstance"),
        ("ecs", "DescribeInstances"),
        ("rds", "CreateBackup"),
        ("rds", "DescribeBackups"),
        ("kms", "ListSecrets"),
        ("kms", "DescribeSecret"),
    ],
)
def test_what_brings_things_into_a_state_is_allowed(api: str, operation: str) -> None:
    assert not refusal_of(ApiCall(api=api, operation=operation))
    assert read_meta(RECORD.format(api=api, operation=operation)).preparation.acts_as_account


def test_nothing_on_the_list_buys_or_deletes_what_create_makes() -> None:
    kept = {"DeleteSnapshot", "DeleteBackup", "DeleteSecret"}
    copies = {"CreateSnapshot", "CreateBackup"}
    for operations in WRITES.values():
        assert {one for one in operations if one.startswith("Delete")} <= kept
        assert {one for one in operations if one.startswith(("Create", "Run", "Renew"))} <= copies
