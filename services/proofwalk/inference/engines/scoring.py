"""Log-probabilities of given tokens, by the trainer's own function
(`proofwalk.rl.logprobs.score`): role and trainer cannot disagree but in rounding.

It computes logits of completion tokens alone. A pass is bounded in tokens, which bounds
them: with a vocabulary of 49,152 words, one is 192 KiB of float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proofwalk.inference.domain import Continuation
from proofwalk.rl import logprobs
from proofwalk.rl.samples import Sample, microbatches

PASS_TOKENS = 1024
"""Tokens of one forward pass, padding included; a longer row goes alone."""


def score(
    model: Any,
    rows: Sequence[Continuation],
    *,
    given_up: Callable[[], bool] = lambda: False,
    pass_tokens: int = PASS_TOKENS,
) -> tuple[tuple[float, ...], ...]:
    """Raw log-probabilities, one for each completion token, in the order of `rows`.
    Stops between two passes once it was given up."""
    samples = [Sample(prompt=row.prompt, completion=row.completion) for row in rows]
    found: list[tuple[float, ...]] = [()] * len(rows)
    for together in microbatches(
        [sample.length for sample in samples], tokens=pass_tokens, packing=False
    ):
        if given_up():
            break
        indices = [index for row in together for index in row]
        scores = logprobs.score(
            model, [samples[index] for index in indices], microbatch_tokens=pass_tokens
        )
        for index, values in zip(indices, scores, strict=True):
            found[index] = values
    return tuple(found)
