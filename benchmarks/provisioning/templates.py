"""What the cycles provision: META records over types with tags and without, with
dependencies between them, and specifications that may be retired or sold out."""

from __future__ import annotations

from collections.abc import Mapping

SPECIFICATION = "ecs.g7.large"
ZONE = "cn-hangzhou-h"
_NETWORK = f"""
  resource "alicloud_vpc" "main" {{
    vpc_name   = "${{var.name_prefix}}-vpc"
    cidr_block = "10.0.0.0/8"
  }}
  resource "alicloud_vswitch" "main" {{
    vswitch_name = "${{var.name_prefix}}-vsw"
    vpc_id       = alicloud_vpc.main.id
    cidr_block   = "10.0.1.0/24"
    zone_id      = "{ZONE}"
  }}
"""
_INSTANCE = f"""
  resource "alicloud_security_group" "main" {{
    security_group_name = "${{var.name_prefix}}-sg"
    vpc_id              = alicloud_vpc.main.id
  }}
  resource "alicloud_instance" "main" {{
    instance_name   = "${{var.name_prefix}}-web"
    instance_type   = "{SPECIFICATION}"
    image_id        = "ubuntu_24_04_x64_20G_alibase_20250722.vhd"
    vswitch_id      = alicloud_vswitch.main.id
    security_groups = [alicloud_security_group.main.id]
  }}
"""
_SUBSCRIPTION = _INSTANCE.replace(
    "    image_id ",
    """    instance_charge_type = "PrePaid"
    period          = 1
    force_delete    = true
    image_id """,
)
_DATABASE = f"""
  resource "alicloud_db_instance" "main" {{
    instance_name            = "${{var.name_prefix}}-mysql"
    engine                   = "MySQL"
    engine_version           = "8.0"
    category                 = "HighAvailability"
    instance_type            = "mysql.n2.medium.2c"
    instance_storage         = 20
    db_instance_storage_type = "cloud_essd"
    instance_charge_type     = "Postpaid"
    zone_id                  = "{ZONE}"
    vswitch_id               = alicloud_vswitch.main.id
  }}
"""
_GATEWAY = """
  resource "alicloud_nat_gateway" "main" {
    vpc_id           = alicloud_vpc.main.id
    vswitch_id       = alicloud_vswitch.main.id
    nat_type         = "Enhanced"
    nat_gateway_name = "${var.name_prefix}-nat"
    payment_type     = "PayAsYouGo"
  }
  resource "alicloud_eip_address" "main" {
    address_name         = "${var.name_prefix}-eip"
    bandwidth            = "10"
    internet_charge_type = "PayByTraffic"
    payment_type         = "PayAsYouGo"
  }
  resource "alicloud_eip_association" "main" {
    allocation_id = alicloud_eip_address.main.id
    instance_id   = alicloud_nat_gateway.main.id
  }
"""
_IDENTITIES = """
  resource "alicloud_ram_user" "main" {
    name = "${var.name_prefix}-user"
  }
  resource "alicloud_ram_group" "main" {
    group_name = "${var.name_prefix}-group"
  }
  resource "alicloud_ram_group_membership" "main" {
    group_name = alicloud_ram_group.main.group_name
    user_names = [alicloud_ram_user.main.name]
  }
"""


def _record(name: str, create: str, verify: str) -> str:
    return f"id: {name}\ndescription: A cycle's {name}\ncreate: |{create}verify:\n- {verify}\n"


RECORDS: Mapping[str, str] = {
    "network": _record(
        "network",
        f'{_NETWORK}  output "id" {{ value = alicloud_vswitch.main.id }}\n',
        '{product: vpc, type: vswitch, id: "${output.id}", state: Available}',
    ),
    "instance": _record(
        "instance",
        f'{_NETWORK}{_INSTANCE}  output "id" {{ value = alicloud_instance.main.id }}\n',
        '{product: ecs, type: instance, id: "${output.id}", state: Running}',
    ),
    "subscription": _record(
        "subscription",
        f'{_NETWORK}{_SUBSCRIPTION}  output "id" {{ value = alicloud_instance.main.id }}\n',
        '{product: ecs, type: instance, id: "${output.id}", state: Running}',
    ),
    "database": _record(
        "database",
        f'{_NETWORK}{_DATABASE}  output "id" {{ value = alicloud_db_instance.main.id }}\n',
        '{product: rds, type: instance, id: "${output.id}", state: Running}',
    ),
    "gateway": _record(
        "gateway",
        f'{_NETWORK}{_GATEWAY}  output "id" {{ value = alicloud_nat_gateway.main.id }}\n',
        '{product: vpc, type: nat_gateway, id: "${output.id}", state: Available}',
    ),
    "identities": _record(
        "identities",
        f'{_IDENTITIES}  output "id" {{ value = alicloud_ram_user.main.name }}\n',
        '{product: ram, type: user, name: "${output.id}"}',
    ),
}
