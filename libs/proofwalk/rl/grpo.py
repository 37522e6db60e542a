"""Group relative policy optimisation as AliyunConsoleAgent has it (§5.2): groups of
episodes, two-layer advantages, Eq. 2, frozen reference.

A step of the loop (`rollout_loop`): write the advantages on the groups' steps
(`rollouts.batch`), score them under the frozen policy once, then `update`: per
minibatch of episodes the gradient of Eq. 2, clip, step. The policy that acted is what
the samples say (`old_logprobs` of the engine that sampled them); without that it is the
policy before the update. A batch in which no group has information moves nothing.
Compared with PPO there is no value model; compared with GRPO the KL is ZeroGUI's and
there is the second normalisation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float64
from torch import Tensor

from proofwalk.kernel.clock import Clock
from proofwalk.rl import rollouts
from proofwalk.rl.adapters import Scorer, adapted, fingerprint, frozen, has_adapter
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.logprobs import scored, token_scores
from proofwalk.rl.minibatches import measured
from proofwalk.rl.objectives import (
    approximate_kl,
    clipped,
    clipped_surrogate,
    importance_ratio,
    k3_kl,
    mse_kl,
    policy_loss,
    token_weights,
    weighted,
)
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.processes import Process, Single, accumulated, descend
from proofwalk.rl.processes import process as process_of
from proofwalk.rl.rollout_loop import Learned, Trained, run_on_rollouts
from proofwalk.rl.rollouts import RolloutGroup, RolloutSource, TextOf
from proofwalk.rl.runs import OnMetrics, RunResult, ShouldStop, Validate
from proofwalk.rl.samples import Batch, Sample, collate, microbatches, shuffled
from proofwalk.rl.settings import GrpoSettings
from proofwalk.rl.sft import padding

_WATCHED = ("loss", "surrogate", "kl", "entropy", "clip_share", "approximate_kl", "ratio")


def run_grpo(
    model: Any,
    tokenizer: Any,
    source: RolloutSource,
    settings: GrpoSettings,
    folder: Path,
    on_metrics: OnMetrics,
    should_stop: ShouldStop,
    *,
    clock: Clock,
    validate: Validate | None = None,
    process: Process | None = None,
) -> RunResult:
    """Trains `model` in place on the source's rollouts, resuming what `folder` holds.
    The reference is the model as it is given.

    Metrics of a step: those of `update`, of `rollouts.batch` and of `rollout_loop`.
    Raises what the source raises, `rl.run_differs`, `rl.checkpoint_damaged`,
    `rl.checkpoint_unfit`, `rl.version_unknown`.
    """
    process = process or process_of(settings.processes)
    torch.manual_seed(settings.seed)
    origin = fingerprint(model)
    updates = _prepared(model, tokenizer, settings, process=process)
    hooks = Hooks(
        on_metrics=on_metrics,
        should_stop=should_stop,
        clock=clock,
        validate=validate,
        process=process,
    )
    trained = Trained(
        model=updates.model, tokenizer=tokenizer, optimizer=updates.optimizer, origin=origin
    )
    return run_on_rollouts(trained, updates.learn, source, settings, folder, hooks)


@dataclass(frozen=True, kw_only=True)
class _Updates:
    """The updates of a run, and what each is made with."""

    settings: GrpoSettings
    model: Any
    reference: Scorer | None
    optimizer: Any
    process: Process
    text: TextOf | None
    pad: int

    def learn(self, groups: Sequence[RolloutGroup], step: int) -> Learned:
        """A batch in which no group has information moves nothing."""
        batch = rollouts.batch(groups, step, self.settings, text=self.text)
        values: Mapping[str, float] = {}
        if batch.samples:
            values = update(
                self.model,
                self.reference,
                batch.samples,
                self.settings,
                optimizer=self.optimizer,
                process=self.process,
                step=step,
                pad=self.pad,
            )
        return Learned(
            metrics={**batch.metrics, **values},
            tokens=sum(sample.length for sample in batch.samples),
        )


def _prepared(model: Any, tokenizer: Any, settings: GrpoSettings, *, process: Process) -> _Updates:
    """Adapt the model, take its reference, and wrap it for the process."""
    pad = padding(tokenizer)
    fresh = not has_adapter(model)
    original = model
    model = adapted(model, settings)
    # Before the policy is split over ranks: its frozen copy is of the whole.
    reference = reference_scorer(
        model, settings, fresh_adapter=fresh and model is not original, pad=pad, place=process.place
    )
    wrapped, optimizer = process.prepare(model, adamw(model, settings))
    wrapped.train()
    return _Updates(
        settings=settings,
        model=wrapped,
        reference=reference,
        optimizer=optimizer,
        process=process,
        text=None if tokenizer is None else tokenizer.decode,
        pad=pad,
    )


def reference_scorer(
    model: Any,
    settings: GrpoSettings,
    *,
    fresh_adapter: bool,
    pad: int = 0,
    place: Callable[[Any], Any] | None = None,
) -> Scorer | None:
    """log π_ref of samples: the model without its adapter where that was added for this
    run, else a frozen copy; None when β is 0.

    `place` puts the copy where it computes (`Process.place`).
    """
    if settings.kl_coefficient == 0:
        return None
    policy = model if fresh_adapter else frozen(model)
    if place is not None and not fresh_adapter:
        policy = place(policy)

    def reference(samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        if not fresh_adapter:
            return scored(policy, samples, settings, pad=pad)
        was_training = policy.training
        policy.eval()
        try:
            with policy.disable_adapter():
                return scored(policy, samples, settings, pad=pad)
        finally:
            policy.train(was_training)

    return reference


def update(
    model: Any,
    reference: Scorer | None,
    batch: Sequence[Sample],
    settings: GrpoSettings,
    *,
    optimizer: Any,
    process: Process | None = None,
    step: int = 0,
    pad: int = 0,
) -> dict[str, float]:
    """Updates the policy on samples that carry advantages: `epochs` passes of
    `minibatches` optimizer steps.

    Metrics are means over the optimizer steps, weighted as the loss is: loss (Eq. 2),
    surrogate, kl (to the reference, as `settings.kl` estimates it, without β), entropy
    (nats), clip_share, approximate_kl (to the policy that acted), ratio; and grad_norm,
    samples, learned_tokens, optimizer_steps. `step` enters the order of the
    minibatches.
    """
    process = process or Single()
    samples = list(batch)
    if reference is not None:
        samples = [
            replace(sample, reference_logprobs=values)
            for sample, values in zip(samples, reference(samples), strict=True)
        ]
    episodes = list(dict.fromkeys(sample.episode for sample in samples))
    parts = min(settings.minibatches, len(episodes))
    unknown = [index for index, sample in enumerate(samples) if not len(sample.old_logprobs)]
    if len(unknown) < len(samples) or parts > 1 or settings.epochs > 1:
        # Only where all are unknown and one step is taken is the actor the policy being
        # differentiated: its values are then at hand.
        actors = scored(
            process.bare(model), [samples[index] for index in unknown], settings, pad=pad
        )
        for index, values in zip(unknown, actors, strict=True):
            samples[index] = replace(samples[index], old_logprobs=values)
    steps: list[dict[str, float]] = []
    for epoch in range(settings.epochs):
        order = shuffled(len(episodes), seed=settings.seed, epoch=step * settings.epochs + epoch)
        for part in range(parts):
            chosen = {episodes[index] for index in order[part::parts]}
            learned = [sample for sample in samples if sample.episode in chosen]
            steps.append(
                _descent(model, learned, settings, optimizer=optimizer, process=process, pad=pad)
            )
    return measured(steps, samples)


def _descent(
    model: Any,
    samples: Sequence[Sample],
    settings: GrpoSettings,
    *,
    optimizer: Any,
    process: Process,
    pad: int,
) -> dict[str, float]:
    """One optimizer step on the samples of some episodes."""
    weights = token_weights(
        [len(sample.learned) for sample in samples],
        aggregation=settings.aggregation,
        episodes=[sample.episode for sample in samples],
        weights=[sample.weight for sample in samples],
        episode_tokens={
            sample.episode: sample.episode_tokens for sample in samples if sample.episode_tokens
        },
    )
    cuts = microbatches(
        [sample.length for sample in samples],
        tokens=settings.microbatch_tokens,
        packing=settings.packing,
    )
    device = next(model.parameters()).device

    def add(rows: list[list[int]], counts: bool) -> Float64[Tensor, " watched"]:
        counted = weights if counts else [0.0] * len(samples)
        part = collate(
            samples, rows, weights=counted, pad=pad, share_prefix=settings.share_prefix
        ).to(device)
        return _accumulate(model, part, settings, process)

    totals = dict(zip(_WATCHED, accumulated(model, cuts, process, add).tolist(), strict=True))
    if settings.aggregation == "step":
        # Eq. 5's sum over steps is the loss; what is watched beside it stays a mean.
        whole = sum(
            weight * len(sample.learned) for weight, sample in zip(weights, samples, strict=True)
        )
        means = {name: value / whole for name, value in totals.items()}
        totals = {**means, "loss": totals["loss"], "surrogate": totals["surrogate"]}
    norm = descend(model, optimizer, settings.max_grad_norm)
    return {**totals, "grad_norm": norm}


def _accumulate(
    model: Any, batch: Batch, settings: GrpoSettings, process: Process
) -> Float64[Tensor, " watched"]:
    """Adds a micro-batch's gradient of Eq. 2; returns its share of what is watched, in
    that order."""
    scores = token_scores(
        model,
        batch,
        temperature=settings.temperature,
        precision=settings.precision,
        with_entropy=True,
    )
    logprobs = scores.logprobs
    old = logprobs.detach() if batch.old_logprobs is None else batch.old_logprobs
    losses = policy_loss(
        logprobs,
        old,
        batch.advantages,
        batch.reference_logprobs,
        clip_low=settings.clip_low,
        clip_high=settings.clip_high,
        kl=settings.kl,
        kl_coefficient=settings.kl_coefficient,
    )
    loss = weighted(losses, batch.weights)
    process.backward(loss)
    with torch.no_grad():
        ratio = importance_ratio(logprobs, old)
        distance = mse_kl if settings.kl == "mse" else k3_kl
        rows = [
            losses,
            clipped_surrogate(
                ratio, batch.advantages, low=settings.clip_low, high=settings.clip_high
            ),
            (
                torch.zeros_like(logprobs)
                if batch.reference_logprobs is None
                else distance(logprobs, batch.reference_logprobs)
            ),
            scores.entropy,
            clipped(ratio, batch.advantages, low=settings.clip_low, high=settings.clip_high),
            approximate_kl(logprobs, old),
            ratio,
        ]
        return torch.stack(rows).double() @ batch.weights.double()
