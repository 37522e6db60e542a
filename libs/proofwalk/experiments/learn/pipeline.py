"""The stages of `proofwalk learn`, in order: each is run once under its key (`ledger`),
through the platform's own roles.

    tasks      checked for leaks, laid out                           gathering
    collect    teachers walk the training tasks                      gathering, the bench's runner
    samples    what is worth learning, as chat samples               gathering
    model      the base's folder: fetched, or initialised            rl.pretrained, rl.random_model
    sft        a run of the trainer role                             training
    grpo       another one, which begins with SFT's checkpoint and acts in the embedded cloud through rollout and inference
    base, tuned, reinforced   each version over the evaluation tasks    evaluation
    table      figures, gains, costs; learn.json and learn.html     figures, page

    <folder>/stages.json, recipe.yaml, suites/, collected/, samples.parquet, held-out.parquet, model/, rows/, learn.json, learn.html
    <folder>/home/state/trainer/      the trainer's runs and rows, kept from one laboratory to the next

The roles are in this process, but for inference, which computes most of the time
(`cli.apart`); what they start cannot outlive it, so that a killed pipeline leaves
nothing running. Called again, it goes on with the stage that it was at, and in that
with the episodes and checkpoints that are there.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofwalk.chassis.rpc import Channels
from proofwalk.datasets.sample_files import read_samples
from proofwalk.experiments.learn import evaluation, figures, gathering, training
from proofwalk.experiments.learn.ledger import Entry, Ledger
from proofwalk.experiments.learn.recipe import Recipe
from proofwalk.experiments.platform import Installations, Platform
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.settings import ModelSettings
from proofwalk.rl.pretrained import fetch
from proofwalk.rl.run_files import write_metrics
from proofwalk.suites.counting.rows import Row

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One stage: what of the recipe decides it, which stages it builds on, and its
    work."""

    name: str
    parts: Sequence[str]
    after: Sequence[str]
    run: Callable[[Experiment, Entry], Awaitable[dict[str, Any]]]


class Experiment:
    """One recipe in one folder."""

    def __init__(
        self, recipe: Recipe, installations: Installations, *, folder: Path, clock: Clock, say: Say
    ) -> None:
        self.recipe = recipe
        self.folder = folder.absolute()
        self.clock = clock
        self.say = say
        self.ledger = Ledger(self.folder / "stages.json", clock=clock)
        self.keys: dict[str, str] = {}
        self.installations = installations

    def asked(self, temperature: float | None = None) -> ModelSettings:
        """How the recipe's model is asked, with another temperature where one is
        given."""
        asking = self.recipe.asking
        return (
            asking
            if temperature is None
            else asking.model_copy(update={"temperature": temperature})
        ).settings()

    @property
    def engine(self) -> dict[str, Any]:
        """How the recipe's model is served: fields of the inference role's settings."""
        recipe = self.recipe
        return {
            "engine": "embedded",
            "weights": self.model,
            "model": recipe.name,
            **recipe.engine.model_dump(),
        }

    @property
    def model(self) -> Path:
        """The base's folder."""
        return (
            self.recipe.model.folder.absolute()
            if self.recipe.model.folder is not None
            else self.folder / "model"
        )

    @property
    def samples(self) -> Path:
        return self.folder / "samples.parquet"

    @property
    def held_out(self) -> Path:
        return self.folder / "held-out.parquet"

    def suite(self, name: str) -> Path:
        """Folder of the laid-out tasks."""
        return self.folder / "suites" / name

    def rows(self, arm: str) -> Path:
        """An arm's journal, under the key of its stage: rows of other weights are never
        taken for these."""
        return self.folder / "rows" / f"{arm}-{self.keys[arm][:8]}.jsonl"

    def run_id(self, stage: str) -> str:
        return f"{self.recipe.name}-{stage}-{self.keys[stage][:8]}"

    def result(self, stage: str) -> JsonObject:
        """What an earlier stage came to."""
        found = self.ledger.result(stage, self.keys[stage])
        assert found is not None, f"{stage} is done before the stages that build on it"
        return found

    def serving(self, temperature: float | None = None) -> AbstractAsyncContextManager[Platform]:
        """Every role, with the model served and the trainer's state kept."""
        return self.installations.serving(
            self.folder / "home",
            parallel=self.recipe.parallel,
            model=self.asked(temperature),
            engine=self.engine,
        )

    def trainer(self) -> AbstractAsyncContextManager[Channels]:
        """The trainer role alone, on the same state."""
        return self.installations.training(self.folder / "home", threads=self.recipe.sft.threads)


