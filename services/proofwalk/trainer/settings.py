"""Settings of the trainer role."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from proofwalk.chassis.settings_sections import ObjectStorageSettings, SettingsSection
from proofwalk.rl.storage import ADDRESS, Storage


class PublishSettings(ObjectStorageSettings):
    """`PROOFWALK_TRAINER__PUBLISH__…`: copies of runs' checkpoints."""

    to: str = Field(default="", pattern=rf"^({ADDRESS})?$")
    """Where every run's checkpoints are copied while it goes on, and brought back from
    where its folder has no later ones: `s3://bucket/prefix`, `file:///folder`; empty:
    nowhere. A run's copies lie under its id."""
    retry_s: float = Field(default=10.0, ge=0.01, le=600)
    """Seconds before a copy that failed is tried again; twice as many each time, up to
    five minutes."""
    patience_s: float = Field(default=900.0, ge=0, le=86_400)
    """Seconds that a run which has ended is kept for copies that fail; then the run is
    tried again as after a crash, and in the end has failed."""

    @property
    def storage(self) -> Storage | None:
        """None where nothing is copied."""
        if not self.to:
            return None
        return Storage(
            address=self.to,
            endpoint=self.endpoint,
            region=self.region,
            bucket_in_host=self.bucket_in_host,
            access_key=self.access_key.get_secret_value(),
            secret_key=self.secret_key.get_secret_value(),
        )


class TrainerSettings(SettingsSection):
    """`PROOFWALK_TRAINER__…`."""

    concurrency: int = Field(default=1, ge=1, le=64)
    """Runs that one process trains at the same time; others queue."""
    attempts: int = Field(default=3, ge=1, le=100)
    """Times that a run's process is started at most while it keeps dying, each time
    from the last checkpoint; then the run has failed."""
    retry_s: float = Field(default=5.0, ge=0, le=600)
    """Seconds before a run whose process died is taken up again."""
    threads: int = Field(default=1, ge=1, le=256)
    """Threads of a run's arithmetic. Losses are the same to the last bit for the same
    number of threads."""
    held_against: tuple[Path, ...] = (Path("suites/console-278"), Path("suites/drift-200"))
    """Folders of the suites that measure: a run whose tasks or samples leak one is
    refused. Relative ones lie in the current folder or the checkout that the role runs
    from; one that is not there refuses every run, `[]` holds runs against none."""
    ranks: int = Field(default=1, ge=1, le=64)
    """Processes, on this machine, of a run that asks for several (`settings.processes:
    accelerate` or `sharded`): one a GPU."""
    hold_ttl_s: float = Field(default=30.0, ge=2, le=600)
    """Life of a claim on a run in seconds, after which another process of this role
    takes the run up; renewed four times as often."""
    reconcile_s: float = Field(default=2.0, ge=0.1, le=600)
    """Seconds between two looks at the rows for runs that wait or whose role fell
    silent."""
    poll_s: float = Field(default=0.5, ge=0.02, le=60)
    """Seconds between two looks at what a run has written."""
    drain_s: float = Field(default=10.0, ge=0, le=600)
    """Seconds that a run has to end its step and save when the role is asked to end;
    then it is killed, and resumes from its last checkpoint."""
    publish: PublishSettings = PublishSettings()
    """Copies of runs' checkpoints."""
    page_every: int = Field(default=5, ge=1, le=10_000)
    """Steps between two writings of a run's page."""
