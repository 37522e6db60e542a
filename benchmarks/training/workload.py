"""The batches that both sides learn from: token ids from a seed, in the lengths of an
agent's decisions. No torch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

VOCABULARY = (1000, 40000)
"""Ordinary words of SmolLM2's vocabulary; none of them ends a turn."""
GROUPS = 2
"""Tasks of a GRPO batch; a task's rollouts share its prompt."""
RATE = 1e-6
"""Small, so that a run of the benchmark learns nothing that would change its lengths or
make its losses unlike."""
BETA = 0.04
CLIP = 0.2


@dataclass(frozen=True, kw_only=True)
class Row:
    """One decision."""

    prompt: tuple[int, ...]
    completion: tuple[int, ...]
    """With the token that ends a turn."""
    group: int = 0
    reward: float = 0.0
    advantage: float = 0.0

    @property
    def length(self) -> int:
        return len(self.prompt) + len(self.completion)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Lengths of a batch's prompts and completions."""

    prompts: tuple[int, ...]
    completions: tuple[int, ...]


SFT: Mapping[str, Shape] = {
    # Like the compact layout's questions and answers: a list of numbered elements, a
    # thought and an action.
    "ragged": Shape(prompts=(92, 148, 118, 196), completions=(24, 38, 18, 30)),
    # Without a reason to pad: what is left is the step itself.
    "even": Shape(prompts=(138,) * 4, completions=(28,) * 4),
}
GRPO: Mapping[str, Shape] = {
    "ragged": Shape(prompts=(72, 104), completions=(12, 22, 16, 28, 18, 14, 30, 20)),
    "even": Shape(prompts=(88, 88), completions=(20,) * 8),
}


def rows(method: str, shape: str, *, end: int, seed: int = 0) -> list[Row]:
    """The batch of a method: SFT's rows, or GRPO's rollouts of two tasks with rewards
    and advantages."""
    chance = Random(f"{method}/{shape}/{seed}")

    def words(count: int) -> tuple[int, ...]:
        return tuple(chance.randrange(*VOCABULARY) for _ in range(count))

    if method == "sft":
        lengths = SFT[shape]
        return [
            Row(prompt=words(prompt), completion=(*words(completion - 1), end))
            for prompt, completion in zip(lengths.prompts, lengths.completions, strict=True)
        ]
    lengths = GRPO[shape]
    each = len(lengths.completions) // len(lengths.prompts)
    made: list[Row] = []
    for group, prompt in enumerate(lengths.prompts):
        asked = words(prompt)
        rewards = [float(place % (group + 2) == 0) for place in range(each)]
        for place, reward in enumerate(rewards):
            completion = (*words(lengths.completions[group * each + place] - 1), end)
            advantage = standardised(reward, rewards)
            made.append(
                Row(
                    prompt=asked,
                    completion=completion,
                    group=group,
                    reward=reward,
                    advantage=advantage,
                )
            )
    return made


def standardised(reward: float, rewards: list[float]) -> float:
    """As TRL has it (`scale_rewards="group"`): the sample deviation, and 1e-4 beside
    it. Ours differs (`rl.advantages`); the cost does not."""
    mean = sum(rewards) / len(rewards)
    deviation = math.sqrt(sum((one - mean) ** 2 for one in rewards) / (len(rewards) - 1))
    return (reward - mean) / (deviation + 1e-4)
