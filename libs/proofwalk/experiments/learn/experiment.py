"""An experiment in its folder, and how its stages are run: each once under its key
(`ledger`).

    <folder>/stages.json, suites/, collected/, samples.parquet, held-out.parquet
    <folder>/model/, rows/, *.metrics.jsonl
    <folder>/home/state/trainer/    the trainer's runs and rows, which last

The roles are in this process, but for inference, which computes most of the time
(`cli.apart`); what they start cannot outlive it, so that a killed experiment leaves
nothing running. Called again, it goes on with the stage that it was at, and in that
with the episodes and checkpoints that are there. Next: `beginning`, the stages that
experiments have in common.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from proofwalk.chassis.rpc import Channels
from proofwalk.experiments.learn.ledger import Entry, Ledger
from proofwalk.experiments.learn.lines import Say
from proofwalk.experiments.learn.recipe import Beginning
from proofwalk.experiments.platform import Installations, Platform
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.settings import ModelSettings

RecipeT = TypeVar("RecipeT", bound=Beginning, covariant=True)


class Experiment(Generic[RecipeT]):
    """One recipe in one folder."""

    def __init__(
        self, recipe: RecipeT, installations: Installations, *, folder: Path, clock: Clock, say: Say
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

    def metrics(self, stage: str) -> Path:
        """The metrics of the run that a stage was."""
        return self.folder / f"{stage}.metrics.jsonl"

    def decided(self, parts: Sequence[str]) -> str:
        """Digest of what decides a stage, beside the stages that it builds on."""
        return self.recipe.digest(*parts)

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


ExperimentT = TypeVar("ExperimentT", bound=Experiment[Beginning])
StagedT = TypeVar("StagedT", bound=Experiment[Beginning], contravariant=True)
"""A stage of what all experiments have is one of every experiment."""
Run = Callable[[ExperimentT, Entry], Awaitable[JsonObject]]


@dataclass(frozen=True, kw_only=True)
class Stage(Generic[StagedT]):
    """One stage: what of the recipe decides it, which stages it builds on, and its
    work."""

    name: str
    parts: Sequence[str]
    after: Sequence[str]
    run: Run[StagedT]


async def run_stages(
    experiment: ExperimentT, stages: Sequence[Stage[ExperimentT]], *, until: str = ""
) -> None:
    """Run the stages that are not done, up to and with `until`. What a stage raises
    passes through, and the next call goes on there."""
    for stage in stages:
        key = name_key(experiment, stage)
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


def name_key(experiment: ExperimentT, stage: Stage[ExperimentT]) -> str:
    """The key of a stage, by which the experiment knows it from now on."""
    keys = experiment.keys
    told = (
        f"{stage.name} {experiment.decided(stage.parts)}"
        f" {' '.join(keys[name] for name in stage.after)}"
    )
    keys[stage.name] = hashlib.sha256(told.encode()).hexdigest()
    return keys[stage.name]


def _short(result: JsonObject) -> str:
    return json.dumps(result, ensure_ascii=False)[:300]
