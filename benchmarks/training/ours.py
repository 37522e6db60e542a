"""Our side: `rl.sft.sft_step` and `rl.grpo.update`, as `run_sft` and `run_grpo` call
them."""

from __future__ import annotations

from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from benchmarks.training.worker import Line, resident_gib
from benchmarks.training.workload import BETA, CLIP, RATE, rows
from proofwalk.rl.grpo import reference_scorer, update
from proofwalk.rl.optimizers import adamw
from proofwalk.rl.processes import Single
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import GrpoSettings, SftSettings
from proofwalk.rl.sft import padding, sft_step


def sft(order: dict[str, Any], line: Line) -> None:
    """Cross entropy of the completions' tokens."""
    model, tokenizer = _loaded(order)
    settings = SftSettings(
        learning_rate=RATE,
        precision=order["precision"],
        microbatch_tokens=order["microbatch_tokens"],
        batch_size=4,
    )
    optimizer, samples, pad = adamw(model, settings), _samples(order, tokenizer), padding(tokenizer)
    line.loaded_gib = resident_gib()
    line.tell()
    while True:
        line.wait()
        with line.step() as step:
            values = sft_step(model, optimizer, samples, settings, process=Single(), pad=pad)
            step.loss, step.grad_norm = values["loss"], values["grad_norm"]


def grpo(order: dict[str, Any], line: Line) -> None:
    """Reference, surrogate, k3, one step."""
    model, tokenizer = _loaded(order)
    settings = GrpoSettings(
        learning_rate=RATE,
        precision=order["precision"],
        microbatch_tokens=order["microbatch_tokens"],
        kl="k3",
        kl_coefficient=BETA,
        clip_low=CLIP,
        clip_high=CLIP,
        aggregation="token",
    )
    optimizer, samples, pad = adamw(model, settings), _samples(order, tokenizer), padding(tokenizer)
    reference = reference_scorer(model, settings, fresh_adapter=False, pad=pad)
    line.loaded_gib = resident_gib()
    line.tell()
    while True:
        line.wait()
        with line.step() as step:
            values = update(model, reference, samples, settings, optimizer=optimizer, pad=pad)
            step.loss, step.grad_norm = values["loss"], values["grad_norm"]


def _loaded(order: dict[str, Any]) -> tuple[Any, Any]:
    model = AutoModelForCausalLM.from_pretrained(
        order["model"], dtype=torch.float32, local_files_only=True
    ).train()
    return model, AutoTokenizer.from_pretrained(order["model"], local_files_only=True)


def _samples(order: dict[str, Any], tokenizer: Any) -> list[Sample]:
    return [
        Sample(
            prompt=row.prompt,
            completion=row.completion,
            advantage=row.advantage,
            episode=str(number),
        )
        for number, row in enumerate(
            rows(order["method"], order["shape"], end=tokenizer.eos_token_id)
        )
    ]
