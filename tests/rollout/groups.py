"""Groups of verifications in a setting."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rollout import usecases
from proofwalk.rollout.groups import GroupMetrics, Groups, Member
from proofwalk.rollout.intake import Fetched, Intake
from proofwalk.rollout.ports import Peers
from proofwalk.rollout.selections import Selection
from proofwalk.rollout.targets import TargetInfo
from proofwalk.rollout.worker import Worker
from tests.rollout.setting import DOCUMENT, Setting, asking

TARGET = TargetInfo(
    id="devcloud",
    title="Devcloud",
    console_url="http://127.0.0.1:1",
    adapter="devcloud",
    has_audit_log=True,
    has_provisioning=True,
    has_scenarios=True,
)


TASK = asking()


@dataclass
class Place:
    """Groups in a setting."""

    setting: Setting
    rung: list[str] = field(default_factory=list)
    document: bytes = DOCUMENT
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    peers: Peers | None = None
    """Instead of the setting's world."""
    targets: Mapping[str, TargetInfo] = field(default_factory=lambda: {"devcloud": TARGET})

    def __post_init__(self) -> None:
        async def fetch(url: str) -> Fetched:
            return Fetched(name=url, content=self.document, media_type="text/markdown")

        async def ring(verification_id: str) -> None:
            self.rung.append(verification_id)

        self.intake = Intake(
            db=self.setting.db,
            blobs=self.setting.blobs,
            clock=self.setting.clock,
            fetch=fetch,
            accounts=self.setting.world.accounts,
            provisioner=self.setting.world.provisioner,
            rewards=self.setting.world.rewards,
            targets=lambda: self.targets,
            policies=["literal", "llm", "cascade"],
            documents=self.setting.documents,
            has_model=True,
            max_document_bytes=10_000,
            rung=ring,
        )
        self.metrics = GroupMetrics(self.registry)
        self.groups = Groups(
            db=self.setting.db,
            clock=self.setting.clock,
            intake=self.intake,
            rung=ring,
            metrics=self.metrics,
        )

    async def members(self, group_id: str = "run.1.stop") -> list[str]:
        """Ids by number, as the listing that names the group shows them."""
        page = await usecases.page_of_verifications(
            self.setting.db,
            caller=ITSELF,
            limit=300,
            before=None,
            selection=Selection(group_id=group_id),
        )
        return [row.id for row, _ in sorted(page, key=lambda found: found[0].group_number)]

    async def listed(self) -> list[str]:
        page = await usecases.page_of_verifications(
            self.setting.db, caller=ITSELF, limit=300, before=None
        )
        return [row.id for row, _ in page]

    def worker(self, holder: str = "worker_1") -> Worker:
        deps = self.setting.deps()
        return Worker(
            replace(deps, peers=self.peers or deps.peers),
            ids=self.setting.ids,
            holder=holder,
            finished=self.metrics.finished,
        )

    async def finish(
        self, *numbers: int, group_id: str = "run.1.stop", holder: str = "worker_1"
    ) -> None:
        for number in numbers:
            await self.worker(holder).attend(f"{group_id}.{number}")

    async def watched(self, group_id: str = "run.1.stop", *, after: int = 0) -> list[Member]:
        """To the end, which must come."""
        async with asyncio.timeout(20):
            return [
                member async for member in self.groups.watch(group_id, caller=ITSELF, after=after)
            ]


async def code_of(call: Any) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value.code
