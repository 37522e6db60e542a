"""`python -m benchmarks.sharing`: an engine and a trainer on the same cores, with
OpenMP's threads spinning where they wait, and sleeping.

Each is a process of its own, as in `proofwalk learn`: one answers questions (six
prompts of 300 tokens are read, then decoded together for 30 tokens), the other computes
gradients (six samples of 450 tokens). Both of the base model's weights, alone and side
by side, in turn.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.record import Load
from proofwalk.chassis.processes import SHARED, ChildProcess, start_child

_ROWS, _PROMPT, _ANSWER, _SAMPLE = 6, 300, 30, 450
_READY = b"ready\n"
_START_S = 120.0
KINDS = ("questions", "samples")


def questions(folder: Path) -> Callable[[], None]:
    """Read and answer `_ROWS` prompts."""
    import torch

    from proofwalk.inference.engines.decoding import Prefill, Rows
    from proofwalk.inference.engines.weights import read_model

    model = read_model(folder, "auto").model
    words = int(model.config.vocab_size)

    def read() -> Rows:
        prefill = Prefill(model, torch.randint(0, words, (_PROMPT,)).tolist(), logprobs=False)
        while (rows := prefill.advance()) is None:
            pass
        return rows

    def work() -> None:
        with torch.inference_mode():
            rows = read()
            for _ in range(_ROWS - 1):
                rows.join(read())
            for _ in range(_ANSWER):
                rows.feed(model, torch.randint(0, words, (_ROWS,)))

    return work


def samples(folder: Path) -> Callable[[], None]:
    """Gradients of `_ROWS` samples."""
    import torch

    from proofwalk.rl.logprobs import computing
    from proofwalk.trainer.model_loading import load_model

    model, _ = load_model(folder, adaptation="full")
    tokens = torch.randint(0, int(model.config.vocab_size), (_ROWS, _SAMPLE))

    def work() -> None:
        with computing("auto", "cpu"):
            logits = model(input_ids=tokens, logits_to_keep=_ANSWER, use_cache=False).logits
        logits.float().logsumexp(-1).mean().backward()

    return work


def worked(kind: str, folder: Path, *, threads: int) -> None:
    """In a process of its own: `ready` when warm, then, at a line of input, a rate over
    that many seconds."""
    import torch

    torch.set_num_threads(threads)
    work = {"questions": questions, "samples": samples}[kind](folder)
    work()
    print("ready", flush=True)
    seconds = float(sys.stdin.readline())
    began, done = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        work()
        done += _ROWS
    print(done / (time.monotonic() - began), flush=True)


async def rates(
    kinds: tuple[str, ...], environment: dict[str, str], options: argparse.Namespace
) -> dict[str, float]:
    """What each kind does a second when these run side by side."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))
    }
    argv = [
        sys.executable,
        "-m",
        "benchmarks.sharing",
        "--weights",
        str(options.weights),
        "--threads",
        str(options.threads),
    ]
    children: list[ChildProcess] = []
    try:
        for kind in kinds:
            child = await start_child(
                [*argv, "--kind", kind],
                name=kind,
                env={**inherited, **environment},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            children.append(child)
        async with asyncio.timeout(_START_S + options.seconds * 3):
            for child in children:
                assert child.stdout is not None
                if await child.stdout.readline() != _READY:
                    raise RuntimeError(f"{child.name} did not begin")
            for child in children:
                assert child.stdin is not None
                child.stdin.write(f"{options.seconds}\n".encode())
            told = await asyncio.gather(*(child.communicate() for child in children))
        return {kind: float(out) for kind, (out, _) in zip(kinds, told, strict=True)}
    finally:
        for child in children:
            await child.terminate()


async def run(options: argparse.Namespace) -> None:
    ways: dict[str, dict[str, str]] = {"spinning": {}, "sleeping": dict(SHARED)}
    found: dict[str, dict[str, list[float]]] = {
        way: {f"{kind} {place}": [] for kind in KINDS for place in ("alone", "beside")}
        for way in ways
    }
    load = Load.now()
    for _ in range(options.rounds):
        for way, environment in ways.items():
            for kinds, place in (((KINDS[0],), "alone"), ((KINDS[1],), "alone"), (KINDS, "beside")):
                for kind, rate in (await rates(kinds, environment, options)).items():
                    found[way][f"{kind} {place}"].append(rate)
                    print(f"{way}: {kind} {place}: {rate:.3f} a second", file=sys.stderr)
    figures: dict[str, Any] = {
        way: {name: record.spread(values) for name, values in rows.items()}
        for way, rows in found.items()
    }
    figures["sleeping over spinning"] = {
        name: round(statistics.median(found["sleeping"][name]) / statistics.median(values), 3)
        for name, values in found["spinning"].items()
    }
    content = {
        **await record.head("sharing", n=options.rounds),
        "load": str(load),
        "seconds": options.seconds,
        "figures": figures,
    }
    print(
        f"written to {await asyncio.to_thread(record.write, 'sharing', content)}", file=sys.stderr
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--weights", type=Path, default=record.ROOT / "build" / "models" / "smollm2-135m"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kind", choices=KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.kind:
        worked(options.kind, options.weights, threads=options.threads)
    else:
        asyncio.run(run(options))


if __name__ == "__main__":
    main()
