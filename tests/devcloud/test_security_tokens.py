"""AssumeRole through the official client: who may assume what for how long, and what a
short-lived key is worth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alibabacloud_ram20150501.client import Client as RamClient
from alibabacloud_ram20150501.models import CreateRoleRequest
from alibabacloud_sts20150401.client import Client as StsClient
from alibabacloud_sts20150401.models import AssumeRoleRequest
from alibabacloud_tea_openapi.exceptions import AlibabaCloudException
from alibabacloud_tea_openapi.utils_models import Config
from alibabacloud_vpc20160428.client import Client as VpcClient
from alibabacloud_vpc20160428.models import CreateVpcRequest

from proofwalk.kernel.clock import ManualClock
from tests.devcloud.conftest import REGION, Backend, start_backend

MEMBER_ROLE = "ResourceDirectoryAccountAccessRole"


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """Its signatures may be old: the tests move its clock, and not the clients'."""
    clock = ManualClock(datetime.now(UTC))
    folder = tmp_path_factory.mktemp("devcloud")
    made, end = start_backend(folder, clock, audit_lag_s=0, clock_skew_s=1e8)
    yield made
    end()


def trust(*, effect: str = "Allow", **statement: Any) -> dict[str, Any]:
    return {"Effect": effect, "Action": "sts:AssumeRole", **statement}


def root(account: dict[str, str]) -> dict[str, list[str]]:
    return {"RAM": [f"acs:ram::{account['account_id']}:root"]}


def make_role(
    backend: Backend, account: dict[str, str], name: str, *statements: dict[str, Any]
) -> str:
    document = json.dumps({"Version": "1", "Statement": statements})
    RamClient(backend.config(account)).create_role(
        CreateRoleRequest(role_name=name, assume_role_policy_document=document)
    )
    return f"acs:ram::{account['account_id']}:role/{name}"


def assume(backend: Backend, account: dict[str, str], arn: str, **more: Any) -> Any:
    given = {"role_session_name": "walk", **more}
    request = AssumeRoleRequest(role_arn=arn, **given)
    return StsClient(backend.config(account)).assume_role(request).body


def config(backend: Backend, key: Any, **more: str) -> Config:
    given = {
        "access_key_id": key.access_key_id,
        "access_key_secret": key.access_key_secret,
        "security_token": key.security_token,
        **more,
    }
    return Config(endpoint=backend.host, protocol="http", region_id=REGION, **given)


def whoami(settings: Config) -> Any:
    return StsClient(settings).get_caller_identity().body


def test_a_session_acts_in_the_account_of_its_role(backend: Backend) -> None:
    mine, theirs = backend.account(), backend.account()
    arn = make_role(backend, theirs, "builder", trust(Principal=root(mine)))
    given = assume(backend, mine, arn)
    assert given.assumed_role_user.arn == f"{arn}/walk"
    settings = config(backend, given.credentials)
    identity = whoami(settings)
    assert (identity.account_id, identity.identity_type) == (
        theirs["account_id"],
        "AssumedRoleUser",
    )
    made = VpcClient(settings).create_vpc(CreateVpcRequest(region_id=REGION))
    assert [one["id"] for one in backend.inventory(theirs) if one["product"] == "vpc"] == [
        made.body.vpc_id
    ]
    assert not [one for one in backend.inventory(mine) if one["product"] == "vpc"]


def test_its_events_say_who_it_was(backend: Backend) -> None:
    from alibabacloud_actiontrail20200706.client import Client
    from alibabacloud_actiontrail20200706.models import LookupEventsRequest

    account = backend.account()
    arn = make_role(backend, account, "builder", trust(Principal=root(account)))
    key = assume(backend, account, arn).credentials
    VpcClient(config(backend, key)).create_vpc(CreateVpcRequest(region_id=REGION))
    found = Client(backend.config(account)).lookup_events(LookupEventsRequest()).body.events
    by_name = {event["eventName"]: event for event in found}
    identity = by_name["CreateVpc"]["userIdentity"]
    assert (identity["type"], identity["userName"]) == ("assumed-role", "builder:walk")
    assert identity["accessKeyId"] == key.access_key_id
    told = json.dumps(by_name["AssumeRole"])
    assert key.access_key_secret not in told
    assert key.security_token not in told


