"""The stages of an arm: walk, learn, measure, each once under its key.

    walk-<n>      walks of the policy as it is, where phase n learns of such     walking
    learn-<n>     a run of the trainer role; without anything to learn from the
                  weights stay what they were
    measured      the evaluation's runs of this seed           learn.beginning
    lightened     what only a run that goes on would need is removed

The budget is counted in steps of episodes that say something about the policy. A phase
gets what earlier ones have left up to its share; the update that the budget ends in is
done, and what was used in all is told.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from proofwalk.experiments.learn import beginning, evaluation, gathering
from proofwalk.experiments.learn.experiment import Run, Stage
from proofwalk.experiments.learn.ledger import Entry
from proofwalk.experiments.methods import walking
from proofwalk.experiments.methods.arm import Arm
from proofwalk.experiments.methods.recipe import (
    AnyPhase,
    RolloutsPhase,
    SuccessesPhase,
    WalksPhase,
)
from proofwalk.kernel.json_values import JsonObject, number_of
from proofwalk.rl.rollout_loop import ENVIRONMENT_STEPS
from proofwalk.rl.run_files import read_metrics

MEASURED, LIGHTENED = "measured", "lightened"
_ON_DEMAND = ("asking", "engine", "seed", "every_phase", "environment_steps")
"""What of a recipe decides what a phase does, beside the phase."""
_TO_GO_ON = ("optimizer.pt", "random.pt", "critic.pt", "replay.pt")
"""What of a checkpoint only a run that goes on reads."""


def stages_of(arm: Arm) -> Sequence[Stage[Arm]]:
    """The stages of an arm, in order."""
    phases = () if arm.method is None else arm.method.phases
    stages: list[Stage[Arm]] = []
    last = "sft"
    for number, phase in enumerate(phases, 1):
        if isinstance(phase, WalksPhase):
            walk = walked_in(number)
            parts = (*_ON_DEMAND, "walked", "evaluate")
            stages.append(Stage(name=walk, parts=parts, after=(last,), run=_walking(number, phase)))
            last = walk
        learn = learned_in(number)
        parts = (*_ON_DEMAND, "walked", "minutes")
        stages.append(Stage(name=learn, parts=parts, after=(last,), run=_learning(number, phase)))
        last = learn
    measured = Stage(
        name=MEASURED,
        parts=beginning.ASKED,
        after=("tasks", last),
        run=_measured,
    )
    lightened = Stage(name=LIGHTENED, parts=(), after=(MEASURED,), run=_lightened)
    return (*stages, measured, lightened)


def walked_in(number: int) -> str:
    """The stage in which a phase walks."""
    return f"walk-{number}"


def learned_in(number: int) -> str:
    """The stage in which a phase learns."""
    return f"learn-{number}"


def used(arm: Arm, *, before: int) -> int:
    """Steps of the environment that the phases before this number have used."""
    stages = [name(number) for number in range(1, before) for name in (walked_in, learned_in)]
    results = [arm.result(stage) for stage in stages if stage in arm.keys]
    return sum(int(number_of(result.get(ENVIRONMENT_STEPS, 0))) for result in results)


def weights(arm: Arm, number: int) -> JsonObject:
    """The version and folder that a phase begins with."""
    if number > 1:
        return arm.result(learned_in(number - 1))
    start = arm.bench.result("sft")
    return {"version": start["version"], "folder": start["folder"]}


def _left(arm: Arm, number: int, phase: AnyPhase) -> int:
    bound = round(arm.recipe.environment_steps * phase.until) - used(arm, before=number)
    return max(bound, 1)


def _walking(number: int, phase: WalksPhase) -> Run[Arm]:
    async def run(arm: Arm, _: Entry) -> JsonObject:
        begun = weights(arm, number)
        async with arm.serving() as place:
            channel = place.process.channel("inference").grpc
            version = await evaluation.serve(
                channel, str(begun["version"]), Path(str(begun["folder"]))
            )
            steps = await walking.walk(
                arm, phase, place, out=_walks(arm, number), bound=_left(arm, number, phase)
            )
            await evaluation.check_serving(channel, version)
        learned = await asyncio.to_thread(
            walking.write, arm, phase, walked=_walks(arm, number), out=_written(arm, number)
        )
        return {ENVIRONMENT_STEPS: steps, "written": learned}

    return run


def _walks(arm: Arm, number: int) -> Path:
    """Under the stage's key: walks of other weights are never taken for these."""
    stage = walked_in(number)
    return arm.folder / f"{stage}-{arm.keys[stage][:8]}"


