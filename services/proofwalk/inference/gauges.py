"""What the inference role counts. Labels are closed: calls, directions, and the one
currency of the price table."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from proofwalk.inference.domain import Spent

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 150, 300)


class InferenceMetrics:
    """Metrics on a registry that is passed in. Tokens per second are
    `rate(proofwalk_inference_tokens_total[1m])`."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.depth = Gauge(
            "proofwalk_inference_queue_depth",
            "Questions that wait or are being answered.",
            registry=registry,
        )
        self.refused = Counter(
            "proofwalk_inference_refused", "Questions refused for want of room.", registry=registry
        )
        self.given_up = Counter(
            "proofwalk_inference_given_up",
            "Questions whose caller went away or ran out of time.",
            registry=registry,
        )
        self._tokens = Counter(
            "proofwalk_inference_tokens",
            "Tokens read, of them cached, and written.",
            ("direction",),
            registry=registry,
        )
        self.seconds = Histogram(
            "proofwalk_inference_seconds",
            "Time of an answer, waiting included.",
            ("call",),
            buckets=_SECONDS,
            registry=registry,
        )
        self.loads = Counter(
            "proofwalk_inference_loads", "Versions that were made to serve.", registry=registry
        )
        self._cost = Counter(
            "proofwalk_inference_cost",
            "Price of what was asked, by the price table.",
            ("currency",),
            registry=registry,
        )

    def spent(self, spent: Spent, *, cost: float, currency: str) -> None:
        """Count one answer's tokens and price."""
        self._tokens.labels("in").inc(spent.tokens_in)
        self._tokens.labels("cached").inc(spent.tokens_cached)
        self._tokens.labels("out").inc(spent.tokens_out)
        if currency:
            self._cost.labels(currency).inc(cost)
