"""What the scores of an outcome model come to. Pure.

Accuracy is the share about which the model and the rule agree, YES where P(YES) is over
one half. Brier's score is the mean of (P(YES) - outcome)²: 0 is right and sure, 0.25 is
what 0.5 of everything earns. ECE is the mean distance, over `BINS` bins of P(YES) as
wide as each other and weighted by their walks, between the mean of P(YES) and the share
of successes. AUC is the chance that a walk that succeeded is thought likelier than one
that did not; a tie counts half.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import record
from benchmarks.outcome_model.scores import Scored
from proofwalk.rl.outcome_model import is_success

BINS = 10
Figures = dict[str, Any]


def figures_of(rows: Sequence[Scored]) -> Figures:
    """All figures of a file's scores, and of two judges that read no procedure."""
    kinds = sorted({row.kind for row in rows})
    successes = sum(row.succeeded for row in rows)
    return {
        "accuracy": agreed(rows, model_says),
        "tasks": len({row.task for row in rows}),
        "successes": successes,
        "by_class": {
            kind: agreed([row for row in rows if row.kind == kind], model_says) for kind in kinds
        },
        "brier": round(brier(rows), 4),
        "ece": round(calibration_error(rows), 4),
        "auc": round(auc(rows), 4),
        "baseline": {
            "majority": record.share(max(successes, len(rows) - successes), len(rows)),
            "page": agreed(rows, lambda row: row.cue),
        },
    }


def model_says(row: Scored) -> bool:
    return is_success(row.probability)


def agreed(rows: Sequence[Scored], says: Callable[[Scored], bool]) -> Figures:
    """The share about which a judge says what the rule says, with Wilson's interval."""
    return record.share(sum(says(row) is row.succeeded for row in rows), len(rows))


def brier(rows: Sequence[Scored]) -> float:
    return sum((row.probability - row.succeeded) ** 2 for row in rows) / len(rows)


def calibration_error(rows: Sequence[Scored]) -> float:
    bins: list[list[Scored]] = [[] for _ in range(BINS)]
    for row in rows:
        bins[min(int(row.probability * BINS), BINS - 1)].append(row)
    distances = (
        abs(sum(row.probability for row in some) - sum(row.succeeded for row in some))
        for some in bins
    )
    return sum(distances) / len(rows)


def auc(rows: Sequence[Scored]) -> float:
    """0.5 where one of the two outcomes is not there."""
    lost = sorted(row.probability for row in rows if not row.succeeded)
    won = [row.probability for row in rows if row.succeeded]
    if not lost or not won:
        return 0.5
    below = sum(bisect.bisect_left(lost, one) + bisect.bisect_right(lost, one) for one in won)
    return below / (2 * len(lost) * len(won))
