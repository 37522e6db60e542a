"""Trains an outcome reward model where there is no installation: the trainer's SFT over
the file that `proofwalk data outcomes` wrote, from a base folder.

    python -m benchmarks.outcome_model.train --base DIR --samples train.parquet \\
        --out RUN --set learning_rate=1e-4

It writes `RUN/checkpoints/step-…`, `RUN/settings.json` and `RUN/metrics.jsonl`, as a
run of `proofwalk train` does, and goes on where it was. It needs torch, transformers,
pyarrow and pydantic, and none of the services.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

import yaml

from benchmarks.outcome_model.scores import load
from proofwalk.datasets.sample_files import read_samples
from proofwalk.kernel.clock import SystemClock
from proofwalk.rl.chat import tokenized
from proofwalk.rl.settings import SftSettings, settings_from
from proofwalk.rl.sft import run_sft

PRESET = "webrl-orm"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, required=True, help="a transformers folder")
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="the run's folder")
    parser.add_argument("--preset", default=PRESET)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    given = {
        name: yaml.safe_load(value)
        for name, _, value in (one.partition("=") for one in options.set)
    }
    settings = settings_from({"preset": options.preset, **given})
    if not isinstance(settings, SftSettings):
        parser.error(f"{options.preset} is no preset of sft")
    model, tokenizer = load(options.base)
    samples = [tokenized(tokenizer, one) for one in read_samples(options.samples)[1]]
    print(f"{len(samples)} samples, {sum(one.length for one in samples)} tokens", flush=True)
    ended = run_sft(
        model.train(),
        tokenizer,
        samples,
        settings,
        options.out,
        _tell,
        lambda: False,
        clock=SystemClock(),
    )
    print(ended.last)
    return 0


def _tell(step: int, values: Mapping[str, float]) -> None:
    print(json.dumps({**values, "step": step}), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
