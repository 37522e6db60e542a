"""The scheduler's world on a real API server: the verbs of
`tests.sandbox_scheduler.worlds`, in real time."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

from kubernetes.aio.client import Configuration

from proofwalk.chassis.database import Database
from proofwalk.kernel.clock import Clock, SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.sandbox_scheduler.cluster import Cluster
from proofwalk.sandbox_scheduler.domain import Sandbox
from proofwalk.sandbox_scheduler.kubernetes.api import KubernetesApi
from proofwalk.sandbox_scheduler.kubernetes.backend import StatefulSetBackend
from proofwalk.sandbox_scheduler.kubernetes.pods import instance_of
from proofwalk.sandbox_scheduler.reconciliation import Phase
from proofwalk.sandbox_scheduler.settings import KubernetesSettings
from tests.cluster.kubelet import NODE_LABEL, FakeKubelet
from tests.sandbox_scheduler.worlds import FakeDoors, settings_for


class LeadingClock:
    """The machine's clock, ahead by what a test let pass."""

    def __init__(self) -> None:
        self._system = SystemClock()
        self.ahead = 0.0

    def now(self) -> datetime:
        return self._system.now() + timedelta(seconds=self.ahead)

    def monotonic(self) -> float:
        return self._system.monotonic() + self.ahead


class ClusterWorld:
    """Pods of a real cluster, on a node that runs nothing."""

    shared = True
    step_s = 0.05

    def __init__(
        self, db: Database, kubelet: FakeKubelet, *, namespace: str, configuration: Configuration
    ) -> None:
        self.db = db
        self.kubelet = kubelet
        self.namespace = namespace
        self._configuration = configuration
        self._leading = LeadingClock()
        self.clock: Clock = self._leading
        self.backends: list[StatefulSetBackend] = []

    def backend(self, version: str) -> StatefulSetBackend:
        """Another scheduler's view of the cluster."""
        api = KubernetesApi(self._configuration, namespace=self.namespace)
        here = {NODE_LABEL: self.kubelet.node}
        settings = KubernetesSettings(
            namespace=self.namespace, image="none:1", version=version, watch_s=5, node_selector=here
        )
        made = StatefulSetBackend(api, FakeDoors(), settings=settings, clock=SystemClock())
        self.backends.append(made)
        return made

    def cluster(self, owner: str, *, version: str = "1", **settings: Any) -> Cluster:
        backend = self.backend(version)
        ids = RandomIds(self.clock)
        told = settings_for(**settings)
        return Cluster(backend, db=self.db, clock=self.clock, ids=ids, settings=told, owner=owner)

    async def pass_time(self, seconds: float) -> None:
        """What is waited for goes on in real time; what a test lets pass is only
        counted."""
        if seconds > self.step_s:
            self._leading.ahead += seconds
        await asyncio.sleep(self.step_s)

    async def crash(self, sandbox: Sandbox) -> None:
        await self.kubelet.crash(sandbox.place)

    async def running(self) -> set[str]:
        seen = [instance_of(pod) for pod in await self.kubelet.pods()]
        return {instance.id for instance in seen if instance.phase is Phase.READY}
