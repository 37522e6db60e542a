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
from proofwalk.kernel.json_values import (
    JsonObject,
    JsonValue,
    int_of,
    list_of,
    number_of,
    object_of,
)
from proofwalk.suites.counting.rows import Row, read_row

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


def cells(figures: JsonObject) -> list[list[str]]:
    """A table's head and lines, as text."""
    best = max(
        (name for name in object_of(figures["base"]) if name.startswith("pass")),
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
        part = object_of(figures[name])
        gain = figures[_GAINS[name]] if name in _GAINS else {}
        lines.append(
            [
                title,
                f"{_percent(part['pass1'])} ± {_percent(part['std'])}",
                _percent(part[best]),
                _points(gain),
                f"{number_of(object_of(gain)['p']):g}" if gain else "",
                str(part["tasks"]),
                str(part["runs_lost"]),
            ]
        )
    return lines


def parts(figures: JsonObject) -> dict[str, str]:
    """What the table falls into, where it does, and how that is called; results of
    earlier releases do not say."""
    found = object_of(figures.get("by_held_out"))
    return (
        {kind: title for kind, title in _HELD_OUT.items() if kind in found}
        if len(found) > 1
        else {}
    )


def _points(gain: JsonValue) -> str:
    """Nothing for what has no predecessor; a dash where the two have no task in
    common."""
    if gain is None:
        return "–"
    points, low, high = (number_of(object_of(gain).get(name)) for name in ("points", "low", "high"))
    return f"{points:+.1f} ({low:+.1f} to {high:+.1f})" if gain else ""


def _percent(value: JsonValue) -> str:
    return "–" if value is None else f"{number_of(value):.1%}"


def render(content: JsonObject) -> str:
    """The page of `learn.json`'s content. Raises `charts.not_installed`."""
    figures = object_of(content["figures"])
    return rendered(
        _TEMPLATE,
        heading=f"{content['recipe']}: {' → '.join(VERSIONS.values())}",
        origin=_origin(content),
        table=cells(figures),
        parts_of_it=[
            (title, cells(object_of(object_of(figures["by_held_out"])[kind])))
            for kind, title in parts(figures).items()
        ],
        shares=[
            bars(
                "pass@1",
                [
                    Bar(label=label, value=number_of(object_of(figures[name])["pass1"]))
                    for name, label in VERSIONS.items()
                ],
            ),
            *(
                bars(
                    f"{label}, pass@1 by product",
                    [Bar(label=one, value=number_of(value)) for one, value in part.items()],
                )
                for name, label in VERSIONS.items()
                if (part := object_of(object_of(figures[name])["by_product"]))
            ),
        ],
        stages=[
            (VERSIONS[stage], _curves(stage, list_of(rows)))
            for stage, rows in object_of(content["curves"]).items()
        ],
        costs=_costs(content),
        tasks=_tasks(content),
    )


def _origin(content: JsonObject) -> str:
    machine = ", ".join(f"{key} {value}" for key, value in object_of(content["machine"]).items())
    figures = object_of(content["figures"])
    spent = f"{figures['minutes']} minutes, {figures['cpu_minutes']} of a processor"
    return (
        f"{content['n']} tasks, seed {content['seed']}, {spent}; commit {content['commit']};"
        f" {content['taken_at']}; {machine}"
    )


def _curves(stage: str, rows: Sequence[JsonValue]) -> list[Chart | None]:
    return [
        curve(
            f"{VERSIONS[stage]}: {name.replace('_', ' ')}",
            [
                (int_of(row["step"]), number_of(row[name]))
                for row in map(object_of, rows)
                if name in row
            ],
        )
        for name in _SHOWN
    ]


def _costs(content: JsonObject) -> list[list[str]]:
    lines = [["Stage", "seconds", "processor seconds", "attempts"]]
    for name, members in object_of(content["cost"]).items():
        part = object_of(members)
        seconds, used = number_of(part["seconds"]), number_of(part["cpu_seconds"])
        lines.append([name, f"{seconds:.0f}", f"{used:.0f}", str(part["attempts"])])
    return lines


def _tasks(content: JsonObject) -> list[list[str]]:
    """Each task's runs by every version: ✔ verified, ✘ not, ? lost to the
    environment."""
    rows = {
        name: [read_row(object_of(row)) for row in list_of(listed)]
        for name, listed in object_of(content["rows"]).items()
    }
    lines = [["Task", *VERSIONS.values()]]
    for task in sorted({row.task for some in rows.values() for row in some}):
        marks = [
            " ".join(_mark(row) for row in rows[name] if row.task == task) for name in VERSIONS
        ]
        lines.append([task, *marks])
    return lines


def _mark(row: Row) -> str:
    return "✔" if row.passed else "✘" if row.told else "?"
