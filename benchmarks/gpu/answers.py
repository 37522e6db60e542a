"""Tokens a second of the embedded engine on a CUDA device and on the same machine's
processor, and how far what it told of its tokens is from what the trainer computes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import AutoModelForCausalLM

from proofwalk.inference.domain import Ask, Generation
from proofwalk.inference.engines.embedded import EmbeddedEngine, open_embedded
from proofwalk.inference.engines.limits import Limits
from proofwalk.rl.devices import Device
from proofwalk.rl.logprobs import score
from proofwalk.rl.samples import Sample

ANSWER = 48
"""Tokens of an answer at most."""
TOGETHER = (1, 8, 32, 128)
Dtype = Literal["float32", "bfloat16"]


async def measured(folder: Path, rows: Sequence[Sample], *, threads: int) -> dict[str, Any]:
    """Figures of both devices, and of the distance."""
    figures: dict[str, Any] = {"cuda": await _speeds(folder, rows, TOGETHER, "cuda", threads)}
    figures["cpu"] = await _speeds(folder, rows, (8,), "cpu", threads)
    figures["cpu"]["threads"] = threads
    figures["cuda_over_cpu"] = round(
        figures["cuda"]["8"]["tokens_per_s"] / figures["cpu"]["8"]["tokens_per_s"], 2
    )
    figures["distance"] = {
        dtype: await _distance(folder, rows[:16], dtype) for dtype in ("float32", "bfloat16")
    }
    return figures


async def _speeds(
    folder: Path, rows: Sequence[Sample], together: Sequence[int], device: Device, threads: int
) -> dict[str, Any]:
    """By answers at a time: tokens that were answered a second, reading the questions
    included."""
    limits = Limits(waiting=256, rows=max(together), threads=threads, prefix_tokens=16_384)
    found: dict[str, Any] = {}
    async with open_embedded(
        folder, name="", dtype="bfloat16", limits=limits, device=device
    ) as engine:
        await _answers(engine, rows[:2], seed=1)
        for number in together:
            began = time.perf_counter()
            answered = await _answers(engine, rows[:number], seed=2)
            seconds = time.perf_counter() - began
            tokens = sum(len(one.samples[0].token_ids) for one in answered)
            found[str(number)] = {
                "tokens_per_s": round(tokens / seconds, 1),
                "answers_per_s": round(number / seconds, 2),
            }
    return found


async def _answers(
    engine: EmbeddedEngine, rows: Sequence[Sample], *, seed: int
) -> list[Generation]:
    asks = [
        Ask(token_ids=tuple(row.prompt), max_tokens=ANSWER, seed=seed, temperature=1.0)
        for row in rows
    ]
    return list(await asyncio.gather(*(engine.generate(ask) for ask in asks)))


async def _distance(folder: Path, rows: Sequence[Sample], dtype: Dtype) -> dict[str, float]:
    """Nats between the engine's log-probability of a token and the trainer's, which
    computes in float32, on the device."""
    async with open_embedded(
        folder, name="", dtype=dtype, limits=Limits(rows=32), device="cuda"
    ) as engine:
        answered = await _answers(engine, rows, seed=3)
    acted = [
        Sample(prompt=row.prompt, completion=one.samples[0].token_ids)
        for row, one in zip(rows, answered, strict=True)
    ]
    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, local_files_only=True
    ).to("cuda")
    scored = score(model, acted, microbatch_tokens=16_384)
    apart = [
        abs(told - computed)
        for one, row in zip(answered, scored, strict=True)
        for told, computed in zip(one.samples[0].logprobs, row, strict=True)
    ]
    return {
        "tokens": len(apart),
        "greatest": round(max(apart), 6),
        "mean": round(sum(apart) / len(apart), 6),
    }
