"""What the rollouts of a run are made of, put together. Next: `group_rollouts`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from proofwalk.chassis.loop_thread import LoopThread
from proofwalk.kernel.clock import Clock
from proofwalk.trainer.configuration import RolloutsConfig
from proofwalk.trainer.group_fetching import GroupFetcher
from proofwalk.trainer.group_order import GroupOrder
from proofwalk.trainer.group_publishing import WeightsPublisher
from proofwalk.trainer.group_reading import Reading
from proofwalk.trainer.group_store import RolloutStore
from proofwalk.trainer.group_tasks import ScenarioOf
from proofwalk.trainer.group_weights import WeightsFolder
from proofwalk.trainer.role_channels import RoleChannels


@dataclass(frozen=True, kw_only=True)
class Seat:
    """Where a run's rollouts happen."""

    id: str
    """The run's."""
    folder: Path
    loop: LoopThread
    channels: RoleChannels


@dataclass(frozen=True, kw_only=True)
class RunParts:
    """What the rollouts of a run are made of."""

    seat: Seat
    store: RolloutStore
    order: GroupOrder
    reading: Reading
    fetcher: GroupFetcher
    publisher: WeightsPublisher


def run_parts(
    config: RolloutsConfig,
    seat: Seat,
    *,
    weights: WeightsFolder,
    reading: Reading,
    scenario_of: ScenarioOf,
    clock: Clock,
) -> RunParts:
    """Nothing is connected to, written or begun yet."""
    store = RolloutStore(seat.folder, clock=clock)
    fetcher = GroupFetcher(
        config,
        principal=f"trainer:{seat.id}",
        channels=seat.channels,
        store=store,
        reading=reading,
        scenario_of=scenario_of,
    )
    return RunParts(
        seat=seat,
        store=store,
        order=GroupOrder(seat.folder),
        reading=reading,
        fetcher=fetcher,
        publisher=WeightsPublisher(weights, run_id=seat.id, channels=seat.channels, loop=seat.loop),
    )
