"""Direct preference optimisation of single steps (EvoCUA §5.3, Eq. 2): what was right
in a state is to become likelier than what was done there.

A pair is two answers to one question. Which pairs there are, and of what walks, is in
`datasets.forks` (App. C, Algorithm 2). An update cuts its pairs into micro-batches that
hold both answers of each, adds up the log-probabilities of each answer's tokens, and
descends the mean over pairs of

    J = -log σ(β·log[π_θ(w)/π_ref(w)] - β·log[π_θ(l)/π_ref(l)])        (Eq. 2)

The reference is the model as it is given; its log-probabilities are computed once,
before the first update, and again by a run that resumes. Answers are not weighed by
their length, as Eq. 2 has it. Which pairs an update has is in `epochs`; what resumes,
and how, in `runs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Float64
from torch import Tensor
from torch.nn.functional import logsigmoid

from proofwalk.kernel.errors import invalid
from proofwalk.rl.epochs import run_epochs
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.logprobs import scored, token_scores
from proofwalk.rl.objectives import per_answer
from proofwalk.rl.preferences import Pair, digest_of, flat
from proofwalk.rl.processes import Process, accumulated, descend
from proofwalk.rl.runs import RunResult, Validate
from proofwalk.rl.samples import Batch, collate, microbatches
from proofwalk.rl.settings import DpoSettings
from proofwalk.rl.sft import padding

_WATCHED = ("loss", "margin", "accuracy", "chosen_reward", "rejected_reward")


def preference_loss(
    chosen: Float[Tensor, " pairs"], rejected: Float[Tensor, " pairs"]
) -> Float[Tensor, " pairs"]:
    """Eq. 2 of each pair, of the two answers' rewards β·log[π_θ/π_ref] (Rafailov et al.
    2023, §4)."""
    return -logsigmoid(chosen - rejected)


def run_dpo(
    model: Any,
    tokenizer: Any,
    pairs: Sequence[Pair],
    settings: DpoSettings,
    folder: Path,
    hooks: Hooks,
) -> RunResult:
    """Trains `model` in place (LoRA: wraps it), resuming what `folder` holds.

    Metrics of a step, means over its pairs: loss (Eq. 2), chosen_reward,
    rejected_reward (β·log[π_θ/π_ref]), margin (their difference), accuracy (share of
    pairs whose margin is above 0); and grad_norm, pairs, learned_tokens, learning_rate,
    epoch, tokens_per_second. Raises `rl.data_empty`, `rl.run_differs`,
    `rl.checkpoint_damaged`, `rl.checkpoint_unfit`.
    """
    if not pairs:
        raise invalid("rl.data_empty", "there are no pairs to learn from")
    process = hooks.process_for(settings)
    pad = padding(tokenizer)
    lesson = _Preferences(
        pieces=process.shared(lambda: with_reference(model, pairs, settings, pad=pad)),
        digest=digest_of(pairs),
        settings=settings,
        pad=pad,
    )
    return run_epochs(model, tokenizer, lesson, settings, folder, replace(hooks, process=process))


def with_reference(
    model: Any, pairs: Sequence[Pair], settings: DpoSettings, *, pad: int = 0
) -> list[Pair]:
    """The pairs with the log-probabilities that the model, as it is now, gives their
    answers."""
    was_training = model.training
    model.eval()
    try:
        scores = scored(model, flat(pairs), settings, pad=pad)
    finally:
        model.train(was_training)
    return [
        Pair(
            chosen=replace(pair.chosen, reference_logprobs=chosen),
            rejected=replace(pair.rejected, reference_logprobs=rejected),
        )
        for pair, chosen, rejected in zip(pairs, scores[::2], scores[1::2], strict=True)
    ]


def preferring(pairs: Sequence[Pair], settings: DpoSettings, *, pad: int = 0) -> Validate:
    """Validation: minus the mean loss on held-out pairs, which have their reference."""

    def validate(_step: int, model: Any) -> float:
        device = next(model.parameters()).device
        with torch.no_grad():
            sums = [
                _measured(model, _collated(pairs, rows, settings, pad).to(device), settings)[1]
                for rows in _cuts(pairs, settings)
            ]
        return -float(torch.stack(sums).sum(0)[0]) / len(pairs)

    return validate


@dataclass(frozen=True, kw_only=True)
class _Preferences:
    """Pairs to learn from, with their reference."""

    pieces: Sequence[Pair]
    digest: str
    settings: DpoSettings
    pad: int

    def tokens(self, piece: Pair) -> int:
        return piece.length

    def update(
        self, model: Any, optimizer: Any, chosen: Sequence[Pair], process: Process
    ) -> dict[str, float]:
        return dpo_step(model, optimizer, chosen, self.settings, process=process, pad=self.pad)


def dpo_step(
    model: Any,
    optimizer: Any,
    pairs: Sequence[Pair],
    settings: DpoSettings,
    *,
    process: Process,
    pad: int = 0,
) -> dict[str, float]:
    """One update on one batch of pairs that have their reference, at the optimizer's
    learning rate."""
    device = next(model.parameters()).device

    def add(rows: list[list[int]], counts: bool) -> Float64[Tensor, " watched"]:
        batch = _collated(pairs, rows, settings, pad).to(device)
        loss, sums = _measured(model, batch, settings)
        share = float(counts) / len(pairs)
        process.backward(loss * share)
        return sums * share

    totals = accumulated(model, _cuts(pairs, settings), process, add).tolist()
    norm = descend(model, optimizer, settings.max_grad_norm)
    return {
        **dict(zip(_WATCHED, totals, strict=True)),
        "grad_norm": norm,
        "pairs": float(len(pairs)),
        "learned_tokens": float(sum(len(sample.learned) for sample in flat(pairs))),
    }


def _measured(
    model: Any, batch: Batch, settings: DpoSettings
) -> tuple[Float[Tensor, ""], Float64[Tensor, " watched"]]:
    """The sums over a micro-batch's pairs: of the loss, with gradient, and of what is
    watched, in that order."""
    assert batch.reference_logprobs is not None
    logprobs = token_scores(model, batch, precision=settings.precision).logprobs
    # In the order of the answers' numbers: chosen, rejected, …
    rewards = settings.beta * per_answer(logprobs - batch.reference_logprobs, batch.sample)
    chosen, rejected = rewards[::2], rewards[1::2]
    losses = preference_loss(chosen, rejected)
    with torch.no_grad():
        margin = chosen - rejected
        watched = torch.stack([losses, margin, (margin > 0).float(), chosen, rejected])
    return losses.sum(), watched.double().sum(1)


def _collated(
    pairs: Sequence[Pair], rows: Sequence[Sequence[int]], settings: DpoSettings, pad: int
) -> Batch:
    """Rows of pairs as rows of their answers: side by side where samples are packed,
    else each in a row of its own."""
    samples = flat(pairs)
    twice = [
        one
        for row in rows
        for one in (
            [[answer for pair in row for answer in (2 * pair, 2 * pair + 1)]]
            if settings.packing
            else [[answer] for pair in row for answer in (2 * pair, 2 * pair + 1)]
        )
    ]
    return collate(
        samples, twice, weights=[1.0] * len(samples), pad=pad, share_prefix=settings.share_prefix
    )


def _cuts(pairs: Sequence[Pair], settings: DpoSettings) -> list[list[list[int]]]:
    """Rows of pairs for each forward pass."""
    lengths = [
        pair.length if settings.packing else 2 * max(pair.chosen.length, pair.rejected.length)
        for pair in pairs
    ]
    return microbatches(lengths, tokens=settings.microbatch_tokens, packing=settings.packing)
