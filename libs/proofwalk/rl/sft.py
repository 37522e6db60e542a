"""Supervised fine-tuning (AliyunConsoleAgent §5.1): imitate the kept steps of
successful walks, one step a sample.

The loop: take the next `batch_size` samples of the epoch's order, cut them into
micro-batches, add up the gradient of the weighted cross entropy of the answers' tokens,
clip, step. What resumes, and how, is in `runs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float64
from torch import Tensor

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid
from proofwalk.rl.adapters import adapted, fingerprint
from proofwalk.rl.logprobs import token_scores
from proofwalk.rl.objectives import cross_entropy, token_weights
from proofwalk.rl.optimizers import adamw, set_learning_rate
from proofwalk.rl.processes import Process, accumulated, descend
from proofwalk.rl.processes import process as process_of
from proofwalk.rl.runs import OnMetrics, Run, RunResult, ShouldStop, Validate
from proofwalk.rl.samples import Sample, collate, digest, microbatches, shuffled
from proofwalk.rl.settings import SftSettings


def run_sft(
    model: Any,
    tokenizer: Any,
    samples: Sequence[Sample],
    settings: SftSettings,
    folder: Path,
    on_metrics: OnMetrics,
    should_stop: ShouldStop,
    *,
    clock: Clock,
    validate: Validate | None = None,
    process: Process | None = None,
) -> RunResult:
    """Trains `model` in place (LoRA: wraps it; the adapters are in the checkpoints),
    resuming what `folder` holds.

    `tokenizer` (or None) is written into the checkpoints and gives the padding token.
    Metrics of a step: loss, entropy (nats a learned token), learning_rate, grad_norm,
    epoch, samples, learned_tokens, completion_tokens (mean), tokens_per_second. Raises
    `rl.data_empty`, `rl.run_differs`, `rl.checkpoint_damaged`, `rl.checkpoint_unfit`.
    """
    if not samples:
        raise invalid("rl.data_empty", "there are no samples to learn from")
    process = process or process_of(settings.processes)
    torch.manual_seed(settings.seed)
    origin = f"{fingerprint(model)} {digest(samples)}"
    model = adapted(model, settings)
    model, optimizer = process.prepare(model, adamw(model, settings))
    model.train()
    run = Run(
        folder,
        settings,
        model=model,
        tokenizer=tokenizer,
        optimizer=optimizer,
        process=process,
        origin=origin,
        on_metrics=on_metrics,
    )
    run.resume()
    epochs = _Epochs(samples, settings)
    pad = padding(tokenizer)

    def update(step: int) -> Mapping[str, float]:
        epoch, chosen = epochs.batch(step)
        rate = set_learning_rate(optimizer, settings, step=step, total=epochs.steps)
        began = clock.monotonic()
        values = sft_step(model, optimizer, chosen, settings, process=process, pad=pad)
        seconds = max(clock.monotonic() - began, 1e-9)
        tokens = sum(sample.length for sample in chosen)
        return {
            **values,
            "learning_rate": rate,
            "epoch": float(epoch),
            "tokens_per_second": tokens / seconds,
        }

    return run.go_on(epochs.steps, update, should_stop=should_stop, validate=validate)


class _Epochs:
    """The batches of a run: in each epoch all samples, in an order of its own."""

    def __init__(self, samples: Sequence[Sample], settings: SftSettings) -> None:
        self._samples = samples
        self._settings = settings
        self._per_epoch = -(-len(samples) // settings.batch_size)
        whole = settings.epochs * self._per_epoch
        self.steps = min(whole, settings.steps or whole)
        self._order: list[int] = []
        self._epoch = -1

    def batch(self, step: int) -> tuple[int, list[Sample]]:
        """Return the epoch of a step (both from 0), and the step's samples."""
        epoch, number = divmod(step, self._per_epoch)
        if epoch != self._epoch:
            seed = self._settings.seed
            self._order = shuffled(len(self._samples), seed=seed, epoch=epoch)
            self._epoch = epoch
        first = number * self._settings.batch_size
        chosen = self._order[first : first + self._settings.batch_size]
        return epoch, [self._samples[index] for index in chosen]


def sft_step(
    model: Any,
    optimizer: Any,
    samples: Sequence[Sample],
    settings: SftSettings,
    *,
    process: Process,
    pad: int = 0,
) -> dict[str, float]:
    """One update on one batch, at the optimizer's learning rate."""
    learned = [len(sample.learned) for sample in samples]
    weights = token_weights(
        learned, aggregation=settings.aggregation, weights=[sample.weight for sample in samples]
    )
    cuts = microbatches(
        [sample.length for sample in samples],
        tokens=settings.microbatch_tokens,
        packing=settings.packing,
    )
    device = next(model.parameters()).device

    def add(rows: list[list[int]], counts: bool) -> Float64[Tensor, 2]:
        counted = weights if counts else [0.0] * len(samples)
        batch = collate(
            samples, rows, weights=counted, pad=pad, share_prefix=settings.share_prefix
        ).to(device)
        scores = token_scores(model, batch, precision=settings.precision, with_entropy=True)
        loss = cross_entropy(scores.logprobs, batch.weights)
        process.backward(loss)
        return torch.stack([loss.detach(), (scores.entropy * batch.weights).sum()]).double()

    loss, entropy = accumulated(model, cuts, process, add).tolist()
    norm = descend(model, optimizer, settings.max_grad_norm)
    return {
        "loss": loss,
        "entropy": entropy,
        "grad_norm": norm,
        "samples": float(len(samples)),
        "learned_tokens": float(sum(learned)),
        "completion_tokens": sum(len(sample.completion) for sample in samples) / len(samples),
    }


def padding(tokenizer: Any) -> int:
    """The token that fills rows; any token would do, since nothing looks at it."""
    token = getattr(tokenizer, "pad_token_id", None)
    return int(token) if token is not None else 0
