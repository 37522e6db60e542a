"""The decoder's cache holds what a plain one holds, and never changes what it has
handed out."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from transformers import DynamicCache

from proofwalk.inference.engines.decoding import growing_cache

_CHANGES = st.lists(
    st.one_of(st.integers(1, 200), st.sampled_from(["expand", "cut", "reorder"])),
    min_size=1,
    max_size=8,
)


def _states(rows: int, tokens: int, seed: int) -> tuple[Tensor, Tensor]:
    chance = torch.Generator().manual_seed(seed)
    return torch.randn(rows, 2, tokens, 3, generator=chance), torch.randn(
        rows, 2, tokens, 3, generator=chance
    )


@settings(max_examples=60, deadline=None)
@given(_CHANGES)
def test_it_agrees_with_a_plain_cache_and_leaves_alone_what_it_gave(
    changes: list[int | str],
) -> None:
    plain, growing = DynamicCache(), growing_cache()
    given_out: list[tuple[Tensor, Tensor]] = []
    for number, change in enumerate([3, *changes]):
        if isinstance(change, int):
            rows = plain.layers[0].keys.shape[0] if plain.layers else 1
            keys, values = _states(rows, change, number)
            expected = plain.update(keys, values, 0)
            found = growing.update(keys, values, 0)
            assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))
            given_out += [(one, one.clone()) for one in found]
        for cache in (plain, growing):
            layer = cache.layers[0]
            if change == "expand" and layer.keys.shape[0] < 8:
                cache.batch_repeat_interleave(2)
            elif change == "cut":
                layer.keys, layer.values = layer.keys[:, :, 1:], layer.values[:, :, 1:]
            elif change == "reorder":
                order = torch.arange(layer.keys.shape[0]).flip(0)
                layer.keys, layer.values = layer.keys[order], layer.values[order]
    assert torch.equal(growing.layers[0].keys, plain.layers[0].keys)
    assert growing.get_seq_length() == plain.get_seq_length()
    assert all(torch.equal(one, before) for one, before in given_out)


def test_a_token_is_written_behind_the_others_without_moving_them() -> None:
    cache = growing_cache()
    first, _ = cache.update(*_states(1, 10, 0), 0)
    second, _ = cache.update(*_states(1, 1, 1), 0)
    assert second.data_ptr() == first.data_ptr()
    assert second.shape[2] == 11
