"""Log-probabilities of completion tokens under a causal language model of transformers
(bare, with LoRA, or wrapped for several processes).

The model is called with the boolean mask `Batch.predictors` as `logits_to_keep`, so
logits exist for learned tokens alone, and not for every token of every row. The softmax
is taken in float32 whatever the model computes in. Padding, packing and the company a
sample keeps change nothing but rounding; `tests/rl/test_logprobs.py` holds that to
1e-5.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Float32, Int64
from torch import Tensor
from transformers import DynamicCache

from proofwalk.rl.precision import resolved
from proofwalk.rl.samples import Batch, Sample, collate, microbatches
from proofwalk.rl.settings import Precision, RolloutSettings, RunSettings


@dataclass(frozen=True, kw_only=True)
class TokenScores:
    """Per learned token, in the batch's order."""

    logprobs: Float32[Tensor, " learned"]
    """With gradient where it is enabled."""
    entropy: Float32[Tensor, " learned"] | Float32[Tensor, 0]
    """In nats, never with gradient; empty unless asked for."""


def computing(precision: Precision, device: Any) -> AbstractContextManager[Any]:
    """Autocast to bfloat16, or nothing."""
    if resolved(precision, device) == "fp32":
        return nullcontext()
    context: AbstractContextManager[Any] = torch.autocast(
        torch.device(device).type, dtype=torch.bfloat16
    )
    return context


def token_scores(
    model: Any,
    batch: Batch,
    *,
    temperature: float = 1.0,
    precision: Precision = "fp32",
    with_entropy: bool = False,
) -> TokenScores:
    """log π(a_t | s_t) of the batch's learned tokens, of the distribution
    softmax(logits / temperature)."""
    with computing(precision, batch.input_ids.device):
        logits = model(
            input_ids=batch.input_ids,
            logits_to_keep=batch.predictors,
            **(batch.images or {"position_ids": batch.position_ids}),
            **(_behind_prefix(model, batch) if len(batch.prefix) else {"use_cache": False}),
        ).logits
    return selected(logits, batch.targets, temperature=temperature, with_entropy=with_entropy)


def _behind_prefix(model: Any, batch: Batch) -> dict[str, Any]:
    """Keys and values of the shared prefix, computed once, with gradient, and laid
    before every row."""
    cache = DynamicCache()
    model(input_ids=batch.prefix[None], past_key_values=cache, use_cache=True, logits_to_keep=1)
    rows, width = batch.input_ids.shape
    cache.batch_repeat_interleave(rows)
    before = len(batch.prefix)
    # Padding is on the right: what is causal does not see it.
    mask = torch.ones(
        (width, before + width), dtype=torch.bool, device=batch.input_ids.device
    ).tril(before)
    return {
        "past_key_values": cache,
        "use_cache": True,
        "attention_mask": mask.expand(rows, 1, -1, -1),
    }


def selected(
    logits: Float[Tensor, "learned vocabulary"],
    targets: Int64[Tensor, " learned"],
    *,
    temperature: float = 1.0,
    with_entropy: bool = False,
) -> TokenScores:
    """log softmax(logits / temperature)[target] per row.

    As z_target - logsumexp(z): the backward pass then needs no second table of the
    logits' size.
    """
    logits = logits.float()
    if temperature != 1.0:
        logits = logits / temperature
    total = torch.logsumexp(logits, dim=-1)
    logprobs = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1) - total
    if not with_entropy:
        return TokenScores(logprobs=logprobs, entropy=logprobs.new_empty(0))
    with torch.no_grad():
        shares = torch.exp(logits - total.unsqueeze(-1))
        entropy = total - torch.linalg.vecdot(shares, logits)
    return TokenScores(logprobs=logprobs, entropy=entropy)


def score(
    model: Any,
    samples: Sequence[Sample],
    *,
    microbatch_tokens: int,
    packing: bool = False,
    share_prefix: bool = False,
    temperature: float = 1.0,
    precision: Precision = "fp32",
    pad: int = 0,
) -> list[tuple[float, ...]]:
    """Per sample, one log-probability for each completion token (0.0 for those outside
    its mask), without gradient, in few passes."""
    scores = [[0.0] * len(sample.completion) for sample in samples]
    device = next(model.parameters()).device
    with torch.no_grad():
        for rows in microbatches(
            [sample.length for sample in samples], tokens=microbatch_tokens, packing=packing
        ):
            batch = collate(
                samples, rows, weights=[0.0] * len(samples), pad=pad, share_prefix=share_prefix
            )
            values = iter(
                token_scores(
                    model, batch.to(device), temperature=temperature, precision=precision
                ).logprobs.tolist()
            )
            for row in rows:
                for index in row:
                    for token in samples[index].learned:
                        scores[index][token] = next(values)
    return [tuple(values) for values in scores]


def scored(
    model: Any, samples: Sequence[Sample], settings: RunSettings, *, pad: int = 0
) -> list[tuple[float, ...]]:
    """`score`, cut and computed as the settings of a run say, at the temperature of its
    rollouts where it has any."""
    return score(
        model,
        samples,
        microbatch_tokens=settings.microbatch_tokens,
        packing=settings.packing,
        share_prefix=settings.share_prefix,
        temperature=settings.temperature if isinstance(settings, RolloutSettings) else 1.0,
        precision=settings.precision,
        pad=pad,
    )
