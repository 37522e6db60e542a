"""What a plan of faults does to an account's calls, and that nothing is different
without one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from proofwalk.devcloud.engine.fault_injection import FaultPlan, SoldOut
from proofwalk.devcloud.engine.state.faults import CloudError
from tests.devcloud.conftest import IMAGE, Backend, Bench, HttpFailure, make_bench

ACCOUNT = "1000000000000001"
OTHER = "1000000000000002"


def codes(bench: Bench, calls: int, account: str = ACCOUNT) -> list[str]:
    """What so many reads were answered with; empty for an answer."""
    found = []
    for _ in range(calls):
        try:
            bench.call(account, "vpc", "DescribeVpcs")
            found.append("")
        except CloudError as error:
            found.append(f"{error.code} {error.status}")
    return found


def refused(bench: Bench, product: str, action: str, **params: Any) -> CloudError:
    with pytest.raises(CloudError) as caught:
        bench.call(ACCOUNT, product, action, **params)
    return caught.value


def network(bench: Bench) -> tuple[str, str]:
    """A VPC's and a security group's id."""
    vpc = bench.call(ACCOUNT, "vpc", "CreateVpc", CidrBlock="10.0.0.0/8")["VpcId"]
    bench.clock.advance(60)
    group = bench.call(ACCOUNT, "ecs", "CreateSecurityGroup", VpcId=vpc)["SecurityGroupId"]
    return vpc, group


def instance(bench: Bench, vpc: str, group: str, *, zone: str, block: int) -> dict[str, Any]:
    """The parameters of an instance in a vSwitch of its own."""
    made = bench.call(
        ACCOUNT, "vpc", "CreateVSwitch", VpcId=vpc, ZoneId=zone, CidrBlock=f"10.0.{block}.0/24"
    )
    bench.clock.advance(60)
    return {
        "ImageId": IMAGE,
        "InstanceType": "ecs.g7.large",
        "VSwitchId": made["VSwitchId"],
        "SecurityGroupId": group,
        "ZoneId": zone,
    }


def test_requests_are_refused_as_often_as_the_plan_says(bench: Bench) -> None:
    plan = FaultPlan(seed=5, throttled=0.2, unavailable=0.1, internal=0.1, in_a_row=1000)
    bench.cloud.faults.set(ACCOUNT, plan)
    counted = Counter(codes(bench, 1000))
    assert set(counted) == {
        "",
        "Throttling.User 400",
        "ServiceUnavailable 503",
        "InternalError 500",
    }
    assert 150 < counted["Throttling.User 400"] < 250
    assert 60 < counted["ServiceUnavailable 503"] < 140
    assert 60 < counted["InternalError 500"] < 140


def test_the_same_seed_meets_the_same_calls_and_another_account_none(bench: Bench) -> None:
    plan = FaultPlan(seed=7, throttled=0.5)
    bench.cloud.faults.set(ACCOUNT, plan)
    first = codes(bench, 40)
    bench.cloud.faults.set(ACCOUNT, plan)
    assert codes(bench, 40) == first
    bench.cloud.faults.set(ACCOUNT, FaultPlan(seed=8, throttled=0.5))
    assert codes(bench, 40) != first
    assert codes(bench, 40, OTHER) == [""] * 40


def test_an_operation_is_refused_only_so_often_in_a_row(bench: Bench) -> None:
    bench.cloud.faults.set(ACCOUNT, FaultPlan(throttled=1.0, in_a_row=3))
    assert [bool(code) for code in codes(bench, 8)] == [True, True, True, False] * 2


def test_a_refusal_of_the_moment_is_no_operation(bench: Bench) -> None:
    bench.cloud.faults.set(ACCOUNT, FaultPlan(throttled=1.0))
    assert refused(bench, "vpc", "CreateVpc", CidrBlock="10.0.0.0/8").code == "Throttling.User"
    assert bench.events(ACCOUNT) == []
    assert bench.cloud.world.of_kind(ACCOUNT, "vpc.vpc") == []


def test_a_lost_answer_is_that_of_a_call_that_was_done(bench: Bench) -> None:
    bench.cloud.faults.set(ACCOUNT, FaultPlan(answer_lost=1.0, in_a_row=1))
    call = {"CidrBlock": "10.0.0.0/8", "ClientToken": "t1"}
    assert refused(bench, "vpc", "CreateVpc", **call).status == 500
    again = bench.call(ACCOUNT, "vpc", "CreateVpc", **call)
    (made,) = bench.cloud.world.of_kind(ACCOUNT, "vpc.vpc")
    assert made.id == again["VpcId"]
    assert [event["eventName"] for event in bench.events(ACCOUNT)] == ["CreateVpc"] * 2


def test_reads_lag_behind_and_writes_do_not(bench: Bench) -> None:
    old = bench.call(ACCOUNT, "vpc", "CreateVpc", CidrBlock="10.0.0.0/8", VpcName="old")["VpcId"]
    bench.clock.advance(60)
    bench.cloud.faults.set(ACCOUNT, FaultPlan(lag_s=3))
    new = bench.call(ACCOUNT, "vpc", "CreateVpc", CidrBlock="10.0.0.0/8")["VpcId"]
    bench.call(ACCOUNT, "vpc", "ModifyVpcAttribute", VpcId=old, VpcName="renamed")

    def names() -> dict[str, str]:
        rows = bench.call(ACCOUNT, "vpc", "DescribeVpcs")["Vpcs"]["Vpc"]
        return {row["VpcId"]: row["VpcName"] for row in rows}

    assert names() == {old: "old"}
    assert bench.call(ACCOUNT, "vpc", "DescribeVpcAttribute", VpcId=old)["VpcName"] == "old"
    bench.clock.advance(2.9)
    assert names() == {old: "old"}
    bench.clock.advance(0.2)
    assert names() == {old: "renamed", new: ""}
    bench.call(ACCOUNT, "vpc", "DeleteVpc", VpcId=old)
    assert old in names()
    bench.clock.advance(3.1)
    assert old not in names()


def test_a_state_that_is_slowed_takes_longer(bench: Bench) -> None:
    bench.cloud.faults.set(ACCOUNT, FaultPlan(slowed=1.0, slow=100))
    bench.call(OTHER, "vpc", "CreateVpc", CidrBlock="10.0.0.0/8")
    bench.call(ACCOUNT, "vpc", "CreateVpc", CidrBlock="10.0.0.0/8")

    def state(account: str) -> str:
        found: str = bench.call(account, "vpc", "DescribeVpcs")["Vpcs"]["Vpc"][0]["Status"]
        return found

    bench.clock.advance(30)
    assert (state(OTHER), state(ACCOUNT)) == ("Available", "Pending")
    bench.clock.advance(3000)
    assert state(ACCOUNT) == "Available"


def test_a_retired_specification_is_refused_with_the_clouds_own_code(bench: Bench) -> None:
    vpc, group = network(bench)
    params = instance(bench, vpc, group, zone="cn-hangzhou-h", block=1)
    bench.cloud.faults.set(ACCOUNT, FaultPlan(retired=("ecs.g7.large",)))
    error = refused(bench, "ecs", "RunInstances", **params)
    assert (error.code, error.status) == ("InvalidInstanceType.ValueNotSupported", 403)
    assert bench.events(ACCOUNT)[-1]["errorCode"] == error.code
    bench.call(ACCOUNT, "ecs", "RunInstances", **{**params, "InstanceType": "ecs.g7.xlarge"})


def test_a_zone_without_stock_refuses_and_the_next_zone_has_it(bench: Bench) -> None:
    vpc, group = network(bench)
    here = instance(bench, vpc, group, zone="cn-hangzhou-h", block=1)
    there = instance(bench, vpc, group, zone="cn-hangzhou-i", block=2)
    sold_out = (SoldOut(zone="cn-hangzhou-h", value="ecs.g7.large"),)
    bench.cloud.faults.set(ACCOUNT, FaultPlan(sold_out=sold_out))
    error = refused(bench, "ecs", "RunInstances", **here)
    assert (error.code, error.status) == ("OperationDenied.NoStock", 403)
    bench.call(ACCOUNT, "ecs", "RunInstances", **{**here, "InstanceType": "ecs.g7.xlarge"})
    bench.call(ACCOUNT, "ecs", "RunInstances", **there)
    everything = (SoldOut(zone="cn-hangzhou-i"),)
    bench.cloud.faults.set(ACCOUNT, FaultPlan(sold_out=everything))
    assert refused(bench, "ecs", "RunInstances", **there).code == "OperationDenied.NoStock"


def test_a_plan_survives_a_restart_and_ends_when_it_is_taken_away(tmp_path: Path) -> None:
    before = make_bench(tmp_path)
    before.cloud.faults.set(ACCOUNT, FaultPlan(throttled=1.0))
    before.cloud.store.close()
    after = make_bench(tmp_path)
    assert codes(after, 1) == ["Throttling.User 400"]
    after.cloud.faults.set(ACCOUNT, FaultPlan())
    assert codes(after, 20) == [""] * 20
    after.cloud.store.close()


def test_a_plan_is_set_by_the_host_and_told_again(
    backend: Backend, account: dict[str, str]
) -> None:
    path = f"/accounts/{account['account_id']}/faults"
    plain = backend.admin("GET", path)
    assert (plain["throttled"], plain["lag_s"], plain["slow"]) == (0.0, 0.0, 1.0)
    told = backend.admin("POST", path, {"seed": 3, "lag_s": 2, "sold_out": [{"zone": "z"}]})
    assert told == {**plain, "seed": 3, "lag_s": 2.0, "sold_out": [{"zone": "z", "value": ""}]}
    for wrong in ({"throttled": 1.5}, {"unknown": 1}):
        with pytest.raises(HttpFailure) as caught:
            backend.admin("POST", path, wrong)
        assert caught.value.status == 422
    backend.admin("POST", path, {})
    assert backend.admin("GET", path) == plain


def test_a_session_of_the_console_is_spared_the_faults_of_the_moment(
    backend: Backend, account: dict[str, str]
) -> None:
    backend.admin("POST", f"/accounts/{account['account_id']}/faults", {"throttled": 1.0})
    rows = backend.browser(account).get("/console/api/r/vpc/vpc?region=cn-hangzhou")
    assert rows == {"rows": [], "total": 0}
