"""The loss of a batch of pairs and its gradient beside TRL's
`DPOTrainer._compute_loss`, given the same model and the same tensors."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from proofwalk.rl.dpo import dpo_step, with_reference
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.preferences import Pair
from proofwalk.rl.processes import Single
from proofwalk.rl.settings import DpoSettings
from tests.rl.kit import assert_same_gradients, gradients, held_at_step, tiny_model, tiny_tokenizer
from tests.rl.test_dpo import pairs_of

_BETA = 0.3


def _trainer(model: Any, folder: Path) -> Any:
    from datasets import Dataset
    from trl import DPOConfig, DPOTrainer

    model.save_pretrained(folder / "model")
    model.config._name_or_path = str(folder / "model")  # where it loads a reference from
    return DPOTrainer(
        model=model,
        processing_class=tiny_tokenizer(),
        train_dataset=Dataset.from_dict(
            {"prompt": ["click"] * 4, "chosen": [" done"] * 4, "rejected": [" 18"] * 4}
        ),
        args=DPOConfig(
            output_dir=str(folder),
            use_cpu=True,
            bf16=False,
            beta=_BETA,
            per_device_train_batch_size=2,
            report_to=[],
            gradient_checkpointing=False,
        ),
    )


def _rectangle(pairs: list[Pair]) -> dict[str, torch.Tensor]:
    """The pairs as TRL batches them: all chosen answers, then all rejected ones, padded
    on the right."""
    samples = [pair.chosen for pair in pairs] + [pair.rejected for pair in pairs]
    width = max(sample.length for sample in samples)

    def padded(rows: list[list[int]]) -> torch.Tensor:
        return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows])

    sums = torch.tensor([sum(sample.reference_logprobs) for sample in samples])
    return {
        "input_ids": padded([[*one.prompt, *one.completion] for one in samples]),
        "attention_mask": padded([[1] * one.length for one in samples]),
        "completion_mask": padded(
            [[0] * len(one.prompt) + [1] * len(one.completion) for one in samples]
        ),
        "ref_chosen_logps": sums[: len(pairs)],
        "ref_rejected_logps": sums[len(pairs) :],
    }


def test_loss_and_gradient_are_those_of_trl(tmp_path: Path) -> None:
    model = tiny_model(4)
    settings = DpoSettings(beta=_BETA, microbatch_tokens=30, max_grad_norm=1e9)
    pairs = with_reference(tiny_model(5), pairs_of(6, seed=5), settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = _trainer(model, tmp_path)
        trainer.precompute_ref_logps = True
        expected = trainer._compute_loss(model, _rectangle(pairs), return_outputs=False)
    expected.backward()
    gradient = gradients(model)
    optimizer = adamw(model, settings)
    held = held_at_step(model, optimizer)
    measured = dpo_step(model, optimizer, pairs, settings, process=Single())
    assert measured["loss"] == pytest.approx(float(expected.detach()), abs=1e-6)
    assert_same_gradients(held, gradient)
