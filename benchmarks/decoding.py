"""`python -m benchmarks.decoding MODEL`: a decode step of the embedded engine, by rows,
beside torch's own attention in the same run.

MODEL is a folder as `proofwalk model fetch` writes it. Prompts of `--tokens` random
tokens are read once and expanded to 1, 6 and 16 rows; then both kinds of attention
decode the same tokens in turn, `--steps` times each. A step feeds every row one token
and gives the logits of the next.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import torch

from benchmarks import record
from benchmarks.record import Load
from proofwalk.inference.engines.attention import NAME
from proofwalk.inference.engines.decoding import Prefill, Rows
from proofwalk.inference.engines.weights import read_model

_ROWS = (1, 6, 16)
_WARM = 2
_KINDS = {"ours": NAME, "sdpa": "sdpa"}


def _read(model: Any, prompt: list[int]) -> tuple[Rows, float]:
    began = time.perf_counter()
    prefill = Prefill(model, prompt, logprobs=False)
    rows = prefill.advance()
    while rows is None:
        rows = prefill.advance()
    return rows, time.perf_counter() - began


def measured(model: Any, prompt: list[int], rows: int, steps: int) -> dict[str, Any]:
    """Milliseconds of a step for each kind, medians over the steps, and their ratio."""
    begun = {}
    for kind, name in _KINDS.items():
        model.set_attn_implementation(name)
        begun[kind], _ = _read(model, prompt)
        begun[kind].expand(rows)
    taken: dict[str, list[float]] = {kind: [] for kind in _KINDS}
    for step in range(steps + _WARM):
        tokens = torch.full((rows,), prompt[step % len(prompt)])
        for kind, name in _KINDS.items():
            model.set_attn_implementation(name)
            began = time.perf_counter()
            begun[kind].feed(model, tokens)
            if step >= _WARM:
                taken[kind].append(1000 * (time.perf_counter() - began))
    ratios = [theirs / ours for ours, theirs in zip(taken["ours"], taken["sdpa"], strict=True)]
    return {
        **{f"{kind}_ms": record.spread(values) for kind, values in taken.items()},
        "tokens_per_s": round(1000 * rows / statistics.median(taken["ours"]), 1),
        "times_as_fast": record.spread(ratios),
    }


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    load = Load.now()
    loaded = read_model(options.model, options.dtype)
    chance = Random(options.seed)  # repeatable on purpose
    prompt = [
        chance.randrange(1000, loaded.model.config.vocab_size - 1000) for _ in range(options.tokens)
    ]
    with torch.inference_mode():
        readings = [_read(loaded.model, prompt)[1] for _ in range(5)]
        figures: dict[str, Any] = {
            f"rows_{rows}": measured(loaded.model, prompt, rows, options.steps) for rows in _ROWS
        }
    figures["prompt_tokens_per_s"] = round(options.tokens / statistics.median(readings), 1)
    content = {
        **asyncio.run(record.head("decoding", n=options.steps)),
        "load": str(load),
        "asked": {
            "model": options.model.name,
            "dtype": str(loaded.model.dtype).removeprefix("torch."),
            "prompt_tokens": options.tokens,
            "threads": options.threads,
        },
        "figures": figures,
    }
    print(f"written to {record.write('decoding', content)}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--tokens", type=int, default=500)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    run(parser.parse_args())


if __name__ == "__main__":
    main()
