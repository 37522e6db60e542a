"""Shapes in signatures are held in tests (`tests.fixtures.shapes`)."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from jaxtyping import TypeCheckError

from proofwalk.rl.logprobs import selected
from proofwalk.rl.objectives import importance_ratio, token_weights
from proofwalk.rl.samples import Batch, Sample, collate


def test_as_many_targets_as_rows_of_logits() -> None:
    with pytest.raises(TypeCheckError, match="targets"):
        selected(torch.zeros(3, 7), torch.zeros(2, dtype=torch.int64))


def test_formulas_take_tensors_of_one_shape() -> None:
    with pytest.raises(TypeCheckError, match="old_logprobs"):
        importance_ratio(torch.zeros(3), torch.zeros(3, 1))


def test_the_members_of_a_batch_fit_together() -> None:
    batch = collate([Sample(prompt=[1, 2], completion=[3, 4])], [[0]], weights=[1.0])
    with pytest.raises(TypeCheckError, match="weights"):
        replace(batch, weights=torch.zeros(3))


def test_only_what_has_a_shape_is_wrapped() -> None:
    held = [hasattr(one, "__wrapped__") for one in (selected, importance_ratio, Batch.__init__)]
    assert held == [True, True, True]
    left = [hasattr(one, "__wrapped__") for one in (token_weights, Sample.__init__)]
    assert left == [False, False]
