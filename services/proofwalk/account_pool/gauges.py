"""What the account pool counts."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge

from proofwalk.kernel.account_pools import Dedication
from proofwalk.kernel.leases import LeaseState


class PoolMetrics:
    """Metrics on a registry that is passed in. Targets and sites are closed sets: those
    that are configured."""

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
            "Accounts by state, and by what they serve: site and purposes are empty where"
            " they serve all.",
            ("target", "site", "purposes", "state"),
            registry=registry,
        )
        self._pools: set[tuple[str, Dedication]] = set()
        """That were shown before: one that is empty by now shows 0."""

    def show(self, counts: Mapping[tuple[str, Dedication, str], int]) -> None:
        """Set the accounts by target, dedication and state; states without accounts
        show 0."""
        self._pools |= {(target, serves) for target, serves, _ in counts}
        for target, serves in self._pools:
            for state in LeaseState:
                self._accounts.labels(target, serves.site, serves.spelt, state.value).set(
                    counts.get((target, serves, state.value), 0)
                )
