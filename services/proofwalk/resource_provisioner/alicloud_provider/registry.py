"""Every resource type that the provider has: each module of a product names its own."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.resource_provisioner.alicloud_provider import (
    cache,
    compute,
    database,
    dns,
    keys,
    launch,
    logs,
    monitoring,
    network,
    routes,
    scaling,
    security,
    storage,
)
from proofwalk.resource_provisioner.alicloud_provider.balancing import (
    access_lists,
    backend_servers,
    listeners,
    load_balancers,
    server_groups,
)
from proofwalk.resource_provisioner.alicloud_provider.database_access import (
    accounts,
    backup_policies,
    databases,
    privileges,
    public_connections,
)
from proofwalk.resource_provisioner.alicloud_provider.identities import (
    attachments,
    credentials,
    groups,
    policies,
    roles,
    users,
)
from proofwalk.resource_provisioner.alicloud_provider.internet import (
    addresses,
    associations,
    nat_entries,
    nat_gateways,
)
from proofwalk.resource_provisioner.alicloud_provider.objects import (
    bucket_acls,
    bucket_objects,
    buckets,
)
from proofwalk.resource_provisioner.alicloud_provider.resource import Resource

RESOURCES: Sequence[type[Resource]] = (
    *network.RESOURCES,
    *security.RESOURCES,
    *compute.RESOURCES,
    *storage.RESOURCES,
    *launch.RESOURCES,
    *database.RESOURCES,
    *accounts.RESOURCES,
    *databases.RESOURCES,
    *privileges.RESOURCES,
    *backup_policies.RESOURCES,
    *public_connections.RESOURCES,
    *keys.RESOURCES,
    *logs.RESOURCES,
    *buckets.RESOURCES,
    *bucket_acls.RESOURCES,
    *bucket_objects.RESOURCES,
    *cache.RESOURCES,
    *dns.RESOURCES,
    *users.RESOURCES,
    *credentials.RESOURCES,
    *groups.RESOURCES,
    *roles.RESOURCES,
    *policies.RESOURCES,
    *attachments.RESOURCES,
    *monitoring.RESOURCES,
    *addresses.RESOURCES,
    *associations.RESOURCES,
    *nat_gateways.RESOURCES,
    *nat_entries.RESOURCES,
    *routes.RESOURCES,
    *load_balancers.RESOURCES,
    *server_groups.RESOURCES,
    *backend_servers.RESOURCES,
    *access_lists.RESOURCES,
    *listeners.RESOURCES,
    *scaling.RESOURCES,
)
