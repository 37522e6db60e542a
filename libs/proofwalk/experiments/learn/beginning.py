"""The stages that experiments have in common: from a recipe's tasks to a checkpoint of
SFT, and from a checkpoint to rows.

    tasks      checked for leaks, laid out                        gathering
    collect    teachers walk the training tasks                   gathering
    samples    what is worth learning, as chat samples            gathering
    model      the base: fetched, cut to its outer layers, or initialised
    sft        a run of the trainer role                          training

`measure` walks the evaluation tasks with a version (`evaluation`).
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

from proofwalk.chassis.rpc import Channels
from proofwalk.datasets.sample_files import read_samples
from proofwalk.experiments.learn import evaluation, gathering, training
from proofwalk.experiments.learn.experiment import Experiment, Stage
from proofwalk.experiments.learn.ledger import Entry
from proofwalk.experiments.learn.lines import EpisodeLines, say_updates
from proofwalk.experiments.learn.recipe import Beginning, ModelPart
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.pretrained import fetch
from proofwalk.rl.run_files import write_metrics

ASKED = ("asking", "engine", "evaluate", "seed")
"""What of a recipe decides how a version is measured."""


async def _tasks(experiment: Experiment[Beginning], _: Entry) -> JsonObject:
    shutil.rmtree(experiment.folder / "suites", ignore_errors=True)
    return await asyncio.to_thread(
        gathering.lay_out,
        experiment.recipe,
        experiment.folder / "suites",
        experiment.installations.suite,
    )


async def _collect(experiment: Experiment[Beginning], _: Entry) -> JsonObject:
    return await gathering.collect(
        experiment.recipe,
        experiment.installations,
        tasks=experiment.suite(gathering.TRAINING),
        out=experiment.folder / "collected",
        say=experiment.say,
        progress=EpisodeLines(experiment.say),
    )


async def _samples(experiment: Experiment[Beginning], _: Entry) -> JsonObject:
    return await asyncio.to_thread(
        gathering.write,
        experiment.recipe,
        collected=experiment.folder / "collected",
        evaluation=experiment.suite(gathering.EVALUATED),
        samples=experiment.samples,
        held_out=experiment.held_out,
    )


async def _model(experiment: Experiment[Beginning], _: Entry) -> JsonObject:
    part, out = experiment.recipe.model, experiment.model
    if part.folder is not None:
        return {"folder": str(out)}
    if part.pretrained:
        return await asyncio.to_thread(_pretrained, part, out)
    assert part.random is not None
    from proofwalk.rl.random_model import initialise

    samples = (await asyncio.to_thread(read_samples, experiment.samples))[1]
    texts = [message["content"] for sample in samples for message in sample.chat()]
    shutil.rmtree(out, ignore_errors=True)
    parameters = await asyncio.to_thread(
        initialise, out, texts, seed=experiment.recipe.seed, **part.random.model_dump()
    )
    return {"model": "random", "parameters": parameters}


def _pretrained(part: ModelPart, out: Path) -> JsonObject:
    """Fetched whole; with `layers`, beside what is made of it."""
    if part.layers is None:
        return {"model": part.pretrained, "fetched": fetch(part.pretrained, out)}
    from proofwalk.rl.truncation import truncate

    whole = out.with_name(f"{out.name}-whole")
    fetched = fetch(part.pretrained, whole)
    parameters = truncate(whole, out, layers=part.layers)
    return {"model": part.pretrained, "fetched": fetched, "parameters": parameters}


async def _sft(experiment: Experiment[Beginning], entry: Entry) -> JsonObject:
    recipe = experiment.recipe
    settings = recipe.sft.read(seed=recipe.seed)
    config: JsonObject = {
        "method": "sft",
        "model": str(experiment.model),
        "settings": bare(settings.model_dump(mode="json")),
        "data": str(experiment.samples),
    }
    if experiment.held_out.is_file():
        config = {**config, "held_out": str(experiment.held_out)}
    async with experiment.trainer() as process:
        return await train(
            experiment, "sft", config, process, seconds=recipe.sft.minutes * 60 - entry.seconds
        )


def bare(settings: JsonObject) -> JsonObject:
    """Without what stands beside the settings in a run's configuration, and without
    what is not set: a run that an earlier release has begun goes on."""
    return {
        name: value for name, value in settings.items() if name != "method" and value is not None
    }


async def train(
    experiment: Experiment[Beginning],
    stage: str,
    config: JsonObject,
    process: Channels,
    *,
    seconds: float,
) -> JsonObject:
    """A stage that is a run of the trainer role. Raises as `training.train`."""
    done = await training.train(
        process.channel("trainer").grpc,
        experiment.run_id(stage),
        config,
        seconds=seconds,
        clock=experiment.clock,
        on_metric=say_updates(experiment.say, stage),
    )
    write_metrics(experiment.metrics(stage), done.metrics)
    return {
        "run": done.run_id,
        "state": done.state,
        "steps": done.steps,
        "version": done.version,
        "step": done.step,
        "score": done.score,
        "folder": str(done.folder),
    }


async def measure(
    experiment: Experiment[Beginning],
    arm: str,
    made: JsonObject | None,
    *,
    numbers: Sequence[int],
) -> JsonObject:
    """These runs of every evaluation task by the version that a stage has made; with
    none, by the model that the engine begins with. Raises `learn.no_runs`,
    `learn.version_replaced`."""
    async with experiment.serving(experiment.recipe.evaluate.temperature) as place:
        await training.stop_others(place.process.channel("trainer").grpc, clock=experiment.clock)
        channel = place.process.channel("inference").grpc
        version = await evaluation.serve(
            channel,
            "" if made is None else str(made["version"]),
            None if made is None else Path(str(made["folder"])),
        )
        rows = await evaluation.evaluate(
            place,
            experiment.recipe,
            evaluation.Measurement(
                tasks=experiment.suite(gathering.EVALUATED), version=version, numbers=numbers
            ),
            journal=experiment.rows(arm),
            progress=EpisodeLines(experiment.say),
        )
        await evaluation.check_serving(channel, version)
    told = [row for row in rows if row.told]
    if not told:
        raise unavailable(
            "learn.no_runs",
            f"the environment lost every run of {arm}",
            hint="run it again; stages.json keeps the rest",
        )
    return {
        "version": version,
        "runs": len(rows),
        "told": len(told),
        "verified": sum(row.passed for row in told),
    }


BEGINNING: Sequence[Stage[Experiment[Beginning]]] = (
    Stage(name="tasks", parts=("training", "evaluation"), after=(), run=_tasks),
    Stage(name="collect", parts=("collect",), after=("tasks",), run=_collect),
    Stage(name="samples", parts=("asking", "sft", "seed"), after=("collect",), run=_samples),
    Stage(name="model", parts=("model", "seed"), after=("samples",), run=_model),
    Stage(name="sft", parts=("sft", "seed"), after=("samples", "model"), run=_sft),
)
