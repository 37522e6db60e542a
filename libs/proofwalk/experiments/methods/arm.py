"""One method with one seed: a folder beside the others', with a ledger, a trainer and
rows of its own, so that arms can be run in any order, by several processes, and again.

    <bench>/stages.json, samples.parquet, …    the common checkpoint
    <bench>/<method>-<seed>/stages.json, rows/, *.metrics.jsonl, walk-1-…/, home/
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from proofwalk.experiments.learn.experiment import Experiment
from proofwalk.experiments.methods.recipe import START, Method, MethodsRecipe

Bench = Experiment[MethodsRecipe]


class Arm(Experiment[MethodsRecipe]):
    """Made once the common checkpoint is there; its stages build on that one's key."""

    def __init__(self, bench: Bench, name: str, seed: int) -> None:
        super().__init__(
            bench.recipe,
            bench.installations,
            folder=bench.folder / f"{name}-{seed}",
            clock=bench.clock,
            say=lambda text: bench.say(f"{name}:{seed} {text}"),
        )
        self.bench = bench
        self.name = name
        self.seed = seed
        self.keys |= {stage: bench.keys[stage] for stage in ("tasks", "sft")}

    @property
    def method(self) -> Method | None:
        """None: the common checkpoint as it is."""
        return None if self.name == START else self.recipe.methods[self.name]

    @property
    def model(self) -> Path:
        """The common checkpoint, which the engine begins with."""
        return Path(str(self.bench.result("sft")["folder"]))

    @property
    def samples(self) -> Path:
        return self.bench.samples

    def suite(self, name: str) -> Path:
        return self.bench.suite(name)

    def decided(self, parts: Sequence[str]) -> str:
        method = "" if self.method is None else self.method.model_dump_json()
        told = json.dumps([super().decided(parts), method, self.seed])
        return hashlib.sha256(told.encode()).hexdigest()
