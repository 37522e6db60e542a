"""Looks at kept records from time to time: whether each would still be made.

A look takes the records whose last one is the longest ago, at most so many, one after
the other, each within a deadline. What a plan shows to be broken is marked `stale` with
the reason; it is mended where its document is (`proofwalk meta check --mend`). Walks
come first: no account is taken while so few are free, and a look that meets trouble
ends, and marks nothing by it (`kernel.staleness`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta

import structlog

from proofwalk.chassis.database import Database
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.staleness import blames_the_record, reason_of
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.account_leases import AccountLeases
from proofwalk.resource_provisioner.lineage import Mark, MetaState
from proofwalk.resource_provisioner.planning import Planner
from proofwalk.resource_provisioner.repository import MetaRow
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings

log = structlog.get_logger()


def targets_by_kind(targets: TargetCatalog) -> dict[str, str]:
    """The first target of each kind; one whose file cannot be read is none."""
    by_kind: dict[str, str] = {}
    for name in targets.with_clouds():
        try:
            by_kind.setdefault(targets.get(name).kind, name)
        except ProofwalkError as error:
            log.warning("target_unread", target=name, code=error.code)
    return by_kind


@dataclass(frozen=True, kw_only=True)
class PeriodicChecks:
    """The role's own looks."""

    planner: Planner
    leases: AccountLeases
    targets: TargetCatalog
    db: Database
    clock: Clock
    settings: ResourceProvisionerSettings

    async def look(self) -> int:
        """One look; how many records were planned."""
        before = self.clock.now() - timedelta(days=self.settings.check_after_days)
        due = await usecases.due_metas(self.db, before, limit=self.settings.check_most)
        by_kind = targets_by_kind(self.targets) if due else {}
        planned = 0
        for row in due:
            target = by_kind.get(row.target_kind)
            if target is None:
                continue
            if await self.leases.free(target) <= self.settings.check_spare:
                log.info("checks_wait", target=target, reason="accounts are scarce")
                break
            if not await self._is_checked(row, target):
                break
            planned += 1
        return planned

    async def _is_checked(self, row: MetaRow, target: str) -> bool:
        """Plan a record, and say what came of it; False where the trouble is not the
        record's."""
        seen = {"record": row.id, "version": row.version}
        try:
            async with asyncio.timeout(self.settings.apply_s):
                planned = await self.planner.plan(row.yaml, target=target)
        except TimeoutError:
            log.warning("record_unchecked", reason="it took too long", **seen)
            return False
        except ProofwalkError as error:
            if not blames_the_record(error):
                log.warning("record_unchecked", code=error.code, reason=error.message, **seen)
                return False
            mark = Mark(state=MetaState.STALE, target_kind=row.target_kind, reason=reason_of(error))
            await usecases.mark_meta(self.db, row.id, row.version, mark, clock=self.clock)
            log.warning("record_stale", code=error.code, reason=error.message, **seen)
            return True
        await usecases.looked_at(self.db, row.id, row.version, clock=self.clock)
        log.info("record_checked", makes=planned.makes, **seen)
        return True
