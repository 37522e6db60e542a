"""What a training run is told, and presets named after the papers. No torch here: the
CLI reads these at start-up.

Defaults are AliyunConsoleAgent's where the paper gives a figure (§5.1 for SFT, §5.2 for
GRPO), WebRL's for its method; a field's docstring says so. Presets are data
(`presets.yaml`), each with its source and a list of what that source does not say and
we chose. Next: `sft`, `grpo`, `webrl`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proofwalk.kernel.errors import invalid, not_found
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.renames import GRPO, refused

Precision = Literal["auto", "fp32", "bf16"]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LoraSettings(_Settings):
    """Low-rank adapters, by peft."""

    rank: int = Field(default=16, ge=1)
    alpha: float = Field(default=32.0, gt=0)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    targets: tuple[str, ...] = (
        "q_proj",
        "k_proj",
        "v_proj",
        "o_proj",
        "gate_proj",
        "up_proj",
        "down_proj",
    )
    """Names of the linear layers that get an adapter."""


class RunSettings(_Settings):
    """What every method is told."""

    seed: int = 0
    """Seeds torch, the order of the data and the split into minibatches."""
    adaptation: Literal["full", "lora"] = "full"
    lora: LoraSettings = LoraSettings()
    precision: Precision = "fp32"
    """`bf16` computes under autocast while weights and optimizer stay as the model
    brought them: keep those in float32, since steps of 5e-7 vanish in bfloat16's eight
    bits. Log-probabilities are computed in float32 either way. `auto` is bf16 where the
    device has instructions for it (`rl.precision`)."""
    microbatch_tokens: int = Field(default=4096, ge=1)
    """Tokens of one forward pass, padding included: the memory bound. A longer sample
    goes alone."""
    packing: bool = False
    """Several samples in one row with block-diagonal attention. Pays with
    FlashAttention; on a CPU rows of similar length are faster."""
    share_prefix: bool = False
    """What all prompts of a forward pass begin with is computed once, with gradient.
    Needs rows of one sample, without images. Pays on a CPU, where time goes into
    tokens; takes a mask, which FlashAttention does not."""
    schedule: Literal["cosine", "constant"] = "constant"
    warmup_share: float = Field(default=0.0, ge=0, le=1)
    """Share of all steps over which the learning rate rises linearly."""
    floor_share: float = Field(default=0.0, ge=0, le=1)
    """Where the cosine ends, as a share of the peak."""
    learning_rate: float = Field(gt=0)
    weight_decay: float = Field(default=0.0, ge=0)
    betas: tuple[float, float] = (0.9, 0.999)
    adam_epsilon: float = Field(default=1e-8, gt=0)
    max_grad_norm: float = Field(default=1.0, gt=0)
    """The gradient's global L2 norm is clipped to this."""
    validate_every: int = Field(default=5, ge=1)
    """Steps between validations, if the caller gives one; each writes a checkpoint
    (§7.1: every 5)."""
    checkpoint_every: int = Field(default=50, ge=1)
    """Steps between checkpoints apart from those."""
    processes: Literal["single", "accelerate", "sharded"] = "single"
    """`accelerate`: data-parallel, with ranks and devices from its own configuration.
    `sharded`: weights, gradients and moments are split over the ranks too. Both are
    launched by `accelerate launch` or `torchrun`."""

    def validates_after(self, step: int, total: int) -> bool:
        """True if a validation is due after step `step` (from 0) of `total`."""
        return (step + 1) % self.validate_every == 0 or step + 1 == total

    @model_validator(mode="after")
    def _read_once(self) -> Self:
        if self.processes == "sharded" and self.share_prefix:
            raise ValueError(
                "share_prefix reads the model twice in one pass, and sharded weights are dropped"
                " behind each reading"
            )
        return self


class EpochSettings(RunSettings):
    """What every method is told that learns from a fixed set (`epochs`)."""

    method: Literal["sft", "dpo"]
    schedule: Literal["cosine", "constant"] = "cosine"
    epochs: int = Field(default=1, ge=1)
    steps: int = Field(default=0, ge=0)
    """Updates at most; the schedule ends with them. 0: as many as the epochs have."""
    batch_size: int = Field(default=128, ge=1)
    """Samples, or pairs of them, of one update."""


class SftSettings(EpochSettings):
    """Supervised fine-tuning (§5.1: full parameters, 1 epoch, learning rate 1e-5,
    cosine, bf16)."""

    method: Literal["sft"] = "sft"
    learning_rate: float = Field(default=1e-5, gt=0)
    aggregation: Literal["token", "sequence"] = "token"
    """Mean over the batch's learned tokens, or over samples of their tokens' mean."""


class DpoSettings(EpochSettings):
    """Direct preference optimisation of single steps (EvoCUA §5.3)."""

    method: Literal["dpo"] = "dpo"
    learning_rate: float = Field(default=5e-7, gt=0)
    batch_size: int = Field(default=32, ge=1)
    beta: float = Field(default=0.1, gt=0)
    """β of Eq. 2: how far a preference may move the policy from its reference."""


