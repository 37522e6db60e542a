"""The provider's configuration: the block, then the environment, under the real
provider's names.

`ALICLOUD_ACCESS_KEY`, `ALICLOUD_SECRET_KEY`, `ALICLOUD_SECURITY_TOKEN`,
`ALICLOUD_REGION` (and the `ALIBABA_CLOUD_…` spellings) are the real provider's.
Endpoints come from the `endpoints` block, from `ECS_ENDPOINT`, `VPC_ENDPOINT` and so
on, or, for every product at once, from `ALICLOUD_ENDPOINT_URL`, which only this
provider knows; a template names none of them, so it runs anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofwalk.cloud.alicloud.openapi import VERSIONS
from proofwalk.resource_provisioner.alicloud_provider.openapi import Connection, endpoint_of
from proofwalk.resource_provisioner.alicloud_provider.resource import Problem
from proofwalk.resource_provisioner.alicloud_provider.values import UNKNOWN

CONFLICT_WAIT = "ALICLOUD_CONFLICT_WAIT_SECONDS"
"""Environment variable: for so long a delete that a dependent blocks is tried again."""
_NAMES: Mapping[str, tuple[str, ...]] = {
    "access_key": ("ALICLOUD_ACCESS_KEY", "ALIBABA_CLOUD_ACCESS_KEY_ID"),
    "secret_key": ("ALICLOUD_SECRET_KEY", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"),
    "security_token": ("ALICLOUD_SECURITY_TOKEN", "ALIBABA_CLOUD_SECURITY_TOKEN"),
    "region": ("ALICLOUD_REGION", "ALIBABA_CLOUD_REGION"),
}


def connection_of(
    config: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[Connection | None, list[Problem]]:
    """Where to connect, or what is missing."""

    def setting(name: str) -> str:
        value = config.get(name)
        if value not in (None, "") and value is not UNKNOWN:
            return str(value)
        return next(
            (
                environment[variable]
                for variable in _NAMES.get(name, ())
                if environment.get(variable)
            ),
            "",
        )

    problems = [
        Problem(
            summary=f"The provider's {name} is not set",
            detail=f"Set {_NAMES[name][0]}, or {name} in the provider block.",
            path=[name],
        )
        for name in ("access_key", "secret_key", "region")
        if not setting(name)
    ]
    if problems:
        return None, problems
    endpoints, protocol = _endpoints(config, environment)
    chosen = config.get("protocol")
    return (
        Connection(
            access_key=setting("access_key"),
            secret_key=setting("secret_key"),
            security_token=setting("security_token"),
            region=setting("region"),
            endpoints=endpoints,
            protocol=str(chosen) if chosen else protocol,
            conflict_wait_s=float(environment.get(CONFLICT_WAIT) or 30.0),
        ),
        [],
    )


def _endpoints(
    config: Mapping[str, Any], environment: Mapping[str, str]
) -> tuple[dict[str, str], str]:
    found, protocol = {}, "HTTPS"
    blocks = config.get("endpoints") or []
    for product in VERSIONS:
        value = next((block.get(product) for block in blocks if block.get(product)), None)
        value = (
            value
            or environment.get(f"{product.upper()}_ENDPOINT")
            or environment.get("ALICLOUD_ENDPOINT_URL")
        )
        if value:
            host, said = endpoint_of(str(value))
            found[product] = host
            protocol = said or protocol
    return found, protocol
