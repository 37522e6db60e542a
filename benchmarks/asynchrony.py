"""`make bench-asynchrony`: how busy the environment is kept by training that waits for
each step's groups, by training that begins the next step's ahead, and by groups that
follow one another without a barrier (ComputerRL §2.3); writes `asynchrony.json`.

The trainer's side is real: `run_grpo` on a tiny model, `GroupRollouts` over gRPC, its
files. The rollout role is a stand-in with `SLOTS` places, in which an episode stays for
as long as a walk of the literal policy on console-278 took (the committed result), some
more or less, on a clock that runs `SPEED` times as fast; so nothing here is a walk. An
update is stood in for by a wait of `UPDATE` times the mean walk, since its own takes
another machine's processor. All ways have the same tasks, durations and updates.

Busy is the share of the places that were taken, from the first episode on for as long
as there was another one to begin. Staleness is of single answers: an episode's four say
which weights were served when each was given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import structlog
import torch

from benchmarks import record
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.tracing import Tracing
from proofwalk.kernel.clock import SystemClock
from proofwalk.rl.grpo import run_grpo
from proofwalk.rl.rollouts import RolloutGroup, step_of
from proofwalk.rl.settings import GrpoSettings
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.configuration import RolloutsConfig
from proofwalk.trainer.group_rollouts import GroupRollouts, group_rollouts
from tests.rl.kit import tiny_model, tiny_tokenizer
from tests.trainer.group_fakes import Ending, Inference, Roles, Rollouts, answer, serving
from tests.trainer.test_group_tasks import TASK

SLOTS, SPEED, UPDATE = 20, 20.0, 0.5
TASKS, PER_STEP, GROUP, UPDATES = 24, 4, 4, 16
ANSWERS = 4
WAYS: Mapping[str, tuple[Mapping[str, Any], int]] = {
    "synchronous": ({"ahead": 0}, 1),
    "ahead_1": ({"ahead": 1}, 1),
    "ahead_2": ({"ahead": 2}, 2),
    "streamed_1": ({"streamed": True}, 1),
    "streamed_2": ({"streamed": True}, 2),
}
"""Configuration of the rollouts, and the staleness that is allowed."""
_WALKS = Path(__file__).parent / "results" / "console-278.literal.json"


@dataclass(kw_only=True)
class Places:
    """Which place was taken when, by a monotonic clock in seconds."""

    held: list[tuple[float, float]] = field(default_factory=list)
    last_begun: float = 0.0

    @property
    def busy(self) -> float:
        """Share of them that was taken while there was another episode to begin."""
        first = min(begun for begun, _ in self.held)
        whole = sum(
            max(min(ended, self.last_begun) - max(begun, first), 0.0) for begun, ended in self.held
        )
        return whole / (SLOTS * (self.last_begun - first))


class Timed(Rollouts):
    """Members that hold one of a few places for a while. `close` it."""

    def __init__(self, inference: Inference, seconds: Mapping[str, float], seed: int) -> None:
        super().__init__(inference)
        self.ending = lambda group, number: Ending(finishes=False)
        self.places = Places()
        self._served = inference
        self._seconds = seconds
        self._seed = seed
        self._free = asyncio.Semaphore(SLOTS)
        self._walks: set[asyncio.Task[None]] = set()

    async def RunGroup(self, request: pb.RunGroupRequest, context: Any) -> pb.RunGroupResponse:
        there = len(self.members[request.group_id])
        told = await super().RunGroup(request, context)
        for number in range(there, request.episodes):
            walk = asyncio.create_task(self._walk(request.group_id, number))
            self._walks.add(walk)
            walk.add_done_callback(self._walks.discard)
        return told

    async def _walk(self, name: str, number: int) -> None:
        chance = Random(f"{self._seed}/{name}/{number}")
        task = next(task for task in self._seconds if name.endswith(f".{task}"))
        seconds = self._seconds[task] * chance.uniform(0.8, 1.2) / SPEED
        async with self._free:
            begun = self.places.last_begun = time.monotonic()
            steps = []
            for step in range(ANSWERS):
                steps.append(
                    (answer(self._served.serving, token_ids=(10 + step, 1), logprobs=(-1.0, -2.0)),)
                )
                await asyncio.sleep(seconds / ANSWERS)
            self.places.held.append((begun, time.monotonic()))
        outcome = chance.choice(("verified", "agent_failure"))
        self.members[name][number].ending = Ending(outcome=outcome, steps=tuple(steps))
        self.finished[name].append(number)

    async def close(self) -> None:
        """End the walks that nobody waits for."""
        for walk in list(self._walks):
            walk.cancel()
        await asyncio.gather(*self._walks, return_exceptions=True)


@dataclass(kw_only=True)
class Watched:
    """A source, and what passed through it."""

    source: GroupRollouts
    staleness: list[int] = field(default_factory=list)
    """Of each answer."""
    learned: list[str] = field(default_factory=list)
    """Task of each group."""

    def tasks(self, step: int) -> Sequence[str]:
        return self.source.tasks(step)

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        groups = self.source.roll(wanted, step)
        for group in groups:
            self.learned.append(group.task)
            self.staleness += [
                step - step_of(sample.policy_version)
                for one in group.rollouts
                for sample in one.samples
            ]
        return groups

    def publish(self, version: str, model: Any) -> None:
        self.source.publish(version, model)


def walked_seconds() -> list[float]:
    """How long walks took that say something about the policy."""
    rows = json.loads(_WALKS.read_text(encoding="utf-8"))["rows"]
    return [row["seconds"] for row in rows if row["outcome"] != "env_failure"]


async def one_run(way: str, seed: int, folder: Path) -> dict[str, float]:
    """One way of training, with one seed."""
    config, max_staleness = WAYS[way]
    drawn = Random(seed).sample(walked_seconds(), TASKS)
    tasks = tuple(
        replace(TASK, id=f"walk-{number:02}", document_name=f"walk-{number:02}.md")
        for number in range(TASKS)
    )
    seconds = {task.id: value for task, value in zip(tasks, drawn, strict=True)}
    write_suite(Suite(id="train", version=1, seed=0, tasks=tasks), folder / "suite")
    pause = UPDATE * statistics.fmean(drawn) / SPEED
    async with serving(
        folder, Tracing("bench"), rollouts=lambda inference: Timed(inference, seconds, seed)
    ) as roles:
        assert isinstance(roles.rollout, Timed), "it was made so"
        try:
            began = time.monotonic()
            watched, stale = await asyncio.to_thread(
                _train, roles, folder, config, max_staleness, seed, pause
            )
            whole = time.monotonic() - began
        finally:
            await roles.rollout.close()
    groups = len(watched.learned)
    times = Counter(watched.learned)
    return {
        "busy": roles.rollout.places.busy,
        "seconds": whole,
        "groups": groups,
        "groups_per_minute": 60 * groups / whole / SPEED,
        "staleness": statistics.fmean(watched.staleness),
        "most_stale": max(watched.staleness),
        "too_stale": stale,
        "most_often": max(times.values()),
        "least_often": min(times[task.id] for task in tasks),
        "slowness": statistics.fmean(seconds[task] for task in watched.learned)
        / statistics.fmean(drawn),
    }


def _train(
    roles: Roles,
    folder: Path,
    config: Mapping[str, Any],
    max_staleness: int,
    seed: int,
    pause: float,
) -> tuple[Watched, float]:
    settings = GrpoSettings(
        group_size=GROUP,
        oversampling=1.25,
        steps=UPDATES,
        max_staleness=max_staleness,
        learning_rate=1e-4,
        checkpoint_every=1000,
        validate_every=1000,
        seed=seed,
    )
    source = group_rollouts(
        RolloutsConfig(suite=folder / "suite", tasks_per_step=PER_STEP, **config),
        run_id="run",
        folder=folder / "run",
        rollout=roles.rollout_address,
        inference=roles.inference_address,
        tokenizer=tiny_tokenizer(),
        settings=settings,
        clock=SystemClock(),
    )
    watched = Watched(source=source)
    stale: list[float] = []

    def updated(_step: int, row: Mapping[str, float]) -> None:
        stale.append(row["stale"])
        time.sleep(pause)

    try:
        run_grpo(
            tiny_model(),
            tiny_tokenizer(),
            watched,
            settings,
            folder / "run",
            updated,
            lambda: False,
            clock=SystemClock(),
        )
    finally:
        source.close(abandon=True)
    return watched, sum(stale)


async def run(count: int) -> dict[str, Any]:
    """The result's content."""
    found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for seed in range(count):
        for way in WAYS:
            with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
                found[way].append(await one_run(way, seed, Path(scratch)))
            print(seed, way, json.dumps(found[way][-1]), file=sys.stderr, flush=True)
    ways = {
        way: {name: round(statistics.median(run[name] for run in runs), 4) for name in runs[0]}
        for way, runs in found.items()
    }
    waited = ways["synchronous"]["groups_per_minute"]
    return {
        **await record.head("asynchrony", n=count),
        "slots": SLOTS,
        "updates": UPDATES,
        "update_in_walks": UPDATE,
        "speed": SPEED,
        "ways": ways,
        "busy_least": {
            way: round(min(run["busy"] for run in runs), 4) for way, runs in found.items()
        },
        "groups_ratio": {
            way: round(one["groups_per_minute"] / waited, 3) for way, one in ways.items()
        },
        "runs": found,
    }


def main() -> int:
    """0 when no answer was older than is allowed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    torch.set_num_threads(1)
    content = asyncio.run(run(options.seeds))
    print(json.dumps({name: one for name, one in content.items() if name != "runs"}, indent=2))
    print(f"written to {record.write('asynchrony', content)}", file=sys.stderr)
    kept = all(
        one["most_stale"] <= WAYS[way][1] for way, runs in content["runs"].items() for one in runs
    )
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
