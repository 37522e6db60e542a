"""WebRL's experience replay (§2.2): successful walks of earlier updates, of which an
update learns again what the actor is neither sure of nor lost at.

Only successes are kept: of a failed walk of long ago nobody can say which of its steps
were right (§2.2, Figure 14). The buffer is bounded in steps, and forgets the oldest
walks first. Which steps are learned again decides their perplexity under the actor as
it is now (`confident`), so nothing of the policy that acted is kept.

    replay.pt    in a checkpoint: the walks' tokens and loss masks, oldest walk first
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random

import torch

from proofwalk.kernel.errors import conflict
from proofwalk.rl.rollouts import Rollout
from proofwalk.rl.samples import Sample

_FILE = "replay.pt"


class ReplayBuffer:
    """The latest successful walks, of at most `capacity` steps together."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._walks: list[Rollout] = []

    @property
    def walks(self) -> tuple[Rollout, ...]:
        """What it holds, the oldest first."""
        return tuple(self._walks)

    @property
    def steps(self) -> int:
        """Steps of all its walks."""
        return sum(len(walk.samples) for walk in self._walks)

    def add(self, rollouts: Iterable[Rollout]) -> None:
        """Keep the successes among them. A walk longer than the capacity is none to
        keep."""
        self._walks += [
            _bare(rollout)
            for rollout in rollouts
            if rollout.reward == 1 and len(rollout.samples) <= self._capacity
        ]
        surplus = self.steps - self._capacity
        while surplus > 0:
            surplus -= len(self._walks.pop(0).samples)

    def draw(self, steps: int, random: Random) -> list[Rollout]:
        """Different walks, each as likely as any other, until they have that many
        steps together or none is left."""
        drawn: list[Rollout] = []
        for walk in random.sample(self._walks, len(self._walks)):
            if steps <= 0:
                break
            drawn.append(walk)
            steps -= len(walk.samples)
        return drawn

    def write(self, folder: Path) -> None:
        """All walks, into a checkpoint's folder."""
        samples = [sample for walk in self._walks for sample in walk.samples]
        tokens = [token for one in samples for token in (*one.prompt, *one.completion)]
        masks = [learned for one in samples for learned in one.mask]
        sizes = [(len(one.prompt), len(one.completion)) for one in samples]
        torch.save(
            {
                "episodes": [walk.episode for walk in self._walks],
                "steps": [len(walk.samples) for walk in self._walks],
                "sizes": torch.tensor(sizes, dtype=torch.int32).reshape(-1, 2),
                "tokens": torch.tensor(tokens, dtype=torch.int32),
                "masks": torch.tensor(masks, dtype=torch.bool),
            },
            folder / _FILE,
        )

    def read(self, folder: Path) -> None:
        """Inverse of `write`. Raises `rl.checkpoint_unfit`."""
        try:
            saved = torch.load(folder / _FILE, weights_only=True)
        except FileNotFoundError as error:
            raise conflict(
                "rl.checkpoint_unfit", f"{folder} has no replay buffer: {error}"
            ) from None
        tokens, masks = iter(saved["tokens"].tolist()), iter(saved["masks"].tolist())
        samples = [
            Sample(
                prompt=tuple(next(tokens) for _ in range(prompt)),
                completion=tuple(next(tokens) for _ in range(completion)),
                mask=tuple(next(masks) for _ in range(completion)),
            )
            for prompt, completion in saved["sizes"].tolist()
        ]
        bounds = pairwise(accumulate(saved["steps"], initial=0))
        self._walks = [
            Rollout(episode=episode, reward=1.0, samples=tuple(samples[first:end]))
            for episode, (first, end) in zip(saved["episodes"], bounds, strict=True)
        ]


def perplexity(sample: Sample, logprobs: Sequence[float]) -> float:
    """exp(-mean log π) of the answer's learned tokens."""
    learned = sample.learned
    return math.exp(-sum(logprobs[token] for token in learned) / len(learned))


def confident(perplexity: float, bounds: tuple[float, float]) -> bool:
    """Whether 1/perplexity is within the bounds, which belong to it: an action that is
    familiar and not yet sure (§2.2: 0.5 to 0.95)."""
    return bounds[0] <= 1 / perplexity <= bounds[1]


def _bare(walk: Rollout) -> Rollout:
    """What was read, answered and learned."""
    samples = []
    for sample in walk.samples:
        learned = set(sample.learned)
        samples.append(
            Sample(
                prompt=tuple(sample.prompt),
                completion=tuple(sample.completion),
                mask=tuple(token in learned for token in range(len(sample.completion))),
            )
        )
    return Rollout(episode=walk.episode, reward=1.0, samples=tuple(samples))
