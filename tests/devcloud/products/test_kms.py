"""Key Management Service: keys, aliases and secrets through the signed API."""

from __future__ import annotations

import pytest

from proofwalk.devcloud.engine.state.faults import CloudError
from tests.devcloud.conftest import REGION, Backend, Bench
from tests.devcloud.console_api import events
from tests.devcloud.products.kms import Kms


@pytest.fixture
def kms(backend: Backend, account: dict[str, str]) -> Kms:
    return Kms(backend, account)


def test_a_key_is_disabled_protected_scheduled_and_restored(
    kms: Kms, backend: Backend, account: dict[str, str]
) -> None:
    made = kms(
        "CreateKey", Description="orders", EnableAutomaticRotation=True, RotationInterval="90d"
    )["KeyMetadata"]
    assert (made["KeySpec"], made["KeyUsage"], made["KeyState"]) == (
        "Aliyun_AES_256",
        "ENCRYPT/DECRYPT",
        "Enabled",
    )
    assert (made["AutomaticRotation"], made["RotationInterval"]) == ("Enabled", "90d")
    key = made["KeyId"]
    assert made["Arn"] == f"acs:kms:{REGION}:{account['account_id']}:key/{key}"
    kms("UpdateKeyDescription", KeyId=key, Description="orders of today")
    kms("DisableKey", KeyId=key)
    kms.refuses("Rejected.StateInvalid", "DisableKey", KeyId=key)
    kms.refuses(
        "Rejected.Disabled", "UpdateRotationPolicy", KeyId=key, EnableAutomaticRotation=False
    )
    kms("EnableKey", KeyId=key)
    kms("UpdateRotationPolicy", KeyId=key, EnableAutomaticRotation=True, RotationInterval="180d")
    kms("SetDeletionProtection", ProtectedResourceArn=made["Arn"], EnableDeletionProtection=True)
    kms.refuses(
        "Rejected.DeletionProtection", "ScheduleKeyDeletion", KeyId=key, PendingWindowInDays=7
    )
    kms("SetDeletionProtection", ProtectedResourceArn=made["Arn"], EnableDeletionProtection=False)
    kms.refuses("InvalidParameter", "ScheduleKeyDeletion", KeyId=key, PendingWindowInDays=6)
    kms.refuses("Rejected.StateInvalid", "CancelKeyDeletion", KeyId=key)
    kms("ScheduleKeyDeletion", KeyId=key, PendingWindowInDays=30)
    shown = kms("DescribeKey", KeyId=key)["KeyMetadata"]
    assert (shown["KeyState"], shown["Description"], shown["RotationInterval"]) == (
        "PendingDeletion",
        "orders of today",
        "180d",
    )
    assert shown["DeleteDate"] > shown["CreationDate"]
    kms.refuses("Rejected.PendingDeletion", "UpdateKeyDescription", KeyId=key, Description="x")
    kms.refuses("Rejected.StateInvalid", "EnableKey", KeyId=key)
    kms("CancelKeyDeletion", KeyId=key)
    assert kms.state(key) == "Enabled"
    kms.refuses("Forbidden.KeyNotFound", "DescribeKey", KeyId="key-unknown")


def test_a_key_is_gone_when_its_waiting_period_has_passed(bench: Bench) -> None:
    key = bench.call("1", "kms", "CreateKey")["KeyMetadata"]["KeyId"]
    bench.call("1", "kms", "CreateAlias", AliasName="alias/old", KeyId=key)
    bench.call("1", "kms", "ScheduleKeyDeletion", KeyId=key, PendingWindowInDays=7)
    bench.clock.advance(7 * 86400 - 1)
    assert (
        bench.call("1", "kms", "DescribeKey", KeyId=key)["KeyMetadata"]["KeyState"]
        == "PendingDeletion"
    )
    bench.clock.advance(2)
    with pytest.raises(CloudError, match=r"Forbidden\.KeyNotFound"):
        bench.call("1", "kms", "DescribeKey", KeyId=key)
    assert bench.call("1", "kms", "ListAliases")["Aliases"]["Alias"] == []


def test_key_types_hang_on_usage_and_protection(kms: Kms) -> None:
    kms.refuses("InvalidParameter", "CreateKey", KeySpec="EC_P256", KeyUsage="ENCRYPT/DECRYPT")
    kms.refuses("InvalidParameter", "CreateKey", KeySpec="Aliyun_SM4", ProtectionLevel="SOFTWARE")
    signing = kms.key(KeySpec="EC_P256", KeyUsage="SIGN/VERIFY")
    first = kms("DescribeKey", KeyId=signing)["KeyMetadata"]["PrimaryKeyVersion"]
    second = kms("CreateKeyVersion", KeyId=signing)["KeyVersion"]["KeyVersionId"]
    assert second != first
    assert kms("DescribeKey", KeyId=signing)["KeyMetadata"]["PrimaryKeyVersion"] == second
    listed = kms("ListKeyVersions", KeyId=signing)
    assert [one["KeyVersionId"] for one in listed["KeyVersions"]["KeyVersion"]] == [first, second]
    kms.refuses(
        "Rejected.UnsupportedOperation",
        "UpdateRotationPolicy",
        KeyId=signing,
        EnableAutomaticRotation=True,
    )
    kms.refuses("Rejected.UnsupportedOperation", "CreateKeyVersion", KeyId=kms.key())


