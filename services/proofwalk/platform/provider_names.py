"""What the alicloud provider calls otherwise than the operations, and what it makes
beside a thing: for `proofwalk.authoring.provider`.

Facts of the provider's public schema, by type. None is of any document or task.
"""

from __future__ import annotations

from collections.abc import Mapping

from proofwalk.authoring.provider import Beside, Otherwise, ProviderType

_COMPARISONS = {
    "GreaterThanThreshold": ">",
    "GreaterThanOrEqualToThreshold": ">=",
    "LessThanThreshold": "<",
    "LessThanOrEqualToThreshold": "<=",
    "NotEqualToThreshold": "!=",
}
_POLICY = (
    'jsonencode({ Version = "1", Statement = '
    '[{ Effect = "Allow", Action = ["ecs:Describe*"], Resource = ["*"] }] })'
)
_KINDS: Mapping[str, str] = {
    "sls.logstore": "alicloud_log_store",
    "vpc.eip": "alicloud_eip_address",
    "rds.backup": "",
    "vpc.route_association": "",
    "ecs.egress_rule": "",
    "slb.backend_server": "",
    "sls.index": "",
}
_ATTRIBUTES: Mapping[str, Mapping[str, str]] = {
    "alicloud_cms_alarm": {"project": "namespace", "metric": "metric"},
    "alicloud_db_instance": {
        "instance_type": "class",
        "instance_name": "name",
        "instance_charge_type": "billing",
    },
    "alicloud_oss_bucket": {"bucket": "name"},
    "alicloud_slb_listener": {
        "frontend_port": "port",
        "description": "name",
        "protocol": "protocol",
        "backend_port": "backend_port",
    },
    "alicloud_log_store": {
        "project_name": "project",
        "logstore_name": "name",
        "retention_period": "ttl",
        "shard_count": "shards",
    },
    "alicloud_log_project": {"project_name": "name"},
    "alicloud_ram_group_membership": {"user_names": "user_name"},
    "alicloud_db_account_privilege": {"db_names": "database"},
    "alicloud_route_entry": {
        "destination_cidrblock": "destination",
        "nexthop_type": "next_hop_type",
        "nexthop_id": "next_hop_id",
    },
    "alicloud_db_database": {"character_set": "charset"},
    "alicloud_instance": {"security_groups": "security_group_id", "key_name": "key_pair"},
    # Its old name of `policy_document`: both at once are refused.
    "alicloud_ram_policy": {"document": ""},
}
_CONSTANTS: Mapping[str, Mapping[str, str]] = {
    "alicloud_kms_key": {"pending_window_in_days": "7"},
    "alicloud_security_group_rule": {"type": '"ingress"'},
    "alicloud_ram_policy": {"policy_document": _POLICY},
    "alicloud_ram_role": {"services": '["ecs.aliyuncs.com"]'},
}


def otherwise(types: Mapping[str, ProviderType]) -> Otherwise:
    """The table."""
    return Otherwise(
        kinds=_KINDS,
        attributes=_ATTRIBUTES,
        constants=_CONSTANTS,
        values={"alicloud_cms_alarm": {"escalations_critical.comparison_operator": _COMPARISONS}},
        identities={"alicloud_ess_scaling_rule": 'split(":", {address}.id)[1]'},
        states={
            "alicloud_cms_alarm": {"Disabled": {"enabled": "false"}},
            # The provider starts what it makes.
            "alicloud_slb_listener": {"running": {}},
        },
        beside={
            "vpc.eip/InUse": Beside(
                type=types["alicloud_eip_association"],
                own="allocation_id",
                other="instance_id",
                others=("vpc.nat_gateway", "ecs.instance"),
            ),
            "ecs.disk/In_use": Beside(
                type=types["alicloud_ecs_disk_attachment"],
                own="disk_id",
                other="instance_id",
                others=("ecs.instance",),
            ),
            "ess.scaling_group/Active": Beside(
                kind="ess.scaling_configuration",
                own="group_id",
                constants={"active": "true", "enable": "true"},
            ),
        },
    )
