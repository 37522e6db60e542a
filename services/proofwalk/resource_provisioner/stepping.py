"""META's steps for a provisioning's row: the way without Terraform, or after it.

The row keeps how far the steps came, before each of them, so that a crash is taken up
from it (`cloud.steps.making`). Requests and commands act with what the target declares
and not with the leased account, so they are taken back after the lease has ended as
well: by nobody else. Only where a later provisioning has prepared the same target is
that left alone, for it would take away what another walk stands on. Operations of the
cloud's API act in the leased account: after the lease the account pool sweeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from proofwalk.chassis.database import Database
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.leased import LeasedAccounts
from proofwalk.cloud.ports import Cloud, CloudAccount
from proofwalk.cloud.steps.declared import unsupported
from proofwalk.cloud.steps.making import LEFT, Maker, Progress
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.assertions import variables
from proofwalk.resource_provisioner.meta import Meta, read_kept
from proofwalk.resource_provisioner.repository import ProvisioningRow

log = structlog.get_logger()


def refuse_unsupported(meta: Meta, cloud: Cloud, *, target: str) -> None:
    """Raise what the target cannot do of a record's steps: `meta.steps_unsupported`,
    `meta.steps_undeclared`."""
    preparation = meta.preparation
    if not preparation:
        return
    if (cloud.actions if preparation.acts_as_account else cloud.steps) is None:
        raise unsupported(target, preparation)
    if cloud.steps is not None and not preparation.acts_as_account:
        cloud.steps.refuse_undeclared(preparation)


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
    clouds: Clouds
    accounts: LeasedAccounts
    clock: Clock
    verify_s: float

    async def make(
        self, row: ProvisioningRow, meta: Meta, cloud: Cloud, account: CloudAccount
    ) -> Mapping[str, str]:
        """Do what is not done yet; the outputs, with those that the row has. Raises
        `provision.*`, `meta.steps_*`, `cloud.*`."""
        return await self._maker(row, meta, cloud, account).make()

    async def take_back(self, row: ProvisioningRow) -> ProofwalkError | None:
        """Take back what has begun, as far as the row says by now. What is left is
        raised (`provision.destroy_failed`); beside `create` it is returned, as it may
        go with what Terraform made."""
        meta = read_kept(row.meta_yaml)
        if not meta.preparation:
            return None
        row = await usecases.get(self.db, provisioning_id=row.id)
        account = None
        if await self.accounts.is_live(lease_id=row.lease_id, epoch=row.lease_epoch):
            account = await self.accounts.account(lease_id=row.lease_id, epoch=row.lease_epoch)
        try:
            await self._undo(row, meta, account)
        except ProofwalkError as error:
            if error.code != LEFT or not meta.create.strip():
                raise
            log.warning("steps_not_taken_back", reason=error.message)
            return error
        return None

    async def _undo(self, row: ProvisioningRow, meta: Meta, account: CloudAccount | None) -> None:
        """Without an account, the lease has ended."""
        if meta.preparation.acts_as_account and account is None:
            return
        later = [] if account is not None else await usecases.prepared_since(self.db, row)
        if later:
            raise conflict(
                LEFT,
                "the lease ended before the steps were taken back, and"
                f" {later[0].id} prepares the same target",
                hint="delete by hand what the record's steps make, when no walk is under way",
            )
        await self._maker(row, meta, await self.clouds.get(row.target), account).undo()

    def _maker(
        self, row: ProvisioningRow, meta: Meta, cloud: Cloud, account: CloudAccount | None
    ) -> Maker:
        preparation = meta.preparation
        caller = cloud.steps
        if preparation.acts_as_account:
            caller = None
            if cloud.actions is not None and account is not None:
                caller = cloud.actions.caller(account, region=row.region)
        if caller is None:
            raise unsupported(row.target, preparation)
        return Maker(
            caller,
            preparation,
            RowRecord(db=self.db, row=row, clock=self.clock),
            variables=variables(row),
            clock=self.clock,
            verify_s=self.verify_s,
        )
