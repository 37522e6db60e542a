"""Prometheus metrics on a registry that is passed in:
`proofwalk_<subsystem>_<noun>_<unit>`.

`RpcMetrics` and `StreamMetrics` are what every process counts; a role declares its own
on `ctx.metrics`. Labels come from closed sets (method, code, stream), never from input.
"""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.005, 0.02, 0.1, 0.5, 1, 5, 20, 60, 300)


class RpcMetrics:
    """Rate, errors and duration of calls, at the server and at the client."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("side", "method", "code")
        self._calls = Counter("proofwalk_rpc_calls", "Finished calls.", labels, registry=registry)
        self._seconds = Histogram(
            "proofwalk_rpc_duration_seconds",
            "Time of a call.",
            labels[:2],
            buckets=_SECONDS,
            registry=registry,
        )
        self.retries = Counter(
            "proofwalk_rpc_retries",
            "Calls that a client made again.",
            ("method",),
            registry=registry,
        )

    def observe(self, side: str, method: str, code: str, seconds: float) -> None:
        """Count one finished call."""
        self._calls.labels(side, method, code).inc()
        self._seconds.labels(side, method).observe(seconds)


def certificate_metric(registry: CollectorRegistry, seconds_left: Callable[[], float]) -> None:
    """Tell how long the process's certificate is still good."""
    gauge = Gauge(
        "proofwalk_rpc_certificate_remaining_seconds",
        "Until the process's certificate expires; negative afterwards.",
        registry=registry,
    )
    gauge.set_function(seconds_left)


class StreamMetrics:
    """What consumers of streams do, and how far behind they are."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("stream", "group")
        self.entries = Counter(
            "proofwalk_stream_entries",
            "Entries by result: done, failed, lost, dead.",
            (*labels, "result"),
            registry=registry,
        )
        self.seconds = Histogram(
            "proofwalk_stream_handling_seconds",
            "Time of a handler.",
            labels,
            buckets=_SECONDS,
            registry=registry,
        )
        self.lag = Gauge(
            "proofwalk_stream_lag_entries",
            "Entries not yet delivered to the group.",
            labels,
            registry=registry,
        )
        self.oldest = Gauge(
            "proofwalk_stream_oldest_pending_seconds",
            "Age of the oldest unfinished entry.",
            labels,
            registry=registry,
        )
