"""`make bench-orm`: an outcome reward model on walks whose tasks it has not learned
from.

The questions and answers are those that `proofwalk data outcomes` held out: a rule over
the walk's own audit events knows each answer. Measured are accuracy, by class too,
calibration and AUC; beside it, in the same run, the majority's answer and a cue that
reads the page alone, and with `--base` the model before it was trained.

`--model DIR --held-out FILE` asks a checkpoint, on CUDA where there is one. `--scores
FILE` keeps its answers, and without `--model` reads them, so that the asking and the
counting may be on two machines. It writes `benchmarks/results/orm.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from benchmarks import record
from benchmarks.outcome_model.figures import Figures, agreed, auc, figures_of, model_says
from benchmarks.outcome_model.scores import Scores, read_scores, scored, write_scores


async def result_of(scores: Scores, base: Scores | None) -> Figures:
    """The whole result."""
    figures = figures_of(scores.rows)
    if base is not None:
        figures["baseline"]["untrained"] = {
            **agreed(base.rows, model_says),
            "auc": round(auc(base.rows), 4),
        }
    return {
        **await record.head("orm", n=len(scores.rows)),
        "model": scores.model,
        "device": scores.device,
        "seconds": scores.seconds,
        "figures": figures,
    }


def scores_of(model: Path | None, kept: Path | None, options: argparse.Namespace) -> Scores | None:
    """A model's scores, asked for and kept, or read; None where there is neither."""
    if model is None:
        return read_scores(kept) if kept is not None and kept.is_file() else None
    found = scored(model, options.held_out, microbatch_tokens=options.microbatch_tokens)
    if kept is not None:
        write_scores(kept, found)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, help="a checkpoint's folder")
    parser.add_argument("--base", type=Path, help="the folder that it was trained from")
    parser.add_argument("--held-out", type=Path, help="the questions that were held out")
    parser.add_argument("--scores", type=Path, help="file of the model's answers")
    parser.add_argument("--base-scores", type=Path, help="the same of --base")
    parser.add_argument("--microbatch-tokens", type=int, default=16_384)
    parser.add_argument("--scores-only", action="store_true", help="write no result")
    options = parser.parse_args()
    if (options.model or options.base) and options.held_out is None:
        parser.error("--model and --base need --held-out")
    scores = scores_of(options.model, options.scores, options)
    base = scores_of(options.base, options.base_scores, options)
    if scores is None:
        parser.error("give --model DIR --held-out FILE, or --scores FILE of an earlier call")
    if options.scores_only:
        print(json.dumps(figures_of(scores.rows), indent=2))
        return 0
    content = asyncio.run(result_of(scores, base))
    print(json.dumps(content["figures"], indent=2))
    print(record.write("orm", content))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
