"""The page of a bench of methods: the table, and each method's curves as means over its
seeds. One file that opens offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from proofwalk.charts.bars import Bar, bars
from proofwalk.charts.curves import curve
from proofwalk.charts.drawing import Chart
from proofwalk.charts.pages import rendered
from proofwalk.kernel.json_values import JsonObject, JsonValue, list_of, number_of, object_of

_SHOWN = ("loss", "reward", "entropy", "kl", "clip_share", "staleness", "environment_steps")
"""What of a run's metrics is drawn."""
_TEMPLATE = Path(__file__).with_name("page.html.j2")
_HEAD = (
    "Method",
    "from",
    "runs",
    "pass@1",
    "gain in points (95 %)",
    "p",
    "entropy",
    "KL",
    "staleness",
    "steps used",
    "updates",
    "minutes",
)


def cells(methods: JsonObject) -> list[list[str]]:
    """The table's head and lines, as text."""
    lines = [list(_HEAD)]
    for name, members in methods.items():
        part = object_of(members)
        minutes = number_of(part["seconds"]) / 60
        lines.append(
            [
                name,
                str(part["paper"]),
                str(part["runs"]),
                _number(part["pass1"], ".1%"),
                _gain(part),
                _number(part.get("p"), "g"),
                _number(part["entropy"], ".3f"),
                _number(part["kl"], ".4f"),
                _number(part["staleness"], ".2f"),
                _number(part["environment_steps"], ".0f"),
                _number(part["updates"], ".0f"),
                f"{minutes:.1f}",
            ]
        )
    return lines


def _gain(part: JsonObject) -> str:
    """Nothing for the common checkpoint; a dash where nothing can be compared."""
    if "gain" not in part:
        return ""
    if part["gain"] is None:
        return "–"
    gain, low, high = (number_of(part[name]) for name in ("gain", "low", "high"))
    return f"{gain:+.1f} ({low:+.1f} to {high:+.1f})"


def _number(value: JsonValue, form: str) -> str:
    return "" if value is None else format(number_of(value), form)


def render(content: JsonObject) -> str:
    """The page of `methods.json`'s content. Raises `charts.not_installed`."""
    figures, methods = object_of(content["figures"]), object_of(content["methods"])
    apart = object_of(figures["by_held_out"])
    return rendered(
        _TEMPLATE,
        heading=f"{content['recipe']}: methods side by side",
        origin=_origin(content),
        table=cells(methods),
        parts_of_it=[
            ("Documents held out", cells(object_of(apart["documents"]))),
            ("Operations held out", cells(object_of(apart["operations"]))),
        ],
        shares=[
            bars(
                "pass@1",
                [
                    Bar(label=name, value=number_of(object_of(part)["pass1"]))
                    for name, part in methods.items()
                ],
            )
        ],
        curves_of=[
            (name, drawn) for name in methods if (drawn := _curves(name, content)) is not None
        ],
    )


def _origin(content: JsonObject) -> str:
    figures = object_of(content["figures"])
    machine = ", ".join(f"{key} {value}" for key, value in object_of(content["machine"]).items())
    return (
        f"{figures['arms']} of {figures['arms_wanted']} runs, each of"
        f" {figures['environment_steps']} steps of the environment, {figures['seeds']} seeds;"
        f" commit {content['commit']}; {content['taken_at']}; {machine}"
    )


def _curves(name: str, content: JsonObject) -> Sequence[Chart | None] | None:
    runs = [
        [object_of(row) for row in list_of(rows)]
        for arm, rows in object_of(content["curves"]).items()
        if arm.rpartition(":")[0] == name
    ]
    if not runs:
        return None
    return [
        curve(f"{name}: {metric.replace('_', ' ')}", points)
        for metric in _SHOWN
        if (points := means(runs, metric))
    ]


def means(runs: Sequence[Sequence[JsonObject]], metric: str) -> list[tuple[int, float]]:
    """By update, as far as every run that tells the metric goes: a mean of fewer would
    jump where a run ends."""
    told = [
        values
        for rows in runs
        if (values := [number_of(row[metric]) for row in rows if metric in row])
    ]
    return [
        (number, sum(values) / len(values))
        for number, values in enumerate(zip(*told, strict=False), 1)
    ]
