"""Brings accounts into the state that a document presupposes, and back: the work behind
the rows.

A provisioning is worked on by a task of the role's own loop (`Works`), not of the call
that asked for it: a call that is broken off attaches again by its request id, and a
crash is taken up from the row (`resume`). Every stage converges when it is repeated:
`terraform apply` and `destroy` work on a state that is kept, META's steps on how far
they came (`stepping`), the sweep looks at the inventory. A failure destroys what was
made before it is told, so that it leaves nothing behind; what cannot be destroyed is
*leaked*, named in the row, counted, and tried again.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import structlog

from proofwalk.chassis.database import Database
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.leased import LeasedAccounts
from proofwalk.cloud.ports import Cloud, CloudAccount, ResourceRef
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict, unavailable
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import LOST, LeaseRef
from proofwalk.resource_provisioner import usecases, workspace
from proofwalk.resource_provisioner.assertions import lacking
from proofwalk.resource_provisioner.domain import Form, ProvisioningState, made_by
from proofwalk.resource_provisioner.limits import NO_LIMITS, Limits, expiry
from proofwalk.resource_provisioner.meta import Meta, read_meta
from proofwalk.resource_provisioner.plan_review import PlanReview
from proofwalk.resource_provisioner.regions import check_region
from proofwalk.resource_provisioner.repository import ProvisioningRow
from proofwalk.resource_provisioner.runner import TerraformFailed
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings
from proofwalk.resource_provisioner.stepping import Stepping, refuse_unsupported
from proofwalk.resource_provisioner.sweep import sweep
from proofwalk.resource_provisioner.terraform_failures import error_of
from proofwalk.resource_provisioner.terraform_runs import TerraformRuns
from proofwalk.resource_provisioner.works import Works

log = structlog.get_logger()
S = ProvisioningState
_POLL_S = 0.25
_STRANGERS_S = 15.0
_TOLD = ("product", "type", "id", "name", "region", "state")
"""What a row keeps of a resource that was made."""
_PASSING = (Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED)
"""Who has not answered now may answer later: nothing has leaked by that."""


class Provisioner:
    """Provisions, verifies, destroys, sweeps."""

    def __init__(
        self,
        *,
        db: Database,
        clouds: Clouds,
        accounts: LeasedAccounts,
        runs: TerraformRuns,
        works: Works,
        settings: ResourceProvisionerSettings,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._db = db
        self._clouds = clouds
        self._accounts = accounts
        self._runs = runs
        self._works = works
        self._settings = settings
        self._clock = clock
        self._ids = ids
        self._stepping = Stepping(
            db=db, clouds=clouds, accounts=accounts, clock=clock, verify_s=settings.verify_s
        )

    async def provision(
        self,
        *,
        request_id: str,
        lease: LeaseRef,
        form: Form,
        region: str,
        limits: Limits = NO_LIMITS,
    ) -> ProvisioningRow:
        """Make what a record describes; the ready row. Raises `provision.*`,
        `meta.invalid`, `lease.*`."""
        limits.check()
        meta = read_meta(form.yaml)
        meta.refuse_unattainable()
        check_region(region)
        await self._account(lease.lease_id, lease.epoch)
        await self.refuse_unsupported(meta, lease.target)
        now = self._clock.now()
        row = await usecases.intend(
            self._db,
            ProvisioningRow(
                id=self._ids.new("prov"),
                request_id=request_id,
                lease_id=lease.lease_id,
                lease_epoch=lease.epoch,
                target=lease.target,
                region=await self.region(lease.target, region),
                meta_yaml=form.yaml,
                general_yaml=form.general_yaml,
                footings=form.footings,
                # Random, so that the same document can be walked many times in one
                # account without a clash of names.
                name_prefix=f"pw{secrets.token_hex(3)}",
                state=S.CREATING,
                max_per_hour=limits.max_per_hour,
                max_at_once=limits.max_at_once,
                expires_at=expiry(self._settings, limits, now=now),
                created_at=now,
                updated_at=now,
            ),
        )
        if row.state in (S.CREATING, S.VERIFYING, S.FAILING):
            await self._works.done(row.id, lambda: self.work(row.id))
            row = await usecases.get(self._db, provisioning_id=row.id)
        if row.state is not S.READY:
            raise usecases.failure_of(row)
        return row

    async def refuse_unsupported(self, meta: Meta, target: str) -> None:
        """Raise what the target cannot do of a record's steps, and `target.*`."""
        if meta.preparation:
            refuse_unsupported(meta, await self._clouds.get(target), target=target)

    async def region(self, target: str, region: str) -> str:
        """The region, or the target's first where it is empty."""
        return region or (await self._clouds.get(target)).regions[0]

    def target_kind(self, target: str) -> str:
        """`Target.kind`. Raises `target.*`."""
        return self._clouds.catalog.get(target).kind

    async def provider_version(self, target: str) -> str:
        """The version of the target's Terraform provider; empty where it has none."""
        provisioning = (await self._clouds.get(target)).provisioning
        return provisioning.provider_version if provisioning is not None else ""

    async def destroy(self, provisioning_id: str) -> ProvisioningRow:
        """Take a provisioning back, whatever it is doing; raises
        `provision.destroy_failed`."""
        before = await usecases.begin_destroy(self._db, provisioning_id, clock=self._clock)
        await self._stop_making(before)
        row = await usecases.get(self._db, provisioning_id=provisioning_id)
        if row.state in (S.DESTROYING, S.FAILING):
            await self._works.done(row.id, lambda: self.work(row.id))
            row = await usecases.get(self._db, provisioning_id=row.id)
        if row.state in (S.DESTROYING, S.FAILING):
            raise unavailable(
                "provision.destroy_unfinished",
                "something that the destruction needs is away; it is tried again",
            )
        if row.state is S.LEAKED:
            raise usecases.failure_of(row)
        return row

    async def sweep(self, lease: LeaseRef, leftovers: Sequence[ResourceRef]) -> list[ResourceRef]:
        """Delete what others made, destroy every provisioning of the lease, then delete
        what is still there of the leftovers."""
        rows = await usecases.holding(self._db, lease.lease_id)
        account = await self._account(lease.lease_id, lease.epoch)
        cloud = await self._clouds.get(lease.target)
        wanted = {(item.product, item.type, item.id) for item in leftovers}
        swept: list[ResourceRef] = []

        def is_wanted(resource: ResourceRef) -> bool:
            return (resource.product, resource.type, resource.id) in wanted

        def is_strange(resource: ResourceRef) -> bool:
            return is_wanted(resource) and not any(
                made_by(resource, provisioning_id=row.id, name_prefix=row.name_prefix)
                for row in rows
            )

        async def remove(matches: Callable[[ResourceRef], bool], seconds: float) -> None:
            if cloud.inventory is not None:
                swept.extend(
                    await sweep(
                        cloud.inventory, account, matches, seconds=seconds, clock=self._clock
                    )
                )

        if rows:
            # What a walk made may stand in the way of what a template made, and the
            # other way round: so this comes first, and is given up soon.
            with contextlib.suppress(ProofwalkError):
                await remove(is_strange, min(_STRANGERS_S, self._settings.sweep_s))
            for row in rows:
                await self.destroy(row.id)
        await remove(is_wanted, self._settings.sweep_s)
        return swept

    async def resume(self) -> None:
        """Go on with what was interrupted: called at the start and periodically."""
        for row in await usecases.interrupted(self._db):
            self._works.begin(row.id, partial(self.work, row.id))

    async def abandoned(self) -> None:
        """End provisionings whose lease is gone: nobody will ask for their end, and the
        account pool has swept what they made."""
        for row in await usecases.idle(self._db):
            try:
                live = await self._accounts.is_live(lease_id=row.lease_id, epoch=row.lease_epoch)
            except ProofwalkError as error:
                if error.status in _PASSING:
                    raise
                # Its target is gone or wrong; those of others are looked at.
                log.warning("lease_unknown", provisioning=row.id, code=error.code)
                continue
            if not live:
                await usecases.begin_destroy(self._db, row.id, clock=self._clock)
                self._works.begin(row.id, partial(self.work, row.id))

    async def expire(self) -> None:
        """Take back what has stood for its time, whether its lease is renewed or not.
        The row says so before anything is taken back, and whoever waits is told."""
        for provisioning_id in await usecases.expired(self._db, clock=self._clock):
            before = await usecases.expire(self._db, provisioning_id, clock=self._clock)
            if before is not None:
                log.warning("provisioning_expired", provisioning=before.id, state=before.state)
                await self._stop_making(before)
                self._works.begin(before.id, partial(self.work, before.id))

    async def _stop_making(self, before: ProvisioningRow) -> None:
        """Ask the Terraform of a row whose end has been written to end: it stores what
        it has made."""
        if before.state in (S.CREATING, S.VERIFYING):
            await self._works.stop(before.id)

    async def work(self, provisioning_id: str) -> None:
        """Take a provisioning as far as it goes from where its row says it is. One task
        at a time works on one row."""
        row = await usecases.get(self._db, provisioning_id=provisioning_id)
        with structlog.contextvars.bound_contextvars(provisioning=row.id, state=row.state.value):
            if row.state in (S.CREATING, S.VERIFYING):
                row = await self._create(row)
            if row.state in (S.FAILING, S.DESTROYING):
                await self._take_back(row)

    async def _create(self, row: ProvisioningRow) -> ProvisioningRow:
        try:
            meta = read_meta(row.meta_yaml)
            account = await self._account(row.lease_id, row.lease_epoch)
            cloud = await self._clouds.get(row.target)
            outputs: Mapping[str, str] = {}
            if meta.create.strip():
                outputs = await self._apply(row, meta, cloud, account)
            if meta.preparation:
                row = replace(row, outputs={**row.outputs, **outputs})
                outputs = await self._stepping.make(row, meta, cloud, account)
            row = await usecases.move(
                self._db, row.id, S.VERIFYING, clock=self._clock, outputs=dict(outputs)
            )
            resources = await self._verify(row, meta, cloud, account)
            log.info("provisioned", resources=len(resources))
            return await usecases.move(
                self._db, row.id, S.READY, clock=self._clock, resources=resources
            )
        except ProofwalkError as error:
            log.warning("provisioning_failed", code=error.code, reason=error.message)
            return await usecases.fail(self._db, row.id, S.FAILING, error, clock=self._clock)

    async def _apply(
        self, row: ProvisioningRow, meta: Meta, cloud: Cloud, account: CloudAccount
    ) -> Mapping[str, str]:
        if cloud.provisioning is None:
            raise conflict(
                "provision.unsupported",
                f"the target {row.target!r} has no provisioning",
                hint="use a META record without create",
            )
        folder = self._runs.folder_of(row)
        written = await workspace.prepare(folder, row, meta, cloud.provisioning)
        try:
            review = PlanReview(
                db=self._db,
                row=row,
                cloud=cloud,
                account=account,
                settings=self._settings,
                clock=self._clock,
            )
            applied = await self._runs.apply(cloud, account, row, review)
        except TerraformFailed as error:
            raise error_of(error, written) from error
        return applied.outputs

    async def _verify(
        self, row: ProvisioningRow, meta: Meta, cloud: Cloud, account: CloudAccount
    ) -> list[dict[str, str]]:
        """C_verify and K against the inventory; states take time, so it is asked until
        `verify_s`."""
        if cloud.inventory is None:
            return []
        deadline = self._clock.monotonic() + self._settings.verify_s
        while True:
            inventory = list(await cloud.inventory.list(account))
            missing = lacking(meta, inventory, row)
            if not missing:
                made = [
                    item
                    for item in inventory
                    if made_by(item, provisioning_id=row.id, name_prefix=row.name_prefix)
                ]
                return [{name: getattr(item, name) for name in _TOLD} for item in made]
            if self._clock.monotonic() + _POLL_S > deadline:
                raise conflict(
                    "provision.verify_failed",
                    f"after {self._settings.verify_s:g} s: {'; '.join(missing)}",
                    hint="mend the META record's verify, or its create",
                )
            await asyncio.sleep(_POLL_S)

    async def _take_back(self, row: ProvisioningRow) -> None:
        failing = row.state is S.FAILING
        await self._end_later(row)
        try:
            left = await self._stepping.take_back(row)
            account = await self._account(row.lease_id, row.lease_epoch)
            cloud = await self._clouds.get(row.target)
            await self._destroy_all(row, cloud, account)
            if left is not None and await self._stepping.take_back(row) is not None:
                raise left
        except ProofwalkError as error:
            if error.code in LOST:
                # The account is the pool's again: it sweeps what is left, whoever made
                # it.
                log.warning("left_to_the_account_pool", reason=error.message)
                await workspace.remove(self._runs.folder_of(row))
                await usecases.move(
                    self._db, row.id, S.FAILED if failing else S.DESTROYED, clock=self._clock
                )
                return
            if error.status in _PASSING:
                raise  # tried again by `resume`
            log.error("resources_leaked", code=error.code, reason=error.message)
            message = f"{row.error_message}; {error.message}" if failing else error.message
            leaked = conflict("provision.destroy_failed", message)
            await usecases.fail(self._db, row.id, S.LEAKED, leaked, clock=self._clock)
            return
        await workspace.remove(self._runs.folder_of(row))
        await usecases.move(
            self._db, row.id, S.FAILED if failing else S.DESTROYED, clock=self._clock
        )

    async def _end_later(self, row: ProvisioningRow) -> None:
        """Take back first what refers to what this one made, whoever ends this one.
        What is left of that stands in the way, and is told by the destruction."""
        for later in await usecases.standing_on(self._db, row):
            try:
                await self.destroy(later.id)
            except ProofwalkError as error:
                if error.status in _PASSING:
                    raise
                log.warning("later_provisioning_left", later=later.id, reason=error.message)

    async def _destroy_all(self, row: ProvisioningRow, cloud: Cloud, account: CloudAccount) -> None:
        """Terraform first, in its order; then whatever its state does not know."""
        folder = self._runs.folder_of(row)
        failure: TerraformFailed | None = None
        has_state = await asyncio.to_thread((folder / "terraform.tfstate").is_file)
        if cloud.provisioning is not None and has_state:
            await workspace.prepare_destruction(folder, row, cloud.provisioning)
            try:
                await self._runs.destroy(cloud, account, row)
            except TerraformFailed as error:
                failure = error
                log.warning("terraform_destroy_failed", reason=str(error))
        if cloud.inventory is not None:
            await sweep(
                cloud.inventory,
                account,
                lambda resource: made_by(
                    resource, provisioning_id=row.id, name_prefix=row.name_prefix
                ),
                seconds=self._settings.sweep_s,
                clock=self._clock,
            )
        elif failure is not None:
            raise conflict(
                "provision.destroy_failed", f"terraform could not destroy the resources: {failure}"
            ) from failure

    async def _account(self, lease_id: str, epoch: int) -> CloudAccount:
        return await self._accounts.account(lease_id=lease_id, epoch=epoch)
