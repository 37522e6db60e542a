"""Pairs of answers to one question, one of which is preferred: what `dpo` learns from.
`chat` makes them of files, `datasets.forks` says which there are."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from proofwalk.kernel.errors import invalid
from proofwalk.rl.samples import Sample, digest


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two answers to one question."""

    chosen: Sample
    rejected: Sample

    def __post_init__(self) -> None:
        if tuple(self.chosen.prompt) != tuple(self.rejected.prompt):
            raise invalid("rl.pair_invalid", "the two answers of a pair are to different questions")
        if tuple(self.chosen.completion) == tuple(self.rejected.completion):
            raise invalid("rl.pair_invalid", "the two answers of a pair are the same")

    @property
    def length(self) -> int:
        """Tokens of both, the question twice."""
        return self.chosen.length + self.rejected.length


def flat(pairs: Sequence[Pair]) -> list[Sample]:
    """Their answers: chosen, rejected, chosen, …"""
    return [sample for pair in pairs for sample in (pair.chosen, pair.rejected)]


def digest_of(pairs: Sequence[Pair]) -> str:
    """Identity of a data set of pairs, in order."""
    return hashlib.sha256(f"pairs {digest(flat(pairs))}".encode()).hexdigest()
