"""A bandit as a source of rollouts: each task is a prompt, each episode one token
sampled from the policy, one token is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from proofwalk.rl.rollouts import Rollout, RolloutGroup
from proofwalk.rl.samples import Sample

TASKS = {"left": 20, "right": 30, "up": 25}
"""Task to the token that is right."""


class Bandit:
    """Samples from the published policy with torch's global generator, so that a
    resumed run samples the same."""

    def __init__(self, *, breaks: float = 0.0, reported: bool = True) -> None:
        self.asked: list[dict[str, int]] = []
        self.versions: list[str] = []
        self._breaks = breaks
        self._reported = reported
        self._model: Any = None
        self._episodes = 0

    def tasks(self, step: int) -> Sequence[str]:
        return tuple(TASKS)

    def publish(self, version: str, model: Any) -> None:
        self._model = model
        self.versions.append(version)

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        self.asked.append(dict(wanted))
        return [
            RolloutGroup(task=task, rollouts=self._group(task, count))
            for task, count in wanted.items()
        ]

    def _group(self, task: str, count: int) -> tuple[Rollout, ...]:
        prompt = (5, 6 + list(TASKS).index(task))
        with torch.no_grad():
            logs = torch.log_softmax(
                self._model(input_ids=torch.tensor([prompt]), use_cache=False).logits[0, -1], -1
            )
        tokens = torch.multinomial(logs.exp(), count, replacement=True).tolist()
        broken = (torch.rand(count) < self._breaks).tolist()
        self._episodes += count
        return tuple(
            Rollout(
                episode=f"{task}-{self._episodes}-{number}",
                reward=None if lost else float(token == TASKS[task]),
                samples=(
                    Sample(
                        prompt=prompt,
                        completion=(token,),
                        old_logprobs=(float(logs[token]),) if self._reported else (),
                        policy_version=self.versions[-1],
                    ),
                ),
            )
            for number, (token, lost) in enumerate(zip(tokens, broken, strict=True))
        )

    def chance_of_right(self, model: Any) -> float:
        """Mean over tasks of the probability of the right token."""
        prompts = torch.tensor([(5, 6 + number) for number in range(len(TASKS))])
        with torch.no_grad():
            shares = torch.softmax(model(input_ids=prompts, use_cache=False).logits[:, -1], -1)
        return float(shares[torch.arange(len(TASKS)), torch.tensor(list(TASKS.values()))].mean())