def _written(arm: Arm, number: int) -> Path:
    return _walks(arm, number) / "learned.parquet"


def _learning(number: int, phase: AnyPhase) -> Run[Arm]:
    async def run(arm: Arm, entry: Entry) -> JsonObject:
        begun = weights(arm, number)
        source = _source(arm, number, phase)
        if source is None:
            arm.say(f"{learned_in(number)}: there is nothing to learn from")
            return {**begun, "steps": 0, ENVIRONMENT_STEPS: 0}
        settings = phase.read(arm.recipe.every_phase, seed=arm.seed).model_dump(mode="json")
        if isinstance(phase, RolloutsPhase):
            settings[ENVIRONMENT_STEPS] = _left(arm, number, phase)
        config: JsonObject = {
            "method": settings["method"],
            "model": begun["folder"],
            "settings": beginning.bare(settings),
            **source,
        }
        stage, seconds = learned_in(number), arm.recipe.minutes * 60 - entry.seconds
        if isinstance(phase, RolloutsPhase):
            async with arm.serving() as place:
                made = await beginning.train(arm, stage, config, place.process, seconds=seconds)
        else:
            async with arm.trainer() as process:
                made = await beginning.train(arm, stage, config, process, seconds=seconds)
        rows = read_metrics(arm.metrics(stage))
        return {**made, ENVIRONMENT_STEPS: int(_sum(rows, ENVIRONMENT_STEPS))}

    return run


def _source(arm: Arm, number: int, phase: AnyPhase) -> JsonObject | None:
    """What a run's configuration says of what it learns from; None where there is
    nothing."""
    if isinstance(phase, RolloutsPhase):
        suite = arm.suite(gathering.TRAINING)
        return {
            "rollouts": phase.walked(suite, arm.recipe.walked, policy=evaluation.POLICY),
        }
    if isinstance(phase, SuccessesPhase):
        return _successes(arm, number, phase)
    if isinstance(phase, WalksPhase):
        written = arm.result(walked_in(number))["written"]
        return {"data": str(_written(arm, number))} if written else None
    return {"data": str(arm.samples)}


def _successes(arm: Arm, number: int, phase: SuccessesPhase) -> JsonObject | None:
    assert arm.method is not None
    stages = [
        learned_in(index)
        for index, earlier in enumerate(arm.method.phases[: number - 1], 1)
        if isinstance(earlier, RolloutsPhase)
    ]
    rewards = [_sum(read_metrics(arm.metrics(stage)), "reward") for stage in stages]
    runs = [
        str(Path(str(arm.result(stage)["folder"])).parents[1])
        for stage, reward in zip(stages, rewards, strict=True)
        if reward > 0
    ]
    return {"successes": {"runs": runs, "per_task": phase.per_task}} if runs else None


def _sum(rows: Sequence[Mapping[str, float]], name: str) -> float:
    return sum(row.get(name, 0.0) for row in rows)


async def _measured(arm: Arm, _: Entry) -> JsonObject:
    phases = () if arm.method is None else arm.method.phases
    made = weights(arm, len(phases) + 1)
    return await beginning.measure(arm, MEASURED, made, numbers=arm.recipe.numbers(arm.seed))


async def _lightened(arm: Arm, _: Entry) -> JsonObject:
    return {"bytes": await asyncio.to_thread(lighten, arm.folder / "home")}


def lighten(home: Path) -> int:
    """Remove what of the trainer's runs only going on would need: moments, and versions
    that were handed to the inference role. The weights that were measured stay. Bytes
    that were freed. Blocks."""
    runs = home / "state" / "trainer" / "runs"
    left = [
        *(path for name in _TO_GO_ON for path in runs.glob(f"*/checkpoints/*/{name}")),
        *(path for folder in runs.glob("*/weights") for path in folder.rglob("*")),
    ]
    freed = sum(path.stat().st_size for path in left if path.is_file())
    for path in left:
        if path.is_file():
            path.unlink()
    for folder in runs.glob("*/weights"):
        shutil.rmtree(folder, ignore_errors=True)
    return freed
