"""Rows of a mode as figures, and modes that are over on disk."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.determinism.walking import Done, Mode
from proofwalk.kernel.json_values import list_of
from proofwalk.suites.counting.rows import ENVIRONMENT, VERIFIED, Row, read_row, row_json

_PRECONDITION = "precondition"
"""A walk that failed, and that lacked something which the script names."""
_RULE = "rule"
"""A walk on what was made on request, which the whole rule does not confirm."""
_HOUR_S = 3600.0
_LONGEST = 300
"""Characters of a reason."""


def outcome_of(row: Row) -> str:
    """`verified`, or of what class the failure is; what the environment failed is told
    as that, whatever was lacking."""
    if row.passed:
        return VERIFIED if row.extra.get("confirmed", True) else _RULE
    if row.outcome != ENVIRONMENT and list_of(row.extra.get("lacks")):
        return _PRECONDITION
    return row.failure


def figures_of(done: Done) -> dict[str, Any]:
    """One mode's."""
    outcomes = Counter(outcome_of(row) for row in done.rows)
    figures: dict[str, Any] = {
        "commit": done.commit,
        "n": len(done.rows),
        "success": record.share(outcomes[VERIFIED], len(done.rows)),
        "tasks_per_hour": round(len(done.rows) / done.seconds * _HOUR_S, 1),
        "verified_per_hour": round(outcomes[VERIFIED] / done.seconds * _HOUR_S, 1),
        "dirty": sum(done.left.values()),
        "left": dict(sorted(done.left.items())),
        "parallel": done.parallel,
        "seconds": round(done.seconds, 1),
        "seconds_a_task": record.spread([row.seconds for row in done.rows]),
        "outcomes": dict(outcomes.most_common()),
        "load": done.load,
        "environment_retries": sum(row.retried for row in done.rows),
    }
    figures["failures"] = [
        {"task": row.task, "outcome": outcome_of(row), "reason": row.reason[:_LONGEST]}
        for row in done.rows
        if outcome_of(row) not in (VERIFIED, _PRECONDITION)
    ]
    if done.mode in (Mode.META, Mode.ON_DEMAND):
        figures["with_record"] = _share([row for row in done.rows if row.extra["record"]])
        figures["without_record"] = _share([row for row in done.rows if not row.extra["record"]])
    if done.mode is Mode.ON_DEMAND:
        asked = [row for row in done.rows if "reports" in row.extra]
        figures["asked"] = len(asked)
        figures["met"] = sum(not list_of(row.extra["lacks"]) for row in asked)
    return figures


def _share(rows: Sequence[Row]) -> dict[str, Any]:
    verified = sum(outcome_of(row) == VERIFIED for row in rows)
    return {"n": len(rows), **record.share(verified, len(rows))}


def keep(journal: Path, done: Done) -> None:
    """Add a mode."""
    journal.parent.mkdir(parents=True, exist_ok=True)
    members = {
        "mode": done.mode,
        "seconds": done.seconds,
        "parallel": done.parallel,
        "load": done.load,
        "left": dict(done.left),
        "rows": [row_json(row) for row in done.rows],
    }
    with journal.open("a", encoding="utf-8") as file:
        file.write(json.dumps(members, ensure_ascii=False) + "\n")


def read(journal: Path) -> dict[Mode, Done]:
    """The modes that were kept; the file's name begins with the commit."""
    if not journal.is_file():
        return {}
    lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    return {
        Mode(line["mode"]): Done(
            mode=Mode(line["mode"]),
            seconds=line["seconds"],
            parallel=line["parallel"],
            load=line["load"],
            left=line["left"],
            rows=[read_row(row) for row in line["rows"]],
            commit=journal.name.partition(".")[0],
        )
        for line in lines
    }
