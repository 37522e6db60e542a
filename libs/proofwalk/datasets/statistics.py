"""What a collection holds and what the filters left of it, as JSON and as a page that
opens offline.

`Census` is fed one episode after the other, so that a collection of any size is counted
in little memory. Lengths are characters: of questions (as laid out by the recipe) and
of answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proofwalk.charts.pages import rendered
from proofwalk.datasets.exploration.figures import states_seen
from proofwalk.datasets.samples import EpisodeSamples
from proofwalk.datasets.step_actions import action_of
from proofwalk.kernel.json_values import JsonObject, object_of
from proofwalk.suites.counting.statistics import mean, quantile

_UNREADABLE = "unreadable"
_TEMPLATE = Path(__file__).with_name("statistics.html.j2")


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

    def add(self, made: EpisodeSamples) -> None:
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
        counts["steps_dropped"].update(
            verdict.rule.value for verdict in made.verdicts if verdict.rule is not None
        )
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
            name: {"walked": walked, "samples": counts["learned"][name]}
            for name, walked in counts["walked"].most_common()
        }
        return {
            "tasks": len(self._tasks),
            "episodes": {
                "walked": self._episodes,
                "kept": self._kept_episodes,
                "dropped": _ordered(counts["episodes_dropped"]),
            },
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
                "dropped": {
                    **_ordered(counts["steps_dropped"]),
                    **({"too_long": self._too_long} if self._too_long else {}),
                },
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


def page(title: str, figures: JsonObject) -> str:
    """The figures as an HTML page. Raises `charts.not_installed` where there is a
    curve."""
    explored = object_of(figures.get("exploration"))
    return rendered(
        _TEMPLATE,
        heading=title,
        figures=figures,
        explored=explored or None,
        curve=states_seen(explored) if explored else None,
    )
