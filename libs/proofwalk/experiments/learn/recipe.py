"""A recipe: everything that decides an experiment, as one YAML file under recipes/.
`Recipe` is that of `proofwalk learn`; `Beginning` is what it has in common with the
bench of methods (`experiments.methods.recipe`).

Paths are relative to the working directory. What is trained with is what `rl.settings`
reads; what the model is asked with is `ModelSettings`, the same in the samples, in
training's rollouts and in the evaluation. Minutes are bounds: when those of collection,
SFT or GRPO are over, the pipeline goes on with what they have; the evaluation is never
cut.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proofwalk.kernel.errors import ProofwalkError, invalid, not_found
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.settings import ModelSettings
from proofwalk.rl.renames import ROLLOUTS, refused
from proofwalk.rl.settings import GrpoSettings, SftSettings, settings_from

Level = Literal["calm", "real", "storm"]


class Part(BaseModel):
    """What a recipe consists of: nothing unknown, nothing that changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RandomModel(Part):
    """A Llama with random weights, whose tokenizer is made from the samples: for trying
    the pipeline, not for learning anything."""

    layers: int = Field(default=2, ge=1)
    hidden: int = Field(default=64, ge=16, multiple_of=16)
    heads: int = Field(default=4, ge=1)
    vocabulary: int = Field(default=1024, ge=300)
    context: int = Field(default=4096, ge=256)


class ModelPart(Part):
    """What is trained: one of three."""

    pretrained: str = ""
    """A name of `rl.pretrained`."""
    folder: Path | None = None
    """A folder as transformers saves it, with tokenizer."""
    random: RandomModel | None = None
    layers: int | None = Field(default=None, ge=1, exclude_if=lambda value: value is None)
    """Of a pretrained model, only the first so many (`rl.truncation`)."""

    @model_validator(mode="after")
    def _one(self) -> ModelPart:
        if sum([bool(self.pretrained), self.folder is not None, self.random is not None]) != 1:
            raise ValueError("name exactly one of pretrained, folder and random")
        if self.layers is not None and not self.pretrained:
            raise ValueError("layers goes with pretrained")
        return self


class Asking(Part):
    """How the model is asked: fields of `ModelSettings`
    (PROOFWALK_ROLLOUT__MODEL__…)."""

    layout: Literal["compact", "normal"] = "compact"
    answers: Literal["schema", "json", "text"] = "schema"
    turns: int = Field(default=2, ge=0)
    page_chars: int = Field(default=500, ge=300)
    context_tokens: int = Field(default=4096, ge=4096)
    max_tokens: int = Field(default=96, ge=64)
    steps_per_substep: int = Field(default=12, ge=1)
    malformed_retries: int = Field(default=0, ge=0)
    temperature: float = Field(default=1.0, ge=0, le=2)
    """Of the rollouts, and of the evaluation where that says nothing else."""

    def settings(self) -> ModelSettings:
        """The rollout role's settings of the model."""
        fixed = {"via": "inference", "vision": False, "token_ids": True, "logprobs": True}
        return ModelSettings.model_validate({**fixed, **self.model_dump()})


class Engine(Part):
    """The embedded engine."""

    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    threads: int = Field(default=1, ge=1)
    rows: int = Field(default=32, ge=1)
    prefix_tokens: int = Field(default=16_384, ge=0)


class TaskSet(Part):
    """Some tasks of a suite."""

    suite: str
    """Its name under suites/ or build/suites/, or its folder."""
    ids: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _once(self) -> TaskSet:
        if len(set(self.ids)) != len(self.ids):
            raise ValueError("a task is named twice")
        return self


class MeasuredSet(TaskSet):
    """Tasks of the evaluation."""

    held_out: Literal["operations", "documents"] = "operations"
    """What training may not tell of them: rule, configuration and text (docs/adr/0005),
    or the text alone. With `documents`, training has other documents of the same
    operations, in other words and with other names. The suites that measure are held
    out whole either way."""


