"""The page of a result: figures, charts, and a table of tasks. One file that opens offline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from proofwalk.charts.bars import Bar, bars, histogram
from proofwalk.suites.counting.rows import Row

STYLE = """body{font:14px/1.5 system-ui,sans-serif;margin:28px;color:#1f2328;max-width:1100px}
table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:4px 12px;border-bottom:1px solid #d0d7de}
h2{font-size:16px;margin:26px 0 6px}svg text{font:12px system-ui,sans-serif;fill:#1f2328}svg .tick{font-size:10px;fill:#57606a}
.good{color:#1a7f37}.bad{color:#b42318}.none{color:#9a6700}.muted{color:#57606a}"""


def render(result: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """The page of a result file."""
    figures = result["figures"]
    title = f"{result['suite']} · {result['policy']} · {result['level']}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="muted">{escape(_origin(result))}</p>',
        _drift(figures) if "precision" in figures else _tasks(figures),
        bars("Classes of failure", _counts(figures["failures"]), most=max([1, *figures["failures"].values()]), percent=False),
        histogram("Steps of a run", [float(row.steps) for row in rows if row.told]),
        histogram("Seconds of a run", [row.seconds for row in rows if row.told], unit=" s"),
        _table(rows),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _origin(result: Mapping[str, Any]) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in result["machine"].items())
    what = f"{result['runs']} runs of {result['n']} tasks; suite version {result['suite_version']}"
    return f"{what}; commit {result['commit']}; {result['taken_at']}; {machine}"


def _tasks(figures: Mapping[str, Any]) -> str:
    k = next((name for name in figures if name.startswith("pass") and name.removeprefix("pass").isdigit()), "pass1")
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
    return (
        _facts(lines)
        + bars("Standard and hard tasks, pass@1", [_slice(name, part) for name, part in slices if part["tasks"]])
        + bars("By product, pass@1", [_slice(name, part) for name, part in figures["by_product"].items()])
        + bars("By language, pass@1", [_slice(name, part) for name, part in figures["by_language"].items()])
    )


def _alarms(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """How often the author of a right document is told that it is wrong; results of earlier releases do not say."""
    lines = []
    found = figures.get("false_alarms")
    if found is not None:
        bounds = f" ({_percent(found['low'])} to {_percent(found['high'])})" if found["of"] else ""
        lines.append(("false alarms, English", f"{_percent(found['value'])}{bounds}, {found['hits']} of {found['of']} runs"))
    if figures.get("goal_reached") is not None:
        lines.append(("goal reached by the log, of all that ended", _percent(figures["goal_reached"])))
    if "suspected" in figures:
        lines.append(("runs that ended with a suspicion", str(figures["suspected"]["runs"])))
    return lines


def _drift(figures: Mapping[str, Any]) -> str:
    heads = ("precision", "recall", "right_sentence")
    faithful = figures["faithful"]
    return (
        bars("Reports of defects", [_estimate(name.replace("_", " "), figures[name]) for name in heads if figures[name]["of"]])
        + bars("Recall by kind", [_estimate(kind, part["recall"]) for kind, part in figures["by_kind"].items()])
        + bars(
            "Right sentence by kind",
            [
                _estimate(kind, part["right_sentence"])
                for kind, part in figures["by_kind"].items()
                if part["right_sentence"]["of"]
            ],
        )
        + _facts(
            [
                ("false reports on faithful documents", f"{faithful['false_reports']} of {faithful['runs']}"),
                ("faithful documents verified", f"{faithful['verified']} of {faithful['runs']}"),
                ("runs that ended unproven", str(figures.get("unproven", {}).get("runs", 0))),
                ("findings that one episode alone saw", str(figures.get("suspected", {}).get("runs", 0))),
                ("runs lost to the environment", str(figures["environment"]["runs_lost"])),
            ]
        )
    )


def _facts(lines: Sequence[tuple[str, str]]) -> str:
    return (
        "<table>"
        + "".join(f"<tr><td>{escape(name)}</td><td><b>{escape(value)}</b></td></tr>" for name, value in lines)
        + "</table>"
    )


def _slice(name: str, part: Mapping[str, Any]) -> Bar:
    return Bar(label=name, value=part["pass1"] or 0.0, low=part.get("low"), high=part.get("high"), note=f"of {part['tasks']}")


def _estimate(name: str, part: Mapping[str, Any]) -> Bar:
    return Bar(label=name, value=part["value"] or 0.0, low=part["low"], high=part["high"], note=f"({part['hits']}/{part['of']})")


def _counts(failures: Mapping[str, int]) -> list[Bar]:
    return [
        Bar(label=name.replace("agent_failure", "agent")[:26], value=float(count)) for name, count in list(failures.items())[:14]
    ]


def _table(rows: Sequence[Row]) -> str:
    by_task: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_task[row.task].append(row)
    lines = []
    for task, group in sorted(by_task.items()):
        marks = " ".join(_mark(row) for row in sorted(group, key=lambda row: row.run))
        told = next((f"{row.failure}: {row.reason}" for row in group if not row.passed), "")
        first = group[0]
        cells = f"<td>{escape(task)}</td><td>{escape(first.difficulty)}</td><td>{escape(first.language)}</td><td>{marks}</td>"
        lines.append(f"<tr>{cells}<td>{escape(told[:240])}</td></tr>")
    return (
        "<h2>Tasks</h2><table><thead><tr><th>Task</th><th>Difficulty</th><th>Language</th><th>Runs</th><th>First failure</th></tr></thead><tbody>"
        + "".join(lines)
        + "</tbody></table>"
    )


def _mark(row: Row) -> str:
    if row.passed:
        return '<span class="good">✔</span>'
    return '<span class="bad">✘</span>' if row.told else '<span class="none">?</span>'


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"
