"""What an exploration came to: states seen over rounds, operations by kind, the
verified share; as JSON (`exploration.json`) and for the statistics page.

Rounds that the environment failed are counted apart and are in no share.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proofwalk.charts.curves import curve
from proofwalk.charts.drawing import Chart
from proofwalk.datasets.exploration.coverage import Coverage
from proofwalk.datasets.exploration.journal import Record
from proofwalk.datasets.exploration.operations import Operation
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject, int_of, list_of, number_of
from proofwalk.suites.counting.rows import Row

FILE = "exploration.json"


def figures_of(
    records: Sequence[Record], rows: Mapping[str, Row], coverage: Coverage, *, lost: Sequence[str]
) -> dict[str, Any]:
    """The figures. `rows` by task; `lost` names the tasks that the environment
    failed."""
    told = [one for one in records if one.task in rows and one.task not in lost]
    verified = {one.task for one in told if rows[one.task].passed}
    labels = list(coverage.labels.values())
    return {
        "rounds": len(told),
        "verified": len(verified),
        "verified_share": round(len(verified) / len(told), 4) if told else None,
        "operations": {
            kind.value: _shares(told, verified, "operation", kind.value) for kind in Operation
        },
        "products": {
            name: _shares(told, verified, "product", name)
            for name in sorted({one.product for one in records})
        },
        "outcomes": dict(Counter(rows[one.task].outcome for one in told).most_common()),
        "lost_to_environment": len(lost),
        "without_proposal": sum(not one.task for one in records),
        "answers_refused": sum(len(one.refused) for one in records),
        "states": len(coverage.states),
        "labels": {"seen": len(labels), "used": sum(bool(one.used) for one in labels)},
        "curve": [[point.round, point.states] for point in coverage.curve],
        "cost": {
            "proposals": round(sum(one.cost for one in records), 6),
            "walks": round(sum(row.cost for row in rows.values()), 6),
            "tokens_in": sum(one.tokens_in for one in records),
            "tokens_out": sum(one.tokens_out for one in records),
        },
    }


def _shares(told: Sequence[Record], verified: set[str], member: str, value: str) -> dict[str, int]:
    those = [one.task for one in told if getattr(one, member) == value]
    return {"walked": len(those), "verified": sum(task in verified for task in those)}


def read_figures(folder: Path) -> dict[str, Any] | None:
    """A folder's figures; None where nothing was explored. Raises
    `data.bad_exploration`."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise invalid(
            "data.bad_exploration",
            f"{path} cannot be read: {error}",
            hint="run: proofwalk data explore --out DIR",
        ) from error


def states_seen(figures: JsonObject) -> Chart | None:
    """How many states of the console were known after each round."""
    return curve(
        "States seen, by round",
        [(int_of(at), number_of(states)) for at, states in map(list_of, list_of(figures["curve"]))],
    )
