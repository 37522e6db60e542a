"""The console of Key Management Service: keys, aliases and secrets."""

from __future__ import annotations

import pytest

from tests.devcloud.conftest import REGION, Backend, HttpFailure
from tests.devcloud.console_api import Console, events
from tests.devcloud.products.kms import Kms


@pytest.fixture
def key(console: Console) -> str:
    return console.make(
        "kms.key",
        usage="ENCRYPT/DECRYPT",
        protection="SOFTWARE",
        origin="Aliyun_KMS",
        spec="Aliyun_AES_256",
        description="orders",
        enable_rotation=True,
        rotation_interval="30d",
    )


@pytest.fixture
def secret(console: Console, key: str) -> str:
    return console.make(
        "kms.secret",
        type="Generic",
        name="app/token",
        data_type="text",
        data="t0ken",
        version="v1",
        key_id=key,
    )


def test_the_types_of_a_usage_are_offered(console: Console) -> None:
    assert console.offered("key_specs", usage="SIGN/VERIFY", protection="SOFTWARE") == [
        "RSA_2048",
        "RSA_3072",
        "EC_P256",
        "EC_P256K",
    ]


def test_an_alias_is_bound_to_another_key(
    console: Console, backend: Backend, account: dict[str, str], key: str
) -> None:
    console.make("kms.alias", key_id=key, name="alias/team/orders")
    assert console.row("kms.key", key)["alias_names"] == "alias/team/orders"
    other = Kms(backend, account).key()
    console.act("kms.alias", "alias/team/orders", "rebind", key_id=other)
    assert console.row("kms.key", other)["alias_names"] == "alias/team/orders"


def test_a_secret_gets_another_version(console: Console, secret: str) -> None:
    console.act("kms.secret", secret, "put_value", version="v2", data="t1ken")
    rows = console.rows("kms.secret_version", secret=secret)
    assert {row["version"]: row["stages"] for row in rows} == {
        "v1": ["ACSPrevious"],
        "v2": ["ACSCurrent"],
    }


def test_a_secret_is_deleted_after_days(console: Console, secret: str) -> None:
    console.act("kms.secret", secret, "delete", immediately="false", recovery_days=7)
    assert console.row("kms.secret", secret)["status"] == "PendingDeletion"
    assert console.logged("DeleteSecret") == {
        "RegionId": REGION,
        "SecretName": "app/token",
        "ForceDeleteWithoutRecovery": "false",
        "RecoveryWindowInDays": "7",
    }


def test_a_keys_deletion_is_scheduled_by_who_agrees(console: Console, key: str) -> None:
    with pytest.raises(HttpFailure) as caught:
        console.act("kms.key", key, "schedule", pending_days=7)
    assert caught.value.body["field"] == "agree"
    console.act("kms.key", key, "schedule", pending_days=14, agree=True)
    last = events(console.backend, console.account)[-1]
    assert (last["eventName"], last["eventType"]) == ("ScheduleKeyDeletion", "ConsoleOperation")
    assert last["requestParameters"] == {
        "RegionId": REGION,
        "KeyId": key,
        "PendingWindowInDays": "14",
    }
