"""Settings of the data plane's two programs."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from proofwalk.chassis.settings_sections import SettingsSection


class SandboxPodSettings(SettingsSection):
    """`PROOFWALK_SANDBOX__…`: the program in a sandbox's pod. The scheduler sets what
    it needs."""

    public_key: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    """The scheduler's public key, in hex."""
    pod_uid: str = ""
    """The uid of the pod."""
    chromium: Path | None = None
    """The browser's binary; empty looks in the usual places."""
    desktop_image: Path | None = None
    """The folder of a desktop's image: the sandbox is a desktop then. The pod's own
    image sets it."""
    devtools_address: str = "0.0.0.0:9222"
    """Where holders come in; a pod's network policies say who may."""
    control_address: str = "0.0.0.0:9223"
    """Where the scheduler comes in."""
    start_s: float = Field(default=45.0, ge=1, le=600)
    """Seconds that the sandbox may take to start."""
    check_s: float = Field(default=2.0, ge=0.1, le=60)
    """Seconds between two looks at it."""
    hang_s: float = Field(default=10.0, ge=1, le=120)
    """Seconds after which a sandbox that does not answer counts as hung."""


class DevtoolsGatewaySettings(SettingsSection):
    """`PROOFWALK_DEVTOOLS_GATEWAY__…`: carries DevTools to pods."""

    public_key: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    """The scheduler's public key, in hex; empty asks the scheduler, once."""
    key_s: float = Field(default=60.0, ge=1, le=600)
    """Seconds that the scheduler has for its answer."""
    address: str = "127.0.0.1:9222"
    """Where holders come in."""
    metrics_address: str = "127.0.0.1:9105"
    """Where metrics and health are served."""
    connections: int = Field(default=2000, ge=1, le=100_000)
    """Connections at most."""
