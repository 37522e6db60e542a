"""What the rollout role tells others of a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.target import TargetCatalog, Tool
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Evidence

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class TargetInfo:
    """A target as it is listed."""

    id: str
    title: str
    console_url: str
    adapter: str
    has_audit_log: bool
    has_provisioning: bool
    """Whether META can prepare it: by Terraform or by steps."""
    has_scenarios: bool = False
    """Whether its console can be opened in a named scenario."""
    accept: Evidence = Evidence.PAGE
    """The lowest rung of evidence that counts as proof where a request names none."""
    tool: Tool = "chromium"
    """The sandboxes that it is walked in."""


async def list_targets(catalog: TargetCatalog, clouds: Clouds) -> Mapping[str, TargetInfo]:
    """Every target whose file can be read; one that cannot is logged and left out, so
    that it does not take the others along."""
    found: dict[str, TargetInfo] = {}
    for target_id in catalog.ids():
        try:
            target = catalog.get(target_id)
            cloud = await clouds.get(target_id) if target.tool != "desktop" else None
        except ProofwalkError as error:
            log.error("target_refused", target=target_id, code=error.code, reason=error.message)
            continue
        found[target_id] = TargetInfo(
            id=target.id,
            title=target.title,
            console_url=target.console.url,
            adapter=target.adapter,
            has_audit_log=cloud is not None and cloud.audit is not None,
            has_provisioning=cloud is not None
            and (cloud.provisioning is not None or cloud.steps is not None),
            has_scenarios=bool(target.console.scenario_parameter),
            accept=Evidence(target.accept),
            tool=target.tool,
        )
    return found
