"""What exists in an account of the vendor's cloud, and how each type is deleted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from alibabacloud_ecs20140526.client import Client as EcsClient
from alibabacloud_ecs20140526.models import (
    CreateKeyPairRequest,
    CreateSecurityGroupRequest,
    CreateSecurityGroupRequestTag,
)
from alibabacloud_vpc20160428.client import Client as VpcClient
from alibabacloud_vpc20160428.models import CreateVpcRequest

from proofwalk.cloud.alicloud.openapi import VERSIONS
from proofwalk.cloud.alicloud.resource_types import TYPES, named
from proofwalk.cloud.ports import Cloud, ResourceRef
from proofwalk.cloud.sweeping import RUN_TAG, created_at, delete_until_gone, run_of
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products.indexing import load
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from tests.cloud.alicloud_world import REGION, AlicloudWorld, opened, world


@pytest.fixture
async def vendor(tmp_path: Path) -> AsyncIterator[AlicloudWorld]:
    async with world(tmp_path) as made:
        yield made


@pytest.fixture
async def cloud(vendor: AlicloudWorld) -> AsyncIterator[Cloud]:
    async with opened(vendor.target()) as made:
        yield made


def build(vendor: AlicloudWorld, name: str) -> tuple[str, str]:
    """A VPC with a security group in it, and a key pair."""
    config = vendor.bench.config(vendor.members[0])
    vpc = VpcClient(config).create_vpc(CreateVpcRequest(region_id=REGION, vpc_name=name))
    ecs = EcsClient(config)
    group = ecs.create_security_group(
        CreateSecurityGroupRequest(
            region_id=REGION,
            vpc_id=vpc.body.vpc_id,
            security_group_name=name,
            tag=[CreateSecurityGroupRequestTag(key=RUN_TAG, value="run-1")],
        )
    )
    ecs.create_key_pair(CreateKeyPairRequest(region_id=REGION, key_pair_name=name))
    return str(vpc.body.vpc_id), str(group.body.security_group_id)


async def test_a_resource_has_type_region_name_tags_and_time(
    vendor: AlicloudWorld, cloud: Cloud
) -> None:
    assert cloud.inventory is not None
    vpc, group = await asyncio.to_thread(build, vendor, "pw3f09ac-net")
    by_id = {one.id: one for one in await cloud.inventory.list(vendor.members[0])}
    assert (by_id[vpc].product, by_id[vpc].type, by_id[vpc].region) == ("vpc", "vpc", REGION)
    assert by_id[vpc].name == "pw3f09ac-net"
    assert run_of(by_id[group]) == "run-1"
    assert created_at(by_id[vpc]) is not None
    assert by_id[vpc].state == ""


async def test_a_sweep_takes_dependents_first_and_leaves_nothing(
    vendor: AlicloudWorld, cloud: Cloud
) -> None:
    assert cloud.inventory is not None
    account = vendor.members[0]
    before = set(await cloud.inventory.list(account))
    vpc, group = await asyncio.to_thread(build, vendor, "pw3f09ac-net")
    swept = await delete_until_gone(
        cloud.inventory,
        account,
        lambda one: one not in before,
        seconds=20,
        clock=SystemClock(),
    )
    assert not swept.left
    assert {one.id for one in swept.deleted} >= {vpc, group, "pw3f09ac-net"}
    assert set(await cloud.inventory.list(account)) == before


async def test_what_something_depends_on_is_a_conflict_and_what_is_gone_is_done(
    vendor: AlicloudWorld, cloud: Cloud
) -> None:
    assert cloud.inventory is not None
    account = vendor.members[0]
    vpc, group = await asyncio.to_thread(build, vendor, "net")
    by_id = {one.id: one for one in await cloud.inventory.list(account)}
    with pytest.raises(ProofwalkError) as caught:
        await cloud.inventory.delete(account, by_id[vpc])
    assert (caught.value.code, caught.value.retryable) == ("cloud.conflict", True)
    assert "DependencyViolation" in caught.value.message
    await cloud.inventory.delete(account, by_id[group])
    await cloud.inventory.delete(account, by_id[group])
    await cloud.inventory.delete(account, by_id[vpc])
    await cloud.inventory.delete(account, by_id[vpc])


async def test_a_deletion_with_a_replaced_key_is_denied(
    vendor: AlicloudWorld, cloud: Cloud
) -> None:
    assert cloud.inventory is not None
    old = vendor.members[0]
    vpc, _ = await asyncio.to_thread(build, vendor, "net")
    resource = next(one for one in await cloud.inventory.list(old) if one.id == vpc)
    await cloud.accounts.rotate(old.external_id)
    with pytest.raises(ProofwalkError) as caught:
        await cloud.inventory.delete(old, resource)
    assert caught.value.code == "cloud.denied"


async def test_of_every_type_what_is_not_there_is_deleted_already(
    vendor: AlicloudWorld, cloud: Cloud
) -> None:
    assert cloud.inventory is not None
    for api_type, entry in TYPES.items():
        if entry.deletion is not None:
            resource = ResourceRef(
                product=entry.product,
                type=entry.type,
                id="x-4711",
                attributes={"api_type": api_type},
            )
            try:
                await cloud.inventory.delete(vendor.members[0], resource)
            except ProofwalkError as error:
                raise AssertionError(f"{api_type}: {error}") from error


@pytest.mark.parametrize("api_type", ["ACS::OSS::Bucket", "ACS::KMS::Key", "ACS::Odd::NewThing"])
async def test_what_no_operation_deletes_is_unsupported(
    vendor: AlicloudWorld, cloud: Cloud, api_type: str
) -> None:
    assert cloud.inventory is not None
    resource = ResourceRef(product="p", type="t", id="x", attributes={"api_type": api_type})
    with pytest.raises(ProofwalkError) as caught:
        await cloud.inventory.delete(vendor.members[0], resource)
    assert caught.value.code == "cloud.unsupported"
    assert "console" in caught.value.hint


def test_a_type_without_an_entry_keeps_its_words() -> None:
    assert (named("ACS::Odd::NewThing").product, named("ACS::Odd::NewThing").type) == (
        "odd",
        "new_thing",
    )
    assert named("").type == "unknown"


def test_the_table_has_devclouds_words_and_operations() -> None:
    catalogue = load(PRODUCTS)
    kinds = {
        kind: spec.api.type
        for kind, spec in catalogue.resources.items()
        if not (bool(spec.api.parent) if spec.api.part is None else spec.api.part)
    }
    for api_type, entry in TYPES.items():
        kind = f"{entry.product}.{entry.type}"
        assert kinds.get(kind) == api_type
        if entry.deletion is None:
            continue
        operation = catalogue.operations[VERSIONS[entry.deletion.product], entry.deletion.action]
        assert operation.resource_kind == kind
        assert operation.spec.delete
        spec = catalogue.resources[kind]
        told = operation.spec.id_param or spec.api.id_param
        assert told == entry.deletion.parameter
        assert operation.spec.id_array == entry.deletion.in_array
