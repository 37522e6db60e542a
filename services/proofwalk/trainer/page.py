"""A run's page: how it stands, its curves, its configuration. One file that opens offline and loads itself again while the run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape

from proofwalk.charts.curves import curve
from proofwalk.kernel.clock import isoformat
from proofwalk.trainer.domain import ENDED, Measured, Run

_STYLE = """body{font:14px/1.5 system-ui,sans-serif;margin:28px;color:#1f2328;max-width:1120px}
h1{font-size:20px;margin:0}figure{margin:0}.curves{display:grid;grid-template-columns:1fr 1fr;gap:18px 28px;margin:18px 0}
svg{width:100%}svg text{font:11px system-ui,sans-serif;fill:#57606a}.muted{color:#57606a}.failed{color:#b42318}.finished{color:#1a7f37}
pre{background:#f6f8fa;padding:12px;overflow-x:auto;font-size:12px}"""
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
    """The page as it is now."""
    curves = "".join(
        curve(title, [(row.step, row.values[name]) for row in rows if name in row.values], note=note)
        for name, (title, note) in _KNOWN.items()
    )
    body = [
        f"<h1>{escape(run.id)}</h1>",
        f'<p><b class="{run.state}">{run.state}</b> · {escape(run.method)} · step {run.step} of {run.steps}'
        f' <span class="muted">· {_times(run)} · as of {isoformat(now)}</span></p>',
        _failure(run),
        f'<div class="curves">{curves}</div>' if curves else "<p>Nothing was measured yet.</p>",
        f"<h2>Configuration</h2><pre>{escape(run.config_yaml)}</pre>",
    ]
    reload = "" if run.state in ENDED else f'<meta http-equiv="refresh" content="{_RELOAD_S}">'
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(run.id)}</title>{reload}'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _times(run: Run) -> str:
    told = [
        f"{what} {isoformat(moment)}"
        for what, moment in (("queued", run.created_at), ("started", run.started_at), ("ended", run.finished_at))
        if moment is not None
    ]
    return ", ".join(told) + (f", {run.crashes} crashes" if run.crashes else "")


def _failure(run: Run) -> str:
    if run.failure is None:
        return ""
    hint = f" ({escape(run.failure.hint)})" if run.failure.hint else ""
    return f'<p class="failed">{escape(run.failure.code)}: {escape(run.failure.message)}{hint}</p>'
