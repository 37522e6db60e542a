"""`python -m benchmarks.layouts SAMPLES PAIRS`: what a small model learns from the same
steps, laid out in three ways.

    restated    <button> OK [2]      {"thought":"I click “OK”. → OK [2]","action":{"type":"click","id":2}}      the compact layout
    name_first  <button> OK [2]      {"thought":"I click “OK”.","action":{"type":"click","id":2}}
    mark_first  [2] <button> OK      {"thought":"I click “OK”.","action":{"type":"click","id":2}}

The samples are a collection's, in the compact layout (`agent.policies.llm.compact`),
and are rewritten as text; nothing else differs: the same base, steps, order and
settings. Then the same single decisions are asked (`benchmarks.single_step`), rewritten
in the same way, once, at temperature 0.

A difference between two layouts is the mean over documents of the difference of their
shares of right decisions, with a bootstrap over documents: a document's decisions are
alike. The file is written after each layout. Each is trained in a process of its own,
whose memory goes with it, and kept in a folder: what was trained there before is not
trained again, and other samples or settings in it are refused.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import record
from benchmarks.record import Load
from benchmarks.single_step import measured
from proofwalk.agent.policies.llm.compact import unrestated
from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.sample_files import read_samples
from proofwalk.datasets.singlestep import Pair, Score, read_pairs
from proofwalk.kernel.clock import SystemClock
from proofwalk.rl.chat import tokenized
from proofwalk.rl.run_files import read_metrics
from proofwalk.rl.settings import SftSettings
from proofwalk.rl.sft import run_sft
from proofwalk.suites.counting.statistics import mean, paired_bootstrap

_ELEMENT = re.compile(r"^(<\w+>) (.*?) (\[\d+\])", re.MULTILINE)
_SYSTEM_TARGET = "what comes next → name [mark]"
_SYSTEM_ELEMENT = "`<role> name [mark]`"
LAYOUTS = ("restated", "name_first", "mark_first")


def question(text: str, layout: str) -> str:
    """A message of a question in another layout."""
    if layout == "restated":
        return text
    text = text.replace(_SYSTEM_TARGET, "what comes next")
    if layout == "mark_first":
        text = _ELEMENT.sub(r"\3 \1 \2", text.replace(_SYSTEM_ELEMENT, "`[mark] <role> name`"))
    return text


def answer(text: str, layout: str) -> str:
    """An answer in another layout: the action is the same, the thought restates its
    target or does not."""
    if layout == "restated":
        return text
    told = json.loads(text)
    told["thought"] = unrestated(told["thought"])
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def laid_out(sample: ChatSample, layout: str) -> ChatSample:
    messages = tuple(replace(one, text=question(one.text, layout)) for one in sample.messages)
    return replace(sample, messages=messages, answer=answer(sample.answer, layout))


def trained(
    samples: Sequence[ChatSample], base: Path, folder: Path, settings: SftSettings, *, threads: int
) -> dict[str, Any]:
    """SFT of the base on the samples; the end of its curve, and the folder of its
    weights."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(threads)
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    rows = [tokenized(tokenizer, sample) for sample in samples]

    def note(step: int, values: Mapping[str, float]) -> None:
        print(f"{folder.name}: step {step}: loss {values['loss']:.4f}", file=sys.stderr)

    done = run_sft(
        model, tokenizer, rows, settings, folder, note, lambda: False, clock=SystemClock()
    )
    return {
        "weights": str(done.last),
        "last_losses": [
            round(values["loss"], 4) for values in read_metrics(folder / "metrics.jsonl")[-5:]
        ],
        "tokens_in": round(sum(len(row.prompt) for row in rows) / len(rows), 1),
        "tokens_out": round(sum(len(row.completion) for row in rows) / len(rows), 1),
    }


def shares(pairs: Sequence[Pair], scores: Sequence[Sequence[Score]]) -> dict[str, float]:
    """Of each document, the share of answers that are right."""
    found: dict[str, list[float]] = defaultdict(list)
    for pair, answers in zip(pairs, scores, strict=True):
        found[pair.sample.task_digest] += [float(one.right) for one in answers]
    return {task: mean(rights) for task, rights in found.items()}


def compared(shares: Mapping[str, Mapping[str, float]], *, seed: int) -> dict[str, Any]:
    """Each two layouts' difference in points over the same documents, first minus
    second."""
    found = {}
    for one, other in combinations(shares, 2):
        points = [100 * (share - shares[other][task]) for task, share in shares[one].items()]
        difference = paired_bootstrap(points, chance=Random(seed))  # repeatable on purpose
        found[f"{one} - {other}"] = {
            name: round(value, 4) for name, value in asdict(difference).items()
        }
    return found


async def run(options: argparse.Namespace) -> None:
    _, samples = await asyncio.to_thread(read_samples, options.samples)
    _, pairs = await asyncio.to_thread(read_pairs, options.pairs)
    chosen: list[Pair] = pairs[: options.decisions]
    settings = SftSettings(
        steps=options.steps,
        batch_size=8,
        learning_rate=1.5e-4,
        schedule="cosine",
        warmup_share=0.05,
        precision="auto",
        microbatch_tokens=6144,
        share_prefix=True,
        validate_every=options.steps,
        seed=options.seed,
    )
    load = Load.now()
    content: dict[str, Any] = {
        **await record.head("layouts", n=len(chosen)),
        "load": str(load),
        "updates": options.steps,
        "samples": len(samples),
        "seed": options.seed,
        "figures": {},
    }
    found: dict[str, dict[str, float]] = {}
    for layout in options.layout or LAYOUTS:
        rows = [laid_out(sample, layout) for sample in samples]
        asked = [replace(pair, sample=laid_out(pair.sample, layout)) for pair in chosen]
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            train = partial(
                trained,
                rows,
                options.base,
                options.folder / layout,
                settings,
                threads=options.threads,
            )
            learned = await asyncio.get_running_loop().run_in_executor(process, train)
        weights = Path(learned.pop("weights"))
        figures, scores = await measured(layout, weights, asked, options)
        content["figures"][layout] = {"training": learned, **figures}
        found[layout] = shares(chosen, scores)
        content["documents"] = len(found[layout])
        content["differences"] = compared(found, seed=options.seed)
        print(
            f"{layout}: written to {await asyncio.to_thread(record.write, 'layouts', content)}",
            file=sys.stderr,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "samples",
        type=Path,
        help=(
            "samples.parquet of `proofwalk data samples` or `proofwalk learn`, in the compact"
            " layout"
        ),
    )
    parser.add_argument("pairs", type=Path, help="of `proofwalk data single-step --layout compact`")
    parser.add_argument(
        "--base", type=Path, default=record.ROOT / "build" / "models" / "smollm2-135m"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=record.ROOT / "build" / "bench-layouts",
        help="where the trained models are kept",
    )
    parser.add_argument(
        "--layout", action="append", choices=LAYOUTS, help="this one alone; may be given again"
    )
    parser.add_argument("--steps", type=int, default=100, help="updates of eight samples each")
    parser.add_argument("--decisions", type=int, default=400)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.set_defaults(runs=1, temperature=0.0, max_tokens=96)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
