"""Supervised fine-tuning (AliyunConsoleAgent §5.1): imitate the kept steps of
successful walks, one step a sample.

An update cuts its samples into micro-batches, adds up the gradient of the weighted
cross entropy of the answers' tokens, clips and steps. Which samples those are is in
`epochs`; what resumes, and how, in `runs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float64
from torch import Tensor

from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import invalid
from proofwalk.rl.epochs import run_epochs
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.logprobs import token_scores
from proofwalk.rl.objectives import cross_entropy, token_weights
from proofwalk.rl.processes import Process, accumulated, descend
from proofwalk.rl.runs import OnMetrics, RunResult, ShouldStop, Validate
from proofwalk.rl.samples import Sample, collate, digest, microbatches
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
    return run_epochs(
        model,
        tokenizer,
        _Imitation(pieces=samples, settings=settings, pad=padding(tokenizer)),
        settings,
        folder,
        Hooks(
            on_metrics=on_metrics,
            should_stop=should_stop,
            clock=clock,
            validate=validate,
            process=process,
        ),
    )


@dataclass(frozen=True, kw_only=True)
class _Imitation:
    """Samples to imitate."""

    pieces: Sequence[Sample]
    settings: SftSettings
    pad: int

    @property
    def digest(self) -> str:
        return digest(self.pieces)

    def tokens(self, piece: Sample) -> int:
        return piece.length

    def update(
        self, model: Any, optimizer: Any, chosen: Sequence[Sample], process: Process
    ) -> dict[str, float]:
        return sft_step(model, optimizer, chosen, self.settings, process=process, pad=self.pad)


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
