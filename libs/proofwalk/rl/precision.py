"""Which floating point numbers a device multiplies fast.

A processor without bfloat16 instructions (AVX512-BF16, AMX) converts each number back
and forth: matrix products of bfloat16 then take some three times as long as those of
float32. So `auto` asks the device, and means bfloat16 where it is the faster one.
"""

from __future__ import annotations

from typing import Any, Literal

import torch

from proofwalk.rl.settings import Precision


def resolved(precision: Precision, device: Any = "cpu") -> Literal["fp32", "bf16"]:
    """`precision`, with `auto` as what suits the device."""
    if precision != "auto":
        return precision
    return "bf16" if multiplies_bfloat16(device) else "fp32"


def multiplies_bfloat16(device: Any = "cpu") -> bool:
    """Whether the device has instructions for products of bfloat16."""
    if torch.device(device).type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