class RolloutSettings(RunSettings):
    """What every method is told that learns from its own rollouts (`rollout_loop`)."""

    method: Literal["grpo", "webrl"]
    steps: int = Field(default=50, ge=1)
    """Batches of rollouts. AliyunConsoleAgent's best checkpoint was at 25 (§7.1)."""
    group_size: int = Field(ge=1)
    """G, counted rollouts of one task."""
    oversampling: float = Field(default=1.25, ge=1)
    """Rollouts started per counted one that is wanted (AliyunConsoleAgent §5.2)."""
    resampling_rounds: int = Field(default=1, ge=0)
    """How often a group that lost too many to the environment is asked for more before
    it is used as it is."""
    epochs: int = Field(default=1, ge=1)
    """Passes over a batch of rollouts."""
    temperature: float = Field(default=1.0, gt=0)
    """At which the rollouts were sampled; log-probabilities are taken of the same
    distribution."""
    environment_steps: int | None = Field(default=None, ge=1)
    """The run is finished behind the update with which its episodes have come to so
    many steps, whatever is left of `steps`: so that methods can be compared at the
    same use of the environment. None: no bound."""
    max_staleness: int = Field(default=1, ge=0)
    """Policy versions that a rollout may lie behind the one being updated; older ones
    are left out and counted."""


class GrpoSettings(RolloutSettings):
    """Group relative policy optimisation (§5.2)."""

    method: Literal["grpo"] = "grpo"
    learning_rate: float = Field(default=5e-7, gt=0)
    """§5.2."""
    group_size: int = Field(default=16, ge=2)
    """G, counted rollouts of one task (§5.2)."""
    clip_low: float = Field(default=0.2, gt=0, lt=1)
    """ε of Eq. 2 below 1."""
    clip_high: float = Field(default=0.2, gt=0)
    """ε of Eq. 2 above 1; the paper uses one ε for both."""
    kl: Literal["mse", "k3"] = "mse"
    """Per-token penalty: ZeroGUI's MSE (§5.2), or GRPO's own k3."""
    kl_coefficient: float = Field(default=0.1, ge=0)
    """β of Eq. 2; 0 needs no reference policy."""
    aggregation: Literal["episode", "sequence", "token", "step"] = "episode"
    """How Eq. 2's per-token losses become one: see `objectives.token_weights`."""
    minibatches: int = Field(default=1, ge=1)
    """Optimizer steps per pass; episodes are not split."""
    length_decay: float = Field(default=1.0, gt=0, le=1)
    """γ: what a walk twice as long as the group's shortest success keeps of its reward
    (`composite`; RiskWebWorld: 0.95). 1: all of it."""
    format_reward: float = Field(default=0.0, ge=0)
    """Added for each answer that could be used, and taken off for each that could not
    (`composite`; RiskWebWorld: 0.02)."""
    credit: Literal["trajectory", "share", "state"] = "trajectory"
    """What a step is given of its trajectory's outcome (`credit`): all of it, an even
    share (STEPO, EvoCUA Eq. 4), or what it was better or worse than others in its
    state."""
    group_statistics: Literal["trajectories", "steps"] = "trajectories"
    """What μ_k and σ_k of layer 1 are over (`advantages`): a group's trajectories
    (§5.2), or all their steps, each with its trajectory's reward (ComputerRL §3.2)."""
    batch_statistics: Literal["all", "informative", "none"] = "all"
    """What σ_batch of layer 2 is over (`advantages`): all advantages of the batch,
    zeros of uninformative groups included (§5.2); those of informative groups alone; or
    no layer 2."""
    train_on_uninformative: bool = False
    """Keep groups whose rewards are all equal in the batch for their KL term. The paper
    skips such tasks (§5.2)."""
    step_sampling: Literal["all", "uniform", "surprisal"] = "all"
    """Which steps of an episode an update learns from: all, or a draw of
    `steps_per_episode`, each alike or in proportion to how unlikely what was done there
    was (`rollouts.chances`). Most steps of a walk are certain, and their gradient is
    next to nothing. Either way a draw stands for the whole episode, without bias.
    Drawing is ours, for small machines: an update costs what its steps cost."""
    steps_per_episode: int = Field(default=0, ge=0)
    """How many are drawn, by seed; 0 with `all`."""

    @model_validator(mode="before")
    @classmethod
    def _todays_names(cls, members: object) -> object:
        return refused(members, GRPO)

    @model_validator(mode="after")
    def _normalises_what_has_a_mean(self) -> Self:
        if self.group_statistics == "steps" and (
            self.batch_statistics != "none" or self.credit != "trajectory"
        ):
            raise ValueError(
                "group_statistics steps goes with batch_statistics none and credit trajectory"
            )
        return self

    @model_validator(mode="after")
    def _sums_over_steps_what_is_shared(self) -> Self:
        if (self.aggregation == "step") != (self.credit == "share"):
            raise ValueError(
                "aggregation step and credit share go with each other (EvoCUA Eq. 4, 5)"
            )
        return self

    @model_validator(mode="after")
    def _draws_what_it_says(self) -> Self:
        if (self.step_sampling == "all") != (self.steps_per_episode == 0):
            raise ValueError(
                "step_sampling uniform and surprisal need steps_per_episode of 1 and more, and all"
                " needs none"
            )
        return self