async def learn(experiment: Experiment, *, until: str = "") -> None:
    """Run the stages that are not done, up to and with `until`. What a stage raises
    passes through, and the next call goes on there."""
    for stage in STAGES:
        keys = experiment.keys
        told = (
            f"{stage.name} {experiment.recipe.digest(*stage.parts)}"
            f" {' '.join(keys[name] for name in stage.after)}"
        )
        key = keys[stage.name] = hashlib.sha256(told.encode()).hexdigest()
        known = experiment.ledger.result(stage.name, key)
        if known is not None:
            experiment.say(f"{stage.name}: done before · {_short(known)}")
        else:
            experiment.say(f"{stage.name}: …")
            async with experiment.ledger.running(stage.name, key) as entry:
                entry.result = await stage.run(experiment, entry)
            experiment.say(
                f"{stage.name}: {entry.seconds:.0f} s, {entry.cpu_seconds:.0f} cpu-s ·"
                f" {_short(entry.result)}"
            )
        if stage.name == until:
            return


def _short(result: JsonObject) -> str:
    return json.dumps(result, ensure_ascii=False)[:300]


# stages


async def _tasks(experiment: Experiment, _: Entry) -> dict[str, Any]:
    shutil.rmtree(experiment.folder / "suites", ignore_errors=True)
    return await asyncio.to_thread(
        gathering.lay_out,
        experiment.recipe,
        experiment.folder / "suites",
        experiment.installations.suite,
    )


async def _collect(experiment: Experiment, _: Entry) -> dict[str, Any]:
    return await gathering.collect(
        experiment.recipe,
        experiment.installations,
        tasks=experiment.suite(gathering.TRAINING),
        out=experiment.folder / "collected",
        say=experiment.say,
        progress=_Told(experiment.say),
    )


async def _samples(experiment: Experiment, _: Entry) -> dict[str, Any]:
    return await asyncio.to_thread(
        gathering.write,
        experiment.recipe,
        collected=experiment.folder / "collected",
        evaluation=experiment.suite(gathering.EVALUATED),
        samples=experiment.samples,
        held_out=experiment.held_out,
    )


async def _model(experiment: Experiment, _: Entry) -> dict[str, Any]:
    part, out = experiment.recipe.model, experiment.model
    if part.folder is not None:
        return {"folder": str(out)}
    if part.pretrained:
        fetched = await asyncio.to_thread(fetch, part.pretrained, out)
        return {"model": part.pretrained, "fetched": fetched}
    assert part.random is not None
    from proofwalk.rl.random_model import initialise

    samples = (await asyncio.to_thread(read_samples, experiment.samples))[1]
    texts = [message["content"] for sample in samples for message in sample.chat()]
    shutil.rmtree(out, ignore_errors=True)
    parameters = await asyncio.to_thread(
        initialise, out, texts, seed=experiment.recipe.seed, **part.random.model_dump()
    )
    return {"model": "random", "parameters": parameters}


async def _sft(experiment: Experiment, entry: Entry) -> dict[str, Any]:
    recipe = experiment.recipe
    settings = recipe.sft.read(seed=recipe.seed)
    config: dict[str, Any] = {
        "method": "sft",
        "model": str(experiment.model),
        "settings": _fields(settings.model_dump(mode="json")),
        "data": str(experiment.samples),
    }
    if experiment.held_out.is_file():
        config["held_out"] = str(experiment.held_out)
    async with experiment.trainer() as process:
        return await _train(
            experiment, "sft", config, process, seconds=recipe.sft.minutes * 60 - entry.seconds
        )


async def _grpo(experiment: Experiment, entry: Entry) -> dict[str, Any]:
    recipe, part = experiment.recipe, experiment.recipe.grpo
    settings = part.read(seed=recipe.seed, temperature=recipe.asking.temperature)
    config: dict[str, Any] = {
        "method": "grpo",
        "model": experiment.result("sft")["folder"],
        "settings": _fields(settings.model_dump(mode="json")),
        "rollouts": {
            "suite": str(experiment.suite(gathering.TRAINING)),
            "tasks": list(part.tasks),
            "tasks_per_step": part.tasks_per_step,
            "task_sampling": part.task_sampling,
            "reward": part.reward,
            "grammar_forced_tokens": part.grammar_forced_tokens,
            "policy": evaluation.POLICY,
            "ahead": part.ahead,
            "deadline_s": part.deadline_s,
        },
    }
    if part.validation:
        config["validation"] = {"tasks": list(part.validation), "runs": part.validation_runs}
    async with experiment.serving() as place:
        return await _train(
            experiment, "grpo", config, place.process, seconds=part.minutes * 60 - entry.seconds
        )


