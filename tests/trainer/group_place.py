"""A run's folder and the roles, for rollouts of groups over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.images import Eyes
from proofwalk.rl.rollouts import RolloutGroup, version_of
from proofwalk.rl.settings import GrpoSettings
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.configuration import RolloutsConfig, ValidationConfig
from proofwalk.trainer.group_rollouts import GroupRollouts, group_rollouts
from tests.rl.kit import tiny_model, tiny_tokenizer
from tests.trainer.group_fakes import (
    Ending,
    Roles,
    serving,
)
from tests.trainer.test_group_tasks import TASK

TASKS = tuple(
    replace(TASK, id=f"stop-{number}", document_name=f"stop-{number}.md") for number in range(4)
)


SETTINGS = GrpoSettings(group_size=2, oversampling=1.5, steps=5, max_staleness=1)


FAILED = Ending(outcome="agent_failure")


BROKEN = Ending(outcome="env_failure", cause="sandbox")


NEVER = Ending(finishes=False)


class Killed(BaseException):
    """The trainer's process ended here."""


@dataclass
class Place:
    """A run's folder, the roles, and sources of rollouts on them."""

    roles: Roles
    folder: Path
    settings: GrpoSettings = SETTINGS
    config: dict[str, Any] = field(default_factory=dict)
    validation: ValidationConfig | None = None
    model: Any = field(default_factory=tiny_model)
    eyes: Eyes | None = None
    sources: list[GroupRollouts] = field(default_factory=list)

    async def source(self, *, version: str = version_of(0)) -> GroupRollouts:
        """A fresh trainer's, with weights published."""
        fields: dict[str, Any] = {
            "tasks_per_step": 2,
            **({} if self.config.get("streamed") else {"ahead": 0}),
            "deadline_s": 20.0,
            **self.config,
        }
        source = await asyncio.to_thread(
            group_rollouts,
            RolloutsConfig(suite=self.folder / "suite", **fields),
            run_id="run_1",
            folder=self.folder / "run",
            rollout=self.roles.rollout_address,
            inference=self.roles.inference_address,
            tokenizer=tiny_tokenizer(),
            settings=self.settings,
            clock=ManualClock(),
            validation=self.validation,
            eyes=self.eyes,
        )
        self.sources.append(source)
        if version:
            await asyncio.to_thread(source.publish, version, self.model)
        return source

    async def roll(self, source: GroupRollouts, step: int = 0, **wanted: int) -> list[RolloutGroup]:
        """Groups of the step's own tasks, or of these, `stop_1` for stop-1."""
        asked = {task.replace("_", "-"): count for task, count in wanted.items()} or dict.fromkeys(
            source.tasks(step), 3
        )
        return list(await asyncio.to_thread(source.roll, asked, step))


@asynccontextmanager
async def placed(home: Path, folder: Path, tracing: Tracing, **more: Any) -> AsyncIterator[Place]:
    write_suite(Suite(id="train", version=1, seed=0, tasks=TASKS), folder / "suite")
    async with serving(home, tracing) as roles:
        place = Place(roles, folder, **more)
        try:
            yield place
        finally:
            for source in place.sources:
                await asyncio.to_thread(source.close)


async def code_of(call: Any) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value.code


def rewards(group: RolloutGroup) -> list[float | None]:
    return [rollout.reward for rollout in group.rollouts]