class WebrlSettings(RolloutSettings):
    """WebRL's actor and critic with replay (its §2.2, App. A and B.1, Table 5)."""

    method: Literal["webrl"] = "webrl"
    learning_rate: float = Field(default=1e-6, gt=0)
    """Of the actor (Table 5)."""
    group_size: int = Field(default=1, ge=1)
    """Counted rollouts of one task: one each there. None is compared with another."""
    oversampling: float = Field(default=1.0, ge=1)
    """Rollouts started per counted one that is wanted."""
    batch_size: int = Field(default=128, ge=1)
    """Steps of walks in one optimizer step, of the actor and of the critic (Table
    5)."""
    beta: float = Field(default=0.1, gt=0)
    """β of Eq. 5: an advantage A asks for a log-ratio of A/β to the reference. Figure 6
    has it between 0.01 (too weak) and 1 (too strong without replay)."""
    advantage_mixing: float = Field(default=0.5, ge=0, le=1)
    """λ of Eq. 8: the weight of the next step's value against the outcome's."""
    discount: float = Field(default=0.9, gt=0, le=1)
    """γ of Eq. 15 (Table 5)."""
    critic: Literal["whole", "head"] = "whole"
    """What learns of the critic, a copy of the model that the run begins with and a
    value head: all of it (§3.1), or the head alone, for small machines."""
    critic_learning_rate: float = Field(default=1e-6, gt=0)
    """Table 5, for the whole critic; a head alone needs about 1e-2."""
    critic_epochs: int = Field(default=1, ge=1)
    """The critic's passes over a batch (Table 5)."""
    replay_capacity: int = Field(default=100_000, ge=0)
    """Steps of successful walks that the replay buffer holds, the latest; every
    checkpoint has them (Table 5, which does not say of what it counts 100000). 0: no
    replay."""
    replay_candidates: int = Field(default=512, ge=1)
    """Steps of the buffer whose perplexity is computed for an update, about: whole
    walks are drawn until there are so many. The paper looks at all, once a phase."""
    replay_ratio: float = Field(default=2.0, ge=0)
    """Replayed steps per step of the batch, at most (App. B.1)."""
    replay_confidence: tuple[float, float] = (0.5, 0.95)
    """Lowest and highest 1/perplexity, under the actor as it is, of a step that is
    replayed (§2.2)."""

    @model_validator(mode="after")
    def _replays_what_may_be(self) -> Self:
        low, high = self.replay_confidence
        if not 0 <= low < high <= 1:
            raise ValueError("replay_confidence needs 0 <= lowest < highest <= 1")
        return self

    @model_validator(mode="after")
    def _has_one_critic(self) -> Self:
        if self.processes != "single":
            raise ValueError("webrl trains in one process: set processes to single")
        return self


MethodSettings = SftSettings | DpoSettings | GrpoSettings | WebrlSettings


class Preset(_Settings):
    """A paper's configuration: what it says, and which of the values here it does not
    say."""

    source: str
    ours: tuple[str, ...] = ()
    """Settings whose values the source does not give."""
    not_done: tuple[str, ...] = ()
    """What the source says of the method and this preset does not do, a sentence
    each."""
    settings: MethodSettings = Field(discriminator="method")


def presets() -> Mapping[str, Preset]:
    """All presets by name."""
    text = files("proofwalk.rl").joinpath("presets.yaml").read_text(encoding="utf-8")
    return {name: Preset.model_validate(entry) for name, entry in yaml.safe_load(text).items()}


def settings_from(config: JsonObject) -> MethodSettings:
    """Settings of a run's configuration: `method`, or `preset` and what differs from
    it.

    Raises `rl.preset_unknown` and `rl.settings_invalid`.
    """
    rest = dict(config)
    name = rest.pop("preset", None)
    if name is not None:
        known = presets()
        if not isinstance(name, str) or name not in known:
            raise not_found(
                "rl.preset_unknown",
                f"there is no preset {name!r}",
                hint=f"known: {', '.join(sorted(known))}",
            )
        base = known[name].settings.model_dump()
        if rest.get("method", base["method"]) != base["method"]:
            raise invalid(
                "rl.settings_invalid",
                f"the preset {name} is of method {base['method']}, not {rest['method']}",
            )
        rest = base | rest
    method = rest.get("method")
    models: Mapping[object, type[MethodSettings]] = {
        "sft": SftSettings,
        "dpo": DpoSettings,
        "grpo": GrpoSettings,
        "webrl": WebrlSettings,
    }
    model = models.get(method) if isinstance(method, str) else None
    if model is None:
        raise invalid(
            "rl.settings_invalid",
            f"there is no method {method!r}",
            hint="name sft, dpo, grpo or webrl, or a preset",
        )
    try:
        return model.model_validate(rest)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise invalid(
            "rl.settings_invalid", f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from None
