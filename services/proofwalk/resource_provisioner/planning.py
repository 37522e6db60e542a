"""Whether a record would still be made, without making it: it is judged by what may be
run by now, and planned in an account that is leased for that and given back.

A plan reads the cloud and changes nothing, so it has no row, and its folder goes with
it. What is seen at an application alone (a specification that is retired, a zone
without stock) a plan does not show. A record without Terraform is judged, and no more.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from pathlib import Path

from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.ports import Cloud, CloudAccount
from proofwalk.kernel.errors import conflict
from proofwalk.kernel.ids import IdSource
from proofwalk.resource_provisioner import workspace
from proofwalk.resource_provisioner.account_leases import AccountLeases
from proofwalk.resource_provisioner.confined import MetaReader
from proofwalk.resource_provisioner.meta import Meta, read_meta
from proofwalk.resource_provisioner.planned import resources_of
from proofwalk.resource_provisioner.regions import check_region
from proofwalk.resource_provisioner.runner import TerraformFailed
from proofwalk.resource_provisioner.stepping import refuse_unsupported
from proofwalk.resource_provisioner.terraform_failures import error_of
from proofwalk.resource_provisioner.terraform_runs import TerraformRuns


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A plan that may be applied."""

    run: str
    makes: int
    """Resources; 0 for a record without Terraform."""
    provider_version: str


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """What a plan's resources would be called."""

    id: str
    region: str
    name_prefix: str


class Planner:
    """Plans records."""

    def __init__(
        self,
        *,
        clouds: Clouds,
        leases: AccountLeases,
        metas: MetaReader,
        runs: TerraformRuns,
        folder: Path,
        ids: IdSource,
    ) -> None:
        self._clouds = clouds
        self._leases = leases
        self._metas = metas
        self._runs = runs
        self._folder = folder
        self._ids = ids

    async def plan(self, meta_text: str, *, target: str, region: str = "") -> Planned:
        """Plan a record on a target. Raises `meta.*`, `provision.*` as a provisioning
        does, `target.*`, `account.*`, `lease.*`."""
        check_region(region)
        await self._metas.check(meta_text)
        meta = read_meta(meta_text)
        cloud = await self._clouds.get(target)
        if meta.preparation:
            refuse_unsupported(meta, cloud, target=target)
        run = self._ids.new("plan")
        provider = cloud.provisioning.provider_version if cloud.provisioning is not None else ""
        if not meta.create.strip():
            return Planned(run=run, makes=0, provider_version=provider)
        named = _Plan(
            id=run, region=region or cloud.regions[0], name_prefix=f"pw{secrets.token_hex(3)}"
        )
        async with self._leases.leased(run, target, meta.role) as account:
            makes = await self._planned(named, meta, cloud, account)
        return Planned(run=run, makes=makes, provider_version=provider)

    async def _planned(self, named: _Plan, meta: Meta, cloud: Cloud, account: CloudAccount) -> int:
        if cloud.provisioning is None:
            raise conflict(
                "provision.unsupported",
                "the target has no provisioning",
                hint="use a META record without create",
            )
        folder = self._folder / named.id
        try:
            written = await workspace.prepare(folder, named, meta, cloud.provisioning)
            try:
                document = await self._runs.plan(folder, cloud, account, region=named.region)
                return resources_of(document)
            except TerraformFailed as failed:
                raise error_of(failed, written) from failed
        finally:
            await asyncio.shield(workspace.remove(folder))
