"""What the trainer role measures. A run's own gauges are there while it is trained, so
that there are never more than `concurrency` sets of them."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge

from proofwalk.trainer.domain import Run

_GAUGES: Mapping[str, tuple[str, str]] = {
    "loss": ("loss", "Loss of the last step."),
    "reward": ("reward", "Mean reward of the last step's episodes."),
    "kl": ("kl", "Distance from the reference policy, as the run estimates it."),
    "entropy": ("entropy_nats", "Mean entropy of a learned token."),
    "clip_share": ("clip_share", "Share of tokens whose ratio was clipped."),
    "validation": ("validation_score", "Score of the last validation."),
    "tokens_per_second": ("tokens_per_second", "Tokens of the last update by its time."),
}


class TrainerMetrics:
    """Metrics on a registry that is passed in."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.running = Gauge(
            "proofwalk_trainer_running", "Runs that are trained here now.", registry=registry
        )
        self.steps = Counter(
            "proofwalk_trainer_steps",
            "Steps that were done for the first time.",
            ("method",),
            registry=registry,
        )
        self.crashes = Counter(
            "proofwalk_trainer_crashes", "Processes of runs that died.", registry=registry
        )
        self.storage_failures = Counter(
            "proofwalk_trainer_storage_failures",
            "Times that the storage of checkpoints failed; each is tried again.",
            registry=registry,
        )
        self.ended = Counter(
            "proofwalk_trainer_runs",
            "Runs that have ended.",
            ("method", "state"),
            registry=registry,
        )
        self._step = Gauge("proofwalk_trainer_step", "Updates done.", ("run",), registry=registry)
        self._values = {
            name: Gauge(f"proofwalk_trainer_{metric}", what, ("run",), registry=registry)
            for name, (metric, what) in _GAUGES.items()
        }

    def measured(self, run: Run, step: int, values: Mapping[str, float], *, steps: int) -> None:
        """The latest step of a run, and how many steps are there for the first time."""
        self.steps.labels(run.method).inc(steps)
        self._step.labels(run.id).set(step)
        for name, gauge in self._values.items():
            if name in values:
                gauge.labels(run.id).set(values[name])

    def forget(self, run_id: str) -> None:
        """The run is not trained here any more."""
        for gauge in (self._step, *self._values.values()):
            try:
                gauge.remove(run_id)
            except KeyError:
                continue