class Collect(Part):
    """Teachers over the training tasks. A later teacher walks what those before it were
    not verified at."""

    teachers: tuple[Literal["literal", "oracle"], ...] = ("literal", "oracle")
    level: Level = "calm"
    minutes: float = Field(default=20, gt=0)


class Sft(Part):
    settings: dict[str, Any] = {}
    held_out: float = Field(default=0.05, ge=0, lt=1)
    """Share of the training tasks whose samples are kept for validation."""
    threads: int = Field(default=1, ge=1)
    """Of the arithmetic: nothing else runs meanwhile. In GRPO rollouts do, and there it
    is one."""
    minutes: float = Field(default=30, gt=0)

    def read(self, *, seed: int) -> SftSettings:
        """With this seed, unless `settings` names one. Raises `rl.settings_invalid`,
        `rl.preset_unknown`."""
        found = settings_from({"seed": seed, **with_method(self.settings, "sft")})
        assert isinstance(found, SftSettings)
        return found


class Rollouts(Part):
    """A run of the trainer role that learns from episodes of its own."""

    settings: dict[str, Any] = {}
    tasks_per_step: int = Field(default=2, ge=1)
    task_sampling: Literal["uniform", "informativeness"] = "uniform"
    reward: Literal["binary", "partial_credit", "tiers"] = "binary"
    grammar_forced_tokens: Literal["mask", "train"] = "mask"
    """This and what follows as `trainer.configuration.RolloutsConfig` says."""
    ahead: int | None = Field(default=None, ge=0)
    streamed: bool = False
    deadline_s: float = Field(default=900, gt=0)

    def walked(self, suite: Path, tasks: Sequence[str], *, policy: str) -> JsonObject:
        """The part `rollouts` of the run's configuration."""
        return {
            "suite": str(suite),
            "tasks": list(tasks),
            "tasks_per_step": self.tasks_per_step,
            "task_sampling": self.task_sampling,
            "reward": self.reward,
            "grammar_forced_tokens": self.grammar_forced_tokens,
            "policy": policy,
            "deadline_s": self.deadline_s,
            "streamed": self.streamed,
            **({} if self.ahead is None else {"ahead": self.ahead}),
        }


class Grpo(Rollouts):
    tasks: tuple[str, ...] = Field(min_length=1)
    """Ids among the training tasks."""
    validation: tuple[str, ...] = ()
    """Ids among the training tasks that GRPO does not act on: what the best checkpoint
    is chosen by."""
    validation_runs: int = Field(default=1, ge=1)
    minutes: float = Field(default=50, gt=0)

    @model_validator(mode="before")
    @classmethod
    def _todays_names(cls, members: object) -> object:
        return refused(members, ROLLOUTS)

    def read(self, *, seed: int, temperature: float) -> GrpoSettings:
        """With this seed, unless `settings` names one; another temperature than that of
        `asking` is refused. Raises `rl.settings_invalid`, `rl.preset_unknown`."""
        told = self.settings.get("temperature", temperature)
        if told != temperature:
            raise invalid(
                "rl.settings_invalid",
                f"grpo.settings.temperature is {told!r}, and the rollouts are asked at"
                f" {temperature}: leave it out",
            )
        found = settings_from(
            {"seed": seed, **with_method(self.settings, "grpo"), "temperature": temperature}
        )
        assert isinstance(found, GrpoSettings)
        return found


