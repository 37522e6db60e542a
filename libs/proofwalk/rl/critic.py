"""WebRL's critic (§2.2): V(s, I), the chance that a walk will succeed which has come to
this question.

The question that a step answers is the state: it has the instruction, the page and what
was done before. The critic is a copy of the model that the run begins with, without its
output embedding, and a linear head of random weights on the last hidden state of the
question's last token (Algorithm 1, line 7). It learns by cross entropy from how each
walk ended (Eq. 7), either whole or by the head alone, with an optimizer of its own.
Eq. 7 writes V(s, a, I); since Eq. 8 asks for V(s, I), no answer is read.

    critic.pt    in a checkpoint: the weights that learn, and AdamW's moments
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from proofwalk.kernel.errors import conflict
from proofwalk.rl.adapters import has_adapter
from proofwalk.rl.logprobs import computing
from proofwalk.rl.minibatches import means, minibatches
from proofwalk.rl.objectives import value_loss
from proofwalk.rl.optimizers import adamw, set_learning_rate
from proofwalk.rl.processes import Single, accumulated, descend
from proofwalk.rl.samples import Batch, Sample, collate, microbatches
from proofwalk.rl.settings import WebrlSettings

_FILE = "critic.pt"


class Critic:
    """The value network of a run, and how it learns."""

    def __init__(self, initial: Any, settings: WebrlSettings, *, pad: int = 0) -> None:
        """`initial` is the frozen model that the run begins with. The head's weights
        come from torch's generator."""
        bare = initial.get_base_model() if has_adapter(initial) else initial
        backbone = bare.base_model
        if settings.critic == "whole":
            backbone = copy.deepcopy(backbone).requires_grad_(True)
        hidden = int(bare.config.get_text_config().hidden_size)
        self._network = torch.nn.ModuleDict(
            {"backbone": backbone, "head": torch.nn.Linear(hidden, 1)}
        )
        self._network.to(next(bare.parameters()).device).eval()
        self._settings = settings
        rate = settings.critic_learning_rate
        self._learning = settings.model_copy(update={"learning_rate": rate})
        self._optimizer = adamw(self._network, self._learning)
        self._pad = pad

    def values(self, states: Sequence[Sample]) -> list[float]:
        """V of each sample's prompt."""
        values = [0.0] * len(states)
        questions = self._questions(states)
        with torch.no_grad():
            for rows in self._cuts(questions):
                batch = self._collated(questions, rows)
                found = torch.sigmoid(self._logits(batch)).tolist()
                for index, value in zip(_numbers(rows), found, strict=True):
                    values[index] = value
        return values

    def fit(
        self, states: Sequence[Sample], outcomes: Sequence[float], *, step: int
    ) -> dict[str, float]:
        """Learn from the prompts of samples and the outcomes, 0 to 1, of the walks that
        they are of, in update `step` (from 0).

        Metrics, means over the optimizer steps: critic_loss (Eq. 7), critic_grad_norm.
        """
        settings, questions = self._settings, self._questions(states)
        set_learning_rate(self._optimizer, self._learning, step=step, total=settings.steps)
        orders = minibatches(
            len(questions),
            size=settings.batch_size,
            passes=settings.critic_epochs,
            seed=settings.seed,
            step=step,
        )
        return means(
            [
                self._descent(
                    [questions[index] for index in chosen], [outcomes[index] for index in chosen]
                )
                for chosen in orders
            ]
        )

    def write(self, folder: Path) -> None:
        """What learns of it, into a checkpoint's folder."""
        saved = {"weights": self._learned(), "optimizer": self._optimizer.state_dict()}
        torch.save(saved, folder / _FILE)

    def read(self, folder: Path) -> None:
        """Inverse of `write`. Raises `rl.checkpoint_unfit`."""
        try:
            saved = torch.load(folder / _FILE, weights_only=True, map_location="cpu")
            weights, learned = saved["weights"], self._learned()
            if weights.keys() != learned.keys():
                raise ValueError("its critic learns other weights")
            with torch.no_grad():
                for name, tensor in learned.items():
                    tensor.copy_(weights[name])
            self._optimizer.load_state_dict(saved["optimizer"])
        except (FileNotFoundError, RuntimeError, ValueError) as error:
            raise conflict(
                "rl.checkpoint_unfit", f"{folder} does not fit the critic: {error}"
            ) from None

    def _learned(self) -> dict[str, Tensor]:
        named = self._network.named_parameters()
        return {name: tensor.detach() for name, tensor in named if tensor.requires_grad}

    def _descent(self, questions: Sequence[Sample], outcomes: Sequence[float]) -> dict[str, float]:
        """One optimizer step."""

        def add(rows: list[list[int]], _counts: bool) -> Float64[Tensor, 1]:
            logits = self._logits(self._collated(questions, rows))
            targets = logits.new_tensor([outcomes[index] for index in _numbers(rows)])
            loss = value_loss(logits, targets).sum() / len(questions)
            loss.backward()
            return loss.detach().double()[None]

        loss = float(accumulated(self._network, self._cuts(questions), Single(), add))
        norm = descend(self._network, self._optimizer, self._settings.max_grad_norm)
        return {"critic_loss": loss, "critic_grad_norm": norm}

    def _logits(self, batch: Batch) -> Float[Tensor, " states"]:
        """The logit of V before each learned token of the batch."""
        with computing(self._settings.precision, batch.input_ids.device):
            states = self._network["backbone"](
                input_ids=batch.input_ids, position_ids=batch.position_ids, use_cache=False
            ).last_hidden_state
            logits: Tensor = self._network["head"](states[batch.predictors])
        return logits.squeeze(-1).float()

    def _questions(self, states: Sequence[Sample]) -> list[Sample]:
        """Their prompts before one token, so that the prompt's last is a predictor."""
        return [Sample(prompt=state.prompt, completion=(self._pad,)) for state in states]

    def _cuts(self, questions: Sequence[Sample]) -> list[list[list[int]]]:
        return microbatches(
            [question.length for question in questions],
            tokens=self._settings.microbatch_tokens,
            packing=self._settings.packing,
        )

    def _collated(self, questions: Sequence[Sample], rows: Sequence[Sequence[int]]) -> Batch:
        ones = [1.0] * len(questions)
        return collate(questions, rows, weights=ones, pad=self._pad).to(
            next(self._network.parameters()).device
        )


def _numbers(rows: Sequence[Sequence[int]]) -> list[int]:
    """The samples of rows in the order of a batch's tokens."""
    return [index for row in rows for index in row]
