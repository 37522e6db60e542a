"""Every resource type that the provider has: each module of a product names its own."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.resource_provisioner.alicloud_provider import (
    balancing,
    cache,
    compute,
    database,
    database_access,
    dns,
    identities,
    internet,
    keys,
    launch,
    logs,
    monitoring,
    network,
    objects,
    routes,
    scaling,
    security,
    storage,
)
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource

RESOURCES: Sequence[type[Resource]] = (
    *network.RESOURCES,
    *security.RESOURCES,
    *compute.RESOURCES,
    *storage.RESOURCES,
    *launch.RESOURCES,
    *database.RESOURCES,
    *database_access.RESOURCES,
    *keys.RESOURCES,
    *logs.RESOURCES,
    *objects.RESOURCES,
    *cache.RESOURCES,
    *dns.RESOURCES,
    *identities.RESOURCES,
    *monitoring.RESOURCES,
    *internet.RESOURCES,
    *routes.RESOURCES,
    *balancing.RESOURCES,
    *scaling.RESOURCES,
)
