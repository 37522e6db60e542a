"""`python -m benchmarks.single_step PAIRS --model NAME=FOLDER …`: single decisions of
models, each asked three times (AliyunConsoleAgent §6.1).

PAIRS is what `proofwalk data single-step` draws from walks that are not trained on: a
question as inference asks it, and every action that is right there
(`rl.datasets.singlestep`). The embedded engine answers under the constraint that walks
have, at the temperature that is said; an answer that was cut off counts as unreadable.
Models are asked one after the other, the same questions with the same seeds, and the
file is written after each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks import record
from benchmarks.record import Load
from proofwalk.agent.policies.llm.answers import answer_schema
from proofwalk.datasets.singlestep import Pair, Score, accuracy, read_pairs, score
from proofwalk.inference.domain import Ask
from proofwalk.inference.engines.embedded import EmbeddedEngine, open_embedded
from proofwalk.inference.engines.limits import Limits
from proofwalk.models.client import Message

_AT_ONCE = 6
"""Questions that the engine is given together."""


async def answered(
    engine: EmbeddedEngine, pair: Pair, *, runs: int, temperature: float, max_tokens: int, seed: int
) -> list[Score]:
    """The scores of `runs` answers to one question."""
    messages = tuple(
        Message(role=cast(Any, one.role), text=one.text) for one in pair.sample.messages
    )
    ask = Ask(
        messages=messages,
        schema=json.dumps(answer_schema("normal")),
        n=runs,
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
    )
    return [score(pair, one.text) for one in (await engine.generate(ask)).samples]


async def measured(
    name: str, folder: Path, pairs: Sequence[Pair], options: argparse.Namespace
) -> tuple[dict[str, Any], list[list[Score]]]:
    """One model's figures, and each pair's scores in the order of `pairs`."""
    began, cpu = time.monotonic(), time.process_time()
    turns = asyncio.Semaphore(_AT_ONCE)
    limits = Limits(rows=_AT_ONCE * options.runs, threads=options.threads, prefix_tokens=16_384)
    done = 0

    async with open_embedded(folder, name=name, dtype="auto", limits=limits) as engine:

        async def one(number: int, pair: Pair) -> list[Score]:
            nonlocal done
            async with turns:
                found = await answered(
                    engine,
                    pair,
                    runs=options.runs,
                    temperature=options.temperature,
                    max_tokens=options.max_tokens,
                    seed=options.seed + number,
                )
            done += 1
            if done % 50 == 0:
                print(f"{name}: {done} of {len(pairs)}", file=sys.stderr)
            return found

        scores = await asyncio.gather(*(one(number, pair) for number, pair in enumerate(pairs)))
        version = engine.base.version
    figures = accuracy(pairs, list(zip(*scores, strict=True)))
    told = {
        **figures,
        "version": version,
        "seconds": round(time.monotonic() - began, 1),
        "processor_s": round(time.process_time() - cpu, 1),
    }
    return told, scores


async def run(options: argparse.Namespace) -> None:
    head, pairs = await asyncio.to_thread(read_pairs, options.pairs)
    load = Load.now()
    content = {
        **await record.head("single-step", n=len(pairs)),
        "load": str(load),
        "pairs": {**head, "several_right": sum(len(pair.right) > 1 for pair in pairs)},
        "asked": {
            "runs": options.runs,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "seed": options.seed,
        },
        "figures": {},
    }
    for name, folder in options.model:
        content["figures"][name], _ = await measured(name, Path(folder), pairs, options)
        print(
            f"{name}: written to {await asyncio.to_thread(record.write, 'single-step', content)}",
            file=sys.stderr,
        )


def _named(text: str) -> tuple[str, str]:
    name, _, folder = text.partition("=")
    if not name or not folder:
        raise argparse.ArgumentTypeError("NAME=FOLDER")
    return name, folder


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", type=Path)
    parser.add_argument(
        "--model", type=_named, action="append", required=True, metavar="NAME=FOLDER"
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
