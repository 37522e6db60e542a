"""The page of an experiment: the table, gains, curves of both runs, costs, and every
task's runs. One file that opens offline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proofwalk.charts.bars import Bar, bars
from proofwalk.charts.curves import curve
from proofwalk.charts.drawing import Chart
from proofwalk.charts.pages import rendered
from proofwalk.kernel.errors import invalid
from proofwalk.suites.counting.rows import read_row

VERSIONS: Mapping[str, str] = {"base": "base", "sft": "SFT", "grpo": "SFT + GRPO"}
_SHOWN = (
    "loss",
    "reward",
    "validation",
    "entropy",
    "kl",
    "clip_share",
    "informative",
    "episode_steps",
    "completion_tokens",
)
"""What of a run's metrics is drawn."""
_HELD_OUT: Mapping[str, str] = {
    "documents": "Documents held out, whose operations training tells otherwise",
    "operations": "Operations held out",
}
_GAINS: Mapping[str, str] = {"sft": "sft_gain", "grpo": "grpo_gain"}
_TEMPLATE = Path(__file__).with_name("page.html.j2")


def read(path: Path) -> dict[str, Any]:
    """A result file. Raises `learn.bad_result`."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise invalid("learn.bad_result", f"{path} cannot be read: {error}") from error
    return content


def cells(figures: Mapping[str, Any]) -> list[list[str]]:
    """A table's head and lines, as text."""
    best = max(
        (name for name in figures["base"] if name.startswith("pass")),
        key=lambda name: int(name.removeprefix("pass")),
    )
    head = [
        "Policy",
        "pass@1",
        f"pass@{best.removeprefix('pass')}",
        "gain in points (95 %)",
        "p",
        "tasks",
        "lost",
    ]
    lines = [head]
    for name, title in VERSIONS.items():
        part = figures[name]
        gain = figures[_GAINS[name]] if name in _GAINS else {}
        lines.append(
            [
                title,
                f"{_percent(part['pass1'])} ± {_percent(part['std'])}",
                _percent(part[best]),
                _points(gain),
                f"{gain['p']:g}" if gain else "",
                str(part["tasks"]),
                str(part["runs_lost"]),
            ]
        )
    return lines


def parts(figures: Mapping[str, Any]) -> dict[str, str]:
    """What the table falls into, where it does, and how that is called; results of
    earlier releases do not say."""
    found = figures.get("by_held_out", {})
    return (
        {kind: title for kind, title in _HELD_OUT.items() if kind in found}
        if len(found) > 1
        else {}
    )


def _points(gain: Mapping[str, Any] | None) -> str:
    """Nothing for what has no predecessor; a dash where the two have no task in
    common."""
    if gain is None:
        return "–"
    return f"{gain['points']:+.1f} ({gain['low']:+.1f} to {gain['high']:+.1f})" if gain else ""


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def render(content: Mapping[str, Any]) -> str:
    """The page of `learn.json`'s content. Raises `charts.not_installed`."""
    figures = content["figures"]
    return rendered(
        _TEMPLATE,
        heading=f"{content['recipe']}: {' → '.join(VERSIONS.values())}",
        origin=_origin(content),
        table=cells(figures),
        parts_of_it=[
            (title, cells(figures["by_held_out"][kind])) for kind, title in parts(figures).items()
        ],
        shares=[
            bars(
                "pass@1",
                [
                    Bar(label=label, value=figures[name]["pass1"] or 0.0)
                    for name, label in VERSIONS.items()
                ],
            ),
            *(
                bars(
                    f"{label}, pass@1 by product",
                    [Bar(label=one, value=value or 0.0) for one, value in part.items()],
                )
                for name, label in VERSIONS.items()
                if (part := figures[name]["by_product"])
            ),
        ],
        stages=[
            (VERSIONS[stage], _curves(stage, rows)) for stage, rows in content["curves"].items()
        ],
        costs=_costs(content),
        tasks=_tasks(content),
    )


def _origin(content: Mapping[str, Any]) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in content["machine"].items())
    figures = content["figures"]
    spent = f"{figures['minutes']} minutes, {figures['cpu_minutes']} of a processor"
    return (
        f"{content['n']} tasks, seed {content['seed']}, {spent}; commit {content['commit']};"
        f" {content['taken_at']}; {machine}"
    )


def _curves(stage: str, rows: Sequence[Mapping[str, float]]) -> list[Chart | None]:
    return [
        curve(
            f"{VERSIONS[stage]}: {name.replace('_', ' ')}",
            [(int(row["step"]), row[name]) for row in rows if name in row],
        )
        for name in _SHOWN
    ]


def _costs(content: Mapping[str, Any]) -> list[list[str]]:
    lines = [["Stage", "seconds", "processor seconds", "attempts"]]
    for name, part in content["cost"].items():
        lines.append(
            [name, f"{part['seconds']:.0f}", f"{part['cpu_seconds']:.0f}", str(part["attempts"])]
        )
    return lines


def _tasks(content: Mapping[str, Any]) -> list[list[str]]:
    """Each task's runs by every version: ✔ verified, ✘ not, ? lost to the
    environment."""
    rows = content["rows"]
    lines = [["Task", *VERSIONS.values()]]
    for task in sorted({row["task"] for some in rows.values() for row in some}):
        marks = [
            " ".join(_mark(row) for row in rows[name] if row["task"] == task) for name in VERSIONS
        ]
        lines.append([task, *marks])
    return lines


def _mark(row: Mapping[str, Any]) -> str:
    read = read_row(row)
    return "✔" if read.passed else "✘" if read.told else "?"
