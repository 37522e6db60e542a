"""The optimizer steps of an update: what each learns from, and what is told of them
together. No torch in what this module does itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proofwalk.rl.samples import Sample, shuffled


def minibatches(count: int, *, size: int, passes: int, seed: int, step: int) -> Iterator[list[int]]:
    """Numbers below `count`, at most `size` an optimizer step: all of them in each pass
    of update `step`, in an order that is a function of seed and step."""
    for number in range(passes):
        order = shuffled(count, seed=seed, epoch=step * passes + number)
        for first in range(0, count, size):
            yield order[first : first + size]


def means(steps: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean over optimizer steps of each figure that was measured in them."""
    return {name: sum(one[name] for one in steps) / len(steps) for name in steps[0]}


def measured(steps: Sequence[Mapping[str, float]], samples: Sequence[Sample]) -> dict[str, float]:
    """Metrics of an update of a policy: the means, and samples, learned_tokens (once,
    however many passes there were) and optimizer_steps."""
    return {
        **means(steps),
        "samples": float(len(samples)),
        "learned_tokens": float(sum(len(sample.learned) for sample in samples)),
        "optimizer_steps": float(len(steps)),
    }
