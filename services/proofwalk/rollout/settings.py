"""Settings of the rollout role."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from proofwalk.agent.policies.cascade.settings import CascadeSettings
from proofwalk.chassis.settings_sections import SettingsSection
from proofwalk.models.settings import ModelSettings


class RolloutSettings(SettingsSection):
    """`PROOFWALK_ROLLOUT__…`."""

    concurrency: int = Field(default=2, ge=1, le=256)
    """Episodes that one process runs at the same time."""
    shares: dict[str, Annotated[float, Field(gt=0, le=1000)]] = Field(default_factory=dict)
    """By principal (the name of an API key): how many of the workers' places it gets
    beside another that waits too and has 1 (`{"docs-team": 2}`)."""
    hold_ttl_s: float = Field(default=30.0, ge=2, le=600)
    """Life of a claim, an account lease and a sandbox lease in seconds; renewed four
    times as often."""
    account_wait_s: float = Field(default=300.0, ge=0, le=7200)
    """Seconds that an episode waits for a free account before it ends as an environment
    failure."""
    sandbox_wait_s: float = Field(default=120.0, ge=0, le=7200)
    """Seconds that an episode waits for a free sandbox."""
    undo_s: float = Field(default=600.0, ge=10, le=7200)
    """Seconds within which an episode's effects are taken back; after that the account
    pool's own sweep takes over."""
    lost_allowed: int = Field(default=20, ge=0, le=1000)
    """Episodes of one verification that may be lost to dying workers before it ends as
    an environment failure."""
    reconcile_s: float = Field(default=2.0, ge=0.1, le=600)
    """Seconds between two looks at the rows for work whose doorbell was lost or whose
    worker fell silent."""
    targets: Path | None = None
    """Folder of further target files (`*.yaml`)."""
    fetch_allow_hosts: list[str] = Field(default_factory=list)
    """Hosts inside the network from which documents may be fetched nevertheless (`host`
    or `host:port`)."""
    max_document_bytes: int = Field(default=5_000_000, ge=1_000, le=100_000_000)
    """Largest document in bytes."""
    document_seconds: int = Field(default=10, ge=1, le=300)
    """Seconds of a processor that parsing a document may take; half as many again by
    the clock."""
    document_memory_mb: int = Field(default=512, ge=64, le=8192)
    """Megabytes that parsing a document may take."""
    screenshots: bool = True
    """Keep a screenshot of every step."""
    trajectories: bool = True
    """Record each episode's trajectory: every step with what was seen, asked, answered
    and done, as one Parquet file."""
    keep_days: float = Field(default=0.0, ge=0)
    """Days after which screenshots, trajectories, traces and HARs are deleted; 0 keeps
    them. Verdicts, reports' texts and documents stay."""
    model: ModelSettings = ModelSettings()
    """The model of the policies `llm` and `cascade`."""
    apis: Path | None = None
    """Folder of a catalogue of functions (`proofwalk apis build`) that the policies
    `llm` and `cascade` may call in tasks on desktops. Left out: they act by hand alone,
    as they do in every verification of a document."""
    cascade: CascadeSettings = CascadeSettings()
    """When `cascade` asks it."""
