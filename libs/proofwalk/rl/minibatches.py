"""The optimizer steps that an update takes on what it learns from: all of it in each
pass, in an order that is a function of seed and step. No torch in what this module does
itself."""

from __future__ import annotations

from collections.abc import Iterator

from proofwalk.rl.samples import shuffled


def minibatches(count: int, *, size: int, passes: int, seed: int, step: int) -> Iterator[list[int]]:
    """Numbers below `count`, at most `size` an optimizer step, of each pass of update
    `step`."""
    for number in range(passes):
        order = shuffled(count, seed=seed, epoch=step * passes + number)
        for first in range(0, count, size):
            yield order[first : first + size]
