"""`make bench-vllm MODEL=FOLDER`: the vLLM engine on vLLM itself, on this machine's
CPU.

It writes `benchmarks/results/vllm.json`:

- `contract_passed`, `contract_failed`: tests/inference/test_engines.py on a real
  server, with adapters and with full weights. A test that its server would not survive
  counts as failed, and is named.
- `agreement`: the greatest difference, in nats, between the log-probability that vLLM
  tells of a token that it sampled and that of the embedded engine for it; float32, tiny
  random weights, the base and full weights that took its place.
- `tokens_per_s`: of eight questions at once on MODEL (a folder as `proofwalk model
  fetch` writes it) in bfloat16, both engines in turn, medians; `ratio` is vLLM's to the
  embedded engine's. It shows plumbing, and nothing of a GPU."""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

from pydantic import SecretStr

from benchmarks import record
from proofwalk.inference.domain import Ask, Continuation, Weights
from proofwalk.inference.engines.embedded import open_embedded
from proofwalk.inference.engines.engine import Engine
from proofwalk.inference.engines.limits import Limits
from proofwalk.inference.engines.vllm import open_vllm
from tests.inference.real_vllm import PYTHON, real_vllm, vllm_serving

CONTRACT = "tests/inference/test_engines.py"
_PROMPT, _ANSWER, _AT_ONCE = 500, 64, 8
_CONTEXT = 2048
_TIMEOUT_S = 300.0
_CONTRACT_S = 900.0


async def contract(folder: Path) -> dict[str, Any]:
    """How many of the contract's tests a real server passed, and the others' names."""
    report = folder / "contract.xml"
    command = ["-m", "pytest", "-q", "-n", "0", "-m", "vllm", CONTRACT, f"--junitxml={report}"]
    process = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=record.ROOT)
    await asyncio.wait_for(process.wait(), _CONTRACT_S)
    cases = list(ElementTree.parse(report).iter("testcase"))  # written by pytest just now
    failed = [case.get("name", "") for case in cases if len(case)]
    return {
        "contract_passed": len(cases) - len(failed),
        "contract_failed": len(failed),
        "failed": sorted(failed),
    }


async def agreement(folder: Path) -> dict[str, Any]:
    """The greatest difference between the engines, and of how many tokens."""
    differences: list[float] = []
    limits = Limits()
    with real_vllm(folder, lora=False) as server:
        full = Weights(version="full", folder=server.other, digest="")
        async with (
            open_vllm(server.url, key=SecretStr(""), model="tiny", timeout_s=_TIMEOUT_S) as vllm,
            open_embedded(server.base, name="", dtype="float32", limits=limits) as embedded,
        ):
            for weights in (None, full):
                if weights is not None:
                    await vllm.load(weights)
                    await embedded.load(weights)
                for seed in range(8):
                    prompt = tuple(Random(seed).choices(range(32, 127), k=64))
                    found = await vllm.generate(
                        Ask(token_ids=prompt, max_tokens=32, seed=seed, n=4)
                    )
                    rows = [
                        Continuation(prompt=prompt, completion=sample.token_ids)
                        for sample in found.samples
                    ]
                    scored = (await embedded.score(rows)).logprobs
                    differences += [
                        abs(told - said)
                        for sample, row in zip(found.samples, scored, strict=True)
                        for told, said in zip(sample.logprobs, row, strict=True)
                    ]
    return {"agreement": max(differences), "agreement_tokens": len(differences)}


async def speed(model: Path, folder: Path, rounds: int) -> dict[str, Any]:
    """Tokens a second of both engines, in turn."""
    taken: dict[str, list[float]] = {"vllm": [], "embedded": []}
    limits = Limits()
    with vllm_serving(model, folder, dtype="bfloat16", context=_CONTEXT) as url:
        async with (
            open_vllm(url, key=SecretStr(""), model="tiny", timeout_s=_TIMEOUT_S) as vllm,
            open_embedded(model, name="", dtype="bfloat16", limits=limits) as embedded,
        ):
            for number in range(rounds + 1):
                for name, engine in (("vllm", vllm), ("embedded", embedded)):
                    rate = await _rate(engine, seed=number)
                    if number:  # the first warms up
                        taken[name].append(rate)
    ratios = [ours / theirs for ours, theirs in zip(*taken.values(), strict=True)]
    return {
        "tokens_per_s": record.spread(taken["vllm"]),
        "embedded_tokens_per_s": record.spread(taken["embedded"]),
        "ratio": statistics.median(ratios),
    }


async def _rate(engine: Engine, *, seed: int) -> float:
    random = Random(seed)  # prompts
    asks = [
        Ask(
            token_ids=tuple(random.choices(range(100, 10000), k=_PROMPT)),
            max_tokens=_ANSWER,
            seed=number,
        )
        for number in range(_AT_ONCE)
    ]
    began = time.perf_counter()
    found = await asyncio.gather(*(engine.generate(ask) for ask in asks))
    seconds = time.perf_counter() - began
    return sum(one.spent.tokens_out for one in found) / seconds


async def run(options: argparse.Namespace) -> None:
    head = await record.head("vllm", n=options.rounds)
    with tempfile.TemporaryDirectory() as temporary:
        parts = [Path(temporary) / name for name in ("contract", "agreement", "speed")]
        for part in parts:
            part.mkdir()
        figures = await contract(parts[0])
        figures |= await agreement(parts[1])
        figures |= await speed(options.model.absolute(), parts[2], options.rounds)
    print(figures)
    print(f"Written: {record.write('vllm', {**head, 'figures': figures})}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.vllm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", type=Path, help="folder of a model")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    if PYTHON not in os.environ:
        parser.error(f"{PYTHON} has to name a Python with vLLM: make bench-vllm sets it")
    asyncio.run(run(options))


if __name__ == "__main__":
    main()
