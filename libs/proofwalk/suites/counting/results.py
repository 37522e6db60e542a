"""What runs of a suite came to, as figures over their rows (`rows`).

A run that the environment failed, and one that ended unproven or suspected, says
nothing: each is counted apart and is in no other figure. `figures_of` gives what a
suite of tasks is measured by (pass@1, pass@k, false alarms, by difficulty, product and
language, classes of failure); `drift_figures_of` what a suite of documents with planted
defects is (precision, recall, right sentence). Results are JSON; `read_result` refuses
what is none.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.outcomes import Goal
from proofwalk.kernel.reward import DocumentTruth
from proofwalk.suites.counting.rows import DEFECT, SUSPECTED, UNPROVEN, Found, Row, read_row
from proofwalk.suites.counting.statistics import (
    Estimate,
    deviation,
    mean,
    pass_at_k,
    share_of_tasks,
    wilson,
)
from proofwalk.suites.model import Task
from proofwalk.suites.writing.planted import FINDINGS


def figures_of(rows: Sequence[Row], *, k: int) -> dict[str, Any]:
    """The figures of a suite of tasks, over `k` runs of each."""
    told = [row for row in rows if row.told]
    by_task = _grouped(told, lambda row: row.task)
    by_run = _grouped(told, lambda row: str(row.run))
    rates = [_rate(group) for group in by_run.values()]
    enough = [group for group in by_task.values() if len(group) >= k]
    ended = [row for row in rows if row.final]
    return {
        "pass1_mean": _rounded(mean(rates)) if rates else None,
        "pass1_std": _rounded(deviation(rates)),
        f"pass{k}": (
            _rounded(mean([pass_at_k(len(group), _passes(group), k) for group in enough]))
            if enough
            else None
        ),
        # Findings of one witness and unproven walks are no success, whatever they are
        # excluded from.
        "pass1_of_all_ended": _rounded(_rate(ended)) if ended else None,
        "standard": _slice([row for row in told if row.difficulty == "standard"], k),
        "hard": _slice([row for row in told if row.difficulty == "hard"], k),
        "by_product": {
            name: _slice(group, k)
            for name, group in sorted(_grouped(told, lambda row: row.product).items())
        },
        "by_language": {
            name: _slice(group, k)
            for name, group in sorted(_grouped(told, lambda row: row.language).items())
        },
        "failures": dict(Counter(row.failure for row in told if not row.passed).most_common()),
        "unproven": _apart(rows, UNPROVEN),
        "suspected": _apart(rows, SUSPECTED),
        "goal_reached": _rounded(mean([row.goal == Goal.YES for row in ended])) if ended else None,
        "false_alarms": false_alarms(ended),
        "told_of_changed_consoles": _told_of_changes(ended),
        "second_sighting": _spread([row.second_sighting for row in rows if row.second_sighting]),
        "environment": _environment(rows),
        "steps": _spread([float(row.steps) for row in told]),
        "seconds": _spread([row.seconds for row in told]),
        "cost": round(sum(row.cost for row in rows), 6),
        "tasks": len(by_task),
        "runs": len(told),
    }


def false_alarms(ended: Sequence[Row]) -> dict[str, Any]:
    """Runs of right documents in English that ended with the word that the document is
    wrong, of all that the environment did not fail, with Wilson's interval over runs;
    those of one task are alike, so that it is rather too narrow."""
    english = [row for row in ended if row.language == "en"]
    hits = sum(row.outcome == DEFECT for row in english)
    return _shown(wilson(hits, len(english)), hits=hits, of=len(english))


def _told_of_changes(ended: Sequence[Row]) -> dict[str, Any]:
    """Runs in English that say that something is not as the document has it: on
    consoles that a scenario has changed, where it may be so, and on others, where it is
    not. Those that ended with it are false alarms too, on both."""
    english = [row for row in ended if row.language == "en"]
    changed, unchanged = ([row for row in english if row.changed is way] for way in (True, False))
    return {
        name: {"runs": sum(bool(row.found) for row in rows), "of": len(rows)}
        for name, rows in (("changed", changed), ("unchanged", unchanged))
    }


def _slice(rows: Sequence[Row], k: int) -> dict[str, Any]:
    groups = list(_grouped(rows, lambda row: row.task).values())
    bounds = share_of_tasks([(_passes(group), len(group)) for group in groups], chance=Random(0))  # noqa: S311  # the same each time
    enough = [group for group in groups if len(group) >= k]
    return {
        "pass1": _rounded(_rate(rows)) if rows else None,
        **({"low": _rounded(bounds.low), "high": _rounded(bounds.high)} if bounds else {}),
        f"pass{k}": (
            _rounded(mean([pass_at_k(len(group), _passes(group), k) for group in enough]))
            if enough
            else None
        ),
        "tasks": len(groups),
    }


def _environment(rows: Sequence[Row]) -> dict[str, Any]:
    untold = [row for row in rows if not row.final]
    return {
        "runs_lost": len(untold),
        "retries": sum(row.retried for row in rows),
        "causes": dict(Counter(row.failure for row in untold)),
    }


def _is_planted(row: Row, tasks: Mapping[str, Task]) -> bool:
    return row.task in tasks and tasks[row.task].expected is not None


def _apart(rows: Sequence[Row], outcome: str) -> dict[str, Any]:
    """Runs that ended so, which no other figure counts, by code."""
    found = [row for row in rows if row.outcome == outcome]
    return {"runs": len(found), "causes": dict(Counter(row.failure for row in found))}


def drift_figures_of(rows: Sequence[Row], tasks: Mapping[str, Task]) -> dict[str, Any]:
    """Precision, recall and right sentence of a suite with planted defects, each with
    its interval, and by kind of defect.

    A report on a faithful document is a false one; of the true reports, the share that
    names the planted sentence is *right sentence*.
    """
    told = [row for row in rows if row.told and row.task in tasks]
    reported = [row for row in told if row.reports]
    planted = [row for row in told if tasks[row.task].expected is not None]
    true = [row for row in reported if tasks[row.task].expected is not None]
    right = [row for row in true if names_sentence(row, tasks[row.task])]
    kinds: dict[str, list[Row]] = _grouped(planted, lambda row: _kind(tasks[row.task]))
    return {
        "precision": _estimate(_groups(reported, lambda row: row in true)),
        "recall": _estimate(_groups(planted, lambda row: row.reports)),
        "right_sentence": _estimate(_groups(true, lambda row: row in right)),
        "by_kind": {
            kind: {
                "recall": _estimate(_groups(group, lambda row: row.reports)),
                "right_sentence": _estimate(
                    _groups([row for row in group if row in true], lambda row: row in right)
                ),
                "right_kind": _estimate(
                    _groups(
                        [row for row in group if row in true],
                        lambda row: names_kind(row, tasks[row.task]),
                    )
                ),
                "tasks": len({row.task for row in group}),
            }
            for kind, group in sorted(kinds.items())
        },
        "faithful": {
            "false_reports": sum(row.reports for row in told if tasks[row.task].expected is None),
            "verified": sum(row.passed for row in told if tasks[row.task].expected is None),
            "runs": sum(tasks[row.task].expected is None for row in told),
        },
        "failures": dict(Counter(row.failure for row in told if not row.passed).most_common()),
        "unproven": _apart(rows, UNPROVEN),
        "suspected": {
            **_apart(rows, SUSPECTED),
            "planted": sum(row.outcome == SUSPECTED and _is_planted(row, tasks) for row in rows),
            "faithful": sum(
                row.outcome == SUSPECTED and not _is_planted(row, tasks) for row in rows
            ),
        },
        "second_sighting": _spread([row.second_sighting for row in rows if row.second_sighting]),
        "environment": _environment(rows),
        "steps": _spread([float(row.steps) for row in told]),
        "tasks": len({row.task for row in told}),
        "runs": len(told),
    }


def _kind(task: Task) -> str:
    return task.expected.kind if task.expected is not None else ""


def names_sentence(row: Row, task: Task) -> bool:
    """Whether a report names the planted sentence: its line, or its words."""
    return any(_names(found, task) for found in row.found)


def _names(found: Found, task: Task) -> bool:
    if task.expected is None:
        return False
    if found.line == task.expected.line:
        return True
    said, wanted = _plain(found.sentence), _plain(task.expected.sentence)
    return bool(said) and (said in wanted or wanted in said)


def names_kind(row: Row, task: Task) -> bool:
    """Whether a report's kind is one by which the planted defect is rightly called."""
    if task.expected is None:
        return False
    right = FINDINGS.get(task.expected.kind, {task.expected.kind})
    return any(found.kind in right for found in row.found)


