"""Tair (Redis OSS-compatible): instances, their accounts and when they are backed
up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.resource_provisioner.alicloud_provider.openapi import ApiError, CloudApi
from proofwalk.resource_provisioner.alicloud_provider.resource import (
    Problem,
    Resource,
    State,
    given,
    tag_params,
    update_tags,
)

_PRODUCT = "kvstore"
_DEFAULT_LIST = "127.0.0.1"
"""What the cloud puts into a whitelist that was left empty."""


def _instance(cloud: CloudApi, id_: str) -> dict[str, Any] | None:
    answer = cloud.find(_PRODUCT, "DescribeInstanceAttribute", InstanceId=id_)
    rows = ((answer or {}).get("Instances") or {}).get("DBInstanceAttribute") or []
    return rows[0] if rows else None


def _until_normal(cloud: CloudApi, id_: str, timeout_s: float) -> None:
    cloud.wait(
        id_,
        lambda: _instance(cloud, id_),
        lambda row: row.get("InstanceStatus") == "Normal",
        timeout_s=timeout_s,
    )


class KvstoreInstance(Resource):
    """`alicloud_kvstore_instance`."""

    type_name = "alicloud_kvstore_instance"
    replaced_by = frozenset(
        {
            "engine_version",
            "zone_id",
            "availability_zone",
            "vswitch_id",
            "shard_count",
            "private_ip",
            "payment_type",
        }
    )
    aliases = {  # noqa: RUF012 -- declared ClassVar by the base
        "instance_name": "db_instance_name",
        "availability_zone": "zone_id",
        "instance_charge_type": "payment_type",
    }
    defaults = {"payment_type": "PostPaid"}  # noqa: RUF012
    needed = ("instance_class", "vswitch_id")
    choices = {"payment_type": ("PostPaid", "PrePaid")}  # noqa: RUF012
    follows = {  # noqa: RUF012
        name: frozenset({"instance_class"}) for name in ("capacity", "bandwidth", "qps", "end_time")
    }

    def create(self, cloud: CloudApi, planned: State) -> str:
        prepaid = planned.get("payment_type") == "PrePaid"
        answer = cloud.write(
            _PRODUCT,
            "CreateInstance",
            InstanceName=given(planned, "db_instance_name"),
            InstanceClass=planned["instance_class"],
            EngineVersion=given(planned, "engine_version") or "7.0",
            ChargeType=planned["payment_type"],
            Period=given(planned, "period") if prepaid else None,
            AutoRenew=given(planned, "auto_renew") if prepaid else None,
            AutoRenewPeriod=given(planned, "auto_renew_period") if prepaid else None,
            ZoneId=given(planned, "zone_id"),
            VSwitchId=planned["vswitch_id"],
            ShardCount=given(planned, "shard_count"),
            Password=given(planned, "password"),
            Port=given(planned, "port"),
            PrivateIpAddress=given(planned, "private_ip"),
            Tag=tag_params(planned.get("tags")),
        )
        return str(answer["InstanceId"])

    def settle(self, cloud: CloudApi, state: State) -> None:
        id_, limit = state["id"], self.timeout(state, "create", 1200)
        _until_normal(cloud, id_, limit)
        if given(state, "security_ips"):
            self._set_addresses(cloud, id_, state)
        if given(state, "instance_release_protection"):
            cloud.write(
                _PRODUCT, "ModifyInstanceAttribute", InstanceId=id_, InstanceReleaseProtection=True
            )
        if given(state, "config"):
            self._set_config(cloud, id_, state, limit)
        if given(state, "maintain_start_time"):
            self._set_window(cloud, id_, state)

    def _set_addresses(self, cloud: CloudApi, id_: str, state: State) -> None:
        addresses = ",".join(sorted(given(state, "security_ips") or [])) or _DEFAULT_LIST
        cloud.write(
            _PRODUCT,
            "ModifySecurityIps",
            InstanceId=id_,
            SecurityIps=addresses,
            SecurityIpGroupName="default",
        )

    def _set_config(self, cloud: CloudApi, id_: str, state: State, limit: float) -> None:
        config = json.dumps(dict(sorted(state["config"].items())))
        cloud.write(_PRODUCT, "ModifyInstanceConfig", InstanceId=id_, Config=config)
        _until_normal(cloud, id_, limit)

    def _set_window(self, cloud: CloudApi, id_: str, state: State) -> None:
        window = {
            "MaintainStartTime": state["maintain_start_time"],
            "MaintainEndTime": state["maintain_end_time"],
        }
        cloud.write(_PRODUCT, "ModifyInstanceMaintainTime", InstanceId=id_, **window)

    def read(self, cloud: CloudApi, state: State) -> State | None:
        id_ = state["id"]
        row = _instance(cloud, id_)
        if row is None:
            return None
        answer = cloud.read(_PRODUCT, "DescribeSecurityIps", InstanceId=id_)
        groups = (answer.get("SecurityIpGroups") or {}).get("SecurityIpGroup") or []
        first: dict[str, Any] = next(
            (group for group in groups if group.get("SecurityIpGroupName") == "default"), {}
        )
        policy = cloud.read(_PRODUCT, "DescribeBackupPolicy", InstanceId=id_)
        tags = {tag["Key"]: tag["Value"] for tag in (row.get("Tags") or {}).get("Tag") or []}
        facts: dict[str, Any] = {
            "db_instance_name": row.get("InstanceName"),
            "instance_class": row.get("InstanceClass"),
            "instance_type": (
                row.get("InstanceType") if state.get("instance_type") is not None else None
            ),
            "engine_version": row.get("EngineVersion"),
            "payment_type": row.get("ChargeType"),
            "zone_id": row.get("ZoneId"),
            "vswitch_id": row.get("VSwitchId"),
            "private_ip": row.get("PrivateIp"),
            "status": row.get("InstanceStatus"),
            "connection_domain": row.get("ConnectionDomain"),
            "capacity": row.get("Capacity"),
            "bandwidth": row.get("Bandwidth"),
            "qps": row.get("QPS"),
            "end_time": row.get("EndTime"),
            "shard_count": row.get("ShardCount"),
            "maintain_start_time": row.get("MaintainStartTime"),
            "maintain_end_time": row.get("MaintainEndTime"),
            "instance_release_protection": row.get("InstanceReleaseProtection"),
            "resource_group_id": row.get("ResourceGroupId"),
            "security_ips": [
                text for text in str(first.get("SecurityIpList") or "").split(",") if text
            ],
            "security_ip_group_name": "default",
            "backup_period": [
                day for day in str(policy.get("PreferredBackupPeriod") or "").split(",") if day
            ],
            "backup_time": policy.get("PreferredBackupTime"),
            "tags": tags or None,
        }
        if given(state, "config"):
            now = json.loads(
                cloud.read(_PRODUCT, "DescribeInstanceConfig", InstanceId=id_).get("Config") or "{}"
            )
            facts["config"] = {name: str(now.get(name, "")) for name in state["config"]}
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        id_, limit = prior["id"], self.timeout(planned, "update", 1200)
        attributes = {
            "InstanceName": (
                given(planned, "db_instance_name") if "db_instance_name" in changed else None
            ),
            "NewPassword": given(planned, "password") if "password" in changed else None,
            "InstanceReleaseProtection": (
                bool(planned.get("instance_release_protection"))
                if "instance_release_protection" in changed
                else None
            ),
        }
        if any(value is not None for value in attributes.values()):
            cloud.write(_PRODUCT, "ModifyInstanceAttribute", InstanceId=id_, **attributes)
        if "security_ips" in changed and given(planned, "security_ips") is not None:
            self._set_addresses(cloud, id_, planned)
        if changed & {"maintain_start_time", "maintain_end_time"}:
            self._set_window(cloud, id_, planned)
        if "tags" in changed:
            update_tags(cloud, _PRODUCT, "INSTANCE", id_, prior, planned)
        if "config" in changed and given(planned, "config"):
            self._set_config(cloud, id_, planned, limit)
        if "instance_class" in changed:
            cloud.write(
                _PRODUCT,
                "ModifyInstanceSpec",
                InstanceId=id_,
                InstanceClass=planned["instance_class"],
            )
        _until_normal(cloud, id_, limit)

    def delete(self, cloud: CloudApi, state: State) -> None:
        if state.get("payment_type") == "PrePaid":
            raise ApiError(
                "DeleteInstance",
                "InvalidOperation.ChargeType",
                "a subscription instance cannot be released before its end",
            )
        cloud.remove(_PRODUCT, "DeleteInstance", InstanceId=state["id"])
        cloud.until_gone(
            state["id"],
            lambda: _instance(cloud, state["id"]),
            timeout_s=self.timeout(state, "delete", 1200),
        )


class KvstoreAccount(Resource):
    """`alicloud_kvstore_account`; its id is the instance's and its own name."""

    type_name = "alicloud_kvstore_account"
    replaced_by = frozenset({"account_name", "instance_id", "account_type"})
    defaults = {"account_privilege": "RoleReadWrite"}  # noqa: RUF012 -- declared ClassVar by the base

    def validate(self, config: Mapping[str, Any]) -> list[Problem]:
        problems = super().validate(config)
        if config.get("account_password") is None and config.get("kms_encrypted_password") is None:
            problems.append(
                Problem(
                    summary="Missing required argument",
                    detail="The argument 'account_password' is required.",
                )
            )
        return problems

    def create(self, cloud: CloudApi, planned: State) -> str:
        cloud.write(
            _PRODUCT,
            "CreateAccount",
            InstanceId=planned["instance_id"],
            AccountName=planned["account_name"],
            AccountPassword=given(planned, "account_password"),
            AccountPrivilege=given(planned, "account_privilege"),
            AccountDescription=given(planned, "description"),
        )
        return f"{planned['instance_id']}:{planned['account_name']}"

    def settle(self, cloud: CloudApi, state: State) -> None:
        look = lambda: self._look(cloud, state["id"])  # noqa: E731
        limit = self.timeout(state, "create", 360)
        cloud.wait(
            state["id"], look, lambda row: row.get("AccountStatus") == "Available", timeout_s=limit
        )

    def _look(self, cloud: CloudApi, id_: str) -> dict[str, Any] | None:
        instance, _, name = id_.partition(":")
        answer = cloud.find(_PRODUCT, "DescribeAccounts", InstanceId=instance) or {}
        rows = (answer.get("Accounts") or {}).get("Account") or []
        return next((row for row in rows if row.get("AccountName") == name), None)

    def read(self, cloud: CloudApi, state: State) -> State | None:
        row = self._look(cloud, state["id"])
        if row is None:
            return None
        privileges = (row.get("DatabasePrivileges") or {}).get("DatabasePrivilege") or [{}]
        facts = {
            "instance_id": row.get("InstanceId"),
            "account_name": row.get("AccountName"),
            "account_privilege": privileges[0].get("AccountPrivilege"),
            "account_type": (
                row.get("AccountType") if state.get("account_type") is not None else None
            ),
            "description": row.get("AccountDescription"),
            "status": row.get("AccountStatus"),
        }
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        named = {"InstanceId": prior["instance_id"], "AccountName": prior["account_name"]}
        if "account_privilege" in changed:
            cloud.write(
                _PRODUCT,
                "GrantAccountPrivilege",
                **named,
                AccountPrivilege=planned["account_privilege"],
            )
        if "account_password" in changed:
            cloud.write(
                _PRODUCT,
                "ResetAccountPassword",
                **named,
                AccountPassword=planned["account_password"],
            )
        if "description" in changed:
            cloud.write(
                _PRODUCT,
                "ModifyAccountDescription",
                **named,
                AccountDescription=given(planned, "description") or "",
            )

    def delete(self, cloud: CloudApi, state: State) -> None:
        cloud.remove(
            _PRODUCT,
            "DeleteAccount",
            InstanceId=state["instance_id"],
            AccountName=state["account_name"],
        )


