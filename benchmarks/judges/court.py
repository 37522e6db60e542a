"""The reward service's panel over labelled trajectories, with two endpoints for models.

The panel is the one that serves: it waits for the log, asks over HTTP, reads, holds
quotes against what was shown, stores, and makes the consensus. The log is a cloud's in
memory with one account for each trajectory, that holds its recorded events.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry

from benchmarks.judges.erring import FAMILIES, Draws, ErringJudge
from benchmarks.judges.trajectories import Trajectory
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.memory import MemoryCloud
from proofwalk.cloud.ports import CloudAccount
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.gauges import JudgeMetrics
from proofwalk.reward_service.judges.judge import open_judges
from proofwalk.reward_service.judges.panel import Panel, PanelOrder
from proofwalk.reward_service.settings import JudgeSettings, RewardServiceSettings
from tests.models.fake_endpoint import serving

_TARGET = "{id: memory, title: t, adapter: memory, console: {url: 'http://127.0.0.1:1'}}"
_SIDE_BY_SIDE = 8
_DELTA_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What both judges made of a trajectory."""

    trajectory: Trajectory
    decision: Decision
    verdicts: Mapping[str, str]
    """By family."""

    @property
    def succeeded(self) -> bool | None:
        """Whether the trajectory did, as the consensus has it; None: excluded."""
        return None if self.decision.reward is None else bool(self.decision.reward)


class _Accounts:
    """A lease is an account."""

    def __init__(self, cloud: MemoryCloud) -> None:
        self._cloud = cloud

    async def account(self, *, lease_id: str, epoch: int) -> CloudAccount:
        return self._cloud.account(lease_id)


async def judge_all(
    trajectories: Sequence[Trajectory], draws: Draws, folder: Path
) -> Sequence[Judged]:
    """Each trajectory judged once by judges that err as `draws` says; the database and
    the target's file lie in `folder`, which is there and empty."""
    await asyncio.to_thread((folder / "memory.yaml").write_text, _TARGET, encoding="utf-8")
    cloud = MemoryCloud(clock=SystemClock(), accounts=len(trajectories), delivery_bound_s=0.0)
    leases = {one.id: str(1001 + place) for place, one in enumerate(trajectories)}
    for one in trajectories:
        for event in one.recording.events:
            cloud.record(leases[one.id], event)
    turns = asyncio.Semaphore(_SIDE_BY_SIDE)

    async with _panel(trajectories, draws, cloud, folder) as panel:

        async def judge(one: Trajectory) -> Judged:
            order = PanelOrder(
                request_id=f"{one.id}:judge",
                lease=LeaseRef(lease_id=leases[one.id], epoch=1, target="memory"),
                start=one.recording.start,
                end=one.recording.end,
                walk=one.walk,
            )
            async with turns:
                judged = await panel.judge(order)
            return Judged(
                trajectory=one,
                decision=judged.decision,
                verdicts={answer.family: answer.verdict.value for answer in judged.answers},
            )

        return await asyncio.gather(*map(judge, trajectories))


@asynccontextmanager
async def _panel(
    trajectories: Sequence[Trajectory], draws: Draws, cloud: MemoryCloud, folder: Path
) -> AsyncIterator[Panel]:
    clock = SystemClock()
    async with AsyncExitStack() as exits:
        endpoints = [
            await exits.enter_async_context(serving(ErringJudge(family, trajectories, draws)))
            for family in FAMILIES
        ]
        settings = RewardServiceSettings(
            targets=folder,
            judges_delta_s=_DELTA_S,
            judges={
                str(place): JudgeSettings(
                    endpoint=endpoint.url, name="fake-vl", family=family, vision=False
                )
                for place, (family, endpoint) in enumerate(zip(FAMILIES, endpoints, strict=True))
            },
        )
        database = Database(f"sqlite:///{folder / 'judges.sqlite'}")
        exits.push_async_callback(database.close)
        await migrate(database, "proofwalk.reward_service")
        metrics = JudgeMetrics(CollectorRegistry())
        judges = await exits.enter_async_context(
            open_judges(
                settings.judges, clock=clock, metrics=metrics, register_secret=lambda _: None
            )
        )
        clouds = await exits.enter_async_context(
            Clouds(TargetCatalog(folder, {}), clock=clock, adapters={"memory": cloud.adapter})
        )
        yield Panel(
            judges=judges,
            database=database,
            clouds=clouds,
            accounts=_Accounts(cloud),
            settings=settings,
            clock=clock,
            metrics=metrics,
            mask=str,
            new_code=lambda: secrets.token_hex(8),
        )
