"""Types of resources and data sources that templates may declare."""

from __future__ import annotations

from proofwalk.resource_provisioner.alicloud_provider import registry

CREDENTIALS = frozenset({"alicloud_ram_access_key", "alicloud_ram_login_profile"})
"""What lets somebody sign in: no template may declare one."""
BUILT_IN = "terraform_data"
"""Terraform's own resource type: it keeps a value and makes nothing."""
RESOURCE_TYPES = frozenset(
    {*(resource.type_name for resource in registry.RESOURCES), BUILT_IN} - CREDENTIALS
)
"""What the embedded provider has, and Terraform's own, without credentials."""
DATA_TYPES = frozenset({"alicloud_zones", "alicloud_images", "alicloud_instance_types"})