class KvstoreBackupPolicy(Resource):
    """`alicloud_kvstore_backup_policy`: every instance has one, so creating and
    deleting it only sets it."""

    type_name = "alicloud_kvstore_backup_policy"
    replaced_by = frozenset({"instance_id"})
    defaults = {"backup_time": "02:00Z-03:00Z"}  # noqa: RUF012 -- declared ClassVar by the base

    def _set(self, cloud: CloudApi, instance: str, days: Sequence[str], hour: str) -> None:
        period = ",".join(sorted(days))
        cloud.write(
            _PRODUCT,
            "ModifyBackupPolicy",
            InstanceId=instance,
            PreferredBackupPeriod=period,
            PreferredBackupTime=hour,
        )

    def create(self, cloud: CloudApi, planned: State) -> str:
        self._set(
            cloud,
            planned["instance_id"],
            given(planned, "backup_period") or ["Monday"],
            planned["backup_time"],
        )
        return str(planned["instance_id"])

    def read(self, cloud: CloudApi, state: State) -> State | None:
        found = cloud.find(_PRODUCT, "DescribeBackupPolicy", InstanceId=state["id"])
        if found is None:
            return None
        days = [day for day in str(found.get("PreferredBackupPeriod") or "").split(",") if day]
        facts = {
            "instance_id": state["id"],
            "backup_period": days,
            "backup_time": found.get("PreferredBackupTime"),
        }
        return self.merged(state, facts)

    def update(
        self, cloud: CloudApi, prior: State, planned: State, changed: frozenset[str]
    ) -> None:
        self._set(cloud, prior["id"], planned["backup_period"], planned["backup_time"])

    def delete(self, cloud: CloudApi, state: State) -> None:
        if cloud.find(_PRODUCT, "DescribeBackupPolicy", InstanceId=state["id"]) is not None:
            self._set(cloud, state["id"], ["Tuesday", "Thursday", "Saturday"], "18:00Z-19:00Z")


RESOURCES: Sequence[type[Resource]] = (KvstoreInstance, KvstoreAccount, KvstoreBackupPolicy)
