"""The review of a row's plan before it is applied: what it costs is worked out
(`payment`), held against the bounds (`prices`) and kept in the row."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from proofwalk.chassis.database import Database
from proofwalk.cloud.ports import Cloud, CloudAccount
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import caused_by
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.limits import Limits, price_bounds
from proofwalk.resource_provisioner.payment import planned_resources
from proofwalk.resource_provisioner.prices import PriceDesk
from proofwalk.resource_provisioner.repository import ProvisioningRow
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class PlanReview:
    """A runner's `Review`."""

    db: Database
    row: ProvisioningRow
    cloud: Cloud
    account: CloudAccount
    settings: ResourceProvisionerSettings
    clock: Clock

    async def __call__(self, plan: JsonObject) -> None:
        """Raises where the plan costs more than it may (`prices`)."""
        limits = Limits(max_per_hour=self.row.max_per_hour, max_at_once=self.row.max_at_once)
        desk = PriceDesk(
            pricing=self.cloud.pricing,
            account=self.account,
            region=self.row.region,
            bounds=price_bounds(self.settings, limits),
        )
        with caused_by(EnvCause.PROVISION):
            price = await desk.appraised(list(planned_resources(plan)))
        log.info("plan_priced", **price.stored())
        await usecases.keep_price(self.db, self.row.id, price, clock=self.clock)