def _fields(settings: dict[str, Any]) -> dict[str, Any]:
    """Without what stands beside the settings in a run's configuration."""
    return {name: value for name, value in settings.items() if name != "method"}


async def _train(
    experiment: Experiment,
    stage: str,
    config: JsonObject,
    process: Channels,
    *,
    seconds: float,
) -> dict[str, Any]:
    def told(row: Mapping[str, float]) -> None:
        shown = ("loss", "reward", "validation", "entropy", "kl", "clip_share", "tokens_per_second")
        figures = ", ".join(f"{name} {row[name]:.4g}" for name in shown if name in row)
        experiment.say(f"{stage}: step {row['step']:.0f}: {figures}")

    done = await training.train(
        process.channel("trainer").grpc,
        experiment.run_id(stage),
        config,
        seconds=seconds,
        clock=experiment.clock,
        on_metric=told,
    )
    write_metrics(experiment.folder / f"{stage}.metrics.jsonl", done.metrics)
    return {
        "run": done.run_id,
        "state": done.state,
        "steps": done.steps,
        "version": done.version,
        "step": done.step,
        "score": done.score,
        "folder": str(done.folder),
    }


def _arm(name: str, trained: str) -> Callable[[Experiment, Entry], Awaitable[dict[str, Any]]]:
    async def run(experiment: Experiment, _: Entry) -> dict[str, Any]:
        made = experiment.result(trained) if trained else {}
        async with experiment.serving(experiment.recipe.evaluate.temperature) as place:
            await training.stop_others(
                place.process.channel("trainer").grpc, clock=experiment.clock
            )
            channel = place.process.channel("inference").grpc
            folder = Path(str(made["folder"])) if trained else None
            version = await evaluation.serve(channel, str(made.get("version", "")), folder)
            rows = await evaluation.evaluate(
                place,
                experiment.recipe,
                tasks=experiment.suite(gathering.EVALUATED),
                journal=experiment.rows(name),
                version=version,
                progress=_Told(experiment.say),
            )
            await evaluation.check_serving(channel, version)
        told = [row for row in rows if row.told]
        if not told:
            raise unavailable(
                "learn.no_runs",
                f"the environment lost every run of {name}",
                hint="run it again; stages.json keeps the rest",
            )
        return {
            "version": version,
            "runs": len(rows),
            "told": len(told),
            "verified": sum(row.passed for row in told),
        }

    return run


async def _table(experiment: Experiment, _: Entry) -> dict[str, Any]:
    return await figures.write(experiment)


class _Told:
    """One line for each episode."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def __call__(self, row: Row, done: int, total: int) -> None:
        ending = (
            row.outcome if row.passed else f"{row.failure}: {' '.join(row.reason.split())[:120]}"
        )
        self._say(
            f"[{done}/{total}] {row.policy} {row.task} {row.run}: {ending}, {row.steps} steps,"
            f" {row.seconds:.0f} s"
        )


_ASKED = ("asking", "engine", "evaluate", "seed")
ARMS: Mapping[str, str] = {"base": "", "tuned": "sft", "reinforced": "grpo"}
"""Stages that evaluate, and the stage whose weights they evaluate."""


def _measured(arm: str) -> Stage:
    trained = ARMS[arm]
    return Stage(
        name=arm, parts=_ASKED, after=("tasks", trained or "model"), run=_arm(arm, trained)
    )


STAGES: Sequence[Stage] = (
    Stage(name="tasks", parts=("training", "evaluation"), after=(), run=_tasks),
    Stage(name="collect", parts=("collect",), after=("tasks",), run=_collect),
    Stage(name="samples", parts=("asking", "sft", "seed"), after=("collect",), run=_samples),
    Stage(name="model", parts=("model", "seed"), after=("samples",), run=_model),
    Stage(name="sft", parts=("sft", "seed"), after=("samples", "model"), run=_sft),
    _measured("base"),
    _measured("tuned"),
    Stage(name="grpo", parts=("grpo", "asking", "engine", "seed"), after=("sft",), run=_grpo),
    _measured("reinforced"),
    Stage(name="table", parts=("name",), after=tuple(ARMS), run=_table),
)
