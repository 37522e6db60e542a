"""The loop that looks at a cluster: whenever something changed there, and every
`check_s` anyway."""

from __future__ import annotations

import structlog
from prometheus_client import Gauge

from proofwalk.sandbox_scheduler.backend import Pulse
from proofwalk.sandbox_scheduler.cluster import Cluster

log = structlog.get_logger()


async def tend(cluster: Cluster, pulse: Pulse, *, check_s: float, gauge: Gauge) -> None:
    """For ever. A look that fails is logged; the next one may succeed."""
    while True:
        beats = pulse.count
        try:
            await cluster.look()
            census = await cluster.census()
            for state in ("starting", "warm", "leased", "ending"):
                gauge.labels(state).set(getattr(census, state))
        except Exception as error:
            log.exception("cluster_not_tended", error=error)
        await pulse.after(beats, check_s)
