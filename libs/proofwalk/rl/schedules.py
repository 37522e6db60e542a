"""The learning rate as a function of the step: nothing to save, nothing to restore. No
torch."""

from __future__ import annotations

import math
from typing import Literal


def factor(
    step: int,
    total: int,
    *,
    kind: Literal["cosine", "constant"],
    warmup_share: float = 0.0,
    floor_share: float = 0.0,
) -> float:
    """What the peak learning rate is multiplied with at `step` (0-based) of `total`.

    Rises linearly over the first ceil(warmup_share · total) steps, (step + 1) / warm,
    so that no step is wasted on 0; then stays at 1, or follows half a cosine that would
    reach `floor_share` at step `total` (Loshchilov and Hutter 2017, Eq. 5, without
    restarts).
    """
    if not 0 <= step < total:
        raise ValueError(f"step {step} of {total}")
    warm = math.ceil(warmup_share * total)
    if step < warm:
        return (step + 1) / warm
    if kind == "constant":
        return 1.0
    return floor_share + (1 - floor_share) * 0.5 * (
        1 + math.cos(math.pi * (step - warm) / (total - warm))
    )
