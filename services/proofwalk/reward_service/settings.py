"""What can be set about judging."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from proofwalk.chassis.settings import SettingsSection


class RewardServiceSettings(SettingsSection):
    """`PROOFWALK_REWARD_SERVICE__…`."""

    targets: Path | None = None
    """Folder of further target files (`*.yaml`)."""
    poll_shortest_s: float = Field(default=0.5, gt=0, le=60)
    """Seconds between the first two looks at an audit log."""
    poll_longest_s: float = Field(default=2.0, gt=0, le=300)
    """Seconds between looks when many have shown nothing new."""
    late_grace_s: float = Field(default=60.0, ge=0, le=3600)
    """Seconds after the delivery bound until a log that has not caught up is called late."""
    keep_days: float = Field(default=90.0, gt=0)
    """Days that judged events are kept for rescoring."""
