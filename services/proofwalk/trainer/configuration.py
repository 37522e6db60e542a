"""A run's configuration: the YAML that a run is started with, checked as far as it can
be without looking at what it names.

Paths are absolute, since the caller's folder is not the role's. `settings` has those
fields of `rl.settings` that differ from the method's (or preset's) own. What the paths
lead to is looked at in `examination`.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.rl.renames import GRPO, ROLLOUTS, refused, translated
from proofwalk.rl.settings import (
    EpochSettings,
    MethodSettings,
    RolloutSettings,
    SftSettings,
    WebrlSettings,
    settings_from,
)

_BAD = "trainer.configuration_invalid"
MAX_BYTES = 1_000_000


def _absolute(path: Path) -> Path:
    if not path.is_absolute():
        raise ValueError(f"{path} is not an absolute path")
    return path


AbsolutePath = Annotated[Path, AfterValidator(_absolute)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RolloutsConfig(_Part):
    """Where the episodes of GRPO and WebRL come from."""

    suite: AbsolutePath
    """Folder of a suite (`suites.storage`)."""
    tasks: tuple[str, ...] = ()
    """Ids; empty: all of the suite."""
    tasks_per_step: int = Field(default=4, ge=1, le=1024)
    """How many a step takes."""
    task_sampling: Literal["uniform", "informativeness"] = "uniform"
    """Uniform: by seed and step, none again before all had their turn. Informativeness:
    in proportion to the chance that a task's group has successes and failures, by what
    its earlier groups had (`group_tasks.promising`)."""
    reward: Literal["binary", "partial_credit", "tiers"] = "binary"
    """Eq. 1 as it stands, or for a failure the share of its rule that the log shows all
    the same, or RiskWebWorld's tiers (`kernel.reward`)."""
    grammar_forced_tokens: Literal["mask", "train"] = "mask"
    """What becomes of tokens that the answers' form decided rather than the policy
    (`group_counting.samples_of`)."""
    target: str = Field(default="devcloud", min_length=1)
    policy: str = Field(default="llm", min_length=1)
    ahead: int = Field(default=1, ge=0, le=16)
    """Steps whose groups are begun before the update that precedes them is done; 0 is
    on-policy."""
    streamed: bool = False
    """Groups follow one another without a barrier, and an update takes those that have
    ended, `tasks_per_step` of them or more; instead of `ahead` the allowed staleness
    bounds what is begun (`group_order`)."""
    deadline_s: float = Field(default=900.0, ge=1, le=86_400)
    """Seconds for one step's groups; for one group, where they are streamed."""

    @model_validator(mode="before")
    @classmethod
    def _todays_names(cls, members: object) -> object:
        return refused(members, ROLLOUTS)


class ValidationConfig(_Part):
    """What GRPO and WebRL are scored on: the share of successes among the episodes that
    say something about the policy."""

    suite: AbsolutePath | None = None
    """Folder of a suite; none: the rollouts'."""
    tasks: tuple[str, ...] = Field(min_length=1)
    runs: int = Field(default=1, ge=1, le=256)
    """Episodes of each task."""


class SuccessesConfig(_Part):
    """Episodes of earlier runs that SFT learns from (`successes`)."""

    runs: tuple[AbsolutePath, ...] = Field(min_length=1, max_length=64)
    """Folders of runs of GRPO or WebRL that have ended."""
    per_task: int = Field(default=4, ge=1, le=1024)
    """Successes of each task at most, drawn at random."""


class RunConfig(_Part):
    """One run. Made by `parse_configuration`."""

    method: str = ""
    """`sft`, `dpo`, `grpo` or `webrl`; may be left out with a preset."""
    preset: str = ""
    """One of `rl.settings.presets`."""
    model: AbsolutePath
    """What it begins with: a transformers folder with tokenizer, or a checkpoint of
    another run."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Fields of the method's settings that differ."""
    data: AbsolutePath | None = None
    """SFT: Parquet of samples; DPO: of pairs."""
    successes: SuccessesConfig | None = None
    """SFT: instead of data."""
    held_out: AbsolutePath | None = None
    """The same for validation; the score is minus the mean loss on them."""
    rollouts: RolloutsConfig | None = None
    validation: ValidationConfig | None = None

    @cached_property
    def learning(self) -> MethodSettings:
        """The method's settings. Raises `rl.preset_unknown`, `rl.settings_invalid`."""
        named = {
            name: value
            for name, value in (("method", self.method), ("preset", self.preset))
            if value
        }
        return settings_from({**self.settings, **named})

    @property
    def digest(self) -> str:
        """SHA-256 of what it says, however it is written."""
        said = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(said.encode()).hexdigest()


