"""The credentials of the adapter `alicloud`: rotation through RAM, short-lived keys of
roles, and what refusals look like."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from alibabacloud_ram20150501.client import Client as RamClient
from alibabacloud_ram20150501.models import (
    CreateAccessKeyRequest,
    CreateRoleRequest,
    ListAccessKeysRequest,
)
from alibabacloud_sts20150401.client import Client as StsClient
from alibabacloud_vpc20160428.client import Client as VpcClient
from alibabacloud_vpc20160428.models import CreateVpcRequest

from proofwalk.chassis.trust import system_trust
from proofwalk.cloud.alicloud.ram_users import strong_password
from proofwalk.cloud.alicloud.role_keys import RoleKeys
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.sdk_calls import Endpoint
from proofwalk.kernel.account_pools import SERVES_ALL, dedicated
from proofwalk.kernel.clock import ManualClock, SystemClock
from proofwalk.kernel.errors import ProofwalkError
from tests.cloud.alicloud_world import REGION, USER, AlicloudWorld, account_of, opened, world

MEMBER_ROLE = "ResourceDirectoryAccountAccessRole"


@pytest.fixture
async def vendor(tmp_path: Path) -> AsyncIterator[AlicloudWorld]:
    async with world(tmp_path) as made:
        yield made


def endpoint(vendor: AlicloudWorld) -> Endpoint:
    address = vendor.bench.url.removeprefix("http://")
    return Endpoint(address=address, protocol="HTTP", region=REGION)


async def may_call(vendor: AlicloudWorld, account: CloudAccount) -> bool:
    client = StsClient(vendor.bench.config(account))
    try:
        answer = await asyncio.to_thread(client.get_caller_identity)
    except Exception:
        return False
    return str(answer.body.account_id) == account.external_id


async def signs_in(vendor: AlicloudWorld, account: CloudAccount) -> bool:
    fields = {name: value.get_secret_value() for name, value in account.login.fields.items()}
    body = {
        "account": account.external_id,
        "user": fields["user"],
        "password": fields["password"],
    }
    async with httpx2.AsyncClient(
        base_url=vendor.bench.url, trust_env=False, verify=system_trust()
    ) as client:
        return (await client.post("/console/api/sign-in", json=body)).status_code == 200


async def more_keys(vendor: AlicloudWorld, account: CloudAccount) -> CloudAccount:
    """The account with a second key, as an unfinished rotation leaves it."""
    client = RamClient(vendor.bench.config(account))
    request = CreateAccessKeyRequest(user_name=USER)
    made = (await asyncio.to_thread(client.create_access_key, request)).body.access_key
    return account_of(
        {
            "account_id": account.external_id,
            "user_name": USER,
            "password": "",
            "access_key_id": made.access_key_id,
            "access_key_secret": made.access_key_secret,
        }
    )


async def test_a_rotation_gives_what_works_and_ends_what_was(vendor: AlicloudWorld) -> None:
    before = vendor.members[0]
    assert await may_call(vendor, before)
    assert await signs_in(vendor, before)
    async with opened(vendor.target()) as cloud:
        after = await cloud.accounts.rotate(before.external_id)
    assert await may_call(vendor, after)
    assert await signs_in(vendor, after)
    assert not await may_call(vendor, before)
    assert not await signs_in(vendor, before)
    logon = after.login.fields["logon"].get_secret_value()
    assert logon == f"{USER}@{before.external_id}.onaliyun.com"
    assert await may_call(vendor, vendor.members[1]), "the other member is as it was"


async def test_what_an_unfinished_rotation_left_is_removed(vendor: AlicloudWorld) -> None:
    before = vendor.members[0]
    left = await more_keys(vendor, before)
    async with opened(vendor.target()) as cloud:
        after = await cloud.accounts.rotate(before.external_id)
    assert await may_call(vendor, after)
    assert not await may_call(vendor, before)
    assert not await may_call(vendor, left)


async def test_a_key_whose_answer_was_lost_is_removed(vendor: AlicloudWorld) -> None:
    before = vendor.members[0]
    async with opened(vendor.target()) as cloud:
        await vendor.faults(before, answer_lost=1, in_a_row=1)
        after = await cloud.accounts.rotate(before.external_id)
    await vendor.faults(before)
    assert await may_call(vendor, after)
    assert await signs_in(vendor, after)
    assert not await may_call(vendor, before)
    client = RamClient(vendor.bench.config(after))
    listed = await asyncio.to_thread(client.list_access_keys, ListAccessKeysRequest(user_name=USER))
    held = [one.access_key_id for one in listed.body.access_keys.access_key]
    assert after.access_key is not None
    assert held == [after.access_key.key_id]


async def test_a_rotation_goes_on_through_throttling(
    vendor: AlicloudWorld,
) -> None:
    before = vendor.members[0]
    async with opened(vendor.target()) as cloud:
        await vendor.faults(before, throttled=1, in_a_row=2)
        after = await cloud.accounts.rotate(before.external_id)
    assert await may_call(vendor, after)
    assert not await may_call(vendor, before)


async def test_a_cloud_that_only_throttles_is_unavailable_and_the_old_key_stays(
    vendor: AlicloudWorld,
) -> None:
    await vendor.faults(vendor.management, throttled=1, in_a_row=1000)
    keys = RoleKeys(endpoint=endpoint(vendor), clock=SystemClock(), seconds=900, deadline_s=3)
    try:
        with pytest.raises(ProofwalkError) as caught:
            await keys.assume(
                vendor.management,
                account_id=vendor.members[0].external_id,
                role=MEMBER_ROLE,
            )
    finally:
        keys.close()
    assert (caught.value.code, caught.value.retryable) == ("cloud.unavailable", True)
    # The last try may be cut short by the deadline.
    assert re.search(r"Throttling\.User|no answer within 3 s", caught.value.message)
    assert await may_call(vendor, vendor.members[0])


async def test_members_say_what_they_are_set_aside_for(vendor: AlicloudWorld) -> None:
    first, second = [one.external_id for one in vendor.members]
    members = [{"id": first, "site": "intl", "purposes": ["training"]}, second]
    target = vendor.target(directory=vendor.directory(members=members), user=USER)
    async with opened(target) as cloud:
        assert [(one.external_id, one.dedication) for one in await cloud.accounts.accounts()] == [
            (first, dedicated(site="intl", purposes=["training"])),
            (second, SERVES_ALL),
        ]


@pytest.mark.parametrize(
    ("changes", "code", "word"),
    [
        ({"members": ["4711"]}, "cloud.not_found", "has no member 4711"),
        ({"role": "Nobody"}, "cloud.bad_answer", "EntityNotExist.Role"),
        ({"access_key": {"id": "LTAInone", "secret": "s"}}, "cloud.denied", "NotFound"),
    ],
)
async def test_a_directory_that_is_not_so_is_named(
    vendor: AlicloudWorld, changes: dict[str, Any], code: str, word: str
) -> None:
    options = vendor.directory(**changes)
    async with opened(vendor.target(directory=options, user=USER)) as cloud:
        with pytest.raises(ProofwalkError) as caught:
            await cloud.accounts.rotate(options["members"][0])
    assert caught.value.code == code
    assert word in caught.value.message
    assert not caught.value.retryable


async def test_a_member_without_the_user_is_named(vendor: AlicloudWorld) -> None:
    target = vendor.target(directory=vendor.directory(), user="walker")
    async with opened(target) as cloud:
        with pytest.raises(ProofwalkError) as caught:
            await cloud.accounts.rotate(vendor.members[0].external_id)
    assert caught.value.code == "cloud.not_found"
    assert "no RAM user 'walker'" in caught.value.message
    assert "makes no users" in caught.value.hint


def accounts_file(folder: Path, *accounts: CloudAccount) -> str:
    rows = [
        {
            "external_id": one.external_id,
            "login": {name: value.get_secret_value() for name, value in one.login.fields.items()},
            "access_key": {
                "id": one.access_key.key_id,
                "secret": one.access_key.secret.get_secret_value(),
            },
        }
        for one in accounts
        if one.access_key is not None
    ]
    path = folder / "accounts.yaml"
    path.write_text(json.dumps({"accounts": rows}))
    return str(path)


async def test_keys_of_administrators_in_a_file_rotate_another_user(
    vendor: AlicloudWorld, tmp_path: Path
) -> None:
    before = vendor.members[0]
    made = await vendor.bench.admin(
        f"/accounts/{before.external_id}/users", {"user": "administrator"}
    )
    path = accounts_file(tmp_path, account_of(made))
    async with opened(vendor.target(accounts=path, user=USER)) as cloud:
        listed = await cloud.accounts.accounts()
        assert [(one.external_id, one.access_key) for one in listed] == [(before.external_id, None)]
        after = await cloud.accounts.rotate(before.external_id)
        assert await may_call(vendor, after)
        assert not await may_call(vendor, before)
        assert await may_call(vendor, account_of(made))


async def test_a_key_that_would_be_removed_does_not_administer(
    vendor: AlicloudWorld, tmp_path: Path
) -> None:
    path = accounts_file(tmp_path, vendor.members[0])
    async with opened(vendor.target(accounts=path, user=USER)) as cloud:
        with pytest.raises(ProofwalkError) as caught:
            await cloud.accounts.rotate(vendor.members[0].external_id)
    assert caught.value.code == "target.invalid"
    assert "administrator's key" in caught.value.message
    assert await may_call(vendor, vendor.members[0])


async def test_credentials_kept_by_hand_are_given_and_not_replaced(
    vendor: AlicloudWorld, tmp_path: Path
) -> None:
    path = accounts_file(tmp_path, *vendor.members)
    async with opened(vendor.target(accounts=path)) as cloud:
        listed = await cloud.accounts.accounts()
        assert all([await may_call(vendor, one) for one in listed])
        with pytest.raises(ProofwalkError) as caught:
            await cloud.accounts.rotate(listed[0].external_id)
    assert caught.value.code == "cloud.unsupported"


async def test_a_roles_key_is_used_again_until_half_of_its_time_and_then_asked_anew(
    tmp_path: Path,
) -> None:
    clock = ManualClock(datetime.now(UTC))
    async with world(tmp_path, clock=clock, clock_skew_s=1e8) as vendor:
        keys = RoleKeys(endpoint=endpoint(vendor), clock=clock, seconds=900)

        async def key() -> CloudAccount:
            member = vendor.members[0].external_id
            return await keys.assume(vendor.management, account_id=member, role=MEMBER_ROLE)

        try:
            first = await key()
            clock.advance(440)
            assert await key() == first
            clock.advance(20)
            second = await key()
            assert second != first
            assert await may_call(vendor, first)
            clock.advance(450)
            assert not await may_call(vendor, first)
            assert await may_call(vendor, second)
        finally:
            keys.close()


async def test_an_expired_key_is_denied_and_not_tried_again(tmp_path: Path) -> None:
    clock = ManualClock(datetime.now(UTC))
    async with world(tmp_path, clock=clock, clock_skew_s=1e8) as vendor:
        keys = RoleKeys(endpoint=endpoint(vendor), clock=clock, seconds=900)
        member = vendor.members[0].external_id
        held = await keys.assume(vendor.management, account_id=member, role=MEMBER_ROLE)
        keys.close()
        clock.advance(901)
        async with opened(vendor.target()) as cloud:
            assert cloud.audit is not None
            assert cloud.inventory is not None
            start = clock.now() - timedelta(hours=1)
            for call in (
                cloud.audit.events(held, start=start, end=clock.now()),
                cloud.inventory.list(held),
            ):
                with pytest.raises(ProofwalkError) as caught:
                    await call
                assert caught.value.code == "cloud.denied"
                assert "InvalidSecurityToken.Expired" in caught.value.message
                assert not caught.value.retryable


async def test_terraform_gets_a_short_lived_key_of_the_role(vendor: AlicloudWorld) -> None:
    account = vendor.members[0]
    trusted = {"RAM": [f"acs:ram::{account.external_id}:root"]}
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": trusted}
    document = json.dumps({"Version": "1", "Statement": [statement]})
    client = RamClient(vendor.bench.config(account))
    request = CreateRoleRequest(role_name="builder", assume_role_policy_document=document)
    await asyncio.to_thread(client.create_role, request)
    options = {
        "directory": vendor.directory(),
        "user": USER,
        "provisioning": {"role": "builder", "seconds": 900},
    }
    async with opened(vendor.target(**options)) as cloud:
        assert cloud.provisioning is not None
        secret = await cloud.provisioning.environment(account, region=REGION)
        again = await cloud.provisioning.environment(account, region=REGION)
    assert secret == again
    given = {name: value.get_secret_value() for name, value in secret.items()}
    assert account.access_key is not None
    assert account.access_key.secret.get_secret_value() not in given.values()
    assert given["ALICLOUD_ACCESS_KEY"].startswith("STS.")
    assert given["ALICLOUD_ENDPOINT_URL"] == vendor.bench.url
    config = vendor.bench.config(account)
    config.access_key_id = given["ALICLOUD_ACCESS_KEY"]
    config.access_key_secret = given["ALICLOUD_SECRET_KEY"]
    config.security_token = given["ALICLOUD_SECURITY_TOKEN"]
    made = await asyncio.to_thread(VpcClient(config).create_vpc, CreateVpcRequest(region_id=REGION))
    async with opened(vendor.target()) as cloud:
        assert cloud.inventory is not None
        assert made.body.vpc_id in [one.id for one in await cloud.inventory.list(account)]


async def test_a_role_that_does_not_trust_the_account_gives_terraform_nothing(
    vendor: AlicloudWorld,
) -> None:
    options = {"directory": vendor.directory(), "user": USER, "provisioning": {"role": "builder"}}
    async with opened(vendor.target(**options)) as cloud:
        assert cloud.provisioning is not None
        with pytest.raises(ProofwalkError) as caught:
            await cloud.provisioning.environment(vendor.members[0], region=REGION)
    assert caught.value.code == "cloud.bad_answer"
    assert "EntityNotExist.Role" in caught.value.message


async def test_no_secret_is_in_a_log_a_representation_or_an_error(
    vendor: AlicloudWorld, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    account = vendor.members[0]
    with caplog.at_level(logging.DEBUG):
        async with opened(vendor.target()) as cloud:
            after = await cloud.accounts.rotate(account.external_id)
            keys = RoleKeys(endpoint=endpoint(vendor), clock=ManualClock(), seconds=900)
            held = await keys.assume(
                vendor.management, account_id=account.external_id, role=MEMBER_ROLE
            )
            shown = repr((after, held, vars(keys), vars(cloud.accounts)))
            keys.close()
            with pytest.raises(ProofwalkError) as caught:
                await cloud.accounts.rotate("4711")
    assert held.access_key is not None
    assert held.access_key.security_token is not None
    assert after.access_key is not None
    assert vendor.management.access_key is not None
    secrets = [
        after.access_key.secret,
        after.login.fields["password"],
        held.access_key.secret,
        held.access_key.security_token,
        vendor.management.access_key.secret,
    ]
    printed = "".join(capfd.readouterr())
    told = shown + caplog.text + printed + str(caught.value) + repr(caught.value)
    assert not [one for one in secrets if one.get_secret_value() in told]


def test_passwords_are_of_every_class_and_never_the_same() -> None:
    made = {strong_password() for _ in range(50)}
    assert len(made) == 50
    for password in made:
        assert len(password) == 28
        for wanted in ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9]"):
            assert re.search(wanted, password)
