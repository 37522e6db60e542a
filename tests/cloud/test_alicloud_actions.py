"""Single operations of the vendor's API in an account, against devcloud on the wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from proofwalk.cloud.alicloud.actions import AccountCaller, AlicloudActions
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.sdk_calls import Endpoint
from proofwalk.cloud.steps.caller import Answer, Values
from proofwalk.cloud.steps.model import ApiCall, HttpCall, Preparation
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from tests.cloud.alicloud_world import REGION, account_of
from tests.cloud.devcloud_bench import DevcloudBench, serving

VALUES = Values(outputs={"cidr": "10.0.0.0/8"}, variables={"name_prefix": "pw1"})


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[DevcloudBench]:
    async with serving(tmp_path) as made:
        yield made


@pytest.fixture
async def account(bench: DevcloudBench) -> CloudAccount:
    (made,) = (await bench.admin("/accounts", {"count": 1}))["accounts"]
    return account_of(made)


@pytest.fixture
def actions(bench: DevcloudBench) -> Any:
    made = AlicloudActions(
        endpoint_of=lambda product, region: Endpoint(
            address=bench.url.removeprefix("http://"), protocol="HTTP", region=region
        ),
        clock=SystemClock(),
        settles_s=0.5,
    )
    yield made
    made.close()


@pytest.fixture
def caller(actions: AlicloudActions, account: CloudAccount) -> AccountCaller:
    return actions.caller(account, region=REGION)


async def _ask(caller: AccountCaller, product: str, operation: str, **parameters: Any) -> Answer:
    call = ApiCall(api=product, operation=operation, parameters=parameters)
    return await caller.call(call, VALUES)


async def test_an_operation_is_carried_out_with_what_references_stand_for(
    caller: AccountCaller,
) -> None:
    made = await _ask(
        caller,
        "vpc",
        "CreateVpc",
        CidrBlock="${output.cidr}",
        VpcName="${var.name_prefix}-vpc",
        Tag=[{"Key": "team", "Value": "blue"}],
    )
    answer = made.json()
    assert made.status == 200
    assert isinstance(answer, dict)
    seen = (await _ask(caller, "vpc", "DescribeVpcs", VpcId=answer["VpcId"])).json()
    assert isinstance(seen, dict)
    (vpc,) = seen["Vpcs"]["Vpc"]
    assert (vpc["VpcName"], vpc["CidrBlock"], vpc["RegionId"]) == ("pw1-vpc", "10.0.0.0/8", REGION)
    assert vpc["Tags"]["Tag"] == [{"Key": "team", "Value": "blue"}]


async def test_a_refusal_is_an_answer_by_what_it_means(
    caller: AccountCaller, actions: AlicloudActions, account: CloudAccount
) -> None:
    absent = await _ask(caller, "vpc", "DeleteVpc", VpcId="vpc-nothing")
    assert (absent.status, absent.text) == (404, "InvalidVpcId.NotFound")
    wrong = await _ask(caller, "vpc", "CreateVpc", CidrBlock="300.0.0.0/8")
    assert wrong.status == 400
    made = (await _ask(caller, "vpc", "CreateVpc", CidrBlock="10.0.0.0/8")).json()
    assert isinstance(made, dict)
    switch = {"ZoneId": f"{REGION}-h", "CidrBlock": "10.1.0.0/16", "VpcId": made["VpcId"]}
    await _ask(caller, "vpc", "CreateVSwitch", **switch)
    blocked = await _ask(caller, "vpc", "DeleteVpc", VpcId=made["VpcId"])
    assert blocked.status == 409
    assert account.access_key is not None
    stranger = replace(account, access_key=replace(account.access_key, secret=SecretStr("no")))
    denied = await _ask(actions.caller(stranger, region=REGION), "vpc", "DescribeVpcs")
    assert denied.status == 403


async def test_a_cloud_that_is_away_is_no_answer(
    caller: AccountCaller, bench: DevcloudBench
) -> None:
    await bench.break_down()
    with pytest.raises(ProofwalkError) as caught:
        await _ask(caller, "vpc", "DescribeVpcs")
    assert (caught.value.code, caught.value.retryable) == ("cloud.unavailable", True)


@pytest.mark.parametrize(
    "call",
    [
        ApiCall(api="oss", operation="PutBucket"),
        ApiCall(api="nothing", operation="DescribeVpcs"),
    ],
)
async def test_what_nobody_can_call_is_refused_before_it_is_begun(
    caller: AccountCaller, call: ApiCall
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        caller.refuse_undeclared(Preparation(leftovers=(call,)))
    assert caught.value.code == "meta.steps_undeclared"
    assert caught.value.details["path"] == "leftovers.0"
    caller.refuse_undeclared(Preparation(leftovers=(ApiCall(api="ecs", operation="StopInstance"),)))


async def test_requests_to_a_console_are_none_of_a_clouds_operations(
    caller: AccountCaller,
) -> None:
    with pytest.raises(TypeError):
        await caller.call(HttpCall(http="GET", path="/"), VALUES)


async def test_the_key_is_never_quoted(caller: AccountCaller, account: CloudAccount) -> None:
    assert account.access_key is not None
    secret = account.access_key.secret.get_secret_value()
    assert caller.quoted(f"you  sent {secret} {'x' * 400}").startswith("you sent *** xxx")