@pytest.mark.parametrize(
    "statements",
    [
        (),
        (trust(Principal={"Service": ["ecs.aliyuncs.com"]}),),
        (trust(Principal={"RAM": "acs:ram::1:root"}),),
        (trust(Principal="root of mine", Action="ram:GetUser"),),
        (trust(Principal="root of mine"), trust(Principal="root of mine", effect="Deny")),
        (trust(Principal="root of mine", Condition={"Bool": {"acs:MFAPresent": "true"}}),),
    ],
    ids=["nothing", "a service", "another account", "another action", "denied", "a condition"],
)
def test_a_role_that_does_not_trust_the_caller_is_not_assumed(
    backend: Backend, statements: tuple[dict[str, Any], ...]
) -> None:
    mine, theirs = backend.account(), backend.account()
    named = [
        {**one, "Principal": root(mine)} if isinstance(one["Principal"], str) else one
        for one in statements
    ]
    arn = make_role(backend, theirs, "closed", *named)
    with pytest.raises(AlibabaCloudException) as refused:
        assume(backend, mine, arn)
    assert (refused.value.code, refused.value.status_code) == ("NoPermission", 403)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"duration_seconds": 899}, "InvalidParameter.DurationSeconds"),
        ({"duration_seconds": 3601}, "InvalidParameter.DurationSeconds"),
        ({"role_session_name": "a b"}, "InvalidParameter.RoleSessionName"),
        ({"policy": "{}"}, "InvalidParameter.PolicyGrammar"),
        ({"policy": "x" * 2049}, "InvalidParameter.PolicyGrammar"),
    ],
)
def test_a_wrong_parameter_is_named(backend: Backend, more: dict[str, Any], code: str) -> None:
    account = backend.account()
    arn = make_role(backend, account, "builder", trust(Principal=root(account)))
    with pytest.raises(AlibabaCloudException) as refused:
        assume(backend, account, arn, **more)
    assert refused.value.code == code


def test_a_role_that_is_not_there_is_not_assumed(backend: Backend) -> None:
    account = backend.account()
    with pytest.raises(AlibabaCloudException) as refused:
        assume(backend, account, f"acs:ram::{account['account_id']}:role/nobody")
    assert refused.value.code == "EntityNotExist.Role"


def test_a_key_needs_its_own_token_until_it_expires(backend: Backend) -> None:
    account = backend.account()
    arn = make_role(backend, account, "builder", trust(Principal=root(account)))
    key = assume(backend, account, arn, duration_seconds=900).credentials
    expires = datetime.fromisoformat(key.expiration.replace("Z", "+00:00"))
    assert abs(expires - backend.clock.now() - timedelta(seconds=900)) < timedelta(seconds=2)
    assert whoami(config(backend, key)).account_id == account["account_id"]
    for more, code in (
        ({"security_token": ""}, "MissingSecurityToken"),
        ({"security_token": "another"}, "InvalidSecurityToken.MismatchWithAccessKey"),
        ({"access_key_secret": "another"}, "SignatureDoesNotMatch"),
    ):
        with pytest.raises(AlibabaCloudException) as refused:
            whoami(config(backend, key, **more))
        assert refused.value.code == code
    backend.clock.advance(901)
    with pytest.raises(AlibabaCloudException) as refused:
        whoami(config(backend, key))
    assert refused.value.code == "InvalidSecurityToken.Expired"


def test_the_management_account_alone_assumes_the_role_of_members(backend: Backend) -> None:
    management, member, stranger = (backend.account() for _ in range(3))
    arn = f"acs:ram::{member['account_id']}:role/{MEMBER_ROLE}"
    backend.admin(
        "POST",
        "/directory",
        {"management": management["account_id"], "members": [member["account_id"]]},
    )
    key = assume(backend, management, arn).credentials
    assert whoami(config(backend, key)).account_id == member["account_id"]
    with pytest.raises(AlibabaCloudException) as refused:
        assume(backend, stranger, arn)
    assert refused.value.code == "EntityNotExist.Role"
    make_role(backend, member, MEMBER_ROLE, trust(Principal=root(stranger)))
    assume(backend, management, arn)
    assume(backend, stranger, arn)
    with pytest.raises(AlibabaCloudException) as refused:
        assume(backend, member, arn)
    assert refused.value.code == "NoPermission"


def test_a_session_outlives_a_restart(tmp_path: Path) -> None:
    clock = ManualClock(datetime.now(UTC))
    backend, end = start_backend(tmp_path, clock)
    account = backend.account()
    arn = make_role(backend, account, "builder", trust(Principal=root(account)))
    key = assume(backend, account, arn).credentials
    end()
    assert key.security_token.encode() not in (tmp_path / "devcloud.sqlite").read_bytes()
    backend, end = start_backend(tmp_path, clock)
    try:
        assert whoami(config(backend, key)).account_id == account["account_id"]
    finally:
        end()
