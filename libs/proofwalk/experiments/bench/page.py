"""The page of a result: figures, charts, and a table of tasks. One file that opens
offline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proofwalk.charts.bars import Bar, bars, histogram
from proofwalk.charts.drawing import Chart
from proofwalk.charts.pages import rendered
from proofwalk.suites.counting.rows import Row

_Facts = Sequence[tuple[str, str]]
_Charts = Sequence[Chart | None]
_TEMPLATE = Path(__file__).with_name("page.html.j2")


def render(result: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """The page of a result file. Raises `charts.not_installed`."""
    figures = result["figures"]
    told = [row for row in rows if row.told]
    failures = figures["failures"]
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
                most=max([1, *failures.values()]),
                percent=False,
            ),
            histogram("Steps of a run", [float(row.steps) for row in told]),
            histogram("Seconds of a run", [row.seconds for row in told], unit=" s"),
        ],
        tasks=_table(rows),
    )


def _origin(result: Mapping[str, Any]) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    what = f"{result['runs']} runs of {result['n']} tasks; suite version {result['suite_version']}"
    return f"{what}; commit {result['commit']}; {result['taken_at']}; {machine}"


def _tasks(figures: Mapping[str, Any]) -> tuple[_Facts, _Charts]:
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
        ("runs that ended unproven", str(figures.get("unproven", {}).get("runs", 0))),
        ("findings that one episode alone saw", str(figures.get("suspected", {}).get("runs", 0))),
        ("runs lost to the environment", str(figures["environment"]["runs_lost"])),
        ("cost", f"{figures['cost']:g}"),
    ]
    slices = [("standard", figures["standard"]), ("hard", figures["hard"])]
    return lines, [
        bars(
            "Standard and hard tasks, pass@1",
            [_slice(name, part) for name, part in slices if part["tasks"]],
        ),
        bars(
            "By product, pass@1",
            [_slice(name, part) for name, part in figures["by_product"].items()],
        ),
        bars(
            "By language, pass@1",
            [_slice(name, part) for name, part in figures["by_language"].items()],
        ),
    ]


def _alarms(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How often the author of a right document is told that it is wrong; results of
    earlier releases do not say."""
    lines = []
    found = figures.get("false_alarms")
    if found is not None:
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
        lines.append(("runs that ended with a suspicion", str(figures["suspected"]["runs"])))
    return lines


def _drift(figures: Mapping[str, Any]) -> tuple[_Facts, _Charts]:
    heads = ("precision", "recall", "right_sentence")
    faithful = figures["faithful"]
    kinds = figures["by_kind"].items()
    sentences = [(kind, part["right_sentence"]) for kind, part in kinds]
    charts = [
        bars(
            "Reports of defects",
            [
                _estimate(name.replace("_", " "), figures[name])
                for name in heads
                if figures[name]["of"]
            ],
        ),
        bars("Recall by kind", [_estimate(kind, part["recall"]) for kind, part in kinds]),
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
        ("runs that ended unproven", str(figures.get("unproven", {}).get("runs", 0))),
        ("findings that one episode alone saw", str(figures.get("suspected", {}).get("runs", 0))),
        ("runs lost to the environment", str(figures["environment"]["runs_lost"])),
    ], charts


def _slice(name: str, part: Mapping[str, Any]) -> Bar:
    return Bar(
        label=name,
        value=part["pass1"] or 0.0,
        low=part.get("low"),
        high=part.get("high"),
        note=f"of {part['tasks']}",
    )


def _estimate(name: str, part: Mapping[str, Any]) -> Bar:
    return Bar(
        label=name,
        value=part["value"] or 0.0,
        low=part["low"],
        high=part["high"],
        note=f"({part['hits']}/{part['of']})",
    )


def _counts(failures: Mapping[str, int]) -> list[Bar]:
    return [
        Bar(label=name.replace("agent_failure", "agent")[:26], value=float(count))
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


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"