def test_an_alias_names_one_key_at_a_time(kms: Kms) -> None:
    first, second = kms.key(), kms.key()
    kms.refuses("InvalidParameter", "CreateAlias", AliasName="orders", KeyId=first)
    kms.refuses("InvalidParameter", "CreateAlias", AliasName="alias/acs/oss", KeyId=first)
    kms.refuses(
        "Forbidden.KeyNotFound", "CreateAlias", AliasName="alias/orders", KeyId="key-unknown"
    )
    kms("CreateAlias", AliasName="alias/orders", KeyId=first)
    kms.refuses("Rejected.AliasAlreadyExist", "CreateAlias", AliasName="alias/orders", KeyId=second)
    kms("UpdateAlias", AliasName="alias/orders", KeyId=second)
    (listed,) = kms("ListAliases", KeyId=second)["Aliases"]["Alias"]
    assert (listed["AliasName"], listed["KeyId"]) == ("alias/orders", second)
    kms("DeleteAlias", AliasName="alias/orders")
    kms.refuses("Forbidden.AliasNotFound", "DeleteAlias", AliasName="alias/orders")


def test_the_number_of_keys_is_limited(kms: Kms) -> None:
    for _ in range(50):
        kms.key()
    kms.refuses("Rejected.LimitExceeded", "CreateKey")


def test_a_secret_gets_versions_and_is_deleted_and_restored(
    kms: Kms, backend: Backend, account: dict[str, str]
) -> None:
    first = {"SecretName": "db/orders", "SecretData": "s3cret-1", "VersionId": "v1"}
    made = kms("CreateSecret", **first, EncryptionKeyId=kms.key(), Description="orders")
    assert (made["SecretName"], made["VersionId"], made["SecretType"]) == (
        "db/orders",
        "v1",
        "Generic",
    )
    kms.refuses("Rejected.ResourceExist", "CreateSecret", **first)
    kms.refuses("MissingParameter", "PutSecretValue", SecretName="db/orders", VersionId="v2")
    kms.refuses("Rejected.ResourceExist", "PutSecretValue", **first)
    kms("PutSecretValue", SecretName="db/orders", SecretData="s3cret-2", VersionId="v2")
    kms("PutSecretValue", SecretName="db/orders", SecretData="s3cret-3", VersionId="v3")
    versions = kms("ListSecretVersionIds", SecretName="db/orders")["VersionIds"]["VersionId"]
    stages = {one["VersionId"]: one["VersionStages"]["VersionStage"] for one in versions}
    assert stages == {"v1": [], "v2": ["ACSPrevious"], "v3": ["ACSCurrent"]}
    kms.refuses(
        "Rejected.UnsupportedOperation",
        "UpdateSecretRotationPolicy",
        SecretName="db/orders",
        EnableAutomaticRotation=True,
    )
    kms("UpdateSecret", SecretName="db/orders", Description="orders of today")
    kms.refuses("InvalidParameter", "DeleteSecret", SecretName="db/orders", RecoveryWindowInDays=31)
    answer = kms("DeleteSecret", SecretName="db/orders", RecoveryWindowInDays=10)
    assert answer["PlannedDeleteTime"]
    kms.refuses(
        "Rejected.StateInvalid",
        "PutSecretValue",
        SecretName="db/orders",
        SecretData="x",
        VersionId="v4",
    )
    kms("RestoreSecret", SecretName="db/orders")
    shown = kms("DescribeSecret", SecretName="db/orders")
    assert (shown["Description"], shown["PlannedDeleteTime"]) == ("orders of today", "")
    both = {"ForceDeleteWithoutRecovery": True, "RecoveryWindowInDays": 7}
    kms.refuses("InvalidParameter", "DeleteSecret", SecretName="db/orders", **both)
    kms("DeleteSecret", SecretName="db/orders", ForceDeleteWithoutRecovery=True)
    kms.refuses("Forbidden.ResourceNotFound", "DescribeSecret", SecretName="db/orders")
    log = events(backend, account)
    assert "s3cret" not in str(log)
    put = next(
        event
        for event in log
        if event["eventName"] == "PutSecretValue" and not event.get("errorCode")
    )
    assert (put["serviceName"], put["requestParameters"]["VersionId"]) == ("Kms", "v2")
    assert put["resourceType"].startswith("ACS::KMS::Secret")