def truth_of(row: Row, task: Task) -> DocumentTruth:
    """What the suite knows of the document, and whether the run's report names it."""
    if task.expected is None:
        return DocumentTruth.RIGHT
    named = names_sentence(row, task) and names_kind(row, task)
    return DocumentTruth.WRONG_AS_REPORTED if named else DocumentTruth.WRONG


def _plain(sentence: str) -> str:
    """The sentence without markup, quotes and spacing."""
    return re.sub(r"[\W_]+", "", sentence.casefold())


def _groups(rows: Iterable[Row], good: Any) -> list[tuple[int, int]]:
    grouped = _grouped(rows, lambda row: row.task)
    return [(sum(bool(good(row)) for row in group), len(group)) for group in grouped.values()]


def _estimate(groups: Sequence[tuple[int, int]]) -> dict[str, Any]:
    found: Estimate | None = share_of_tasks(groups, chance=Random(0))  # noqa: S311  # the same each time
    return _shown(
        found, hits=sum(hits for hits, _ in groups), of=sum(trials for _, trials in groups)
    )


def _shown(found: Estimate | None, *, hits: int, of: int) -> dict[str, Any]:
    counts = {"of": of, "hits": hits}
    if found is None:
        return {"value": None, "low": None, "high": None, **counts}
    return {
        "value": _rounded(found.value),
        "low": _rounded(found.low),
        "high": _rounded(found.high),
        **counts,
    }


def _grouped(rows: Iterable[Row], key: Any) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return dict(found)


def _passes(rows: Iterable[Row]) -> int:
    return sum(row.passed for row in rows)


def _rate(rows: Sequence[Row]) -> float:
    return _passes(rows) / len(rows)


def _rounded(value: float) -> float:
    return round(value, 4)


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)
    return {
        "mean": round(mean(values), 2),
        "median": ordered[len(ordered) // 2],
        "max": ordered[-1],
    }


def read_result(text: str, *, name: str) -> tuple[dict[str, Any], list[Row]]:
    """A result file and its rows. Raises `bench.bad_result`."""
    try:
        document = json.loads(text)
        return document, [read_row(members) for members in document["rows"]]
    except (ValueError, TypeError, KeyError) as error:
        raise _bad(name, str(error)) from None


def _bad(name: str, why: str) -> ProofwalkError:
    return invalid(
        "bench.bad_result",
        f"{name} is no result with rows: {why}",
        hint="name files that `proofwalk bench run` wrote",
    )
