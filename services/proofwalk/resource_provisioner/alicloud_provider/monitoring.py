"""CloudMonitor: alert contacts, groups of them, alert rules and application groups."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Problem,
    Resource,
    State,
    given,
    tag_params,
)

_SYMBOLS = {
    ">": "GreaterThanThreshold",
    ">=": "GreaterThanOrEqualToThreshold",
    "<": "LessThanThreshold",
    "<=": "LessThanOrEqualToThreshold",
    "!=": "NotEqualToThreshold",
}
"""How templates write a comparison, and how the service calls it."""
_WORDS = {word: symbol for symbol, word in _SYMBOLS.items()}


class AlarmContact(Resource):
    """`alicloud_cms_alarm_contact`; its id is its name."""

    type_name = "alicloud_cms_alarm_contact"
    replaced_by = frozenset({"alarm_contact_name"})

    def _put(self, cloud: CloudApi, planned: State) -> None:
        channels = {
            "Channels.Mail": given(planned, "channels_mail"),
            "Channels.SMS": given(planned, "channels_sms"),
            "Channels.AliIM": given(planned, "channels_aliim"),
            "Channels.DingWebHook": given(planned, "channels_ding_web_hook"),
        }
        cloud.write(
            "cms",
            "PutContact",
            ContactName=planned["alarm_contact_name"],
            Describe=planned["describe"],
            Lang=given(planned, "lang"),
            **channels,
        )

    def create(self, cloud: CloudApi, planned: State) -> str:
        self._put(cloud, planned)
        return str(planned["alarm_contact_name"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        answer = cloud.read("cms", "DescribeContactList", ContactName=state["id"])
        listed = (answer.get("Contacts") or {}).get("Contact") or []
        row = next((contact for contact in listed if contact.get("Name") == state["id"]), None)
        if row is None:
            return None
        channels = row.get("Channels") or {}
        facts = {
            "alarm_contact_name": row.get("Name"),
            "describe": row.get("Desc"),
            "channels_mail": channels.get("Mail"),
            "channels_sms": channels.get("SMS"),
            "channels_aliim": channels.get("AliIM"),
            "channels_ding_web_hook": channels.get("DingWebHook"),
        }
        if state.get("lang") is not None:
            facts["lang"] = row.get("Lang")
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        self._put(cloud, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("cms", "DeleteContact", ContactName=state["id"])


class AlarmContactGroup(Resource):
    """`alicloud_cms_alarm_contact_group`; its id is its name."""

    type_name = "alicloud_cms_alarm_contact_group"
    replaced_by = frozenset({"alarm_contact_group_name"})

    def _put(self, cloud: CloudApi, planned: State) -> None:
        cloud.write(
            "cms",
            "PutContactGroup",
            ContactGroupName=planned["alarm_contact_group_name"],
            ContactNames=sorted(given(planned, "contacts") or []) or None,
            Describe=given(planned, "describe"),
            EnableSubscribed=given(planned, "enable_subscribed"),
        )

    def create(self, cloud: CloudApi, planned: State) -> str:
        self._put(cloud, planned)
        return str(planned["alarm_contact_group_name"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        answer = cloud.read("cms", "DescribeContactGroupList", ContactGroupName=state["id"])
        listed = (answer.get("ContactGroupList") or {}).get("ContactGroup") or []
        row = next((group for group in listed if group.get("Name") == state["id"]), None)
        if row is None:
            return None
        facts = {
            "alarm_contact_group_name": row.get("Name"),
            "describe": row.get("Describe"),
            "contacts": (row.get("Contacts") or {}).get("Contact") or [],
            "enable_subscribed": row.get("EnableSubscribed"),
        }
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        self._put(cloud, planned)

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("cms", "DeleteContactGroup", ContactGroupName=state["id"])


class Alarm(Resource):
    """`alicloud_cms_alarm`: a rule on one metric with one critical threshold; the
    template chooses no id, so one is made here."""

    type_name = "alicloud_cms_alarm"
    replaced_by = frozenset({"project"})
    defaults = {  # noqa: RUF012 -- declared ClassVar by the base
        "enabled": True,
        "effective_interval": "00:00-23:59",
        "period": 300,
        "silence_time": 86400,
    }
    follows = {"status": frozenset({"enabled", "metric", "escalations_critical"})}  # noqa: RUF012

    def validate(self, config: Mapping[str, Any]) -> list[Problem]:
        problems = super().validate(config)
        if not config.get("escalations_critical"):
            detail = (
                "The block 'escalations_critical' gives the threshold; no other kind of threshold"
                " is supported here."
            )
            problems.append(Problem(summary="Missing required block", detail=detail))
        for block in config.get("escalations_critical") or []:
            told = given(block, "comparison_operator")
            if told and told not in _SYMBOLS:
                detail = f"'comparison_operator' is one of {', '.join(_SYMBOLS)}, not {told!r}."
                problems.append(Problem(summary="Unknown comparison", detail=detail))
        return problems

    def _put(self, cloud: CloudApi, id_: str, planned: State) -> None:
        critical = planned["escalations_critical"][0]
        dimensions = given(planned, "metric_dimensions") or '[{"resource":"_ALL"}]'
        cloud.write(
            "cms",
            "PutResourceMetricRule",
            RuleId=id_,
            RuleName=planned["name"],
            Namespace=planned["project"],
            MetricName=planned["metric"],
            Resources=json.dumps(json.loads(dimensions), separators=(",", ":")),
            ContactGroups=",".join(planned["contact_groups"]),
            Period=str(planned["period"]),
            SilenceTime=planned["silence_time"],
            EffectiveInterval=planned["effective_interval"],
            Webhook=given(planned, "webhook"),
            **{
                "Escalations.Critical.Statistics": given(critical, "statistics") or "Average",
                "Escalations.Critical.ComparisonOperator": _SYMBOLS[
                    given(critical, "comparison_operator") or ">="
                ],
                "Escalations.Critical.Threshold": given(critical, "threshold"),
                "Escalations.Critical.Times": given(critical, "times") or 3,
            },
        )

    def create(self, cloud: CloudApi, planned: State) -> str:
        id_ = str(uuid.uuid4())
        self._put(cloud, id_, planned)
        return id_

    def settle(self, cloud: CloudApi, state: State) -> None:
        if not state.get("enabled"):
            cloud.write("cms", "DisableMetricRules", RuleId=[state["id"]])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        answer = cloud.read("cms", "DescribeMetricRuleList", RuleIds=state["id"])
        listed = (answer.get("Alarms") or {}).get("Alarm") or []
        row = next((rule for rule in listed if rule.get("RuleId") == state["id"]), None)
        if row is None:
            return None
        critical = (row.get("Escalations") or {}).get("Critical") or {}
        facts = {
            "name": row.get("RuleName"),
            "project": row.get("Namespace"),
            "metric": row.get("MetricName"),
            "metric_dimensions": row.get("Resources"),
            "contact_groups": [
                name for name in str(row.get("ContactGroups") or "").split(",") if name
            ],
            "period": row.get("Period"),
            "silence_time": row.get("SilenceTime"),
            "effective_interval": row.get("EffectiveInterval"),
            "webhook": row.get("Webhook"),
            "enabled": row.get("EnableState"),
            "status": row.get("AlertState"),
        }
        merged = self.merged(state, facts)
        merged["escalations_critical"] = [
            {
                "statistics": critical.get("Statistics"),
                "comparison_operator": _WORDS.get(str(critical.get("ComparisonOperator")), ">="),
                "threshold": str(critical.get("Threshold")),
                "times": critical.get("Times"),
            }
        ]
        return merged

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        if changed - {"enabled"}:
            self._put(cloud, prior["id"], planned)
        if not planned.get("enabled"):
            # a rule that is put is enabled
            cloud.write("cms", "DisableMetricRules", RuleId=[prior["id"]])
        elif "enabled" in changed and not changed - {"enabled"}:
            cloud.write("cms", "EnableMetricRules", RuleId=[prior["id"]])

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("cms", "DeleteMetricRules", Id=[state["id"]])


class MonitorGroup(Resource):
    """`alicloud_cms_monitor_group`: an application group."""

    type_name = "alicloud_cms_monitor_group"
    needed = ("monitor_group_name",)
    replaced_by = frozenset({"tags"})

    def create(self, cloud: CloudApi, planned: State) -> str:
        answer = cloud.write(
            "cms",
            "CreateMonitorGroup",
            GroupName=planned["monitor_group_name"],
            ContactGroups=",".join(given(planned, "contact_groups") or []) or None,
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["GroupId"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        answer = cloud.read("cms", "DescribeMonitorGroups", GroupId=state["id"])
        listed = (answer.get("Resources") or {}).get("Resource") or []
        row = next((group for group in listed if str(group.get("GroupId")) == state["id"]), None)
        if row is None:
            return None
        tags = {tag["Key"]: tag["Value"] for tag in (row.get("Tags") or {}).get("Tag") or []}
        facts = {
            "monitor_group_name": row.get("GroupName"),
            "contact_groups": [
                group["Name"]
                for group in (row.get("ContactGroups") or {}).get("ContactGroup") or []
            ],
            "tags": tags or None,
        }
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        cloud.write(
            "cms",
            "ModifyMonitorGroup",
            GroupId=prior["id"],
            GroupName=planned["monitor_group_name"],
            ContactGroups=",".join(given(planned, "contact_groups") or []) or None,
        )

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove("cms", "DeleteMonitorGroup", GroupId=state["id"])


RESOURCES: Sequence[type[Resource]] = (AlarmContact, AlarmContactGroup, Alarm, MonitorGroup)
