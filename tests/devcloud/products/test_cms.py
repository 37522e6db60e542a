"""CloudMonitor: contacts, groups of them, alert rules, application groups, blacklists
and probes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.conftest import REGION, Backend, HttpFailure
from tests.devcloud.console_api import events, make, path
from tests.devcloud.products.signed import SignedCaller
from tests.devcloud.products.test_ecs import run_instance

RULE: dict[str, Any] = {
    "RuleName": "cpu-high",
    "Namespace": "acs_ecs_dashboard",
    "MetricName": "CPUUtilization",
    "Resources": '[{"resource":"_ALL"}]',
    "ContactGroups": "ops",
    "Escalations.Critical.Statistics": "Average",
    "Escalations.Critical.ComparisonOperator": "GreaterThanThreshold",
    "Escalations.Critical.Threshold": "90",
    "Escalations.Critical.Times": 3,
    "Period": "60",
}


class Cms(SignedCaller):
    product = "cms"


@pytest.fixture
def cms(backend: Backend, account: dict[str, str]) -> Cms:
    return Cms(backend, account)


def make_contacts(cms: Cms) -> None:
    cms(
        "PutContact",
        ContactName="alice",
        Describe="on call",
        **{"Channels.Mail": "alice@example.com"},
    )
    cms("PutContactGroup", ContactGroupName="ops", ContactNames=["alice"], Describe="operations")


def test_contacts_and_their_groups(cms: Cms, backend: Backend, account: dict[str, str]) -> None:
    make_contacts(cms)
    cms(
        "PutContact",
        ContactName="alice",
        Describe="day shift",
        **{"Channels.Mail": "a@example.com"},
    )
    (contact,) = cms("DescribeContactList", ContactName="alice")["Contacts"]["Contact"]
    assert (contact["Desc"], contact["Channels"]["Mail"], contact["ContactGroups"]) == (
        "day shift",
        "a@example.com",
        {"ContactGroup": ["ops"]},
    )
    cms.refuses(
        "ParameterInvalid",
        "PutContact",
        ContactName="bob",
        Describe="x",
        **{"Channels.Mail": "nobody"},
    )
    cms.refuses(
        "ResourceNotFound", "PutContactGroup", ContactGroupName="dev", ContactNames=["nobody"]
    )
    cms.refuses("ResourceConflict", "DeleteContact", ContactName="alice")
    cms(
        "PutContact",
        ContactName="bob",
        Describe="night shift",
        **{"Channels.Mail": "bob@example.com"},
    )
    cms("PutContactGroup", ContactGroupName="ops", ContactNames=["bob"], EnableSubscribed=True)
    (group,) = cms("DescribeContactGroupList")["ContactGroupList"]["ContactGroup"]
    assert (group["Name"], group["Contacts"], group["EnableSubscribed"]) == (
        "ops",
        {"Contact": ["bob"]},
        True,
    )
    cms("DeleteContact", ContactName="alice")
    cms.refuses("ResourceNotFound", "DeleteContact", ContactName="alice")
    cms("PutResourceMetricRule", RuleId="r-1", **RULE)
    cms.refuses("ResourceConflict", "DeleteContactGroup", ContactGroupName="ops")
    cms("DeleteMetricRules", Id=["r-1"])
    cms("DeleteContactGroup", ContactGroupName="ops")
    assert [item["id"] for item in backend.inventory(account)] == ["bob"]


def test_alert_rules(cms: Cms, backend: Backend) -> None:
    make_contacts(cms)

    def rule() -> dict[str, Any]:
        (found,) = cms("DescribeMetricRuleList", RuleIds="r-1")["Alarms"]["Alarm"]
        return dict(found)

    cms("PutResourceMetricRule", RuleId="r-1", **RULE)
    assert (rule()["AlertState"], rule()["EnableState"]) == ("INSUFFICIENT_DATA", True)
    backend.clock.advance(3)
    assert rule()["AlertState"] == "OK"
    critical = {
        "Statistics": "Average",
        "ComparisonOperator": "GreaterThanThreshold",
        "Threshold": "90",
        "Times": 3,
    }
    assert (rule()["Escalations"]["Critical"], rule()["ContactGroups"], rule()["Period"]) == (
        critical,
        "ops",
        "60",
    )
    cms("PutResourceMetricRule", RuleId="r-1", **{**RULE, "Escalations.Critical.Threshold": "80"})
    assert rule()["Escalations"]["Critical"]["Threshold"] == "80"
    cms("DisableMetricRules", RuleId=["r-1"])
    assert rule()["EnableState"] is False
    cms.refuses("ResourceConflict", "DisableMetricRules", RuleId=["r-1"])
    cms("EnableMetricRules", RuleId=["r-1"])
    cms.refuses(
        "ParameterInvalid",
        "PutResourceMetricRule",
        RuleId="r-2",
        **{**RULE, "MetricName": "DiskUsage"},
    )
    cms.refuses(
        "ResourceNotFound",
        "PutResourceMetricRule",
        RuleId="r-2",
        **{**RULE, "ContactGroups": "nobody"},
    )
    without = {name: value for name, value in RULE.items() if name != "Resources"}
    cms.refuses("MissingParameter", "PutResourceMetricRule", RuleId="r-2", **without)
    cms("DeleteMetricRules", Id=["r-1"])
    assert cms("DescribeMetricRuleList")["Total"] == 0
    metrics = cms("DescribeMetricMetaList", Namespace="acs_kvstore")["Resources"]["Resource"]
    assert len(metrics) == 3


def test_application_groups(cms: Cms, backend: Backend, account: dict[str, str]) -> None:
    make_contacts(cms)
    instance = run_instance(backend, account, instance_name="web-1")
    group = cms("CreateMonitorGroup", GroupName="shop", ContactGroups="ops")["GroupId"]
    cms.refuses("GroupNameExists", "CreateMonitorGroup", GroupName="shop", ContactGroups="ops")
    here = {"GroupId": group, "Instances.1.Category": "ECS", "Instances.1.InstanceId": instance}
    cms("CreateMonitorGroupInstances", **here)
    cms.refuses("ResourceConflict", "CreateMonitorGroupInstances", **here)
    cms.refuses(
        "ResourceNotFound", "CreateMonitorGroupInstances", **{**here, "Instances.1.Category": "RDS"}
    )
    (member,) = cms("DescribeMonitorGroupInstances", GroupId=group)["Resources"]["Resource"]
    assert (member["InstanceId"], member["InstanceName"], member["RegionId"]) == (
        instance,
        "web-1",
        REGION,
    )
    cms("ModifyMonitorGroup", GroupId=group, GroupName="store")
    cms("DeleteMonitorGroupInstances", GroupId=group, Category="ECS", InstanceIdList=instance)
    cms("CreateMonitorGroupInstances", **here)
    cms("DeleteMonitorGroup", GroupId=group)
    assert cms("DescribeMonitorGroups")["Total"] == 0
    assert not [
        item for item in backend.inventory(account) if item["resource_type"] == "group_resource"
    ]


def test_probes_and_blacklists(cms: Cms, backend: Backend) -> None:
    site = {
        "TaskName": "front-page",
        "TaskType": "HTTP",
        "Address": "https://www.example.com",
        "Interval": "5",
    }
    made = cms("CreateSiteMonitor", **site, OptionsJson='{"time_out":30000}')["CreateResultList"][
        "CreateResultList"
    ][0]
    task = made["TaskId"]
    backend.clock.advance(2)
    cms.refuses("ParameterInvalid", "CreateSiteMonitor", **{**site, "Interval": "7"})
    cms("ModifySiteMonitor", TaskId=task, Address="https://example.com", Interval="15")
    cms("DisableSiteMonitors", TaskIds=task)
    (shown,) = cms("DescribeSiteMonitorList", TaskId=task)["SiteMonitors"]["SiteMonitor"]
    assert (shown["TaskState"], shown["Interval"], shown["Address"]) == (
        "2",
        "15",
        "https://example.com",
    )
    cms("DeleteSiteMonitors", TaskIds=task)
    policy = {
        "Name": "upgrade",
        "Category": "ecs",
        "Namespace": "acs_ecs_dashboard",
        "Instances": ['{"instanceId":"*"}'],
    }
    made_id = cms(
        "CreateMetricRuleBlackList",
        **policy,
        EnableStartTime="1800000000000",
        EnableEndTime="1800003600000",
    )["Id"]
    (listed,) = cms("DescribeMetricRuleBlackList", Ids=made_id)["DescribeMetricRuleBlackList"]
    assert (listed["IsEnable"], listed["EnableStartTime"]) == (True, "2027-01-15 08:00:00")
    cms.refuses(
        "InvalidEnableStartTime", "CreateMetricRuleBlackList", **policy, EnableStartTime="tomorrow"
    )
    cms("EnableMetricRuleBlackList", Id=made_id, IsEnable=False)
    assert (
        cms("DescribeMetricRuleBlackList", Ids=made_id)["DescribeMetricRuleBlackList"][0][
            "IsEnable"
        ]
        is False
    )
    cms("DeleteMetricRuleBlackList", Id=made_id)


def test_the_console_makes_and_changes_a_rule(
    backend: Backend, account: dict[str, str], cms: Cms
) -> None:
    make_contacts(cms)
    instance = run_instance(backend, account, instance_name="web-1")
    browser = backend.browser(account)
    metrics = browser.get("/console/api/options/cms_metrics?namespace=acs_ecs_dashboard")
    assert "CPUUtilization" in [m["value"] for m in metrics]
    wanted: dict[str, Any] = {
        "namespace": "acs_ecs_dashboard", "scope": "instance", "ecs_instance": instance, "name": "cpu", "metric": "CPUUtilization",
        "statistics": "Average", "operator": "GreaterThanThreshold", "threshold": 85, "times": 5, "period": 60,
        "contact_groups": ["ops"], "silence": 3600, "interval": "00:00-23:59",
    }  # fmt: skip
    with pytest.raises(HttpFailure) as caught:
        browser.post(path("cms.rule"), {**wanted, "ecs_instance": "i-nothing"})
    assert caught.value.body["field"] == "ecs_instance"
    rule = make(browser, "cms.rule", **wanted)
    browser.post(path("cms.rule", rule, "modify"), {"threshold": 70})
    browser.post(path("cms.rule", rule, "disable"))
    shown = browser.get(path("cms.rule", rule))
    assert (shown["status"], shown["threshold"], shown["contact_groups"]) == (
        "Disabled",
        70,
        ["ops"],
    )
    browser.post(path("cms.contact", "alice", "modify"), {"mail": "ali@example.com"})
    make(
        browser, "cms.blacklist", name="upgrade", category="ecs", namespace="acs_ecs_dashboard", targets='{"instanceId":"*"}',
        start="2027-01-15 08:00:00", end="2027-01-15 09:00:00",
    )  # fmt: skip
    task = make(
        browser,
        "cms.site_monitor",
        type="PING",
        name="ping-home",
        address="example.com",
        interval=1,
        timeout=5000,
    )
    with pytest.raises(HttpFailure) as caught:
        browser.post(path("cms.site_monitor", task, "disable"))
    assert caught.value.body["code"] == "ResourceConflict"
    done = [
        e
        for e in events(backend, account)
        if e["eventType"] == "ConsoleOperation" and "errorCode" not in e
    ]
    made, changed = (
        e["requestParameters"] for e in done if e["eventName"] == "PutResourceMetricRule"
    )
    assert (made["Resources"], made["ContactGroups"]) == (f'[{{"instanceId":"{instance}"}}]', "ops")
    assert made["Escalations.Critical.Threshold"] == "85"
    assert changed == {**made, "RuleId": rule, "Escalations.Critical.Threshold": "70"}
    asked = {e["eventName"]: e["requestParameters"] for e in done}
    assert asked["DisableMetricRules"] == {"RuleId.1": rule}
    assert asked["PutContact"]["Channels.Mail"] == "ali@example.com"
    assert asked["PutContact"]["Describe"] == "on call"
    assert asked["CreateMetricRuleBlackList"]["EnableStartTime"] == "1800000000000"
    assert asked["CreateSiteMonitor"]["OptionsJson"] == '{"time_out":5000}'
