"""Provisionings whose lease has ended without their destruction are ended, each by
itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from proofwalk.chassis import migrations
from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, not_found, unavailable
from proofwalk.kernel.ids import SeededIds
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.domain import ProvisioningState
from proofwalk.resource_provisioner.provisioning import Provisioner
from proofwalk.resource_provisioner.repository import ProvisioningRow
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings

CLOCK = ManualClock()


class Leases:
    """Answers for leases by their ids: that one lives or not, or an error."""

    def __init__(self, **answers: bool | ProofwalkError) -> None:
        self.answers = answers

    async def is_live(self, *, lease_id: str, epoch: int) -> bool:
        answer = self.answers[lease_id]
        if isinstance(answer, ProofwalkError):
            raise answer
        return answer


class Begun:
    """Notes what is begun, and does nothing."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def begin(self, key: str, work: Callable[[], Awaitable[None]]) -> None:
        self.keys.append(key)


async def _abandoned(db: Database, **answers: bool | ProofwalkError) -> list[str]:
    """What is ended of a provisioning for each lease."""
    await migrations.migrate(db, "proofwalk.resource_provisioner")
    for lease in answers:
        row = ProvisioningRow(
            id=f"prov_{lease}",
            request_id=lease,
            lease_id=lease,
            lease_epoch=1,
            target="memory",
            region="local",
            meta_yaml="id: x\ndescription: x\n",
            name_prefix="pw1",
            state=ProvisioningState.READY,
            created_at=CLOCK.now(),
            updated_at=CLOCK.now(),
        )
        await usecases.intend(db, row)
    begun, nobody = Begun(), object()
    parts: dict[str, Any] = {"clouds": nobody, "runs": nobody, "works": begun}
    await Provisioner(
        db=db,
        accounts=Leases(**answers),  # type: ignore[arg-type]  # what is asked of it is there
        settings=ResourceProvisionerSettings(),
        clock=CLOCK,
        ids=SeededIds(1),
        **parts,
    ).abandoned()
    return begun.keys


async def test_a_provisioning_of_a_target_that_is_gone_keeps_no_other_from_its_end(
    sqlite_db: Database,
) -> None:
    gone = not_found("target.unknown", "there is no target")
    assert await _abandoned(sqlite_db, a=gone, b=True, c=False) == ["prov_c"]


async def test_a_pool_that_is_away_says_nothing_of_any_lease(sqlite_db: Database) -> None:
    with pytest.raises(ProofwalkError):
        await _abandoned(sqlite_db, a=unavailable("rpc.unavailable", "away"), c=False)
