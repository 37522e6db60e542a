"""Provisionings that failed under an earlier release tell their error as they did
then."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.kernel.errors import Status
from proofwalk.resource_provisioner import repository, usecases
from tests.fixtures.releases import insert, upgraded

PACKAGE = "proofwalk.resource_provisioner"
ROW: dict[str, Any] = {
    "id": "prov_1",
    "request_id": "ep_1:provision",
    "lease_id": "lease_1",
    "lease_epoch": 1,
    "target": "devcloud",
    "region": "cn-hangzhou",
    "meta_yaml": "id: one",
    "name_prefix": "pw1",
    "state": "failed",
    "outputs": "{}",
    "resources": "[]",
    "error_message": "so it ended",
    "created_at": "2026-11-01 10:00:00",
    "updated_at": "2026-11-01 10:01:00",
    "seconds": 60.0,
}
TOLD = [
    ("provision.quota", Status.RESOURCE_EXHAUSTED, True, "quota"),
    ("lease.stale_epoch", Status.ABORTED, False, None),
    ("cloud.unavailable", Status.UNAVAILABLE, True, None),
    ("rpc.deadline_exceeded", Status.UNAVAILABLE, True, None),
    ("terraform.late", Status.UNAVAILABLE, True, None),
    ("provision.create_failed", Status.FAILED_PRECONDITION, False, None),
]


@pytest.mark.parametrize(
    ("code", "status", "retryable", "cause"), TOLD, ids=[one[0] for one in TOLD]
)
async def test_an_error_of_an_earlier_release_is_told_as_it_was(
    database: Database, code: str, status: Status, retryable: bool, cause: str | None
) -> None:
    await upgraded(database, PACKAGE, "0001")
    await insert(database, "resource_provisioner_provisionings", {**ROW, "error_code": code})
    await migrations.migrate(database, PACKAGE)
    assert await migrations.difference(database, PACKAGE, repository.METADATA) == []
    error = usecases.failure_of(await usecases.get(database, provisioning_id="prov_1"))
    assert (error.code, error.message) == (code, "so it ended")
    assert (error.status, error.retryable, error.cause) == (status, retryable, cause)


async def test_a_provisioning_without_an_error_has_ended(database: Database) -> None:
    await upgraded(database, PACKAGE, "0001")
    row = {**ROW, "state": "destroyed", "error_code": "", "error_message": ""}
    await insert(database, "resource_provisioner_provisionings", row)
    await migrations.migrate(database, PACKAGE)
    error = usecases.failure_of(await usecases.get(database, provisioning_id="prov_1"))
    assert (error.code, error.status) == ("provision.ended", Status.FAILED_PRECONDITION)
