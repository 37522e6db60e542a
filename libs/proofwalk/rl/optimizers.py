"""AdamW with two groups: matrices decay, vectors (norms, biases) do not. The learning
rate is set before each step from `schedules`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import torch
from torch import Tensor

from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.schedules import factor
from proofwalk.rl.settings import RunSettings


class Moments(TypedDict):
    """The state of an optimizer as torch's `state_dict` gives it."""

    state: Mapping[int, Mapping[str, Tensor | float]]
    """Parameter's number -> its moments by name, tensors or numbers."""
    param_groups: Sequence[JsonObject]


def adamw(model: Any, settings: RunSettings) -> torch.optim.AdamW:
    """AdamW (Loshchilov and Hutter 2019) over the parameters that require a gradient,
    in the order the model names them.

    Raises `rl.nothing_to_train`.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise invalid("rl.nothing_to_train", "no parameter of the model requires a gradient")
    groups = [
        {
            "params": [parameter for parameter in trained if parameter.ndim >= 2],
            "weight_decay": settings.weight_decay,
        },
        {"params": [parameter for parameter in trained if parameter.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=settings.learning_rate,
        betas=settings.betas,
        eps=settings.adam_epsilon,
        fused=True,
    )


def set_learning_rate(optimizer: Any, settings: RunSettings, *, step: int, total: int) -> float:
    """Set the rate of step `step` (from 0) of `total`, for all groups. Return it."""
    rate = settings.learning_rate * factor(
        step,
        total,
        kind=settings.schedule,
        warmup_share=settings.warmup_share,
        floor_share=settings.floor_share,
    )
    for group in optimizer.param_groups:
        group["lr"] = rate
    return rate
