"""Where a model computes: a CUDA device where there is one, else the processor."""

from __future__ import annotations

from typing import Literal

import torch

from proofwalk.kernel.errors import ProofwalkError, Status

Device = Literal["auto", "cpu", "cuda"]


def resolved(device: Device = "auto") -> torch.device:
    """The device that is meant: `auto` takes CUDA's current one where CUDA is there.
    Raises `rl.no_device` where it is asked for and is not."""
    there = torch.cuda.is_available()
    if device == "cuda" and not there:
        raise ProofwalkError(
            "rl.no_device",
            "a CUDA device was asked for, and torch sees none",
            status=Status.FAILED_PRECONDITION,
            hint="set the device to auto or cpu, or install a torch that is built for this GPU",
        )
    return torch.device("cuda" if there and device != "cpu" else "cpu")