class Evaluation(Part):
    runs: int = Field(default=3, ge=1, le=20)
    level: Level = "calm"
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Of every version alike; None: that of the rollouts, so that what is measured is
    the policy that was trained. A lower one measures it as it would be used."""


class Beginning(Part):
    """What an experiment needs up to a checkpoint of SFT, and to measure one."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")
    about: str = ""
    seed: int = 0
    """Of everything that is drawn; `sft.settings.seed` and `grpo.settings.seed` may be
    others, to repeat a stage on the same beginning."""
    parallel: int = Field(default=4, ge=1, le=32)
    """Episodes at a time."""
    model: ModelPart
    asking: Asking = Asking()
    engine: Engine = Engine()
    training: tuple[TaskSet, ...] = Field(min_length=1)
    evaluation: tuple[MeasuredSet, ...] = Field(min_length=1)
    collect: Collect = Collect()
    sft: Sft = Sft()
    evaluate: Evaluation = Evaluation()

    @model_validator(mode="after")
    def _named_once(self) -> Self:
        for part, sets in (("training", self.training), ("evaluation", self.evaluation)):
            if len({name for one in sets for name in one.ids}) != sum(len(one.ids) for one in sets):
                raise ValueError(f"{part} names a task twice")
        self.sft.read(seed=self.seed)
        return self

    @property
    def trained_on(self) -> tuple[str, ...]:
        """Ids of the training tasks."""
        return tuple(name for one in self.training for name in one.ids)

    @property
    def operations_told(self) -> frozenset[str]:
        """Ids of the evaluation tasks whose operations training may tell."""
        return frozenset(
            name for one in self.evaluation if one.held_out == "documents" for name in one.ids
        )

    def digest(self, *parts: str) -> str:
        """Of these fields: what a stage depends on."""
        chosen = self.model_dump(mode="json", include=set(parts))
        return hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()

    def among_training(self, names: Iterable[str], whose: str) -> None:
        """Raise `ValueError` for ids that are no training tasks'."""
        if strange := sorted(set(names) - set(self.trained_on)):
            raise ValueError(
                f"{whose} names tasks that are not among the training tasks: {', '.join(strange)}"
            )


class Recipe(Beginning):
    """One experiment of `proofwalk learn`."""

    grpo: Grpo

    @model_validator(mode="after")
    def _reinforces(self) -> Self:
        self.among_training({*self.grpo.tasks, *self.grpo.validation}, "GRPO")
        if both := sorted(set(self.grpo.tasks) & set(self.grpo.validation)):
            raise ValueError(f"GRPO acts on and validates with: {', '.join(both)}")
        if self.grpo.tasks_per_step > len(self.grpo.tasks):
            raise ValueError(
                f"a step takes {self.grpo.tasks_per_step} tasks of {len(self.grpo.tasks)}"
            )
        if self.asking.temperature == 0:
            raise ValueError(
                "GRPO learns from answers that differ: the temperature must be above 0"
            )
        self.grpo.read(seed=self.seed, temperature=self.asking.temperature)
        return self


def with_method(settings: dict[str, Any], method: str) -> dict[str, Any]:
    """Settings that say their method. Raises `rl.settings_invalid` for those of another
    one."""
    if settings.get("method", method) != method:
        raise invalid(
            "rl.settings_invalid", f"the settings are of {settings['method']}, not of {method}"
        )
    return settings if "preset" in settings else {**settings, "method": method}


RecipeT = TypeVar("RecipeT", bound=Beginning)


def read_recipe(path: Path) -> Recipe:
    """Raises as `read_as`."""
    return read_as(Recipe, path)


def read_as(kind: type[RecipeT], path: Path) -> RecipeT:
    """A recipe of a kind. Raises `learn.no_recipe`, `learn.bad_recipe`."""
    if not path.is_file():
        raise not_found(
            "learn.no_recipe",
            f"there is no recipe {path}",
            hint="those of the project lie under recipes/",
        )
    try:
        return kind.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except yaml.YAMLError as error:
        raise _bad(path, f"it is not YAML: {getattr(error, 'problem', None) or error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise _bad(
            path, f"{'.'.join(map(str, first['loc']))}: {first['msg']}".removeprefix(": ")
        ) from None
    except ProofwalkError as error:
        raise _bad(path, error.message) from None


def _bad(path: Path, why: str) -> ProofwalkError:
    return invalid("learn.bad_recipe", f"{path}: {why}", hint="docs/learning.md describes recipes")
