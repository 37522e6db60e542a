"""Checkpoints as folders that are either whole or not there.

    checkpoints/step-00000010/
      manifest.json       step, data position, validation score, settings, origin, SHA-256 of every other file, content digest
      model.safetensors   weights with config.json and the tokenizer: loads with from_pretrained (LoRA: adapter_model.safetensors instead)
      optimizer.pt        AdamW's moments (read with weights_only)
      random.pt           torch's generators, and Python's
      critic.pt replay.pt what WebRL has beside the policy (`critic`, `replay`)
      metrics.jsonl       every step so far

A folder is written aside, every file and the folder fsynced, then renamed: a crash
leaves a `.writing-…` that the next save clears away. The store keeps two: the one with
the best validation score (the paper selects so, §7.1; of equals the earliest) and the
last, which a run resumes from. There is no pointer file to disagree with: both follow
from the manifests. numpy's global generator is not saved, since nothing here draws from
it. Reading without torch: `run_files`. Next: `runs`.
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from proofwalk.kernel.errors import conflict
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.adapters import has_adapter
from proofwalk.rl.optimizers import Moments
from proofwalk.rl.run_files import (
    MANIFEST,
    Checkpoint,
    Manifest,
    best_of,
    damaged,
    read_checkpoints,
    read_metrics,
    synced,
    write_metrics,
)

_WEIGHTS = "model.safetensors"


class Checkpoints:
    """The checkpoints of one run. One process writes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> list[Checkpoint]:
        """Whole checkpoints by step. Raises `rl.checkpoint_damaged`."""
        return read_checkpoints(self._folder)

    def last(self) -> Checkpoint | None:
        """The one to resume from."""
        found = self.all()
        return found[-1] if found else None

    def best(self) -> Checkpoint | None:
        """The highest validation score, the earliest of equals; None before the first
        validation."""
        return best_of(self.all())

    def save(
        self,
        write: Callable[[Path], None],
        *,
        step: int,
        position: Mapping[str, int],
        score: float | None,
        settings: JsonObject,
        origin: str,
    ) -> Checkpoint:
        """Writes a checkpoint whose files `write` puts into the folder it is given,
        then removes what is neither best nor last."""
        name = f"step-{step:08d}"
        target = self._folder / name
        if target.exists():
            raise conflict(
                "rl.checkpoint_exists",
                f"{target} is already there",
                hint="resume the run, or give another folder",
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        for left in [*self._folder.glob(".writing-*"), *self._folder.glob(".removing-*")]:
            shutil.rmtree(left)
        aside = self._folder / f".writing-{name}"
        aside.mkdir()
        write(aside)
        files = {path.name: _sha256(path) for path in sorted(aside.iterdir())}
        content = hashlib.sha256(
            "".join(f"{digest}  {file}\n" for file, digest in files.items()).encode()
        ).hexdigest()
        manifest = Manifest(
            step=step,
            position=dict(position),
            score=score,
            settings=dict(settings),
            origin=origin,
            files=files,
            digest=content,
        )
        (aside / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
        for path in aside.iterdir():
            synced(path)
        synced(aside)
        aside.rename(target)
        synced(self._folder)
        self._prune()
        return Checkpoint(target, manifest)

    def verify(self, checkpoint: Checkpoint) -> None:
        """Reads every file and compares digests. Raises `rl.checkpoint_damaged`."""
        for name, digest in checkpoint.manifest.files.items():
            path = checkpoint.path / name
            if not path.is_file():
                raise damaged(checkpoint.path, f"{name} is missing")
            if _sha256(path) != digest:
                raise damaged(checkpoint.path, f"{name} is not what was written")

    def _prune(self) -> None:
        kept = {checkpoint.path for checkpoint in (self.last(), self.best()) if checkpoint}
        for checkpoint in self.all():
            if checkpoint.path not in kept:
                doomed = checkpoint.path.rename(
                    checkpoint.path.with_name(f".removing-{checkpoint.path.name}")
                )
                shutil.rmtree(doomed)


def write_state(
    folder: Path,
    *,
    model: Any,
    tokenizer: Any,
    moments: Moments,
    metrics: Sequence[Mapping[str, float]],
) -> None:
    """Everything that continuing needs, into `folder`: a whole model (not wrapped for
    several processes) and the whole state of its optimizer."""
    write_weights(folder, model, tokenizer)
    torch.save(dict(moments), folder / "optimizer.pt")
    devices = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    version, words, gauss = random.getstate()
    torch.save(
        {"torch": torch.get_rng_state(), "cuda": devices, "python": [version, list(words), gauss]},
        folder / "random.pt",
    )
    write_metrics(folder / "metrics.jsonl", metrics)


def write_weights(folder: Path, model: Any, tokenizer: Any) -> None:
    """Weights, configuration and tokenizer, so that from_pretrained (LoRA: peft's)
    finds what it needs. Tied weights are written once."""
    if has_adapter(model):
        model.save_pretrained(folder, save_embedding_layers=False)
        (folder / "README.md").unlink(missing_ok=True)  # a form of peft's with nothing filled in
    else:
        tied = _tied(model)
        weights = {
            name: tensor.contiguous()
            for name, tensor in model.state_dict().items()
            if name not in tied
        }
        save_file(weights, folder / _WEIGHTS, metadata={"format": "pt"})
        model.config.save_pretrained(folder)
        if getattr(model, "generation_config", None) is not None:
            model.generation_config.save_pretrained(folder)
    if tokenizer is not None:
        tokenizer.save_pretrained(folder)


def read_state(folder: Path, model: Any) -> Moments:
    """Puts the weights back as they were written, and returns the state of the
    optimizer. Raises `rl.checkpoint_unfit`."""
    read_weights(folder, model)
    moments: Moments = torch.load(folder / "optimizer.pt", weights_only=True, map_location="cpu")
    return moments


def read_generators(folder: Path) -> list[dict[str, float]]:
    """Puts the generators back; returns the metrics so far."""
    states = torch.load(folder / "random.pt", weights_only=True)
    torch.set_rng_state(states["torch"])
    if states["cuda"] and len(states["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(states["cuda"])
    version, words, gauss = states["python"]
    random.setstate((version, tuple(words), gauss))
    return read_metrics(folder / "metrics.jsonl")


def read_weights(folder: Path, model: Any) -> None:
    """Loads what `write_weights` wrote into a model of the same shape. Raises
    `rl.checkpoint_unfit`."""
    try:
        if has_adapter(model):
            from peft import set_peft_model_state_dict

            result = set_peft_model_state_dict(
                model, load_file(folder / "adapter_model.safetensors")
            )
            strange = list(result.unexpected_keys)
        else:
            missing, strange = model.load_state_dict(load_file(folder / _WEIGHTS), strict=False)
            strange = [*strange, *(name for name in missing if name not in _tied(model))]
    except (FileNotFoundError, RuntimeError) as error:
        raise conflict("rl.checkpoint_unfit", f"{folder} does not fit the model: {error}") from None
    if strange:
        raise conflict(
            "rl.checkpoint_unfit", f"{folder} does not fit the model: {', '.join(strange[:5])}"
        )


def _tied(model: Any) -> set[str]:
    """Names whose storage another, kept name holds: the output embedding of a model
    that ties it to the input's."""
    state = model.state_dict()
    first: dict[int, str] = {}
    doubled: set[str] = set()
    outputs = set(getattr(model, "_tied_weights_keys", None) or ())
    for name, tensor in sorted(state.items(), key=lambda item: (item[0] in outputs, item[0])):
        if tensor.data_ptr() in first:
            doubled.add(name)
        else:
            first[tensor.data_ptr()] = name
    return doubled


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