def parse_configuration(text: str, *, stored: bool = False) -> RunConfig:
    """The configuration that `text` writes; `stored`: by a run of this or an earlier
    release, whose names of then are read as those of today. Raises
    `trainer.configuration_invalid`, `rl.preset_unknown`, `rl.settings_invalid`."""
    try:
        read = read_yaml(text, YamlBounds(max_bytes=MAX_BYTES))
    except YamlRefused as refused:
        raise _bad(str(refused)) from None
    if not isinstance(read, dict):
        raise _bad("it is not a mapping")
    try:
        config = RunConfig.model_validate(_todays(read) if stored else read)
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False, include_context=False)
        raise _bad(
            "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in told[:5])
        ) from None
    _check(config, config.learning)
    return config


def _todays(read: dict[str, Any]) -> dict[str, Any]:
    found = dict(read)
    for part, known in (("rollouts", ROLLOUTS), ("settings", GRPO)):
        if isinstance(found.get(part), dict):
            found[part] = translated(found[part], known)
    if isinstance(found.get("settings"), dict) and found["settings"].get("steps_per_episode"):
        found["settings"].setdefault("step_sampling", "uniform")
    return found


def _check_fixed(config: RunConfig, settings: EpochSettings) -> None:
    """What learns from a fixed set names it, and no rollouts."""
    is_sft = isinstance(settings, SftSettings)
    if config.successes is not None and (not is_sft or config.data is not None):
        raise _bad("successes belong to sft, instead of data")
    if config.successes is None and config.data is None:
        command = "samples" if is_sft else "preferences"
        raise _bad(
            f"{settings.method} needs data",
            hint=f"data: /path/{command}.parquet, written by `proofwalk data {command}`",
        )
    if config.rollouts is not None or config.validation is not None:
        raise _bad(
            "rollouts and validation belong to grpo and webrl",
            hint=f"{settings.method} is validated on held_out",
        )


def _check(config: RunConfig, settings: MethodSettings) -> None:
    twice = sorted({"method", "preset"} & config.settings.keys())
    if twice:
        raise _bad(f"settings.{twice[0]} belongs beside settings, not into it")
    if isinstance(settings, EpochSettings):
        _check_fixed(config, settings)
        return
    if config.rollouts is None:
        raise _bad(f"{settings.method} needs rollouts", hint="rollouts: {suite: /path/suite, …}")
    if config.data or config.held_out or config.successes:
        raise _bad(
            "data, successes and held_out belong to sft and dpo",
            hint=f"{settings.method} learns from rollouts and is scored by validation",
        )
    if isinstance(settings, WebrlSettings) and config.rollouts.reward != "binary":
        raise _bad(
            f"rollouts.reward is {config.rollouts.reward}, and webrl's critic learns the chance of"
            " success",
            hint="set rollouts.reward to binary",
        )
    _check_delivery(config.rollouts, settings)


def _check_delivery(rollouts: RolloutsConfig, settings: RolloutSettings) -> None:
    """What is begun before an update has to be young enough for the next one."""
    if rollouts.streamed and "ahead" in rollouts.model_fields_set:
        raise _bad(
            "rollouts.ahead belongs to rollouts that come in steps, and these are streamed",
            hint="leave it out; settings.max_staleness bounds what is begun",
        )
    if rollouts.streamed and not settings.max_staleness:
        raise _bad(
            "streamed rollouts are acted by weights of before an update, and"
            " settings.max_staleness is 0",
            hint="raise it, or leave rollouts.streamed out",
        )
    if rollouts.ahead > settings.max_staleness:
        raise _bad(
            f"rollouts.ahead is {rollouts.ahead} and settings.max_staleness"
            f" {settings.max_staleness}: every episode would be too old to learn from",
            hint="lower the one or raise the other",
        )


def _bad(
    why: str, *, hint: str = "docs/training.md has an example of each method"
) -> ProofwalkError:
    return invalid(_BAD, f"the configuration cannot be used: {why}", hint=hint)
