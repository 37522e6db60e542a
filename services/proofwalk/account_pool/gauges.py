"""What the account pool counts."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge

from proofwalk.kernel.leases import LeaseState


class PoolMetrics:
    """Metrics on a registry that is passed in. Targets are a closed set: those that are
    configured."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.expired = Counter(
            "proofwalk_account_pool_leases_expired",
            "Leases that ended without a release.",
            registry=registry,
        )
        self.fenced = Counter(
            "proofwalk_account_pool_calls_fenced",
            "Calls of late holders that were refused.",
            registry=registry,
        )
        self.over_budget = Counter(
            "proofwalk_account_pool_leases_over_budget",
            "Leases that the pool ended because they cost more than their cap.",
            registry=registry,
        )
        self.bills_unread = Counter(
            "proofwalk_account_pool_bills_unread",
            "Looks at a bill or a balance that gave no figure.",
            registry=registry,
        )
        self._accounts = Gauge(
            "proofwalk_account_pool_accounts",
            "Accounts by state.",
            ("target", "state"),
            registry=registry,
        )

    def show(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Set the accounts by target and state; states without accounts show 0."""
        for target in {target for target, _ in counts}:
            for state in LeaseState:
                self._accounts.labels(target, state.value).set(counts.get((target, state.value), 0))
