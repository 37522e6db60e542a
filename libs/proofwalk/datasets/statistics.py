"""What a collection holds and what the filters left of it, as JSON and as a page that opens offline.

`Census` is fed one episode after the other, so that a collection of any size is counted in little memory. Lengths are characters: of questions (as
laid out by the recipe) and of answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from proofwalk.datasets.exploration.figures import section
from proofwalk.datasets.filters import action_of
from proofwalk.datasets.samples import Made
from proofwalk.suites.counting.statistics import mean, quantile

_UNREADABLE = "unreadable"


class Census:
    """Counts of episodes, steps and samples."""

    def __init__(self) -> None:
        self._tasks: set[str] = set()
        self._counts: dict[str, Counter[str]] = {
            name: Counter()
            for name in (
                "outcomes",
                "policies",
                "products",
                "languages",
                "episodes_dropped",
                "steps_dropped",
                "walked",
                "learned",
                "thoughts",
            )
        }
        self._episodes = self._kept_episodes = self._steps = self._samples = self._too_long = 0
        self._learned_products: Counter[str] = Counter()
        self._questions: list[int] = []
        self._answers: list[int] = []

    def add(self, made: Made) -> None:
        """Count an episode."""
        episode, row, counts = made.episode, made.episode.notes.row, self._counts
        self._episodes += 1
        self._tasks.add(row.task)
        counts["outcomes"][row.failure or row.outcome] += 1
        counts["policies"][row.policy] += 1
        counts["products"][row.product] += 1
        counts["languages"][row.language] += 1
        self._steps += len(episode.steps)
        for step in episode.steps:
            action = action_of(step)
            counts["walked"][_UNREADABLE if action is None else action.type] += 1
        if made.rule is not None:
            counts["episodes_dropped"][made.rule.value] += 1
            return
        self._kept_episodes += 1
        self._too_long += made.too_long
        counts["steps_dropped"].update(verdict.rule.value for verdict in made.verdicts if verdict.rule is not None)
        by_number = {step.step: step for step in episode.steps}
        for sample in made.samples:
            self._samples += 1
            action = action_of(by_number[sample.step])
            counts["learned"][_UNREADABLE if action is None else action.type] += 1
            counts["thoughts"][sample.thought_by] += 1
            self._learned_products[sample.product] += 1
            self._questions.append(sample.length)
            self._answers.append(len(sample.answer))

    def figures(self) -> dict[str, Any]:
        """Everything that was counted."""
        counts = self._counts
        actions = {
            name: {"walked": walked, "samples": counts["learned"][name]} for name, walked in counts["walked"].most_common()
        }
        return {
            "tasks": len(self._tasks),
            "episodes": {"walked": self._episodes, "kept": self._kept_episodes, "dropped": _ordered(counts["episodes_dropped"])},
            "outcomes": _ordered(counts["outcomes"]),
            "policies": _ordered(counts["policies"]),
            "languages": _ordered(counts["languages"]),
            "products": {
                name: {"episodes": number, "samples": self._learned_products[name]}
                for name, number in sorted(counts["products"].items())
            },
            "steps": {
                "walked": self._steps,
                "samples": self._samples,
                "dropped": {**_ordered(counts["steps_dropped"]), **({"too_long": self._too_long} if self._too_long else {})},
            },
            "actions": actions,
            "thoughts": _ordered(counts["thoughts"]),
            "characters": {"question": _spread(self._questions), "answer": _spread(self._answers)},
        }


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(counts.most_common())


def _spread(values: Sequence[int]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(map(float, values))
    return {
        "mean": round(mean(ordered), 1),
        "median": round(quantile(ordered, 0.5), 1),
        "p90": round(quantile(ordered, 0.9), 1),
        "max": ordered[-1],
        "total": sum(ordered),
    }


_STYLE = """body{font:14px/1.5 system-ui,sans-serif;margin:28px;color:#1f2328;max-width:900px}
table{border-collapse:collapse;margin-bottom:18px}td,th{text-align:left;padding:3px 14px 3px 0;border-bottom:1px solid #d0d7de}
td.n{text-align:right;font-variant-numeric:tabular-nums}h2{font-size:16px;margin:24px 0 6px}
.bar{display:inline-block;height:10px;background:#2f6feb;vertical-align:middle}"""


def page(title: str, figures: Mapping[str, Any]) -> str:
    """The figures as an HTML page without scripts and without anything from elsewhere."""
    episodes, steps = figures["episodes"], figures["steps"]
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{figures['tasks']} tasks, {episodes['walked']} episodes ({episodes['kept']} kept), {steps['walked']} steps,"
        f" {steps['samples']} samples.</p>",
        _table("Outcomes", figures["outcomes"]),
        _table("Teachers", figures["policies"]),
        _table("Episodes dropped, by rule", episodes["dropped"]),
        _table("Steps of kept episodes dropped, by rule", steps["dropped"]),
        _columns("Actions", figures["actions"]),
        _columns("Products", figures["products"]),
        _table("Languages", figures["languages"]),
        _table("Whose thoughts", figures["thoughts"]),
        _columns("Characters", figures["characters"]),
        section(figures["exploration"]) if "exploration" in figures else "",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _table(title: str, counts: Mapping[str, float]) -> str:
    if not counts:
        return f"<h2>{escape(title)}</h2><p>none</p>"
    most = max(counts.values()) or 1
    rows = "".join(
        f'<tr><td>{escape(name)}</td><td class="n">{value:g}</td>'
        f'<td><span class="bar" style="width:{max(1, round(240 * value / most))}px"></span></td></tr>'
        for name, value in counts.items()
    )
    return f"<h2>{escape(title)}</h2><table>{rows}</table>"


def _columns(title: str, table: Mapping[str, Mapping[str, float]]) -> str:
    names = list(dict.fromkeys(column for row in table.values() for column in row))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = "".join(
        f"<tr><td>{escape(name)}</td>" + "".join(f'<td class="n">{row.get(column, 0):,g}</td>' for column in names) + "</tr>"
        for name, row in table.items()
    )
    return f"<h2>{escape(title)}</h2><table><tr><th></th>{head}</tr>{rows}</table>"
