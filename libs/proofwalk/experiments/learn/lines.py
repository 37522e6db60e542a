"""What an experiment says while it lasts: a line an episode, and a line an update."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proofwalk.suites.counting.rows import Row

Say = Callable[[str], None]


class EpisodeLines:
    """Says a line for each episode."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def __call__(self, row: Row, done: int, total: int) -> None:
        ending = (
            row.outcome if row.passed else f"{row.failure}: {' '.join(row.reason.split())[:120]}"
        )
        self._say(
            f"[{done}/{total}] {row.policy} {row.task} {row.run}: {ending}, {row.steps} steps,"
            f" {row.seconds:.0f} s"
        )


def say_updates(say: Say, stage: str) -> Callable[[Mapping[str, float]], None]:
    """Says a line for each update of a run."""
    shown = ("loss", "reward", "validation", "entropy", "kl", "clip_share", "tokens_per_second")

    def say_row(row: Mapping[str, float]) -> None:
        figures = ", ".join(f"{name} {row[name]:.4g}" for name in shown if name in row)
        say(f"{stage}: step {row['step']:.0f}: {figures}")

    return say_row
