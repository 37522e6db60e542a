"""What the account pool counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge

from proofwalk.account_pool.queue import Wait
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
        line = ("target", "site", "purpose")
        self._waiting = Gauge(
            "proofwalk_account_pool_waiting",
            "Callers that wait for an account, by what they ask for: site is empty where"
            " any will do.",
            line,
            registry=registry,
        )
        self._longest_wait = Gauge(
            "proofwalk_account_pool_longest_wait_seconds",
            "How long the first of those who wait has waited.",
            line,
            registry=registry,
        )
        self._lines: set[tuple[str, str, str]] = set()
        """That were shown before: one in which nobody waits by now shows 0."""
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

    def show_waits(self, waits: Iterable[Wait], *, now: datetime) -> None:
        """Set who waits. A site that no shown account is of counts as any: callers
        name sites, and a metric's labels are a closed set."""
        sites = {(target, serves.site) for target, serves in self._pools}
        callers = dict.fromkeys(self._lines, 0)
        longest = dict.fromkeys(self._lines, 0.0)
        for wait in waits:
            site = wait.site if (wait.target, wait.site) in sites else ""
            line: tuple[str, str, str] = (wait.target, site, wait.purpose)
            callers[line] = callers.get(line, 0) + wait.callers
            seconds = max((now - wait.since).total_seconds(), 0.0)
            longest[line] = max(longest.get(line, 0.0), seconds)
        self._lines |= callers.keys()
        for shown, count in callers.items():
            self._waiting.labels(*shown).set(count)
            self._longest_wait.labels(*shown).set(longest[shown])
