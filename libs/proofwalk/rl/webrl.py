"""WebRL's way of learning (Qi et al. 2025, §2.2 and App. A): an actor that is held to
the policy of the phase before, a critic, and replay of successes. Off-policy.

A step of the loop (`rollout_loop`), after Algorithm 1, lines 15 to 19:

1. Of the replay buffer's walks some are drawn, and of these the steps are taken whose
   perplexity under the actor as it is lies within bounds (`replay`).
2. The critic learns from the outcomes of the walks (Eq. 7, `critic`).
3. Each step's advantage mixes the next state's value and the outcome, against the
   state's own value (Eq. 15, `advantages.mixed`).
4. `update`: the actor descends (β log[π_θ(a|s)/π_ref(a|s)] - A)² (Eq. 5), the mean over
   steps of walks, in optimizer steps of `batch_size`.
5. The successes among the new walks go into the buffer.

A run is one phase of many updates: π_ref is the model that it begins with. The
probability of an action is that of all its learned tokens together, so log π(a|s) is
their sum and is not divided by their number: Eq. 1 to 5 are about actions, and so is
DPO's loss, which sums too (Rafailov et al. 2023, Eq. 7). Walks are not compared with
each other, so a batch of failures alone teaches too. The paper does not say whether the
critic learns from a batch before or after it values its states. Here it learns first:
else its random head would lead the actor's first steps. The authors' repository has
another loss than Eq. 5, which drops actions of negative advantage; this module follows
the paper's text. `suites.evolution` makes the next phase's tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import torch
from jaxtyping import Float64
from torch import Tensor

from proofwalk.kernel.errors import invalid
from proofwalk.rl.adapters import adapted, fingerprint, frozen
from proofwalk.rl.advantages import mixed
from proofwalk.rl.critic import Critic
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.logprobs import scored, token_scores
from proofwalk.rl.minibatches import measured, minibatches
from proofwalk.rl.objectives import kl_constrained, per_answer, token_weights
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.processes import Single, accumulated, descend
from proofwalk.rl.replay import ReplayBuffer, confident, perplexity
from proofwalk.rl.rollout_loop import Learned, Trained, run_on_rollouts
from proofwalk.rl.rollouts import Rollout, RolloutGroup, RolloutSource, figures, usable
from proofwalk.rl.runs import RunResult
from proofwalk.rl.samples import Batch, Sample, collate, microbatches
from proofwalk.rl.settings import WebrlSettings
from proofwalk.rl.sft import padding

_WATCHED = ("loss", "log_ratio", "entropy")


def run_webrl(
    model: Any,
    tokenizer: Any,
    source: RolloutSource,
    settings: WebrlSettings,
    folder: Path,
    hooks: Hooks,
) -> RunResult:
    """Trains `model` in place (LoRA: wraps it) on the source's rollouts, resuming what
    `folder` holds, critic and replay buffer included.

    Metrics of a step: those of `rollouts.figures`, `Critic.fit`, `update` and
    `rollout_loop`; value, advantage (means over the steps learned from), replay_steps
    (in the buffer), candidates (steps whose perplexity was looked at), replayed (those
    that were learned again). A step whose episodes all say nothing moves nothing.
    Raises what the source raises, `rl.reward_invalid` (a reward that is neither 0 nor
    1), `rl.images_unsupported`, `rl.run_differs`, `rl.checkpoint_damaged`,
    `rl.checkpoint_unfit`, `rl.version_unknown`.
    """
    torch.manual_seed(settings.seed)
    origin = fingerprint(model)
    pad = padding(tokenizer)
    initial = frozen(model)
    model = adapted(model, settings).train()
    lessons = _Lessons(
        settings=settings,
        model=model,
        initial=initial,
        optimizer=adamw(model, settings),
        critic=Critic(initial, settings, pad=pad),
        buffer=ReplayBuffer(settings.replay_capacity),
        pad=pad,
    )
    trained = Trained(
        model=model,
        tokenizer=tokenizer,
        optimizer=lessons.optimizer,
        origin=origin,
        beside=lessons,
    )
    return run_on_rollouts(trained, lessons.learn, source, settings, folder, hooks)


@dataclass(frozen=True, kw_only=True)
class _Chosen:
    """Steps of a walk, by number, that are learned from."""

    walk: Rollout
    steps: tuple[int, ...]

    @property
    def states(self) -> list[Sample]:
        return [self.walk.samples[step] for step in self.steps]


@dataclass(frozen=True, kw_only=True)
class _Lessons:
    """Actor, critic and replay buffer of a run."""

    settings: WebrlSettings
    model: Any
    initial: Any
    optimizer: Any
    critic: Critic
    buffer: ReplayBuffer
    pad: int

    def learn(self, groups: Sequence[RolloutGroup], step: int) -> Learned:
        usables = [usable(group, step, self.settings) for group in groups]
        walks = [walk for group in usables for walk in group.rollouts]
        for walk in walks:
            _refuse_unfit(walk)
        metrics: dict[str, float] = figures(usables, step)
        samples: list[Sample] = []
        if walks:
            fresh = [_Chosen(walk=walk, steps=tuple(range(len(walk.samples)))) for walk in walks]
            candidates, replayed = self._replayed(step, sum(len(one.steps) for one in fresh))
            chosen = [*fresh, *replayed]
            metrics |= self.critic.fit(
                [state for one in chosen for state in one.states],
                [_outcome(one.walk) for one in chosen for _ in one.steps],
                step=step,
            )
            samples, value = self._with_advantages(chosen)
            metrics |= self._update(samples, step)
            metrics |= {
                "value": value,
                "advantage": sum(sample.advantage for sample in samples) / len(samples),
                "candidates": float(candidates),
                "replayed": float(sum(len(one.steps) for one in replayed)),
            }
            self.buffer.add(walks)
        metrics["replay_steps"] = float(self.buffer.steps)
        return Learned(metrics=metrics, tokens=sum(sample.length for sample in samples))

    def write(self, folder: Path) -> None:
        self.critic.write(folder)
        self.buffer.write(folder)

    def read(self, folder: Path) -> None:
        self.critic.read(folder)
        self.buffer.read(folder)

    def _replayed(self, step: int, fresh: int) -> tuple[int, list[_Chosen]]:
        """How many steps of the buffer were looked at, and those that are learned again
        beside so many fresh ones: a function of the seed, the step and the actor."""
        settings = self.settings
        random = Random(f"{settings.seed}/{step}/replay")  # noqa: S311  # drawn again by who resumes
        walks = self.buffer.draw(settings.replay_candidates, random)
        looked = [sample for walk in walks for sample in walk.samples]
        if not looked:
            return 0, []
        self.model.eval()
        rows = iter(self._scored(self.model, looked))
        self.model.train()
        room = int(settings.replay_ratio * fresh)
        chosen: list[_Chosen] = []
        for walk in walks:
            found = [
                number
                for number, sample in enumerate(walk.samples)
                if confident(perplexity(sample, next(rows)), settings.replay_confidence)
            ][:room]
            room -= len(found)
            if found:
                chosen.append(_Chosen(walk=walk, steps=tuple(found)))
        return len(looked), chosen

    def _with_advantages(self, chosen: Sequence[_Chosen]) -> tuple[list[Sample], float]:
        """The steps with their advantages, and the mean of their states' values."""
        every = iter(self.critic.values([sample for one in chosen for sample in one.walk.samples]))
        samples: list[Sample] = []
        values: list[float] = []
        for one in chosen:
            of_walk = [next(every) for _ in one.walk.samples]
            advantages = mixed(
                of_walk,
                _outcome(one.walk),
                mixing=self.settings.advantage_mixing,
                discount=self.settings.discount,
            )
            values += [of_walk[step] for step in one.steps]
            samples += [
                replace(
                    one.walk.samples[step], advantage=advantages[step], episode=one.walk.episode
                )
                for step in one.steps
            ]
        return samples, sum(values) / len(values)

    def _update(self, samples: Sequence[Sample], step: int) -> Mapping[str, float]:
        known = [
            replace(sample, reference_logprobs=values)
            for sample, values in zip(samples, self._scored(self.initial, samples), strict=True)
        ]
        return update(
            self.model, known, self.settings, optimizer=self.optimizer, step=step, pad=self.pad
        )

    def _scored(self, model: Any, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        return scored(model, samples, self.settings, pad=self.pad)


def update(
    model: Any,
    samples: Sequence[Sample],
    settings: WebrlSettings,
    *,
    optimizer: Any,
    step: int = 0,
    pad: int = 0,
) -> dict[str, float]:
    """Updates the actor on samples that carry advantages and the reference's
    log-probabilities: `epochs` passes in optimizer steps of `batch_size`.

    Metrics are means over the optimizer steps: loss (Eq. 5), log_ratio
    (log[π_θ(a|s)/π_ref(a|s)] before the step), entropy (nats a token), each a mean over
    samples by their weights; grad_norm; and samples, learned_tokens, optimizer_steps.
    """
    orders = minibatches(
        len(samples),
        size=settings.batch_size,
        passes=settings.epochs,
        seed=settings.seed,
        step=step,
    )
    steps = [
        _descent(
            model, [samples[index] for index in chosen], settings, optimizer=optimizer, pad=pad
        )
        for chosen in orders
    ]
    return measured(steps, samples)


def _descent(
    model: Any, samples: Sequence[Sample], settings: WebrlSettings, *, optimizer: Any, pad: int
) -> dict[str, float]:
    """One optimizer step."""
    weights = token_weights(
        [len(sample.learned) for sample in samples],
        aggregation="sequence",
        weights=[sample.weight for sample in samples],
    )
    cuts = microbatches(
        [sample.length for sample in samples],
        tokens=settings.microbatch_tokens,
        packing=settings.packing,
    )
    device = next(model.parameters()).device

    def add(rows: list[list[int]], _counts: bool) -> Float64[Tensor, " watched"]:
        batch = collate(
            samples, rows, weights=weights, pad=pad, share_prefix=settings.share_prefix
        ).to(device)
        return _accumulate(model, batch, settings)

    totals = accumulated(model, cuts, Single(), add).tolist()
    norm = descend(model, optimizer, settings.max_grad_norm)
    return {**dict(zip(_WATCHED, totals, strict=True)), "grad_norm": norm}


def _accumulate(model: Any, batch: Batch, settings: WebrlSettings) -> Float64[Tensor, " watched"]:
    """Adds a micro-batch's gradient of Eq. 5; returns its share of what is watched, in
    that order."""
    assert batch.reference_logprobs is not None
    scores = token_scores(
        model,
        batch,
        temperature=settings.temperature,
        precision=settings.precision,
        with_entropy=True,
    )
    ratios = per_answer(scores.logprobs - batch.reference_logprobs, batch.sample)
    # An answer's tokens have one advantage, and weights that add up to its own.
    shares = per_answer(batch.weights, batch.sample)
    tokens = per_answer(torch.ones_like(batch.weights), batch.sample)
    advantages = per_answer(batch.advantages, batch.sample) / tokens
    losses = kl_constrained(ratios, advantages, beta=settings.beta)
    loss = (shares * losses).sum()
    loss.backward()
    with torch.no_grad():
        entropy = (batch.weights * scores.entropy).sum()
        return torch.stack([loss.detach(), (shares * ratios).sum(), entropy]).double()


def _outcome(walk: Rollout) -> float:
    assert walk.reward is not None, "it counts"
    return walk.reward


def _refuse_unfit(walk: Rollout) -> None:
    if walk.reward not in (0, 1):
        raise invalid(
            "rl.reward_invalid",
            f"the episode {walk.episode} has the reward {walk.reward}, and the critic learns the"
            " chance of success",
            hint="reward success with 1 and failure with 0",
        )
    if any(sample.images for sample in walk.samples):
        raise invalid(
            "rl.images_unsupported",
            f"the episode {walk.episode} has images, which critic and replay buffer cannot hold",
            hint="train with grpo, or with a policy that reads pages as text",
        )
