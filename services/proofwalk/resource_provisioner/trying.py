"""Tries records when a person asks: each is made in an account that the role leases for
that, looked at and taken back, as a walk would have it, and the account has to be as it
was before.

Trials go one after the other, in the order in which they were asked for. What one makes
is a provisioning like any other: priced before it is applied, bounded by the settings,
taken up after a crash and gone with its lease. A trial that the role did not live to
end is ended as unchecked at the next start; it is not run again by itself, as nobody
waits for it any more. `trials` says what an end means, `checking` is the look that
makes nothing.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta

import structlog

from proofwalk.chassis.database import Database
from proofwalk.cloud.leftovers import refuse_leftovers
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.staleness import reason_of
from proofwalk.resource_provisioner import trial_usecases, usecases
from proofwalk.resource_provisioner.account_leases import AccountLeases
from proofwalk.resource_provisioner.checking import targets_by_kind
from proofwalk.resource_provisioner.confined import MetaReader
from proofwalk.resource_provisioner.domain import Form
from proofwalk.resource_provisioner.lineage import (
    Mark,
    MetaState,
    check_printable,
    refuse_other_kind,
)
from proofwalk.resource_provisioner.meta import read_meta
from proofwalk.resource_provisioner.provisioning import Provisioner
from proofwalk.resource_provisioner.repository import MetaRow
from proofwalk.resource_provisioner.trials import Trial, TrialEnd, TrialStage, end_of

log = structlog.get_logger()
_LEASE = timedelta(minutes=30)
_LOOK_S = 10.0
"""Seconds between two looks for trials that nobody in this process has asked for."""
_LONGEST_S = 1500.0
"""Of a trial; its lease lives longer."""


@dataclass(frozen=True, kw_only=True)
class Trials:
    """The role's trials. `run` is a background loop of the role."""

    provisioner: Provisioner
    leases: AccountLeases
    metas: MetaReader
    targets: TargetCatalog
    db: Database
    clock: Clock
    ids: IdSource
    _doorbell: asyncio.Event = field(default_factory=asyncio.Event)

    async def ask(self, meta_id: str, version: int, *, target: str, asked_by: str) -> Trial:
        """The trial of a version that has not ended, or a new one. Without a target it
        is the first of the record's kind. Raises `meta.not_found`, `meta.no_target`,
        `meta.other_kind`, `meta.too_many_trials`, `meta.invalid`, `target.*`."""
        check_printable("asked_by", asked_by)
        row = await usecases.get_meta(self.db, meta_id, version)
        target = target or self._first_target(row)
        refuse_other_kind(row.target_kind, self.targets.get(target).kind)
        trial = await trial_usecases.ask(
            self.db,
            Trial(
                id=self.ids.new("trial"),
                meta_id=row.id,
                version=row.version,
                target=target,
                asked_by=asked_by,
                created_at=self.clock.now(),
            ),
        )
        self._doorbell.set()
        return trial

    def _first_target(self, row: MetaRow) -> str:
        by_kind = targets_by_kind(self.targets) if row.target_kind else {}
        if row.target_kind not in by_kind:
            raise invalid(
                "meta.no_target",
                f"record {row.id!r} is for {row.target_kind or 'no kind of target in particular'},"
                " so that it is not known where to try it",
                hint="name a target",
            )
        return by_kind[row.target_kind]

    async def run(self) -> None:
        """Try what is asked for, for ever. While rows cannot be reached, it waits."""
        is_tidy = False
        while True:
            self._doorbell.clear()
            try:
                if not is_tidy:
                    await self._end_interrupted()
                is_tidy = False
                while (trial := await trial_usecases.next_queued(self.db)) is not None:
                    await self._attend(trial)
                is_tidy = True
            except ProofwalkError as error:
                log.warning("trials_wait", code=error.code, reason=error.message)
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await self._doorbell.wait()

    async def _end_interrupted(self) -> None:
        if count := await trial_usecases.end_interrupted(self.db, clock=self.clock):
            log.warning("trials_interrupted", count=count)

    async def _attend(self, queued: Trial) -> None:
        """Take a trial from its beginning to its end, unless another process does."""
        trial = replace(queued, stage=TrialStage.LEASING, started_at=self.clock.now())
        if not await trial_usecases.moved(self.db, trial, was=queued.stage):
            return
        progress = _Progress(db=self.db, trial=trial)
        error: ProofwalkError | None = None
        row = await usecases.get_meta(self.db, trial.meta_id, trial.version)
        try:
            async with asyncio.timeout(_LONGEST_S):
                await self._tried(row, progress)
        except TimeoutError:
            error = ProofwalkError(
                "meta.trial_too_long",
                f"it was not done within {_LONGEST_S:g} s",
                status=Status.DEADLINE_EXCEEDED,
            )
        except ProofwalkError as failure:
            error = failure
        except Exception as bug:
            log.exception("trial_failed", trial=trial.id, error=bug)
            error = ProofwalkError(
                "internal", "Proofwalk itself failed; its log says why", status=Status.INTERNAL
            )
        await self._ended(row, progress, error)

    async def _tried(self, row: MetaRow, progress: _Progress) -> None:
        """Raises what is wrong with the record, and what is the environment's."""
        trial = progress.trial
        await self.metas.check(row.yaml)
        record = read_meta(row.yaml)
        holding = self.leases.lease(trial.id, trial.target, record.role, ttl=_LEASE)
        async with holding as lease:
            try:
                await self._made_and_gone(row, lease, progress)
            except ProofwalkError:
                with suppress(ProofwalkError):
                    await self.provisioner.sweep(lease, ())
                raise

    async def _made_and_gone(self, row: MetaRow, lease: LeaseRef, progress: _Progress) -> None:
        trial = progress.trial
        await progress.at(TrialStage.CREATING)
        made = await self.provisioner.provision(
            request_id=f"{trial.id}:provision", lease=lease, form=Form(yaml=row.yaml), region=""
        )
        await progress.at(TrialStage.DESTROYING, provisioning_id=made.id)
        await self.provisioner.destroy(made.id)
        await progress.at(TrialStage.COMPARING)
        refuse_leftovers(await self.leases.inspect(lease), target=trial.target)

    async def _ended(self, row: MetaRow, progress: _Progress, error: ProofwalkError | None) -> None:
        """Mark the record with what was shown, then store the end."""
        end = end_of(error, target_kind=row.target_kind)
        try:
            await self._marked(row, progress.trial, end, error)
        except ProofwalkError as refusal:
            end, error = TrialEnd.UNCHECKED, refusal
        await progress.at(
            TrialStage.ENDED,
            end=end,
            error_code=error.code if error else "",
            error_message=error.message if error else "",
            ended_at=self.clock.now(),
        )
        log.info("record_tried", record=row.id, version=row.version, end=end.value)

    async def _marked(
        self, row: MetaRow, trial: Trial, end: TrialEnd, error: ProofwalkError | None
    ) -> None:
        if end is TrialEnd.PROVEN:
            mark = Mark(
                state=MetaState.PROVEN,
                run=trial.provisioning_id,
                provider_version=await self.provisioner.provider_version(trial.target),
                target_kind=self.targets.get(trial.target).kind,
            )
        elif end is TrialEnd.STALE and error is not None:
            mark = Mark(
                state=MetaState.STALE,
                run=trial.provisioning_id or trial.id,
                target_kind=row.target_kind,
                reason=reason_of(error),
            )
        else:
            return
        await usecases.mark_meta(self.db, row.id, row.version, mark, clock=self.clock)


@dataclass(kw_only=True)
class _Progress:
    """A trial under way, as its row has it."""

    db: Database
    trial: Trial

    async def at(self, stage: TrialStage, **changes: object) -> None:
        """Store that it has come to a stage."""
        was = self.trial.stage
        self.trial = replace(self.trial, stage=stage, **changes)  # type: ignore[arg-type]  # fields
        await trial_usecases.moved(self.db, self.trial, was=was)
