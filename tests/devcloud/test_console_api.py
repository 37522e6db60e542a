"""The console's way in: the same operations, state and events as the API's but for the
event type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from alibabacloud_actiontrail20200706 import models as a
from alibabacloud_actiontrail20200706.client import Client as ActionTrail
from alibabacloud_ecs20140526 import models as e
from alibabacloud_ecs20140526.client import Client as Ecs
from alibabacloud_vpc20160428 import models as v
from alibabacloud_vpc20160428.client import Client as Vpc

from proofwalk.devcloud.app import Bundle
from tests.devcloud.conftest import IMAGE, REGION, Backend, Browser, HttpFailure
from tests.devcloud.console_api import events, make, path

PASSWORD = "Sup3rSecret!"


def through_console(backend: Backend, account: dict[str, str]) -> None:
    browser = backend.browser(account)
    vpc = make(browser, "vpc.vpc", name="prod", cidr="192.168.0.0/16", description="d")
    backend.clock.advance(2)
    vswitch = make(
        browser, "vpc.vswitch", vpc_id=vpc, name="a", zone="cn-hangzhou-h", cidr="192.168.1.0/24"
    )
    group = make(browser, "ecs.security_group", name="web", vpc_id=vpc, type="normal")
    rule = {
        "policy": "accept",
        "priority": 1,
        "protocol": "tcp",
        "port": "22/22",
        "cidr": "0.0.0.0/0",
    }
    make(browser, "ecs.ingress_rule", group_id=group, **rule)
    backend.clock.advance(2)
    instance = make(
        browser,
        "ecs.instance",
        billing="PostPaid",
        zone="cn-hangzhou-h",
        type="ecs.g7.large",
        image=IMAGE,
        system_disk_category="cloud_essd",
        system_disk_size=40,
        vpc_id=vpc,
        vswitch_id=vswitch,
        security_group_id=group,
        bandwidth=0,
        password=PASSWORD,
        name="web-01",
        tags=[{"key": "task", "value": "t1"}],
        agree=True,
    )
    backend.clock.advance(5)
    browser.post(
        path("ecs.instance", instance, "stop"), {"stopped_mode": "StopCharging", "force": False}
    )
    backend.clock.advance(2)
    browser.post(path("ecs.instance", instance, "modify"), {"name": "web-02", "description": ""})
    with pytest.raises(HttpFailure) as caught:
        browser.post(path("ecs.instance", instance, "stop"), {})
    assert caught.value.body["code"] == "IncorrectInstanceStatus"


def through_api(backend: Backend, account: dict[str, str]) -> None:
    vswitch, group = network_through_api(backend, account)
    ecs = Ecs(backend.config(account))
    (instance,) = ecs.run_instances(
        e.RunInstancesRequest(
            region_id=REGION,
            instance_charge_type="PostPaid",
            zone_id="cn-hangzhou-h",
            instance_type="ecs.g7.large",
            image_id=IMAGE,
            system_disk=e.RunInstancesRequestSystemDisk(category="cloud_essd", size="40"),
            v_switch_id=vswitch,
            security_group_id=group,
            internet_max_bandwidth_out=0,
            password=PASSWORD,
            instance_name="web-01",
            tag=[e.RunInstancesRequestTag(key="task", value="t1")],
        )
    ).body.instance_id_sets.instance_id_set
    backend.clock.advance(5)
    stop = e.StopInstanceRequest(
        instance_id=instance, stopped_mode="StopCharging", force_stop=False
    )
    ecs.stop_instance(stop)
    backend.clock.advance(2)
    ecs.modify_instance_attribute(
        e.ModifyInstanceAttributeRequest(
            instance_id=instance, instance_name="web-02", description=""
        )
    )
    with pytest.raises(Exception, match="current status"):
        ecs.stop_instance(e.StopInstanceRequest(instance_id=instance))


def network_through_api(backend: Backend, account: dict[str, str]) -> tuple[str, str]:
    """A vSwitch and a security group with a rule."""
    vpc, ecs = Vpc(backend.config(account)), Ecs(backend.config(account))
    vpc_id = vpc.create_vpc(
        v.CreateVpcRequest(
            region_id=REGION, vpc_name="prod", cidr_block="192.168.0.0/16", description="d"
        )
    ).body.vpc_id
    backend.clock.advance(2)
    vswitch = vpc.create_vswitch(
        v.CreateVSwitchRequest(
            region_id=REGION,
            vpc_id=vpc_id,
            v_switch_name="a",
            zone_id="cn-hangzhou-h",
            cidr_block="192.168.1.0/24",
        )
    ).body.v_switch_id
    group = ecs.create_security_group(
        e.CreateSecurityGroupRequest(
            region_id=REGION, security_group_name="web", vpc_id=vpc_id, security_group_type="normal"
        )
    ).body.security_group_id
    ecs.authorize_security_group(
        e.AuthorizeSecurityGroupRequest(
            region_id=REGION,
            security_group_id=group,
            policy="accept",
            priority="1",
            ip_protocol="tcp",
            port_range="22/22",
            source_cidr_ip="0.0.0.0/0",
        )
    )
    backend.clock.advance(2)
    return vswitch, group


def comparable(backend: Backend, account: dict[str, str]) -> tuple[list[Any], list[Any]]:
    """State and events with ids, moments and callers replaced by what they stand
    for."""
    found = backend.admin("GET", f"/accounts/{account['account_id']}/inventory?all=1")["resources"]
    names = {r["id"]: f"<{r['type']}>" for r in found}
    replaced = json.dumps(found)
    logged = json.dumps(
        [
            {
                "name": event["eventName"],
                "error": event.get("errorCode"),
                "service": event["serviceName"],
                # an SDK call to a regional endpoint need not repeat the region
                "params": {k: p for k, p in event["requestParameters"].items() if k != "RegionId"},
                "resources": event["referencedResources"],
            }
            for event in events(backend, account)
        ]
    )
    for resource_id, name in names.items():
        replaced, logged = replaced.replace(resource_id, name), logged.replace(resource_id, name)
    state = sorted(
        ([r["type"], r["name"], r["state"], r["tags"]] for r in json.loads(replaced)), key=str
    )
    return state, json.loads(logged)


def test_console_and_api_are_the_same_operations(backend: Backend) -> None:
    one, other = backend.account(), backend.account()
    through_console(backend, one)
    through_api(backend, other)
    console_state, console_events = comparable(backend, one)
    api_state, api_events = comparable(backend, other)
    assert console_state == api_state
    assert console_events == api_events
    assert {event["eventType"] for event in events(backend, one)} == {"ConsoleOperation"}
    assert {event["eventType"] for event in events(backend, other)} == {"ApiCall"}


def test_rows_detail_options_and_polls(backend: Backend, account: dict[str, str]) -> None:
    browser = backend.browser(account)
    vpc = make(browser, "vpc.vpc", name="prod", cidr="10.0.0.0/8")
    (row,) = browser.get(path("vpc.vpc"))["rows"]
    assert (row["id"], row["status"], row["name"], row["vswitches"]) == (vpc, "Pending", "prod", 0)
    assert browser.get(f"/console/api/options/vpcs?region={REGION}") == []
    backend.clock.advance(2)
    assert [o["value"] for o in browser.get(f"/console/api/options/vpcs?region={REGION}")] == [vpc]
    types = browser.get("/console/api/options/instance_types?region=cn-hangzhou&zone=cn-hangzhou-k")
    assert "ecs.r7.large" in [t["value"] for t in types]
    assert "ecs.t6-c1m1.large" not in [t["value"] for t in types]
    browser.call("GET", path("vpc.vpc"), headers={"x-console-poll": "1"})
    assert browser.get(path("vpc.vpc", vpc))["status"] == "Available"
    with pytest.raises(HttpFailure) as elsewhere:
        browser.get(f"/console/api/r/vpc/vpc/{vpc}?region=cn-shanghai")
    assert elsewhere.value.status == 404
    client = ActionTrail(backend.config(account))
    read = client.lookup_events(
        a.LookupEventsRequest(
            lookup_attribute=[a.LookupEventsRequestLookupAttribute(key="EventRW", value="Read")]
        )
    ).body.events
    named = [event["eventName"] for event in read if event["serviceName"] == "Vpc"]
    assert sorted(named) == ["DescribeVpcAttribute", "DescribeVpcAttribute", "DescribeVpcs"]


def test_sub_tables_list_create_and_act(backend: Backend, account: dict[str, str]) -> None:
    browser = backend.browser(account)
    vpc = make(browser, "vpc.vpc", name="prod", cidr="10.0.0.0/8")
    backend.clock.advance(2)
    one, two = (
        make(browser, "ecs.security_group", name=name, vpc_id=vpc) for name in ("one", "two")
    )
    rule = make(
        browser,
        "ecs.egress_rule",
        group_id=one,
        policy="drop",
        priority=5,
        protocol="udp",
        port="53/53",
        cidr="10.0.0.0/8",
    )
    where = {"where.group_id": one}
    (row,) = browser.get(path("ecs.egress_rule", **where))["rows"]
    assert (row["id"], row["policy"], row["port"]) == (rule, "drop", "53/53")
    assert browser.get(path("ecs.egress_rule", **{"where.group_id": two}))["rows"] == []
    browser.post(path("ecs.egress_rule", rule, "modify"), {"port": "54/54"})
    assert browser.get(path("ecs.egress_rule", **where))["rows"][0]["port"] == "54/54"
    browser.post(path("ecs.egress_rule", rule, "delete"), {})
    assert browser.get(path("ecs.egress_rule", **where))["rows"] == []
    revoked = events(backend, account)[-1]
    assert revoked["eventName"] == "RevokeSecurityGroupEgress"
    assert revoked["requestParameters"] == {
        "RegionId": REGION,
        "SecurityGroupId": one,
        "SecurityGroupRuleId.1": rule,
    }


def database_form(backend: Backend, browser: Browser) -> dict[str, Any]:
    """The order of a database in a new network, less the agreement."""
    vpc = make(browser, "vpc.vpc", name="prod", cidr="10.0.0.0/8")
    backend.clock.advance(2)
    vswitch = make(
        browser, "vpc.vswitch", vpc_id=vpc, name="a", zone="cn-hangzhou-h", cidr="10.0.1.0/24"
    )
    backend.clock.advance(2)
    return {
        "billing": "Prepaid",
        "period": 1,
        "engine": "MySQL",
        "version": "8.0",
        "edition": "Basic",
        "storage_type": "cloud_essd",
        "zone": "cn-hangzhou-h",
        "class": "mysql.n2.medium.1",
        "storage": 20,
        "vpc_id": vpc,
        "vswitch_id": vswitch,
        "addresses": ["10.0.0.0/8"],
        "name": "orders",
    }


@pytest.fixture
def database(backend: Backend, account: dict[str, str]) -> str:
    browser = backend.browser(account)
    instance = make(browser, "rds.instance", **database_form(backend, browser), agree=True)
    backend.clock.advance(4)
    return instance


def test_a_database_is_ordered_by_who_agrees(backend: Backend, account: dict[str, str]) -> None:
    browser = backend.browser(account)
    form = database_form(backend, browser)
    with pytest.raises(HttpFailure) as caught:
        make(browser, "rds.instance", **form, agree=False)
    assert caught.value.body["field"] == "agree"
    make(browser, "rds.instance", **form, agree=True)
    create = events(backend, account)[-1]
    assert create["eventName"] == "CreateDBInstance"
    assert create["requestParameters"]["SecurityIPList"] == "10.0.0.0/8"
    assert create["requestParameters"]["UsedTime"] == "1"


def test_a_database_is_set_to_renew_itself(
    backend: Backend, account: dict[str, str], database: str
) -> None:
    backend.browser(account).post(
        path("rds.instance", database, "auto_renew"), {"auto_renew": True, "auto_renew_duration": 3}
    )
    assert events(backend, account)[-1]["requestParameters"] == {
        "RegionId": REGION,
        "DBInstanceId": database,
        "AutoRenew": "true",
        "Duration": "3",
    }


def test_a_database_has_a_table_of_whitelists(
    backend: Backend, account: dict[str, str], database: str
) -> None:
    browser = backend.browser(account)
    whitelist = make(
        browser, "rds.whitelist", instance_id=database, name="office", addresses=["10.1.1.1"]
    )
    browser.post(
        path("rds.whitelist", whitelist, "modify"), {"addresses": ["10.1.1.1", "10.1.1.2"]}
    )
    rows = browser.get(path("rds.whitelist", **{"where.instance_id": database}))["rows"]
    assert {r["name"]: r["addresses"] for r in rows} == {
        "default": ["10.0.0.0/8"],
        "office": ["10.1.1.1", "10.1.1.2"],
    }
    new, changed = events(backend, account)[-2:]
    assert new["eventName"] == changed["eventName"] == "ModifySecurityIps"
    assert changed["requestParameters"] == {
        "RegionId": REGION,
        "DBInstanceId": database,
        "DBInstanceIPArrayName": "office",
        "SecurityIps": "10.1.1.1,10.1.1.2",
    }


def test_a_database_has_a_table_of_parameters(
    backend: Backend, account: dict[str, str], database: str
) -> None:
    browser = backend.browser(account)
    rows = browser.get(path("rds.parameter", **{"where.instance_id": database}))["rows"]
    row = next(r for r in rows if r["name"] == "wait_timeout")
    browser.post(path("rds.parameter", row["id"], "edit"), {"value": "600"})
    assert events(backend, account)[-1]["requestParameters"] == {
        "RegionId": REGION,
        "DBInstanceId": database,
        "Parameters": '{"wait_timeout": "600"}',
    }


def test_errors_say_which_field(backend: Backend, account: dict[str, str]) -> None:
    browser = backend.browser(account)
    with pytest.raises(HttpFailure) as caught:
        make(browser, "vpc.vpc", name="prod", cidr="8.8.8.0/24")
    assert caught.value.status == 400
    assert caught.value.body["code"] == "InvalidCidrBlock.Malformed"
    assert caught.value.body["field"] == "cidr"
    assert caught.value.body["request_id"] == events(backend, account)[-1]["requestId"]


def test_only_the_signed_in_see_anything(backend: Backend) -> None:
    stranger = Browser(backend.url)
    for wanted in (
        "/console/api/session",
        "/console/api/schema",
        path("ecs.instance"),
        "/console/api/options/regions",
    ):
        with pytest.raises(HttpFailure) as caught:
            stranger.get(wanted)
        assert caught.value.status == 401
    browser = backend.browser(backend.account())
    served = browser.get("/console/api/schema")
    assert {"ecs", "rds", "vpc"} <= {p["id"] for p in served["products"]}
    assert '"api":' not in json.dumps(served)
    assert '"lifecycle":' not in json.dumps(served)
    browser.post("/console/api/sign-out")
    with pytest.raises(HttpFailure):
        browser.get("/console/api/session")


def test_without_a_bundle_the_api_works_and_pages_say_why(tmp_path: Path) -> None:
    assert Bundle(tmp_path).answer("/").status_code == 503
    (tmp_path / "index.html").write_text("<p>console</p>")
    (tmp_path / "assets").mkdir()
    bundle = Bundle(tmp_path)
    assert bundle.answer("/ecs/instances/create").status_code == 200
    assert bundle.answer("/assets/missing.js").status_code == 404
    assert bundle.answer("/../../etc/passwd").headers["content-type"].startswith("text/html")


def test_a_password_typed_twice_must_agree(backend: Backend, account: dict[str, str]) -> None:
    browser = backend.browser(account)
    vpc = make(browser, "vpc.vpc", name="prod", cidr="10.0.0.0/8")
    with pytest.raises(HttpFailure) as caught:
        browser.post(
            path("ecs.instance", vpc, "reset_password"),
            {"password": PASSWORD, "confirm_password": PASSWORD + "x"},
        )
    assert (caught.value.body["code"], caught.value.body["field"]) == (
        "InvalidParameter.Mismatch",
        "confirm_password",
    )
