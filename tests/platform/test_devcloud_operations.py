"""Which operations of the embedded cloud take others back."""

from __future__ import annotations

import pytest

from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products import indexing
from proofwalk.platform.devcloud_operations import DevcloudOperations


@pytest.fixture(scope="module")
def operations() -> DevcloudOperations:
    return DevcloudOperations(indexing.load(PRODUCTS))


def test_what_undoes_a_thing_is_its_other_actions_and_what_removes_its_place(
    operations: DevcloudOperations,
) -> None:
    undone = operations.undoing("Vpc", "CreateVSwitch")
    assert {"DeleteVSwitch", "DeleteVpc", "ModifyVSwitchAttribute"} <= undone
    assert "CreateVSwitch" not in undone


def test_of_a_state_it_is_the_other_states(operations: DevcloudOperations) -> None:
    assert {"StopInstance", "RebootInstance"} <= operations.undoing("Ecs", "StartInstance")


def test_a_service_that_is_not_there_undoes_nothing(operations: DevcloudOperations) -> None:
    assert operations.undoing("Ecs", "CreateVSwitch") == frozenset()
    assert operations.undoing("Nowhere", "CreateVSwitch") == frozenset()


def test_what_removes_a_type_is_told_of_its_variants_too(operations: DevcloudOperations) -> None:
    assert ("Ecs", "DeleteInstance") in operations.removing("ecs.instance/stopped")
    assert operations.removing("ecs.nothing") == frozenset()


def test_what_puts_a_thing_out_of_use_removes_it_too(operations: DevcloudOperations) -> None:
    assert {("Kms", "DisableKey"), ("Kms", "ScheduleKeyDeletion")} <= operations.removing("kms.key")
    assert ("Kms", "EnableKey") not in operations.removing("kms.key")
