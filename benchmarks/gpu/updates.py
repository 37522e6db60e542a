"""Seconds of an update on a CUDA device: our SFT and GRPO, and TRL's `SFTTrainer` on
the same rows with as many forward passes.

All compute in bfloat16 under autocast with weights and moments in float32. A step is
timed from its beginning to the device's rest; ours collates inside of it, TRL's batch
is collated before. Peak memory is torch's own.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback

from benchmarks.record import spread
from proofwalk.rl.grpo import reference_scorer, update
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.processes import Single
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings, SftSettings
from proofwalk.rl.sft import sft_step

WARM_UP, STEPS = 3, 8
PASSES = 2
RATE = 1e-6
"""Small, so that nothing is learned that would make the sides' losses unlike."""


def measured(folder: Path, rows: Sequence[Sample]) -> dict[str, Any]:
    """Figures of each side, by name."""
    tokens = sum(row.length for row in rows)
    found = {"sft": _sft(folder, rows), "trl_sft": _trl(folder, rows), "grpo": _grpo(folder, rows)}
    figures: dict[str, Any] = {
        name: {
            "tokens_per_s": spread([tokens / second for second in seconds]),
            "peak_gib": round(peak, 2),
            "first_grad_norm": round(norm, 5),
        }
        for name, (seconds, peak, norm) in found.items()
    }
    medians = {name: statistics.median(seconds) for name, (seconds, _, _) in found.items()}
    figures["sft_over_trl"] = round(medians["trl_sft"] / medians["sft"], 3)
    figures["rows"], figures["tokens"] = len(rows), tokens
    return figures


Steps = tuple[list[float], float, float]
"""Seconds of each step, peak memory in GiB, the first step's gradient norm."""


def _sft(folder: Path, rows: Sequence[Sample]) -> Steps:
    settings = SftSettings(
        learning_rate=RATE, precision="bf16", microbatch_tokens=_pass(rows), batch_size=len(rows)
    )
    model = _model(folder)
    optimizer = adamw(model, settings)
    return _timed(
        lambda: sft_step(model, optimizer, rows, settings, process=Single(), pad=0)["grad_norm"]
    )


def _grpo(folder: Path, rows: Sequence[Sample]) -> Steps:
    settings = GrpoSettings(
        learning_rate=RATE,
        precision="bf16",
        microbatch_tokens=_pass(rows),
        kl="k3",
        kl_coefficient=0.04,
    )
    model = _model(folder)
    optimizer = adamw(model, settings)
    reference = reference_scorer(model, settings, fresh_adapter=False, pad=0)
    return _timed(
        lambda: update(model, reference, rows, settings, optimizer=optimizer, pad=0)["grad_norm"]
    )


def _timed(step: Callable[[], float]) -> Steps:
    torch.cuda.reset_peak_memory_stats()
    seconds, norms = [], []
    for _ in range(WARM_UP + STEPS):
        began = time.perf_counter()
        norms.append(step())
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - began)
    peak = torch.cuda.max_memory_allocated() / 2**30
    torch.cuda.empty_cache()
    return seconds[WARM_UP:], peak, norms[0]


class _Clock(TrainerCallback):  # type: ignore[misc]
    """Times TRL's steps."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.norms: list[float] = []
        self._began = 0.0

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        torch.cuda.synchronize()
        self._began = time.perf_counter()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        torch.cuda.synchronize()
        self.seconds.append(time.perf_counter() - self._began)

    def on_log(self, *_: Any, logs: dict[str, Any], **__: Any) -> None:
        if "grad_norm" in logs:
            self.norms.append(float(logs["grad_norm"]))


def _trl(folder: Path, rows: Sequence[Sample]) -> Steps:
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    examples = [
        {
            "input_ids": [*row.prompt, *row.completion],
            "labels": [*[-100] * len(row.prompt), *row.completion],
        }
        for row in rows
    ]
    clock = _Clock()
    torch.cuda.reset_peak_memory_stats()
    with tempfile.TemporaryDirectory(prefix="bench-gpu-") as scratch:
        SFTTrainer(
            model=_model(folder),
            processing_class=AutoTokenizer.from_pretrained(folder, local_files_only=True),
            train_dataset=Dataset.from_list(examples),
            args=SFTConfig(
                output_dir=scratch,
                bf16=True,
                learning_rate=RATE,
                lr_scheduler_type="constant",
                per_device_train_batch_size=math.ceil(len(rows) / PASSES),
                gradient_accumulation_steps=PASSES,
                max_steps=WARM_UP + STEPS,
                logging_steps=1,
                save_strategy="no",
                report_to=[],
                disable_tqdm=True,
                gradient_checkpointing=False,
                max_length=None,
            ),
            callbacks=[clock],
        ).train()
    peak = torch.cuda.max_memory_allocated() / 2**30
    torch.cuda.empty_cache()
    return clock.seconds[WARM_UP:], peak, clock.norms[0]


def _model(folder: Path) -> Any:
    loaded = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, local_files_only=True
    )
    return loaded.to("cuda").train()


def _pass(rows: Sequence[Sample]) -> int:
    """Tokens that cut the rows into `PASSES` passes, padding included."""
    return max(row.length for row in rows) * math.ceil(len(rows) / PASSES)
