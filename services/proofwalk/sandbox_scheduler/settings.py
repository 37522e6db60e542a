"""Settings of the sandbox scheduler."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from proofwalk.chassis.settings import SettingsSection


class SandboxSchedulerSettings(SettingsSection):
    """`PROOFWALK_SANDBOX_SCHEDULER__…`."""

    chromium: Path | None = None
    """The browser's binary (the real one, not a wrapper script); empty looks in the usual places."""
    warm: int = Field(default=1, ge=0, le=1000)
    """Browsers that are kept running and unused."""
    quota: int = Field(default=4, ge=1, le=10_000)
    """Browsers at most, whatever their state."""
    start_s: float = Field(default=30.0, ge=1, le=600)
    """Seconds that a browser may take to start."""
    check_s: float = Field(default=2.0, ge=0.1, le=60)
    """Seconds between two looks at the pool: expiry, crashes, refilling."""
    hang_s: float = Field(default=10.0, ge=1, le=120)
    """Seconds after which a browser that does not answer counts as hung."""
    keep_ended_s: float = Field(default=86_400.0, ge=60)
    """Seconds that rows of ended sandboxes are kept."""
