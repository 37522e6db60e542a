"""What a backend must be able to do. `local` runs Chromium as children of this process; others are further implementations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from proofwalk.sandbox_scheduler.domain import Tool


@dataclass(frozen=True, kw_only=True)
class Started:
    """A browser that runs. `pid` and `pid_started` identify its process group's guard across restarts of the scheduler."""

    cdp_endpoint: str
    pid: int
    pid_started: float


class Backend(Protocol):
    """Starts and ends sandboxes of one tool."""

    tool: Tool

    async def start(self, sandbox_id: str) -> Started:
        """Start a browser that may reach nothing yet; raises `sandbox.start_failed`."""
        ...

    async def allow(self, sandbox_id: str, hosts: Sequence[str]) -> None:
        """Limit what the sandbox may reach to these `host:port`."""
        ...

    async def is_alive(self, sandbox_id: str) -> bool:
        """Whether the browser answers, within the backend's bound."""
        ...

    async def end(self, sandbox_id: str) -> Mapping[str, int]:
        """Kill the browser and its traces; returns refused hosts with counts. Idempotent."""
        ...

    async def end_orphan(self, pid: int, pid_started: float) -> None:
        """Kill the browser that a killed predecessor left behind, if it still is the same process."""
        ...
