"""What the runs of the policies that do no work came to. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proofwalk.suites.counting.rows import DEFECT, SUSPECTED, Row


def figures_of(by_mode: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Runs, and how many of them ended `verified` or `doc_defect`, in all, by policy
    and by mode; every such run is named.

    What the environment failed is counted apart. `suspected` is a finding that has one
    witness, or none.
    """
    rows = [row for rows in by_mode.values() for row in rows if row.final]
    policies = dict.fromkeys(row.policy for row in rows)
    return {
        **_part(rows),
        "ended": dict(Counter(row.failure or row.outcome for row in rows).most_common()),
        "by_policy": {name: _part(row for row in rows if row.policy == name) for name in policies},
        "by_mode": {
            mode: _part(row for row in some if row.final) for mode, some in by_mode.items()
        },
        "believed": [
            {
                "mode": mode,
                "policy": row.policy,
                "task": row.task,
                "ended": row.outcome,
                "code": row.code,
                "reason": row.reason,
            }
            for mode, some in by_mode.items()
            for row in some
            if row.passed or row.outcome == DEFECT
        ],
        "environment": {"lost": sum(not row.final for some in by_mode.values() for row in some)},
    }


def _part(rows: Iterable[Row]) -> dict[str, int]:
    outcomes = Counter("verified" if row.passed else row.outcome for row in rows)
    return {
        "runs": outcomes.total(),
        "verified": outcomes["verified"],
        "doc_defect": outcomes[DEFECT],
        "suspected": outcomes[SUSPECTED],
    }
