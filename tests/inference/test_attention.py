"""Attention of the decode step: what torch's kernel computes, for every sharing of key
heads and every padding."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from proofwalk.inference.engines.attention import NAME, single_query, use_single_query_attention
from proofwalk.inference.engines.weights import read_model
from proofwalk.rl.random_model import initialise


@given(
    rows=st.integers(1, 4),
    shared=st.integers(1, 3),
    group=st.integers(1, 4),
    tokens=st.integers(1, 40),
    scale=st.sampled_from([None, 0.5]),
    seed=st.integers(0, 2**16),
)
def test_it_is_torchs_attention(
    rows: int, shared: int, group: int, tokens: int, scale: float | None, seed: int
) -> None:
    draw = torch.Generator().manual_seed(seed)
    query = torch.randn(rows, shared * group, 1, 8, generator=draw)
    key, value = (torch.randn(rows, shared, tokens, 8, generator=draw) for _ in range(2))
    padded = torch.randint(0, tokens, (rows,), generator=draw)
    mask = (torch.arange(tokens) >= padded[:, None])[:, None, None]
    for seen in (mask, None):
        wanted = scaled_dot_product_attention(
            query, key, value, attn_mask=seen, scale=scale, enable_gqa=True
        ).transpose(1, 2)
        torch.testing.assert_close(single_query(query, key, value, seen, scale=scale), wanted)


def test_bfloat16_is_computed_in_float32_and_given_back_as_it_came() -> None:
    draw = torch.Generator().manual_seed(1)
    query, key, value = (
        torch.randn(2, 3, length, 16, generator=draw).bfloat16() for length in (1, 300, 300)
    )
    found = single_query(query, key, value, None)
    assert found.dtype is torch.bfloat16
    wanted = scaled_dot_product_attention(query.float(), key.float(), value.float()).transpose(1, 2)
    torch.testing.assert_close(found, wanted.bfloat16())


def test_a_model_is_served_with_it_and_one_that_computes_otherwise_is_left(tmp_path: Path) -> None:
    initialise(
        tmp_path,
        ["press the button"],
        seed=1,
        layers=1,
        hidden=16,
        heads=2,
        vocabulary=300,
        context=64,
    )
    model = read_model(tmp_path, "float32").model
    assert model.config._attn_implementation == NAME
    model.set_attn_implementation("eager")
    use_single_query_attention(model)
    assert model.config._attn_implementation == "eager"
