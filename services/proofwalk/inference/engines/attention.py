"""Attention of the decode step on a processor: one query a row against all that the row
has seen.

torch's kernel is made for long blocks of queries. For a single one in bfloat16 it takes
several times as long as the two matrix products in float32, which are the more exact
besides (`make bench-decode`). Query heads that share a key head are the rows of one
product, so keys and values are not repeated. Longer blocks (prompts, scores) go to
torch's kernel.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

NAME = "proofwalk_single_query"


def use_single_query_attention(model: Any) -> None:
    """Let a model that computes with torch's kernel (`sdpa`) take this for its decode
    steps; any other is left as it is."""
    if model.config._attn_implementation != "sdpa":
        return
    AttentionInterface.register(NAME, _forward)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    model.set_attn_implementation(NAME)


def _forward(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **more: Any,
) -> tuple[Tensor, None]:
    """As transformers calls it: query [B, heads, Q, D], key and value [B, key heads, T,
    D], mask boolean [B, 1, Q, T] or none; [B, Q, heads, D]."""
    if query.shape[2] > 1 or query.device.type != "cpu":
        found: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **more
        )
        return found
    return single_query(query, key, value, attention_mask, scale=scaling), None


def single_query(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, *, scale: float | None = None
) -> Tensor:
    """softmax(q kᵀ · scale) v for Q = 1, in float32 whatever comes in and goes out: [B,
    1, heads, D]. Where the mask is false nothing is seen."""
    rows, heads, _, width = query.shape
    shared = key.shape[1]
    grouped = query.reshape(rows, shared, heads // shared, width).float() * (
        width**-0.5 if scale is None else scale
    )
    weights = torch.matmul(grouped, key.float().transpose(2, 3))
    if mask is not None:
        weights = weights.masked_fill(~mask, float("-inf"))
    seen = torch.matmul(weights.softmax(dim=-1), value.float())
    return seen.to(query.dtype).reshape(rows, 1, heads, value.shape[-1])
