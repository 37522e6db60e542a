"""What the results of many samples come to together. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from proofwalk.controller.wire import FinishedSample, Overall
from proofwalk.kernel.outcomes import OutcomeKind


def overall(samples: Sequence[FinishedSample]) -> Overall:
    """Means over the samples that have a score; those of the environment and those that
    were given up are counted apart."""
    ends = [one.result for one in samples if one.result is not None]
    scores = [end.score for end in ends if end.score is not None]
    verified = sum(
        end.outcome == OutcomeKind.VERIFIED.value for end in ends if end.score is not None
    )
    return Overall(
        total=len(samples),
        scored=len(scores),
        excluded=len(samples) - len(scores),
        success_rate=verified / len(scores) if scores else None,
        mean_score=sum(scores) / len(scores) if scores else None,
        statuses=dict(Counter(one.status for one in samples)),
    )
