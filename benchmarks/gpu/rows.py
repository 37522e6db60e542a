"""The decisions that are learned from and asked: token ids of a seed, in the lengths of
the compact layout's questions and answers on real pages (docs/learning.md, "How long
the questions are")."""

from __future__ import annotations

from random import Random

from proofwalk.rl.samples import Sample

WORDS = (1000, 40000)
"""Ordinary words of SmolLM2's vocabulary; none of them ends a turn."""
SYSTEM = 157
"""Tokens that all questions begin with."""


def decisions(count: int, *, seed: int = 0) -> list[Sample]:
    """Questions of 350 to 900 tokens with answers of 20 to 46, whose advantages
    alternate."""
    chance = Random(seed)

    def words(many: int) -> tuple[int, ...]:
        return tuple(chance.randrange(*WORDS) for _ in range(many))

    system = words(SYSTEM)
    return [
        Sample(
            prompt=(*system, *words(chance.randint(350, 900) - SYSTEM)),
            completion=words(chance.randint(20, 46)),
            advantage=(-1.0) ** number,
            episode=str(number),
        )
        for number in range(count)
    ]
