"""What stands behind the proxies: every role in this process, on a home of its own,
with its Redis and the embedded cloud."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.proxy import Endpoint
from proofwalk.chassis.role_process import Process
from proofwalk.platform.installation import embedded
from proofwalk.platform.settings import Settings, read_settings

_CALLS = "proofwalk_rpc_calls_total"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A running installation."""

    settings: Settings
    process: Process
    url: str
    """Of its gateway."""

    def served(self, method: str) -> int:
        """How many calls of a method the roles have ended so far."""
        return sum(
            int(sample.value)
            for family in self.process.metrics.collect()
            for sample in family.samples
            if sample.name == _CALLS
            and sample.labels["side"] == "server"
            and sample.labels["method"].endswith(f"/{method}")
        )


@asynccontextmanager
async def running() -> AsyncIterator[Place]:
    """Start it; its home goes with the block."""
    with tempfile.TemporaryDirectory(prefix="pw-faults-") as home:
        settings = read_settings(
            {
                "PROOFWALK_HOME": home,
                "PROOFWALK_TARGETS": f"{home}/targets",
                "PROOFWALK_DRAIN_GRACE_S": "3",
                "PROOFWALK_SANDBOX_SCHEDULER__WARM": "0",
                "PROOFWALK_RESOURCE_PROVISIONER__WARM_PROVIDERS": "0",
            }
        )
        async with embedded(settings) as here:
            yield Place(settings=here.settings, process=here.process, url=here.url)


def endpoint_of(address: str) -> Endpoint:
    """Where an address of the settings leads."""
    if address.startswith("unix:"):
        return Path(address.removeprefix("unix:"))
    host, _, port = address.rpartition(":")
    return host, int(port)
