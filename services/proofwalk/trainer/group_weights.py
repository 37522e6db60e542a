"""Weights on their way to the inference role: a folder for each version, there whole or
not at all, the latest ones kept.

    <run>/weights/step-00000012/     config.json, model.safetensors, the tokenizer; or an adapter as peft saves it

A version names its weights for ever. A run that is resumed makes some steps again, and
where the arithmetic does not repeat itself bit for bit (a GPU's) other weights come of
them: those get a name of their own, `step-00000012+1`, and count as the same step.
Blocks.
"""

from __future__ import annotations

import copy
import filecmp
import re
import shutil
from pathlib import Path
from typing import Any, Literal

import torch

from proofwalk.rl.adapters import has_adapter
from proofwalk.rl.checkpoints import write_weights

Precision = Literal["model", "bf16"]
_NAME = re.compile(r"step-(?P<step>\d+)(?:\+\d+)?")


class WeightsFolder:
    """The folder of one run's published weights. One process writes."""

    def __init__(
        self, folder: Path, *, keep: int, precision: Precision = "model", adapters: bool = False
    ) -> None:
        """`keep`: how many steps' weights stay. `adapters`: a peft model's adapter is
        published instead of the merged weights; right only where the engine's base is
        the model that the run begins with."""
        self._folder = folder
        self._keep = keep
        self._precision = precision
        self._adapters = adapters

    def write(self, model: Any, tokenizer: Any) -> Path:
        """The model's weights in a folder aside; the model is left as it is."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for left in self._folder.glob(".writing-*"):
            shutil.rmtree(left)
        aside = self._folder / ".writing-weights"
        aside.mkdir()
        write_weights(aside, self._published(model), tokenizer)
        return aside

    def place(self, aside: Path, name: str) -> Path | None:
        """Put written weights under a name; where the same ones lie there already,
        those; None where others do."""
        target = self._folder / name
        if not target.exists():
            aside.rename(target)
            return target
        if not _same(aside, target):
            return None
        shutil.rmtree(aside)
        return target

    def take_back(self, target: Path) -> Path:
        """Put aside again what was placed."""
        aside = self._folder / ".writing-weights"
        target.rename(aside)
        return aside

    def prune(self, step: int) -> None:
        """Remove what is too old at `step`, and what a life before a crash had
        published beyond it."""
        for path in self._folder.iterdir():
            found = _NAME.fullmatch(path.name)
            if found is not None and not step - self._keep < int(found["step"]) <= step:
                shutil.rmtree(path)

    def _published(self, model: Any) -> Any:
        merged = has_adapter(model) and not self._adapters
        if not merged and self._precision == "model":
            return model
        # A copy: taking an adapter out of the weights again would leave rounding in
        # them, and a run could not be repeated.
        taken = copy.deepcopy(model)
        if merged:
            taken = taken.merge_and_unload()
        return taken.to(torch.bfloat16) if self._precision == "bf16" else taken


def _same(one: Path, other: Path) -> bool:
    names = sorted(path.relative_to(one).as_posix() for path in one.rglob("*") if path.is_file())
    if names != sorted(
        path.relative_to(other).as_posix() for path in other.rglob("*") if path.is_file()
    ):
        return False
    return all(filecmp.cmp(one / name, other / name, shallow=False) for name in names)
