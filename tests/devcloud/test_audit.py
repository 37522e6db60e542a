"""One event for each operation, with the real names, after the lag."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alibabacloud_actiontrail20200706 import models as a
from alibabacloud_actiontrail20200706.client import Client as ActionTrail
from alibabacloud_tea_openapi.exceptions import AlibabaCloudException
from alibabacloud_vpc20160428 import models as v
from alibabacloud_vpc20160428.client import Client as Vpc

from proofwalk.devcloud.engine.audit import zulu
from proofwalk.devcloud.engine.state.faults import CloudError
from tests.devcloud.conftest import REGION, Backend, HttpFailure, make_bench


def lookup(backend: Backend, account: dict[str, str], **more: Any) -> list[dict[str, Any]]:
    client = ActionTrail(backend.config(account))
    found: list[dict[str, Any]] = []
    token = None
    while True:
        body = client.lookup_events(
            a.LookupEventsRequest(direction="FORWARD", max_results="50", next_token=token, **more)
        ).body
        found += body.events
        token = body.next_token
        if not token:
            return [event for event in found if event["eventName"] != "LookupEvents"]


def attribute(key: str, value: str) -> list[Any]:
    return [a.LookupEventsRequestLookupAttribute(key=key, value=value)]


def test_event_fields_of_a_success_and_a_failure(backend: Backend, account: dict[str, str]) -> None:
    vpc = Vpc(backend.config(account))
    vpc_id = vpc.create_vpc(
        v.CreateVpcRequest(region_id=REGION, vpc_name="prod", cidr_block="10.0.0.0/8")
    ).body.vpc_id
    with pytest.raises(AlibabaCloudException) as caught:
        vpc.create_vpc(v.CreateVpcRequest(region_id=REGION, cidr_block="8.8.8.0/24"))
    made, failed = lookup(backend, account)
    assert made["eventName"] == "CreateVpc"
    assert made["eventType"] == "ApiCall"
    assert made["eventRW"] == "Write"
    assert made["serviceName"] == "Vpc"
    assert made["apiVersion"] == "2016-04-28"
    assert made["acsRegion"] == REGION
    assert made["requestParameters"] == {
        "RegionId": REGION,
        "VpcName": "prod",
        "CidrBlock": "10.0.0.0/8",
    }
    assert json.loads(made["requestParameterJson"]) == made["requestParameters"]
    assert made["responseElements"]["VpcId"] == vpc_id
    assert made["referencedResources"] == {"ACS::VPC::VPC": [vpc_id]}
    assert (made["resourceType"], made["resourceName"]) == ("ACS::VPC::VPC", vpc_id)
    assert made["userIdentity"]["accountId"] == made["recipientAccountId"] == account["account_id"]
    assert made["userIdentity"]["accessKeyId"] == account["access_key_id"]
    assert "errorCode" not in made
    assert failed["errorCode"] == "InvalidCidrBlock.Malformed" == caught.value.code
    assert failed["errorMessage"] == "Specified CIDR block is not valid."
    assert failed["requestId"] == caught.value.data["RequestId"]


def test_lookup_filters_and_pages(backend: Backend, account: dict[str, str]) -> None:
    vpc = Vpc(backend.config(account))
    start = backend.clock.now()
    vpc_id = vpc.create_vpc(
        v.CreateVpcRequest(region_id=REGION, cidr_block="10.0.0.0/8")
    ).body.vpc_id
    for _ in range(4):
        vpc.describe_vpcs(v.DescribeVpcsRequest(region_id=REGION))
    backend.clock.advance(2)
    vpc.describe_vpc_attribute(v.DescribeVpcAttributeRequest(region_id=REGION, vpc_id=vpc_id))
    client = ActionTrail(backend.config(account))
    names: list[str] = []
    token = None
    for _ in range(6):
        body = client.lookup_events(
            a.LookupEventsRequest(
                max_results="2", next_token=token, direction="FORWARD", end_time=zulu(start)
            )
        ).body
        names += [event["eventName"] for event in body.events]
        token = body.next_token
        if not token:
            break
    assert names == ["CreateVpc", *["DescribeVpcs"] * 4]
    assert [
        e["eventName"]
        for e in lookup(backend, account, lookup_attribute=attribute("EventRW", "Write"))
    ] == ["CreateVpc"]
    assert len(lookup(backend, account, lookup_attribute=attribute("ResourceName", vpc_id))) == 2
    assert lookup(backend, account, lookup_attribute=attribute("User", "nobody")) == []
    later = zulu(start + timedelta(seconds=1))
    assert [e["eventName"] for e in lookup(backend, account, start_time=later)] == [
        "DescribeVpcAttribute"
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"MaxResults": "51"},
        {"Direction": "SIDEWAYS"},
        {"StartTime": "yesterday"},
        {"StartTime": "2026-02-01T00:00:00Z", "EndTime": "2026-01-01T00:00:00Z"},
        {"LookupAttribute.1.Key": "Colour", "LookupAttribute.1.Value": "red"},
        {"NextToken": "!"},
    ],
)
def test_lookup_refuses_nonsense(tmp_path: Path, wrong: dict[str, str]) -> None:
    bench = make_bench(tmp_path)
    with pytest.raises(CloudError) as caught:
        bench.cloud.audit.lookup("1", wrong, bench.clock.now())
    assert caught.value.code == "InvalidQueryParameter"
    bench.cloud.store.close()


def test_an_event_is_delivered_after_the_lag(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, lag=60)
    bench.call("1", "vpc", "CreateVpc", CidrBlock="10.0.0.0/8")
    bench.clock.advance(59)
    assert bench.events("1") == []
    bench.clock.advance(1)
    (event,) = bench.events("1")
    assert event["eventTime"] == "2026-01-01T00:00:00Z"
    bench.cloud.store.close()


def test_sign_in_is_recorded_good_and_bad(backend: Backend, account: dict[str, str]) -> None:
    backend.browser(account)
    with pytest.raises(HttpFailure):
        backend.browser({**account, "password": "wrong"})
    good, bad = lookup(backend, account)
    assert good["eventName"] == good["eventType"] == "ConsoleSignin"
    assert "errorCode" not in good
    assert bad["errorCode"] == "SignIn.Failed"
    assert "wrong" not in json.dumps(bad)


def test_passwords_are_masked_in_events_and_not_kept(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    with pytest.raises(CloudError):
        bench.call("1", "ecs", "RunInstances", Password="Secret-12345", InstanceType="ecs.g7.large")
    bench.cloud.store.close()
    assert b"Secret-12345" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
