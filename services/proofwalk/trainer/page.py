"""A run's page: how it stands, its curves, its configuration. One file that opens
offline and loads itself again while the run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from proofwalk.charts.curves import curve
from proofwalk.charts.pages import rendered
from proofwalk.kernel.clock import isoformat
from proofwalk.trainer.domain import ENDED, Measured, Run

_TEMPLATE = Path(__file__).with_name("page.html.j2")
_RELOAD_S = 15
_KNOWN: Mapping[str, tuple[str, str]] = {
    "loss": ("Loss", ""),
    "validation": ("Validation", "higher is better"),
    "reward": ("Reward", "mean of the episodes used"),
    "kl": ("KL", "to the reference policy"),
    "entropy": ("Entropy", "nats a token"),
    "clip_share": ("Clip share", ""),
    "completion_tokens": ("Length", "tokens of an answer"),
    "episode_steps": ("Steps of an episode", ""),
    "excluded": ("Excluded episodes", "they say nothing about the policy"),
    "informative": ("Informative groups", "share"),
    "staleness": ("Staleness", "policy versions"),
    "grad_norm": ("Gradient norm", "before clipping"),
    "learning_rate": ("Learning rate", ""),
    "tokens_per_second": ("Tokens per second", "of the update"),
}


def render(run: Run, rows: Sequence[Measured], *, now: datetime) -> str:
    """The page as it is now. Raises `charts.not_installed`."""
    curves = (
        curve(
            title, [(row.step, row.values[name]) for row in rows if name in row.values], note=note
        )
        for name, (title, note) in _KNOWN.items()
    )
    return rendered(
        _TEMPLATE,
        run=run,
        times=_times(run),
        now=isoformat(now),
        curves=[one for one in curves if one is not None],
        reload_s=None if run.state in ENDED else _RELOAD_S,
    )


def _times(run: Run) -> str:
    told = [
        f"{what} {isoformat(moment)}"
        for what, moment in (
            ("queued", run.created_at),
            ("started", run.started_at),
            ("ended", run.finished_at),
        )
        if moment is not None
    ]
    return ", ".join(told) + (f", {run.crashes} crashes" if run.crashes else "")
