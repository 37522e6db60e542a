"""META's steps for a provisioning's row: the way without Terraform.

The row keeps how far the steps came, before each of them, so that a crash is taken up
from it (`cloud.steps.making`). Steps act with what the target declares and not with the
leased account, so they are taken back after the lease has ended as well: by nobody
else. Only where a later provisioning has prepared the same target is that left alone,
for it would take away what another walk stands on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofwalk.chassis.database import Database
from proofwalk.cloud.ports import Cloud
from proofwalk.cloud.steps.declared import unsupported
from proofwalk.cloud.steps.making import LEFT, Maker, Progress
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import conflict
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.assertions import variables
from proofwalk.resource_provisioner.meta import Meta
from proofwalk.resource_provisioner.repository import ProvisioningRow


def refuse_unsupported(meta: Meta, cloud: Cloud, *, target: str) -> None:
    """Raise what the target cannot do of a record's steps: `meta.steps_unsupported`,
    `meta.steps_undeclared`."""
    if not meta.preparation:
        return
    if cloud.steps is None:
        raise unsupported(target)
    cloud.steps.refuse_undeclared(meta.preparation)


@dataclass(frozen=True, kw_only=True)
class RowRecord:
    """The progress of a row."""

    db: Database
    row: ProvisioningRow
    clock: Clock

    @property
    def progress(self) -> Progress:
        """How far the steps had come when the row was read."""
        row = self.row
        return Progress(begun=row.steps_begun, ended=row.steps_ended, outputs=dict(row.outputs))

    async def keep(self, progress: Progress) -> None:
        """Write it into the row."""
        await usecases.keep_progress(self.db, self.row.id, progress, clock=self.clock)


@dataclass(frozen=True, kw_only=True)
class Stepping:
    """Makes and takes back by steps."""

    db: Database
    clock: Clock
    verify_s: float

    async def make(self, row: ProvisioningRow, meta: Meta, cloud: Cloud) -> Mapping[str, str]:
        """Do what is not done yet; the outputs. Raises `provision.*`,
        `meta.steps_unsupported`."""
        return await self._maker(row, meta, cloud).make()

    async def undo(
        self, row: ProvisioningRow, meta: Meta, cloud: Cloud, *, is_leased: bool
    ) -> None:
        """Take back what has begun. Raises `provision.destroy_failed`."""
        later = [] if is_leased else await usecases.prepared_since(self.db, row)
        if later:
            raise conflict(
                LEFT,
                "the lease ended before the steps were taken back, and"
                f" {later[0].id} prepares the same target",
                hint="delete by hand what the record's steps make, when no walk is under way",
            )
        await self._maker(row, meta, cloud).undo()

    def _maker(self, row: ProvisioningRow, meta: Meta, cloud: Cloud) -> Maker:
        if cloud.steps is None:
            raise unsupported(row.target)
        return Maker(
            cloud.steps,
            meta.preparation,
            RowRecord(db=self.db, row=row, clock=self.clock),
            variables=variables(row),
            clock=self.clock,
            verify_s=self.verify_s,
        )
