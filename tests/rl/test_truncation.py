"""The first and last layers of a model are a model: trainer and engine read it, and all
of them are the model that they were of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from proofwalk.inference.engines.weights import read_model
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.random_model import initialise
from proofwalk.rl.truncation import truncate
from proofwalk.trainer.model_loading import load_model

_PROMPT = "click the button"


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    folder = tmp_path / "whole"
    initialise(
        folder,
        [_PROMPT, "type a name"] * 20,
        seed=3,
        layers=4,
        hidden=32,
        heads=2,
        vocabulary=300,
        context=256,
    )
    return folder


def _logits(folder: Path) -> Any:
    model, tokenizer = load_model(folder, adaptation="full")
    with torch.no_grad():
        return model.eval()(**tokenizer(_PROMPT, return_tensors="pt")).logits


def test_all_layers_are_the_same_model(whole: Path, tmp_path: Path) -> None:
    truncate(whole, tmp_path / "all", layers=4)
    assert torch.equal(_logits(tmp_path / "all"), _logits(whole))


def test_fewer_layers_compute_the_outer_ones_in_the_trainer_and_in_the_engine(
    whole: Path, tmp_path: Path
) -> None:
    fewer = tmp_path / "fewer"
    fewer.mkdir()
    parameters = truncate(whole, fewer, layers=3)
    model, tokenizer = load_model(whole, adaptation="full")
    body = model.eval().get_decoder()
    del body.layers[2]
    model.config.num_hidden_layers = 3
    with torch.no_grad():
        expected = model(**tokenizer(_PROMPT, return_tensors="pt"), use_cache=False).logits
    assert torch.equal(_logits(fewer), expected)
    assert not torch.equal(_logits(whole), expected)
    served = read_model(fewer, "float32")
    assert served.model.config.num_hidden_layers == len(served.model.get_decoder().layers) == 3
    assert sum(one.numel() for one in served.model.parameters()) == parameters
    assert served.model.lm_head.weight is served.model.get_input_embeddings().weight


@pytest.mark.parametrize("layers", [0, 5])
def test_a_number_of_layers_that_the_model_has_not_is_refused(
    whole: Path, tmp_path: Path, layers: int
) -> None:
    with pytest.raises(ProofwalkError, match=r"has 4 layers") as raised:
        truncate(whole, tmp_path / "none", layers=layers)
    assert raised.value.code == "rl.layers_invalid"
    assert not (tmp_path / "none").exists()
