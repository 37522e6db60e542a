"""TRL's side: `SFTTrainer` and `GRPOTrainer` in their own training loops, which a
callback holds before each step.

What is timed is a step of `Trainer.train`: from `on_step_begin` (the batch is collated
by then) to `on_step_end` (gradients are cleared). GRPO's rollouts come from TRL's
`rollout_func`, which hands out the rows at no cost, so generation is in nobody's time;
the reference's scores, the advantages and the update are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from benchmarks.training.worker import Line, resident_gib
from benchmarks.training.workload import BETA, CLIP, GROUPS, RATE, Row, rows


class _Held(TrainerCallback):  # type: ignore[misc]
    """Waits for an order before each step and tells its cost after it, with what the
    trainer logged of it."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self._line.loaded_gib = resident_gib()
        self._line.tell()

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        self._line.wait()
        self._line.begin()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self._line.end()

    def on_log(self, *_: Any, logs: dict[str, Any], **__: Any) -> None:
        if "grad_norm" in logs:
            self._line.measured.loss = float(logs["loss"])
            self._line.measured.grad_norm = float(logs["grad_norm"])
            self._line.tell()


def sft(order: dict[str, Any], line: Line) -> None:
    """`SFTTrainer` on tokenised rows, the prompt's labels masked."""
    model, tokenizer, made = _loaded(order)
    data = [
        {
            "input_ids": [*row.prompt, *row.completion],
            "labels": [*[-100] * len(row.prompt), *row.completion],
        }
        for row in made
    ]
    trainer = SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(data),
        args=SFTConfig(**_settings(order, len(made)), max_length=None),
        callbacks=[_Held(line)],
    )
    trainer.train()


def grpo(order: dict[str, Any], line: Line) -> None:
    """`GRPOTrainer`, one update on one generation; its defaults but for the penalty's
    coefficient and its bias correction (ours has none)."""
    model, tokenizer, made = _loaded(order)

    def rolled(prompts: list[str], trainer: Any) -> dict[str, list[Any]]:
        groups = {
            f"task {group}": iter([row for row in made if row.group == group])
            for group in range(GROUPS)
        }
        chosen: list[Row] = [next(groups[prompt]) for prompt in prompts]
        return {
            "prompt_ids": [list(row.prompt) for row in chosen],
            "completion_ids": [list(row.completion) for row in chosen],
            "logprobs": [[0.0] * len(row.completion) for row in chosen],
            "earned": [row.reward for row in chosen],
        }

    def earned(earned: list[float], **_: Any) -> list[float]:
        return earned

    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=earned,
        train_dataset=Dataset.from_dict({"prompt": [f"task {group}" for group in range(GROUPS)]}),
        rollout_func=rolled,
        args=GRPOConfig(
            **_settings(order, len(made)),
            num_generations=len(made) // GROUPS,
            beta=BETA,
            epsilon=CLIP,
            use_bias_correction_kl=False,
            max_completion_length=64,
        ),
        callbacks=[_Held(line)],
    )
    trainer.train()


def _loaded(order: dict[str, Any]) -> tuple[Any, Any, list[Row]]:
    model = AutoModelForCausalLM.from_pretrained(
        order["model"], dtype=torch.float32, local_files_only=True
    )
    tokenizer = AutoTokenizer.from_pretrained(order["model"], local_files_only=True)
    return model, tokenizer, rows(order["method"], order["shape"], end=tokenizer.eos_token_id)


def _settings(order: dict[str, Any], count: int) -> dict[str, Any]:
    passes = int(order["passes"])
    return {
        "output_dir": str(Path(order["folder"])),
        "use_cpu": True,
        "bf16": order["precision"] == "bf16",
        "learning_rate": RATE,
        "lr_scheduler_type": "constant",
        "per_device_train_batch_size": count // passes,
        "gradient_accumulation_steps": passes,
        "max_steps": 1000,
        "logging_steps": 1,
        "save_strategy": "no",
        "report_to": [],
        "disable_tqdm": True,
        "gradient_checkpointing": bool(order["checkpointing"]),
        "dataloader_pin_memory": False,
    }
