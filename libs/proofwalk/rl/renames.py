"""Names of settings that were others in earlier releases.

What somebody writes today is refused with the name that holds now; what a run stored is
translated, so that it can be read and resumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proofwalk.kernel.json_values import JsonObject


@dataclass(frozen=True, kw_only=True)
class Renamed:
    """A setting that has another name, and its values' names."""

    now: str
    values: Mapping[str, str]


ROLLOUTS = {
    "tasks_drawn": Renamed(
        now="task_sampling", values={"in_turn": "uniform", "by_promise": "informativeness"}
    ),
    "earned": Renamed(now="reward", values={"outcome": "binary", "share": "partial_credit"}),
    "constrained_tokens": Renamed(
        now="grammar_forced_tokens", values={"left_out": "mask", "learned": "train"}
    ),
}
"""Of `rollouts` in a run's configuration, and of `grpo` in a recipe."""
GRPO = {
    "steps_drawn": Renamed(
        now="step_sampling", values={"uniform": "uniform", "surprise": "surprisal"}
    )
}
"""Of GRPO's settings."""


def refused(members: object, known: Mapping[str, Renamed]) -> Any:
    """The members as they are; for a `model_validator` of mode `before`. Raises
    `ValueError`."""
    for old, new in known.items():
        if isinstance(members, Mapping) and old in members:
            value = new.values.get(str(members[old]))
            told = (
                f"{new.now}: {value}"
                if value
                else f"{new.now}: {' or '.join(dict.fromkeys(new.values.values()))}"
            )
            raise ValueError(f"{old} is called {new.now} now; write `{told}`")
    return members


def translated(members: JsonObject, known: Mapping[str, Renamed]) -> dict[str, Any]:
    """The members under today's names."""
    found = dict(members)
    for old, new in known.items():
        if old in found:
            value = found.pop(old)
            found[new.now] = new.values.get(value, value) if isinstance(value, str) else value
    return found
