"""The names of an installation's parts."""

from __future__ import annotations

GATEWAY = "gateway"
REDIS = "redis"
DATABASE = "database"
CLOUD = "devcloud"
ROLES_IN_A_WALK = (
    CLOUD,
    "account_pool",
    "sandbox_scheduler",
    "resource_provisioner",
    "reward_service",
    "rollout",
)
"""Roles whose failing a walk of a document can feel; the gateway's clients feel that
one's."""
ROLES = (*ROLES_IN_A_WALK, GATEWAY)
