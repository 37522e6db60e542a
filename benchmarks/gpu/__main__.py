"""`make bench-gpu`: what a CUDA device does of training and answering, and writes
`gpu.json`.

One model (a folder, SmolLM2-135M's by default), one device. SFT beside TRL's on the
same rows, which must agree on the first step's gradient norm; a GRPO update; the
embedded engine by answers at a time, beside the same machine's processor; and the
distance between what the engine tells of its tokens and what the trainer computes.
`--commit` names the tree's commit where it has no repository, `--out` a file to write
instead of the result.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from benchmarks import record
from benchmarks.gpu import answers, updates
from benchmarks.gpu.rows import decisions

ROWS = 128
AGREED = 5e-2
"""Relative difference of first gradient norms that bfloat16's rounding explains."""


async def figures(folder: Path) -> dict[str, Any]:
    """All that is measured. Raises RuntimeError where the sides do other work."""
    rows = decisions(ROWS)
    learned = updates.measured(folder, rows)
    ours, theirs = (learned[side]["first_grad_norm"] for side in ("sft", "trl_sft"))
    if not abs(ours - theirs) <= AGREED * ours:
        raise RuntimeError(f"gradient norms of {ours} and {theirs}: other work")
    threads = min(8, os.cpu_count() or 1)
    return {
        "updates": learned,
        "engine": await answers.measured(folder, rows, threads=threads),
    }


async def run(folder: Path, commit: str) -> dict[str, Any]:
    """The result's content."""
    content: dict[str, Any] = {
        "name": "gpu",
        "n": updates.STEPS,
        "commit": commit or record.commit(),
        "machine": {
            "cpus": os.cpu_count(),
            "gpu": torch.cuda.get_device_name(),
            "gpu_memory": f"{torch.cuda.get_device_properties(0).total_memory / 2**30:.1f} GiB",
            "python": platform.python_version(),
        },
        "model": folder.name,
    }
    content["versions"] = {name: version(name) for name in ("torch", "transformers", "trl")}
    return {**content, "figures": await figures(folder)}


def main() -> int:
    """0 when everything was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="folder of a model, as transformers saves it")
    parser.add_argument("--commit", default="", help="of the tree, where it has no repository")
    parser.add_argument("--out", type=Path, help="a file to write instead of the result")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("torch sees no CUDA device", file=sys.stderr)
        return 2
    content = asyncio.run(run(options.model, options.commit))
    print(json.dumps(content["figures"], indent=2))
    if options.out is not None:
        options.out.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    else:
        print(f"written to {record.write('gpu', content)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
