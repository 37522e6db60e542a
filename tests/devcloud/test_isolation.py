"""Accounts cannot see or touch each other, whatever they do and in whatever order."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofwalk.devcloud.engine.state.faults import CloudError
from tests.devcloud.conftest import Bench, make_bench

ACCOUNTS = ("1000000000000001", "1000000000000002", "1000000000000003")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(ACCOUNTS),
        st.sampled_from(
            [
                "CreateVpc",
                "CreateVSwitch",
                "CreateSecurityGroup",
                "DeleteVpc",
                "TagResources",
                "ModifyVpc",
                "wait",
            ]
        ),
        st.integers(min_value=0, max_value=7),
    ),
    max_size=40,
)


def act(bench: Bench, account: str, action: str, number: int, seen: list[str]) -> str | None:
    """One step; `seen` are VPC ids of any account, so a step often names a
    stranger's."""
    target = seen[number % len(seen)] if seen else "vpc-none"
    if action == "wait":
        bench.clock.advance(1)
    elif action == "CreateVpc":
        made: str = bench.call(
            account, "vpc", "CreateVpc", CidrBlock=f"10.{number}.0.0/16", VpcName=f"v{number}"
        )["VpcId"]
        return made
    elif action == "CreateVSwitch":
        bench.call(
            account,
            "vpc",
            "CreateVSwitch",
            VpcId=target,
            ZoneId="cn-hangzhou-h",
            CidrBlock=f"10.{number}.{number}.0/24",
        )
    elif action == "CreateSecurityGroup":
        bench.call(
            account, "ecs", "CreateSecurityGroup", VpcId=target, SecurityGroupName=f"sg-{number}"
        )
    elif action == "DeleteVpc":
        bench.call(account, "vpc", "DeleteVpc", VpcId=target)
    elif action == "TagResources":
        tag = {
            "ResourceType": "VPC",
            "ResourceId__1": target,
            "Tag__1__Key": "owner",
            "Tag__1__Value": account,
        }
        bench.call(account, "vpc", "TagResources", **tag)
    else:
        bench.call(account, "vpc", "ModifyVpcAttribute", VpcId=target, VpcName=f"of-{account}")
    return None


def picture(bench: Bench, account: str) -> list[Any]:
    return [r.snapshot() for r in bench.cloud.world.inventory(account)]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_a_step_of_one_account_changes_no_other(steps: list[tuple[str, str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = make_bench(Path(folder))
        for account in ACCOUNTS:
            bench.cloud.furnish(account)
        seen: list[str] = []
        owner: dict[str, str] = {}
        counts = dict.fromkeys(ACCOUNTS, 0)
        for account, action, number in steps:
            bench.cloud.settle()
            before = {other: picture(bench, other) for other in ACCOUNTS if other != account}
            own = picture(bench, account)
            refused = False
            try:
                made = act(bench, account, action, number, seen)
            except CloudError:
                refused, made = True, None
            if made is not None:
                seen.append(made)
                owner[made] = account
            counts[account] += action != "wait"
            if action != "wait":
                assert before == {other: picture(bench, other) for other in before}
                assert not refused or own == picture(bench, account)
        for account in ACCOUNTS:
            listed = bench.call(account, "vpc", "DescribeVpcs", PageSize=50)["Vpcs"]["Vpc"]
            assert all(owner[v["VpcId"]] == account for v in listed)
            assert all(t["Value"] == account for v in listed for t in v["Tags"]["Tag"])
            events = bench.events(account)
            assert {e["recipientAccountId"] for e in events} == {account}
            assert len(events) == min(50, counts[account] + 1)
        assert sorted((r.account, r.id) for r in bench.cloud.store.resources()) == sorted(
            (r.account, r.id) for a in ACCOUNTS for r in bench.cloud.world.inventory(a)
        )
        bench.cloud.store.close()
