"""A recipe of `proofwalk methods`: what `learn` has up to a checkpoint of SFT, and what
is tried on it.

A method is a list of phases. Each is one run of the trainer role, which begins with
what the phase before it has made, the first with the common checkpoint; all phases of a
method together may take `environment_steps` steps of the environment. What is trained
with is what `rl.settings` reads: `every_phase`, then the phase's own `settings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from proofwalk.datasets.budget import Spectrum, spectrum
from proofwalk.experiments.learn.recipe import Beginning, Part, Rollouts
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.settings import (
    DpoSettings,
    MethodSettings,
    RolloutSettings,
    SftSettings,
    settings_from,
)

START = "start"
"""The method that does nothing: the common checkpoint itself, which is what the others
are held against."""


class Phase(Part):
    """What all phases are told."""

    settings: dict[str, Any] = Field(default_factory=dict)
    """`preset` or `method`, and what differs from it."""
    until: float = Field(default=1.0, gt=0, le=1)
    """Share of the budget that is used when this phase ends, what earlier ones have
    used included."""

    def read(self, shared: JsonObject, *, seed: int) -> MethodSettings:
        """Its settings, with this seed. Raises `rl.settings_invalid`,
        `rl.preset_unknown`."""
        return settings_from({**shared, **self.settings, "seed": seed})


class SamplesPhase(Phase):
    """SFT on the samples that the common checkpoint has learned from."""

    kind: Literal["samples"]


class SuccessesPhase(Phase):
    """SFT on successes of the method's own rollouts so far (`trainer.successes`)."""

    kind: Literal["successes"]
    per_task: int = Field(default=4, ge=1)


class WalksPhase(Phase):
    """Walks of the policy as it is, and what is learned of them: SFT on those that were
    verified, or DPO on pairs at the forks where others failed."""

    kind: Literal["walks"]
    runs: str
    """How often a task is walked (`datasets.budget`): 4, or 2:1,4:0.5,8."""

    @property
    def budget(self) -> Spectrum:
        """Raises `data.bad_budget`."""
        return spectrum(self.runs)


class RolloutsPhase(Phase, Rollouts):
    """GRPO or WebRL."""

    kind: Literal["rollouts"]


AnyPhase = Annotated[
    SamplesPhase | SuccessesPhase | WalksPhase | RolloutsPhase, Field(discriminator="kind")
]
_LEARNS: dict[str, tuple[type[MethodSettings], ...]] = {
    "samples": (SftSettings,),
    "successes": (SftSettings,),
    "walks": (SftSettings, DpoSettings),
}


class Method(Part):
    """One way to use the budget."""

    paper: str
    """Where it is from."""
    phases: tuple[AnyPhase, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_successes(self) -> Self:
        kinds = [phase.kind for phase in self.phases]
        if "successes" in kinds and "rollouts" not in kinds[: kinds.index("successes")]:
            raise ValueError("successes are of rollouts in an earlier phase")
        return self


class MethodsRecipe(Beginning):
    """One bench."""

    walked: tuple[str, ...] = Field(min_length=1)
    """Ids among the training tasks: what every method may walk."""
    environment_steps: int = Field(ge=1)
    """The budget of every run of a method."""
    seeds: tuple[Annotated[int, Field(ge=0)], ...] = Field(min_length=1)
    minutes: float = Field(default=45, gt=0)
    """Of one phase's training at most: a guard for machines that are busy. What it cuts
    off is told by the environment steps that were used."""
    every_phase: dict[str, Any] = Field(default_factory=dict)
    """Settings of every phase that does not say otherwise."""
    methods: dict[str, Method] = Field(min_length=1)

    @model_validator(mode="after")
    def _can_be_run(self) -> Self:
        self.among_training(self.walked, "walked")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError("a seed is named twice")
        if START in self.methods:
            raise ValueError(f"{START} is the common checkpoint")
        for name, method in self.methods.items():
            for phase in method.phases:
                self._check(name, phase)
        return self

    def _check(self, name: str, phase: AnyPhase) -> None:
        found = phase.read(self.every_phase, seed=0)
        if isinstance(phase, RolloutsPhase):
            if not isinstance(found, RolloutSettings):
                raise ValueError(f"{name}: {found.method} has no rollouts")
            at_a_time = phase.tasks_per_step * (found.max_staleness + 1 if phase.streamed else 1)
            if at_a_time > len(self.walked):
                raise ValueError(
                    f"{name}: {at_a_time} tasks are walked at a time, of {len(self.walked)}"
                )
            if found.temperature != self.asking.temperature:
                raise invalid(
                    "rl.settings_invalid",
                    f"{name} learns at temperature {found.temperature:g}, and the rollouts are"
                    f" asked at {self.asking.temperature:g}",
                )
            return
        if not isinstance(found, _LEARNS[phase.kind]):
            raise ValueError(f"{name}: a phase of {phase.kind} does not learn by {found.method}")
        if isinstance(phase, WalksPhase):
            _ = phase.budget

    @property
    def arms(self) -> Sequence[tuple[str, int]]:
        """Every method with every seed, all methods of a seed before the next: a bench
        that is cut short has compared all that it has."""
        return [(name, seed) for seed in self.seeds for name in (START, *self.methods)]

    def numbers(self, seed: int) -> range:
        """The evaluation's runs of a seed: others for each, the same for every method
        and whatever other seeds there are."""
        first = seed * self.evaluate.runs + 1
        return range(first, first + self.evaluate.runs)
