"""The page of a result: figures, charts, and a table of tasks. One file that opens
offline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proofwalk.charts.bars import Bar, bars, histogram
from proofwalk.charts.drawing import Chart
from proofwalk.charts.pages import rendered
from proofwalk.kernel.json_values import (
    JsonObject,
    JsonValue,
    int_of,
    number_of,
    number_or_none,
    object_of,
)
from proofwalk.suites.counting.rows import Row

_Facts = Sequence[tuple[str, str]]
_Charts = Sequence[Chart | None]
_TEMPLATE = Path(__file__).with_name("page.html.j2")


def render(result: JsonObject, rows: Sequence[Row]) -> str:
    """The page of a result file. Raises `charts.not_installed`."""
    figures = object_of(result["figures"])
    told = [row for row in rows if row.told]
    failures = object_of(figures["failures"])
    facts, shares = _drift(figures) if "precision" in figures else _tasks(figures)
    return rendered(
        _TEMPLATE,
        heading=f"{result['suite']} · {result['policy']} · {result['level']}",
        origin=_origin(result),
        facts=facts,
        shares=shares,
        spreads=[
            bars(
                "Classes of failure",
                _counts(failures),
                most=max([1, *map(int_of, failures.values())]),
                percent=False,
            ),
            histogram("Steps of a run", [float(row.steps) for row in told]),
            histogram("Seconds of a run", [row.seconds for row in told], unit=" s"),
        ],
        tasks=_table(rows),
    )


def _origin(result: JsonObject) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in object_of(result["machine"]).items())
    what = f"{result['runs']} runs of {result['n']} tasks; suite version {result['suite_version']}"
    return f"{what}; commit {result['commit']}; {result['taken_at']}; {machine}"


def _tasks(figures: JsonObject) -> tuple[_Facts, _Charts]:
    k = next(
        (
            name
            for name in figures
            if name.startswith("pass") and name.removeprefix("pass").isdigit()
        ),
        "pass1",
    )
    lines = [
        ("pass@1", f"{_percent(figures['pass1_mean'])} ± {_percent(figures['pass1_std'])}"),
        (f"pass@{k.removeprefix('pass')}", _percent(figures.get(k))),
        *_alarms(figures),
        ("runs that ended unproven", _runs(figures, "unproven")),
        ("findings that one episode alone saw", _runs(figures, "suspected")),
        ("runs lost to the environment", _lost(figures)),
        ("cost", f"{number_of(figures['cost']):g}"),
    ]
    slices = [(name, object_of(figures[name])) for name in ("standard", "hard")]
    return lines, [
        bars(
            "Standard and hard tasks, pass@1",
            [_slice(name, part) for name, part in slices if part["tasks"]],
        ),
        bars(
            "By product, pass@1",
            [_slice(name, part) for name, part in _parts(figures, "by_product")],
        ),
        bars(
            "By language, pass@1",
            [_slice(name, part) for name, part in _parts(figures, "by_language")],
        ),
    ]


def _alarms(figures: JsonObject) -> list[tuple[str, str]]:
    """How often the author of a right document is told that it is wrong; results of
    earlier releases do not say."""
    lines = []
    found = object_of(figures.get("false_alarms"))
    if found:
        bounds = f" ({_percent(found['low'])} to {_percent(found['high'])})" if found["of"] else ""
        lines.append(
            (
                "false alarms, English",
                f"{_percent(found['value'])}{bounds}, {found['hits']} of {found['of']} runs",
            )
        )
    if figures.get("goal_reached") is not None:
        lines.append(
            ("goal reached by the log, of all that ended", _percent(figures["goal_reached"]))
        )
    if "suspected" in figures:
        lines.append(("runs that ended with a suspicion", _runs(figures, "suspected")))
    return lines


def _drift(figures: JsonObject) -> tuple[_Facts, _Charts]:
    heads = ("precision", "recall", "right_sentence")
    faithful = object_of(figures["faithful"])
    kinds = _parts(figures, "by_kind")
    sentences = [(kind, object_of(part["right_sentence"])) for kind, part in kinds]
    charts = [
        bars(
            "Reports of defects",
            [
                _estimate(name.replace("_", " "), part)
                for name in heads
                if (part := object_of(figures[name]))["of"]
            ],
        ),
        bars(
            "Recall by kind", [_estimate(kind, object_of(part["recall"])) for kind, part in kinds]
        ),
        bars(
            "Right sentence by kind",
            [_estimate(kind, part) for kind, part in sentences if part["of"]],
        ),
    ]
    return [
        (
            "false reports on faithful documents",
            f"{faithful['false_reports']} of {faithful['runs']}",
        ),
        ("faithful documents verified", f"{faithful['verified']} of {faithful['runs']}"),
        ("runs that ended unproven", _runs(figures, "unproven")),
        ("findings that one episode alone saw", _runs(figures, "suspected")),
        ("runs lost to the environment", _lost(figures)),
    ], charts


def _parts(figures: JsonObject, name: str) -> list[tuple[str, JsonObject]]:
    return [(part, object_of(members)) for part, members in object_of(figures[name]).items()]


def _runs(figures: JsonObject, name: str) -> str:
    return str(object_of(figures.get(name)).get("runs", 0))


def _lost(figures: JsonObject) -> str:
    return str(object_of(figures["environment"])["runs_lost"])


def _slice(name: str, part: JsonObject) -> Bar:
    return Bar(
        label=name,
        value=number_of(part["pass1"]),
        low=number_or_none(part.get("low")),
        high=number_or_none(part.get("high")),
        note=f"of {part['tasks']}",
    )


def _estimate(name: str, part: JsonObject) -> Bar:
    return Bar(
        label=name,
        value=number_of(part["value"]),
        low=number_or_none(part["low"]),
        high=number_or_none(part["high"]),
        note=f"({part['hits']}/{part['of']})",
    )


def _counts(failures: JsonObject) -> list[Bar]:
    return [
        Bar(label=name.replace("agent_failure", "agent")[:26], value=number_of(count))
        for name, count in list(failures.items())[:14]
    ]


def _table(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Tasks by name, each with its runs in order and why the first that failed did."""
    by_task: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_task[row.task].append(row)
    return [
        {
            "name": task,
            "first": group[0],
            "runs": sorted(group, key=lambda row: row.run),
            "told": next((f"{row.failure}: {row.reason}" for row in group if not row.passed), "")[
                :240
            ],
        }
        for task, group in sorted(by_task.items())
    ]


def _percent(value: JsonValue) -> str:
    return "–" if value is None else f"{number_of(value):.1%}"
