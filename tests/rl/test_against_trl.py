"""The loss of a batch and its gradient beside TRL's `GRPOTrainer._compute_loss`, given
the same model and the same tensors.

TRL left-pads prompts and right-pads completions in one rectangle; ours packs or pads as
it likes. TRL's penalty is k3, so that is what is compared (its `grpo` is our
`sequence`, its `bnpo` our `token`); the MSE penalty has no counterpart there.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from proofwalk.rl.logprobs import token_scores
from proofwalk.rl.objectives import policy_loss, token_weights, weighted
from proofwalk.rl.samples import Sample, collate, microbatches
from tests.rl.kit import plain_logprobs, ragged_samples, tiny_model, tiny_tokenizer


def _samples(model: Any) -> list[Sample]:
    """With old and reference log-probabilities near the policy's own, so that some
    tokens are clipped and none is absurd."""
    made = []
    noise = torch.Generator().manual_seed(3)
    for number, sample in enumerate(ragged_samples(6, seed=5)):
        values = plain_logprobs(model, sample).detach()
        old = values + 0.3 * torch.randn(values.shape, generator=noise)
        reference = values + 0.5 * torch.randn(values.shape, generator=noise)
        made.append(
            Sample(
                prompt=sample.prompt,
                completion=sample.completion,
                advantage=(-1.0) ** number * (1 + number / 3),
                old_logprobs=tuple(old.tolist()),
                reference_logprobs=tuple(reference.tolist()),
            )
        )
    return made


def _theirs(model: Any, samples: list[Sample], loss_type: str, folder: Path) -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = _trainer(model, loss_type, folder)
        model.eval()  # their evaluation mode, which leaves out the division by accumulated steps
        loss: torch.Tensor = trainer._compute_loss(model, _rectangle(samples))
        return loss


def _trainer(model: Any, loss_type: str, folder: Path) -> Any:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    model.save_pretrained(folder / "model")
    model.config._name_or_path = str(folder / "model")  # where it loads a reference from
    return GRPOTrainer(
        model=model,
        processing_class=tiny_tokenizer(),
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        train_dataset=Dataset.from_dict({"prompt": ["click"] * 4}),
        args=GRPOConfig(
            output_dir=str(folder),
            use_cpu=True,
            bf16=False,
            beta=0.04,
            epsilon=0.2,
            loss_type=loss_type,
            # DeepSeek-V3.2's factor on the penalty, which Eq. 2 does not have
            use_bias_correction_kl=False,
            num_generations=2,
            per_device_train_batch_size=2,
            report_to=[],
            gradient_checkpointing=False,
        ),
    )


def _rectangle(samples: list[Sample]) -> dict[str, torch.Tensor]:
    """The samples as TRL batches them: prompts padded left, completions right."""
    prompts, completions = [s.prompt for s in samples], [s.completion for s in samples]
    return {
        "prompt_ids": _padded(prompts, torch.long, left=True),
        "prompt_mask": _padded([[1] * len(ids) for ids in prompts], torch.long, left=True),
        "completion_ids": _padded(completions, torch.long),
        "completion_mask": _padded([[1] * len(ids) for ids in completions], torch.long),
        "advantages": torch.tensor([s.advantage for s in samples]),
        "old_per_token_logps": _padded([s.old_logprobs for s in samples], torch.float32),
        "ref_per_token_logps": _padded([s.reference_logprobs for s in samples], torch.float32),
    }


def _padded(rows: Sequence[Any], dtype: torch.dtype, *, left: bool = False) -> torch.Tensor:
    """Rows padded with zeros to the longest of them."""
    size = max(len(row) for row in rows)
    blanks = [[0] * (size - len(row)) for row in rows]
    return torch.tensor(
        [
            [*blank, *row] if left else [*row, *blank]
            for blank, row in zip(blanks, rows, strict=True)
        ],
        dtype=dtype,
    )


@pytest.mark.parametrize(("theirs", "ours"), [("grpo", "sequence"), ("bnpo", "token")])
def test_loss_and_gradient_are_those_of_trl(theirs: str, ours: Any, tmp_path: Path) -> None:
    model = tiny_model(4)
    samples = _samples(model)
    expected = _theirs(model, samples, theirs, tmp_path)
    expected.backward()
    gradient = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad(set_to_none=True)

    weights = token_weights([len(sample.learned) for sample in samples], aggregation=ours)
    total = 0.0
    for rows in microbatches([sample.length for sample in samples], tokens=30, packing=False):
        batch = collate(samples, rows, weights=weights)
        losses = policy_loss(
            token_scores(model, batch).logprobs,
            batch.old_logprobs,
            batch.advantages,
            batch.reference_logprobs,
            clip_low=0.2,
            clip_high=0.2,
            kl="k3",
            kl_coefficient=0.04,
        )
        loss = weighted(losses, batch.weights)
        loss.backward()
        total += float(loss.detach())
    assert total == pytest.approx(float(expected.detach()), abs=1e-6)
    for name, parameter in model.named_parameters():
        assert torch.allclose(parameter.grad, gradient[name], rtol=1e-4, atol=1e-6), name
